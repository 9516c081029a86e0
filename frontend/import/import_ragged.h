// Calls of @ragged_all_to_all: rows of arrays between devices, as many as other arrays say.
#ifndef SHARDC_FRONTEND_IMPORT_RAGGED_H
#define SHARDC_FRONTEND_IMPORT_RAGGED_H

#include "ir/pass/pass.h"

// import_ragged: every device takes from the rows of all devices of its group what is meant for it.
//
//   In      a verified module. @ragged_all_to_all(operand, output, input_offsets, send_sizes, output_offsets, recv_sizes) with
//           backend_config = {channel_id, replica_groups}, as JAX writes lax.ragged_all_to_all: for n devices the last four have k * n
//           elements, and element d * k + u of device s says which rows of its operand go where in the output of device d
//   Out     all_gathers of the operand, the offsets and the sizes; a loop over the k * n pieces that a device gets
//   Keeps   calls that do not fit this; elements of the output that nobody writes
PassFn pass_import_ragged;

#endif

// export_for_xla: a device program as XLA's own readers take it, for frameworks that ask a
// plugin for the optimized program.
#ifndef SHARDC_FRONTEND_EXPORT_FOR_XLA_H
#define SHARDC_FRONTEND_EXPORT_FOR_XLA_H

#include "ir/device_program.h"

// Changes the program's module:
//   - mhlo.spmd_parameters_shardings and mhlo.spmd_output_sharding say how arguments and results
//     lie on the devices, where there are several
//   - functions of CHLO that HLO has an opcode for are calls of @mhlo.erf, @mhlo.topk
//     ...; conjugates are made of parts
//   - an all_to_all of several operands, and another collective of operands of
//     several types, is one for each
void export_for_xla(const DeviceProgram *program, Arena *scratch);

#endif

// What the readers of StableHLO's ops and attributes share. Private to frontend/.
#ifndef SHARDC_FRONTEND_STABLEHLO_READER_H
#define SHARDC_FRONTEND_STABLEHLO_READER_H

#include "frontend/mlir/mlir_reader.h"

const Attr *read_conv_dims(Reader *reader);     // [b, 0, f]x[0, i, o]->[b, 0, f]
const Attr *read_dot_algorithm(Reader *reader); // <lhs_precision_type = ...>

#endif

// What the reader of StableHLO's attributes offers to that of its ops.
#ifndef SHARDC_FRONTEND_STABLEHLO_ATTRS_H
#define SHARDC_FRONTEND_STABLEHLO_ATTRS_H

#include "frontend/mlir/forms/forms.h"

const Attr *read_conv_dims(Reader *reader);     // [b, 0, f]x[0, i, o]->[b, 0, f]
const Attr *read_dot_algorithm(Reader *reader); // <lhs_precision_type = ...>

#endif

// The caller's whole arrays behind the devices' tiles of arguments and results.
#ifndef SHARDC_CODEGEN_PLAN_WHOLE_ARRAY_H
#define SHARDC_CODEGEN_PLAN_WHOLE_ARRAY_H

#include "codegen/expr/expr.h"

// Where each device's tile of the operand begins in one whole array, [rank][device_count];
// NULL = every device's memory is apart.
const int64_t *whole_array_origins(ExprBuilder *b, const Value *stored);
// The element at index[] of another device's tile, as one of the first device's tile, beyond which
// index[] may reach then: returns the device. Operands whose tiles are apart stay as they are.
const IndexExpr *whole_array_place(
    ExprBuilder *b, const Value *stored, const IndexExpr *device, const IndexExpr **index);

#endif

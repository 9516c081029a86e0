// The elements of values as expressions.
#ifndef SHARDC_CODEGEN_ELEMENT_H
#define SHARDC_CODEGEN_ELEMENT_H

#include "codegen/expr/expr.h"

// only_device: the program is for that device alone; -1 = any.
ExprBuilder *expr_builder_create(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, int64_t only_device,
    Diags *diags);
// The element of a value.
const Expr *expr_of(ExprBuilder *b, const Value *value, const IndexExpr *const *index);
// The scalar results of a region whose arguments are these expressions.
void expr_of_region(
    ExprBuilder *b, const Region *region, const Expr *const *arguments, const Expr **results);
// From now on the value is this expression at any index; NULL = no more.
void expr_bind(ExprBuilder *b, const Value *value, const Expr *x);

const Expr *element_fail(ExprBuilder *b, const Value *value, const char *why);

// `made` is the operand of an all_to_all whose result is `into`, or a reshape of it: the device
// that gets the element at index[] of `made`, and its index at[] in `into`.
const IndexExpr *sent_element(
    ExprBuilder *b, const Value *made, const Value *into, const IndexExpr *const *index,
    const IndexExpr **at);

#endif

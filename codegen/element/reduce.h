// Reductions over dimensions and devices.
#ifndef SHARDC_CODEGEN_REDUCE_H
#define SHARDC_CODEGEN_REDUCE_H

#include "codegen/element/element.h"

// One result of reduce, all_reduce, reduce_scatter.
const Expr *element_of_reduction(
    ExprBuilder *b, const Op *op, int result, const IndexExpr *const *index);
// Of several ops that reduce the same dimensions of operands of one shape, at one index of their
// results, which are the fold's in this order; NULL after a diagnostic. More than one: each has one
// result.
const Fold *fold_of_reduces(
    ExprBuilder *b, int count, const Op *const *ops, const IndexExpr *const *index);
// At one index of the op's result; NULL after a diagnostic.
const Fold *fold_of_reduce(ExprBuilder *b, const Op *op, const IndexExpr *const *index);

#endif

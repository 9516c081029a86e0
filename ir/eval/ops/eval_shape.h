// Ops with their parameters as arguments: for the static ops, and for those that take them
// from operands or work by parts.
#ifndef SHARDC_IR_EVAL_SHAPE_H
#define SHARDC_IR_EVAL_SHAPE_H

#include "ir/eval/eval_internal.h"

// Each returns a new tensor with one user, or NULL after a diagnostic.
Tensor *eval_make_iota(Eval *eval, const Op *op, const Type *type, int dimension);
Tensor *eval_make_broadcast(
    Eval *eval, const Op *op, const Tensor *operand, const Type *type, const int64_t *to);
Tensor *eval_make_slice(
    Eval *eval, const Op *op, const Tensor *operand, const Type *type, const int64_t *start,
    const int64_t *stride);
Tensor *eval_make_pad(
    Eval *eval, const Op *op, const Tensor *operand, const Tensor *padding, const Type *type,
    const int64_t *low, const int64_t *interior);
Tensor *eval_make_gather(
    Eval *eval, const Op *op, const Tensor *operand, const Tensor *indices, const Type *type,
    const int64_t *slice_sizes);
Tensor *eval_make_dot(
    Eval *eval, const Op *op, const Tensor *lhs, const Tensor *rhs, const Type *type,
    const DotDims *dims);
// padding: [spatial dimensions][low, high]
Tensor *eval_make_convolution(
    Eval *eval, const Op *op, const Tensor *input, const Tensor *kernel, const Type *type,
    const int64_t *padding);

#endif

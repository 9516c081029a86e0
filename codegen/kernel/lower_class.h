// How ops become kernels: as a part of any kernel, or as one of their own.
#ifndef SHARDC_CODEGEN_LOWER_CLASS_H
#define SHARDC_CODEGEN_LOWER_CLASS_H

#include "codegen/kernel/kernel.h"

// What the code generator does with an op (the lowering of CODEGEN in its row).
typedef enum LowerClass {
    LOWER_ABSENT,  // not supported
    LOWER_NONE,    // nothing: terminators, tokens
    LOWER_CONTROL, // while, if, case: steps
    // emit_element gives any element of it without storing it: pointwise, views, gather, constants,
    // ids, collectives that only move data. Stored by KERNEL_LOOP.
    LOWER_ELEMENT,
    // as LOWER_ELEMENT at the cost of a loop over the reduced space at each element: reduce,
    // all_reduce, reduce_scatter. An element that does not depend on the inner loop variables is
    // computed outside of these loops, so a row reduction whose result is broadcast back over its
    // row (softmax, normalisations) may stay fused. Stored by KERNEL_REDUCE.
    LOWER_REDUCE,
    // dynamic_update_slice: in place by KERNEL_UPDATE, or fused as a choice between two elements
    LOWER_UPDATE,
    // needs a kernel of its own; operands may be fused into it unless lower_stores_operand
    LOWER_KERNEL
} LowerClass;

// Arithmetic of one element of an op's result, in cheap vector operations.
double op_code_cost(OpCode code);
// *kind (may be NULL): of the kernel that stores its results
LowerClass lower_class(const Op *op, KernelKind *kind);
// Does the op's kernel need this operand in memory (a stored value), rather than as an expression?
bool lower_stores_operand(const Op *op, int operand);
// Does the op's result i take the place of its operand i (in place)?
bool op_is_in_place(const Op *op);

#endif

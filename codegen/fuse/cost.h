// What values cost to compute, load and store: the numbers behind fusion. Unit: one
// cheap vector operation per element.
#ifndef SHARDC_CODEGEN_COST_H
#define SHARDC_CODEGEN_COST_H

#include "codegen/fuse/fuse.h"

// fills positions and is_free, is_view, work of every value's info
void cost_values(Fusion *fusion);
double cost_load(const Type *type);
double cost_store(const Type *type);
// How often operand i is evaluated per evaluation of the op's result (LOWER_ELEMENT, LOWER_REDUCE),
// or per element of the operand and run of the op's kernel (LOWER_KERNEL, LOWER_UPDATE).
double cost_evaluations(const Op *op, int i);
// A convolution with long rows, whose image is copied once, with what neighbouring parts share.
bool cost_copies_image(const Op *op);
double cost_of_op(const Op *op); // arithmetic of one element of the result, without its operands
// Of the elementwise ops that an element is made of, each once.
double cost_of_elements(const Value *value);
int64_t cost_reduced_elements(const Op *op); // LOWER_REDUCE: elements that are folded into one

// Is the constant a table of one number for each device, of which each takes its own
// (passes/own_numbers.c)? It is a part of expressions then, and not in memory.
bool cost_is_looked_up(const Value *constant);

// Does a window run along the last dimension of parts that are joined along it? Each element would
// ask which part it is of, in the innermost loop.
bool cost_is_asked_in_windows(const Value *value);

#endif

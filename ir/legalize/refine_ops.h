// What is known of shapes from constants: types of results, lengths of slices, and
// JAX's assertions about shapes.
#ifndef SHARDC_IR_REFINE_OPS_H
#define SHARDC_IR_REFINE_OPS_H

#include "ir/legalize/legalize.h"

// The types of the op's results as far as they follow from constant operands, from operand
// types and from the op's own types; NULL entries where nothing is known. False with a
// diagnostic when the op cannot be right.
bool refine_result_types(Legalizer *legalizer, const Op *op, const Type **types);

// The type with the sizes of both; `better` may be NULL. NULL when they contradict each other.
const Type *refine_merge(Context *context, const Type *type, const Type *better);

// limit - start of a real_dynamic_slice for each dimension, where constant,
// though start may not be; else NULL.
const int64_t *slice_lengths(Arena *scratch, const Op *op);

// JAX's custom call that a shape is as the program expects: a condition, then numbers for its
// message.
bool is_shape_assertion(const Op *op);
// The message with its numbers: "{0}" is *numbers[0]; numbers: one per operand but the
// first, NULL entries are not known.
const char *assertion_text(Arena *arena, const Op *op, const int64_t *const *numbers);

// The numbers of a constant list of `count`, in the scratch arena; NULL when
// the value is no such constant.
const int64_t *constant_numbers(Arena *scratch, const Value *value, int count);

#endif

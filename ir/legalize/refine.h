// Shape refinement: a program with dynamic dimensions, specialised to arguments of known shapes.
#ifndef SHARDC_IR_REFINE_H
#define SHARDC_IR_REFINE_H

#include "ir/legalize/legalize.h"

// What is known of an argument when the program is compiled.
typedef struct ArgumentFact {
    const Type *type;  // NULL: as the program says
    const Attr *value; // ATTR_ELEMENTS of the type: the argument always has this value; NULL: any
} ArgumentFact;

// Does any value of the program have a tensor type with a size that is not known?
bool module_is_dynamic(const Module *module);

// Facts from a list of types and constants (an ATTR_ARRAY; none: nothing is known), one per argument of `entry`. False with a
// diagnostic when the list is another thing.
bool argument_facts(
    Arena *arena, const Op *entry, const Attr *list, const ArgumentFact **facts, Diags *diags);

// Gives the arguments of `entry` the types (and values) of the facts, and every other value of it the type that follows. Shape
// computations become constants, dynamic_* ops static ones. Calls are inlined first. PASS_FAILED with a diagnostic when a
// fact contradicts the program, or a shape is still not known at the end. count: of facts, 0 or as many as entry has arguments.
PassResult refine_shapes(
    Module *module, Op *entry, int count, const ArgumentFact *facts, PassContext *pass);

// The types of the op's results as far as they follow from constant operands, from operand types and from the op's own types; NULL
// entries where nothing is known. False with a diagnostic when the op cannot be right.
bool refine_result_types(Legalizer *legalizer, const Op *op, const Type **types);

// The type with the sizes of both; `better` may be NULL. NULL when they contradict each other.
const Type *refine_merge(Context *context, const Type *type, const Type *better);

// limit - start of a real_dynamic_slice for each dimension, where constant, though start may not be; else NULL.
const int64_t *slice_lengths(Arena *scratch, const Op *op);

// JAX's custom call that a shape is as the program expects: a condition, then numbers for its message.
bool is_shape_assertion(const Op *op);
// The message with its numbers: "{0}" is *numbers[0]; numbers: one per operand but the first, NULL entries are not known.
const char *assertion_text(Arena *arena, const Op *op, const int64_t *const *numbers);

// The numbers of a constant list of `count`, in the scratch arena; NULL when the value is no such constant.
const int64_t *constant_numbers(Arena *scratch, const Value *value, int count);

#endif

// Shape refinement: a program with dynamic dimensions, specialised to arguments of known shapes.
#ifndef SHARDC_IR_REFINE_H
#define SHARDC_IR_REFINE_H

#include "ir/pass/pass.h"

// What is known of an argument when the program is compiled.
typedef struct KnownArgument {
    const Type *type;  // NULL: as the program says
    const Attr *value; // ATTR_ELEMENTS of the type: the argument always has this value; NULL: any
} KnownArgument;

// Does any value of the program have a tensor type with a size that is not known?
bool module_is_dynamic(const Module *module);

// Known arguments from a list of types and constants (an ATTR_ARRAY; none: nothing is known), one
// per argument of `entry`. False with a diagnostic when the list is another thing.
bool known_arguments(
    Arena *arena, const Op *entry, const Attr *list, const KnownArgument **arguments_known,
    Diags *diags);

// Gives the arguments of `entry` the types (and values) of the arguments_known, and every other
// value of it the type that follows. Shape computations become constants, dynamic_* ops static
// ones. Calls are inlined first. PASS_FAILED with a diagnostic when a known argument
// contradicts the program, or a shape is still not known at the end. count: of arguments_known,
// 0 or as many as entry has arguments.
PassResult refine_shapes(
    Module *module, Op *entry, int count, const KnownArgument *arguments_known, PassContext *pass);

#endif

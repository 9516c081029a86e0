// The conversions of legalize_chlo into the core. Each looks at one op and
// replaces it by core ops, or leaves it.
#ifndef SHARDC_IR_LEGALIZE_H
#define SHARDC_IR_LEGALIZE_H

#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct Legalizer {
    Module *module;
    PassContext *pass;
    bool changed, failed;
} Legalizer;

// One for each name in ops.def's column convert: true when the op was replaced (it is erased then).
// After `failed` there is a diagnostic.
typedef bool ConvertFn(Legalizer *legalizer, Op *op);
#define IR(infer, eval, scalar, convert)                                                       ConvertFn convert_##convert;
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) ir
#include "ir/dialects/ops.def"
#undef IR

bool legalize_op(Legalizer *legalizer, Op *op); // by the function of its row

// Puts values in the place of the results, one each, and erases the op. A value that was built for
// it takes the result's sharding; one that was there before is constrained to it.
bool legalize_replace(Legalizer *legalizer, Op *op, Value *const *values);
bool legalize_replace_one(Legalizer *legalizer, Op *op, Value *value);

#endif

// The rewrites of legalize_chlo. Each looks at one op and replaces it by core ops, or leaves it.
#ifndef SHARDC_IR_LEGALIZE_H
#define SHARDC_IR_LEGALIZE_H

#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct Legalizer {
    Module *module;
    PassContext *pass;
    bool changed, failed;
} Legalizer;

// The families: true when the op was replaced (it is erased then). After `failed` there is a diagnostic.
bool legalize_chlo_op(Legalizer *legalizer, Op *op);
bool legalize_dynamic_op(Legalizer *legalizer, Op *op);
bool legalize_dynamic_call(
    Legalizer *legalizer, Op *op); // custom calls that stand for ops whose attributes are operands
bool legalize_contraction(Legalizer *legalizer, Op *op); // dot, einsum, torch_index_select
bool legalize_batch_norm(Legalizer *legalizer, Op *op);
bool legalize_composite(Legalizer *legalizer, Op *op);
bool legalize_ragged_dot(Legalizer *legalizer, Op *op);
bool legalize_scan(Legalizer *legalizer, Op *op);
bool legalize_async_done(Legalizer *legalizer, Op *op); // and the start with it

// Puts values in the place of the results, one each, and erases the op. A value that was built for it takes the result's sharding; one
// that was there before is constrained to it.
bool legalize_replace(Legalizer *legalizer, Op *op, Value *const *values);
bool legalize_replace_one(Legalizer *legalizer, Op *op, Value *value);

#endif

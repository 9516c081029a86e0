// Bodies of reductions: steps of folds.
#ifndef SHARDC_CODEGEN_REDUCTION_H
#define SHARDC_CODEGEN_REDUCTION_H

#include "codegen/element/element.h"
#include "codegen/expr/fold.h"

// The body of a reduction: results = body(accumulators, x).
typedef struct Reduction {
    const Region *body;
    int count;                            // results
    ElementType element[MAX_REDUCED];     // of the results
    ElementType accumulator[MAX_REDUCED]; // narrow floats: f32
    // result i is simple(x_i, y_i); OP_COUNT when the body is more than that
    OpCode simple[MAX_REDUCED];
    bool is_simple; // all are
} Reduction;

// Of a region with 2n scalar arguments. False with a diagnostic when it has too many results.
bool reduction_of(ExprBuilder *b, const Op *op, const Region *body, Reduction *r);
// More accumulators, which start with these elements, and their results.
void reduction_begin(
    ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *start);
// Their step: accumulators = body(accumulators, x).
void reduction_step(ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *x);

#endif

// Folds of ops: reductions over dimensions and devices, windows, products, selections.
#ifndef SHARDC_CODEGEN_PLAN_FOLD_H
#define SHARDC_CODEGEN_PLAN_FOLD_H

#include "codegen/plan/expr.h"

// A fold in the making. Its arrays are copied when it is done.
typedef struct FoldDraft {
    Fold fold;
    FoldAxis axes[MAX_RANK];
    const Expr *accumulators[3 * MAX_REDUCED], *start[3 * MAX_REDUCED], *step[3 * MAX_REDUCED],
        *result[MAX_REDUCED];
    Guard guards[2 * MAX_RANK];
} FoldDraft;

FoldDraft *fold_draft(ExprBuilder *b);
const IndexExpr *fold_add_axis(ExprBuilder *b, FoldDraft *draft, int64_t extent);
// The number of the new accumulator.
int fold_add_accumulator(ExprBuilder *b, FoldDraft *draft, ElementType element, const Expr *start);
const Fold *fold_done(ExprBuilder *b, FoldDraft *draft);
// The same fold with neighbouring axes made one where every address stays affine.
const Fold *fold_join_axes(ExprBuilder *b, const Fold *fold);

// All places of a fold in order, from {.fold = fold}; false behind the last.
typedef struct FoldPlace {
    const Fold *fold;
    bool is_started;
    int64_t at[MAX_RANK];
} FoldPlace;

bool fold_next_place(FoldPlace *place);
void fold_substitute_place(Substitution *s, const FoldPlace *place); // axes become constants

// The body of a reduction: results = body(accumulators, x).
typedef struct Reduction {
    const Region *body;
    int count;                            // results
    ElementType element[MAX_REDUCED];     // of the results
    ElementType accumulator[MAX_REDUCED]; // narrow floats that are summed: f32
    OpCode simple
        [MAX_REDUCED]; // result i is simple(x_i, y_i); OP_COUNT when the body is more than that
    bool is_simple;    // all are
} Reduction;

// Of a region with 2n scalar arguments. False with a diagnostic when it has too many results.
bool reduction_of(ExprBuilder *b, const Op *op, const Region *body, Reduction *r);
// Accumulators that start with these elements, and their results.
void reduction_begin(
    ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *start);
// The step: accumulators = body(accumulators, x).
void reduction_step(ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *x);

// Is the result of a body on two pairs (value, number) always one of the pairs? See choice.c.
bool reduction_chooses(const Region *body);

// Windows of reduce_window, select_and_scatter and convolutions.
typedef struct Window {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK], low[MAX_RANK], base_dilation[MAX_RANK],
        dilation[MAX_RANK];
    int64_t base[MAX_RANK]; // the operand's dimensions
    int64_t count;          // positions
} Window;

Window window_of(ExprBuilder *b, const Op *op);
// The operand's index at window position w of output index o: at[], which exists where the guards hold. False: never.
bool window_place(
    ExprBuilder *b, const Window *window, const IndexExpr *const *o, const IndexExpr *const *w,
    const IndexExpr **at, Guard *guards, int *guard_count);

// The folds at one index of the op's result; NULL after a diagnostic.
const Fold *fold_of_reduce(ExprBuilder *b, const Op *op, const IndexExpr *const *index);
const Fold *fold_of_window(ExprBuilder *b, const Op *op, const IndexExpr *const *index);
const Fold *fold_of_product(ExprBuilder *b, const Op *op, const IndexExpr *const *index);
const Fold *fold_of_selection(ExprBuilder *b, const Op *op, const IndexExpr *const *index);
// Cumulative windows: the dimension along which output o folds elements 0 .. o (or o .. n-1: *is_reversed); -1 when the window is another.
int scan_dim(ExprBuilder *b, const Op *op, bool *is_reversed);
// One step of a scan: no axes, the element at index[] is the step's.
const Fold *fold_of_scan(ExprBuilder *b, const Op *op, const IndexExpr *const *index);

#endif

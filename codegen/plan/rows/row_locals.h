// Inside rows.c: passes in the making, and what they keep (row_locals.c).
#ifndef SHARDC_CODEGEN_PLAN_ROW_LOCALS_H
#define SHARDC_CODEGEN_PLAN_ROW_LOCALS_H

#include "codegen/expr/needs.h"
#include "codegen/plan/stage.h"

// Axes of passes over the elements of a row.
typedef struct RowClass {
    int axis_count;
    FoldAxis axes[MAX_RANK];
    int64_t count;
    const IndexExpr *position; // number of the element
} RowClass;

typedef struct FoundFold {
    const Fold *fold;  // as it was
    const Fold *clean; // with the variables of its class, without axes
    const Expr **results;
    int level, class;
} FoundFold;

typedef struct RowDraft {
    int level, class;
    bool in_lanes;
    VEC(RowFold) folds;
    VEC(Store) stores;
    VEC(RowKeep) keeps;
} RowDraft;

typedef struct RowKept {
    const Expr *x;
    int class, first, last; // passes
    const Expr *load;
} RowKept;

// An expression of the row's folds, which `pass` computes when it has ended.
typedef struct RowNumber {
    const Expr *x, *scalar;
    int pass;
} RowNumber;

typedef struct RowsBuild {
    ExprBuilder *b;
    Arena *arena;
    Stage *stage;
    Needs needs;
    PtrMap levels;        // Expr: 1 + number of passes before it is known
    VEC(FoundFold) folds; // those inside before those around
    VEC(RowClass) classes;
    VEC(RowDraft *) passes;
    PtrMap costs; // Expr: cost + 1
    PtrMap first; // Expr: 1 + the pass that computes it first
    PtrMap seen;  // Expr: 1 + the last pass that was here
    VEC(RowKept) kept;
    VEC(RowNumber) numbers;
    const IndexExpr *place; // of the column in its block
} RowsBuild;

// Which elements the passes keep, and of columns how many are made together.
void row_choose_locals(RowsBuild *build, Rows *rows, const Target *target);
// Fewer columns where what is known of them would not fit on a small thread's stack.
void row_fit_stack(RowsBuild *build, Rows *rows);
// What a pass costs to compute of an element, in cheap operations.
int row_cost(RowsBuild *build, const Expr *x);
// Numbers of the row that several elements need; those of a pass as folds without accumulators.
void row_find_numbers(RowsBuild *build);
int row_number_folds(RowsBuild *build, int pass, RowFold *folds);

#endif

// Folds in the making.
#ifndef SHARDC_CODEGEN_PLAN_FOLD_H
#define SHARDC_CODEGEN_PLAN_FOLD_H

#include "codegen/expr/expr.h"

// A fold in the making. Its arrays are copied when it is done.
typedef struct FoldDraft {
    Fold fold;
    FoldAxis axes[MAX_RANK];
    const Expr *accumulators[3 * MAX_REDUCED], *start[3 * MAX_REDUCED], *step[3 * MAX_REDUCED],
        *result[MAX_REDUCED];
    Guard guards[2 * MAX_RANK];
    const Fold *like; // has its first axes and accumulators; NULL = all are new
} FoldDraft;

FoldDraft *fold_draft(ExprBuilder *b);
const IndexExpr *fold_add_axis(ExprBuilder *b, FoldDraft *draft, int64_t extent);
// The number of the new accumulator.
int fold_add_accumulator(ExprBuilder *b, FoldDraft *draft, ElementType element, const Expr *start);
const Fold *fold_done(ExprBuilder *b, FoldDraft *draft);
// The same fold with neighbouring axes made one where every address stays affine.
const Fold *fold_join_axes(ExprBuilder *b, const Fold *fold);

#endif

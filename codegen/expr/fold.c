// Folds in the making.
#include "codegen/expr/fold.h"

#include "codegen/expr/uses.h"

#include <string.h>

FoldDraft *fold_draft(ExprBuilder *b) { return ARENA_NEW(b->arena, FoldDraft); }

const IndexExpr *fold_add_axis(ExprBuilder *b, FoldDraft *draft, int64_t extent) {
    int k = draft->fold.axis_count++;
    bool is_known = draft->like && k < draft->like->axis_count;
    int variable = is_known ? draft->like->axes[k].variable : expr_new_variable(b, true);
    draft->axes[k] = (FoldAxis){variable, extent};
    return index_variable(b->index, variable, extent);
}

int fold_add_accumulator(ExprBuilder *b, FoldDraft *draft, ElementType element, const Expr *start) {
    int i = draft->fold.count++;
    bool is_known = draft->like && i < draft->like->count;
    const Expr *sum = is_known ? draft->like->accumulators[i] : expr_new_scalar(b, element);
    draft->accumulators[i] = draft->step[i] = sum;
    draft->start[i] = start;
    return i;
}

const Fold *fold_done(ExprBuilder *b, FoldDraft *draft) {
    Fold *fold = &draft->fold;
    fold->axes = draft->axes;
    fold->accumulators = draft->accumulators;
    fold->start = draft->start;
    fold->step = draft->step;
    fold->result = draft->result;
    fold->guards = draft->guards;
    return expr_intern_fold(b, fold);
}

// ---- axes

static bool axes_join(const IndexUses *uses, const FoldAxis *outer, const FoldAxis *inner) {
    if (outer->extent <= 1 || inner->extent <= 1) return true;
    for (int64_t u = 0; u < uses->count; u++) {
        int64_t a, b;
        const IndexExpr *x = uses->data[u].index;
        if (!index_is_affine_in(x, outer->variable, &a) ||
            !index_is_affine_in(x, inner->variable, &b))
            return false;
        if (a != inner->extent * b) return false;
    }
    return true;
}

// Axes k and k + 1 as one.
static const Fold *join(ExprBuilder *b, const Fold *fold, int k) {
    FoldDraft *draft = fold_draft(b);
    draft->fold = *fold;
    int64_t inner = fold->axes[k + 1].extent, extent = fold->axes[k].extent * inner;
    int variable = expr_new_variable(b, true);
    const IndexExpr *both = index_variable(b->index, variable, extent);
    Substitution s = substitution(b, b);
    s.variables[fold->axes[k].variable] = index_div(b->index, both, inner > 0 ? inner : 1);
    s.variables[fold->axes[k + 1].variable] = index_mod(b->index, both, inner > 0 ? inner : 1);
    for (int i = 0, next = 0; i < fold->axis_count; i++) {
        if (i == k + 1) continue;
        draft->axes[next++] = i == k ? (FoldAxis){variable, extent} : fold->axes[i];
    }
    draft->fold.axis_count--;
    memcpy(draft->accumulators, fold->accumulators, (size_t)fold->count * sizeof(Expr *));
    memcpy(draft->start, fold->start, (size_t)fold->count * sizeof(Expr *));
    memcpy(draft->result, fold->result, (size_t)fold->result_count * sizeof(Expr *));
    for (int i = 0; i < fold->count; i++)
        draft->step[i] = expr_substitute(&s, fold->step[i]);
    for (int i = 0; i < fold->guard_count; i++)
        draft->guards[i] = guard_substitute(&s, fold->guards[i]);
    return fold_done(b, draft);
}

const Fold *fold_join_axes(ExprBuilder *b, const Fold *fold) {
    for (int k = 0; k + 1 < fold->axis_count;) {
        IndexUses uses = {0};
        UseWalk walk = use_walk(b, &uses);
        for (int i = 0; i < fold->count; i++)
            uses_of_expr(&walk, fold->step[i]);
        for (int i = 0; i < fold->guard_count; i++)
            uses_add(&walk, (IndexUse){.kind = USE_CONDITION, .index = fold->guards[i].x});
        if (axes_join(&uses, &fold->axes[k], &fold->axes[k + 1]))
            fold = join(b, fold, k);
        else
            k++;
    }
    return fold;
}

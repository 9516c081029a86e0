// Folds in the making, and bodies of reductions.
#include "codegen/plan/fold.h"

#include "codegen/plan/uses.h"

#include <string.h>

FoldDraft *fold_draft(ExprBuilder *b) { return ARENA_NEW(b->arena, FoldDraft); }

const IndexExpr *fold_add_axis(ExprBuilder *b, FoldDraft *draft, int64_t extent) {
    int variable = expr_new_variable(b, true);
    draft->axes[draft->fold.axis_count++] = (FoldAxis){variable, extent};
    return index_variable(b->index, variable, extent);
}

int fold_add_accumulator(ExprBuilder *b, FoldDraft *draft, ElementType element, const Expr *start) {
    int i = draft->fold.count++;
    draft->accumulators[i] = draft->step[i] = expr_new_scalar(b, element);
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

// ---- places

bool fold_next_place(FoldPlace *place) {
    const Fold *fold = place->fold;
    if (!place->is_started) {
        place->is_started = true;
        for (int k = 0; k < fold->axis_count; k++) {
            if (fold->axes[k].extent == 0) return false;
        }
        return true;
    }
    for (int k = fold->axis_count - 1; k >= 0; k--) {
        if (++place->at[k] < fold->axes[k].extent) return true;
        place->at[k] = 0;
    }
    return false;
}

void fold_substitute_place(Substitution *s, const FoldPlace *place) {
    for (int k = 0; k < place->fold->axis_count; k++)
        s->variables[place->fold->axes[k].variable] = index_constant(s->to->index, place->at[k]);
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

// ---- bodies

// Result i of the body is one pointwise op of the arguments i and count + i?
static OpCode simple_op(const Region *body, int count, int i) {
    const Op *end = region_terminator(body);
    if (!end || i >= end->operand_count) return OP_COUNT;
    const Op *op = op_operand(end, i)->def;
    if (!op || op->parent != body || op->operand_count != 2 || !op_has(op, TRAIT_COMMUTES))
        return OP_COUNT;
    const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
    const Value *first = body->args[i], *second = body->args[count + i];
    bool fits = (x == first && y == second) || (x == second && y == first);
    return fits ? op->code : OP_COUNT;
}

bool reduction_of(ExprBuilder *b, const Op *op, const Region *body, Reduction *r) {
    *r = (Reduction){.body = body, .count = body->arg_count / 2, .is_simple = true};
    if (r->count > MAX_REDUCED) {
        diag_unsupported(
            b->diags, op->loc, "'%.*s' with more than %d results is not supported in native code",
            SV_ARG(op->name), MAX_REDUCED);
        b->failed = true;
        return false;
    }
    for (int i = 0; i < r->count; i++) {
        ElementType element = body->args[i]->type->element;
        r->element[i] = r->accumulator[i] = element;
        r->simple[i] = simple_op(body, r->count, i);
        if (r->simple[i] == OP_COUNT) r->is_simple = false;
    }
    for (int i = 0; i < r->count && r->is_simple; i++) {
        bool sums = r->simple[i] == OP_ADD || r->simple[i] == OP_MULTIPLY;
        if (!sums || !element_is_float(r->element[i])) continue;
        if (r->element[i] == ELEMENT_F32 || r->element[i] == ELEMENT_F64) continue;
        r->accumulator[i] = ELEMENT_F32;
    }
    return true;
}

void reduction_begin(
    ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *start) {
    for (int i = 0; i < r->count; i++) {
        const Expr *wide = expr_convert(b, start[i], r->accumulator[i]);
        fold_add_accumulator(b, draft, r->accumulator[i], wide);
        draft->result[i] = expr_convert(b, draft->accumulators[i], r->element[i]);
    }
    draft->fold.result_count = r->count;
}

void reduction_step(ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *x) {
    if (!r->is_simple) {
        const Expr *arguments[2 * MAX_REDUCED];
        for (int i = 0; i < r->count; i++) {
            arguments[i] = draft->accumulators[i];
            arguments[r->count + i] = x[i];
        }
        expr_of_region(b, r->body, arguments, draft->step);
        return;
    }
    for (int i = 0; i < r->count; i++) {
        const Expr *wide = expr_convert(b, x[i], r->accumulator[i]);
        draft->step[i] = expr_arithmetic(b, r->simple[i], draft->accumulators[i], wide);
    }
}

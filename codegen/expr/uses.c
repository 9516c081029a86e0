// Collects the index expressions of expressions. Unrolled folds count as the steps that they are.
#include "codegen/expr/uses.h"

#include "codegen/expr/fold_place.h"

UseWalk use_walk(ExprBuilder *b, IndexUses *uses) {
    return (UseWalk){.b = b, .uses = uses, .seen = ptr_map(b->arena)};
}

static bool is_new(UseWalk *walk, const void *x) {
    if (ptr_map_has(&walk->seen, x)) return false;
    ptr_map_set(&walk->seen, x, walk);
    return true;
}

void uses_inside(UseWalk *walk, const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_TABLE)
            uses_add(walk, (IndexUse){.kind = USE_NUMBER, .index = atom->of});
        else if (atom->of)
            uses_inside(walk, atom->of);
        if (atom->kind != INDEX_RUNTIME) continue;
        const RuntimeNumber *number = &walk->b->runtimes.data[atom->id];
        if (number->x) uses_of_expr(walk, number->x);
    }
}

void uses_add(UseWalk *walk, IndexUse use) {
    const ExprBuilder *b = walk->b;
    for (int id = 0; id < b->variable_count; id++) {
        int64_t factor;
        if (!b->is_fold_variable.data[id] || !index_depends_on(use.index, id)) continue;
        use.is_in_fold = true;
        if (!index_is_affine_in(use.index, id, &factor)) continue;
        if (factor < 0) factor = -factor;
        use.is_fold_contiguous = use.is_fold_contiguous || factor == 1;
        if (use.fold_stride == 0 || factor < use.fold_stride) use.fold_stride = factor;
    }
    vec_push(walk->b->arena, walk->uses, use);
    uses_inside(walk, use.index);
}

static void uses_of_guards(UseWalk *walk, int count, const Guard *guards) {
    for (int i = 0; i < count; i++)
        uses_add(
            walk, (IndexUse){
                      .kind = USE_CONDITION,
                      .index = guards[i].x,
                      .low = guards[i].low,
                      .high = guards[i].high});
}

static void uses_of_steps(UseWalk *walk, const Fold *fold) {
    FoldPlace place = {.fold = fold};
    if (!fold->unroll) {
        uses_of_guards(walk, fold->guard_count, fold->guards);
        for (int i = 0; i < fold->count; i++)
            uses_of_expr(walk, fold->step[i]);
        return;
    }
    while (fold_next_place(&place)) {
        Substitution s = substitution(walk->b, walk->b);
        fold_substitute_place(&s, &place);
        Guard *guards = ARENA_ARRAY(walk->b->arena, Guard, fold->guard_count + 1);
        int count = 0;
        bool ever = true;
        for (int i = 0; i < fold->guard_count; i++)
            ever = guard_add(guards, &count, guard_substitute(&s, fold->guards[i])) && ever;
        if (!ever) continue;
        uses_of_guards(walk, count, guards);
        for (int i = 0; i < fold->count; i++)
            uses_of_expr(walk, expr_substitute(&s, fold->step[i]));
    }
}

static void uses_of_fold(UseWalk *walk, const Fold *fold) {
    if (!is_new(walk, fold)) return;
    for (int i = 0; i < fold->count; i++)
        uses_of_expr(walk, fold->start[i]);
    uses_of_steps(walk, fold);
    for (int i = 0; i < fold->result_count; i++)
        uses_of_expr(walk, fold->result[i]);
}

void uses_of_expr(UseWalk *walk, const Expr *x) {
    if (!is_new(walk, x)) return;
    switch (x->kind) {
    case EXPR_TABLE:
    case EXPR_LOCAL:
    case EXPR_LOAD:
        uses_add(
            walk, (IndexUse){.kind = USE_ADDRESS, .index = x->at, .stored = x->stored, .load = x});
        if (x->device) uses_add(walk, (IndexUse){.kind = USE_NUMBER, .index = x->device});
        break;
    case EXPR_NUMBER:
    case EXPR_BITS:
        if (x->at) uses_add(walk, (IndexUse){.kind = USE_NUMBER, .index = x->at});
        break;
    case EXPR_TEST:
    case EXPR_CHOICE: uses_of_guards(walk, x->guard_count, x->guards); break;
    case EXPR_FOLD: uses_of_fold(walk, x->fold); break;
    case EXPR_REAL:
    case EXPR_CONSTANT:
    case EXPR_OP:
    case EXPR_ARITHMETIC:
    case EXPR_CONVERT:
    case EXPR_SELECT:
    case EXPR_SCALAR: break;
    }
    for (int i = 0; i < x->operand_count; i++)
        uses_of_expr(walk, x->operands[i]);
}

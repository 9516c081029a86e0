// See needs.h.
#include "codegen/expr/needs.h"

Needs needs_create(Arena *arena, const ExprBuilder *b) {
    Needs n = {.arena = arena, .b = b, .variables = b->variable_count, .scalars = b->scalar_count};
    n.words = (n.variables + n.scalars + 64) / 64;
    n.known = ptr_map(arena);
    return n;
}

static void add_all(const Needs *n, uint64_t *to, const uint64_t *from) {
    for (int i = 0; i < n->words; i++)
        to[i] |= from[i];
}

static void set_bit(uint64_t *set, int64_t bit) { set[bit / 64] |= (uint64_t)1 << (bit % 64); }

static void clear_bit(uint64_t *set, int64_t bit) { set[bit / 64] &= ~((uint64_t)1 << (bit % 64)); }

static void add_index(Needs *n, const IndexExpr *x, uint64_t *set) {
    for (int i = 0; x && i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of) add_index(n, atom->of, set);
        if (atom->kind == INDEX_VARIABLE) set_bit(set, atom->id);
        if (atom->kind != INDEX_RUNTIME) continue;
        const Expr *number = n->b->runtimes.data[atom->id].x;
        if (number) add_all(n, set, needs_of(n, number));
    }
}

static void add_guards(Needs *n, int count, const Guard *guards, uint64_t *set) {
    for (int i = 0; i < count; i++)
        add_index(n, guards[i].x, set);
}

static void add_list(Needs *n, int count, const Expr *const *list, uint64_t *set) {
    for (int i = 0; i < count; i++)
        add_all(n, set, needs_of(n, list[i]));
}

const uint64_t *needs_of_fold(Needs *n, const Fold *fold) {
    const uint64_t *known = ptr_map_get(&n->known, fold);
    if (known) return known;
    uint64_t *set = ARENA_ARRAY(n->arena, uint64_t, n->words);
    add_guards(n, fold->guard_count, fold->guards, set);
    add_list(n, fold->count, fold->start, set);
    add_list(n, fold->count, fold->step, set);
    add_list(n, fold->result_count, fold->result, set);
    for (int i = 0; i < fold->axis_count; i++)
        clear_bit(set, fold->axes[i].variable);
    for (int i = 0; i < fold->count && fold != n->open; i++)
        clear_bit(set, n->variables + fold->accumulators[i]->id);
    ptr_map_set(&n->known, fold, set);
    return set;
}

const uint64_t *needs_of(Needs *n, const Expr *x) {
    const uint64_t *known = ptr_map_get(&n->known, x);
    if (known) return known;
    uint64_t *set = ARENA_ARRAY(n->arena, uint64_t, n->words);
    add_index(n, x->at, set);
    add_index(n, x->device, set);
    add_guards(n, x->guard_count, x->guards, set);
    add_list(n, x->operand_count, x->operands, set);
    if (x->kind == EXPR_SCALAR) set_bit(set, n->variables + x->id);
    if (x->fold) add_all(n, set, needs_of_fold(n, x->fold));
    ptr_map_set(&n->known, x, set);
    return set;
}

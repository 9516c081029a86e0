// Choices that the device's number decides: which of several arrays, parts or devices an element
// comes from. On each device it is one of them; where these differ by numbers alone, the choice
// is a table of those numbers:
//
//   (1 <= t0(r0) ? x@(t1(r0))[i] : x[i + 8])  ->  x@(t2(r0))[i + t3(r0)]
//
// Slices of a sharded dimension arrive so: a permutation for each device that has a part.
#include "codegen/expr/expr.h"

enum { MOST_DEVICES = 64, MOST_NODES = 64 };

typedef struct ByDevice {
    ExprBuilder *b;
    int64_t count;
    int nodes; // looked at
} ByDevice;

static bool depends_on_device(const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_RUNTIME && atom->id == 0) return true;
        if (atom->of && depends_on_device(atom->of)) return true;
    }
    return false;
}

static int64_t clamped(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

const IndexExpr *expr_start(ExprBuilder *b, const Expr *x, int64_t low, int64_t high) {
    const RuntimeNumber *own = &b->runtimes.data[0];
    int64_t count = own->high + 1;
    bool is_clamped = x->kind == EXPR_NUMBER && index_is_of_device(x->at) && own->low == 0 &&
                      count <= MOST_DEVICES && (x->at->low < low || x->at->high > high);
    if (!is_clamped) return expr_runtime(b, x, low, high);
    int64_t *numbers = ARENA_ARRAY(b->arena, int64_t, count);
    for (int64_t d = 0; d < count; d++) {
        Substitution s = substitution(b, b);
        s.device = index_constant(b->index, d);
        numbers[d] = clamped(expr_substitute_index(&s, x->at)->constant, low, high);
    }
    return expr_table(b, count, numbers, expr_own_device(b));
}

// ---- choices

static bool is_chosen_by_device(const Expr *x) {
    if (x->kind != EXPR_CHOICE || x->operand_count > 2) return false;
    for (int i = 0; i < x->guard_count; i++)
        if (!depends_on_device(x->guards[i].x)) return false;
    return x->guard_count > 0;
}

// ---- one form for all devices

static const IndexExpr *table(const ByDevice *all, const int64_t *numbers) {
    return expr_table(all->b, all->count, numbers, expr_own_device(all->b));
}

// The indices as one of the device's number; NULL = they differ in more than a number.
static const IndexExpr *joined_index(const ByDevice *all, const IndexExpr *const *list) {
    IndexBuilder *index = all->b->index;
    int64_t *numbers = ARENA_ARRAY(all->b->arena, int64_t, all->count);
    for (int64_t d = 0; d < all->count; d++) {
        const IndexExpr *difference = index_sub(index, list[d], list[0]);
        if (!index_is_constant(difference)) return NULL;
        numbers[d] = difference->constant;
    }
    return index_add(index, list[0], table(all, numbers));
}

static const Expr *joined(ByDevice *all, const Expr *const *list);

static const Expr *joined_load(const ByDevice *all, const Expr *const *list) {
    const Expr *first = list[0];
    int64_t *devices = ARENA_ARRAY(all->b->arena, int64_t, all->count);
    const IndexExpr *index[MAX_RANK];
    const IndexExpr **one =
        (const IndexExpr **)arena_alloc_array(all->b->arena, all->count, sizeof *one);
    bool is_own = true;
    for (int64_t d = 0; d < all->count; d++) {
        const IndexExpr *device = list[d]->device;
        if (list[d]->stored != first->stored || !device || !index_is_constant(device)) return NULL;
        devices[d] = device->constant;
        is_own = is_own && devices[d] == d;
    }
    for (int k = 0; k < first->rank; k++) {
        for (int64_t d = 0; d < all->count; d++)
            one[d] = list[d]->index[k];
        index[k] = joined_index(all, one);
        if (!index[k]) return NULL;
    }
    return expr_load(all->b, first->stored, is_own ? NULL : table(all, devices), index);
}

static const Expr *joined_number(const ByDevice *all, const Expr *const *list) {
    const IndexExpr **one =
        (const IndexExpr **)arena_alloc_array(all->b->arena, all->count, sizeof *one);
    for (int64_t d = 0; d < all->count; d++)
        one[d] = list[d]->at;
    const IndexExpr *at = joined_index(all, one);
    return at ? expr_number(all->b, list[0]->element, at) : NULL;
}

// An op whose operands are joined.
static const Expr *joined_op(ByDevice *all, const Expr *const *list) {
    enum { MOST = 3 };
    const Expr *first = list[0], *operands[MOST];
    if (first->operand_count > MOST) return NULL;
    const Expr **one = (const Expr **)arena_alloc_array(all->b->arena, all->count, sizeof *one);
    for (int k = 0; k < first->operand_count; k++) {
        for (int64_t d = 0; d < all->count; d++)
            one[d] = list[d]->operands[k];
        operands[k] = joined(all, one);
        if (!operands[k]) return NULL;
    }
    if (first->kind == EXPR_OP) return expr_op(all->b, first->op, operands);
    return expr_convert(all->b, operands[0], first->element);
}

// Does each device that has something read memory of its own?
static bool all_read_own(const ByDevice *all, const Expr *const *list, const int64_t *has) {
    for (int64_t d = 0; d < all->count; d++) {
        if (!has[d]) continue;
        const IndexExpr *device = list[d]->kind == EXPR_LOAD ? list[d]->device : NULL;
        if (!device || !index_is_constant(device) || device->constant != d) return false;
    }
    return true;
}

// Some devices have the same number or scalar, the others something else.
static const Expr *joined_parts(ByDevice *all, const Expr *const *list) {
    const Expr *constant = NULL, *other = NULL;
    const Expr **rest = (const Expr **)arena_alloc_array(all->b->arena, all->count, sizeof *rest);
    int64_t *has = ARENA_ARRAY(all->b->arena, int64_t, all->count);
    for (int64_t d = 0; d < all->count; d++) {
        has[d] = list[d]->kind != EXPR_CONSTANT && list[d]->kind != EXPR_REAL;
        if (has[d] && !other) other = list[d];
        if (!has[d] && constant && constant != list[d]) return NULL;
        if (!has[d]) constant = list[d];
    }
    if (!other || !constant) return NULL;
    bool is_own = all_read_own(all, list, has);
    for (int64_t d = 0; d < all->count; d++) { // what the constant's devices would read is anything
        const IndexExpr *device = index_constant(all->b->index, d);
        rest[d] = has[d]   ? list[d]
                  : is_own ? expr_load(all->b, other->stored, device, other->index)
                           : other;
    }
    const Expr *inside = joined(all, rest);
    const Guard guard = {table(all, has), 1, 2};
    return inside ? expr_choice(all->b, 1, &guard, NULL, inside, constant) : NULL;
}

static const Expr *joined(ByDevice *all, const Expr *const *list) {
    bool is_same = true, is_alike = true;
    for (int64_t d = 1; d < all->count; d++) {
        is_same = is_same && list[d] == list[0];
        is_alike = is_alike && list[d]->kind == list[0]->kind && list[d]->op == list[0]->op &&
                   list[d]->element == list[0]->element;
    }
    if (++all->nodes > MOST_NODES) return NULL;
    if (is_same) return list[0];
    if (!is_alike) return joined_parts(all, list);
    switch (list[0]->kind) {
    case EXPR_LOAD: return joined_load(all, list);
    case EXPR_NUMBER: return joined_number(all, list);
    case EXPR_OP:
    case EXPR_CONVERT: return joined_op(all, list);
    default: return NULL;
    }
}

const Expr *expr_by_device(ExprBuilder *b, const Expr *choice) {
    int64_t count = b->runtimes.data[0].high + 1;
    if (b->runtimes.data[0].low > 0 || count > MOST_DEVICES || !is_chosen_by_device(choice))
        return choice;
    ByDevice all = {.b = b, .count = count};
    const Expr **list = (const Expr **)arena_alloc_array(b->arena, count, sizeof *list);
    for (int64_t d = 0; d < count; d++) {
        Substitution s = substitution(b, b);
        s.device = index_constant(b->index, d);
        list[d] = expr_substitute(&s, choice);
    }
    const Expr *x = joined(&all, list);
    return x ? x : choice;
}

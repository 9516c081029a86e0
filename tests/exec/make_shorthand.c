// make_shorthand: ops that stand for others in random programs: scans, ragged products, sums by
// index letters, implicit broadcasts.
#include "random_program.h"

// ---- scans

static bool can_scan(const RandomValue *value) {
    return value->shape.rank > 0 && can_add(value) && value->shape.kind != ELEMENT_I1;
}

// Running sums along a dimension and their last one; the body adds the carry to each slice, and may
// return something else than it carries.
static bool make_scan(Maker *m, RandomValue *v) {
    int a = draw_value(m, can_scan);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    int dim = (int)draw_below(m, x->shape.rank);
    int64_t size = x->shape.dims[dim];
    Shape slice = {.kind = x->shape.kind};
    for (int d = 0; d < x->shape.rank; d++) {
        if (d != dim) slice.dims[slice.rank++] = x->shape.dims[d];
    }
    int b = value_like(m, slice);
    if (b < 0 || size == 0 || !can_add(value_at(m, b))) return false;
    const RandomValue *start = value_at(m, b);
    const char *all = new_name(m), *type = type_of(m, a), *of_slice = type_of(m, b);
    bool is_before = draw_percent(m, 30); // the sums of what comes before each slice
    v->shape = x->shape;
    v->before = arena_printf(
        m->arena,
        "    %s:2 = chlo.scan(%%v%d) inits(%%v%d) dimension=%d%s {\n"
        "    ^bb0(%%x: %s, %%carry: %s):\n      %%sum = stablehlo.add %%x, %%carry : %s\n"
        "      stablehlo.return %s, %%sum : %s, %s\n    } : (%s, %s) -> (%s, %s)\n",
        all, a, b, dim, draw_percent(m, 40) ? " attributes {is_reverse = true}" : "", of_slice,
        of_slice, of_slice, is_before ? "%carry" : "%sum", of_slice, of_slice, type, of_slice, type,
        of_slice);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    use(v, a);
    use(v, b);
    double terms = (double)size;
    ValueBounds either = bounds_either(&x->bounds, &start->bounds);
    v->bounds = bounds_summed(
        slice.kind, terms * x->bounds.bound + start->bounds.bound,
        terms * x->bounds.error + start->bounds.error, either.grid, size + 1);
    if (!kind_is_float(slice.kind))
        v->bounds = (ValueBounds){.bound = kind_exact(slice.kind), .grid = 1};
    add_extra(m, all, 1, slice, v->bounds);
    return true;
}

// ---- products

static bool is_matrix(const RandomValue *value) {
    return value->shape.rank == 2 && can_add(value) && kind_is_real(value->shape.kind);
}

// The rows of a matrix in groups, each times a matrix of its own; rows behind the last group are
// zero.
static bool make_ragged_dot(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_matrix);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    int64_t rows = x->shape.dims[0], terms = x->shape.dims[1], groups = draw_between(m, 1, 4);
    Shape right = {
        .kind = x->shape.kind, .rank = 3, .dims = {groups, terms, draw_between(m, 1, 9)}};
    int b = value_like(m, right);
    if (b < 0 || !can_add(value_at(m, b))) return false;
    int64_t sizes[4] = {0}, left = rows;
    for (int64_t g = 0; g < groups; g++) {
        sizes[g] = draw_between(m, 0, left);
        left -= sizes[g];
    }
    const char *of_groups = new_name(m);
    v->shape = (Shape){.kind = right.kind, .rank = 2, .dims = {rows, right.dims[2]}};
    v->before = arena_printf(
        m->arena, "    %s = stablehlo.constant dense<%s> : tensor<%dxi32>\n", of_groups,
        text_list(m->arena, (int)groups, sizes), (int)groups);
    v->right = arena_printf(
        m->arena,
        "\"chlo.ragged_dot\"(%%v%d, %%v%d, %s) {ragged_dot_dimension_numbers = "
        "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
        "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = []} : (%s, "
        "%s, tensor<%dxi32>) -> %s",
        a, b, of_groups, type_of(m, a), type_of(m, b), (int)groups,
        shape_text(m->arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bounds = bounds_of_products(right.kind, value_at(m, a), value_at(m, b), (double)terms);
    return true;
}

// Sums over a letter of two operands: "ij,jk->ki" and the like.
static bool make_einsum(Maker *m, RandomValue *v) {
    static const struct {
        const char *text;
        int right[2], result[2]; // letters i, j, k as 0, 1, 2
    } sums[] = {{"ij,jk->ik", {1, 2}, {0, 2}}, {"ij,jk->ki", {1, 2}, {2, 0}},
                {"ij,kj->ik", {2, 1}, {0, 2}}, {"ij,kj->ki", {2, 1}, {2, 0}},
                {"ij,ik->jk", {0, 2}, {1, 2}}, {"ij,ki->kj", {2, 0}, {2, 1}}};
    int a = draw_value(m, is_matrix), which = (int)draw_below(m, 6);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    int64_t size[3] = {x->shape.dims[0], x->shape.dims[1], draw_between(m, 1, 9)};
    Shape right = {.kind = x->shape.kind, .rank = 2};
    v->shape = right;
    for (int d = 0; d < 2; d++) {
        right.dims[d] = size[sums[which].right[d]];
        v->shape.dims[d] = size[sums[which].result[d]];
    }
    int b = value_like(m, right);
    if (b < 0 || !can_add(value_at(m, b))) return false;
    v->right = arena_printf(
        m->arena, "\"stablehlo.einsum\"(%%v%d, %%v%d) {einsum_config = \"%s\"} : (%s, %s) -> %s", a,
        b, sums[which].text, type_of(m, a), type_of(m, b), shape_text(m->arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bounds = bounds_of_products(
        right.kind, value_at(m, a), value_at(m, b), (double)size[which < 4 ? 1 : 0]);
    return true;
}

// ---- broadcasts

// The larger of an array and a row, a scalar or an array.
static bool make_broadcast_maximum(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_number);
    if (a < 0 || kind_is_complex(value_at(m, a)->shape.kind)) return false;
    v->shape = value_at(m, a)->shape;
    Shape other = {.kind = v->shape.kind};
    int rank = (int)draw_between(m, 0, v->shape.rank); // of the last dimensions
    int64_t dims[MAX_VALUE_RANK];
    for (int d = v->shape.rank - rank; d < v->shape.rank; d++) {
        dims[other.rank] = d;
        other.dims[other.rank++] = draw_percent(m, 30) ? 1 : v->shape.dims[d];
    }
    int b = value_like(m, other);
    if (b < 0) return false;
    v->right = arena_printf(
        m->arena,
        "\"chlo.broadcast_maximum\"(%%v%d, %%v%d) {broadcast_dimensions = %s} : (%s, %s) -> %s", a,
        b, array_text(m->arena, rank, dims), type_of(m, a), type_of(m, b),
        shape_text(m->arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bounds = bounds_either(&value_at(m, a)->bounds, &value_at(m, b)->bounds);
    if (kind_is_float(v->shape.kind)) v->bounds.loose_zero = true;
    if (is_anything(value_at(m, a)) || is_anything(value_at(m, b))) v->bounds.loose_nan = true;
    return true;
}

const OpMaker shorthand_makers[] = {
    {"scan", 3, make_scan},
    {"ragged_dot", 1, make_ragged_dot},
    {"einsum", 1, make_einsum},
    {"broadcast_maximum", 1, make_broadcast_maximum},
};
const int shorthand_maker_count = sizeof shorthand_makers / sizeof shorthand_makers[0];

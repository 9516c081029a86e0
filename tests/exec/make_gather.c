// make_gather: gathers, scatters and sorts of random programs.
#include "random_program.h"

#include <math.h>
#include <string.h>

static bool is_sortable(const RandomValue *value) {
    return value->shape.rank > 0 && value->bounds.error == 0 &&
           !kind_is_complex(value->shape.kind) && value->shape.kind != ELEMENT_I1;
}

// The results of an op that has one per operand, of the operands' shapes: `text` lacks their types.
static void set_results(
    Maker *m, RandomValue *v, const char *text, int count, const int *operands,
    const ValueBounds *bounds) {
    StrBuf types = strbuf(m->arena);
    for (int i = 0; i < count; i++)
        strbuf_printf(&types, "%s%s", i ? ", " : "", type_of(m, operands[i]));
    v->shape = value_at(m, operands[0])->shape;
    v->bounds = bounds[0];
    if (count == 1) {
        v->right = arena_printf(m->arena, "%s%s", text, strbuf_cstring(&types));
        return;
    }
    const char *all = new_name(m), *type = type_of(m, operands[0]);
    v->before = arena_printf(
        m->arena, "%s    %s:%d = %s(%s)\n", v->before, all, count, text, strbuf_cstring(&types));
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    for (int i = 1; i < count; i++)
        add_extra(m, all, i, value_at(m, operands[i])->shape, bounds[i]);
}

// ---- gather, scatter: which slices of an operand the indices choose

typedef struct SlicePlan {
    int collapsed_count, batching_count, map_count, offset_count;
    int64_t collapsed[MAX_VALUE_RANK], batching[MAX_VALUE_RANK], index_batching[MAX_VALUE_RANK];
    int64_t map[MAX_VALUE_RANK],
        offsets[MAX_VALUE_RANK]; // operand dimensions; places in the slices' array
    int64_t sizes[MAX_VALUE_RANK];
    int index_dim; // of the indices; their rank: one coordinate, without a dimension
    Shape indices, slices;
    int64_t choices; // how many slices
} SlicePlan;

typedef enum Role { COLLAPSED, INDEXED, WHOLE, BATCHED } Role;

static bool draw_roles(
    Maker *m, const Shape *from, SlicePlan *plan, int *batch, int64_t *batch_dims) {
    int64_t order[MAX_VALUE_RANK];
    for (int d = 0; d < from->rank; d++) {
        Role role = draw_percent(m, 40) ? COLLAPSED : draw_percent(m, 65) ? WHOLE : INDEXED;
        if (draw_percent(m, 12)) role = BATCHED;
        if (role == COLLAPSED && from->dims[d] == 0) return false;
        plan->sizes[d] = role == WHOLE ? from->dims[d] : 1;
        if (role == INDEXED) plan->sizes[d] = draw_between(m, from->dims[d] > 0, from->dims[d]);
        if (role == COLLAPSED) plan->collapsed[plan->collapsed_count++] = d;
        if (role == COLLAPSED || role == INDEXED) plan->map[plan->map_count++] = d;
        if (role == BATCHED) {
            if (*batch == 2 || from->dims[d] == 0) return false;
            plan->batching[plan->batching_count] = d;
            plan->index_batching[plan->batching_count++] = *batch;
            batch_dims[(*batch)++] = from->dims[d];
        }
    }
    if (plan->map_count == 0) return false;
    int64_t drawn[MAX_VALUE_RANK];
    memcpy(drawn, plan->map, sizeof drawn);
    shuffle(m, plan->map_count, order);
    for (int i = 0; i < plan->map_count; i++) {
        plan->map[i] = drawn[order[i]];
    }
    return true;
}

static bool plan_slices(Maker *m, const Shape *from, SlicePlan *plan) {
    *plan = (SlicePlan){.choices = 1};
    int batch = 0;
    int64_t batch_dims[MAX_VALUE_RANK] = {0};
    if (!draw_roles(m, from, plan, &batch, batch_dims)) return false;
    int own = (int)draw_below(m, 3);
    for (int i = 0; i < own && batch < 3; i++) {
        batch_dims[batch++] = draw_between(m, 1, 8);
    }
    // the dimension of the coordinates stands anywhere among the others
    plan->indices.kind = draw_percent(m, 70)   ? ELEMENT_I32
                         : draw_percent(m, 50) ? ELEMENT_I64
                                               : ELEMENT_UI8;
    plan->index_dim =
        plan->map_count == 1 && draw_percent(m, 50) ? batch : (int)draw_below(m, batch + 1);
    bool is_implicit = plan->map_count == 1 && plan->index_dim == batch && draw_percent(m, 60);
    for (int d = 0; d < batch + !is_implicit; d++) {
        if (!is_implicit && d == plan->index_dim) {
            plan->indices.dims[plan->indices.rank++] = plan->map_count;
        } else {
            plan->indices.dims[plan->indices.rank++] =
                batch_dims[d - (!is_implicit && d > plan->index_dim)];
        }
    }
    for (int i = 0; i < plan->batching_count; i++) {
        if (!is_implicit && plan->index_batching[i] >= plan->index_dim) plan->index_batching[i]++;
    }
    // slices: the dimensions of the batch and of the slice, mixed
    int window = from->rank - plan->collapsed_count - plan->batching_count;
    if (batch + window > MAX_VALUE_RANK) return false;
    int next_window = 0, next_batch = 0, d = 0;
    plan->slices.kind = from->kind;
    while (next_batch + next_window < batch + window) {
        bool is_batch = next_window == window || (next_batch < batch && draw_percent(m, 50));
        if (is_batch) {
            plan->choices *= batch_dims[next_batch];
            plan->slices.dims[plan->slices.rank++] = batch_dims[next_batch++];
            continue;
        }
        for (bool is_taken = true; is_taken; d += is_taken) {
            is_taken = false;
            for (int i = 0; i < plan->collapsed_count; i++) {
                is_taken = is_taken || plan->collapsed[i] == d;
            }
            for (int i = 0; i < plan->batching_count; i++) {
                is_taken = is_taken || plan->batching[i] == d;
            }
        }
        plan->offsets[plan->offset_count++] = plan->slices.rank;
        plan->slices.dims[plan->slices.rank++] = plan->sizes[d++];
        next_window++;
    }
    return true;
}

// The numbers of dimensions, as gather and scatter call them.
static const char *slices_text(Maker *m, const SlicePlan *plan, bool is_scatter) {
    const char *const of_gather[] = {
        "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
        "start_indices_batching_dims", "start_index_map"};
    const char *const of_scatter[] = {
        "update_window_dims", "inserted_window_dims", "input_batching_dims",
        "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
    const int counts[] = {
        plan->offset_count, plan->collapsed_count, plan->batching_count, plan->batching_count,
        plan->map_count};
    const int64_t *const lists[] = {
        plan->offsets, plan->collapsed, plan->batching, plan->index_batching, plan->map};
    StrBuf out = strbuf(m->arena);
    strbuf_puts(&out, is_scatter ? "#stablehlo.scatter<" : "#stablehlo.gather<");
    for (int i = 0; i < 5; i++) {
        if (counts[i] == 0) continue;
        strbuf_printf(
            &out, "%s = %s, ", is_scatter ? of_scatter[i] : of_gather[i],
            text_list(m->arena, counts[i], lists[i]));
    }
    strbuf_printf(&out, "index_vector_dim = %d>", plan->index_dim);
    return strbuf_cstring(&out);
}

static bool make_gather(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    SlicePlan plan;
    Shape from = value_at(m, a)->shape;
    if (!plan_slices(m, &from, &plan)) return false;
    int b = value_like(m, plan.indices);
    if (b < 0) return false;
    v->shape = plan.slices;
    const char *numbers = slices_text(m, &plan, false), *to = shape_text(m->arena, &v->shape);
    if (draw_percent(m, 10)) { // the sizes are an operand, and constant
        const char *sizes = new_name(m);
        v->before = arena_printf(
            m->arena, "    %s = stablehlo.constant dense<%s> : tensor<%dxi64>\n", sizes,
            text_list(m->arena, from.rank, plan.sizes), from.rank);
        v->right = arena_printf(
            m->arena,
            "\"stablehlo.dynamic_gather\"(%%v%d, %%v%d, %s) <{dimension_numbers = %s, "
            "indices_are_sorted = false}> : (%s, %s, tensor<%dxi64>) -> %s",
            a, b, sizes, numbers, type_of(m, a), type_of(m, b), from.rank, to);
    } else {
        v->right = arena_printf(
            m->arena,
            "\"stablehlo.gather\"(%%v%d, %%v%d) <{dimension_numbers = %s, indices_are_sorted = "
            "false, slice_sizes = %s}> : (%s, %s) -> %s",
            a, b, numbers, array_text(m->arena, from.rank, plan.sizes), type_of(m, a),
            type_of(m, b), to);
    }
    use(v, a);
    use(v, b);
    v->bounds = value_at(m, a)->bounds;
    return true;
}

// Start indices that are all different: 0, 1, 2 ...; NULL where they cannot be.
static const char *distinct_indices(Maker *m, RandomValue *v, const SlicePlan *plan) {
    if (plan->map_count != 1 || plan->choices < 2) return NULL;
    if (plan->sizes[plan->map[0]] != 1 || (double)plan->choices > kind_most(plan->indices.kind))
        return NULL;
    Shape line = {.kind = plan->indices.kind, .rank = 1, .dims = {plan->choices}};
    const char *numbers = new_name(m), *indices = new_name(m),
               *of_line = shape_text(m->arena, &line);
    v->before = arena_printf(
        m->arena,
        "%s    %s = stablehlo.iota dim = 0 : %s\n    %s = stablehlo.reshape %s : (%s) -> %s\n",
        v->before, numbers, of_line, indices, numbers, of_line,
        shape_text(m->arena, &plan->indices));
    return indices;
}

enum { MAX_SCATTERED = 3 };

typedef struct Scatter {
    int count, operands[MAX_SCATTERED], updates[MAX_SCATTERED];
    // how an element and an update become one; NULL: by the update alone
    const char *how[MAX_SCATTERED];
    ValueBounds bounds[MAX_SCATTERED];
} Scatter;

// Operand i: sums, the larger or the smaller of two; where no two updates meet, replaced
// elements and products as well.
static bool draw_combiner(Maker *m, Scatter *scatter, int i, bool is_unique, int64_t choices) {
    const RandomValue *x = value_at(m, scatter->operands[i]), *y = value_at(m, scatter->updates[i]);
    ElementType kind = x->shape.kind;
    bool is_sum = can_add(x) && can_add(y) && draw_percent(m, is_unique ? 20 : 70);
    ValueBounds bounds = bounds_either(&x->bounds, &y->bounds);
    scatter->how[i] = is_sum ? "add" : draw_percent(m, 50) ? "maximum" : "minimum";
    if (is_unique && !is_sum && draw_percent(m, 60)) {
        scatter->how[i] = NULL;
    } else if (is_sum) {
        double terms = (double)choices + 1;
        bounds = bounds_summed(
            kind, x->bounds.bound + terms * y->bounds.bound,
            x->bounds.error + terms * y->bounds.error, bounds.grid, choices + 1);
        if (!kind_is_float(kind)) bounds.bound = kind_exact(kind);
    } else if (kind_is_float(kind)) {
        if (kind_is_complex(kind)) return false;
        bounds.loose_zero = true;
        if (isinf(bounds.bound)) bounds.loose_nan = true;
    }
    scatter->bounds[i] = bounds;
    return true;
}

// "({ ^bb0(%l0.., %r0..): ... })": each operand by its own combiner.
static const char *scatter_body(Maker *m, const Scatter *scatter) {
    StrBuf left = strbuf(m->arena), right = strbuf(m->arena), lines = strbuf(m->arena),
           names = strbuf(m->arena), types = strbuf(m->arena);
    for (int i = 0; i < scatter->count; i++) {
        const char *k = kind_text(value_at(m, scatter->operands[i])->shape.kind),
                   *comma = i ? ", " : "", *how = scatter->how[i];
        strbuf_printf(&left, "%s%%l%d: tensor<%s>", comma, i, k);
        strbuf_printf(&right, ", %%r%d: tensor<%s>", i, k);
        if (how)
            strbuf_printf(
                &lines, "      %%s%d = stablehlo.%s %%l%d, %%r%d : tensor<%s>\n", i, how, i, i, k);
        strbuf_printf(&names, "%s%%%c%d", comma, how ? 's' : 'r', i);
        strbuf_printf(&types, "%stensor<%s>", comma, k);
    }
    return arena_printf(
        m->arena, "({\n    ^bb0(%s%s):\n%s      stablehlo.return %s : %s\n    })",
        strbuf_cstring(&left), strbuf_cstring(&right), strbuf_cstring(&lines),
        strbuf_cstring(&names), strbuf_cstring(&types));
}

// One to three operands by the same indices; what lies outside is left out.
static bool make_scatter(Maker *m, RandomValue *v) {
    Scatter scatter = {.count = draw_percent(m, 65) ? 1 : (int)draw_between(m, 2, MAX_SCATTERED)};
    scatter.operands[0] = draw_value(m, has_rank);
    if (scatter.operands[0] < 0) return false;
    v->shape = value_at(m, scatter.operands[0])->shape;
    SlicePlan plan;
    if (!plan_slices(m, &v->shape, &plan)) return false;
    const char *indices = draw_percent(m, 40) ? distinct_indices(m, v, &plan) : NULL;
    bool is_unique = plan.choices == 1 || indices;
    if (!indices) {
        int b = value_like(m, plan.indices);
        if (b < 0) return false;
        use(v, b);
        indices = arena_printf(m->arena, "%%v%d", b);
    }
    StrBuf names = strbuf(m->arena), more = strbuf(m->arena), types = strbuf(m->arena),
           of_updates = strbuf(m->arena);
    for (int i = 0; i < scatter.count; i++) {
        Shape whole = v->shape, slices = plan.slices;
        if (i > 0) whole.kind = slices.kind = draw_kind(m);
        if (i > 0) scatter.operands[i] = value_like(m, whole);
        int a = scatter.operands[i], b = scatter.updates[i] = value_like(m, slices);
        if (a < 0 || b < 0) return false;
        if (!draw_combiner(m, &scatter, i, is_unique, plan.choices)) return false;
        use(v, a);
        use(v, b);
        strbuf_printf(&names, "%s%%v%d", i ? ", " : "", a);
        strbuf_printf(&more, ", %%v%d", b);
        strbuf_printf(&types, "%s%s", i ? ", " : "", type_of(m, a));
        strbuf_printf(&of_updates, ", %s", type_of(m, b));
    }
    const char *text = arena_printf(
        m->arena,
        "\"stablehlo.scatter\"(%s, %s%s) <{indices_are_sorted = false, "
        "scatter_dimension_numbers = %s, unique_indices = %s}> %s : (%s, %s%s) -> ",
        strbuf_cstring(&names), indices, strbuf_cstring(&more), slices_text(m, &plan, true),
        is_unique ? "true" : "false", scatter_body(m, &scatter), strbuf_cstring(&types),
        shape_text(m->arena, &plan.indices), strbuf_cstring(&of_updates));
    set_results(m, v, text, scatter.count, scatter.operands, scatter.bounds);
    return true;
}

// The gradient of a pooling: every window's largest or smallest element gets the window's
// number, which meets others there.
static bool make_select_and_scatter(Maker *m, RandomValue *v) {
    static const char *const directions[] = {"GE", "LE", "GT", "LT"};
    const char *how = draw_percent(m, 75) ? "add" : "maximum";
    int a = draw_value(m, is_sortable);
    if (a < 0 || !can_add(value_at(m, a))) return false;
    const RandomValue *x = value_at(m, a);
    ElementType kind = x->shape.kind;
    Shape windows = x->shape;
    int64_t sizes[MAX_VALUE_RANK], strides[MAX_VALUE_RANK], terms = 1;
    StrBuf padding = strbuf(m->arena);
    for (int d = 0; d < x->shape.rank; d++) {
        sizes[d] = draw_percent(m, 40) ? 1 : draw_between(m, 1, 3);
        strides[d] = draw_percent(m, 50) ? sizes[d] : draw_between(m, 1, 3);
        int64_t low = draw_percent(m, 70) ? 0 : draw_between(m, 0, sizes[d] - 1);
        int64_t high = draw_percent(m, 70) ? 0 : draw_between(m, 0, sizes[d] - 1);
        int64_t padded = x->shape.dims[d] + low + high;
        if (x->shape.dims[d] == 0 || padded < sizes[d]) return false;
        windows.dims[d] = (padded - sizes[d]) / strides[d] + 1;
        terms *= sizes[d];
        strbuf_printf(&padding, "%s[%lld, %lld]", d ? ", " : "", (long long)low, (long long)high);
    }
    int b = value_like(m, windows);
    if (b < 0 || !can_add(value_at(m, b))) return false;
    const char *k = kind_text(kind),
               *zero = constant_before(m, v, kind, scalar_text(m->arena, kind, 0));
    v->shape = x->shape;
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.select_and_scatter\"(%%v%d, %%v%d, %s) <{padding = dense<[%s]> : "
        "tensor<%dx2xi64>, "
        "window_dimensions = %s, window_strides = %s}> ({\n    ^bb0(%%p: tensor<%s>, %%q: "
        "tensor<%s>):\n"
        "      %%t = stablehlo.compare %s, %%p, %%q, %s : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
        "      stablehlo.return %%t : tensor<i1>\n    }, %s : (%s, %s, tensor<%s>) -> %s",
        a, b, zero, strbuf_cstring(&padding), v->shape.rank,
        array_text(m->arena, v->shape.rank, sizes), array_text(m->arena, v->shape.rank, strides), k,
        k, directions[draw_below(m, 4)], compare_type(kind), k, k, body_text(m, how, kind) + 1,
        type_of(m, a), type_of(m, b), k, type_of(m, a));
    use(v, a);
    use(v, b);
    const ValueBounds *bounds = &value_at(m, b)->bounds;
    if (how[0] == 'a') {
        v->bounds = bounds_summed(
            kind, (double)terms * bounds->bound, (double)terms * bounds->error, bounds->grid,
            terms);
    } else {
        v->bounds = *bounds;
        v->bounds.loose_zero = true;
    }
    if (!kind_is_float(kind)) v->bounds.bound = kind_exact(kind);
    return true;
}

// ---- sort

// Stably by the first of the operands, or by that and then by a second one.
// Arguments are %p0, %q0, %p1 ...
static const char *comparator_text(Maker *m, ElementType first, ElementType second, bool is_total) {
    const char *k = kind_text(first), *p = kind_text(second),
               *how = is_total ? "TOTALORDER" : compare_type(first);
    const char *direction = draw_percent(m, 60) ? "LT" : "GT";
    if (!kind_is_signed(second) || is_total || draw_percent(m, 50))
        return arena_printf(
            m->arena,
            "      %%t = stablehlo.compare %s, %%p0, %%q0, %s : (tensor<%s>, tensor<%s>) -> "
            "tensor<i1>\n"
            "      stablehlo.return %%t : tensor<i1>\n",
            direction, how, k, k);
    return arena_printf(
        m->arena,
        "      %%lt = stablehlo.compare %s, %%p0, %%q0, %s : (tensor<%s>, tensor<%s>) -> "
        "tensor<i1>\n"
        "      %%eq = stablehlo.compare EQ, %%p0, %%q0, %s : (tensor<%s>, tensor<%s>) -> "
        "tensor<i1>\n"
        "      %%second = stablehlo.compare GT, %%p1, %%q1, SIGNED : (tensor<%s>, tensor<%s>) -> "
        "tensor<i1>\n"
        "      %%tie = stablehlo.and %%eq, %%second : tensor<i1>\n"
        "      %%t = stablehlo.or %%lt, %%tie : tensor<i1>\n      stablehlo.return %%t : "
        "tensor<i1>\n",
        direction, how, k, k, how, k, k, p, p);
}

// One to four operands, sorted by the first.
static bool make_sort(Maker *m, RandomValue *v) {
    enum { MAX_SORTED = 4 };
    int operands[MAX_SORTED] = {draw_value(m, is_sortable)};
    if (operands[0] < 0) return false;
    const RandomValue *x = value_at(m, operands[0]);
    if (is_anything(x) && (x->bounds.loose_zero || x->bounds.loose_nan)) return false;
    int dim = (int)draw_below(m, x->shape.rank);
    int count = draw_percent(m, 50)   ? 1
                : draw_percent(m, 60) ? 2
                                      : (int)draw_between(m, 3, MAX_SORTED);
    Shape payload = x->shape;
    StrBuf names = strbuf(m->arena), types = strbuf(m->arena), arguments = strbuf(m->arena);
    ValueBounds bounds[MAX_SORTED];
    for (int i = 0; i < count; i++) {
        payload.kind = draw_kind(m);
        if (i > 0) operands[i] = value_like(m, payload);
        if (operands[i] < 0) return false;
        const char *comma = i ? ", " : "", *k = kind_text(value_at(m, operands[i])->shape.kind);
        strbuf_printf(&names, "%s%%v%d", comma, operands[i]);
        strbuf_printf(&types, "%s%s", comma, type_of(m, operands[i]));
        strbuf_printf(&arguments, "%s%%p%d: tensor<%s>, %%q%d: tensor<%s>", comma, i, k, i, k);
        bounds[i] = value_at(m, operands[i])->bounds;
        use(v, operands[i]);
    }
    bool is_stable = count > 1 || draw_percent(m, 50);
    const char *text = arena_printf(
        m->arena,
        "\"stablehlo.sort\"(%s) <{dimension = %d : i64, is_stable = %s}> ({\n    ^bb0(%s):\n%s    "
        "}) "
        ": (%s) -> ",
        strbuf_cstring(&names), dim, is_stable ? "true" : "false", strbuf_cstring(&arguments),
        comparator_text(
            m, value_at(m, operands[0])->shape.kind,
            count > 1 ? value_at(m, operands[1])->shape.kind : ELEMENT_I1,
            is_anything(value_at(m, operands[0]))),
        strbuf_cstring(&types));
    set_results(m, v, text, count, operands, bounds);
    return true;
}

// Part of an array that is long enough to be sorted in tiles, which lies as the
// sorted one does. Returns its name.
static const char *long_tiles(Maker *m, RandomValue *v, int a) {
    const char *name = new_name(m), *whole = new_name(m), *type = shape_text(m->arena, &v->shape);
    int64_t starts[MAX_VALUE_RANK] = {0}, ones[MAX_VALUE_RANK];
    for (int d = 0; d < v->shape.rank; d++)
        ones[d] = 1;
    v->before = arena_printf(
        m->arena,
        "%s    %s = \"stablehlo.slice\"(%%v%d) <{start_indices = %s, limit_indices = %s, strides = "
        "%s}> : (%s) -> %s\n    %s = sdy.sharding_constraint %s %s : %s\n",
        v->before, whole, a, array_text(m->arena, v->shape.rank, starts),
        array_text(m->arena, v->shape.rank, v->shape.dims),
        array_text(m->arena, v->shape.rank, ones), type_of(m, a), type, name, whole, v->sharding,
        type);
    use(v, a);
    return name;
}

static bool make_long_sort(Maker *m, RandomValue *v) {
    if (!m->program->mesh || m->is_manual || m->scope_count > 1) return false;
    ElementType kind = draw_kind(m);
    if (kind_is_complex(kind) || kind == ELEMENT_I1) return false;
    Shape shape = {.kind = kind, .rank = (int)draw_between(m, 1, 2)}, counts;
    int dim = (int)draw_below(m, shape.rank);
    for (int d = 0; d < shape.rank; d++)
        shape.dims[d] = d == dim ? 192 * draw_between(m, 22, 28) : draw_between(m, 1, 3);
    counts = shape;
    counts.kind = ELEMENT_I32;
    int a = new_argument(m, shape), b = new_argument(m, counts);
    if (a < 0 || b < 0) return false;
    v->shape = shape;
    if (draw_percent(m, 60)) v->shape.dims[dim] -= draw_between(m, 1, 100);
    v->sharding = draw_sharding(m, shape.rank, true);
    v->bounds = value_at(m, a)->bounds;
    const char *all = new_name(m), *k = kind_text(kind), *type = shape_text(m->arena, &v->shape);
    const char *body = comparator_text(m, kind, ELEMENT_I1, is_anything(value_at(m, a)));
    const char *x = long_tiles(m, v, a);
    counts.dims[dim] = v->shape.dims[dim];
    const Shape sorted = v->shape;
    v->shape = counts;
    const char *y = long_tiles(m, v, b), *second = shape_text(m->arena, &counts);
    v->shape = sorted;
    v->before = arena_printf(
        m->arena,
        "%s    %s:2 = \"stablehlo.sort\"(%s, %s) <{dimension = %d : i64, is_stable = true}> ({\n"
        "    ^bb0(%%p0: tensor<%s>, %%q0: tensor<%s>, %%p1: tensor<i32>, %%q1: tensor<i32>):\n%s   "
        " }) "
        ": (%s, %s) -> (%s, %s)\n",
        v->before, all, x, y, dim, k, k, body, type, second, type, second);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    add_extra(m, all, 1, counts, value_at(m, b)->bounds);
    return true;
}

static bool make_top_k(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_sortable);
    if (a < 0 || is_anything(value_at(m, a))) return false;
    v->shape = value_at(m, a)->shape;
    v->bounds = value_at(m, a)->bounds;
    int last = v->shape.rank - 1;
    int64_t size = v->shape.dims[last];
    if (size == 0) return false;
    v->shape.dims[last] = draw_between(m, 1, size);
    Shape places = v->shape;
    places.kind = ELEMENT_I32;
    const char *all = new_name(m), *type = shape_text(m->arena, &v->shape);
    v->before = arena_printf(
        m->arena, "    %s:2 = chlo.top_k(%%v%d, k = %lld) : %s -> (%s, %s)\n", all, a,
        (long long)v->shape.dims[last], type_of(m, a), type, shape_text(m->arena, &places));
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    use(v, a);
    add_extra(m, all, 1, places, (ValueBounds){.bound = (double)size, .grid = 1});
    return true;
}

const OpMaker gather_makers[] = {
    {"gather", 5, make_gather},
    {"scatter", 5, make_scatter},
    {"select_and_scatter", 2, make_select_and_scatter},
    {"sort", 4, make_sort},
    {"long_sort", 1, make_long_sort},
    {"top_k", 1, make_top_k},
};
const int gather_maker_count = sizeof gather_makers / sizeof gather_makers[0];

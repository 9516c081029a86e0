// make_reduce: reductions, contractions and windows of random programs.
#include "random_program.h"

#include <math.h>

static bool can_reduce(const RandomValue *value) { return value->shape.rank > 0; }
static bool is_sortable(const RandomValue *value) {
    return value->shape.rank > 0 && value->bounds.error == 0 && !kind_is_complex(value->shape.kind);
}
// ---- reductions and contractions

// The op, by the element type; *is_sum says that terms add up.
static const char *draw_reducer(Maker *m, ElementType kind, bool *is_sum) {
    static const char *const of_pred[] = {"or", "and", "maximum", "minimum", "xor", "add"};
    static const char *const of_int[] = {"add", "add", "maximum", "minimum",
                                         "and", "or",  "xor",     "multiply"};
    static const char *const of_float[] = {"add", "add", "add", "maximum", "minimum"};
    const char *name = kind == ELEMENT_I1    ? of_pred[draw_below(m, 6)]
                       : kind_is_float(kind) ? of_float[draw_below(m, 5)]
                                             : of_int[draw_below(m, 8)];
    *is_sum = name[1] == 'd' || name[1] == 'u';
    return name;
}

static const char *neutral_of(Maker *m, ElementType kind, const char *name) {
    switch (name[1]) {
    case 'u': return scalar_text(m->arena, kind, 1); // multiply
    case 'n':
        return kind == ELEMENT_I1     ? "true"
               : kind_is_signed(kind) ? "-1" // and
                                      : highest_text(m->arena, kind);
    case 'a': return lowest_text(m->arena, kind);  // maximum
    case 'i': return highest_text(m->arena, kind); // minimum
    default: return scalar_text(m->arena, kind, 0);
    }
}

// ValueBounds of a reduction of `count` elements.
static ValueBounds reduced_bounds(const RandomValue *x, bool is_sum, int64_t count) {
    ElementType kind = x->shape.kind;
    if (!kind_is_float(kind)) return (ValueBounds){.bound = kind_exact(kind), .grid = 1};
    if (is_sum)
        return bounds_summed(
            kind, (double)count * x->bounds.bound, (double)count * x->bounds.error, x->bounds.grid,
            count);
    ValueBounds bounds = x->bounds;
    bounds.loose_zero = true;
    bounds.loose_nan = isinf(bounds.bound);
    if (count == 0) bounds.bound = (double)INFINITY; // the neutral element
    return bounds;
}

static bool make_reduce(Maker *m, RandomValue *v) {
    int a = draw_value(m, can_reduce);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    ElementType kind = x->shape.kind;
    bool is_sum = false;
    const char *name = draw_reducer(m, kind, &is_sum);
    if (is_sum ? !can_add(x) && kind != ELEMENT_I1 : kind_is_complex(kind)) return false;
    v->shape = (Shape){.kind = kind};
    int64_t dims[MAX_VALUE_RANK], count = 1;
    int reduced = 0, only = (int)draw_below(m, x->shape.rank);
    for (int d = 0; d < x->shape.rank; d++) {
        if (d == only || draw_percent(m, 35)) {
            dims[reduced++] = d;
            count *= x->shape.dims[d];
        } else {
            v->shape.dims[v->shape.rank++] = x->shape.dims[d];
        }
    }
    const char *init = constant_before(m, v, kind, neutral_of(m, kind, name));
    v->right = arena_printf(
        m->arena,
        "stablehlo.reduce(%%v%d init: %s) applies stablehlo.%s across dimensions = %s : (%s, "
        "tensor<%s>) -> %s",
        a, init, name, text_list(m->arena, reduced, dims), type_of(m, a), kind_text(kind),
        shape_text(m->arena, &v->shape));
    use(v, a);
    v->bounds = reduced_bounds(x, is_sum, count);
    return true;
}

// Two operands, one reduce: a sum and a largest element, or any other two ops.
static bool make_reduce_two(Maker *m, RandomValue *v) {
    int a = draw_value(m, can_reduce);
    if (a < 0) return false;
    Shape other = value_at(m, a)->shape;
    other.kind = draw_kind(m);
    int b = value_like(m, other);
    if (b < 0) return false;
    const int operands[2] = {a, b};
    int dim = (int)draw_below(m, other.rank);
    StrBuf body = strbuf(m->arena);
    const char *inits[2], *kinds[2], *names[2];
    ValueBounds bounds[2];
    Shape to = {.rank = 0};
    for (int d = 0; d < other.rank; d++) {
        if (d != dim) to.dims[to.rank++] = other.dims[d];
    }
    for (int i = 0; i < 2; i++) {
        const RandomValue *x = value_at(m, operands[i]);
        bool is_sum = false;
        names[i] = draw_reducer(m, x->shape.kind, &is_sum);
        kinds[i] = kind_text(x->shape.kind);
        bool can_sum = can_add(x) || x->shape.kind == ELEMENT_I1;
        if (is_sum ? !can_sum : kind_is_complex(x->shape.kind)) return false;
        inits[i] = constant_before(m, v, x->shape.kind, neutral_of(m, x->shape.kind, names[i]));
        bounds[i] = reduced_bounds(x, is_sum, other.dims[dim]);
        use(v, operands[i]);
    }
    strbuf_printf(
        &body,
        "     reducer(%%p: tensor<%s>, %%q: tensor<%s>) (%%r: tensor<%s>, %%s: tensor<%s>) {\n"
        "      %%x = stablehlo.%s %%p, %%q : tensor<%s>\n      %%y = stablehlo.%s %%s, %%r : "
        "tensor<%s>\n"
        "      stablehlo.return %%x, %%y : tensor<%s>, tensor<%s>\n    }\n",
        kinds[0], kinds[0], kinds[1], kinds[1], names[0], kinds[0], names[1], kinds[1], kinds[0],
        kinds[1]);
    Shape second = to;
    v->shape = to;
    v->shape.kind = value_at(m, a)->shape.kind;
    second.kind = other.kind;
    const char *both = new_name(m), *first_type = shape_text(m->arena, &v->shape),
               *second_type = shape_text(m->arena, &second);
    v->before = arena_printf(
        m->arena,
        "%s    %s:2 = stablehlo.reduce(%%v%d init: %s), (%%v%d init: %s) across dimensions = [%d] "
        ": (%s, %s, tensor<%s>, "
        "tensor<%s>) -> (%s, %s)\n%s",
        v->before, both, a, inits[0], b, inits[1], dim, type_of(m, a), type_of(m, b), kinds[0],
        kinds[1], first_type, second_type, strbuf_cstring(&body));
    v->right =
        arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", both, first_type, first_type);
    v->bounds = bounds[0];
    add_extra(m, both, 1, second, bounds[1]);
    return true;
}

// The place of the largest element: two results of one reduce.
static bool make_argmax(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_sortable);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    ElementType kind = x->shape.kind;
    int dim = (int)draw_below(m, x->shape.rank);
    if (kind == ELEMENT_I1 || x->shape.dims[dim] == 0 || is_anything(x)) return false;
    Shape places = x->shape;
    places.kind = ELEMENT_I32;
    v->shape = (Shape){.kind = ELEMENT_I32};
    for (int d = 0; d < x->shape.rank; d++) {
        if (d != dim) v->shape.dims[v->shape.rank++] = x->shape.dims[d];
    }
    Shape largest = v->shape;
    largest.kind = kind;
    const char *low = constant_before(m, v, kind, lowest_text(m->arena, kind)),
               *zero = constant_before(m, v, ELEMENT_I32, "0");
    const char *iota = new_name(m), *both = new_name(m), *k = kind_text(kind);
    const char *how = compare_type(kind);
    v->before = arena_printf(
        m->arena,
        "%s    %s = stablehlo.iota dim = %d : %s\n"
        "    %s:2 = stablehlo.reduce(%%v%d init: %s), (%s init: %s) across dimensions = [%d] : "
        "(%s, %s, tensor<%s>, tensor<i32>) -> (%s, %s)\n"
        "     reducer(%%p: tensor<%s>, %%q: tensor<%s>) (%%i: tensor<i32>, %%j: tensor<i32>) {\n"
        "      %%gt = stablehlo.compare GT, %%p, %%q, %s : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
        "      %%eq = stablehlo.compare EQ, %%p, %%q, %s : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
        "      %%lt = stablehlo.compare LT, %%i, %%j, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "      %%tie = stablehlo.and %%eq, %%lt : tensor<i1>\n"
        "      %%first = stablehlo.or %%gt, %%tie : tensor<i1>\n"
        "      %%value = stablehlo.select %%gt, %%p, %%q : tensor<i1>, tensor<%s>\n"
        "      %%place = stablehlo.select %%first, %%i, %%j : tensor<i1>, tensor<i32>\n"
        "      stablehlo.return %%value, %%place : tensor<%s>, tensor<i32>\n    }\n",
        v->before, iota, dim, shape_text(m->arena, &places), both, a, low, iota, zero, dim,
        type_of(m, a), shape_text(m->arena, &places), k, shape_text(m->arena, &largest),
        shape_text(m->arena, &v->shape), k, k, how, k, k, how, k, k, k, k);
    v->right = arena_printf(
        m->arena, "stablehlo.reshape %s#1 : (%s) -> %s", both, shape_text(m->arena, &v->shape),
        shape_text(m->arena, &v->shape));
    use(v, a);
    v->bounds = (ValueBounds){.bound = (double)x->shape.dims[dim], .grid = 1};
    return true;
}

// Which dimensions of the left operand are batch, contracted, or free.
typedef struct DotPlan {
    int batch, contracted, right_rank;
    int64_t left_batch[MAX_VALUE_RANK], right_batch[MAX_VALUE_RANK];
    int64_t left_contracted[MAX_VALUE_RANK], right_contracted[MAX_VALUE_RANK];
    Shape right, result;
    int64_t terms;
} DotPlan;

static bool plan_dot(Maker *m, const Shape *left, DotPlan *plan) {
    *plan = (DotPlan){.right = {.kind = left->kind}, .result = {.kind = left->kind}, .terms = 1};
    int role[MAX_VALUE_RANK] = {0};
    for (int d = 0; d < left->rank; d++) {
        role[d] = draw_percent(m, 25) ? 1 : draw_percent(m, 45) ? 2 : 0; // batch, contracted, free
        if (role[d] == 1) plan->result.dims[plan->result.rank++] = left->dims[d];
    }
    for (int d = 0; d < left->rank; d++) {
        if (role[d] == 0) plan->result.dims[plan->result.rank++] = left->dims[d];
    }
    // the right operand: the shared dimensions and up to two of its own, in any order
    int own = (int)draw_below(m, 3);
    int order[2 * MAX_VALUE_RANK] = {0}, count = 0;
    for (int d = 0; d < left->rank; d++) {
        if (role[d]) order[count++] = d;
    }
    for (int i = 0; i < own; i++) {
        order[count++] = -1;
    }
    for (int i = count - 1; i > 0; i--) {
        int other = (int)draw_below(m, i + 1), swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
    if (count > MAX_VALUE_RANK || plan->result.rank + own > MAX_VALUE_RANK) return false;
    int64_t place[MAX_VALUE_RANK] = {0};
    for (int i = 0; i < count; i++) {
        int64_t size = order[i] >= 0 ? left->dims[order[i]]
                       : draw_percent(m, m->is_large ? 60 : 20)
                           ? draw_between(m, 17, m->is_large ? 150 : 50)
                           : draw_between(m, 1, 9);
        plan->right.dims[plan->right.rank++] = size;
        if (order[i] >= 0) place[order[i]] = i;
        if (order[i] < 0) plan->result.dims[plan->result.rank++] = size;
    }
    for (int d = 0; d < left->rank; d++) {
        if (role[d] == 1) {
            plan->left_batch[plan->batch] = d;
            plan->right_batch[plan->batch++] = place[d];
        } else if (role[d] == 2) {
            plan->left_contracted[plan->contracted] = d;
            plan->right_contracted[plan->contracted++] = place[d];
            plan->terms *= left->dims[d];
        }
    }
    int64_t scale = m->is_large ? 12 : 1;
    return shape_count(&plan->right) <= scale * 8000 &&
           shape_count(&plan->result) * plan->terms <= scale * 400000;
}

// Small integers are exact in bf16, so that its algorithms give the same bits.
static bool is_small(const RandomValue *value) {
    return value->bounds.error == 0 && value->bounds.grid >= 1 && value->bounds.bound <= 256;
}

static const char *draw_precision(
    Maker *m, const RandomValue *x, const RandomValue *y, ElementType to) {
    static const char *const precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
    if (draw_percent(m, 75)) return "";
    if (draw_percent(m, 50) || x->shape.kind != ELEMENT_F32 || to != ELEMENT_F32)
        return arena_printf(
            m->arena, ", precision = [%s, %s]", precisions[draw_below(m, 3)],
            precisions[draw_below(m, 3)]);
    static const char *const types[] = {"f32", "bf16", "tf32"};
    int type = is_small(x) && is_small(y) ? (int)draw_below(m, 3) : 0;
    int64_t steps = type == 0 ? 1 : draw_percent(m, 50) ? 3 : 1;
    return arena_printf(
        m->arena,
        ", algorithm = <lhs_precision_type = %s, rhs_precision_type = %s, accumulation_type = f32, "
        "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = %lld, "
        "allow_imprecise_accumulation = false>",
        types[type], types[type], (long long)steps);
}

static bool make_dot(Maker *m, RandomValue *v) {
    int a = draw_value(m, can_add);
    if (a < 0) return false;
    DotPlan plan;
    if (!plan_dot(m, &value_at(m, a)->shape, &plan)) return false;
    int b = value_like(m, plan.right);
    if (b < 0) return false;
    v->shape = plan.result;
    v->shape.kind = draw_sum_kind(m, plan.right.kind);
    const char *how = draw_precision(m, value_at(m, a), value_at(m, b), v->shape.kind);
    Arena *arena = m->arena;
    StrBuf dims = strbuf(arena);
    if (plan.batch) {
        strbuf_printf(
            &dims, ", batching_dims = %s x %s", text_list(arena, plan.batch, plan.left_batch),
            text_list(arena, plan.batch, plan.right_batch));
    }
    strbuf_printf(
        &dims, ", contracting_dims = %s x %s",
        text_list(arena, plan.contracted, plan.left_contracted),
        text_list(arena, plan.contracted, plan.right_contracted));
    v->right = arena_printf(
        arena, "stablehlo.dot_general %%v%d, %%v%d%s%s : (%s, %s) -> %s", a, b,
        strbuf_cstring(&dims), how, type_of(m, a), type_of(m, b), shape_text(arena, &v->shape));
    use(v, a);
    use(v, b);
    if (!can_add(value_at(m, b))) return false;
    v->bounds =
        bounds_of_products(v->shape.kind, value_at(m, a), value_at(m, b), (double)plan.terms);
    return true;
}

// ---- windows

typedef struct WindowPlan {
    int64_t size[MAX_VALUE_RANK], stride[MAX_VALUE_RANK], dilate[MAX_VALUE_RANK],
        base[MAX_VALUE_RANK];
    StrBuf padding; // "[0, 1], [2, 0]"
    int64_t terms;
} WindowPlan;

static bool plan_window(Maker *m, const Shape *from, bool has_padding, WindowPlan *w, Shape *to) {
    *w = (WindowPlan){.padding = strbuf(m->arena), .terms = 1};
    // a cumulative sum
    int scan = has_padding && draw_percent(m, 30) ? (int)draw_below(m, from->rank) : -1;
    *to = *from;
    for (int d = 0; d < from->rank; d++) {
        int64_t size = from->dims[d], low = 0, high = 0;
        w->size[d] = draw_percent(m, 40) ? 1 : draw_between(m, 1, 3);
        w->stride[d] = draw_percent(m, 65) ? 1 : draw_between(m, 1, 3);
        w->dilate[d] = draw_percent(m, 85) ? 1 : 2;
        w->base[d] = has_padding && draw_percent(m, 10) ? 2 : 1;
        if (has_padding) {
            low = draw_between(m, 0, 2);
            high = draw_between(m, 0, 2);
        }
        if (scan >= 0) {
            w->size[d] = d == scan && size > 0 ? size : 1;
            w->stride[d] = w->dilate[d] = w->base[d] = 1;
            low = d == scan && size > 0 ? size - 1 : 0;
            high = 0;
        }
        int64_t padded = (size > 0 ? (size - 1) * w->base[d] + 1 : 0) + low + high;
        int64_t reach = (w->size[d] - 1) * w->dilate[d] + 1;
        if (padded < reach) return false;
        to->dims[d] = (padded - reach) / w->stride[d] + 1;
        w->terms *= w->size[d];
        strbuf_printf(
            &w->padding, "%s[%lld, %lld]", d ? ", " : "", (long long)low, (long long)high);
    }
    return shape_count(to) * w->terms <= 200000;
}

static bool make_window(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    bool is_sum = false;
    const char *name = draw_reducer(m, x->shape.kind, &is_sum);
    if (is_sum ? !can_add(x) && x->shape.kind != ELEMENT_I1 : kind_is_complex(x->shape.kind))
        return false;
    bool has_padding = is_sum || draw_percent(m, 40);
    WindowPlan w;
    if (!plan_window(m, &x->shape, has_padding, &w, &v->shape)) return false;
    ElementType kind = x->shape.kind;
    int rank = x->shape.rank;
    const char *init = constant_before(m, v, kind, neutral_of(m, kind, name));
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.reduce_window\"(%%v%d, %s) <{base_dilations = %s, padding = dense<[%s]> : "
        "tensor<%dx2xi64>, "
        "window_dilations = %s, window_dimensions = %s, window_strides = %s}> %s : (%s, "
        "tensor<%s>) -> %s",
        a, init, array_text(m->arena, rank, w.base), strbuf_cstring(&w.padding), rank,
        array_text(m->arena, rank, w.dilate), array_text(m->arena, rank, w.size),
        array_text(m->arena, rank, w.stride), body_text(m, name, kind), type_of(m, a),
        kind_text(kind), shape_text(m->arena, &v->shape));
    use(v, a);
    v->bounds = reduced_bounds(x, is_sum, w.terms);
    if (kind_is_float(kind) && !is_sum && has_padding)
        v->bounds.bound = (double)INFINITY; // a window may lie in the padding
    return true;
}

// Two operands under one window: each by its own op.
static bool make_window_two(Maker *m, RandomValue *v) {
    int operands[2] = {draw_value(m, has_rank), -1};
    if (operands[0] < 0) return false;
    Shape other = value_at(m, operands[0])->shape, results[2];
    other.kind = draw_kind(m);
    operands[1] = value_like(m, other);
    WindowPlan w;
    if (operands[1] < 0 || !plan_window(m, &other, true, &w, &results[1])) return false;
    results[0] = results[1];
    results[0].kind = value_at(m, operands[0])->shape.kind;
    const char *names[2], *inits[2], *kinds[2], *all = new_name(m);
    ValueBounds bounds[2];
    int rank = other.rank;
    for (int i = 0; i < 2; i++) {
        const RandomValue *x = value_at(m, operands[i]);
        ElementType kind = x->shape.kind;
        bool is_sum = false;
        names[i] = draw_reducer(m, kind, &is_sum);
        kinds[i] = kind_text(kind);
        if (is_sum ? !can_add(x) && kind != ELEMENT_I1 : kind_is_complex(kind)) return false;
        inits[i] = constant_before(m, v, kind, neutral_of(m, kind, names[i]));
        bounds[i] = reduced_bounds(x, is_sum, w.terms);
        if (kind_is_float(kind) && !is_sum) bounds[i].bound = (double)INFINITY;
        use(v, operands[i]);
    }
    const char *first = shape_text(m->arena, &results[0]);
    v->before = arena_printf(
        m->arena,
        "%s    %s:2 = \"stablehlo.reduce_window\"(%%v%d, %%v%d, %s, %s) <{base_dilations = %s, "
        "padding = dense<[%s]> : tensor<%dx2xi64>, window_dilations = %s, window_dimensions = %s, "
        "window_strides = %s}> ({\n    ^bb0(%%p0: tensor<%s>, %%p1: tensor<%s>, %%q0: tensor<%s>, "
        "%%q1: tensor<%s>):\n      %%s0 = stablehlo.%s %%p0, %%q0 : tensor<%s>\n"
        "      %%s1 = stablehlo.%s %%p1, %%q1 : tensor<%s>\n"
        "      stablehlo.return %%s0, %%s1 : tensor<%s>, tensor<%s>\n    }) : (%s, %s, tensor<%s>, "
        "tensor<%s>) -> (%s, %s)\n",
        v->before, all, operands[0], operands[1], inits[0], inits[1],
        array_text(m->arena, rank, w.base), strbuf_cstring(&w.padding), rank,
        array_text(m->arena, rank, w.dilate), array_text(m->arena, rank, w.size),
        array_text(m->arena, rank, w.stride), kinds[0], kinds[1], kinds[0], kinds[1], names[0],
        kinds[0], names[1], kinds[1], kinds[0], kinds[1], type_of(m, operands[0]),
        type_of(m, operands[1]), kinds[0], kinds[1], first, shape_text(m->arena, &results[1]));
    v->shape = results[0];
    v->bounds = bounds[0];
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, first, first);
    add_extra(m, all, 1, results[1], bounds[1]);
    return true;
}

const OpMaker reduce_makers[] = {
    {"reduce", 12, make_reduce}, {"reduce_two", 3, make_reduce_two},
    {"argmax", 2, make_argmax},  {"dot", 14, make_dot},
    {"window", 6, make_window},  {"window_two", 2, make_window_two},
};
const int reduce_maker_count = sizeof reduce_makers / sizeof reduce_makers[0];

// make_complex: reductions, contractions, windows, gathers, sorts and control flow for random programs.
#include "random_program.h"

#include <math.h>

static const char *type_of(const Maker *m, int value) {
    return shape_text(m->arena, &value_at(m, value)->shape);
}
static bool has_rank(const RandomValue *value) { return value->shape.rank > 0; }
static bool is_number(const RandomValue *value) { return value->shape.kind != I1; }
static bool is_sortable(const RandomValue *value) {
    return value->shape.rank > 0 && value->error == 0;
}
static bool has_images(const RandomValue *value) {
    return value->shape.rank >= 3 && value->shape.rank <= 4 && value->shape.kind != I1;
}

static const char *lowest_text(Kind kind) {
    static const char *const texts[KIND_COUNT] = {"0xFF800000",  "0xFFF0000000000000",
                                                  "0xFF80",      "0xFC00",
                                                  "-2147483648", "-9223372036854775808",
                                                  "-128",        "0",
                                                  "0",           "false"};
    return texts[kind];
}

static const char *highest_text(Kind kind) {
    static const char *const texts[KIND_COUNT] = {"0x7F800000", "0x7FF0000000000000",
                                                  "0x7F80",     "0x7C00",
                                                  "2147483647", "9223372036854775807",
                                                  "127",        "255",
                                                  "4294967295", "true"};
    return texts[kind];
}

// Sums of `count` terms.
static double summed(const Shape *shape, double bound, double error, int64_t count) {
    if (!kind_is_float(shape->kind)) return 0;
    if (error == 0 && bound <= kind_exact(shape->kind)) return 0;
    return error + kind_epsilon(shape->kind) * bound * (double)(count < 16 ? count + 1 : 16);
}

// A scalar constant before the op; returns its name.
static const char *constant_before(Maker *m, RandomValue *v, Kind kind, const char *text) {
    const char *name = new_name(m);
    v->before = arena_printf(
        m->arena, "%s    %s = stablehlo.constant dense<%s> : tensor<%s>\n", v->before, name, text,
        kind_text(kind));
    return name;
}

static const char *body_text(Maker *m, const char *op, Kind kind) {
    const char *k = kind_text(kind);
    return arena_printf(
        m->arena,
        "({\n    ^bb0(%%l: tensor<%s>, %%r: tensor<%s>):\n      %%s = stablehlo.%s %%l, %%r : "
        "tensor<%s>\n"
        "      stablehlo.return %%s : tensor<%s>\n    })",
        k, k, op, k, k);
}

// ---- reductions and contractions

static bool make_reduce(Maker *m, RandomValue *v) {
    static const char *const names[] = {"add", "maximum", "minimum"};
    int a = draw_value(m, has_rank), op = (int)draw_below(m, 3);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    Kind kind = x->shape.kind;
    const char *name = names[op];
    if (kind == I1) name = op == 0 ? "or" : op == 1 ? "maximum" : "and";
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
    if (op > 0 && count == 0) return false;
    const char *neutral = op == 0   ? scalar_text(m->arena, kind, 0)
                          : op == 1 ? lowest_text(kind)
                                    : highest_text(kind);
    const char *init = constant_before(m, v, kind, neutral);
    v->right = arena_printf(
        m->arena,
        "stablehlo.reduce(%%v%d init: %s) applies stablehlo.%s across dimensions = %s : (%s, "
        "tensor<%s>) -> %s",
        a, init, name, text_list(m->arena, reduced, dims), type_of(m, a), kind_text(kind),
        shape_text(m->arena, &v->shape));
    use(v, a);
    v->bound = op == 0 && kind != I1 ? (double)count * x->bound : x->bound;
    v->error = op == 0 ? summed(&v->shape, v->bound, (double)count * x->error, count) : x->error;
    return true;
}

// The place of the largest element: two results of one reduce.
static bool make_argmax(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_sortable);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    Kind kind = x->shape.kind;
    int dim = (int)draw_below(m, x->shape.rank);
    if (kind == I1 || x->shape.dims[dim] == 0) return false;
    Shape places = x->shape;
    places.kind = I32;
    v->shape = (Shape){.kind = I32};
    for (int d = 0; d < x->shape.rank; d++) {
        if (d != dim) v->shape.dims[v->shape.rank++] = x->shape.dims[d];
    }
    Shape largest = v->shape;
    largest.kind = kind;
    const char *low = constant_before(m, v, kind, lowest_text(kind)),
               *zero = constant_before(m, v, I32, "0");
    const char *iota = new_name(m), *both = new_name(m), *k = kind_text(kind);
    const char *how = kind_is_float(kind)         ? "FLOAT"
                      : kind == U8 || kind == U32 ? "UNSIGNED"
                                                  : "SIGNED";
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
    v->bound = (double)x->shape.dims[dim];
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
    int role[MAX_VALUE_RANK];
    for (int d = 0; d < left->rank; d++) {
        role[d] = draw_percent(m, 25) ? 1 : draw_percent(m, 45) ? 2 : 0; // batch, contracted, free
        if (role[d] == 1) plan->result.dims[plan->result.rank++] = left->dims[d];
    }
    for (int d = 0; d < left->rank; d++) {
        if (role[d] == 0) plan->result.dims[plan->result.rank++] = left->dims[d];
    }
    // the right operand: the shared dimensions and up to two of its own, in any order
    int own = (int)draw_below(m, 3);
    int order[2 * MAX_VALUE_RANK], count = 0;
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
    int64_t place[MAX_VALUE_RANK];
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

static bool make_dot(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_number);
    if (a < 0) return false;
    DotPlan plan;
    if (!plan_dot(m, &value_at(m, a)->shape, &plan)) return false;
    int b = value_like(m, plan.right);
    if (b < 0) return false;
    v->shape = plan.result;
    if ((plan.right.kind == BF16 || plan.right.kind == F16) && draw_percent(m, 50))
        v->shape.kind = F32;
    if (plan.right.kind == I8 && draw_percent(m, 50)) v->shape.kind = I32;
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
        arena, "stablehlo.dot_general %%v%d, %%v%d%s : (%s, %s) -> %s", a, b, strbuf_cstring(&dims),
        type_of(m, a), type_of(m, b), shape_text(arena, &v->shape));
    use(v, a);
    use(v, b);
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    double terms = (double)plan.terms;
    v->bound = terms * x->bound * y->bound;
    v->error = summed(
        &v->shape, v->bound,
        terms * (x->bound * y->error + y->bound * x->error + x->error * y->error), plan.terms);
    return true;
}

// [batch, spatial..., features]: windows of 1 to 3, any padding, strides, dilations; sometimes one group per feature.
static bool make_convolution(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_images);
    if (a < 0) return false;
    Shape left = value_at(m, a)->shape;
    int spatial = left.rank - 2;
    int64_t features = left.dims[left.rank - 1];
    if (features == 0 || features > 16) return false;
    int64_t groups = draw_percent(m, 20) ? features : 1;
    int64_t out_features = groups * draw_between(m, 1, 5);
    Shape window = {.kind = left.kind, .rank = left.rank};
    int64_t stride[2], left_dilate[2], right_dilate[2], terms = features / groups;
    StrBuf pads = strbuf(m->arena);
    v->shape = (Shape){.kind = left.kind, .rank = left.rank, .dims = {left.dims[0]}};
    for (int s = 0; s < spatial; s++) {
        int64_t size = draw_between(m, 1, 3), low = draw_between(m, -1, 2),
                high = draw_between(m, 0, 2);
        stride[s] = draw_percent(m, 70) ? 1 : 2;
        left_dilate[s] = draw_percent(m, 85) ? 1 : 2;
        right_dilate[s] = draw_percent(m, 85) ? 1 : 2;
        int64_t in = left.dims[1 + s];
        int64_t padded = (in > 0 ? (in - 1) * left_dilate[s] + 1 : 0) + low + high;
        int64_t reach = (size - 1) * right_dilate[s] + 1;
        if (padded < reach) return false;
        v->shape.dims[1 + s] = (padded - reach) / stride[s] + 1;
        window.dims[s] = size;
        terms *= size;
        strbuf_printf(&pads, "%s[%lld, %lld]", s ? ", " : "", (long long)low, (long long)high);
    }
    window.dims[spatial] = features / groups;
    window.dims[spatial + 1] = out_features;
    v->shape.dims[spatial + 1] = out_features;
    if (shape_count(&v->shape) * terms > (m->is_large ? 4000000 : 400000)) return false;
    int b = value_like(m, window);
    if (b < 0) return false;
    const char *numbers =
        spatial == 1 ? "[b, 0, f]x[0, i, o]->[b, 0, f]" : "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
    v->right = arena_printf(
        m->arena,
        "stablehlo.convolution(%%v%d, %%v%d) dim_numbers = %s, window = {stride = %s, pad = [%s], "
        "lhs_dilate = %s, rhs_dilate = %s} "
        "{batch_group_count = 1 : i64, feature_group_count = %lld : i64} : (%s, %s) -> %s",
        a, b, numbers, text_list(m->arena, spatial, stride), strbuf_cstring(&pads),
        text_list(m->arena, spatial, left_dilate), text_list(m->arena, spatial, right_dilate),
        (long long)groups, type_of(m, a), type_of(m, b), shape_text(m->arena, &v->shape));
    use(v, a);
    use(v, b);
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    v->bound = (double)terms * x->bound * y->bound;
    v->error = summed(
        &v->shape, v->bound,
        (double)terms * (x->bound * y->error + y->bound * x->error + x->error * y->error), terms);
    return true;
}

// ---- windows

typedef struct WindowPlan {
    int64_t size[MAX_VALUE_RANK], stride[MAX_VALUE_RANK], dilate[MAX_VALUE_RANK],
        base[MAX_VALUE_RANK];
    StrBuf padding; // "[0, 1], [2, 0]"
    int64_t terms;
} WindowPlan;

static bool plan_window(Maker *m, const Shape *from, bool is_sum, WindowPlan *w, Shape *to) {
    *w = (WindowPlan){.padding = strbuf(m->arena), .terms = 1};
    int scan =
        is_sum && draw_percent(m, 30) ? (int)draw_below(m, from->rank) : -1; // a cumulative sum
    *to = *from;
    for (int d = 0; d < from->rank; d++) {
        int64_t size = from->dims[d], low = 0, high = 0;
        w->size[d] = draw_percent(m, 40) ? 1 : draw_between(m, 1, 3);
        w->stride[d] = draw_percent(m, 65) ? 1 : draw_between(m, 1, 3);
        w->dilate[d] = draw_percent(m, 85) ? 1 : 2;
        w->base[d] = is_sum && draw_percent(m, 10) ? 2 : 1;
        if (is_sum) {
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

static const char *array_text(Arena *arena, int count, const int64_t *numbers) {
    StrBuf out = strbuf(arena);
    strbuf_puts(&out, "array<i64");
    for (int i = 0; i < count; i++) {
        strbuf_printf(&out, "%s%lld", i ? ", " : ": ", (long long)numbers[i]);
    }
    strbuf_putc(&out, '>');
    return strbuf_cstring(&out);
}

static bool make_window(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0 || value_at(m, a)->shape.kind == I1) return false;
    const RandomValue *x = value_at(m, a);
    bool is_sum = draw_percent(m, 70);
    WindowPlan w;
    if (!plan_window(m, &x->shape, is_sum, &w, &v->shape)) return false;
    Kind kind = x->shape.kind;
    int rank = x->shape.rank;
    const char *init =
        constant_before(m, v, kind, is_sum ? scalar_text(m->arena, kind, 0) : lowest_text(kind));
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.reduce_window\"(%%v%d, %s) <{base_dilations = %s, padding = dense<[%s]> : "
        "tensor<%dx2xi64>, "
        "window_dilations = %s, window_dimensions = %s, window_strides = %s}> %s : (%s, "
        "tensor<%s>) -> %s",
        a, init, array_text(m->arena, rank, w.base), strbuf_cstring(&w.padding), rank,
        array_text(m->arena, rank, w.dilate), array_text(m->arena, rank, w.size),
        array_text(m->arena, rank, w.stride), body_text(m, is_sum ? "add" : "maximum", kind),
        type_of(m, a), kind_text(kind), shape_text(m->arena, &v->shape));
    use(v, a);
    double terms = (double)w.terms;
    v->bound = is_sum ? terms * x->bound : x->bound;
    v->error = is_sum ? summed(&v->shape, v->bound, terms * x->error, w.terms) : x->error;
    return true;
}

// ---- gather, scatter

// Takes slices along one dimension: the indices' dimensions stand in its place, as in jnp.take.
static bool make_gather(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    Shape from = value_at(m, a)->shape;
    int dim = (int)draw_below(m, from.rank);
    if (from.dims[dim] == 0) return false;
    Shape indices = {.kind = draw_percent(m, 80) ? I32 : I64, .rank = (int)draw_below(m, 3)};
    for (int d = 0; d < indices.rank; d++) {
        indices.dims[d] = draw_between(m, 1, 8);
    }
    if (from.rank + indices.rank - 1 > MAX_VALUE_RANK) return false;
    int b = value_like(m, indices);
    if (b < 0) return false;
    int64_t sizes[MAX_VALUE_RANK], offsets[MAX_VALUE_RANK];
    int offset_count = 0;
    v->shape = (Shape){.kind = from.kind};
    for (int d = 0; d < from.rank; d++) {
        sizes[d] = d == dim ? 1 : from.dims[d];
        if (d != dim) offsets[offset_count++] = v->shape.rank;
        for (int i = 0; d == dim && i < indices.rank; i++) {
            v->shape.dims[v->shape.rank++] = indices.dims[i];
        }
        if (d != dim) v->shape.dims[v->shape.rank++] = from.dims[d];
    }
    Arena *arena = m->arena;
    const char *offset_dims =
        offset_count
            ? arena_printf(arena, "offset_dims = %s, ", text_list(arena, offset_count, offsets))
            : "";
    v->right = arena_printf(
        arena,
        "\"stablehlo.gather\"(%%v%d, %%v%d) <{dimension_numbers = "
        "#stablehlo.gather<%scollapsed_slice_dims = [%d], "
        "start_index_map = [%d], index_vector_dim = %d>, indices_are_sorted = false, slice_sizes = "
        "%s}> : (%s, %s) -> %s",
        a, b, offset_dims, dim, dim, indices.rank, array_text(arena, from.rank, sizes),
        type_of(m, a), type_of(m, b), shape_text(arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bound = value_at(m, a)->bound;
    v->error = value_at(m, a)->error;
    return true;
}

// Adds (or takes the larger of) slices along one dimension; indices outside are left out.
static bool make_scatter(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0 || value_at(m, a)->shape.kind == I1) return false;
    v->shape = value_at(m, a)->shape;
    int dim = (int)draw_below(m, v->shape.rank);
    bool is_sum = draw_percent(m, 70);
    Shape indices = {.kind = I32, .rank = 1, .dims = {draw_between(m, 1, 9)}};
    Shape updates = {.kind = v->shape.kind, .rank = 1, .dims = {indices.dims[0]}};
    int64_t window[MAX_VALUE_RANK];
    int window_count = 0;
    for (int d = 0; d < v->shape.rank; d++) {
        if (d == dim) continue;
        window[window_count++] = updates.rank;
        updates.dims[updates.rank++] = v->shape.dims[d];
    }
    int b = value_like(m, indices), c = value_like(m, updates);
    if (b < 0 || c < 0) return false;
    Arena *arena = m->arena;
    const char *window_dims = window_count ? arena_printf(
                                                 arena, "update_window_dims = %s, ",
                                                 text_list(arena, window_count, window))
                                           : "";
    v->right = arena_printf(
        arena,
        "\"stablehlo.scatter\"(%%v%d, %%v%d, %%v%d) <{indices_are_sorted = false, "
        "scatter_dimension_numbers = "
        "#stablehlo.scatter<%sinserted_window_dims = [%d], scatter_dims_to_operand_dims = [%d], "
        "index_vector_dim = 1>, "
        "unique_indices = false}> %s : (%s, %s, %s) -> %s",
        a, b, c, window_dims, dim, dim, body_text(m, is_sum ? "add" : "maximum", v->shape.kind),
        type_of(m, a), type_of(m, b), type_of(m, c), shape_text(arena, &v->shape));
    use(v, a);
    use(v, b);
    use(v, c);
    const RandomValue *x = value_at(m, a), *y = value_at(m, c);
    int64_t terms = indices.dims[0] + 1;
    v->bound = is_sum ? x->bound + (double)terms * y->bound : fmax(x->bound, y->bound);
    v->error = is_sum ? summed(&v->shape, v->bound, x->error + (double)terms * y->error, terms)
                      : fmax(x->error, y->error);
    return true;
}

// ---- sort

// Sorts by one operand, stably; the result is the operand itself or another one that is carried along.
static bool make_sort(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_sortable);
    if (a < 0) return false;
    Kind kind = value_at(m, a)->shape.kind;
    if (kind == I1) return false;
    int dim = (int)draw_below(m, value_at(m, a)->shape.rank);
    v->shape = value_at(m, a)->shape;
    bool has_payload = draw_percent(m, 50);
    int b = a;
    if (has_payload) {
        static const Kind kinds[] = {F32, I32, F64, I8};
        v->shape.kind = kinds[draw_below(m, 4)];
        b = value_like(m, v->shape);
        if (b < 0) return false;
    }
    const char *k = kind_text(kind), *p = kind_text(v->shape.kind), *both = new_name(m);
    const char *how = kind_is_float(kind)         ? "FLOAT"
                      : kind == U8 || kind == U32 ? "UNSIGNED"
                                                  : "SIGNED";
    const char *direction = draw_percent(m, 60) ? "LT" : "GT", *type = type_of(m, a),
               *of_payload = type_of(m, b);
    const char *rest =
        has_payload ? arena_printf(m->arena, ", %%r: tensor<%s>, %%s: tensor<%s>", p, p) : "";
    v->before = arena_printf(
        m->arena,
        "    %s%s = \"stablehlo.sort\"(%%v%d%s) <{dimension = %d : i64, is_stable = true}> ({\n"
        "    ^bb0(%%p: tensor<%s>, %%q: tensor<%s>%s):\n"
        "      %%t = stablehlo.compare %s, %%p, %%q, %s : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
        "      stablehlo.return %%t : tensor<i1>\n"
        "    }) : (%s%s%s) -> %s%s%s%s%s\n",
        both, has_payload ? ":2" : "", a, has_payload ? arena_printf(m->arena, ", %%v%d", b) : "",
        dim, k, k, rest, direction, how, k, k, type, has_payload ? ", " : "",
        has_payload ? of_payload : "", has_payload ? "(" : "", type, has_payload ? ", " : "",
        has_payload ? of_payload : "", has_payload ? ")" : "");
    v->right = arena_printf(
        m->arena, "stablehlo.reshape %s%s : (%s) -> %s", both, has_payload ? "#1" : "", of_payload,
        of_payload);
    use(v, a);
    if (has_payload) use(v, b);
    v->bound = value_at(m, b)->bound;
    v->error = value_at(m, b)->error;
    return true;
}

// ---- control flow

// A loop of up to three turns whose carry is added to, reversed and added to, or updated at the loop's index.
static bool make_while(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_number);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    int b = value_like(m, v->shape), limit = value_like(m, (Shape){.kind = I32});
    if (b < 0 || limit < 0 || value_at(m, limit)->bound > 5) return false;
    int form = v->shape.rank ? (int)draw_below(m, 3) : 0;
    const char *type = type_of(m, a), *zero = constant_before(m, v, I32, "0"),
               *one = constant_before(m, v, I32, "1");
    const char *loop = new_name(m), *body = NULL;
    if (form == 0) {
        body = arena_printf(m->arena, "      %%next = stablehlo.add %%acc, %%v%d : %s\n", b, type);
    } else if (form == 1) {
        body = arena_printf(
            m->arena,
            "      %%back = stablehlo.reverse %%acc, dims = [%lld] : %s\n"
            "      %%next = stablehlo.add %%back, %%v%d : %s\n",
            (long long)draw_below(m, v->shape.rank), type, b, type);
    } else {
        Shape row = v->shape;
        if (row.dims[0] == 0) return false;
        row.dims[0] = 1;
        StrBuf starts = strbuf(m->arena), types = strbuf(m->arena), whole = strbuf(m->arena);
        for (int d = 0; d < v->shape.rank; d++) {
            strbuf_printf(&starts, ", %s", d ? zero : "%i");
            strbuf_puts(&types, ", tensor<i32>");
            strbuf_printf(&whole, "%s0:%lld", d ? ", " : "", (long long)row.dims[d]);
        }
        const char *of_row = shape_text(m->arena, &row);
        body = arena_printf(
            m->arena,
            "      %%row = stablehlo.slice %%v%d [%s] : (%s) -> %s\n"
            "      %%next = stablehlo.dynamic_update_slice %%acc, %%row%s : (%s, %s%s) -> %s\n",
            b, strbuf_cstring(&whole), type, of_row, strbuf_cstring(&starts), type, of_row,
            strbuf_cstring(&types), type);
    }
    v->before = arena_printf(
        m->arena,
        "%s    %s:2 = stablehlo.while(%%i = %s, %%acc = %%v%d) : tensor<i32>, %s\n"
        "     cond {\n      %%go = stablehlo.compare LT, %%i, %%v%d, SIGNED : (tensor<i32>, "
        "tensor<i32>) -> tensor<i1>\n"
        "      stablehlo.return %%go : tensor<i1>\n    } do {\n%s"
        "      %%j = stablehlo.add %%i, %s : tensor<i32>\n"
        "      stablehlo.return %%j, %%next : tensor<i32>, %s\n    }\n",
        v->before, loop, zero, a, type, limit, body, one, type);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#1 : (%s) -> %s", loop, type, type);
    use(v, a);
    use(v, b);
    use(v, limit);
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    v->bound = x->bound + 5 * y->bound;
    v->error = form == 2 ? fmax(x->error, y->error)
                         : summed(&v->shape, v->bound, x->error + 5 * y->error, 5);
    return true;
}

static bool make_case(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_number);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    int b = value_like(m, v->shape), index = value_like(m, (Shape){.kind = I32});
    if (b < 0 || index < 0) return false;
    const char *type = type_of(m, a);
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.case\"(%%v%d) ({\n      stablehlo.return %%v%d : %s\n    }, {\n"
        "      %%sum = stablehlo.add %%v%d, %%v%d : %s\n      stablehlo.return %%sum : %s\n    }, "
        "{\n"
        "      stablehlo.return %%v%d : %s\n    }) : (tensor<i32>) -> %s",
        index, a, type, a, b, type, type, b, type, type);
    use(v, a);
    use(v, b);
    use(v, index);
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    v->bound = x->bound + y->bound;
    v->error = rounded(&v->shape, v->bound, x->error + y->error);
    return true;
}

const OpMaker complex_makers[] = {
    {"reduce", 12, make_reduce},  {"argmax", 2, make_argmax},
    {"dot", 14, make_dot},        {"convolution", 5, make_convolution},
    {"window", 5, make_window},   {"gather", 4, make_gather},
    {"scatter", 4, make_scatter}, {"sort", 3, make_sort},
    {"while", 3, make_while},     {"case", 2, make_case},
};
const int complex_maker_count = sizeof complex_makers / sizeof complex_makers[0];

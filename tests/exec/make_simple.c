// make_simple: pointwise ops and moves of elements for random programs.
#include "random_program.h"

#include <math.h>

static const char *type_of(const Maker *m, int value) {
    return shape_text(m->arena, &value_at(m, value)->shape);
}

static bool is_real(const RandomValue *value) { return kind_is_float(value->shape.kind); }
static bool is_number(const RandomValue *value) { return value->shape.kind != I1; }
static bool is_exact(const RandomValue *value) { return value->error == 0; }
static bool has_rank(const RandomValue *value) { return value->shape.rank > 0; }
static bool is_signed(Kind kind) {
    return kind_is_float(kind) || kind == I32 || kind == I64 || kind == I8;
}

// ---- pointwise

static bool make_unary(Maker *m, RandomValue *v) {
    static const char *const names[] = {"negate", "abs",    "tanh",        "logistic",
                                        "sine",   "cosine", "exponential", "exponential_minus_one",
                                        "floor",  "ceil",   "sign",        "not"};
    int op = (int)draw_below(m, 12);
    int a = draw_value(m, op == 11 ? NULL : op >= 8 ? is_exact : op >= 2 ? is_real : is_number);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    Kind kind = x->shape.kind;
    if (op == 11 && kind_is_float(kind)) return false;
    if (op >= 8 && op <= 9 && !kind_is_float(kind)) return false;
    if ((op < 2 || op == 10) && !is_signed(kind)) return false;
    v->shape = x->shape;
    v->right = arena_printf(m->arena, "stablehlo.%s %%v%d : %s", names[op], a, type_of(m, a));
    use(v, a);
    double eps = kind_epsilon(kind);
    v->bound = x->bound;
    v->error = x->error;
    if (op >= 2 && op <= 5) {
        if (x->bound > 200) return false; // the reduction of large angles is not what we test here
        v->bound = 1;
        v->error = x->error + 2 * eps;
    } else if (op == 6 || op == 7) {
        if (x->bound > 5) return false;
        v->bound = exp(x->bound);
        v->error = v->bound * (expm1(x->error) + 4 * eps);
    } else if (op == 10) {
        v->bound = 1;
    } else if (op == 11) {
        v->bound = kind_exact(kind);
    }
    return true;
}

static bool make_binary(Maker *m, RandomValue *v) {
    static const char *const names[] = {"add", "subtract", "multiply", "maximum", "minimum",
                                        "add", "and",      "or",       "xor"};
    int op = (int)draw_below(m, 9);
    int a = draw_value(m, op < 6 ? is_number : NULL);
    if (a < 0) return false;
    if (op >= 6 && kind_is_float(value_at(m, a)->shape.kind)) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0) return false;
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    v->shape = x->shape;
    v->right =
        arena_printf(m->arena, "stablehlo.%s %%v%d, %%v%d : %s", names[op], a, b, type_of(m, a));
    use(v, a);
    use(v, b);
    double error = fmax(x->error, y->error);
    if (op == 2) {
        v->bound = x->bound * y->bound;
        error = x->bound * y->error + y->bound * x->error + x->error * y->error;
        v->error = rounded(&v->shape, v->bound, error);
    } else if (op < 2 || op == 5) {
        v->bound = x->bound + y->bound;
        v->error = rounded(&v->shape, v->bound, x->error + y->error);
    } else {
        v->bound = op < 6 ? fmax(x->bound, y->bound) : kind_exact(v->shape.kind);
        v->error = error;
    }
    return true;
}

// x / (1 + |y|)
static bool make_divide(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_real);
    if (a < 0) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0) return false;
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    const char *type = type_of(m, a), *one = new_name(m), *size = new_name(m), *sum = new_name(m);
    v->shape = x->shape;
    if (shape_count(&v->shape) == 0) return false;
    v->before = arena_printf(
        m->arena,
        "    %s = stablehlo.constant dense<1.0> : %s\n    %s = stablehlo.abs %%v%d : %s\n"
        "    %s = stablehlo.add %s, %s : %s\n",
        one, type, size, b, type, sum, size, one, type);
    v->right = arena_printf(m->arena, "stablehlo.divide %%v%d, %s : %s", a, sum, type);
    use(v, a);
    use(v, b);
    double eps = kind_epsilon(v->shape.kind);
    v->bound = x->bound;
    v->error = x->error + x->bound * (y->error + 3 * eps);
    return true;
}

static bool make_compare(Maker *m, RandomValue *v) {
    static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    int a = draw_value(m, is_exact);
    if (a < 0) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0 || value_at(m, b)->error > 0) return false;
    Kind kind = value_at(m, a)->shape.kind;
    const char *how = kind_is_float(kind) ? "FLOAT" : is_signed(kind) ? "SIGNED" : "UNSIGNED";
    v->shape = value_at(m, a)->shape;
    v->shape.kind = I1;
    v->right = arena_printf(
        m->arena, "stablehlo.compare %s, %%v%d, %%v%d, %s : (%s, %s) -> %s",
        directions[draw_below(m, 6)], a, b, how, type_of(m, a), type_of(m, a),
        shape_text(m->arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bound = 1;
    return true;
}

static bool make_select(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    Shape predicate = value_at(m, a)->shape;
    predicate.kind = I1;
    if (draw_percent(m, 15)) predicate.rank = 0;
    int p = value_like(m, predicate);
    int b = value_like(m, value_at(m, a)->shape);
    if (p < 0 || b < 0) return false;
    v->shape = value_at(m, a)->shape;
    v->right = arena_printf(
        m->arena, "stablehlo.select %%v%d, %%v%d, %%v%d : %s, %s", p, a, b,
        shape_text(m->arena, &predicate), type_of(m, a));
    use(v, p);
    use(v, a);
    use(v, b);
    v->bound = fmax(value_at(m, a)->bound, value_at(m, b)->bound);
    v->error = fmax(value_at(m, a)->error, value_at(m, b)->error);
    return true;
}

static bool make_clamp(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_number);
    if (a < 0) return false;
    Shape scalar = {.kind = value_at(m, a)->shape.kind};
    int low = value_like(m, scalar), high = value_like(m, scalar);
    if (low < 0 || high < 0) return false;
    v->shape = value_at(m, a)->shape;
    const char *type = type_of(m, a), *of_scalar = shape_text(m->arena, &scalar);
    v->right = arena_printf(
        m->arena, "stablehlo.clamp %%v%d, %%v%d, %%v%d : (%s, %s, %s) -> %s", low, a, high,
        of_scalar, type, of_scalar, type);
    use(v, low);
    use(v, a);
    use(v, high);
    v->bound = fmax(value_at(m, a)->bound, fmax(value_at(m, low)->bound, value_at(m, high)->bound));
    v->error = fmax(value_at(m, a)->error, fmax(value_at(m, low)->error, value_at(m, high)->error));
    return true;
}

static bool make_convert(Maker *m, RandomValue *v) {
    static const Kind kinds[] = {F32, F32, F32, F64, BF16, F16, I32, I64, I8, U8, U32};
    int a = draw_value(m, NULL);
    const RandomValue *x = value_at(m, a);
    Kind to = kinds[draw_below(m, 11)];
    bool from_float = kind_is_float(x->shape.kind), to_float = kind_is_float(to);
    if (!to_float && from_float && (x->error > 0 || x->bound > kind_exact(to) || !is_signed(to)))
        return false;
    if (to_float && !from_float && x->bound > 1e4) return false;
    v->shape = x->shape;
    v->shape.kind = to;
    v->right = arena_printf(
        m->arena, "stablehlo.convert %%v%d : (%s) -> %s", a, type_of(m, a),
        shape_text(m->arena, &v->shape));
    use(v, a);
    v->bound = to_float || x->bound <= kind_exact(to) ? x->bound : kind_exact(to);
    if (!to_float && !is_signed(to)) v->bound = kind_exact(to);
    v->error = rounded(&v->shape, v->bound, x->error);
    return true;
}

// ---- moves of elements: bound and error stay

static bool move(Maker *m, RandomValue *v, int a) {
    v->bound = value_at(m, a)->bound;
    v->error = value_at(m, a)->error;
    use(v, a);
    return true;
}

static bool make_broadcast(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    const Shape *from = &value_at(m, a)->shape;
    int64_t dimensions[MAX_VALUE_RANK];
    v->shape = (Shape){.kind = from->kind};
    int extra = (int)draw_below(m, 3), next = 0;
    if (from->rank + extra > 4) return false;
    for (int d = 0; d < from->rank + extra; d++) {
        bool is_new = next == from->rank || (d - next < extra && draw_percent(m, 40));
        int64_t size = draw_between(m, 1, 8);
        if (!is_new) {
            if (from->dims[next] != 1 || draw_percent(m, 30)) size = from->dims[next];
            dimensions[next++] = d;
        }
        v->shape.dims[v->shape.rank++] = size;
    }
    v->right = arena_printf(
        m->arena, "stablehlo.broadcast_in_dim %%v%d, dims = %s : (%s) -> %s", a,
        text_list(m->arena, from->rank, dimensions), type_of(m, a),
        shape_text(m->arena, &v->shape));
    return next == from->rank && move(m, v, a);
}

// The prime factors of the sizes, in order, dealt out to new dimensions.
static bool make_reshape(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    const Shape *from = &value_at(m, a)->shape;
    if (shape_count(from) == 0) return false;
    v->shape = (Shape){.kind = from->kind, .rank = (int)draw_between(m, 0, 4)};
    for (int d = 0; d < v->shape.rank; d++) {
        v->shape.dims[d] = 1;
    }
    if (v->shape.rank == 0 && shape_count(from) > 1) return false;
    int to = 0;
    for (int d = 0; d < from->rank; d++) {
        if (to + 1 < v->shape.rank && draw_percent(m, 60)) to++;
        int64_t rest = from->dims[d];
        for (int64_t prime = 2; rest > 1; prime++) {
            for (; rest % prime == 0; rest /= prime) {
                if (to + 1 < v->shape.rank && draw_percent(m, 30)) to++;
                v->shape.dims[to] *= prime;
            }
        }
    }
    v->right = arena_printf(
        m->arena, "stablehlo.reshape %%v%d : (%s) -> %s", a, type_of(m, a),
        shape_text(m->arena, &v->shape));
    return move(m, v, a);
}

static void shuffle(Maker *m, int count, int64_t *numbers) {
    for (int i = 0; i < count; i++) {
        numbers[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
        int64_t other = draw_below(m, i + 1), number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
    }
}

static bool make_transpose(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    const Shape *from = &value_at(m, a)->shape;
    int64_t permutation[MAX_VALUE_RANK];
    shuffle(m, from->rank, permutation);
    v->shape = *from;
    for (int d = 0; d < from->rank; d++) {
        v->shape.dims[d] = from->dims[permutation[d]];
    }
    v->right = arena_printf(
        m->arena, "stablehlo.transpose %%v%d, dims = %s : (%s) -> %s", a,
        text_list(m->arena, from->rank, permutation), type_of(m, a),
        shape_text(m->arena, &v->shape));
    return move(m, v, a);
}

static bool make_slice(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    const Shape *from = &value_at(m, a)->shape;
    v->shape = *from;
    StrBuf out = strbuf(m->arena);
    for (int d = 0; d < from->rank; d++) {
        bool is_whole = draw_percent(m, 40);
        int64_t start = is_whole ? 0 : draw_between(m, 0, from->dims[d]);
        int64_t limit = is_whole ? from->dims[d] : draw_between(m, start, from->dims[d]);
        int64_t stride = draw_percent(m, 70) ? 1 : draw_between(m, 1, 3);
        v->shape.dims[d] = (limit - start + stride - 1) / stride;
        strbuf_printf(&out, "%s%lld:%lld", d ? ", " : "", (long long)start, (long long)limit);
        if (stride != 1) strbuf_printf(&out, ":%lld", (long long)stride);
    }
    if (shape_count(&v->shape) == 0 && !draw_percent(m, 10)) return false;
    v->right = arena_printf(
        m->arena, "stablehlo.slice %%v%d [%s] : (%s) -> %s", a, strbuf_cstring(&out), type_of(m, a),
        shape_text(m->arena, &v->shape));
    return move(m, v, a);
}

static bool make_pad(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    Shape from = value_at(m, a)->shape, scalar = {.kind = from.kind};
    int padding = value_like(m, scalar);
    if (padding < 0) return false;
    int64_t low[MAX_VALUE_RANK], high[MAX_VALUE_RANK], interior[MAX_VALUE_RANK];
    v->shape = from;
    for (int d = 0; d < from.rank; d++) {
        low[d] = draw_percent(m, 40) ? 0 : draw_between(m, -1, 3);
        high[d] = draw_percent(m, 40) ? 0 : draw_between(m, -1, 3);
        interior[d] = draw_percent(m, 80) ? 0 : draw_between(m, 1, 2);
        int64_t inside = from.dims[d] > 0 ? (from.dims[d] - 1) * (interior[d] + 1) + 1 : 0;
        v->shape.dims[d] = low[d] + inside + high[d];
        if (v->shape.dims[d] < 0) return false;
    }
    v->right = arena_printf(
        m->arena, "stablehlo.pad %%v%d, %%v%d, low = %s, high = %s, interior = %s : (%s, %s) -> %s",
        a, padding, text_list(m->arena, from.rank, low), text_list(m->arena, from.rank, high),
        text_list(m->arena, from.rank, interior), type_of(m, a), shape_text(m->arena, &scalar),
        shape_text(m->arena, &v->shape));
    move(m, v, a);
    use(v, padding);
    v->bound = fmax(v->bound, value_at(m, padding)->bound);
    v->error = fmax(v->error, value_at(m, padding)->error);
    return true;
}

static bool make_concatenate(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    Shape other = value_at(m, a)->shape;
    int dim = (int)draw_below(m, other.rank);
    v->shape = other;
    if (draw_percent(m, 60)) other.dims[dim] = draw_between(m, 0, 9);
    int b = value_like(m, other), c = draw_percent(m, 30) ? value_like(m, other) : -2;
    if (b < 0 || c == -1) return false;
    move(m, v, a);
    const char *type = type_of(m, a), *second = shape_text(m->arena, &other);
    const int others[2] = {b, c};
    for (int i = 0; i < 2 && others[i] >= 0; i++) {
        use(v, others[i]);
        v->shape.dims[dim] += other.dims[dim];
        v->bound = fmax(v->bound, value_at(m, others[i])->bound);
        v->error = fmax(v->error, value_at(m, others[i])->error);
    }
    v->right = c >= 0
                   ? arena_printf(
                         m->arena,
                         "stablehlo.concatenate %%v%d, %%v%d, %%v%d, dim = %d : (%s, %s, %s) -> %s",
                         a, b, c, dim, type, second, second, shape_text(m->arena, &v->shape))
                   : arena_printf(
                         m->arena, "stablehlo.concatenate %%v%d, %%v%d, dim = %d : (%s, %s) -> %s",
                         a, b, dim, type, second, shape_text(m->arena, &v->shape));
    return true;
}

static bool make_reverse(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    int64_t dims[MAX_VALUE_RANK];
    int count = 0;
    for (int d = 0; d < v->shape.rank; d++) {
        if (draw_percent(m, 60)) dims[count++] = d;
    }
    v->right = arena_printf(
        m->arena, "stablehlo.reverse %%v%d, dims = %s : %s", a, text_list(m->arena, count, dims),
        type_of(m, a));
    return count > 0 && move(m, v, a);
}

static bool make_iota(Maker *m, RandomValue *v) {
    static const Kind kinds[] = {F32, I32, I64, F64};
    v->shape = draw_shape(m, kinds[draw_below(m, 4)]);
    if (v->shape.rank == 0) return false;
    int dim = (int)draw_below(m, v->shape.rank);
    v->right = arena_printf(
        m->arena, "stablehlo.iota dim = %d : %s", dim, shape_text(m->arena, &v->shape));
    v->bound = (double)v->shape.dims[dim];
    return true;
}

// Start indices: i32 scalars, one per dimension of `rank`; text "%v1, %v2" and "tensor<i32>, tensor<i32>".
static bool draw_starts(
    Maker *m, RandomValue *v, int rank, const char **names, const char **types) {
    StrBuf list = strbuf(m->arena), of = strbuf(m->arena);
    Shape scalar = {.kind = I32};
    int start = value_like(m, scalar);
    if (start < 0) return false;
    use(v, start);
    for (int d = 0; d < rank; d++) {
        if (d == 1 && draw_percent(m, 60)) {
            start = value_like(m, scalar);
            if (start < 0) return false;
            use(v, start);
        }
        strbuf_printf(&list, ", %%v%d", start);
        strbuf_puts(&of, ", tensor<i32>");
    }
    *names = strbuf_cstring(&list);
    *types = strbuf_cstring(&of);
    return true;
}

static bool make_dynamic_slice(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    Shape from = value_at(m, a)->shape;
    const char *starts = NULL, *types = NULL;
    v->shape = from;
    for (int d = 0; d < from.rank; d++) {
        v->shape.dims[d] =
            draw_percent(m, 40) ? from.dims[d] : draw_between(m, from.dims[d] > 0, from.dims[d]);
    }
    move(m, v, a);
    if (!draw_starts(m, v, from.rank, &starts, &types)) return false;
    v->right = arena_printf(
        m->arena, "stablehlo.dynamic_slice %%v%d%s, sizes = %s : (%s%s) -> %s", a, starts,
        text_list(m->arena, from.rank, v->shape.dims), type_of(m, a), types,
        shape_text(m->arena, &v->shape));
    return true;
}

static bool make_dynamic_update_slice(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    Shape small = v->shape;
    for (int d = 0; d < small.rank; d++) {
        if (!draw_percent(m, 40)) small.dims[d] = draw_between(m, small.dims[d] > 0, small.dims[d]);
    }
    int b = value_like(m, small);
    if (b < 0) return false;
    const char *starts = NULL, *types = NULL;
    move(m, v, a);
    use(v, b);
    if (!draw_starts(m, v, small.rank, &starts, &types)) return false;
    v->bound = fmax(v->bound, value_at(m, b)->bound);
    v->error = fmax(v->error, value_at(m, b)->error);
    v->right = arena_printf(
        m->arena, "stablehlo.dynamic_update_slice %%v%d, %%v%d%s : (%s, %s%s) -> %s", a, b, starts,
        type_of(m, a), shape_text(m->arena, &small), types, type_of(m, a));
    return true;
}

const OpMaker simple_makers[] = {
    {"unary", 14, make_unary},
    {"binary", 22, make_binary},
    {"divide", 4, make_divide},
    {"compare", 4, make_compare},
    {"select", 6, make_select},
    {"clamp", 2, make_clamp},
    {"convert", 6, make_convert},
    {"broadcast", 8, make_broadcast},
    {"reshape", 9, make_reshape},
    {"transpose", 8, make_transpose},
    {"slice", 8, make_slice},
    {"pad", 6, make_pad},
    {"concatenate", 6, make_concatenate},
    {"reverse", 3, make_reverse},
    {"iota", 3, make_iota},
    {"dynamic_slice", 5, make_dynamic_slice},
    {"dynamic_update_slice", 5, make_dynamic_update_slice},
};
const int simple_maker_count = sizeof simple_makers / sizeof simple_makers[0];

// make_move: ops that move elements of random programs: reshapes, slices,
// pads, concatenations and the like.
#include "random_program.h"

#include <math.h>

// ---- moves of elements: bound and error stay

static bool move(Maker *m, RandomValue *v, int a) {
    v->bounds = value_at(m, a)->bounds;
    use(v, a);
    return true;
}

static bool make_broadcast(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    if (a < 0) return false;
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
    if (a < 0) return false;
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
    v->bounds = bounds_either(&v->bounds, &value_at(m, padding)->bounds);
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
        v->bounds = bounds_either(&v->bounds, &value_at(m, others[i])->bounds);
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
    ElementType kind = draw_kind(m);
    v->shape = draw_shape(m, kind);
    if (v->shape.rank == 0 || kind == ELEMENT_I1) return false;
    int dim = (int)draw_below(m, v->shape.rank);
    v->right = arena_printf(
        m->arena, "stablehlo.iota dim = %d : %s", dim, shape_text(m->arena, &v->shape));
    v->bounds = (ValueBounds){.bound = (double)v->shape.dims[dim], .grid = 1};
    if (kind_is_float(kind) && v->bounds.bound > kind_exact(kind)) return false;
    return true;
}

// Start indices: i32 scalars, one per dimension of `rank`; text "%v1, %v2" and "tensor<i32>,
// tensor<i32>".
static bool draw_starts(
    Maker *m, RandomValue *v, int rank, const char **names, const char **types) {
    StrBuf list = strbuf(m->arena), of = strbuf(m->arena);
    Shape scalar = {.kind = draw_percent(m, 80) ? ELEMENT_I32 : ELEMENT_I64};
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
        strbuf_printf(&of, ", tensor<%s>", kind_text(scalar.kind));
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
    v->bounds = bounds_either(&v->bounds, &value_at(m, b)->bounds);
    v->right = arena_printf(
        m->arena, "stablehlo.dynamic_update_slice %%v%d, %%v%d%s : (%s, %s%s) -> %s", a, b, starts,
        type_of(m, a), shape_text(m->arena, &small), types, type_of(m, a));
    return true;
}

// ---- ops whose sizes are operands: constants, so that the static op follows

static const char *numbers_before(Maker *m, RandomValue *v, int count, const int64_t *numbers) {
    const char *name = new_name(m);
    v->before = arena_printf(
        m->arena, "%s    %s = stablehlo.constant dense<%s> : tensor<%dxi64>\n", v->before, name,
        count ? text_list(m->arena, count, numbers) : "", count);
    return name;
}

// Slices %v<a> between numbers that are operands.
static bool make_dynamic_slice_of(Maker *m, RandomValue *v, int a) {
    Shape from = v->shape;
    int64_t start[MAX_VALUE_RANK], limit[MAX_VALUE_RANK], stride[MAX_VALUE_RANK];
    for (int d = 0; d < from.rank; d++) {
        start[d] = draw_between(m, 0, from.dims[d]);
        limit[d] = draw_between(m, start[d], from.dims[d]);
        stride[d] = draw_between(m, 1, 2);
        v->shape.dims[d] = (limit[d] - start[d] + stride[d] - 1) / stride[d];
    }
    const char *first = numbers_before(m, v, from.rank, start),
               *last = numbers_before(m, v, from.rank, limit);
    const char *steps = numbers_before(m, v, from.rank, stride);
    v->right = arena_printf(
        m->arena,
        "stablehlo.real_dynamic_slice %%v%d, %s, %s, %s : (%s, tensor<%dxi64>, tensor<%dxi64>, "
        "tensor<%dxi64>) -> %s",
        a, first, last, steps, type_of(m, a), from.rank, from.rank, from.rank,
        shape_text(m->arena, &v->shape));
    return shape_count(&v->shape) > 0;
}

static bool make_dynamic(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    Shape from = value_at(m, a)->shape;
    Arena *arena = m->arena;
    const char *type = type_of(m, a);
    int64_t dims[MAX_VALUE_RANK];
    v->shape = from;
    move(m, v, a);
    switch (draw_below(m, 4)) {
    case 0: return make_dynamic_slice_of(m, v, a);
    case 1: {
        if (from.rank == MAX_VALUE_RANK) return false;
        v->shape.dims[from.rank] = draw_between(m, 1, 5);
        v->shape.rank++;
        for (int d = 0; d < from.rank; d++) {
            dims[d] = d;
        }
        const char *sizes = numbers_before(m, v, v->shape.rank, v->shape.dims);
        v->right = arena_printf(
            arena,
            "stablehlo.dynamic_broadcast_in_dim %%v%d, %s, dims = %s : (%s, tensor<%dxi64>) -> %s",
            a, sizes, text_list(arena, from.rank, dims), type, v->shape.rank,
            shape_text(arena, &v->shape));
        return true;
    }
    case 2: {
        v->shape = (Shape){.kind = from.kind, .rank = 1, .dims = {shape_count(&from)}};
        const char *sizes = numbers_before(m, v, 1, v->shape.dims);
        v->right = arena_printf(
            arena, "stablehlo.dynamic_reshape %%v%d, %s : (%s, tensor<1xi64>) -> %s", a, sizes,
            type, shape_text(arena, &v->shape));
        return true;
    }
    default:
        v->shape = (Shape){.kind = ELEMENT_I32};
        int d = (int)draw_below(m, from.rank);
        v->right = arena_printf(
            arena, "stablehlo.get_dimension_size %%v%d, dim = %d : (%s) -> tensor<i32>", a, d,
            type);
        v->bounds = (ValueBounds){.bound = (double)from.dims[d], .grid = 1};
        return true;
    }
}

static bool make_dynamic_pad(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    Shape from = value_at(m, a)->shape, scalar = {.kind = from.kind};
    int padding = value_like(m, scalar);
    if (padding < 0) return false;
    int64_t edges[3][MAX_VALUE_RANK]; // low, high, interior
    v->shape = from;
    for (int d = 0; d < from.rank; d++) {
        edges[0][d] = draw_between(m, 0, 2);
        edges[1][d] = draw_between(m, 0, 2);
        edges[2][d] = draw_percent(m, 80) ? 0 : 1;
        if (from.dims[d] == 0) return false;
        v->shape.dims[d] = edges[0][d] + edges[1][d] + (from.dims[d] - 1) * (edges[2][d] + 1) + 1;
    }
    const char *names[3];
    for (int i = 0; i < 3; i++)
        names[i] = numbers_before(m, v, from.rank, edges[i]);
    v->right = arena_printf(
        m->arena,
        "stablehlo.dynamic_pad %%v%d, %%v%d, %s, %s, %s : (%s, %s, tensor<%dxi64>, tensor<%dxi64>, "
        "tensor<%dxi64>) -> %s",
        a, padding, names[0], names[1], names[2], type_of(m, a), shape_text(m->arena, &scalar),
        from.rank, from.rank, from.rank, shape_text(m->arena, &v->shape));
    move(m, v, a);
    use(v, padding);
    v->bounds = bounds_either(&v->bounds, &value_at(m, padding)->bounds);
    return true;
}

static bool make_dynamic_iota(Maker *m, RandomValue *v) {
    v->shape = draw_shape(m, ELEMENT_I32);
    if (v->shape.rank == 0) return false;
    int dim = (int)draw_below(m, v->shape.rank);
    const char *sizes = numbers_before(m, v, v->shape.rank, v->shape.dims);
    v->right = arena_printf(
        m->arena, "stablehlo.dynamic_iota %s, dim = %d : (tensor<%dxi64>) -> %s", sizes, dim,
        v->shape.rank, shape_text(m->arena, &v->shape));
    v->bounds = (ValueBounds){.bound = (double)v->shape.dims[dim], .grid = 1};
    return true;
}

// Rows of one dimension by a vector of places, as PyTorch has it.
static bool make_index_select(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_rank);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    int dim = (int)draw_below(m, v->shape.rank);
    int64_t size = v->shape.dims[dim];
    if (size == 0) return false;
    Shape line = {.kind = ELEMENT_I32, .rank = 1, .dims = {draw_between(m, 1, 9)}};
    int b = value_like(m, line);
    if (b < 0) return false;
    // places inside, whatever the integers are
    const char *low = constant_before(m, v, ELEMENT_I32, "0");
    const char *high =
        constant_before(m, v, ELEMENT_I32, arena_printf(m->arena, "%lld", (long long)size - 1));
    const char *places = new_name(m), *of_places = type_of(m, b);
    v->before = arena_printf(
        m->arena,
        "%s    %s = stablehlo.clamp %s, %%v%d, %s : (tensor<i32>, %s, tensor<i32>) -> %s\n",
        v->before, places, low, b, high, of_places, of_places);
    v->shape.dims[dim] = line.dims[0];
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.torch_index_select\"(%%v%d, %s) <{dim = %d : i64, batch_dims = 0 : i64}> : "
        "(%s, %s) -> %s",
        a, places, dim, type_of(m, a), of_places, shape_text(m->arena, &v->shape));
    use(v, b);
    return move(m, v, a);
}

const OpMaker move_makers[] = {
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
    {"dynamic", 2, make_dynamic},
    {"dynamic_pad", 1, make_dynamic_pad},
    {"dynamic_iota", 1, make_dynamic_iota},
    {"index_select", 1, make_index_select},
};
const int move_maker_count = sizeof move_makers / sizeof move_makers[0];

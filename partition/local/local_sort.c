// local_sort: sorting along a sharded dimension, n elements in p tiles of t.
//
//   1. Each device sorts its tile. What a tile holds beyond the array is a copy of the
//      array's last element in order: the largest that exists of each tile are gathered,
//      and the largest of them found.
//   2. Every `step`-th element of all sorted tiles is gathered. All devices sort these samples and
//      count how many of the smallest ones are of each tile: that bounds where the elements lie in
//      the tiles that the device gets, those of ranks [c t, (c + 1) t).
//   3. Each device reads what lies between its bounds, sorts it, and cuts its tile out.
//
// A device sorts 2 t and some elements instead of n. What is gathered are the sorted
// tiles, as often as before; native code reads of them what it needs, samples and
// candidates, in the other devices' memory.
//
// Elements are in the total order (comparator, tile, place in the tile): all sorts are stable and
// take the tiles in order, so equal elements stay in theirs, and padding stays at the end. With
// samples at places first + i * step of each tile, the last one at its end, `first` < 2 * step:
//
//   below   a sample with i samples up to it is in place i * step of that order at least, and
//           i * step + p * first - 1 at most
//   l       = (c t - p * first) / step of the smallest samples lie before rank c t for sure. If
//           a_j of them are of tile j, so do its first a_j * step elements: l * step elements in
//           all that the device does not need
//   u       = (c + 1) t / step: sample number u (from 0), and all that comes behind it, is not
//           before rank (c + 1) t. If b_j samples before it are of tile j, the device needs at
//           most the tile's first b_j * step + first elements
//
// Together at most t + 2 p * first + step - 1 candidates. There are fewer as a rule: copies of
// sample number u follow, which sort behind all that is needed.
//
//   source  Shi, Schaeffer, "Parallel Sorting by Regular Sampling", Journal of Parallel and
//           Distributed Computing 14, 1992
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

typedef struct SplitSort {
    const Op *op;
    DimTiles tiles;
    SortSplit by;
    int last;       // the sorted dimension, moved behind all others
    Value **values; // one per operand: [.., t] at first
} SplitSort;

// ---- small ops ----

// [batch dims.., sizes], of the index type.
static const Type *numbers(Local *local, const SplitSort *s, int count, const int64_t *sizes) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < s->last; d++)
        dims[d] = s->values[0]->type->dims[d];
    for (int i = 0; i < count; i++)
        dims[s->last + i] = sizes[i];
    return type_tensor(local->context, local->index, s->last + count, dims);
}

static Value *count_up(Local *local, const SplitSort *s, int64_t size) {
    return build_iota(&local->builder, numbers(local, s, 1, &size), s->last);
}

static Value *with_int(Local *local, OpCode code, Value *x, int64_t number) {
    return build_binary(
        &local->builder, code, x, build_splat_int(&local->builder, x->type, number));
}

static Value *is_before(Local *local, Value *x, Value *y) {
    return build_compare(&local->builder, DIRECTION_LT, x, y);
}

// x [batch dims.., size] along dimension `at` of two behind the batch dims.
static Value *spread(Local *local, const SplitSort *s, Value *x, const Type *type, int at) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d <= s->last; d++)
        dims[d] = d < s->last ? d : s->last + at;
    return build_broadcast_in_dim(&local->builder, x, type, dims);
}

// [.., p, p] or [.., p, size] reduced over the tiles.
static Value *reduce_at(Local *local, const SplitSort *s, OpCode code, Value *x, int at) {
    return build_reduce(&local->builder, code, x, 1, &(int64_t){s->last + at});
}

// ---- sorts ----

// A stable sort of the values, still without a comparator. The values become its results.
static Op *make_sort(Local *local, const SplitSort *s, int count, Value **values) {
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, count);
    for (int i = 0; i < count; i++)
        types[i] = values[i]->type;
    Op *sort = build_op(&local->builder, OP_SORT, count, values, count, types, 1);
    const Attr *dimension = attr_int(local->context, s->last, ELEMENT_I64);
    op_set_attr(local->module, sort, NAME_DIMENSION, dimension);
    op_set_attr(local->module, sort, NAME_IS_STABLE, attr_bool(local->context, true));
    for (int i = 0; i < count; i++)
        values[i] = op_result(sort, i);
    return sort;
}

// The values, and what goes along with them (`count` in all), in the order of the op's comparator.
static bool sort_values(Local *local, const SplitSort *s, int count, Value **values) {
    Op *sort = make_sort(local, s, count, values);
    if (!local_region(local, s->op->regions[0], sort->regions[0])) return false;
    for (int i = s->op->operand_count; i < count; i++) {
        const Type *scalar = type_with_dims(local->context, op_operand_type(sort, i), 0, NULL);
        region_add_arg(local->module, sort->regions[0], scalar, local->builder.loc);
        region_add_arg(local->module, sort->regions[0], scalar, local->builder.loc);
    }
    return true;
}

// ---- padding ----

// Of (exists, x.., exists, y..) the one that exists and comes last.
static bool build_last_of_two(Local *local, const SplitSort *s, Op *reduce) {
    int count = s->op->operand_count;
    Region *body = reduce->regions[0];
    const Region *comparator = s->op->regions[0];
    for (int i = 0; i < reduce->operand_count; i++) {
        const Type *scalar = op_operand_type(reduce, i % (count + 1) + count + 1);
        region_add_arg(local->module, body, scalar, local->builder.loc);
    }
    Builder outer = local->builder;
    local->builder = builder_at_end(local->module, body);
    local->builder.loc = outer.loc;
    Value *const *x = body->args, *const *y = x + count + 1;
    for (int i = 0; i < count; i++) {
        local_set(local, comparator->args[2 * i], x[i + 1]);
        local_set(local, comparator->args[2 * i + 1], y[i + 1]);
    }
    bool ok = local_inline(local, comparator);
    if (ok) {
        Builder *b = &local->builder;
        Value *is_less = local_value(local, op_operand(region_terminator(comparator), 0));
        Value *takes_y = build_binary(b, OP_OR, is_less, build_unary(b, OP_NOT, x[0]));
        takes_y = build_binary(b, OP_AND, takes_y, y[0]);
        Value **results = ARENA_ARRAY(local->scratch, Value *, count + 1);
        results[0] = build_binary(b, OP_OR, x[0], y[0]);
        for (int i = 1; i <= count; i++)
            results[i] = build_select(b, takes_y, y[i], x[i]);
        build_return(b, OP_RETURN, count + 1, results);
    }
    local->builder = outer;
    return ok;
}

// (exists, values..), in place, reduced along the sorted dimension to what exists and comes last.
static bool reduce_to_last(Local *local, const SplitSort *s, Value **all) {
    int count = s->op->operand_count + 1;
    Value **operands = ARENA_ARRAY(local->scratch, Value *, 2 * count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, count);
    for (int i = 0; i < count; i++) {
        operands[i] = all[i];
        operands[count + i] = local_zero(local, all[i]->type);
        types[i] = type_with_dims(local->context, all[i]->type, s->last, all[i]->type->dims);
    }
    Op *reduce = build_op(&local->builder, OP_REDUCE, 2 * count, operands, count, types, 1);
    const Attr *dims = attr_ints(local->context, 1, &(int64_t){s->last});
    op_set_attr(local->module, reduce, NAME_DIMENSIONS, dims);
    for (int i = 0; i < count; i++)
        all[i] = op_result(reduce, i);
    return build_last_of_two(local, s, reduce);
}

// What a tile holds beyond the array becomes a copy of the array's last element in
// order: it stays behind all others.
static bool fill_padding(Local *local, const SplitSort *s) {
    if (!tiles_are_padded(&s->tiles)) return true;
    int count = s->op->operand_count + 1;
    Value **last = ARENA_ARRAY(local->scratch, Value *, count);
    const Type *flags = type_with_element(local->context, s->values[0]->type, ELEMENT_I1);
    Value *exists = build_splat_int(&local->builder, flags, 1);
    Value *no = local_zero(local, flags);
    last[0] = exists = local_mask_padding(local, exists, &s->tiles, s->last, no);
    for (int i = 1; i < count; i++)
        last[i] = s->values[i - 1];
    if (!reduce_to_last(local, s, last)) return false;
    int64_t dims[MAX_RANK];
    for (int d = 0; d <= s->last; d++)
        dims[d] = d < s->last ? s->values[0]->type->dims[d] : 1;
    for (int i = 0; i < count; i++) {
        last[i] = build_reshape(&local->builder, last[i], s->last + 1, dims);
        last[i] = emit_gather_dim(local, last[i], &s->tiles, s->last);
    }
    if (!reduce_to_last(local, s, last)) return false;
    for (int i = 1; i < count; i++) {
        Value **x = &s->values[i - 1];
        int64_t kept[MAX_RANK];
        for (int d = 0; d < s->last; d++)
            kept[d] = d;
        Value *fill = build_broadcast_in_dim(&local->builder, last[i], (*x)->type, kept);
        *x = build_select(&local->builder, exists, *x, fill);
    }
    return true;
}

// ---- samples ----

// Every step-th element of each tile of x [.., p t].
static Value *sample(Local *local, const SplitSort *s, Value *x) {
    int rank = s->last + 2;
    int64_t dims[MAX_RANK], starts[MAX_RANK] = {0}, strides[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        dims[d] = d < s->last ? x->type->dims[d] : d == s->last ? s->tiles.count : s->tiles.tile;
        strides[d] = 1;
    }
    x = build_reshape(&local->builder, x, rank, dims);
    starts[rank - 1] = s->by.first;
    strides[rank - 1] = s->by.step;
    x = build_slice(&local->builder, x, starts, dims, strides);
    dims[s->last] = s->tiles.count * s->by.samples;
    return build_reshape(&local->builder, x, rank - 1, dims);
}

// Where the samples lie in the array, sorted like them.
static bool sort_samples(Local *local, const SplitSort *s, Value *const *all, Value **places) {
    int count = s->op->operand_count;
    Value **samples = ARENA_ARRAY(local->scratch, Value *, count + 1);
    for (int i = 0; i < count; i++)
        samples[i] = sample(local, s, all[i]);
    samples[count] = sample(local, s, count_up(local, s, s->tiles.count * s->tiles.tile));
    if (!sort_values(local, s, count + 1, samples)) return false;
    *places = samples[count];
    return true;
}

// How many of the first `limit` (a scalar) samples are of each tile: [.., p].
static Value *count_samples(Local *local, const SplitSort *s, Value *places, Value *limit) {
    Builder *b = &local->builder;
    const int64_t sizes[2] = {s->tiles.count, s->tiles.count * s->by.samples};
    const Type *type = numbers(local, s, 2, sizes);
    Value *tiles = spread(local, s, with_int(local, OP_DIVIDE, places, s->tiles.tile), type, 1);
    Value *own = build_compare(b, DIRECTION_EQ, tiles, build_iota(b, type, s->last));
    Value *end = local_splat(local, limit, type);
    Value *counted = is_before(local, build_iota(b, type, s->last + 1), end);
    Value *both = build_binary(b, OP_AND, own, counted);
    return reduce_at(local, s, OP_ADD, build_convert(b, both, local->index), 1);
}

// ---- candidates ----

// The candidates of tile j: [starts, starts + lengths) of it, `before` of them are of
// tiles before it; [.., p] each.
typedef struct Bounds {
    Value *starts, *lengths, *before;
    Value *skipped; // scalar: how many elements lie before the starts
    Value *filler; // [.., 1]: the place of an element that is not before those of the device's tile
} Bounds;

static Value *sum_before(Local *local, const SplitSort *s, Value *lengths) {
    Builder *b = &local->builder;
    const int64_t sizes[2] = {s->tiles.count, s->tiles.count};
    const Type *type = numbers(local, s, 2, sizes);
    Value *own = build_iota(b, type, s->last);
    Value *is_counted = is_before(local, build_iota(b, type, s->last + 1), own);
    Value *all = spread(local, s, lengths, type, 1);
    Value *counted = build_select(b, is_counted, all, build_splat_int(b, type, 0));
    return reduce_at(local, s, OP_ADD, counted, 1);
}

static Bounds find_bounds(Local *local, const SplitSort *s, Value *places) {
    const DimTiles *tiles = &s->tiles;
    int64_t samples = tiles->count * s->by.samples;
    Value *low = local_affine(local, tiles, tiles->tile, -tiles->count * s->by.first);
    low = build_binary(&local->builder, OP_MAXIMUM, low, local_int(local, 0));
    low = with_int(local, OP_DIVIDE, low, s->by.step);
    Value *high = local_affine(local, tiles, tiles->tile, tiles->tile);
    high = with_int(local, OP_DIVIDE, high, s->by.step);
    Value *ends = count_samples(local, s, places, high);
    ends = with_int(local, OP_ADD, with_int(local, OP_MULTIPLY, ends, s->by.step), s->by.first);
    ends = with_int(local, OP_MINIMUM, ends, tiles->tile);
    Bounds bounds;
    bounds.starts = count_samples(local, s, places, low);
    bounds.starts = with_int(local, OP_MULTIPLY, bounds.starts, s->by.step);
    bounds.skipped = with_int(local, OP_MULTIPLY, low, s->by.step);
    bounds.lengths = build_binary(&local->builder, OP_SUBTRACT, ends, bounds.starts);
    bounds.before = sum_before(local, s, bounds.lengths);
    high = with_int(local, OP_MINIMUM, high, samples - 1);
    bounds.filler = local_dynamic_slice_dim(local, places, s->last, high, 1);
    return bounds;
}

// Where the candidates lie in the gathered tiles: [.., candidates]. Number k, of tile j,
// is k + j t + starts_j - before_j: what is added to k grows with j, so it is the
// largest of the tiles that have begun.
static Value *candidate_places(Local *local, const SplitSort *s, const Bounds *bounds) {
    Builder *b = &local->builder;
    const int64_t sizes[2] = {s->tiles.count, s->by.candidates};
    const Type *type = numbers(local, s, 2, sizes);
    Value *shifts = with_int(local, OP_MULTIPLY, count_up(local, s, s->tiles.count), s->tiles.tile);
    shifts = build_binary(b, OP_ADD, shifts, bounds->starts);
    shifts = build_binary(b, OP_SUBTRACT, shifts, bounds->before);
    Value *number = build_iota(b, type, s->last + 1);
    Value *is_later = is_before(local, number, spread(local, s, bounds->before, type, 0));
    shifts = spread(local, s, shifts, type, 0);
    Value *begun = build_select(b, is_later, build_splat_int(b, type, 0), shifts);
    Value *shift = reduce_at(local, s, OP_MAXIMUM, begun, 0);
    Value *numbers_up = count_up(local, s, s->by.candidates);
    Value *place = build_binary(b, OP_ADD, numbers_up, shift);
    const Type *one = bounds->filler->type;
    Value *count = reduce_at(local, s, OP_ADD, bounds->lengths, 0);
    count = build_reshape(b, count, one->rank, one->dims);
    int64_t dims[MAX_RANK];
    for (int d = 0; d <= s->last; d++)
        dims[d] = d;
    count = build_broadcast_in_dim(b, count, place->type, dims);
    Value *filler = build_broadcast_in_dim(b, bounds->filler, place->type, dims);
    return build_select(b, is_before(local, numbers_up, count), place, filler);
}

// ---- all of it ----

// Dimension `from` behind the others, or back from there.
static Value *move_dim(Local *local, Value *x, int from, int to) {
    if (from == to) return x;
    int64_t permutation[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++)
        permutation[d] = d;
    int step = from < to ? 1 : -1;
    for (int d = from; d != to; d += step)
        permutation[d] = d + step;
    permutation[to] = from;
    return build_transpose(&local->builder, x, permutation);
}

static bool sort_split(Local *local, const SplitSort *s) {
    int count = s->op->operand_count;
    Value *places;
    if (!fill_padding(local, s) || !sort_values(local, s, count, s->values)) return false;
    for (int i = 0; i < count; i++)
        s->values[i] = emit_gather_dim(local, s->values[i], &s->tiles, s->last);
    if (!sort_samples(local, s, s->values, &places)) return false;
    Bounds bounds = find_bounds(local, s, places);
    places = candidate_places(local, s, &bounds);
    for (int i = 0; i < count; i++)
        s->values[i] = local_take_along_last(local, s->values[i], places);
    if (!sort_values(local, s, count, s->values)) return false;
    Value *offset = local_tile_offset(local, &s->tiles);
    offset = build_binary(&local->builder, OP_SUBTRACT, offset, bounds.skipped);
    for (int i = 0; i < count; i++) {
        s->values[i] = local_dynamic_slice_dim(local, s->values[i], s->last, offset, s->tiles.tile);
    }
    return true;
}

bool local_sort(Local *local, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    const Sharding *sharding = local_sharding(op_result(op, 0));
    int d = sort_dimension(op), count = op->operand_count;
    SplitSort s = {.op = op, .tiles = tiles_of(local, type, sharding, d), .last = type->rank - 1};
    if (!sort_may_be_split(op, s.tiles.count, &s.by)) return local_whole_dims(local, op);
    s.values = ARENA_ARRAY(local->scratch, Value *, count);
    for (int i = 0; i < count; i++) {
        Value *x = local_value_as(local, op_operand(op, i), sharding);
        s.values[i] = move_dim(local, x, d, s.last);
    }
    if (!sort_split(local, &s)) return false;
    for (int i = 0; i < count; i++) {
        Value *x = move_dim(local, s.values[i], s.last, d);
        local_set_as(local, op_result(op, i), x, sharding);
    }
    return true;
}

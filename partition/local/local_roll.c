// local_roll: elements that leave an array at one end and come back at the
// other, along a sharded dimension.
//
// concatenate(x[n - s :], x[: n - s]) moves every element s places on, around the array. So each
// device's tile is the end of one tile and the begin of the next one: two slices at fixed places,
// of the devices q + 1 and q places before it, where s = q * tile + r.
//
//   tile 4, s = 5            device 0        device 1        device 2
//     before                 0 1 2 3         4 5 6 7         8 9 10 11
//     after                  7 8 9 10        11 0 1 2        3 4 5 6
#include "partition/local/local.h"

static bool is_slice_of(const Value *value, int d, int64_t start, int64_t limit) {
    const Op *op = value->def;
    if (!op || op->code != OP_SLICE) return false;
    const Type *from = op_operand_type(op, 0);
    IntSpan starts = op_ints(op, NAME_START_INDICES), limits = op_ints(op, NAME_LIMIT_INDICES),
            strides = op_ints(op, NAME_STRIDES);
    for (int i = 0; i < from->rank; i++) {
        int64_t low = i == d ? start : 0, high = i == d ? limit : from->dims[i];
        if (starts.data[i] != low || limits.data[i] != high) return false;
        if (i < strides.count && strides.data[i] != 1) return false;
    }
    return true;
}

// The array whose elements the concatenation moves around it, and by how many
// places; NULL = it is something else.
static const Value *rolled_array(const Op *op, int d, int64_t *shift) {
    if (op->operand_count != 2) return NULL;
    const Value *last = op_operand(op, 0), *first = op_operand(op, 1);
    if (!last->def || !first->def || last->def->operand_count != 1) return NULL;
    const Value *x = op_operand(last->def, 0);
    if (first->def->operand_count != 1 || op_operand(first->def, 0) != x) return NULL;
    if (x->type != op_result_type(op, 0)) return NULL;
    int64_t size = x->type->dims[d];
    *shift = last->type->dims[d];
    bool fits =
        is_slice_of(last, d, size - *shift, size) && is_slice_of(first, d, 0, size - *shift);
    return fits ? x : NULL;
}

// x of the device that many places before, around the dimension.
static Value *from_before(Local *local, Value *x, const DimTiles *tiles, int64_t places) {
    const Attr *groups = replica_groups(local, tiles->mesh, tiles->axes, tiles->axis_count);
    int64_t *pairs = ARENA_ARRAY(local->scratch, int64_t, 2 * local->device_count);
    places %= tiles->count;
    if (places == 0) return x;
    for (int64_t i = 0; i < local->device_count; i++) {
        int64_t first = i / tiles->count * tiles->count, c = i % tiles->count;
        int64_t from = (c + tiles->count - places) % tiles->count;
        pairs[2 * i] = attr_element_int(groups, first + from);
        pairs[2 * i + 1] = attr_element_int(groups, i);
    }
    return emit_permute(local, x, local->device_count, pairs);
}

bool local_roll(Local *local, const Op *op) {
    const Value *result = op_result(op, 0);
    int d = (int)op_int(op, NAME_DIMENSION, 0);
    DimTiles tiles = value_tiles(local, result, d);
    int64_t shift;
    const Value *whole = rolled_array(op, d, &shift);
    if (!whole || tiles.count == 1 || tiles.tile == 0 || tiles_are_padded(&tiles)) return false;
    const Sharding *out = local_sharding(result);
    if (!shardings_place_alike(local, whole->type, local_sharding(whole), out)) return false;
    Value *x = local_value_as(local, whole, out), *parts[2];
    int64_t places = shift / tiles.tile, rest = shift % tiles.tile;
    Value *begin = local_slice_dim(local, x, d, 0, tiles.tile - rest, 1);
    parts[1] = from_before(local, begin, &tiles, places);
    if (rest) {
        Value *end = local_slice_dim(local, x, d, tiles.tile - rest, tiles.tile, 1);
        parts[0] = from_before(local, end, &tiles, places + 1);
    }
    local_set(local, result, rest ? build_concatenate(&local->builder, 2, parts, d) : parts[1]);
    return true;
}

// local_halo: slabs of a sharded dimension that reach beyond a device's own tile.
//
//   c          coordinate of the device along the dimension's axes
//   wanted     elements [c * stride + low, .. + size) of the global dimension, on every device
//   own tile   elements [c * tile, (c + 1) * tile)
//
//   tile 4, stride 4, low -1, size 6 (a window of three):
//
//     device 0        device 1        device 2
//     0 1 2 3         4 5 6 7         8 9 10 11
//   . 0 1 2 3 4     3 4 5 6 7 8     7 8 9 10 11 .        one element from either neighbour
//
// Every shift k of the devices contributes the union of what any device wants from the device k
// places on: one collective_permute of that border slab. Where that would move as much as gathering
// the dimension does, the dimension is gathered.
#include "partition/local/local.h"

#include <assert.h>

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

// What is wanted, relative to the own tile's first element, over all devices: [begin, end).
typedef struct HaloExtent {
    int64_t begin, end;
} HaloExtent;

static HaloExtent reach_of(const DimTiles *tiles, HaloRange wanted) {
    int64_t last = (tiles->count - 1) * (wanted.stride - tiles->tile);
    return (HaloExtent){wanted.low + min64(0, last), wanted.low + max64(0, last) + wanted.size};
}

// Does the device with coordinate c want existing elements of the tile k places on?
static bool wants(const DimTiles *tiles, int64_t c, int64_t k, HaloRange wanted) {
    int64_t other = c + k;
    if (other < 0 || other >= tiles->count) return false;
    int64_t begin = max64(c * wanted.stride + wanted.low, other * tiles->tile);
    int64_t end = min64(c * wanted.stride + wanted.low + wanted.size, (other + 1) * tiles->tile);
    int64_t limit = wanted.limit > 0 ? min64(wanted.limit, tiles->global) : tiles->global;
    return begin < min64(end, limit);
}

// The part of the tile k places on that lies within reach: [begin, end) in that tile.
static HaloExtent part_of_tile(const DimTiles *tiles, HaloExtent reach, int64_t k) {
    return (HaloExtent){
        max64(0, reach.begin - k * tiles->tile), min64(tiles->tile, reach.end - k * tiles->tile)};
}

static bool anybody_wants(const DimTiles *tiles, int64_t k, HaloRange wanted) {
    for (int64_t c = 0; c < tiles->count; c++) {
        if (wants(tiles, c, k, wanted)) return true;
    }
    return false;
}

// Elements along the dimension that the permutes would bring to each device.
static int64_t moved_elements(const DimTiles *tiles, HaloExtent reach, HaloRange wanted) {
    int64_t moved = 0;
    int64_t first = floor_div(reach.begin, tiles->tile),
            last = floor_div(reach.end - 1, tiles->tile);
    for (int64_t k = first; k <= last; k++) {
        if (k == 0 || !anybody_wants(tiles, k, wanted)) continue;
        HaloExtent part = part_of_tile(tiles, reach, k);
        moved += part.end - part.begin;
    }
    return moved;
}

// The slab of the device k places on, on every device that wants it; zeros elsewhere.
static Value *shifted_slab(
    Local *local, Value *x, const DimTiles *tiles, int d, int64_t k, HaloExtent part,
    HaloRange wanted) {
    Value *slab = local_slice_dim(local, x, d, part.begin, part.end, 1);
    if (k == 0) return slab;
    if (!anybody_wants(tiles, k, wanted)) {
        return local_splat(local, local_zero(local, slab->type), slab->type);
    }
    int64_t pair_count = 0;
    int64_t *pairs = ARENA_ARRAY(local->scratch, int64_t, 2 * local->device_count);
    const Attr *groups = replica_groups(local, tiles->mesh, tiles->axes, tiles->axis_count);
    for (int64_t first = 0; first < local->device_count; first += tiles->count) {
        for (int64_t c = 0; c < tiles->count; c++) {
            if (!wants(tiles, c, k, wanted)) continue;
            pairs[2 * pair_count] = attr_element_int(groups, first + c + k);
            pairs[2 * pair_count + 1] = attr_element_int(groups, first + c);
            pair_count++;
        }
    }
    return emit_permute(local, slab, pair_count, pairs);
}

static Value *fetch_by_gather(
    Local *local, Value *x, const DimTiles *tiles, int d, HaloRange wanted) {
    x = local_slice_dim(local, emit_gather_dim(local, x, tiles, d), d, 0, tiles->global, 1);
    int64_t before = max64(0, -wanted.low);
    int64_t after =
        max64(0, (tiles->count - 1) * wanted.stride + wanted.low + wanted.size - tiles->global);
    x = local_pad_dim(local, x, d, local_zero(local, x->type), before, after, 0);
    return local_dynamic_slice_dim(
        local, x, d, local_affine(local, tiles, wanted.stride, wanted.low + before), wanted.size);
}

// ---- slabs that begin elsewhere on every device ----

// Shifts k != 0 that somebody needs.
static int64_t wanted_shifts(const DimTiles *tiles, HaloExtent reach, HaloRange wanted) {
    int64_t count = 0;
    int64_t first = floor_div(reach.begin, tiles->tile),
            last = floor_div(reach.end - 1, tiles->tile);
    for (int64_t k = first; k <= last; k++)
        count += k != 0 && anybody_wants(tiles, k, wanted);
    return count;
}

// clamp((q - k) * stride + low - q * tile, 0, tile - width) for q = coordinate + ahead: where in
// tile q the window begins that the device k places before it wants.
static Value *window_start(
    Local *local, const DimTiles *tiles, int64_t ahead, int64_t k, HaloRange wanted,
    int64_t width) {
    Builder *b = &local->builder;
    int64_t base = (ahead - k) * wanted.stride + wanted.low - ahead * tiles->tile;
    Value *start = local_affine(local, tiles, wanted.stride - tiles->tile, base);
    start = build_binary(b, OP_MINIMUM, start, local_int(local, tiles->tile - width));
    return build_binary(b, OP_MAXIMUM, start, local_int(local, 0));
}

// Every device cuts out of its tile what the device k places before it wants, and sends that. The
// receiver puts the pieces together.
static Value *fetch_windows(
    Local *local, Value *x, const DimTiles *tiles, int d, HaloRange wanted) {
    Builder *b = &local->builder;
    HaloExtent reach = reach_of(tiles, wanted);
    int64_t width = min64(wanted.size, tiles->tile);
    Value *result = NULL;
    int64_t first = floor_div(reach.begin, tiles->tile),
            last = floor_div(reach.end - 1, tiles->tile);
    for (int64_t k = first; k <= last; k++) {
        if (!anybody_wants(tiles, k, wanted)) continue;
        Value *start = window_start(local, tiles, 0, k, wanted, width);
        Value *piece = local_dynamic_slice_dim(local, x, d, start, width);
        piece = shifted_slab(local, piece, tiles, d, k, (HaloExtent){0, width}, wanted);
        // Place of the piece in the slab:
        // (c + k) * tile + start of the sender - (c * stride + low).
        Value *sent = window_start(local, tiles, k, k, wanted, width);
        Value *place = build_binary(
            b, OP_ADD, sent,
            local_affine(local, tiles, tiles->tile - wanted.stride, k * tiles->tile - wanted.low));
        Value *zero = local_zero(local, x->type);
        Value *padded = local_pad_dim(local, piece, d, zero, wanted.size, wanted.size, 0);
        Value *at = build_binary(b, OP_SUBTRACT, local_int(local, wanted.size), place);
        Value *moved = local_dynamic_slice_dim(local, padded, d, at, wanted.size);
        if (result) {
            Value *minus = build_unary(b, OP_NEGATE, place);
            moved = local_mask_dim(local, moved, d, minus, 0, width, result);
        }
        result = moved;
    }
    if (result) return result;
    x = local_slice_dim(local, x, d, 0, 0, 1);
    return local_pad_dim(local, x, d, local_zero(local, x->type), wanted.size, 0, 0);
}

// The slab of the device k places on, `fill` (a scalar) where there is no such device.
static Value *filled_slab(
    Local *local, Value *slab, const DimTiles *tiles, int64_t k, Value *fill) {
    Value *other = local_affine(local, tiles, 1, k);
    Value *limit = local_int(local, k < 0 ? 0 : tiles->count);
    int direction = k < 0 ? DIRECTION_GE : DIRECTION_LT;
    Value *exists = build_compare(&local->builder, direction, other, limit);
    return build_select(&local->builder, exists, slab, local_splat(local, fill, slab->type));
}

// The slabs of all shifts side by side; fill: instead of zeros outside of the array, NULL = zeros.
static Value *fetch_slabs(
    Local *local, Value *x, const DimTiles *tiles, int d, Value *fill, HaloRange wanted) {
    HaloExtent reach = reach_of(tiles, wanted);
    VEC(Value *) slabs = {0};
    int64_t first = floor_div(reach.begin, tiles->tile),
            last = floor_div(reach.end - 1, tiles->tile);
    for (int64_t k = first; k <= last; k++) {
        HaloExtent part = part_of_tile(tiles, reach, k);
        Value *slab = shifted_slab(local, x, tiles, d, k, part, wanted);
        if (fill && k != 0) slab = filled_slab(local, slab, tiles, k, fill);
        vec_push(local->scratch, &slabs, slab);
    }
    assert(slabs.count > 0);
    x = slabs.count == 1 ? slabs.data[0]
                         : build_concatenate(&local->builder, (int)slabs.count, slabs.data, d);
    if (x->type->dims[d] == wanted.size) return x;
    // Where the wanted slab begins in what was put together:
    // c * (stride - tile) + low - reach.begin.
    Value *start =
        local_affine(local, tiles, wanted.stride - tiles->tile, wanted.low - reach.begin);
    return local_dynamic_slice_dim(local, x, d, start, wanted.size);
}

typedef enum FetchWay { FETCH_SLABS, FETCH_WINDOWS, FETCH_GATHER } FetchWay;

static FetchWay way_to_fetch(const DimTiles *tiles, HaloRange wanted) {
    HaloExtent reach = reach_of(tiles, wanted);
    int64_t by_slabs = moved_elements(tiles, reach, wanted);
    int64_t by_windows = wanted_shifts(tiles, reach, wanted) * min64(wanted.size, tiles->tile);
    int64_t slab_count =
        floor_div(reach.end - 1, tiles->tile) - floor_div(reach.begin, tiles->tile) + 1;
    bool windows_pay = wanted.stride != tiles->tile && (by_windows < by_slabs || slab_count > 4);
    if (min64(by_slabs, by_windows) >= tiles->global) return FETCH_GATHER;
    return windows_pay ? FETCH_WINDOWS : FETCH_SLABS;
}

Value *local_fetch(Local *local, Value *x, const DimTiles *tiles, int d, HaloRange wanted) {
    if (wanted.size == 0) return local_slice_dim(local, x, d, 0, 0, 1);
    if (tiles->tile == 0)
        return local_pad_dim(local, x, d, local_zero(local, x->type), wanted.size, 0, 0);
    if (tiles->count == 1) {
        Value *zero = local_zero(local, x->type);
        int64_t high = wanted.low + wanted.size - tiles->global;
        x = local_pad_dim(local, x, d, zero, max64(0, -wanted.low), max64(0, high), 0);
        int64_t start = max64(0, wanted.low);
        return local_slice_dim(local, x, d, start, start + wanted.size, 1);
    }
    switch (way_to_fetch(tiles, wanted)) {
    case FETCH_GATHER: return fetch_by_gather(local, x, tiles, d, wanted);
    case FETCH_WINDOWS: return fetch_windows(local, x, tiles, d, wanted);
    case FETCH_SLABS: break;
    }
    return fetch_slabs(local, x, tiles, d, NULL, wanted);
}

Value *local_mirror(Local *local, Value *x, const DimTiles *tiles) {
    int64_t *pairs = ARENA_ARRAY(local->scratch, int64_t, 2 * local->device_count);
    const Attr *groups = replica_groups(local, tiles->mesh, tiles->axes, tiles->axis_count);
    for (int64_t i = 0; i < local->device_count; i++) {
        int64_t c = i % tiles->count;
        pairs[2 * i] = attr_element_int(groups, i - c + tiles->count - 1 - c);
        pairs[2 * i + 1] = attr_element_int(groups, i);
    }
    return emit_permute(local, x, local->device_count, pairs);
}

// A constant whose bits are all zero.
static bool is_zero(const Value *value) {
    const Op *def = value->def;
    if (!def || def->code != OP_CONSTANT) return false;
    const Attr *elements = op_attr(def, NAME_VALUE);
    const char *bytes = elements->data;
    for (size_t i = 0; i < elements->data_size; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

// What lies outside the array is zero already after a fetch, but for the padding of tiles.
static bool needs_mask(const DimTiles *tiles, Value *fill, HaloRange wanted) {
    int64_t last = (tiles->count - 1) * wanted.stride + wanted.low + wanted.size;
    if (wanted.low >= 0 && last <= tiles->global) return false;
    return tiles_are_padded(tiles) || !is_zero(fill);
}

// Slabs that begin alike on all devices lie inside of the array or outside as a whole.
static Value *fetch_filled(
    Local *local, Value *x, const DimTiles *tiles, int d, Value *fill, HaloRange wanted) {
    bool is_masked = needs_mask(tiles, fill, wanted);
    if (is_masked && tiles->count > 1 && tiles->tile > 0 && !tiles_are_padded(tiles) &&
        wanted.stride == tiles->tile && way_to_fetch(tiles, wanted) == FETCH_SLABS)
        return fetch_slabs(local, x, tiles, d, fill, wanted);
    x = local_fetch(local, x, tiles, d, wanted);
    if (!is_masked) return x;
    Value *offset = local_affine(local, tiles, wanted.stride, wanted.low);
    return local_mask_dim(local, x, d, offset, 0, tiles->global, fill);
}

Value *local_fetch_dilated(
    Local *local, Value *x, const DimTiles *tiles, int d, Value *fill, int64_t step,
    HaloRange wanted) {
    assert(wanted.stride % step == 0);
    // The first element i with i * step >= c * stride + low is c * stride / step + first, `phase`
    // places behind the slab's begin.
    int64_t first = -floor_div(-wanted.low, step);
    int64_t phase = first * step - wanted.low;
    int64_t count = wanted.size > phase ? (wanted.size - phase + step - 1) / step : 0;
    if (count == 0) {
        x = local_slice_dim(local, x, d, 0, 0, 1);
        return local_pad_dim(local, x, d, fill, wanted.size, 0, 0);
    }
    int64_t limit = wanted.limit > 0 ? (wanted.limit + step - 1) / step : 0;
    HaloRange elements = {wanted.stride / step, first, count, limit};
    x = fetch_filled(local, x, tiles, d, fill, elements);
    int64_t high = wanted.size - phase - ((count - 1) * step + 1);
    return local_pad_dim(local, x, d, fill, phase, high, step - 1);
}

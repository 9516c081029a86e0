// local_dynamic_slice: slices and updates of sharded dimensions that begin at a computed place.
#include "partition/local/indexed/local_indices.h"
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

// Where the update begins relative to the tile: clamp(start, 0, global - size) - offset, as i32.
static Value *own_start(Local *local, Value *start, const DimTiles *tiles, int64_t size) {
    Builder *b = &local->builder;
    start = signed_indices(local, start);
    const Type *type = start->type;
    start = build_binary(b, OP_MINIMUM, start, build_splat_int(b, type, tiles->global - size));
    start = build_binary(b, OP_MAXIMUM, start, build_splat_int(b, type, 0));
    start = build_convert(b, start, local->index);
    return build_binary(b, OP_SUBTRACT, start, local_tile_offset(local, tiles));
}

// All starts of an op must have one type.
static void convert_starts(Local *local, Value **starts, int count) {
    for (int i = 0; i < count; i++) {
        starts[i] = build_convert(&local->builder, starts[i], ELEMENT_I64);
    }
}

// Sharded dims of which each device takes what lies in its own tile.
// *sharding: the operand's during the op.
static unsigned masked_dims(Local *local, const Op *op, const Sharding **sharding) {
    const Value *operand = op_operand(op, 0);
    const Sharding *own = local_sharding(operand);
    unsigned masked = 0;
    for (int d = 0; d < operand->type->rank; d++) {
        if (operand->type->dims[d] == op_result_type(op, 0)->dims[d]) continue;
        if (tiles_of(local, operand->type, own, d).count == 1 || !slice_may_be_masked(op, d))
            continue;
        if (sharding_set_dim(local, sharding, operand->type->rank, d, own, d)) masked |= 1u << d;
    }
    return masked;
}

// The slice's elements that lie in the tile of dimension d, zero for the others: the
// tile between two margins of zeros, from where the slice begins. The all_reduce behind
// the op adds the devices' parts.
static Value *slice_with_margins(
    Local *local, Value *x, int d, const DimTiles *tiles, int64_t size, Value **start) {
    Builder *b = &local->builder;
    Value *fill = local_nothing(local, type_with_dims(local->context, x->type, 0, NULL));
    x = local_pad_dim(local, x, d, fill, size, size, 0);
    *start = own_start(local, *start, tiles, size);
    *start = build_binary(b, OP_ADD, *start, local_int(local, size));
    return x;
}

bool local_dynamic_slice(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    int rank = operand->type->rank;
    unsigned whole = 0;
    for (int d = 0; d < rank; d++) {
        if (operand->type->dims[d] != result->type->dims[d]) whole |= 1u << d;
    }
    const Sharding *out = sharding_without_dims(local->context, local_sharding(result), whole);
    const Sharding *in = out;
    unsigned masked = masked_dims(local, op, &in);
    Value *x = local_value_as(local, operand, in);
    const Type *type = local_type(local, result->type, out);
    Value *starts[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        starts[d] = local_value_as(local, op_operand(op, d + 1), NULL);
        if (!(masked >> d & 1)) continue;
        DimTiles tiles = tiles_of(local, operand->type, in, d);
        x = slice_with_margins(local, x, d, &tiles, result->type->dims[d], &starts[d]);
    }
    if (masked) convert_starts(local, starts, rank);
    Value *slice = build_dynamic_slice(&local->builder, x, starts, type->dims);
    local_set_as(local, result, slice, out);
    return true;
}

// A sharded dimension that the update covers in part. Each tile is changed in one place, as wide as
// the update or the tile; what of the place the update does not reach is written as it was:
//
//   tile [4, 8), update of 3 elements from 6 on: own start 2, in the tile at most 1
//     place    5 6 7
//     update     0 1     of the update's elements: place + shift, shift = 1 - 2
typedef struct OwnPlace {
    Value *start; // of the place, in the tile
    Value *shift; // NULL = the update is not shifted in this dimension
} OwnPlace;

static OwnPlace own_place(Local *local, Value *start, const DimTiles *tiles, int64_t size) {
    Builder *b = &local->builder;
    int64_t width = size < tiles->tile ? size : tiles->tile;
    Value *own = own_start(local, start, tiles, size);
    OwnPlace place = {.start = build_binary(b, OP_MAXIMUM, own, local_int(local, 0))};
    place.start = build_binary(b, OP_MINIMUM, place.start, local_int(local, tiles->tile - width));
    place.shift = build_binary(b, OP_SUBTRACT, place.start, own);
    return place;
}

// The update's elements at the place, and x's where it has none.
static Value *update_of_place(
    Local *local, Value *update, Value *old, const OwnPlace *places, const int64_t *sizes) {
    Builder *b = &local->builder;
    Value *inside = NULL; // of one element along a dimension: there, or not
    for (int d = 0; d < update->type->rank; d++) {
        if (!places[d].shift || sizes[d] > 1) continue;
        Value *in = build_compare(b, DIRECTION_EQ, places[d].shift, local_int(local, 0));
        inside = inside ? build_binary(b, OP_AND, inside, in) : in;
    }
    for (int d = 0; d < update->type->rank; d++) {
        int64_t width = old->type->dims[d];
        if (!places[d].shift || sizes[d] == 1) continue;
        Value *from = build_binary(b, OP_ADD, places[d].shift, local_int(local, width));
        update = local_pad_dim(local, update, d, local_zero(local, old->type), width, width, 0);
        update = local_dynamic_slice_dim(local, update, d, from, width);
    }
    for (int d = 0; d < update->type->rank; d++) {
        if (places[d].shift && sizes[d] > 1)
            update = local_mask_dim(local, update, d, places[d].shift, 0, sizes[d], old);
    }
    return inside ? build_select(b, inside, update, old) : update;
}

bool local_dynamic_update_slice(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *update = op_operand(op, 1);
    const Sharding *sharding = local_sharding(op_result(op, 0));
    int rank = operand->type->rank;
    unsigned partial = 0, shifted = 0;
    for (int d = 0; d < rank; d++) {
        if (operand->type->dims[d] != update->type->dims[d]) partial |= 1u << d;
    }
    Value *x = local_value_as(local, operand, sharding);
    Value *part =
        local_value_as(local, update, sharding_without_dims(local->context, sharding, partial));
    Value *starts[MAX_RANK];
    OwnPlace places[MAX_RANK] = {0};
    int64_t widths[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        starts[d] = local_value_as(local, op_operand(op, d + 2), NULL);
        widths[d] = part->type->dims[d];
        DimTiles tiles = tiles_of(local, operand->type, sharding, d);
        if (tiles.count == 1 || !(partial >> d & 1)) continue;
        shifted |= 1u << d;
        places[d] = own_place(local, starts[d], &tiles, update->type->dims[d]);
        starts[d] = places[d].start;
        if (widths[d] > tiles.tile) widths[d] = tiles.tile;
    }
    if (shifted) {
        convert_starts(local, starts, rank);
        Value *old = build_dynamic_slice(&local->builder, x, starts, widths);
        part = update_of_place(local, part, old, places, update->type->dims);
    }
    x = build_dynamic_update_slice(&local->builder, x, part, starts);
    local_set(local, op_result(op, 0), x);
    return true;
}

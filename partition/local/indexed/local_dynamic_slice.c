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

// A sharded dimension that the update covers in part: the tile gets a margin as wide
// as the update on both sides, so that an update that reaches beyond the tile, or
// misses it, writes into the margin.
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
    Value *starts[MAX_RANK], *inside = NULL;
    bool all_single = true;
    for (int d = 0; d < rank; d++) {
        starts[d] = local_value_as(local, op_operand(op, d + 2), NULL);
        DimTiles tiles = tiles_of(local, operand->type, sharding, d);
        if (tiles.count == 1 || !(partial >> d & 1)) continue;
        shifted |= 1u << d;
        all_single = all_single && update->type->dims[d] == 1;
        starts[d] = own_start(local, starts[d], &tiles, update->type->dims[d]);
    }
    if (!shifted) {
        Value *made = build_dynamic_update_slice(&local->builder, x, part, starts);
        local_set(local, op_result(op, 0), made);
        return true;
    }
    Builder *b = &local->builder;
    const Type *tile = x->type;
    for (int d = 0; d < rank; d++) {
        if (!(shifted >> d & 1)) continue;
        int64_t size = update->type->dims[d];
        if (!all_single) {
            x = local_pad_dim(local, x, d, local_zero(local, x->type), size, size, 0);
            starts[d] = build_binary(b, OP_ADD, starts[d], local_int(local, size));
            continue;
        }
        Value *below = build_compare(b, DIRECTION_LT, starts[d], local_int(local, tile->dims[d]));
        Value *above = build_compare(b, DIRECTION_GE, starts[d], local_int(local, 0));
        Value *in = build_binary(b, OP_AND, above, below);
        inside = inside ? build_binary(b, OP_AND, inside, in) : in;
    }
    convert_starts(local, starts, rank);
    if (all_single) {
        Value *old = build_dynamic_slice(b, x, starts, part->type->dims);
        part = build_select(b, inside, part, old);
    }
    x = build_dynamic_update_slice(b, x, part, starts);
    for (int d = 0; d < rank; d++) {
        if (x->type->dims[d] == tile->dims[d]) continue;
        int64_t size = update->type->dims[d];
        x = local_slice_dim(local, x, d, size, size + tile->dims[d], 1);
    }
    local_set(local, op_result(op, 0), x);
    return true;
}

// local_top_k: the k largest along a sharded dimension.
//
//   1. each device finds the k largest of its tile; what the tile holds beyond
//      the array is less than all else
//   2. these, and where they are in the array, are gathered: count * k instead of the whole
//      dimension
//   3. the k largest of them are the result, on all devices. Of equal elements the first
//      counts, as the devices are in order.
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

#include <string.h>

// What no element comes behind: in the total order of floats, or of integers.
static Value *last_in_order(Local *local, const Type *tensor, bool is_largest) {
    const Type *scalar = type_with_dims(local->context, tensor, 0, NULL);
    OpCode body = is_largest ? OP_MAXIMUM : OP_MINIMUM;
    if (!element_is_float(scalar->element)) {
        return build_constant(&local->builder, reduction_neutral(local->context, body, scalar));
    }
    // A NaN with the sign of what comes last; where there is none, the last number.
    unsigned char bytes[16];
    size_t size = element_bytes(scalar->element);
    int bits = element_bits(scalar->element);
    memset(bytes, 0xff, size);
    if (bits < 8) bytes[0] = (unsigned char)((1u << bits) - 1);
    if (!is_largest) bytes[size - 1] >>= 1;
    return build_constant(
        &local->builder, attr_elements(local->context, scalar, true, bytes, size));
}

static Op *make_top_k(Local *local, const Op *like, Value *x, int64_t k) {
    int rank = x->type->rank;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < rank; d++)
        dims[d] = d == rank - 1 ? k : x->type->dims[d];
    const Type *types[2];
    for (int i = 0; i < 2; i++)
        types[i] = type_with_dims(local->context, op_result_type(like, i), rank, dims);
    Op *made = local_clone(local, like, 1, &x, types);
    op_set_attr(local->module, made, NAME_K, attr_int(local->context, k, ELEMENT_I64));
    return made;
}

bool local_top_k(Local *local, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    Builder *b = &local->builder;
    int last = type->rank - 1;
    const Sharding *out =
        sharding_without_dims(local->context, local_sharding(op_result(op, 0)), 1u << last);
    const Sharding *in = out, *own = local_sharding(op_operand(op, 0));
    DimTiles tiles = tiles_of(local, type, own, last);
    bool is_split = top_k_may_be_split(op, tiles.count) &&
                    sharding_set_dim(local, &in, type->rank, last, own, last);
    Value *x = local_value_as(local, op_operand(op, 0), is_split ? in : out);
    int64_t k = op_int(op, NAME_K, 0);
    if (is_split && tiles_are_padded(&tiles)) {
        Value *fill = last_in_order(local, x->type, op_int(op, NAME_LARGEST, 1) != 0);
        x = local_mask_padding(local, x, &tiles, last, fill);
    }
    Op *made = make_top_k(local, op, x, k);
    Value *values = op_result(made, 0), *places = op_result(made, 1);
    if (is_split) {
        Value *offset = local_tile_offset(local, &tiles);
        offset = build_convert(b, offset, places->type->element);
        places = build_binary(b, OP_ADD, places, local_splat(local, offset, places->type));
        values = emit_gather_dim(local, values, &tiles, last);
        places = emit_gather_dim(local, places, &tiles, last);
        Op *best = make_top_k(local, op, values, k);
        values = op_result(best, 0);
        places = local_take_along_last(local, places, op_result(best, 1));
    }
    local_set_as(local, op_result(op, 0), values, out);
    local_set_as(local, op_result(op, 1), places, out);
    return true;
}

// local_top_k: the k largest along a sharded dimension.
//
//   1. each device finds the k largest of its tile; what the tile holds beyond the array is less than all else
//   2. these, and where they are in the array, are gathered: count * k instead of the whole dimension
//   3. the k largest of them are the result, on all devices. Of equal elements the first counts, as the devices are in order.
#include "partition/reshard_rules.h"
#include "partition/to_local.h"

#include <string.h>

// What no element comes behind: in the total order of floats, or of integers.
static Value *last_in_order(Local *local, const Type *tensor, bool is_largest) {
    const Type *scalar = type_with_dims(local->context, tensor, 0, NULL);
    unsigned char bytes[16];
    size_t size = element_bytes(scalar->element);
    bool is_signed = element_class(scalar->element) != CLASS_UINT;
    if (element_is_float(scalar->element)) {
        memset(bytes, 0xff, size); // a NaN with the sign of what comes last
    } else {
        memset(bytes, is_largest ? 0 : 0xff, size);
        if (is_signed) bytes[size - 1] = is_largest ? 0x80 : 0x7f;
    }
    if (element_is_float(scalar->element) && !is_largest) bytes[size - 1] = 0x7f;
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

// x[.., places[.., j]] along the last dimension.
static Value *take_along_last(Local *local, Value *x, Value *places) {
    int rank = x->type->rank;
    int64_t batch[MAX_RANK], ones[MAX_RANK], last = rank - 1;
    for (int d = 0; d < rank; d++) {
        batch[d] = d;
        ones[d] = 1;
    }
    const GatherDims dims = {
        .collapsed_slice_dims = {&last, 1},
        .operand_batching_dims = {batch, rank - 1},
        .start_indices_batching_dims = {batch, rank - 1},
        .start_index_map = {&last, 1},
        .index_vector_dim = rank,
    };
    const Attr prototype = {.kind = ATTR_GATHER_DIMS, .gather = &dims};
    Value *operands[2] = {x, places};
    const Type *type = type_with_element(local->context, places->type, x->type->element);
    Op *op = build_op(&local->builder, OP_GATHER, 2, operands, 1, &type, 0);
    op_set_attr(local->module, op, NAME_DIMENSION_NUMBERS, attr_intern(local->context, &prototype));
    op_set_attr(local->module, op, NAME_SLICE_SIZES, attr_ints(local->context, rank, ones));
    return op_result(op, 0);
}

static Value *gather_last(Local *local, Value *x, const DimTiles *tiles) {
    int last = x->type->rank - 1;
    AxisList *axes = ARENA_ARRAY(local->scratch, AxisList, MAX_RANK);
    for (int i = 0; i < tiles->axis_count; i++)
        axes[last].axes[axes[last].count++] = tiles->axes[i];
    int64_t dims[MAX_RANK];
    for (int d = 0; d <= last; d++)
        dims[d] = x->type->dims[d] * (d == last ? tiles->count : 1);
    return emit_all_gather(local, x, tiles->mesh, axes, dims);
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
        values = gather_last(local, values, &tiles);
        places = gather_last(local, places, &tiles);
        Op *best = make_top_k(local, op, values, k);
        values = op_result(best, 0);
        places = take_along_last(local, places, op_result(best, 1));
    }
    local_set_as(local, op_result(op, 0), values, out);
    local_set_as(local, op_result(op, 1), places, out);
    return true;
}

// local_gather: indexing into sharded dimensions: each device takes what lies in its own tile.
#include "partition/local/indexed/local_indices.h"
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

typedef struct Gather {
    const Op *op;
    const GatherDims *dims;
    const int64_t *sizes;                    // slice sizes [operand rank]
    const Sharding *operand, *indices, *out; // during the op
    unsigned masked; // sharded operand dims of which a slice takes one element
    // sharded operand dims of which a slice takes more: the tile gets margins of zeros
    unsigned windowed;
} Gather;

// The result dimension that dimension d of the operand becomes; -1 = none.
static int gather_offset_dim(const Gather *gather, int d) {
    const GatherDims *dims = gather->dims;
    return slice_place(
        dims->collapsed_slice_dims, dims->operand_batching_dims, dims->offset_dims, d);
}

// The result dimension of dimension d of the indices (not the vector dimension).
static int gather_batch_dim(const Gather *gather, int d) {
    int rank = op_result_type(gather->op, 0)->rank;
    return index_place(gather->dims->index_vector_dim, gather->dims->offset_dims, rank, d);
}

// Shardings of operand and indices that go with the result's; *out loses the
// dims that cannot stay sharded.
static bool gather_shardings(Local *local, Gather *gather) {
    const Op *op = gather->op;
    const Type *operand = op_operand_type(op, 0), *indices = op_operand_type(op, 1);
    gather->out = local_sharding(op_result(op, 0));
    unsigned whole = 0;
    for (int d = 0; d < operand->rank; d++) {
        int r = gather_offset_dim(gather, d);
        if (r >= 0 && gather->sizes[d] != operand->dims[d]) whole |= 1u << r;
    }
    gather->out = sharding_without_dims(local->context, gather->out, whole);
    int from[MAX_RANK];
    for (int d = 0; d < indices->rank; d++) {
        from[d] = d == gather->dims->index_vector_dim ? -1 : gather_batch_dim(gather, d);
    }
    gather->indices = sharding_select_dims(local->context, gather->out, indices->rank, from);
    for (int d = 0; d < operand->rank; d++) {
        int b = ints_find(gather->dims->operand_batching_dims, d);
        if (b >= 0) {
            from[d] =
                gather_batch_dim(gather, (int)gather->dims->start_indices_batching_dims.data[b]);
        } else {
            int r = gather_offset_dim(gather, d);
            from[d] = r >= 0 && gather->sizes[d] == operand->dims[d] ? r : -1;
        }
    }
    gather->operand = sharding_select_dims(local->context, gather->out, operand->rank, from);
    for (int d = 0; d < operand->rank; d++) {
        bool single = gather->sizes[d] == 1 && operand->dims[d] > 1 && from[d] < 0;
        bool window = gather_window_may_be_split(op, d);
        const Sharding *own = local_sharding(op_operand(op, 0));
        if ((!single && !window) || tiles_of(local, operand, own, d).count == 1) continue;
        if (!sharding_set_dim(local, &gather->operand, operand->rank, d, own, d)) {
            diag_unsupported(
                local->diags, op->loc,
                "gathered dimension %d is sharded over axes that the result uses", d);
            return false;
        }
        if (single)
            gather->masked |= 1u << d;
        else
            gather->windowed |= 1u << d;
    }
    return true;
}

// Sharded dims without an index: element 0, which the first device along each has. NULL: there are
// none.
static Value *gather_implicit_mask(Local *local, const Gather *gather) {
    const Type *operand = op_operand_type(gather->op, 0);
    Builder *b = &local->builder;
    Value *mask = NULL;
    for (int d = 0; d < operand->rank; d++) {
        if (!(gather->masked >> d & 1) || ints_contain(gather->dims->start_index_map, d)) continue;
        DimTiles tiles = tiles_of(local, operand, gather->operand, d);
        Value *offset = local_tile_offset(local, &tiles);
        Value *first = build_compare(b, DIRECTION_EQ, offset, local_int(local, 0));
        mask = mask ? build_binary(b, OP_AND, mask, first) : first;
    }
    return mask;
}

// Do index vectors point into one of the dims?
static bool map_has(IntSpan map, unsigned dims) {
    for (int i = 0; i < map.count; i++) {
        if (dims >> map.data[i] & 1) return true;
    }
    return false;
}

// Indices of the whole operand become those of the tiles of masked dims; true for index
// vectors that lie in the tiles.
static Value *gather_mask_indices(Local *local, const Gather *gather, Value **indices) {
    const Type *operand = op_operand_type(gather->op, 0), *type = (*indices)->type;
    IntSpan map = gather->dims->start_index_map;
    int64_t vector_dim = gather->dims->index_vector_dim;
    Builder *b = &local->builder;
    Value **offsets =
        component_offsets(local, operand, gather->operand, gather->masked, map, type->element);
    Value **limits = ARENA_ARRAY(local->scratch, Value *, map.count);
    for (int i = 0; i < map.count; i++) {
        int d = (int)map.data[i];
        DimTiles tiles = tiles_of(local, operand, gather->operand, d);
        int64_t last = (gather->masked >> d & 1 ? tiles.tile : tiles.global) - 1;
        Value *end = build_splat_int(b, offsets[i]->type, last);
        limits[i] = build_binary(b, OP_ADD, offsets[i], end);
    }
    Value *offset = spread_components(local, offsets, map.count, type, vector_dim);
    Value *limit = spread_components(local, limits, map.count, type, vector_dim);
    Value *own = build_binary(b, OP_SUBTRACT, *indices, offset);
    Value *above = build_compare(b, DIRECTION_GE, *indices, offset);
    Value *below = build_compare(b, DIRECTION_LE, *indices, limit);
    *indices = own;
    return build_binary(b, OP_AND, above, below);
}

// Indices relative to the tiles of masked dims, and to the margins around those of windowed ones;
// *inside is true for index vectors within the tile: [batch dims], or a scalar, or NULL.
static Value *gather_own_indices(
    Local *local, const Gather *gather, Value *indices, Value **inside) {
    IntSpan map = gather->dims->start_index_map;
    *inside = NULL;
    if (!map_has(map, gather->masked | gather->windowed)) {
        *inside = gather_implicit_mask(local, gather);
        return indices;
    }
    const Type *operand = op_operand_type(gather->op, 0);
    int64_t vector_dim = gather->dims->index_vector_dim;
    Builder *b = &local->builder;
    int64_t *ends = ARENA_ARRAY(local->scratch, int64_t, map.count);
    int64_t *margins = ARENA_ARRAY(local->scratch, int64_t, map.count);
    for (int i = 0; i < map.count; i++) {
        int64_t d = map.data[i];
        bool is_windowed = gather->windowed >> d & 1;
        ends[i] = operand->dims[d] - (is_windowed ? gather->sizes[d] : 1); // the op clamps the rest
        margins[i] = is_windowed ? gather->sizes[d] : 0;
    }
    indices = signed_indices(local, indices);
    const Type *type = indices->type;
    Value *low = build_splat_int(b, type, 0);
    Value *high = spread_numbers(local, ends, map.count, type, vector_dim);
    Value *bounds[3] = {low, indices, high};
    indices = op_result(build_op(b, OP_CLAMP, 3, bounds, 1, &type, 0), 0);
    if (map_has(map, gather->masked)) *inside = gather_mask_indices(local, gather, &indices);
    if (map_has(map, gather->windowed)) {
        Value **offsets = component_offsets(
            local, operand, gather->operand, gather->windowed, map, type->element);
        Value *offset = spread_components(local, offsets, map.count, type, vector_dim);
        indices = build_binary(b, OP_SUBTRACT, indices, offset);
        Value *margin = spread_numbers(local, margins, map.count, type, vector_dim);
        indices = build_binary(b, OP_ADD, indices, margin);
    }
    Value *mask = gather_implicit_mask(local, gather);
    if (mask && *inside) mask = local_splat(local, mask, (*inside)->type);
    if (mask) *inside = *inside ? build_binary(b, OP_AND, *inside, mask) : mask;
    return indices;
}

// Slices from other devices' tiles become nothing; the all_reduce behind the op
// adds the one that is something.
static Value *gather_mask(Local *local, const Gather *gather, Value *x, Value *inside) {
    const Type *type = type_with_element(local->context, x->type, ELEMENT_I1);
    if (inside->type->rank > 0) {
        inside = all_components(local, inside, gather->dims->index_vector_dim);
    }
    int64_t dims[MAX_RANK];
    int count = 0;
    for (int r = 0; r < x->type->rank; r++) {
        if (!ints_contain(gather->dims->offset_dims, r)) dims[count++] = r;
    }
    Value *mask = build_broadcast_in_dim(&local->builder, inside, type, dims);
    return build_select(&local->builder, mask, x, local_nothing(local, x->type));
}

bool local_gather(Local *local, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    Gather gather = {
        .op = op,
        .dims = op_attr(op, NAME_DIMENSION_NUMBERS)->gather,
        .sizes = op_ints_or(local->scratch, op, NAME_SLICE_SIZES, operand->rank, 1),
    };
    if (!gather_shardings(local, &gather)) return false;
    Value *x = local_value_as(local, op_operand(op, 0), gather.operand);
    Value *indices = local_value_as(local, op_operand(op, 1), gather.indices);
    Value *inside = NULL;
    if (gather.masked | gather.windowed)
        indices = gather_own_indices(local, &gather, indices, &inside);
    for (int d = 0; d < operand->rank; d++) {
        if (!(gather.windowed >> d & 1)) continue;
        Value *fill = local_nothing(local, type_with_dims(local->context, x->type, 0, NULL));
        x = local_pad_dim(local, x, d, fill, gather.sizes[d], gather.sizes[d], 0);
    }
    int64_t sizes[MAX_RANK];
    for (int d = 0; d < operand->rank; d++) {
        bool is_full = gather.sizes[d] == operand->dims[d];
        sizes[d] = is_full ? x->type->dims[d] : gather.sizes[d];
        if (ints_contain(gather.dims->operand_batching_dims, d)) sizes[d] = gather.sizes[d];
    }
    Value *operands[2] = {x, indices};
    const Type *type = local_type(local, op_result_type(op, 0), gather.out);
    Op *made = local_clone(local, op, 2, operands, &type);
    op_set_attr(
        local->module, made, NAME_SLICE_SIZES, attr_ints(local->context, operand->rank, sizes));
    Value *result = op_result(made, 0);
    if (inside) result = gather_mask(local, &gather, result, inside);
    local_set_as(local, op_result(op, 0), result, gather.out);
    return true;
}

// local_gather: indexing into sharded dimensions: each device takes, or writes, what lies in its own tile.
#include "partition/reshard/reshard_rules.h"
#include "partition/local/to_local.h"

#include <assert.h>

static bool span_has(IntSpan span, int64_t number) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == number) return true;
    }
    return false;
}

static int span_find(IntSpan span, int64_t number) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == number) return i;
    }
    return -1;
}

// ---- indices ----

// Indices as signed integers of at least 32 bits, so that an offset may be subtracted.
static Value *signed_indices(Local *local, Value *indices) {
    ElementType element = indices->type->element;
    ElementType wide =
        element_bits(element) > 32 || element == ELEMENT_UI32 ? ELEMENT_I64 : ELEMENT_I32;
    return element == wide ? indices : build_convert(&local->builder, indices, wide);
}

// One scalar per component of the index vectors, spread over the indices' shape. vector_dim may be one past the last dimension.
static Value *spread_components(
    Local *local, Value *const *components, int count, const Type *indices, int64_t vector_dim) {
    Builder *b = &local->builder;
    if (count == 1) return local_splat(local, components[0], indices);
    Value **parts = ARENA_ARRAY(local->scratch, Value *, count);
    for (int i = 0; i < count; i++)
        parts[i] = build_reshape(b, components[i], 1, &(int64_t){1});
    return build_broadcast_in_dim(b, build_concatenate(b, count, parts, 0), indices, &vector_dim);
}

// The same of numbers, as a constant.
static Value *spread_numbers(
    Local *local, const int64_t *numbers, int count, const Type *indices, int64_t vector_dim) {
    Builder *b = &local->builder;
    if (count == 1) return build_splat_int(b, indices, numbers[0]);
    int64_t size = count;
    const Type *wide = type_tensor(local->context, ELEMENT_I64, 1, &size);
    const Attr *elements =
        attr_elements(local->context, wide, false, numbers, (size_t)count * sizeof *numbers);
    Value *all = build_constant(b, elements);
    if (indices->element != ELEMENT_I64) all = build_convert(b, all, indices->element);
    return build_broadcast_in_dim(b, all, indices, &vector_dim);
}

// The offsets of the tiles of sharded dims, 0 for others, as numbers of the indices' type.
static Value **component_offsets(
    Local *local, const Type *input, const Sharding *sharding, unsigned shifted, IntSpan map,
    ElementType element) {
    Value **offsets = ARENA_ARRAY(local->scratch, Value *, map.count);
    for (int i = 0; i < map.count; i++) {
        int d = (int)map.data[i];
        DimTiles tiles = tiles_of(local, input, sharding, d);
        if (shifted >> d & 1) {
            offsets[i] = build_convert(&local->builder, local_tile_offset(local, &tiles), element);
        } else {
            offsets[i] = build_splat_int(&local->builder, type_scalar(local->context, element), 0);
        }
    }
    return offsets;
}

// True where all components of an index vector are true: [batch dims of the indices].
static Value *all_components(Local *local, Value *mask, int64_t vector_dim) {
    if (vector_dim == mask->type->rank) return mask;
    return build_reduce(&local->builder, OP_AND, mask, 1, &vector_dim);
}

// ---- gather ----

typedef struct Gather {
    const Op *op;
    const GatherDims *dims;
    const int64_t *sizes;                    // slice sizes [operand rank]
    const Sharding *operand, *indices, *out; // during the op
    unsigned masked; // sharded operand dims of which a slice takes one element
    unsigned
        windowed; // sharded operand dims of which a slice takes more: the tile gets margins of zeros
} Gather;

// The result dimension that dimension d of the operand becomes; -1 = none.
static int gather_offset_dim(const Gather *gather, int d) {
    if (span_has(gather->dims->collapsed_slice_dims, d)) return -1;
    if (span_has(gather->dims->operand_batching_dims, d)) return -1;
    int place = 0;
    for (int i = 0; i < d; i++) {
        bool kept = !span_has(gather->dims->collapsed_slice_dims, i) &&
                    !span_has(gather->dims->operand_batching_dims, i);
        if (kept) place++;
    }
    return (int)gather->dims->offset_dims.data[place];
}

// The result dimension of dimension d of the indices (not the vector dimension).
static int gather_batch_dim(const Gather *gather, int d) {
    int place = 0;
    for (int i = 0; i < d; i++)
        place += i != gather->dims->index_vector_dim;
    int seen = 0;
    for (int r = 0; r < op_result_type(gather->op, 0)->rank; r++) {
        if (span_has(gather->dims->offset_dims, r)) continue;
        if (seen++ == place) return r;
    }
    return -1;
}

// Shardings of operand and indices that go with the result's; *out loses the dims that cannot stay sharded.
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
        int b = span_find(gather->dims->operand_batching_dims, d);
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
        bool window = !local->keeps_form && gather_window_may_be_split(op, d);
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

// Sharded dims without an index: element 0, which the first device along each has. NULL: there are none.
static Value *gather_implicit_mask(Local *local, const Gather *gather) {
    const Type *operand = op_operand_type(gather->op, 0);
    Builder *b = &local->builder;
    Value *mask = NULL;
    for (int d = 0; d < operand->rank; d++) {
        if (!(gather->masked >> d & 1) || span_has(gather->dims->start_index_map, d)) continue;
        DimTiles tiles = tiles_of(local, operand, gather->operand, d);
        Value *offset = local_tile_offset(local, &tiles);
        Value *first = build_compare(b, DIRECTION_EQ, offset, local_int(local, 0));
        if (local->keeps_form) op_set_attr(local->module, first->def, NAME_COMPARE_TYPE, NULL);
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

// Indices of the whole operand become those of the tiles of masked dims; true for index vectors that lie in the tiles.
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

// Indices relative to the tiles of masked dims, and to the margins around those of windowed ones; *inside is true for index vectors
// within the tile: [batch dims], or a scalar, or NULL.
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

// Slices from other devices' tiles become nothing; the all_reduce behind the op adds the one that is something.
static Value *gather_mask(Local *local, const Gather *gather, Value *x, Value *inside) {
    const Type *type = type_with_element(local->context, x->type, ELEMENT_I1);
    if (inside->type->rank > 0) {
        inside = all_components(local, inside, gather->dims->index_vector_dim);
    }
    int64_t dims[MAX_RANK];
    int count = 0;
    for (int r = 0; r < x->type->rank; r++) {
        if (!span_has(gather->dims->offset_dims, r)) dims[count++] = r;
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
        if (span_has(gather.dims->operand_batching_dims, d)) sizes[d] = gather.sizes[d];
    }
    Value *operands[2] = {x, indices};
    const Type *type = local_type(local, op_result_type(op, 0), gather.out);
    Op *made = local_clone(local, op, 2, operands, &type);
    op_set_attr(
        local->module, made, NAME_SLICE_SIZES, attr_ints(local->context, operand->rank, sizes));
    Value *result = op_result(made, 0);
    if (!inside && !gather.windowed) local_keep_shardings(local, op, made);
    if (inside) result = gather_mask(local, &gather, result, inside);
    local_set_as(local, op_result(op, 0), result, gather.out);
    return true;
}

// ---- scatter ----

typedef struct Scatter {
    const Op *op;
    const ScatterDims *dims;
    int count;                                 // of inputs
    const Sharding *input, *indices, *updates; // during the op
    unsigned shifted;                          // sharded input dims that indices point into
    unsigned
        windowed; // those of which an update covers more than one element: the tile gets margins
    int64_t windows[MAX_RANK]; // sizes of the updates along them
} Scatter;

// The update dimension of input dimension d; -1 = none (inserted or batching).
static int scatter_window_dim(const Scatter *scatter, int d) {
    if (span_has(scatter->dims->inserted_window_dims, d)) return -1;
    if (span_has(scatter->dims->input_batching_dims, d)) return -1;
    int place = 0;
    for (int i = 0; i < d; i++) {
        bool kept = !span_has(scatter->dims->inserted_window_dims, i) &&
                    !span_has(scatter->dims->input_batching_dims, i);
        if (kept) place++;
    }
    return (int)scatter->dims->update_window_dims.data[place];
}

// The update dimension of dimension d of the indices.
static int scatter_batch_dim(const Scatter *scatter, int d) {
    int place = 0;
    for (int i = 0; i < d; i++)
        place += i != scatter->dims->index_vector_dim;
    const Type *updates = op_operand_type(scatter->op, scatter->count + 1);
    int seen = 0;
    for (int u = 0; u < updates->rank; u++) {
        if (span_has(scatter->dims->update_window_dims, u)) continue;
        if (seen++ == place) return u;
    }
    return -1;
}

static bool scatter_conflict(Local *local, const Op *op, int d) {
    diag_unsupported(
        local->diags, op->loc, "dimension %d of the updates is sharded over axes of the result", d);
    return false;
}

// Updates: window dims as the input's, batching dims as the input's, other batch dims as their own sharding says.
static bool scatter_update_sharding(Local *local, Scatter *scatter, const int *input_dim) {
    const Op *op = scatter->op;
    const Value *value = op_operand(op, scatter->count + 1);
    int rank = value->type->rank;
    scatter->updates = sharding_select_dims(local->context, scatter->input, rank, input_dim);
    for (int u = 0; u < rank; u++) {
        if (input_dim[u] >= 0 || span_has(scatter->dims->update_window_dims, u)) continue;
        const Sharding *own = local_sharding(value);
        if (!sharding_set_dim(local, &scatter->updates, rank, u, own, u)) {
            return scatter_conflict(local, op, u);
        }
    }
    return true;
}

static bool scatter_shardings(Local *local, Scatter *scatter) {
    const Op *op = scatter->op;
    const Type *input = op_operand_type(op, 0), *indices = op_operand_type(op, scatter->count);
    const Type *updates = op_operand_type(op, scatter->count + 1);
    unsigned whole = 0;
    int input_dim[MAX_RANK];
    for (int u = 0; u < updates->rank; u++)
        input_dim[u] = -1;
    for (int d = 0; d < input->rank; d++) {
        int u = scatter_window_dim(scatter, d);
        int b = span_find(scatter->dims->input_batching_dims, d);
        if (b >= 0) {
            int64_t i = scatter->dims->scatter_indices_batching_dims.data[b];
            input_dim[scatter_batch_dim(scatter, (int)i)] = d;
        } else if (u >= 0 && updates->dims[u] == input->dims[d]) {
            input_dim[u] = d;
        } else if (u >= 0 && span_has(scatter->dims->scatter_dims_to_operand_dims, d)) {
            scatter->windowed |= 1u << d;
            scatter->windows[d] = updates->dims[u];
        } else if (u >= 0) {
            whole |= 1u << d;
        }
    }
    scatter->input = sharding_without_dims(local->context, local_sharding(op_result(op, 0)), whole);
    for (int d = 0; d < input->rank; d++) {
        bool is_sharded = tiles_of(local, input, scatter->input, d).count > 1;
        bool is_windowed = is_sharded && scatter->windowed >> d & 1;
        bool is_single = is_windowed && scatter->windows[d] == 1; // inside a tile or outside
        bool inserted = span_has(scatter->dims->inserted_window_dims, d);
        if ((inserted && is_sharded) || is_single) scatter->shifted |= 1u << d;
        if (!is_windowed || is_single) scatter->windowed &= ~(1u << d);
    }
    if (!scatter_update_sharding(local, scatter, input_dim)) return false;
    int from[MAX_RANK];
    for (int d = 0; d < indices->rank; d++) {
        from[d] = d == scatter->dims->index_vector_dim ? -1 : scatter_batch_dim(scatter, d);
    }
    scatter->indices = sharding_select_dims(local->context, scatter->updates, indices->rank, from);
    return true;
}

// Axes that shard the updates' batch dims but not the input: every device has some of the updates.
static AxisList scatter_partial_axes(const Scatter *scatter, const int *batch_dims, int count) {
    AxisList axes = {0};
    for (int i = 0; scatter->updates && i < count; i++) {
        const DimSharding *dim = &scatter->updates->dims[batch_dims[i]];
        for (int a = 0; a < dim->axis_count; a++)
            axes.axes[axes.count++] = dim->axes[a];
    }
    return axes;
}

// Indices relative to the margins around the tiles of windowed dims. A window that does not lie in the array points nowhere.
static Value *scatter_window_indices(Local *local, const Scatter *scatter, Value *indices) {
    const Type *input = op_operand_type(scatter->op, 0);
    IntSpan map = scatter->dims->scatter_dims_to_operand_dims;
    int64_t vector_dim = scatter->dims->index_vector_dim;
    Builder *b = &local->builder;
    int64_t *first = ARENA_ARRAY(local->scratch, int64_t, map.count);
    int64_t *last = ARENA_ARRAY(local->scratch, int64_t, map.count);
    int64_t *margins = ARENA_ARRAY(local->scratch, int64_t, map.count);
    indices = signed_indices(local, indices);
    const Type *type = indices->type;
    for (int i = 0; i < map.count; i++) {
        int64_t d = map.data[i];
        bool is_windowed = scatter->windowed >> d & 1;
        first[i] = is_windowed ? 0 : -INT32_MAX;
        last[i] = is_windowed ? input->dims[d] - scatter->windows[d] : INT32_MAX;
        margins[i] = is_windowed ? scatter->windows[d] : 0;
    }
    Value *above = build_compare(
        b, DIRECTION_GE, indices, spread_numbers(local, first, map.count, type, vector_dim));
    Value *below = build_compare(
        b, DIRECTION_LE, indices, spread_numbers(local, last, map.count, type, vector_dim));
    Value *inside = build_binary(b, OP_AND, above, below);
    Value **offsets =
        component_offsets(local, input, scatter->input, scatter->windowed, map, type->element);
    Value *offset = spread_components(local, offsets, map.count, type, vector_dim);
    Value *own = build_binary(b, OP_SUBTRACT, indices, offset);
    own = build_binary(b, OP_ADD, own, spread_numbers(local, margins, map.count, type, vector_dim));
    return build_select(b, inside, own, build_splat_int(b, type, -1));
}

// The input's tiles with margins as wide as an update, and back.
static Value *scatter_add_margins(Local *local, const Scatter *scatter, Value *x) {
    for (int d = 0; d < x->type->rank; d++) {
        if (!(scatter->windowed >> d & 1)) continue;
        int64_t size = scatter->windows[d];
        x = local_pad_dim(local, x, d, local_zero(local, x->type), size, size, 0);
    }
    return x;
}

static Value *scatter_cut_margins(Local *local, const Scatter *scatter, Value *x) {
    for (int d = 0; d < x->type->rank; d++) {
        if (!(scatter->windowed >> d & 1)) continue;
        int64_t size = scatter->windows[d];
        x = local_slice_dim(local, x, d, size, x->type->dims[d] - size, 1);
    }
    return x;
}

// Indices relative to the tiles of the input; those of padding rows point nowhere.
static Value *scatter_own_indices(Local *local, const Scatter *scatter, Value *indices) {
    const Type *input = op_operand_type(scatter->op, 0);
    IntSpan map = scatter->dims->scatter_dims_to_operand_dims;
    int64_t vector_dim = scatter->dims->index_vector_dim;
    bool shifts = false;
    for (int i = 0; i < map.count; i++)
        shifts = shifts || scatter->shifted >> map.data[i] & 1;
    if (shifts) {
        indices = signed_indices(local, indices);
        Value **offsets = component_offsets(
            local, input, scatter->input, scatter->shifted, map, indices->type->element);
        Value *offset = spread_components(local, offsets, map.count, indices->type, vector_dim);
        indices = build_binary(&local->builder, OP_SUBTRACT, indices, offset);
    }
    if (scatter->windowed) indices = scatter_window_indices(local, scatter, indices);
    const Type *global = op_operand_type(scatter->op, scatter->count);
    for (int d = 0; d < global->rank; d++) {
        DimTiles tiles = tiles_of(local, global, scatter->indices, d);
        if (!tiles_are_padded(&tiles)) continue;
        indices = signed_indices(local, indices);
        Value *nowhere = build_splat_int(
            &local->builder, type_with_dims(local->context, indices->type, 0, NULL), -1);
        indices = local_mask_padding(local, indices, &tiles, d, nowhere);
    }
    return indices;
}

// A sharded inserted dim without an index is element 0: only the first device along it may write.
static bool scatter_has_implicit_dim(const Scatter *scatter) {
    const Type *input = op_operand_type(scatter->op, 0);
    for (int d = 0; d < input->rank; d++) {
        bool has_index = span_has(scatter->dims->scatter_dims_to_operand_dims, d);
        if (scatter->shifted >> d & 1 && !has_index) return true;
    }
    return false;
}

static Value *scatter_implicit_mask(Local *local, const Scatter *scatter) {
    const Type *input = op_operand_type(scatter->op, 0);
    Value *mask = NULL;
    for (int d = 0; d < input->rank; d++) {
        bool has_index = span_has(scatter->dims->scatter_dims_to_operand_dims, d);
        if (!(scatter->shifted >> d & 1) || has_index) continue;
        DimTiles tiles = tiles_of(local, input, scatter->input, d);
        Value *zero = local_int(local, 0), *begin = local_affine(local, &tiles, 1, 0);
        Value *first = build_compare(&local->builder, DIRECTION_EQ, begin, zero);
        mask = mask ? build_binary(&local->builder, OP_AND, mask, first) : first;
    }
    return mask;
}

// On all devices of a group but the first, the input is neutral: the all_reduce behind the op counts it once.
static Value *scatter_input_once(
    Local *local, const Scatter *scatter, Value *x, const AxisList *axes) {
    OpCode body = region_combining_op(scatter->op->regions[0]);
    const Mesh *mesh = local_mesh(local, scatter->updates);
    if (!mesh || axes->count == 0) return x;
    if (body == OP_COUNT) return NULL;
    return local_only_on_first(local, x, body, mesh, axes->axes, axes->count);
}

bool local_scatter(Local *local, const Op *op) {
    Scatter scatter = {
        .op = op,
        .dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter,
        .count = op->result_count,
    };
    if (!scatter_shardings(local, &scatter)) return false;
    int batch_dims[MAX_RANK] = {0}, batch_count = 0;
    for (int d = 0; d < op_operand_type(op, scatter.count)->rank; d++) {
        if (d == scatter.dims->index_vector_dim) continue;
        if (span_has(scatter.dims->scatter_indices_batching_dims, d)) continue;
        batch_dims[batch_count++] = scatter_batch_dim(&scatter, d);
    }
    AxisList axes = scatter_partial_axes(&scatter, batch_dims, batch_count);
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, scatter.count);
    for (int i = 0; i < scatter.count; i++) {
        Value *x = local_value_as(local, op_operand(op, i), scatter.input);
        operands[i] = scatter_input_once(local, &scatter, x, &axes);
        if (!operands[i]) return scatter_conflict(local, op, batch_dims[0]);
        operands[i] = scatter_add_margins(local, &scatter, operands[i]);
        // The body may promote the element type.
        types[i] =
            type_with_element(local->context, operands[i]->type, op_result_type(op, i)->element);
        operands[scatter.count + 1 + i] =
            local_value_as(local, op_operand(op, scatter.count + 1 + i), scatter.updates);
    }
    Value *indices = local_value_as(local, op_operand(op, scatter.count), scatter.indices);
    operands[scatter.count] = scatter_own_indices(local, &scatter, indices);
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    Value *mask =
        scatter_has_implicit_dim(&scatter) ? scatter_implicit_mask(local, &scatter) : NULL;
    for (int i = 0; i < scatter.count; i++) {
        Value *result = op_result(made, i);
        if (mask) {
            Value *input = build_convert(&local->builder, operands[i], result->type->element);
            result = build_select(&local->builder, mask, result, input);
        }
        result = scatter_cut_margins(local, &scatter, result);
        local_set_as(local, op_result(op, i), result, scatter.input);
    }
    return true;
}

// ---- dynamic_slice, dynamic_update_slice ----

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

// Sharded dims of which each device takes what lies in its own tile. *sharding: the operand's during the op.
static unsigned masked_dims(Local *local, const Op *op, const Sharding **sharding) {
    const Value *operand = op_operand(op, 0);
    const Sharding *own = local_sharding(operand);
    unsigned masked = 0;
    for (int d = 0; d < operand->type->rank && !local->keeps_form; d++) {
        if (operand->type->dims[d] == op_result_type(op, 0)->dims[d]) continue;
        if (tiles_of(local, operand->type, own, d).count == 1 || !slice_may_be_masked(op, d))
            continue;
        if (sharding_set_dim(local, sharding, operand->type->rank, d, own, d)) masked |= 1u << d;
    }
    return masked;
}

// The slice's elements that lie in the tile of dimension d, zero for the others: the tile between two margins of zeros, from
// where the slice begins. The all_reduce behind the op adds the devices' parts.
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

// A sharded dimension that the update covers in part: the tile gets a margin as wide as the update on both sides, so that an update
// that reaches beyond the tile, or misses it, writes into the margin.
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

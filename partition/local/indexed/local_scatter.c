// local_scatter: each device writes the updates that fall into its own tile.
#include "partition/local/indexed/local_indices.h"
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

typedef struct Scatter {
    const Op *op;
    const ScatterDims *dims;
    int count;                                 // of inputs
    const Sharding *input, *indices, *updates; // during the op
    unsigned shifted;                          // sharded input dims that indices point into
    // those of which an update covers more than one element: the tile gets margins
    unsigned windowed;
    int64_t windows[MAX_RANK]; // sizes of the updates along them
} Scatter;

// The update dimension of input dimension d; -1 = none (inserted or batching).
static int scatter_window_dim(const Scatter *scatter, int d) {
    const ScatterDims *dims = scatter->dims;
    return slice_place(
        dims->inserted_window_dims, dims->input_batching_dims, dims->update_window_dims, d);
}

// The update dimension of dimension d of the indices.
static int scatter_batch_dim(const Scatter *scatter, int d) {
    int rank = op_operand_type(scatter->op, scatter->count + 1)->rank;
    return index_place(scatter->dims->index_vector_dim, scatter->dims->update_window_dims, rank, d);
}

static bool scatter_conflict(Local *local, const Op *op, int d) {
    diag_unsupported(
        local->diags, op->loc, "dimension %d of the updates is sharded over axes of the result", d);
    return false;
}

// Updates: window dims as the input's, batching dims as the input's, other batch
// dims as their own sharding says.
static bool scatter_update_sharding(Local *local, Scatter *scatter, const int *input_dim) {
    const Op *op = scatter->op;
    const Value *value = op_operand(op, scatter->count + 1);
    int rank = value->type->rank;
    scatter->updates = sharding_select_dims(local->context, scatter->input, rank, input_dim);
    for (int u = 0; u < rank; u++) {
        if (input_dim[u] >= 0 || ints_contain(scatter->dims->update_window_dims, u)) continue;
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
        int b = ints_find(scatter->dims->input_batching_dims, d);
        if (b >= 0) {
            int64_t i = scatter->dims->scatter_indices_batching_dims.data[b];
            input_dim[scatter_batch_dim(scatter, (int)i)] = d;
        } else if (u >= 0 && updates->dims[u] == input->dims[d]) {
            input_dim[u] = d;
        } else if (u >= 0 && ints_contain(scatter->dims->scatter_dims_to_operand_dims, d)) {
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
        bool inserted = ints_contain(scatter->dims->inserted_window_dims, d);
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

// Indices relative to the margins around the tiles of windowed dims. A window that does not
// lie in the array points nowhere.
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
        bool has_index = ints_contain(scatter->dims->scatter_dims_to_operand_dims, d);
        if (scatter->shifted >> d & 1 && !has_index) return true;
    }
    return false;
}

static Value *scatter_implicit_mask(Local *local, const Scatter *scatter) {
    const Type *input = op_operand_type(scatter->op, 0);
    Value *mask = NULL;
    for (int d = 0; d < input->rank; d++) {
        bool has_index = ints_contain(scatter->dims->scatter_dims_to_operand_dims, d);
        if (!(scatter->shifted >> d & 1) || has_index) continue;
        DimTiles tiles = tiles_of(local, input, scatter->input, d);
        Value *zero = local_int(local, 0), *begin = local_affine(local, &tiles, 1, 0);
        Value *first = build_compare(&local->builder, DIRECTION_EQ, begin, zero);
        mask = mask ? build_binary(&local->builder, OP_AND, mask, first) : first;
    }
    return mask;
}

// On all devices of a group but the first, the input is neutral: the
// all_reduce behind the op counts it once.
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
        if (ints_contain(scatter.dims->scatter_indices_batching_dims, d)) continue;
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

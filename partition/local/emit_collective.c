// emit_collective: communication in the device program.
//
// A gather over several dimensions at once, and an all-to-all with several parameters, is one
// collective over a new leading dimension of ranks, with reshapes and transposes around it: its
// result is the only array that is moved.
#include "ir/sharding/group_mesh.h"
#include "ir/sharding/process_groups.h"
#include "partition/collectives/reductions.h"
#include "partition/local/local.h"

#include <assert.h>

// ---- groups and channels ----

const Attr *replica_groups(Local *local, const Mesh *mesh, const AxisRef *axes, int count) {
    return mesh_axis_groups(local->context, local->scratch, mesh, axes, count);
}

void set_channel(Local *local, Op *op, bool global_ids) {
    const int64_t channel[2] = {++local->channel_count, 1};
    const Attr prototype = {.kind = ATTR_CHANNEL, .count = 2, .ints = channel};
    op_set_attr(local->module, op, NAME_CHANNEL_HANDLE, attr_intern(local->context, &prototype));
    if (global_ids) {
        op_set_attr(local->module, op, NAME_USE_GLOBAL_DEVICE_IDS, attr_unit(local->context));
    }
}

static void set_int(Local *local, Op *op, AttrName name, int64_t number) {
    op_set_attr(local->module, op, name, attr_int(local->context, number, ELEMENT_I64));
}

// ---- single collectives ----

// StableHLO's collectives refuse dimensions of size 0; there nothing moves.
static bool is_empty(const Value *x) { return type_element_count(x->type) == 0; }

static Value *all_gather_dim(
    Local *local, Value *x, int d, const Mesh *mesh, const AxisRef *axes, int count) {
    int64_t size = axis_list_size(mesh, axes, count);
    const Type *type = type_with_dim(local, x->type, d, x->type->dims[d] * size);
    if (is_empty(x)) return build_reshape(&local->builder, x, type->rank, type->dims);
    Op *op = build_op(&local->builder, OP_ALL_GATHER, 1, &x, 1, &type, 0);
    set_int(local, op, NAME_ALL_GATHER_DIM, d);
    op_set_attr(local->module, op, NAME_REPLICA_GROUPS, replica_groups(local, mesh, axes, count));
    set_channel(local, op, true);
    return op_result(op, 0);
}

static OpCode body_for(OpCode body, ElementType element) {
    if (element != ELEMENT_I1) return body;
    if (body == OP_XOR) return OP_XOR;
    return body == OP_ADD || body == OP_MAXIMUM || body == OP_OR ? OP_OR : OP_AND;
}

Value *emit_all_reduce(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisRef *axes, int count) {
    if (axis_list_size(mesh, axes, count) == 1) return x;
    Op *op = build_op(&local->builder, OP_ALL_REDUCE, 1, &x, 1, &x->type, 1);
    op_set_attr(local->module, op, NAME_REPLICA_GROUPS, replica_groups(local, mesh, axes, count));
    set_channel(local, op, true);
    build_reduction_body(
        local->module, op->regions[0], body_for(body, x->type->element), x->type->element,
        local->builder.loc);
    return op_result(op, 0);
}

static Value *reduce_scatter_dim(
    Local *local, Value *x, int d, OpCode body, const Mesh *mesh, const AxisRef *axes, int count) {
    int64_t size = axis_list_size(mesh, axes, count);
    const Type *type = type_with_dim(local, x->type, d, x->type->dims[d] / size);
    if (is_empty(x)) return build_reshape(&local->builder, x, type->rank, type->dims);
    Op *op = build_op(&local->builder, OP_REDUCE_SCATTER, 1, &x, 1, &type, 1);
    set_int(local, op, NAME_SCATTER_DIMENSION, d);
    op_set_attr(local->module, op, NAME_REPLICA_GROUPS, replica_groups(local, mesh, axes, count));
    set_channel(local, op, true);
    build_reduction_body(
        local->module, op->regions[0], body_for(body, x->type->element), x->type->element,
        local->builder.loc);
    return op_result(op, 0);
}

static Value *all_to_all_dims(
    Local *local, Value *x, int split, int concat, const Mesh *mesh, const AxisRef *axes,
    int count) {
    int64_t size = axis_list_size(mesh, axes, count);
    const Type *type = type_with_dim(local, x->type, split, x->type->dims[split] / size);
    type = type_with_dim(local, type, concat, type->dims[concat] * size);
    if (is_empty(x)) return build_reshape(&local->builder, x, type->rank, type->dims);
    Op *op = build_op(&local->builder, OP_ALL_TO_ALL, 1, &x, 1, &type, 0);
    set_int(local, op, NAME_SPLIT_DIMENSION, split);
    set_int(local, op, NAME_CONCAT_DIMENSION, concat);
    set_int(local, op, NAME_SPLIT_COUNT, size);
    op_set_attr(local->module, op, NAME_REPLICA_GROUPS, replica_groups(local, mesh, axes, count));
    set_channel(local, op, false);
    return op_result(op, 0);
}

Value *emit_permute(Local *local, Value *x, int64_t pair_count, const int64_t *pairs) {
    Op *op = build_op(&local->builder, OP_COLLECTIVE_PERMUTE, 1, &x, 1, &x->type, 0);
    op_set_attr(
        local->module, op, NAME_SOURCE_TARGET_PAIRS,
        attr_int_matrix(local->context, (int)pair_count, 2, pairs));
    set_channel(local, op, false);
    return op_result(op, 0);
}

Value *emit_broadcast(Local *local, Value *x, const DimTiles *tiles, int64_t source) {
    const Attr *groups = replica_groups(local, tiles->mesh, tiles->axes, tiles->axis_count);
    int64_t devices = mesh_device_count(tiles->mesh);
    int64_t *ids = ARENA_ARRAY(local->scratch, int64_t, devices);
    for (int64_t i = 0; i < devices; i++) { // the first of a group is the source
        int64_t rank = i % tiles->count, first = i - rank;
        ids[i] = attr_element_int(groups, first + (rank + source) % tiles->count);
    }
    Op *op = build_op(&local->builder, OP_COLLECTIVE_BROADCAST, 1, &x, 1, &x->type, 0);
    int group_count = (int)(devices / tiles->count);
    const Attr *rotated = attr_int_matrix(local->context, group_count, (int)tiles->count, ids);
    op_set_attr(local->module, op, NAME_REPLICA_GROUPS, rotated);
    set_channel(local, op, false);
    return op_result(op, 0);
}

// ---- several dimensions at once ----

// A list of dimension sizes under construction. Ranks stay below MAX_RANK: see fits_rank.
typedef struct Dims {
    int rank;
    int64_t sizes[2 * MAX_RANK];
} Dims;

static void dims_push(Dims *dims, int64_t size) { dims->sizes[dims->rank++] = size; }

static Value *reshape_to(Local *local, Value *x, const Dims *dims) {
    return build_reshape(&local->builder, x, dims->rank, dims->sizes);
}

// [N, dims] of tiles by rank, N = n_0 * n_1 ..., to dims with n_p put in front of
// dimension place[p] and merged with it.
static Value *merge_ranks(
    Local *local, Value *x, int part_count, const int64_t *parts, const int *place) {
    int rank = x->type->rank - 1;
    Dims split = {0}, merged = {0};
    int64_t permutation[2 * MAX_RANK] = {0};
    for (int p = 0; p < part_count; p++)
        dims_push(&split, parts[p]);
    int at = 0;
    for (int d = 0; d < rank; d++) {
        int64_t size = x->type->dims[d + 1];
        dims_push(&split, size);
        for (int p = 0; p < part_count; p++) {
            if (place[p] != d) continue;
            permutation[at++] = p;
            size *= parts[p];
        }
        permutation[at++] = part_count + d;
        dims_push(&merged, size);
    }
    x = reshape_to(local, x, &split);
    x = build_transpose(&local->builder, x, permutation);
    return reshape_to(local, x, &merged);
}

Value *emit_all_gather(
    Local *local, Value *x, const Mesh *mesh, const AxisList *axes_per_dim, const int64_t *dims) {
    int rank = x->type->rank, part_count = 0, place[MAX_RANK] = {0};
    int64_t parts[MAX_RANK] = {0};
    AxisList all = {0};
    for (int d = 0; d < rank; d++) {
        const AxisList *axes = &axes_per_dim[d];
        int64_t size = axis_list_size(mesh, axes->axes, axes->count);
        if (size == 1) continue;
        parts[part_count] = size;
        place[part_count++] = d;
        for (int i = 0; i < axes->count; i++)
            all.axes[all.count++] = axes->axes[i];
    }
    if (part_count > 1 && rank + part_count <= MAX_RANK) {
        Dims ranks_first = {.rank = 1, .sizes = {1}};
        for (int d = 0; d < rank; d++)
            dims_push(&ranks_first, x->type->dims[d]);
        x = reshape_to(local, x, &ranks_first);
        x = all_gather_dim(local, x, 0, mesh, all.axes, all.count);
        x = merge_ranks(local, x, part_count, parts, place);
        return cut_dims(local, x, dims);
    }
    for (int p = part_count - 1; p >= 0; p--) {
        const AxisList *axes = &axes_per_dim[place[p]];
        x = all_gather_dim(local, x, place[p], mesh, axes->axes, axes->count);
        x = local_slice_dim(local, x, place[p], 0, dims[place[p]], 1);
    }
    return cut_dims(local, x, dims);
}

Value *emit_gather_dim(Local *local, Value *x, const DimTiles *tiles, int d) {
    if (tiles->count == 1) return x;
    return all_gather_dim(local, x, d, tiles->mesh, tiles->axes, tiles->axis_count);
}

// dims to [N, dims of a part]: dimension split[p] is cut into counts[p] parts, which are numbered
// row-major over p. split increases.
static Value *split_ranks(
    Local *local, Value *x, int part_count, const int64_t *counts, const int *split) {
    int rank = x->type->rank;
    int64_t permutation[2 * MAX_RANK] = {0};
    Dims cut = {0}, ranks_first = {.rank = 1, .sizes = {1}};
    int part = 0;
    for (int d = 0; d < rank; d++) {
        int64_t size = x->type->dims[d];
        if (part < part_count && split[part] == d) {
            assert(counts[part] > 0);
            ranks_first.sizes[0] *= counts[part];
            size /= counts[part];
            permutation[part] = cut.rank;
            dims_push(&cut, counts[part++]);
        }
        permutation[part_count + d] = cut.rank;
        dims_push(&cut, size);
        dims_push(&ranks_first, size);
    }
    x = reshape_to(local, x, &cut);
    x = build_transpose(&local->builder, x, permutation);
    return reshape_to(local, x, &ranks_first);
}

static void push_axes(AxisList *all, AxisSpan axes) {
    for (int i = 0; i < axes.count; i++)
        all->axes[all->count++] = axes.axes[i];
}

Value *emit_all_to_all(
    Local *local, Value *x, const Mesh *mesh, int count, const AllToAllParam *params) {
    int rank = x->type->rank;
    if (count == 1 || rank + count > MAX_RANK) {
        for (int p = 0; p < count; p++) {
            x = all_to_all_dims(
                local, x, params[p].target_dim, params[p].source_dim, mesh, params[p].axes.axes,
                params[p].axes.count);
        }
        return x;
    }
    int64_t counts[MAX_RANK] = {0};
    int source[MAX_RANK] = {0}, target[MAX_RANK] = {0}, part = 0;
    AxisList all = {0};
    for (int d = 0; d < rank; d++) { // by target dimension
        for (int p = 0; p < count; p++) {
            if (params[p].target_dim != d) continue;
            counts[part] = axis_list_size(mesh, params[p].axes.axes, params[p].axes.count);
            source[part] = params[p].source_dim;
            target[part++] = d;
            push_axes(&all, params[p].axes);
        }
    }
    x = split_ranks(local, x, count, counts, target);
    x = all_to_all_dims(local, x, 0, 0, mesh, all.axes, all.count);
    return merge_ranks(local, x, count, counts, source);
}

Value *emit_reduce_scatter(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisSpan *axes_per_dim) {
    int rank = x->type->rank, split[MAX_RANK] = {0}, count = 0;
    int64_t counts[MAX_RANK] = {0};
    AxisList all = {0};
    for (int d = 0; d < rank; d++) {
        int64_t size = axis_list_size(mesh, axes_per_dim[d].axes, axes_per_dim[d].count);
        if (size == 1) continue;
        split[count] = d;
        counts[count++] = size;
        push_axes(&all, axes_per_dim[d]);
    }
    if (count > 1 && rank + count <= MAX_RANK) {
        x = split_ranks(local, x, count, counts, split);
        x = reduce_scatter_dim(local, x, 0, body, mesh, all.axes, all.count);
        return build_reshape(&local->builder, x, rank, x->type->dims + 1);
    }
    for (int i = 0; i < count; i++) {
        const AxisSpan *axes = &axes_per_dim[split[i]];
        x = reduce_scatter_dim(local, x, split[i], body, mesh, axes->axes, axes->count);
    }
    return x;
}

// local_collective: communication in the device program, and the sdy collectives in terms of it.
//
// A gather over several dimensions at once, and an all-to-all with several parameters, is one collective over a new leading
// dimension of ranks, with reshapes and transposes around it: its result is the only array that is moved.
#include "base/checked.h"
#include "ir/sharding/group_mesh.h"
#include "ir/sharding/process_groups.h"
#include "ir/verify/verify.h"
#include "partition/collectives/reductions.h"
#include "partition/local/to_local.h"

#include <assert.h>

// ---- groups and channels ----

// Letters, digits and underscores: what needs no quotes in the text of an attribute.
static bool is_plain(StrView name) {
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return name.size > 0;
}

// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>; NULL for parts of axes, and for names that are not plain.
static const Attr *groups_by_axes(Local *local, const Mesh *mesh, const AxisRef *axes, int count) {
    const Op *op = local->global->body->first;
    while (op && (op->code != OP_SDY_MESH || op_attr(op, NAME_MESH)->mesh != mesh))
        op = op->next;
    if (!op || !is_plain(op_text(op, NAME_SYM_NAME))) return NULL;
    StrBuf text = strbuf(local->scratch);
    strbuf_printf(
        &text, "#stablehlo.replica_group_mesh_axes<mesh = @%.*s, axes = [",
        SV_ARG(op_text(op, NAME_SYM_NAME)));
    for (int i = 0; i < count; i++) {
        if (axes[i].size != 0 || !is_plain(axes[i].name)) return NULL;
        strbuf_printf(
            &text, "%s#stablehlo.axis_ref<name = \"%.*s\">", i ? ", " : "", SV_ARG(axes[i].name));
    }
    strbuf_puts(&text, "]>");
    Attr attr = {.kind = ATTR_OPAQUE, .text = strbuf_view(&text)};
    return attr_intern(local->context, &attr);
}

const Attr *replica_groups(Local *local, const Mesh *mesh, const AxisRef *axes, int count) {
    const Attr *named = local->groups_by_axes ? groups_by_axes(local, mesh, axes, count) : NULL;
    if (named) return named;
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

static const Type *type_with_dim(Local *local, const Type *type, int d, int64_t size) {
    int64_t dims[MAX_RANK];
    for (int i = 0; i < type->rank; i++)
        dims[i] = i == d ? size : type->dims[i];
    return type_with_dims(local->context, type, type->rank, dims);
}

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

static Value *cut_dims(Local *local, Value *x, const int64_t *dims) {
    for (int d = 0; d < x->type->rank; d++)
        x = local_slice_dim(local, x, d, 0, dims[d], 1);
    return x;
}

// [N, dims] of tiles by rank, N = n_0 * n_1 ..., to dims with n_p put in front of dimension place[p] and merged with it.
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
    if (part_count > 1 && rank + part_count <= MAX_RANK && !local->per_dim_all_gather) {
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

// dims to [N, dims of a part]: dimension split[p] is cut into counts[p] parts, which are numbered row-major over p. split increases.
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

static void push_axes(AxisList *all, const AxisList *axes) {
    for (int i = 0; i < axes->count; i++)
        all->axes[all->count++] = axes->axes[i];
}

// x: the target dimensions are multiples of the parameters' sizes. Source dimensions grow, target dimensions shrink.
static Value *emit_all_to_all(
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
            push_axes(&all, &params[p].axes);
        }
    }
    x = split_ranks(local, x, count, counts, target);
    x = all_to_all_dims(local, x, 0, 0, mesh, all.axes, all.count);
    return merge_ranks(local, x, count, counts, source);
}

// Dimension d shrinks by its axes: one collective for all of them.
static Value *emit_reduce_scatter(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisList *axes_per_dim) {
    int rank = x->type->rank, split[MAX_RANK] = {0}, count = 0;
    int64_t counts[MAX_RANK] = {0};
    AxisList all = {0};
    for (int d = 0; d < rank; d++) {
        int64_t size = axis_list_size(mesh, axes_per_dim[d].axes, axes_per_dim[d].count);
        if (size == 1) continue;
        split[count] = d;
        counts[count++] = size;
        push_axes(&all, &axes_per_dim[d]);
    }
    if (count > 1 && rank + count <= MAX_RANK) {
        x = split_ranks(local, x, count, counts, split);
        x = reduce_scatter_dim(local, x, 0, body, mesh, all.axes, all.count);
        return build_reshape(&local->builder, x, rank, x->type->dims + 1);
    }
    for (int i = 0; i < count; i++) {
        const AxisList *axes = &axes_per_dim[split[i]];
        x = reduce_scatter_dim(local, x, split[i], body, mesh, axes->axes, axes->count);
    }
    return x;
}

// ---- sdy collectives ----

// Do all dimensions' tiles nest between the operand and the result? Then the collective may work on tiles as they are.
static bool dims_nest(Local *local, const Op *op) {
    const Value *in = op_operand(op, 0), *out = op_result(op, 0);
    for (int d = 0; d < in->type->rank; d++) {
        DimTiles a = value_tiles(local, in, d), b = value_tiles(local, out, d);
        const DimTiles *coarse = a.count < b.count ? &a : &b, *fine = a.count < b.count ? &b : &a;
        if (coarse->count == 1 || coarse->count == fine->count) continue;
        if (coarse->count * coarse->tile != fine->count * fine->tile) return false;
    }
    return true;
}

// The target dimensions of an all-to-all or reduce-scatter padded to what will be cut off them.
static Value *pad_to_parts(Local *local, const Op *op, Value *x) {
    const Value *in = op_operand(op, 0), *out = op_result(op, 0);
    for (int d = 0; d < x->type->rank; d++) {
        DimTiles a = value_tiles(local, in, d), b = value_tiles(local, out, d);
        if (b.count <= a.count) continue;
        int64_t missing = b.count / a.count * b.tile - x->type->dims[d];
        if (missing > 0) {
            x = local_pad_dim(local, x, d, local_zero(local, x->type), 0, missing, 0);
        }
    }
    return x;
}

static Value *sdy_all_to_all(Local *local, const Op *op, Value *x) {
    const Attr *params = op_attr(op, NAME_PARAMS);
    const Mesh *mesh = local_mesh(local, local_sharding(op_operand(op, 0)));
    x = pad_to_parts(local, op, x);
    x = emit_all_to_all(local, x, mesh, params->count, params->all_to_all);
    const Type *type = local_type(local, op_result_type(op, 0), local_sharding(op_result(op, 0)));
    return cut_dims(local, x, type->dims);
}

static Value *sdy_reduce_scatter(Local *local, const Op *op, Value *x) {
    const Attr *axes = op_attr(op, NAME_AXES);
    const Mesh *mesh = local_mesh(local, local_sharding(op_result(op, 0)));
    OpCode body = collective_reduction(op);
    x = pad_to_parts(local, op, x);
    return emit_reduce_scatter(local, x, body, mesh, axes->axes_per_dim);
}

static int scattered_dims(const Attr *axes) {
    int count = 0;
    for (int d = 0; d < axes->count; d++)
        count += axes->axes_per_dim[d].count > 0;
    return count;
}

static Value *sdy_reduce_then_slice(Local *local, const Op *op, Value *x) {
    const Attr *axes = op_attr(op, NAME_AXES);
    const Mesh *mesh = local_mesh(local, local_sharding(op_result(op, 0)));
    AxisList all = {0};
    for (int d = 0; d < axes->count; d++) {
        for (int i = 0; i < axes->axes_per_dim[d].count; i++) {
            all.axes[all.count++] = axes->axes_per_dim[d].axes[i];
        }
    }
    return emit_all_reduce(local, x, collective_reduction(op), mesh, all.axes, all.count);
}

// Every device adds its tile to an otherwise neutral larger tile.
static Value *sdy_to_unreduced(Local *local, const Op *op, Value *x) {
    const Value *in = op_operand(op, 0), *out = op_result(op, 0);
    for (int d = 0; d < x->type->rank; d++) {
        DimTiles a = value_tiles(local, in, d), b = value_tiles(local, out, d);
        if (tiles_equal(&a, &b)) continue;
        x = local_mask_padding(local, x, &a, d, local_zero(local, x->type));
        DimTiles part = a;
        part.axes += b.axis_count;
        part.axis_count -= b.axis_count;
        part.count = a.count / b.count;
        int64_t size = part.count * a.tile;
        Value *starts[MAX_RANK];
        for (int i = 0; i < x->type->rank; i++) {
            starts[i] = i == d ? local_affine(local, &part, a.tile, 0) : local_int(local, 0);
        }
        const Type *large = type_with_dim(local, x->type, d, size);
        Value *zeros = local_splat(local, local_zero(local, x->type), large);
        x = build_dynamic_update_slice(&local->builder, zeros, x, starts);
        x = local_slice_dim(local, x, d, 0, b.tile, 1);
    }
    return x;
}

static bool is_reducing(OpCode code) {
    return code == OP_SDY_ALL_REDUCE || code == OP_SDY_REDUCE_SCATTER ||
           code == OP_SDY_REPLICATED_TO_UNREDUCED || code == OP_SDY_TO_UNREDUCED;
}

bool local_sdy_collective(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *in = local_sharding(operand), *out = local_sharding(result);
    Value *x = local_value(local, operand);
    const Mesh *mesh = local_mesh(local, out) ? local_mesh(local, out) : local_mesh(local, in);
    const Attr *axes = op_attr(op, NAME_AXES);
    if (!mesh && is_reducing(op->code)) {
        diag_error(local->diags, op->loc, "'%.*s' op has no mesh for its axes", SV_ARG(op->name));
        return false;
    }
    if (!mesh) {
        local_set_as(local, result, x, in);
        return true;
    }
    bool nest = dims_nest(local, op);
    if (op->code == OP_SDY_ALL_REDUCE) {
        x = emit_all_reduce(local, x, collective_reduction(op), mesh, axes->axes, axes->count);
    } else if (op->code == OP_SDY_REPLICATED_TO_UNREDUCED) {
        x = local_only_on_first(local, x, OP_ADD, mesh, axes->axes, axes->count);
    } else if (op->code == OP_SDY_REDUCE_SCATTER) {
        bool is_separate = local->separate_reduce_scatter && scattered_dims(axes) > 1;
        if (nest && !is_separate) {
            local_set(local, result, sdy_reduce_scatter(local, op, x));
            return true;
        }
        x = sdy_reduce_then_slice(local, op, x);
    } else if (op->code == OP_SDY_TO_UNREDUCED && nest) {
        local_set(local, result, sdy_to_unreduced(local, op, x));
        return true;
    } else if (op->code == OP_SDY_ALL_TO_ALL && nest) {
        local_set(local, result, sdy_all_to_all(local, op, x));
        return true;
    } else if (is_reducing(op->code)) {
        diag_unsupported(
            local->diags, op->loc, "'%.*s' op on dimensions that do not divide evenly",
            SV_ARG(op->name));
        return false;
    }
    // Gathers, slices, permutes, and what is left of the others.
    local_set_as(local, result, x, in);
    return true;
}

// ---- stablehlo collectives inside manual computations ----

// The dimensions that the collective itself works on: they are whole on the free axes.
static unsigned collective_dims(const Op *op) {
    switch ((int)op->code) {
    case OP_ALL_GATHER: return 1u << op_int(op, NAME_ALL_GATHER_DIM, 0);
    case OP_REDUCE_SCATTER: return 1u << op_int(op, NAME_SCATTER_DIMENSION, 0);
    case OP_ALL_TO_ALL:
        return 1u << op_int(op, NAME_SPLIT_DIMENSION, 0) |
               1u << op_int(op, NAME_CONCAT_DIMENSION, 0);
    default: return 0;
    }
}

// The groups by axes of a mesh as lists of devices; NULL with a diagnostic.
static const Attr *listed_groups(Local *local, const Op *op) {
    const Attr *groups = group_mesh_lists(
        local->global, local->scratch, op_attr(op, NAME_REPLICA_GROUPS), local->device_count);
    if (groups) return groups;
    diag_unsupported(
        local->diags, op->loc,
        "'%.*s' with replica groups that are neither lists of devices nor axes of a mesh of all "
        "%lld devices",
        SV_ARG(op->name), (long long)local->device_count);
    return NULL;
}

static bool no_such_device(Local *local, const Op *op, int64_t id) {
    diag_error(
        local->diags, op->loc, "'%.*s' op names device %lld, but there are %lld devices",
        SV_ARG(op->name), (long long)id, (long long)local->device_count);
    return false;
}

// Every device that is listed exists; in a list of groups each is in one, but for a broadcast, which some may miss.
static bool check_members(Local *local, const Op *op, const Attr *groups) {
    int64_t devices = local->device_count, count = type_element_count(groups->type);
    bool *is_member = ARENA_ARRAY(local->scratch, bool, devices);
    for (int64_t i = 0; i < count; i++) {
        int64_t id = attr_element_int(groups, i);
        if (id < 0) {
            diag_unsupported(
                local->diags, op->loc, "'%.*s' op with groups of different sizes",
                SV_ARG(op->name));
            return false;
        }
        if (id >= devices) return no_such_device(local, op, id);
        is_member[id] = true;
    }
    for (int64_t d = 0; d < devices; d++) {
        if (is_member[d] || op->code == OP_COLLECTIVE_BROADCAST) continue;
        if (op->code == OP_COLLECTIVE_PERMUTE) continue;
        diag_error(
            local->diags, op->loc,
            "'%.*s' op has no group with device %lld: its groups must have all %lld devices",
            SV_ARG(op->name), (long long)d, (long long)devices);
        return false;
    }
    return true;
}

// The sizes that follow from the size of the groups.
static bool check_group_size(Local *local, const Op *op, int64_t size) {
    bool gathers = op->code == OP_ALL_GATHER;
    if (!gathers && op->code != OP_REDUCE_SCATTER) return true;
    int64_t d = op_int(op, gathers ? NAME_ALL_GATHER_DIM : NAME_SCATTER_DIMENSION, 0);
    for (int i = 0; i < op->operand_count; i++) {
        int64_t from = op_operand_type(op, i)->dims[d], to = op_result_type(op, i)->dims[d];
        int64_t large = gathers ? to : from, small = gathers ? from : to, whole = 0;
        if (checked_mul(small, size, &whole) && whole == large) continue;
        diag_error(
            local->diags, op->loc,
            "'%.*s' op makes dimension %lld of size %lld one of size %lld, but its groups have "
            "%lld devices",
            SV_ARG(op->name), (long long)d, (long long)from, (long long)to, (long long)size);
        return false;
    }
    return true;
}

// The groups as lists of devices, of which the program has one replica's partitions. NULL with a diagnostic for what cannot be; *is_kept: out, the
// op's own groups will do.
static const Attr *manual_groups(Local *local, const Op *op, bool *is_kept) {
    int64_t rows, columns, devices = local->device_count;
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    *is_kept = groups && groups->kind == ATTR_ELEMENTS;
    if (groups && !*is_kept) {
        groups = listed_groups(local, op);
        if (!groups) return NULL;
    }
    process_group_shape(groups, &rows, &columns);
    GroupStrategy strategy = process_group_strategy(op, groups, 1, devices);
    bool is_alone = strategy == GROUPS_OF_REPLICAS;
    if (is_alone || rows == 0 || strategy == GROUPS_OF_REPLICAS_WITH_PARTITIONS) {
        int64_t *ids = ARENA_ARRAY(local->scratch, int64_t, devices);
        for (int64_t i = 0; i < devices; i++)
            ids[i] = i;
        rows = is_alone ? devices : 1;
        groups = attr_int_matrix(local->context, (int)rows, (int)(devices / rows), ids);
        *is_kept = false;
    }
    if (!check_members(local, op, groups)) return NULL;
    return check_group_size(local, op, groups->type->dims[1]) ? groups : NULL;
}

bool local_manual_collective(Local *local, const Op *op) {
    unsigned dims = collective_dims(op);
    if (op->operand_count != op->result_count) {
        diag_unsupported(local->diags, op->loc, "'%.*s' op with a dynamic root", SV_ARG(op->name));
        return false;
    }
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Sharding **shardings = ARENA_ARRAY(local->scratch, const Sharding *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        const Value *result = op_result(op, i);
        shardings[i] = sharding_without_dims(local->context, local_sharding(result), dims);
        operands[i] = local_value_as(local, op_operand(op, i), shardings[i]);
        types[i] = local_type(local, result->type, shardings[i]);
    }
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    bool is_kept = op->code == OP_COLLECTIVE_PERMUTE;
    if (is_kept && !check_members(local, op, op_attr(op, NAME_SOURCE_TARGET_PAIRS))) return false;
    const Attr *groups = is_kept ? NULL : manual_groups(local, op, &is_kept);
    if (!groups && op->code != OP_COLLECTIVE_PERMUTE) return false;
    if (!is_kept) {
        op_set_attr(local->module, made, NAME_REPLICA_GROUPS, groups);
        set_channel(local, made, op->code != OP_ALL_TO_ALL && op->code != OP_COLLECTIVE_BROADCAST);
    }
    if (!verify_op(local->module, made, local->diags)) return false; // its groups may be smaller
    for (int i = 0; i < op->result_count; i++) {
        local_set_as(local, op_result(op, i), op_result(made, i), shardings[i]);
    }
    return true;
}

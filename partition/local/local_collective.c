// local_collective: the sdy collectives, and StableHLO's inside of manual computations, on tiles.
#include "base/checked.h"
#include "ir/sharding/group_mesh.h"
#include "ir/sharding/process_groups.h"
#include "ir/verify/verify.h"
#include "partition/collectives/reductions.h"
#include "partition/local/local.h"

// ---- sdy collectives ----

// Do all dimensions' tiles nest between the operand and the result? Then the collective
// may work on tiles as they are.
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

bool local_reduce_then_slice(Local *local, const Op *op) {
    const Attr *axes = op_attr(op, NAME_AXES);
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    AxisList all = {0};
    for (int d = 0; d < axes->count; d++) {
        for (int i = 0; i < axes->axes_per_dim[d].count; i++) {
            all.axes[all.count++] = axes->axes_per_dim[d].axes[i];
        }
    }
    Value *sum = emit_all_reduce(
        local, local_value(local, operand), collective_reduction(op),
        local_mesh(local, local_sharding(result)), all.axes, all.count);
    local_set_as(local, result, sum, local_sharding(operand));
    return true;
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
        if (!nest) return local_reduce_then_slice(local, op);
        local_set(local, result, sdy_reduce_scatter(local, op, x));
        return true;
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
    if (op->code == OP_ALL_GATHER) return 1u << op_int(op, NAME_ALL_GATHER_DIM, 0);
    if (op->code == OP_REDUCE_SCATTER) return 1u << op_int(op, NAME_SCATTER_DIMENSION, 0);
    if (op->code != OP_ALL_TO_ALL) return 0;
    return 1u << op_int(op, NAME_SPLIT_DIMENSION, 0) | 1u << op_int(op, NAME_CONCAT_DIMENSION, 0);
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

// Every device that is listed exists; in a list of groups each is in one, but for a broadcast,
// which some may miss. A sum's groups may have different sizes: -1 fills the smaller ones' rows.
static bool check_members(Local *local, const Op *op, const Attr *groups) {
    int64_t devices = local->device_count, count = type_element_count(groups->type);
    bool *is_member = ARENA_ARRAY(local->scratch, bool, devices);
    for (int64_t i = 0; i < count; i++) {
        int64_t id = attr_element_int(groups, i);
        if (id < 0 && op->code == OP_ALL_REDUCE) continue;
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

// The groups as lists of devices, of which the program has one replica's partitions. NULL with a
// diagnostic for what cannot be; *is_kept: out, the op's own groups will do.
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

// StableHLO's collectives.
#include "base/map.h"
#include "ir/infer/infer.h"
#include "ir/sharding/group_mesh.h"

#include <stdlib.h>

// Replica groups by the axes of a mesh: a mesh that they name is declared.
static bool check_group_mesh(Infer *infer, const Op *op, const Attr *groups) {
    GroupMesh mesh;
    if (!group_mesh_find(groups, &mesh) || mesh.name.size == 0) return true;
    if (infer_has_symbol(infer, mesh.name)) return true;
    return infer_fail(infer, op, "replica_groups: mesh symbol '%.*s' not found", SV_ARG(mesh.name));
}

// replica_groups: a matrix of device ids, one group per row; -1 fills short rows where sizes may
// differ. The id list must be 0..n-1. Attributes of other dialects (mesh axes) are left to those
// who resolve them. group_size: out, 0 = not known.
static bool check_replica_groups(Infer *infer, const Op *op, bool same_size, int64_t *group_size) {
    *group_size = 0;
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    if (!groups) return true;
    if (groups->kind == ATTR_OPAQUE) return check_group_mesh(infer, op, groups);
    if (groups->kind != ATTR_ELEMENTS || groups->type->rank != 2)
        return infer_fail(infer, op, "replica groups should be a rank 2 tensor");
    IntSpan ids = op_ints(op, NAME_REPLICA_GROUPS);
    *group_size = groups->type->dims[1];
    if (ids.count == 0) {
        if (!op_attr(op, NAME_USE_GLOBAL_DEVICE_IDS)) return true;
        return infer_fail(infer, op, "replica groups cannot be empty");
    }
    bool *seen = ARENA_ARRAY(infer->diags->arena, bool, ids.count + 1);
    int present = 0;
    for (int i = 0; i < ids.count; i++) {
        int64_t id = ids.data[i];
        if (id == -1 && !same_size) continue;
        if (id < -1) { // then one of the others is missing
            present++;
            continue;
        }
        if (id < 0) return infer_fail(infer, op, "Invalid replica id %lld", (long long)id);
        present++;
        if (id >= ids.count) continue; // then a smaller one is missing
        if (seen[id])
            return infer_fail(infer, op, "replica id #%lld seen more than once", (long long)id);
        seen[id] = true;
    }
    for (int id = 0; id < present; id++) {
        if (!seen[id])
            return infer_fail(infer, op, "replica id #%d not seen in replica groups", id);
    }
    return true;
}

static bool check_channel(Infer *infer, const Op *op) {
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    if (!op_int(op, NAME_USE_GLOBAL_DEVICE_IDS, 0)) return true;
    int64_t id = channel ? channel->ints[0] : 0;
    if (id > 0) return true;
    return infer_fail(
        infer, op, "channel_id must be positive when useGlobalDeviceIds is set but got: %lld",
        (long long)id);
}

static bool check_counts(Infer *infer, const Op *op) {
    if (op->operand_count == 0)
        return infer_fail(infer, op, "expected 1 or more operands, but found 0");
    if (op->operand_count == op->result_count) return true;
    return infer_fail(
        infer, op, "requires the same number of operands and results, but got %d and %d",
        op->operand_count, op->result_count);
}

bool infer_all_gather(Infer *infer, const Op *op) {
    int64_t group_size;
    int64_t dimension = op_int(op, NAME_ALL_GATHER_DIM, 0);
    if (!check_counts(infer, op) || !check_replica_groups(infer, op, true, &group_size) ||
        !check_channel(infer, op))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *operand = op_operand_type(op, i), *result = op_result_type(op, i);
        if (operand->rank != result->rank)
            return infer_fail(infer, op, "operand and result must have the same rank");
        if (!elements_fit(operand, result))
            return infer_fail(
                infer, op, "requires the same element type for operand and result at index %d", i);
        if (dimension >= operand->rank)
            return infer_fail(infer, op, "all_gather_dim must be a valid index of operand");
        for (int d = 0; d < operand->rank; d++) {
            if (d != dimension && !dims_fit(operand->dims[d], result->dims[d]))
                return infer_fail(
                    infer, op,
                    "operand and result should have the same shape except for the dimension size "
                    "at "
                    "'all_gather_dim'");
        }
        int64_t from = operand->dims[dimension], to = result->dims[dimension];
        if (dim_is_dynamic(from) || dim_is_dynamic(to)) continue;
        if (from == 0)
            return infer_fail(
                infer, op, "dimension size of operand at 'all_gather_dim' cannot be zero");
        if (to % from != 0)
            return infer_fail(
                infer, op,
                "result gather dimension has size %lld, expected to be a multiple of operand "
                "gather "
                "dimension size %lld",
                (long long)to, (long long)from);
    }
    return true;
}

// The reduction's region takes and returns scalars of the operands' element types.
static bool infer_reduction(Infer *infer, const Op *op, int i, const Type **accumulator) {
    const Type *scalar = infer_tensor_like(infer, op_operand_type(op, i), 0, NULL);
    return infer_reducer(infer, op, op->regions[0], 1, &scalar, &scalar, (IntSpan){0}, accumulator);
}

bool infer_all_reduce(Infer *infer, const Op *op) {
    int64_t group_size;
    if (!check_counts(infer, op) || !check_replica_groups(infer, op, false, &group_size) ||
        !check_channel(infer, op))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *operand = op_operand_type(op, i), *accumulator;
        if (!infer_reduction(infer, op, i, &accumulator)) return false;
        infer_set(infer, i, infer_tensor_like(infer, accumulator, operand->rank, operand->dims));
    }
    return true;
}

bool infer_reduce_scatter(Infer *infer, const Op *op) {
    int64_t group_size;
    const Type *accumulator;
    int64_t dimension = op_int(op, NAME_SCATTER_DIMENSION, 0);
    if (!check_counts(infer, op) || !check_replica_groups(infer, op, true, &group_size) ||
        !check_channel(infer, op))
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *operand = op_operand_type(op, i), *result = op_result_type(op, i);
        if (!infer_reduction(infer, op, i, &accumulator)) return false;
        if (operand->rank != result->rank)
            return infer_fail(infer, op, "operand and result should have same rank");
        if (accumulator->element != result->element)
            return infer_fail(
                infer, op, "result element-type is expected to be '%s', but got '%s'",
                infer_element_text(infer, accumulator), infer_element_text(infer, result));
        if (dimension >= operand->rank)
            return infer_fail(infer, op, "scatter dim should be less than operand/result rank");
        for (int d = 0; d < operand->rank; d++) {
            if (d != dimension && !dims_fit(operand->dims[d], result->dims[d]))
                return infer_fail(
                    infer, op,
                    "non scatter dimensions should be same for operand (%lld) and result (%lld)",
                    (long long)operand->dims[d], (long long)result->dims[d]);
        }
        int64_t from = operand->dims[dimension], to = result->dims[dimension];
        if (dim_is_dynamic(from) || dim_is_dynamic(to)) continue;
        if (to == 0)
            return infer_fail(
                infer, op, "result dimension size at scatter_dimension cannot be zero");
        if (from == 0)
            return infer_fail(
                infer, op, "operand dimension size at scatter_dimension cannot be zero");
        if (from % to != 0)
            return infer_fail(
                infer, op,
                "operand scatter dimension has size %lld, expected to be a multiple of result "
                "scatter "
                "dimension size %lld",
                (long long)from, (long long)to);
    }
    return true;
}

bool infer_all_to_all(Infer *infer, const Op *op) {
    int64_t group_size;
    int64_t split = op_int(op, NAME_SPLIT_DIMENSION, 0);
    int64_t concat = op_int(op, NAME_CONCAT_DIMENSION, 0);
    int64_t count = op_int(op, NAME_SPLIT_COUNT, 0);
    if (!check_counts(infer, op) || !check_replica_groups(infer, op, true, &group_size) ||
        !check_channel(infer, op))
        return false;
    if (group_size && group_size != count)
        return infer_fail(infer, op, "group size of replica_groups must be %lld", (long long)count);
    for (int i = 0; i < op->operand_count; i++) {
        const Type *operand = op_operand_type(op, i);
        if (!infer->results_unknown && !elements_fit(operand, op_result_type(op, i)))
            return infer_fail(
                infer, op, "requires the same element type for operand and result at index %d", i);
        if (split >= operand->rank)
            return infer_fail(
                infer, op, "AllToAll split_dimension %lld is out-of-bounds for input rank %d",
                (long long)split, operand->rank);
        if (concat >= operand->rank)
            return infer_fail(
                infer, op, "AllToAll concat_dimension %lld is out-of-bounds for input rank %d",
                (long long)concat, operand->rank);
        int64_t dims[MAX_RANK] = {0};
        for (int d = 0; d < operand->rank; d++)
            dims[d] = operand->dims[d];
        if (!dim_is_dynamic(dims[split]) && dims[split] % count != 0)
            return infer_fail(
                infer, op,
                "split dimension has size %lld, expected to be a multiple of split_count %lld",
                (long long)dims[split], (long long)count);
        if (!dim_is_dynamic(dims[split])) dims[split] /= count;
        if (!dim_is_dynamic(dims[concat]) &&
            __builtin_mul_overflow(dims[concat], count, &dims[concat]))
            return infer_fail(infer, op, "size of dimension %lld overflows", (long long)concat);
        infer_set(infer, i, infer_tensor_like(infer, operand, operand->rank, dims));
    }
    return true;
}

// Data operands, and with has_dynamic_root one more: the group's root of each. data_count: out,
// how many data operands there are.
static bool check_rooted(Infer *infer, const Op *op, int *data_count) {
    bool has_root = op_attr(op, NAME_HAS_DYNAMIC_ROOT) != NULL;
    int count = op->operand_count - has_root;
    StrView name = op_code_mnemonic(op->code);
    *data_count = count;
    if (has_root && count < 1)
        return infer_fail(
            infer, op,
            "%.*s with has_dynamic_root=true requires at least two operands (data + root)",
            SV_ARG(name));
    if (count < 1)
        return infer_fail(infer, op, "%.*s requires at least one data operand", SV_ARG(name));
    if (!has_root) return true;
    const Type *root = op_operand_type(op, count);
    if (root->rank != 1 || root->element != ELEMENT_I32)
        return infer_fail(
            infer, op,
            "last operand of %.*s with has_dynamic_root=true must be a rank-1 i32 tensor",
            SV_ARG(name));
    if (dims_fit(root->dims[0], count)) return true;
    return infer_fail(
        infer, op,
        "last operand of %.*s with has_dynamic_root=true must have the same number of elements as "
        "data operands (%d), but got %lld",
        SV_ARG(name), count, (long long)root->dims[0]);
}

// A broadcast is among some devices: each at most once.
static bool check_some_devices(Infer *infer, const Op *op) {
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    if (!groups) return true;
    if (groups->kind == ATTR_OPAQUE) return check_group_mesh(infer, op, groups);
    if (groups->kind != ATTR_ELEMENTS || groups->type->rank != 2)
        return infer_fail(infer, op, "replica groups should be a rank 2 tensor");
    IntSpan ids = op_ints(op, NAME_REPLICA_GROUPS);
    PtrMap seen = ptr_map(infer->diags->arena);
    for (int i = 0; i < ids.count; i++) {
        int64_t id = ids.data[i];
        if (id < 0)
            return infer_fail(
                infer, op, "replica_groups values must be positive, but was given %lld",
                (long long)id);
        const void *key = (const void *)(uintptr_t)(id + 1);
        if (ptr_map_has(&seen, key))
            return infer_fail(infer, op, "replica id #%lld seen more than once", (long long)id);
        ptr_map_set(&seen, key, infer);
    }
    return true;
}

bool infer_collective_broadcast(Infer *infer, const Op *op) {
    int count;
    if (!check_rooted(infer, op, &count) || !check_some_devices(infer, op) ||
        !check_channel(infer, op))
        return false;
    if (count != op->result_count)
        return infer_fail(
            infer, op, "requires the same number of operands and results, but got %d and %d", count,
            op->result_count);
    for (int i = 0; i < count; i++)
        infer_set(infer, i, op_operand_type(op, i));
    return true;
}

bool infer_collective_reduce(Infer *infer, const Op *op) {
    int64_t group_size;
    int count;
    if (!check_rooted(infer, op, &count)) return false;
    if (count != op->result_count)
        return infer_fail(infer, op, "expects %d results, but has %d", count, op->result_count);
    if (!check_replica_groups(infer, op, false, &group_size) || !check_channel(infer, op))
        return false;
    for (int i = 0; i < count; i++) {
        const Type *operand = op_operand_type(op, i), *accumulator;
        if (!infer_reduction(infer, op, i, &accumulator)) return false;
        infer_set(infer, i, infer_tensor_like(infer, accumulator, operand->rank, operand->dims));
    }
    return true;
}

static int compare_ids(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Is one of the pairs' first (0) or second (1) numbers there twice?
static bool has_duplicate(Infer *infer, IntSpan pairs, int which) {
    int count = pairs.count / 2;
    int64_t *ids = ARENA_ARRAY(infer->diags->arena, int64_t, count + 1);
    for (int i = 0; i < count; i++)
        ids[i] = pairs.data[2 * i + which];
    if (count > 1) qsort(ids, (size_t)count, sizeof *ids, compare_ids);
    for (int i = 1; i < count; i++) {
        if (ids[i] == ids[i - 1]) return true;
    }
    return false;
}

bool infer_collective_permute(Infer *infer, const Op *op) {
    const Attr *pairs = op_attr(op, NAME_SOURCE_TARGET_PAIRS);
    IntSpan ids = op_ints(op, NAME_SOURCE_TARGET_PAIRS);
    if (pairs->kind != ATTR_ELEMENTS || pairs->type->rank != 2)
        return infer_fail(
            infer, op, "expect source_target_pairs attribute to be of rank 2, but got rank %d",
            pairs->kind == ATTR_ELEMENTS ? pairs->type->rank : 1);
    if (pairs->type->dims[1] != 2)
        return infer_fail(
            infer, op, "expect source_target_pairs attribute of shape (N, 2), but got (%s)",
            infer_ints_text(infer, pairs->type->dims, 2));
    for (int i = 0; i < ids.count; i++) {
        if (ids.data[i] < 0)
            return infer_fail(infer, op, "replica ids in source_target_pairs must be >= 0.");
    }
    if (has_duplicate(infer, ids, 0))
        return infer_fail(infer, op, "duplicate sources not allowed.");
    if (has_duplicate(infer, ids, 1))
        return infer_fail(infer, op, "duplicate targets not allowed.");
    return check_counts(infer, op) && check_channel(infer, op) && infer_same_types(infer, op);
}

bool infer_cross_replica_sum(Infer *infer, const Op *op) {
    int64_t group_size;
    return check_replica_groups(infer, op, false, &group_size) && infer_same_type(infer, op);
}

bool infer_device_id(Infer *infer, const Op *op) {
    (void)op;
    infer_set(infer, 0, type_scalar(infer->context, ELEMENT_UI32));
    return true;
}

// Devices in lock step: collectives, device ids, manual computations.
//
// A collective is evaluated once for all lanes that reach it together. Its groups list
// process ids; a group whose members did not all arrive (the others took another branch) is
// an error, where a real run would hang.
#include "ir/eval/eval_internal.h"
#include "ir/sharding/group_mesh.h"
#include "ir/sharding/process_groups.h"

#include <string.h>

bool eval_device_id(Eval *eval, const Op *op) {
    Tensor *result = eval_result_tensor(eval, op, 0);
    if (!result) return false;
    int64_t partition = eval->lane % eval->partition_count,
            replica = eval->lane / eval->partition_count;
    int64_t id = op->code == OP_PARTITION_ID ? partition : replica;
    scalar_store_int(result->type->element, &id, 1, result->data);
    eval_set_result(eval, op, 0, result);
    return true;
}

// --- groups ---

// Groups of lanes, each in the order of the op's list.
typedef struct Groups {
    int count;
    int *starts; // [count + 1] into lanes
    int *lanes;
    bool are_given; // the op lists groups (else: everybody)
} Groups;

static void add_lane(Groups *groups, int64_t lane) {
    groups->lanes[groups->starts[groups->count]++] = (int)lane;
}

static void add_groups_of_row(
    const Eval *eval, GroupStrategy strategy, const int64_t *ids, int64_t count, Groups *groups) {
    int64_t partitions = eval->partition_count, replicas = eval->replica_count;
    int64_t copies = strategy == GROUPS_OF_REPLICAS     ? partitions
                     : strategy == GROUPS_OF_PARTITIONS ? replicas
                                                        : 1;
    for (int64_t copy = 0; copy < copies; copy++) {
        groups->starts[groups->count + 1] = groups->starts[groups->count];
        groups->count++;
        int64_t rounds = strategy == GROUPS_OF_REPLICAS_WITH_PARTITIONS ? partitions : 1;
        for (int64_t round = 0; round < rounds; round++) {
            for (int64_t i = 0; i < count; i++) {
                if (ids[i] < 0) continue; // a shorter group
                int64_t lane = ids[i];
                if (strategy == GROUPS_OF_REPLICAS) lane = ids[i] * partitions + copy;
                if (strategy == GROUPS_OF_PARTITIONS) lane = copy * partitions + ids[i];
                if (strategy == GROUPS_OF_REPLICAS_WITH_PARTITIONS)
                    lane = ids[i] * partitions + round;
                add_lane(groups, lane);
            }
        }
    }
}

// Every member must be here, and nobody may be in two groups.
static bool check_groups(Eval *eval, const Op *op, const Groups *groups) {
    Lanes lanes = eval->lanes;
    int64_t total = eval->replica_count * eval->partition_count;
    bool *is_here = eval_scratch(eval, op, total, sizeof *is_here);
    if (!is_here) return false;
    memset(is_here, 0, (size_t)total);
    for (int k = 0; k < lanes.count; k++)
        is_here[lanes.ids[k]] = true;
    for (int g = 0; g < groups->count; g++) {
        int here = 0, size = groups->starts[g + 1] - groups->starts[g];
        int missing = -1;
        for (int i = groups->starts[g]; i < groups->starts[g + 1]; i++) {
            int lane = groups->lanes[i];
            if (lane < 0 || lane >= total)
                return eval_fail(
                    eval, op, "has a group with device %d, but there are %lld devices", lane,
                    (long long)total);
            if (is_here[lane])
                here++;
            else
                missing = lane;
        }
        if (here > 0 && here < size)
            return eval_fail(
                eval, op,
                "waits for device %d, which did not reach it: its group is not complete (devices "
                "took "
                "different branches, or a device is listed twice)",
                missing);
        for (int i = groups->starts[g]; i < groups->starts[g + 1] && here > 0; i++)
            is_here[groups->lanes[i]] = false; // a second group may not name it
    }
    for (int k = 0; k < lanes.count && op->code != OP_COLLECTIVE_BROADCAST; k++) {
        if (is_here[lanes.ids[k]])
            return eval_fail(eval, op, "has no group with device %d", lanes.ids[k]);
    }
    return true;
}

// The groups whose members are here.
static bool read_groups(Eval *eval, const Op *op, Groups *groups) {
    int64_t total = eval->replica_count * eval->partition_count;
    const Attr *attr = op_attr(op, NAME_REPLICA_GROUPS);
    if (attr && attr->kind != ATTR_ELEMENTS) {
        attr = group_mesh_lists(eval->module, eval->arena, attr, total);
        if (!attr)
            return eval_fail(
                eval, op, "has replica groups that are no axes of a mesh of %lld devices",
                (long long)total);
    }
    int64_t rows, columns;
    process_group_shape(attr, &rows, &columns);
    int64_t count = rows * columns;
    int64_t *ids = eval_scratch(eval, op, count + total, sizeof *ids);
    int64_t room = (count + 1) * eval->replica_count * eval->partition_count + total + 2;
    *groups = (Groups){
        .starts = eval_scratch(eval, op, room, sizeof(int)),
        .lanes = eval_scratch(eval, op, room, sizeof(int))};
    if (!ids || !groups->starts || !groups->lanes) return false;
    groups->starts[0] = 0;
    for (int64_t i = 0; i < count; i++)
        ids[i] = attr_element_int(attr, i);
    GroupStrategy strategy =
        process_group_strategy(op, attr, eval->replica_count, eval->partition_count);
    if (count == 0) { // one group of everybody
        rows = 1;
        columns = strategy == GROUPS_OF_REPLICAS || strategy == GROUPS_OF_REPLICAS_WITH_PARTITIONS
                      ? eval->replica_count
                      : total;
        for (int64_t i = 0; i < columns; i++)
            ids[i] = i;
    }
    for (int64_t r = 0; r < rows; r++)
        add_groups_of_row(eval, strategy, ids + r * columns, columns, groups);
    return check_groups(eval, op, groups);
}

static bool group_is_here(const Eval *eval, const Groups *groups, int g) {
    if (groups->starts[g] == groups->starts[g + 1]) return false;
    for (int k = 0; k < eval->lanes.count; k++) {
        if (eval->lanes.ids[k] == groups->lanes[groups->starts[g]]) return true;
    }
    return false;
}

// --- collectives ---

// The elementwise reduction of the members' tensors, in the order of the group.
static Tensor *reduce_members(
    Eval *eval, const Op *op, const Value *operand, const int *members, int count) {
    Tensor *first = eval_get(eval, operand, members[0]);
    ElementType element = first->type->element;
    int64_t n = tensor_count(first);
    Tensor *sum = eval_tensor(eval, op, first->type);
    if (!sum) return NULL;
    if (eval_is_float_sum(op->regions[0], element)) {
        double *sums = eval_scratch(eval, op, n, sizeof *sums),
               *terms = eval_scratch(eval, op, n, sizeof *terms);
        if (!sums || !terms) return NULL;
        scalar_load_real(element, first->data, 1, n, sums);
        for (int k = 1; k < count; k++) {
            scalar_load_real(element, eval_get(eval, operand, members[k])->data, 1, n, terms);
            for (int64_t i = 0; i < n; i++)
                sums[i] += terms[i];
        }
        scalar_store_real(element, sums, n, sum->data);
        return sum;
    }
    if (n > 0) memcpy(sum->data, first->data, type_bytes(first->type));
    ElementType pair[2] = {element, element};
    Body *body = eval_body(eval, op, op->regions[0], 2, pair, 1, pair);
    if (!body) return NULL;
    eval->lane = members[0];
    for (int k = 1; k < count; k++) {
        const void *args[2] = {sum->data, eval_get(eval, operand, members[k])->data};
        void *out = sum->data;
        if (!eval_body_run(eval, body, op, n, args, &out)) return NULL;
    }
    return sum;
}

// All results of all lanes that are here are zero.
static bool set_zeros(Eval *eval, const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        Tensor *zero = eval_result_tensor(eval, op, i);
        if (!zero) return false;
        memset(zero->data, 0, type_bytes(zero->type));
        for (int k = 0; k < eval->lanes.count; k++)
            eval_set(eval, op_result(op, i), eval->lanes.ids[k], eval_retain(zero));
        eval_release(eval, zero);
    }
    return true;
}

bool eval_all_reduce(Eval *eval, const Op *op) {
    Groups groups;
    if (!read_groups(eval, op, &groups)) return false;
    for (int g = 0; g < groups.count; g++) {
        if (!group_is_here(eval, &groups, g)) continue;
        const int *members = groups.lanes + groups.starts[g];
        int count = groups.starts[g + 1] - groups.starts[g];
        for (int i = 0; i < op->operand_count; i++) {
            Tensor *sum = reduce_members(eval, op, op_operand(op, i), members, count);
            if (!sum) return false;
            for (int k = 0; k < count; k++)
                eval_set(eval, op_result(op, i), members[k], eval_retain(sum));
            eval_release(eval, sum);
        }
    }
    return true;
}

// The first member gets the sum, the others zeros.
bool eval_collective_reduce(Eval *eval, const Op *op) {
    Groups groups;
    if (op->operand_count != op->result_count)
        return eval_unsupported(eval, op, "with a dynamic root");
    if (!read_groups(eval, op, &groups) || !set_zeros(eval, op)) return false;
    for (int g = 0; g < groups.count; g++) {
        if (!group_is_here(eval, &groups, g)) continue;
        const int *members = groups.lanes + groups.starts[g];
        for (int i = 0; i < op->operand_count; i++) {
            Tensor *sum = reduce_members(
                eval, op, op_operand(op, i), members, groups.starts[g + 1] - groups.starts[g]);
            if (!sum) return false;
            eval_set(eval, op_result(op, i), members[0], sum);
        }
    }
    return true;
}

// Copies a block of `from` (block `part` of `parts` along dim, or all of it) to block `place`
// of `places` of `to` along dim2.
static void copy_block(
    const Tensor *from, int64_t dim, int64_t parts, int64_t part, Tensor *to, int64_t to_dim,
    int64_t places, int64_t place) {
    int rank = from->type->rank;
    size_t size = element_bytes(from->type->element);
    int64_t dims[MAX_RANK], in[MAX_RANK], out[MAX_RANK];
    row_major_strides(rank, from->type->dims, in);
    row_major_strides(rank, to->type->dims, out);
    for (int d = 0; d < rank; d++)
        dims[d] = d == dim ? from->type->dims[d] / parts : from->type->dims[d];
    for (int d = 0; d < rank; d++) {
        if (dims[d] == 0) return;
    }
    int64_t in_at = parts > 1 ? part * dims[dim] * in[dim] : 0;
    int64_t out_at = places > 1 ? place * (to->type->dims[to_dim] / places) * out[to_dim] : 0;
    copy_strided(
        rank, dims, size, (char *)to->data + out_at * (int64_t)size, out,
        (const char *)from->data + in_at * (int64_t)size, in);
}

static bool has_dim(Eval *eval, const Op *op, const Tensor *tensor, int64_t dim, int64_t parts) {
    if (dim < 0 || dim >= tensor->type->rank || parts < 1 || tensor->type->dims[dim] % parts != 0)
        return eval_fail(eval, op, "splits a dimension that is not divisible by its group");
    return true;
}

bool eval_all_gather(Eval *eval, const Op *op) {
    Groups groups;
    if (!read_groups(eval, op, &groups)) return false;
    int64_t dim = op_int(op, NAME_ALL_GATHER_DIM, 0);
    for (int g = 0; g < groups.count; g++) {
        if (!group_is_here(eval, &groups, g)) continue;
        const int *members = groups.lanes + groups.starts[g];
        int count = groups.starts[g + 1] - groups.starts[g];
        for (int i = 0; i < op->operand_count; i++) {
            Tensor *whole = eval_result_tensor(eval, op, i);
            if (!whole || !has_dim(eval, op, whole, dim, count)) return false;
            for (int k = 0; k < count; k++) {
                const Tensor *part = eval_get(eval, op_operand(op, i), members[k]);
                if (part->type->dims[dim] * count != whole->type->dims[dim])
                    return eval_fail(
                        eval, op, "has a result that does not fit its group of %d", count);
                copy_block(part, dim, 1, 0, whole, dim, count, k);
            }
            for (int k = 0; k < count; k++)
                eval_set(eval, op_result(op, i), members[k], eval_retain(whole));
            eval_release(eval, whole);
        }
    }
    return true;
}

bool eval_reduce_scatter(Eval *eval, const Op *op) {
    Groups groups;
    if (!read_groups(eval, op, &groups)) return false;
    int64_t dim = op_int(op, NAME_SCATTER_DIMENSION, 0);
    for (int g = 0; g < groups.count; g++) {
        if (!group_is_here(eval, &groups, g)) continue;
        const int *members = groups.lanes + groups.starts[g];
        int count = groups.starts[g + 1] - groups.starts[g];
        for (int i = 0; i < op->operand_count; i++) {
            Tensor *sum = reduce_members(eval, op, op_operand(op, i), members, count);
            if (!sum || !has_dim(eval, op, sum, dim, count)) return false;
            for (int k = 0; k < count; k++) {
                Tensor *part = eval_result_tensor(eval, op, i);
                if (!part) return false;
                if (part->type->dims[dim] * count != sum->type->dims[dim])
                    return eval_fail(
                        eval, op, "has a result that does not fit its group of %d", count);
                copy_block(sum, dim, count, k, part, dim, 1, 0);
                eval_set(eval, op_result(op, i), members[k], part);
            }
            eval_release(eval, sum);
        }
    }
    return true;
}

bool eval_all_to_all(Eval *eval, const Op *op) {
    Groups groups;
    if (!read_groups(eval, op, &groups)) return false;
    int64_t split = op_int(op, NAME_SPLIT_DIMENSION, 0),
            concat = op_int(op, NAME_CONCAT_DIMENSION, 0);
    for (int g = 0; g < groups.count; g++) {
        if (!group_is_here(eval, &groups, g)) continue;
        const int *members = groups.lanes + groups.starts[g];
        int count = groups.starts[g + 1] - groups.starts[g];
        for (int i = 0; i < op->operand_count; i++) {
            for (int k = 0; k < count; k++) {
                Tensor *result = eval_result_tensor(eval, op, i);
                if (!result || !has_dim(eval, op, result, concat, count)) return false;
                for (int from = 0; from < count; from++) {
                    const Tensor *operand = eval_get(eval, op_operand(op, i), members[from]);
                    if (!has_dim(eval, op, operand, split, count)) return false;
                    copy_block(operand, split, count, k, result, concat, count, from);
                }
                eval_set(eval, op_result(op, i), members[k], result);
            }
        }
    }
    return true;
}

// The member of group g that sends result i to a lane: the first one, or the one that the lane's
// roots name. False after a diagnostic.
static bool broadcast_root(
    Eval *eval, const Op *op, const Groups *groups, int g, int i, int lane, int *source) {
    int64_t root = 0, size = groups->starts[g + 1] - groups->starts[g];
    if (op->operand_count > op->result_count) {
        root = tensor_int(eval_get(eval, op_operand(op, op->result_count), lane), i);
        if (root < 0 || root >= size)
            return eval_fail(
                eval, op, "has root %lld in a group of %lld", (long long)root, (long long)size);
    }
    *source = groups->lanes[groups->starts[g] + root];
    return true;
}

// Everybody gets the root's tensor; who is in no group gets zeros.
bool eval_collective_broadcast(Eval *eval, const Op *op) {
    Groups groups;
    if (!read_groups(eval, op, &groups) || !set_zeros(eval, op)) return false;
    for (int i = 0; i < op->result_count; i++) {
        for (int g = 0; g < groups.count; g++) {
            if (!group_is_here(eval, &groups, g)) continue;
            for (int k = groups.starts[g]; k < groups.starts[g + 1]; k++) {
                int source = 0, lane = groups.lanes[k];
                if (!broadcast_root(eval, op, &groups, g, i, lane, &source)) return false;
                Tensor *sent = eval_get(eval, op_operand(op, i), source);
                eval_set(eval, op_result(op, i), lane, eval_retain(sent));
            }
        }
    }
    return true;
}

static bool is_lane_here(const Eval *eval, int64_t lane) {
    for (int k = 0; k < eval->lanes.count; k++) {
        if (eval->lanes.ids[k] == lane) return true;
    }
    return false;
}

// Who is no target gets zeros.
bool eval_collective_permute(Eval *eval, const Op *op) {
    int64_t count, two;
    const Attr *pairs = op_attr(op, NAME_SOURCE_TARGET_PAIRS);
    process_group_shape(pairs, &count, &two);
    int64_t total = eval->replica_count * eval->partition_count;
    GroupStrategy strategy =
        process_group_strategy(op, pairs, eval->replica_count, eval->partition_count);
    int64_t partitions = eval->partition_count;
    int64_t copies = strategy == GROUPS_OF_REPLICAS     ? partitions
                     : strategy == GROUPS_OF_PARTITIONS ? eval->replica_count
                                                        : 1;
    if (!set_zeros(eval, op)) return false;
    for (int i = 0; i < op->operand_count; i++) {
        for (int64_t p = 0; p < count * copies; p++) {
            int64_t source = attr_element_int(pairs, 2 * (p / copies)), copy = p % copies;
            int64_t target = attr_element_int(pairs, 2 * (p / copies) + 1);
            if (strategy == GROUPS_OF_REPLICAS) {
                source = source * partitions + copy;
                target = target * partitions + copy;
            } else if (strategy == GROUPS_OF_PARTITIONS) {
                source += copy * partitions;
                target += copy * partitions;
            }
            if (source >= total || target >= total)
                return eval_fail(
                    eval, op, "has a pair with device %lld, but there are %lld devices",
                    (long long)(source >= total ? source : target), (long long)total);
            if (!is_lane_here(eval, target)) continue;
            if (!is_lane_here(eval, source))
                return eval_fail(
                    eval, op, "waits for device %lld, which did not reach it", (long long)source);
            Tensor *tensor = eval_get(eval, op_operand(op, i), (int)source);
            eval_set(eval, op_result(op, i), (int)target, eval_retain(tensor));
        }
    }
    return true;
}

// sharding_groups: groups that share a value become one, and are numbered 0 to N-1 in
// the order in which they are met.
//
//   Fails   when members of a group are in different manual computations, or have different shapes
#include "base/map.h"
#include "base/vec.h"
#include "ir/builder.h"
#include "partition/passes.h"

typedef struct GroupMember {
    Op *op;
    int group; // index into ids
} GroupMember;

typedef struct Grouping {
    Arena *arena;
    Diags *diags;
    VEC(GroupMember) members;
    VEC(int64_t) ids;        // distinct group ids in the order met
    VEC(const Op *) manual;  // [ids] the manual computation around the first member
    VEC(const Type *) types; // [ids]
    VEC(int) leader;         // [ids] union-find: an index, the root is the smallest
    PtrMap of_id;            // the id's attribute -> index + 1
} Grouping;

static const Op *enclosing_manual(const Op *op) {
    for (const Op *parent = op_parent_op(op); parent; parent = op_parent_op(parent)) {
        if (parent->code == OP_SDY_MANUAL) return parent;
    }
    return NULL;
}

static int find_leader(const Grouping *grouping, int i) {
    while (grouping->leader.data[i] != i) {
        grouping->leader.data[i] = grouping->leader.data[grouping->leader.data[i]];
        i = grouping->leader.data[i];
    }
    return i;
}

static void unite(Grouping *grouping, int a, int b) {
    a = find_leader(grouping, a);
    b = find_leader(grouping, b);
    if (a == b) return;
    grouping->leader.data[a < b ? b : a] = a < b ? a : b;
}

static int group_of_id(Grouping *grouping, int64_t id, const Op *op) {
    const void *key = op_attr(op, NAME_GROUP_ID); // interned
    uintptr_t known = (uintptr_t)ptr_map_get(&grouping->of_id, key);
    if (known != 0) return (int)known - 1;
    int index = (int)grouping->ids.count;
    vec_push(grouping->arena, &grouping->ids, id);
    vec_push(grouping->arena, &grouping->manual, enclosing_manual(op));
    vec_push(grouping->arena, &grouping->types, op_operand_type(op, 0));
    vec_push(grouping->arena, &grouping->leader, index);
    ptr_map_set(&grouping->of_id, key, (void *)(uintptr_t)(index + 1));
    return index;
}

static bool add_member(Op *op, void *user) {
    Grouping *grouping = user;
    if (op->code != OP_SDY_GROUP) return true;
    int64_t id = op_int(op, NAME_GROUP_ID, 0);
    int group = group_of_id(grouping, id, op);
    if (grouping->manual.data[group] != enclosing_manual(op)) {
        diag_error(
            grouping->diags, op->loc,
            "ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: %lld",
            (long long)id);
        return false;
    }
    if (!type_same_shape(grouping->types.data[group], op_operand_type(op, 0))) {
        diag_error(
            grouping->diags, op->loc,
            "ShardingGroupOps values must have the same shape for groupId: %lld", (long long)id);
        return false;
    }
    vec_push(grouping->arena, &grouping->members, ((GroupMember){op, group}));
    return true;
}

static int64_t *number_leaders(const Grouping *grouping) {
    int64_t *numbers = ARENA_ARRAY(grouping->arena, int64_t, grouping->ids.count), count = 0;
    for (int i = 0; i < grouping->ids.count; i++) {
        if (find_leader(grouping, i) == i) numbers[i] = count++;
    }
    return numbers;
}

PassResult pass_sharding_group_import(Module *module, PassContext *pass) {
    Grouping grouping = {
        .arena = pass->scratch, .diags = pass->diags, .of_id = ptr_map(pass->scratch)};
    if (!region_walk(module->body, add_member, &grouping)) return PASS_FAILED;
    if (grouping.members.count == 0) return PASS_UNCHANGED;
    PtrMap group_of_value = ptr_map(pass->scratch);
    for (int64_t i = 0; i < grouping.members.count; i++) {
        const GroupMember *member = &grouping.members.data[i];
        const Value *value = op_operand(member->op, 0);
        uintptr_t known = (uintptr_t)ptr_map_get(&group_of_value, value);
        if (known != 0) unite(&grouping, (int)known - 1, member->group);
        if (known == 0) ptr_map_set(&group_of_value, value, (void *)(uintptr_t)(member->group + 1));
    }
    const int64_t *numbers = number_leaders(&grouping);
    PtrMap seen = ptr_map(pass->scratch);
    for (int64_t i = 0; i < grouping.members.count; i++) {
        Op *op = grouping.members.data[i].op;
        if (ptr_map_has(&seen, op_operand(op, 0))) {
            op_erase(op);
            continue;
        }
        ptr_map_set(&seen, op_operand(op, 0), op);
        int64_t number = numbers[find_leader(&grouping, grouping.members.data[i].group)];
        op_set_attr(module, op, NAME_GROUP_ID, attr_int(module->context, number, ELEMENT_I64));
    }
    return PASS_CHANGED;
}

static bool erase_group(Op *op, void *user) {
    (void)user;
    if (op->code == OP_SDY_GROUP) op_erase(op);
    return true;
}

PassResult pass_remove_sharding_groups(Module *module, PassContext *pass) {
    (void)pass;
    region_walk(module->body, erase_group, NULL);
    return PASS_CHANGED;
}

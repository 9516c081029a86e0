// Elements across devices: collectives that only move elements become loads from another device,
// found in a table of the replica groups.
#include "codegen/element/collective.h"

#include <string.h>

typedef const IndexExpr *Index;

const Expr *element_on_device(
    ExprBuilder *b, const Value *value, const Index *index, Index device) {
    Index outer = b->device;
    b->device = device;
    const Expr *x = expr_of(b, value, index);
    b->device = outer;
    return x;
}

static void add_group(DeviceGroups *groups, int64_t count, const int64_t *devices) {
    groups->is_even = groups->is_even && count == groups->size;
    for (int64_t k = 0; k < count; k++) {
        int64_t device = devices[k];
        groups->position[device] = k;
        groups->is_member[device] = 1;
        for (int64_t j = 0; j < groups->size; j++) {
            groups->members[device * groups->size + j] = j < count ? devices[j] : device;
            groups->has[device * groups->size + j] = j < count;
        }
    }
}

DeviceGroups device_groups(ExprBuilder *b, const Op *op) {
    const Attr *attr = op_attr(op, NAME_REPLICA_GROUPS);
    int64_t devices = b->program->device_count;
    DeviceGroups groups = {.size = 1, .is_even = true};
    int64_t rows = 0;
    if (attr && attr->type && attr->type->rank == 2 && attr->type->dims[1] > 0) {
        rows = attr->type->dims[0];
        groups.size = attr->type->dims[1];
    }
    if (rows == 0) groups.size = devices; // no groups written: all devices
    groups.members = ARENA_ARRAY(b->arena, int64_t, devices * groups.size);
    groups.has = ARENA_ARRAY(b->arena, int64_t, devices * groups.size);
    groups.position = ARENA_ARRAY(b->arena, int64_t, devices);
    groups.is_member = ARENA_ARRAY(b->arena, int64_t, devices);
    for (int64_t d = 0; d < devices; d++) { // devices outside of every group are alone
        groups.position[d] = rows == 0 ? d : 0;
        groups.is_member[d] = rows == 0;
        for (int64_t k = 0; k < groups.size; k++) {
            groups.members[d * groups.size + k] = rows == 0 ? k : d;
            groups.has[d * groups.size + k] = rows == 0 || k == 0;
        }
    }
    int64_t *row = ARENA_ARRAY(b->arena, int64_t, groups.size);
    for (int64_t r = 0; r < rows; r++) {
        int64_t count = 0;
        for (int64_t k = 0; k < groups.size; k++) {
            int64_t device = attr_element_int(attr, r * groups.size + k);
            if (device >= 0 && device < devices) row[count++] = device;
        }
        add_group(&groups, count, row);
    }
    return groups;
}

static Index at_position(ExprBuilder *b, const DeviceGroups *groups, Index position) {
    Index row = index_scale(b->index, expr_current_device(b), groups->size);
    return index_add(b->index, row, position);
}

const IndexExpr *group_member(
    ExprBuilder *b, const DeviceGroups *groups, const IndexExpr *position) {
    int64_t count = b->program->device_count * groups->size;
    return expr_table(b, count, groups->members, at_position(b, groups, position));
}

Guard group_has_member(ExprBuilder *b, const DeviceGroups *groups, const IndexExpr *position) {
    int64_t count = b->program->device_count * groups->size;
    return (Guard){expr_table(b, count, groups->has, at_position(b, groups, position)), 1, 2};
}

const IndexExpr *group_position(ExprBuilder *b, const DeviceGroups *groups) {
    return expr_table(b, b->program->device_count, groups->position, expr_current_device(b));
}

static const Expr *of_all_gather(ExprBuilder *b, const Op *op, int operand, const Index *index) {
    const Type *from = op_operand_type(op, operand);
    DeviceGroups groups = device_groups(b, op);
    int64_t d = op_int(op, NAME_ALL_GATHER_DIM, 0);
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)from->rank * sizeof index[0]);
    int64_t size = from->dims[d] > 0 ? from->dims[d] : 1;
    at[d] = index_mod(b->index, index[d], size);
    Index device = group_member(b, &groups, index_div(b->index, index[d], size));
    return element_on_device(b, op_operand(op, operand), at, device);
}

// The operand is cut in `split_count` parts along split_dimension; part k goes to member k, who
// joins what it gets along concat_dimension in the order of the senders.
static const Expr *of_all_to_all(ExprBuilder *b, const Op *op, int operand, const Index *index) {
    const Type *from = op_operand_type(op, operand);
    DeviceGroups groups = device_groups(b, op);
    int64_t split = op_int(op, NAME_SPLIT_DIMENSION, 0),
            concat = op_int(op, NAME_CONCAT_DIMENSION, 0);
    int64_t count = op_int(op, NAME_SPLIT_COUNT, 1);
    int64_t part = from->dims[split] / (count > 0 ? count : 1);
    int64_t piece = concat == split ? part : from->dims[concat]; // of one sender in the result
    if (piece < 1) piece = 1;
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)from->rank * sizeof index[0]);
    Index sender = index_div(b->index, index[concat], piece);
    at[concat] = index_mod(b->index, index[concat], piece);
    Index mine = group_position(b, &groups);
    at[split] = index_add(b->index, at[split], index_scale(b->index, mine, part));
    Index device = group_member(b, &groups, sender);
    return element_on_device(b, op_operand(op, operand), at, device);
}

const IndexExpr *sent_element(
    ExprBuilder *b, const Value *made, const Value *into, const Index *index, Index *at) {
    const Op *op = made->uses->owner; // its only reader
    const Type *from = made->type, *to = op_result_type(op, 0);
    DeviceGroups groups = device_groups(b, op);
    int64_t split = op_int(op, NAME_SPLIT_DIMENSION, 0),
            concat = op_int(op, NAME_CONCAT_DIMENSION, 0);
    int64_t part = from->dims[split] / op_int(op, NAME_SPLIT_COUNT, 1);
    Index place[MAX_RANK];
    memcpy(place, index, (size_t)from->rank * sizeof index[0]);
    place[split] = index_mod(b->index, index[split], part);
    Index sender = index_scale(
        b->index, group_position(b, &groups), concat == split ? part : from->dims[concat]);
    place[concat] = index_add(b->index, place[concat], sender);
    Index number = index_linear(b->index, to->rank, to->dims, place);
    if (type_same_shape(to, into->type))
        memcpy(at, place, (size_t)to->rank * sizeof place[0]);
    else
        index_delinear(b->index, number, into->type->rank, into->type->dims, at);
    return group_member(b, &groups, index_div(b->index, index[split], part));
}

// The operand's element on another device; zero on devices where known is 0. known: [devices]
static const Expr *on_device_or_zero(
    ExprBuilder *b, const Op *op, int operand, const Index *index, Index device,
    const int64_t *known) {
    int64_t devices = b->program->device_count, found = 0;
    for (int64_t d = 0; d < devices; d++)
        found += known[d];
    const Expr *x = element_on_device(b, op_operand(op, operand), index, device);
    if (found == devices) return x;
    Guard is_known = {expr_table(b, devices, known, expr_current_device(b)), 1, 2};
    const Expr *zero = expr_real(b, op_result_type(op, operand)->element, 0);
    return expr_choice(b, 1, &is_known, NULL, x, zero);
}

static const Expr *of_collective_permute(
    ExprBuilder *b, const Op *op, int operand, const Index *index) {
    const Attr *pairs = op_attr(op, NAME_SOURCE_TARGET_PAIRS);
    int64_t devices = b->program->device_count;
    int64_t *source = ARENA_ARRAY(b->arena, int64_t, devices),
            *known = ARENA_ARRAY(b->arena, int64_t, devices);
    int64_t count = pairs && pairs->type->rank == 2 ? pairs->type->dims[0] : 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = attr_element_int(pairs, 2 * i), to = attr_element_int(pairs, 2 * i + 1);
        if (from < 0 || to < 0 || from >= devices || to >= devices) continue;
        source[to] = from;
        known[to] = 1;
    }
    for (int64_t d = 0; d < devices; d++)
        if (!known[d]) source[d] = d;
    Index device = expr_table(b, devices, source, expr_current_device(b));
    return on_device_or_zero(b, op, operand, index, device, known);
}

const Expr *element_of_collective(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    const Op *op = value->def;
    int operand = value->index;
    switch (op->code) { // NOLINT(hicpp-multiway-paths-covered): the collectives that move elements
    case OP_ALL_GATHER: return of_all_gather(b, op, operand, index);
    case OP_ALL_TO_ALL: return of_all_to_all(b, op, operand, index);
    case OP_COLLECTIVE_PERMUTE: return of_collective_permute(b, op, operand, index);
    case OP_COLLECTIVE_BROADCAST: {
        DeviceGroups groups = device_groups(b, op);
        Index root = group_member(b, &groups, index_constant(b->index, 0));
        return on_device_or_zero(b, op, operand, index, root, groups.is_member);
    }
    case OP_PARTITION_ID: return expr_number(b, value->type->element, expr_current_device(b));
    case OP_REPLICA_ID: return expr_number(b, value->type->element, index_constant(b->index, 0));
    default: return NULL;
    }
}

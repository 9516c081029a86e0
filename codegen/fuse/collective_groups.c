// collective_groups: sets of devices that read each other's memory, as partitions of all devices.
#include "codegen/fuse/fuse.h"

// Numbers the groups by their first device, so that equal partitions have equal numbers.
static int32_t renumber(int64_t device_count, const int32_t *group, int32_t *out, int32_t *map) {
    int32_t count = 0;
    for (int64_t d = 0; d < device_count; d++) {
        map[d] = -1;
    }
    for (int64_t d = 0; d < device_count; d++) {
        if (map[group[d]] < 0) map[group[d]] = count++;
        out[d] = map[group[d]];
    }
    return count;
}

int barrier_groups_intern(Plan *plan, const int32_t *group) {
    int64_t device_count = plan->program->device_count;
    int32_t *own = ARENA_ARRAY(plan->arena, int32_t, device_count);
    int32_t *map = ARENA_ARRAY(plan->arena, int32_t, device_count);
    int32_t count = renumber(device_count, group, own, map);
    if (count == device_count) return 0; // each device alone
    for (int64_t i = 1; i < plan->barriers.count; i++) {
        const BarrierGroups *known = &plan->barriers.data[i];
        if (known->group_count == count &&
            memcmp(known->group, own, (size_t)device_count * sizeof *own) == 0) {
            return (int)i;
        }
    }
    BarrierGroups groups = {own, count, ARENA_ARRAY(plan->arena, int32_t, count)};
    for (int64_t d = device_count - 1; d >= 0; d--) {
        groups.first[own[d]] = (int32_t)d;
    }
    vec_push(plan->arena, &plan->barriers, groups);
    return (int)plan->barriers.count - 1;
}

static int32_t find_root(int32_t *parent, int32_t device) {
    while (parent[device] != device) {
        parent[device] = parent[parent[device]];
        device = parent[device];
    }
    return device;
}

static void unite(int32_t *parent, int64_t a, int64_t b) {
    int32_t x = find_root(parent, (int32_t)a), y = find_root(parent, (int32_t)b);
    if (x < y) parent[y] = x;
    if (y < x) parent[x] = y;
}

static int intern_united(Plan *plan, int32_t *parent) {
    int64_t device_count = plan->program->device_count;
    int32_t *group = ARENA_ARRAY(plan->arena, int32_t, device_count);
    for (int64_t d = 0; d < device_count; d++) {
        group[d] = find_root(parent, (int32_t)d);
    }
    return barrier_groups_intern(plan, group);
}

static int32_t *each_alone(Plan *plan) {
    int64_t device_count = plan->program->device_count;
    int32_t *parent = ARENA_ARRAY(plan->arena, int32_t, device_count);
    for (int64_t d = 0; d < device_count; d++) {
        parent[d] = (int32_t)d;
    }
    return parent;
}

int barrier_groups_join(Plan *plan, int a, int b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    int32_t *parent = each_alone(plan);
    int sets[2] = {a, b};
    for (int s = 0; s < 2; s++) {
        const BarrierGroups *groups = &plan->barriers.data[sets[s]];
        for (int64_t d = 0; d < plan->program->device_count; d++) {
            unite(parent, groups->first[groups->group[d]], d);
        }
    }
    return intern_united(plan, parent);
}

int operand_groups(Plan *plan, const KernelOperand *operand) {
    return barrier_groups_join(plan, operand->is_remote ? operand->groups : 0, operand->once_for);
}

bool barrier_groups_cover(const Plan *plan, int wide, int narrow) {
    if (wide == narrow || narrow == 0) return true;
    if (wide == 0) return false;
    const int32_t *group = plan->barriers.data[wide].group;
    const BarrierGroups *inner = &plan->barriers.data[narrow];
    for (int64_t d = 0; d < plan->program->device_count; d++) {
        if (group[d] != group[inner->first[inner->group[d]]]) return false;
    }
    return true;
}

// replica_groups: rows of device ids, padded with -1.
static const Attr *rows_of(const Op *op, int64_t *rows, int64_t *columns) {
    AttrName name =
        op->code == OP_COLLECTIVE_PERMUTE ? NAME_SOURCE_TARGET_PAIRS : NAME_REPLICA_GROUPS;
    const Attr *attr = op_attr(op, name);
    *rows = attr && attr->type->rank == 2 ? attr->type->dims[0] : 0;
    *columns = attr && attr->type->rank == 2 ? attr->type->dims[1] : 0;
    return attr;
}

int collective_groups(Plan *plan, const Op *op) {
    int64_t rows, columns, device_count = plan->program->device_count;
    const Attr *attr = rows_of(op, &rows, &columns);
    int32_t *parent = each_alone(plan);
    for (int64_t r = 0; r < rows; r++) {
        int64_t last = -1;
        for (int64_t c = 0; c < columns; c++) {
            int64_t member = attr_element_int(attr, r * columns + c);
            if (member < 0 || member >= device_count) continue;
            if (last >= 0) unite(parent, last, member);
            last = member;
        }
    }
    if (rows == 0) { // no groups: all devices
        for (int64_t d = 1; d < device_count; d++) {
            unite(parent, 0, d);
        }
    }
    return intern_united(plan, parent);
}

int64_t collective_group_size(const Op *op) {
    int64_t rows, columns;
    rows_of(op, &rows, &columns);
    if (op->code == OP_COLLECTIVE_PERMUTE) return 2;
    return columns > 0 ? columns : 1;
}

// device_tables: a device's coordinate as Shardy's form has it: an element of a constant over the
// devices.
#include "partition/shardy/global_to_local.h"

#include <assert.h>

// The element of a table over the devices that is this device's: [1].
static Value *look_up(Local *local, const Attr *table) {
    Builder *b = &local->builder;
    const Type *type = type_scalar(local->context, ELEMENT_UI32);
    bool is_by_replica = ((ShardyLocal *)local)->is_by_replica;
    Op *id = build_op(b, is_by_replica ? OP_REPLICA_ID : OP_PARTITION_ID, 0, NULL, 1, &type, 0);
    Value *device = build_convert(b, op_result(id, 0), local->index);
    return build_dynamic_slice(b, build_constant(b, table), &device, &(int64_t){1});
}

static Value *affine(
    Local *local, const Mesh *mesh, const AxisRef *axes, int count, int64_t scale, int64_t base) {
    int64_t devices = mesh_device_count(mesh);
    int64_t *table = ARENA_ARRAY(local->scratch, int64_t, devices);
    for (int64_t device = 0; device < devices; device++) {
        int64_t index = mesh_index_of_device(mesh, device);
        table[device] = base + scale * axis_list_coordinate(mesh, axes, count, index);
    }
    assert(local->index == ELEMENT_I64);
    const Type *type = type_tensor(local->context, local->index, 1, &devices);
    size_t size = (size_t)devices * sizeof *table;
    Value *found = look_up(local, attr_elements(local->context, type, false, table, size));
    return build_reshape(&local->builder, found, 0, NULL);
}

static Value *first(
    Local *local, const Mesh *mesh, const AxisRef *axes, int count, const Type *like) {
    int64_t devices = mesh_device_count(mesh);
    bool *table = ARENA_ARRAY(local->scratch, bool, devices);
    for (int64_t device = 0; device < devices; device++) {
        int64_t index = mesh_index_of_device(mesh, device);
        table[device] = axis_list_coordinate(mesh, axes, count, index) == 0;
    }
    const Type *type = type_tensor(local->context, ELEMENT_I1, 1, &devices);
    size_t size = (size_t)devices * sizeof *table;
    Value *found = look_up(local, attr_elements(local->context, type, false, table, size));
    if (like->rank == 0) return build_reshape(&local->builder, found, 0, NULL);
    const Type *mask = type_with_element(local->context, like, ELEMENT_I1);
    return build_broadcast_in_dim(&local->builder, found, mask, &(int64_t){0});
}

const DevicePlace place_in_tables = {affine, first};

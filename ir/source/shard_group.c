// shard_group: devices in groups along axes of a grid, and what a device knows of its place.
#include "ir/source/shard_group.h"

bool shard_group_of(const Module *module, const Op *op, IntSpan axes, Group *group) {
    const Mesh *mesh = module_find_mesh(module, op_text(op, NAME_GRID));
    if (!mesh) return false;
    *group = (Group){.mesh = mesh, .axes = axes, .size = 1, .devices = mesh_device_count(mesh)};
    for (int i = 0; i < axes.count; i++)
        group->size *= mesh->axes[axes.data[i]].size;
    return true;
}

int64_t shard_coordinate(const Mesh *mesh, int64_t device, int64_t axis) {
    for (int i = mesh->axis_count - 1; i > axis; i--)
        device /= mesh->axes[i].size;
    return device % mesh->axes[axis].size;
}

int64_t shard_stride(const Mesh *mesh, int64_t axis) {
    int64_t stride = 1;
    for (int i = mesh->axis_count - 1; i > axis; i--)
        stride *= mesh->axes[i].size;
    return stride;
}

int64_t place_in_group(const Group *group, int64_t device) {
    int64_t place = 0;
    for (int i = 0; i < group->axes.count; i++)
        place = place * group->mesh->axes[group->axes.data[i]].size +
                shard_coordinate(group->mesh, device, group->axes.data[i]);
    return place;
}

int64_t device_at(const Group *group, int64_t device, int64_t place) {
    for (int i = group->axes.count - 1; i >= 0; i--) {
        int64_t axis = group->axes.data[i], size = group->mesh->axes[axis].size;
        int64_t stride = shard_stride(group->mesh, axis);
        device += (place % size - shard_coordinate(group->mesh, device, axis)) * stride;
        place /= size;
    }
    return device;
}

const Attr *groups_attr(Arena *scratch, Context *context, const Group *group) {
    int64_t count = group->devices / group->size, row = 0;
    int64_t *ids = ARENA_ARRAY(scratch, int64_t, group->devices);
    for (int64_t device = 0; device < group->devices; device++) {
        if (place_in_group(group, device) != 0) continue;
        for (int64_t place = 0; place < group->size; place++)
            ids[row * group->size + place] = device_at(group, device, place);
        row++;
    }
    return attr_int_matrix(context, (int)count, (int)group->size, ids);
}

Value *per_device(Builder *builder, const Group *group, const int64_t *table, const Type *type) {
    Module *module = builder->module;
    Context *context = module->context;
    const Type *scalar = type_scalar(context, ELEMENT_UI32);
    Value *id = op_result(build_op(builder, OP_PARTITION_ID, 0, NULL, 1, &scalar, 0), 0);
    const Type *list = type_tensor(context, ELEMENT_I64, 1, &group->devices);
    Value *numbers = build_constant(
        builder,
        attr_elements(context, list, false, table, (size_t)group->devices * sizeof *table));
    id = build_convert(builder, id, ELEMENT_I64);
    int64_t one = 1;
    Value *number = build_dynamic_slice(builder, numbers, &id, &one);
    return build_convert(builder, build_reshape(builder, number, 0, NULL), type->element);
}

Value *place_value(Builder *builder, Arena *scratch, const Group *group) {
    int64_t *table = ARENA_ARRAY(scratch, int64_t, group->devices);
    for (int64_t d = 0; d < group->devices; d++)
        table[d] = place_in_group(group, d);
    return per_device(builder, group, table, type_scalar(builder->module->context, ELEMENT_I64));
}

static Value *index_constant(Builder *builder, int64_t number) {
    return build_splat_int(builder, type_scalar(builder->module->context, ELEMENT_I64), number);
}

Value *place_of_index(Builder *builder, const Group *group, IntSpan index, Value *const *operands) {
    Value *place = index_constant(builder, 0);
    for (int i = 0; i < index.count; i++) {
        Value *size = index_constant(builder, group->mesh->axes[group->axes.data[i]].size);
        Value *at =
            index.data[i] == DIM_DYNAMIC ? *operands++ : index_constant(builder, index.data[i]);
        place = build_binary(builder, OP_ADD, build_binary(builder, OP_MULTIPLY, place, size), at);
    }
    return place;
}

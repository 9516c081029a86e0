// local_place: a device's coordinates, from partition_id, in the prologue of main: computed once,
// where the first op asks for them.
#include "partition/local/local.h"

#include <assert.h>

void begin_prologue(Local *local, Region *body) {
    Builder builder = builder_at_end(local->module, body);
    const Type *type = type_scalar(local->context, ELEMENT_UI32);
    Op *id = build_op(&builder, OP_PARTITION_ID, 0, NULL, 1, &type, 0);
    local->device = build_convert(&builder, op_result(id, 0), ELEMENT_I32);
    local->prologue = local->device->def;
}

// Ops of the prologue are made through this builder; end_prologue remembers where it stopped.
static Builder continue_prologue(Local *local) {
    return builder_after(local->module, local->prologue);
}

static Value *prologue_int(Local *local, Builder *builder, int64_t number) {
    return build_splat_int(builder, type_scalar(local->context, local->index), number);
}

// The device's row-major index over the mesh's axes: a table where device ids permute the mesh.
static Value *mesh_index(Local *local, Builder *builder, const Mesh *mesh) {
    if (mesh->id_count == 0) return local->device;
    int64_t count = mesh_device_count(mesh);
    int32_t *table = ARENA_ARRAY(local->scratch, int32_t, count);
    for (int64_t device = 0; device < count; device++) {
        table[device] = (int32_t)mesh_index_of_device(mesh, device);
    }
    const Type *type = type_tensor(local->context, ELEMENT_I32, 1, &count);
    Value *indices = build_constant(
        builder, attr_elements(local->context, type, false, table, (size_t)count * sizeof *table));
    Value *index = build_dynamic_slice(builder, indices, &local->device, &(int64_t){1});
    return build_reshape(builder, index, 0, NULL);
}

static bool same_axes(const AxisList *list, const AxisRef *axes, int count) {
    if (list->count != count) return false;
    for (int i = 0; i < count; i++) {
        if (!axis_ref_equal(&list->axes[i], &axes[i])) return false;
    }
    return true;
}

// (index / stride) % size for every axis, major to minor.
static Value *make_coordinate(
    Local *local, Builder *builder, const Mesh *mesh, const AxisRef *axes, int count) {
    Value *index = mesh_index(local, builder, mesh);
    int64_t device_count = mesh_device_count(mesh);
    Value *sum = NULL;
    for (int i = 0; i < count; i++) {
        int64_t size = axis_ref_size(mesh, &axes[i]);
        if (size == 1) continue;
        int64_t stride = axis_ref_stride(mesh, &axes[i]);
        Value *part = index;
        if (stride > 1) {
            part = build_binary(builder, OP_DIVIDE, part, prologue_int(local, builder, stride));
        }
        if (stride * size != device_count) {
            part = build_binary(builder, OP_REMAINDER, part, prologue_int(local, builder, size));
        }
        if (sum) {
            sum = build_binary(builder, OP_MULTIPLY, sum, prologue_int(local, builder, size));
            part = build_binary(builder, OP_ADD, sum, part);
        }
        sum = part;
    }
    return sum ? sum : prologue_int(local, builder, 0);
}

static Value *coordinate_along(Local *local, const Mesh *mesh, const AxisRef *axes, int count) {
    for (int64_t i = 0; i < local->coordinates.count; i++) {
        const Coordinate *known = &local->coordinates.data[i];
        if (known->mesh == mesh && same_axes(&known->axes, axes, count)) return known->value;
    }
    assert(count <= MAX_AXIS_REFS);
    Builder builder = continue_prologue(local);
    Coordinate coordinate = {.mesh = mesh, .axes.count = count};
    for (int i = 0; i < count; i++)
        coordinate.axes.axes[i] = axes[i];
    coordinate.value = make_coordinate(local, &builder, mesh, axes, count);
    if (coordinate.value->def && coordinate.value != local->device) {
        local->prologue = coordinate.value->def;
    }
    vec_push(local->scratch, &local->coordinates, coordinate);
    return coordinate.value;
}

static Value *affine(
    Local *local, const Mesh *mesh, const AxisRef *axes, int count, int64_t scale, int64_t base) {
    Value *value = coordinate_along(local, mesh, axes, count);
    if (scale != 1) {
        value = build_binary(&local->builder, OP_MULTIPLY, value, local_int(local, scale));
    }
    if (base != 0) value = build_binary(&local->builder, OP_ADD, value, local_int(local, base));
    return value;
}

static Value *first(
    Local *local, const Mesh *mesh, const AxisRef *axes, int count, const Type *like) {
    (void)like;
    Value *coordinate = coordinate_along(local, mesh, axes, count);
    return build_compare(&local->builder, DIRECTION_EQ, coordinate, local_int(local, 0));
}

const DevicePlace place_in_prologue = {affine, first};

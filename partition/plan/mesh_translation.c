// mesh_translation: axes of one mesh in terms of another over the same devices in the same order.
//
//   An axis of stride s and size n is the digit (index / s) % n of a device's
//   row-major index. Where the places of the digits of both meshes fit, it is a list
//   of axes and sub-axes of the other mesh:
//
//     <["x"=4, "y"=2]> to <["d"=8]>:    {"x"} is {"d":(1)4}, {"y"} is {"d":(4)2}
#include "partition/plan/mesh_translation.h"

#include "partition/propagate/projection.h"

static bool same_devices(const Mesh *a, const Mesh *b) {
    if (mesh_device_count(a) != mesh_device_count(b) || a->id_count != b->id_count) return false;
    for (int64_t i = 0; i < a->id_count; i++) {
        if (a->device_ids[i] != b->device_ids[i]) return false;
    }
    return true;
}

// Appends what the digits [stride, stride * size) are on the mesh; false when its
// axes do not end where they do.
static bool append_digits(
    const Mesh *mesh, int64_t stride, int64_t size, AxisRef *axes, int *count) {
    int64_t end = stride * size, first = mesh_device_count(mesh);
    for (int a = 0; a < mesh->axis_count; a++) { // major to minor
        int64_t last = first;
        first /= mesh->axes[a].size;
        int64_t low = stride > first ? stride : first, high = end < last ? end : last;
        if (low >= high) continue;
        if (high % low != 0 || low % first != 0 || last % high != 0) return false;
        if (*count == MAX_AXIS_REFS) return false;
        AxisRef part = axis_ref_make(mesh, mesh->axes[a].name, last / high, high / low);
        axes_append(mesh, axes, count, part);
    }
    return true;
}

const Sharding *sharding_on_mesh(
    Context *context, Arena *scratch, const Sharding *sharding, const Mesh *from, const Mesh *to,
    const Sharding *names) {
    if (mesh_is_maximal(from) || mesh_is_maximal(to) || !same_devices(from, to)) return NULL;
    if (sharding->unreduced_count > 0) return NULL;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        AxisRef *axes = ARENA_ARRAY(scratch, AxisRef, MAX_AXIS_REFS + 1);
        int count = 0;
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            const AxisRef *axis = &sharding->dims[d].axes[i];
            int64_t stride = axis_ref_stride(from, axis), size = axis_ref_size(from, axis);
            if (!append_digits(to, stride, size, axes, &count)) return NULL;
        }
        dims[d] = (DimSharding){.axis_count = count, .axes = axes, .priority = PRIORITY_NONE};
    }
    const Sharding translated = {
        .mesh_name = names->mesh_name,
        .mesh = names->mesh,
        .rank = sharding->rank,
        .dims = dims,
    };
    return sharding_intern(context, &translated);
}

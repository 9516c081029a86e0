// device_program: where the tiles of global arrays lie.
#include "ir/device_program.h"

#include <assert.h>

int64_t layout_offset(const GlobalLayout *layout, int64_t device, int d) {
    assert(d >= 0 && d < layout->local->rank);
    if (!layout->sharding) return 0;
    const DimSharding *dim = &layout->sharding->dims[d];
    int64_t index = mesh_index_of_device(layout->mesh, device);
    return axis_list_coordinate(layout->mesh, dim->axes, dim->axis_count, index) *
           layout->local->dims[d];
}

int64_t layout_extent(const GlobalLayout *layout, int64_t device, int d) {
    int64_t left = layout->global->dims[d] - layout_offset(layout, device, d);
    int64_t local = layout->local->dims[d];
    if (left < 0) return 0;
    return left < local ? left : local;
}

bool layout_is_owner(const GlobalLayout *layout, int64_t device) {
    for (int64_t other = 0; other < device; other++) {
        bool same = true;
        for (int d = 0; same && d < layout->local->rank; d++) {
            same = layout_offset(layout, other, d) == layout_offset(layout, device, d);
        }
        if (same) return false;
    }
    return true;
}

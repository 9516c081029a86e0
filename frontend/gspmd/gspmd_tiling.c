// gspmd_tiling: what a sharding on a mesh is in GSPMD's terms.
//
//   mesh <["x"=2, "y"=4]>   [{"y"}, {}]
//   ->   {devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
//
// Place p of the device list counts over the axes in the order of the list's dimensions, the last
// axis fastest; each axis moves the index in the mesh by its stride.
#include "frontend/gspmd/gspmd_reader.h"

typedef struct Step {
    int64_t size, stride;
} Step;

typedef struct Tiling {
    Arena *arena;
    const Mesh *mesh;
    VEC(Step) steps; // the slowest first
    AxisList others; // axes that nobody has used
    GspmdSharding *made;
} Tiling;

// The axes as the next dimension of the tiles; the number of tiles along it.
static int64_t use_axes(Tiling *tiling, int count, const AxisRef *axes) {
    int64_t size = 1;
    for (int i = 0; i < count; i++) {
        Step step = {
            axis_ref_size(tiling->mesh, &axes[i]), axis_ref_stride(tiling->mesh, &axes[i])};
        size *= step.size;
        vec_push(tiling->arena, &tiling->steps, step);
        axis_list_subtract(tiling->mesh, &tiling->others, &axes[i]);
    }
    return size;
}

static void add_group(Tiling *tiling, GspmdKind kind, int count, const AxisRef *axes) {
    GspmdSharding *made = tiling->made;
    AxisList list = {.count = count}; // `axes` may be the list that is cut
    for (int i = 0; i < count; i++)
        list.axes[i] = axes[i];
    int64_t size = use_axes(tiling, count, list.axes);
    if (size == 1) return;
    made->dims[made->dim_count++] = size;
    made->groups[made->group_count++] = kind;
}

static const int64_t *list_devices(const Tiling *tiling) {
    int64_t count = mesh_device_count(tiling->mesh);
    int64_t *devices = ARENA_ARRAY(tiling->arena, int64_t, count);
    for (int64_t p = 0; p < count; p++) {
        int64_t rest = p, place = 0;
        for (int64_t i = tiling->steps.count - 1; i >= 0; i--) {
            const Step *step = &tiling->steps.data[i];
            place += rest % step->size * step->stride;
            rest /= step->size;
        }
        devices[p] = mesh_device_at(tiling->mesh, place);
    }
    return devices;
}

bool gspmd_from_sharding(
    Arena *arena, const Mesh *mesh, const Sharding *sharding, AxisSpan manual,
    GspmdSharding *made) {
    Tiling tiling = {.arena = arena, .mesh = mesh, .made = made};
    *made = (GspmdSharding){.kind = GSPMD_TILED, .device = -1};
    if (mesh_is_maximal(mesh)) {
        made->kind = GSPMD_MAXIMAL;
        made->device = mesh->device_ids[0];
        return true;
    }
    made->device_count = mesh_device_count(mesh);
    if (made->device_count > GSPMD_MAX_DEVICES || manual.count > MAX_AXIS_REFS) return false;
    for (int a = 0; a < mesh->axis_count; a++)
        tiling.others.axes[tiling.others.count++] = (AxisRef){mesh->axes[a].name, 1, 0};
    for (int d = 0; sharding && d < sharding->rank; d++)
        made->dims[made->dim_count++] =
            use_axes(&tiling, sharding->dims[d].axis_count, sharding->dims[d].axes);
    add_group(&tiling, GSPMD_MANUAL, manual.count, manual.axes);
    if (sharding && sharding->unreduced_count > MAX_AXIS_REFS) return false;
    if (sharding)
        add_group(&tiling, GSPMD_UNREDUCED, sharding->unreduced_count, sharding->unreduced);
    add_group(&tiling, GSPMD_REPLICATED, tiling.others.count, tiling.others.axes);
    made->devices = list_devices(&tiling);
    gspmd_simplify(made);
    return true;
}

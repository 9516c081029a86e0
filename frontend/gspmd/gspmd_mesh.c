// gspmd_mesh: the mesh behind the tilings of one program.
//
// A tiling says which tile each device holds. Along one dimension, the tile's coordinate is a sum
// over digits of the device's number: digit i counts 0 .. size-1 in steps of `stride` devices, and
// moves the coordinate by `weight`:
//
//   {devices=[4,2]<=[2,4]T(1,0)}   dimension 0: {stride 1, size 4, weight 1}
//                                  dimension 1: {stride 4, size 2, weight 1}
//
// The strides of all tilings cut the devices' numbers into the mesh's axes. Where the devices are
// in no such order, that of the finest tiling, and within its tiles that of the others, is taken as
// the mesh's device ids, and numbers count places in that list.
#include "frontend/gspmd/gspmd_digits.h"

bool gspmd_mesh_add(GspmdMesh *mesh, const GspmdSharding *sharding) {
    for (int i = 0; i < sharding->part_count; i++) {
        if (!gspmd_mesh_add(mesh, &sharding->parts[i])) return false;
    }
    if (!sharding->devices) return true;
    if (mesh->device_count != 0 && mesh->device_count != sharding->device_count) return false;
    mesh->device_count = sharding->device_count;
    if (sharding->kind == GSPMD_TILED) vec_push(mesh->arena, &mesh->tilings, sharding);
    return true;
}

// coordinates[p] = the tile along dimension d of the device at logical index p; until the next call
static const int64_t *tile_coordinates(GspmdMesh *mesh, const GspmdSharding *sharding, int d) {
    int64_t count = sharding->device_count, inner = 1;
    for (int i = d + 1; i < sharding->dim_count; i++)
        inner *= sharding->dims[i];
    for (int i = 0; i < 2; i++) {
        if (!mesh->rooms[i]) mesh->rooms[i] = ARENA_ARRAY(mesh->arena, int64_t, mesh->device_count);
    }
    int64_t *of_device = mesh->rooms[0], *coordinates = mesh->rooms[1];
    for (int64_t i = 0; i < count; i++)
        of_device[sharding->devices[i]] = i / inner % sharding->dims[d];
    if (!mesh->order) return of_device;
    for (int64_t p = 0; p < count; p++)
        coordinates[p] = of_device[mesh->order[p]];
    return coordinates;
}

static int64_t coordinate_of(const GspmdDigits *digits, int64_t index) {
    int64_t sum = 0;
    for (int i = 0; i < digits->count; i++) {
        const GspmdDigit *digit = &digits->digits[i];
        sum += index / digit->stride % digit->size * digit->weight;
    }
    return sum;
}

bool gspmd_find_digits(int64_t count, const int64_t *coordinates, GspmdDigits *digits) {
    digits->count = 0;
    for (int64_t stride = 1; stride < count;) {
        int64_t weight = coordinates[stride], size = 2;
        while (size * stride < count && coordinates[size * stride] == size * weight)
            size++;
        if (count % (stride * size) != 0 || digits->count == GSPMD_MAX_DIGITS) return false;
        if (weight != 0) digits->digits[digits->count++] = (GspmdDigit){stride, size, weight};
        stride *= size;
    }
    for (int64_t p = 0; p < count; p++) {
        if (coordinate_of(digits, p) != coordinates[p]) return false;
    }
    return true;
}

static bool dim_digits(GspmdMesh *mesh, const GspmdSharding *sharding, int d, GspmdDigits *digits) {
    digits->count = 0;
    if (sharding->dims[d] == 1) return true;
    return gspmd_find_digits(sharding->device_count, tile_coordinates(mesh, sharding, d), digits);
}

static bool is_replicated_group(const GspmdSharding *sharding, int d) {
    int group = d - (sharding->dim_count - sharding->group_count);
    return group >= 0 && sharding->groups[group] == GSPMD_REPLICATED;
}

typedef VEC(int64_t) Cuts; // ascending

static void add_cut(Arena *arena, Cuts *cuts, int64_t cut) {
    int64_t place = cuts->count;
    for (int64_t i = 0; i < cuts->count; i++) {
        if (cuts->data[i] == cut) return;
    }
    vec_push(arena, cuts, cut);
    for (; place > 0 && cuts->data[place - 1] > cut; place--)
        cuts->data[place] = cuts->data[place - 1];
    cuts->data[place] = cut;
}

// Where the mesh's axes begin, by all tilings in this order of devices. False when one
// of them does not fit the order.
static bool find_cuts(GspmdMesh *mesh, Cuts *cuts) {
    *cuts = (Cuts){0};
    add_cut(mesh->arena, cuts, 1);
    add_cut(mesh->arena, cuts, mesh->device_count);
    for (int64_t i = 0; i < mesh->tilings.count; i++) {
        const GspmdSharding *sharding = mesh->tilings.data[i];
        for (int d = 0; d < sharding->dim_count; d++) {
            GspmdDigits digits;
            if (is_replicated_group(sharding, d)) continue;
            if (!dim_digits(mesh, sharding, d, &digits)) return false;
            for (int k = 0; k < digits.count; k++) {
                const GspmdDigit *digit = &digits.digits[k];
                add_cut(mesh->arena, cuts, digit->stride);
                add_cut(mesh->arena, cuts, digit->stride * digit->size);
            }
        }
    }
    for (int64_t i = 0; i + 1 < cuts->count; i++) {
        if (cuts->data[i + 1] % cuts->data[i] != 0) return false;
    }
    return cuts->count - 1 <= MAX_AXES;
}

static int64_t tile_count(const GspmdSharding *sharding) {
    int64_t tiles = 1;
    for (int d = 0; d < sharding->dim_count; d++) {
        if (!is_replicated_group(sharding, d)) tiles *= sharding->dims[d];
    }
    return tiles;
}

// ---- the order of devices ----

typedef struct Place {
    int64_t group, coordinate, device;
} Place;

static int compare_places(const void *a, const void *b) {
    const Place *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->coordinate != y->coordinate) return x->coordinate < y->coordinate ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

// Cuts the groups of devices by their tiles, and counts them again; places: in order.
static int64_t refine(GspmdMesh *mesh, const GspmdSharding *sharding, Place *places) {
    int64_t count = mesh->device_count, groups = 0;
    for (int d = 0; d < sharding->dim_count; d++) {
        if (sharding->dims[d] == 1 || is_replicated_group(sharding, d)) continue;
        const int64_t *coordinates = tile_coordinates(mesh, sharding, d);
        for (int64_t p = 0; p < count; p++)
            places[p].coordinate = coordinates[places[p].device];
        qsort(places, (size_t)count, sizeof *places, compare_places);
        groups = 0;
        for (int64_t p = 0, group = 0, coordinate = 0; p < count; p++) {
            bool is_new = p == 0 || places[p].group != group || places[p].coordinate != coordinate;
            group = places[p].group;
            coordinate = places[p].coordinate;
            groups += is_new;
            places[p].group = groups - 1;
        }
    }
    return groups;
}

// The devices in the order of `finest`'s tiles; devices of one tile in the order of the
// other tilings', at last by number.
static const int64_t *order_devices(GspmdMesh *mesh, const GspmdSharding *finest) {
    int64_t count = mesh->device_count;
    Place *places = ARENA_ARRAY(mesh->arena, Place, count);
    int64_t *order = ARENA_ARRAY(mesh->arena, int64_t, count);
    for (int64_t p = 0; p < count; p++)
        places[p].device = p;
    int64_t groups = refine(mesh, finest, places);
    for (int64_t i = 0; i < mesh->tilings.count && groups < count; i++) {
        int64_t now = refine(mesh, mesh->tilings.data[i], places);
        if (now > groups) groups = now;
    }
    for (int64_t p = 0; p < count; p++)
        order[p] = places[p].device;
    return order;
}

bool gspmd_mesh_make(GspmdMesh *mesh, Context *context) {
    Cuts cuts;
    mesh->order = NULL;
    if (!find_cuts(mesh, &cuts)) {
        const GspmdSharding *finest = NULL;
        for (int64_t i = 0; i < mesh->tilings.count; i++) {
            const GspmdSharding *sharding = mesh->tilings.data[i];
            GspmdDigits digits;
            bool fits = true;
            for (int d = 0; d < sharding->dim_count && fits; d++)
                fits = is_replicated_group(sharding, d) || dim_digits(mesh, sharding, d, &digits);
            if (fits) continue;
            if (!finest || tile_count(sharding) > tile_count(finest)) finest = sharding;
        }
        if (!finest) return false;
        mesh->order = order_devices(mesh, finest);
        if (!find_cuts(mesh, &cuts)) return false;
    }
    Mesh made = {.axis_count = (int)cuts.count - 1};
    for (int a = 0; a < made.axis_count; a++) {
        int64_t place = cuts.count - 2 - a;
        made.axes[a].name = context_name_printf(context, "_axis_%d", a);
        made.axes[a].size = cuts.data[place + 1] / cuts.data[place];
    }
    if (mesh->order) {
        made.id_count = mesh->device_count;
        made.device_ids = mesh->order;
    }
    mesh->mesh = mesh_intern(context, &made);
    return true;
}

bool gspmd_mesh_use(GspmdMesh *mesh, const Mesh *given) {
    if (mesh->device_count != 0 && mesh->device_count != mesh_device_count(given)) return false;
    mesh->device_count = mesh_device_count(given);
    mesh->mesh = given;
    mesh->order = given->id_count > 0 ? given->device_ids : NULL;
    return !mesh_is_maximal(given);
}

// The digit as axes of the mesh, or parts of them, major to minor; false where an axis does not
// divide so.
static bool digit_axes(const Mesh *mesh, const GspmdDigit *digit, AxisList *axes) {
    int64_t outer = mesh_device_count(mesh); // the stride before the axis
    for (int a = 0; a < mesh->axis_count; a++) {
        int64_t inner = outer / mesh->axes[a].size;
        int64_t low = digit->stride > inner ? digit->stride : inner;
        int64_t high = digit->stride * digit->size < outer ? digit->stride * digit->size : outer;
        if (low < high) {
            if (outer % high != 0 || high % low != 0 || low % inner != 0 ||
                axes->count == MAX_AXIS_REFS)
                return false;
            axes->axes[axes->count++] =
                axis_ref_make(mesh, mesh->axes[a].name, outer / high, high / low);
        }
        outer = inner;
    }
    return true;
}

// The axes of a dimension, major to minor. Of a mesh that gspmd_mesh_make made they are whole, for
// every digit begins and ends at a cut.
static bool dim_axes(GspmdMesh *mesh, const GspmdSharding *sharding, int d, AxisList *axes) {
    GspmdDigits digits;
    axes->count = 0;
    if (!dim_digits(mesh, sharding, d, &digits)) return false;
    int64_t bound = sharding->dims[d];
    while (bound > 1) { // the digit of the next lower weight
        const GspmdDigit *next = NULL;
        for (int i = 0; i < digits.count; i++) {
            const GspmdDigit *digit = &digits.digits[i];
            if (digit->weight < bound && (!next || digit->weight > next->weight)) next = digit;
        }
        if (!next || !digit_axes(mesh->mesh, next, axes)) return false;
        bound = next->weight;
    }
    return true;
}

// Axes in mesh order.
static void sort_axes(const Mesh *mesh, AxisList *axes) {
    for (int i = 1; i < axes->count; i++) {
        for (int k = i; k > 0 && axis_ref_compare(mesh, &axes->axes[k], &axes->axes[k - 1]) < 0;
             k--) {
            AxisRef swapped = axes->axes[k];
            axes->axes[k] = axes->axes[k - 1];
            axes->axes[k - 1] = swapped;
        }
    }
}

// The axes of all groups of the kind.
static bool group_axes(
    GspmdMesh *mesh, const GspmdSharding *sharding, GspmdKind kind, AxisList *all) {
    all->count = 0;
    if (sharding->kind == kind) {
        for (int a = 0; a < mesh->mesh->axis_count; a++)
            all->axes[all->count++] = (AxisRef){mesh->mesh->axes[a].name, 1, 0};
        return true;
    }
    int first = sharding->dim_count - sharding->group_count;
    for (int i = 0; sharding->kind == GSPMD_TILED && i < sharding->group_count; i++) {
        AxisList axes;
        if (sharding->groups[i] != kind) continue;
        if (!dim_axes(mesh, sharding, first + i, &axes)) return false;
        for (int k = 0; k < axes.count && all->count < MAX_AXIS_REFS; k++)
            all->axes[all->count++] = axes.axes[k];
    }
    sort_axes(mesh->mesh, all);
    return true;
}

const Sharding *gspmd_to_sharding(
    GspmdMesh *mesh, Context *context, StrView mesh_name, const GspmdSharding *sharding, int rank,
    uint64_t open_dims) {
    bool is_tiled = sharding->kind == GSPMD_TILED;
    if (sharding->kind == GSPMD_MANUAL || sharding->kind == GSPMD_UNKNOWN) return NULL;
    if (is_tiled && sharding->dim_count - sharding->group_count != rank) return NULL;
    DimSharding dims[MAX_RANK];
    AxisList *axes = ARENA_ARRAY(mesh->arena, AxisList, rank + 2);
    if (is_tiled) open_dims |= sharding->open_dims;
    for (int d = 0; d < rank; d++) {
        if (is_tiled && !dim_axes(mesh, sharding, d, &axes[d])) return NULL;
        dims[d] = (DimSharding){
            axes[d].count, axes[d].axes, (open_dims >> (d & 63) & 1) != 0, PRIORITY_NONE};
    }
    if (!group_axes(mesh, sharding, GSPMD_UNREDUCED, &axes[rank]) ||
        !group_axes(mesh, sharding, GSPMD_PINNED, &axes[rank + 1]))
        return NULL;
    Sharding made = {
        .mesh_name = mesh_name,
        .rank = rank,
        .dims = dims,
        .unreduced_count = axes[rank].count,
        .unreduced = axes[rank].axes,
        .replicated_count = axes[rank + 1].count,
        .replicated = axes[rank + 1].axes};
    return sharding_intern(context, &made);
}

int gspmd_manual_axes(GspmdMesh *mesh, const GspmdSharding *sharding, AxisRef *axes) {
    AxisList all;
    if (!group_axes(mesh, sharding, GSPMD_MANUAL, &all)) return 0;
    memcpy(axes, all.axes, (size_t)all.count * sizeof *axes);
    return all.count;
}

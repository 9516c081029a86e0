// local_reshard: a value laid out as another sharding says, and the ops that only
// change layouts or pass values on.
//
//   tiles nest     the tiles of a finer sharding fill the coarser one's exactly:
//                  coarse == parts * fine, or the coarse one is the whole dimension. Dimensions
//                  that divide always nest; 13 over 3 (tile 5) and over 3 x 2 (tile 3) do not.
#include "partition/local/local.h"

#include <assert.h>

Value *local_take_tile(Local *local, Value *x, const DimTiles *tiles, int d) {
    if (tiles->count == 1) return x;
    assert(x->type->dims[d] == tiles->global);
    int64_t padded = tiles->count * tiles->tile;
    if (padded > tiles->global) {
        x = local_pad_dim(local, x, d, local_zero(local, x->type), 0, padded - tiles->global, 0);
    }
    return local_dynamic_slice_dim(local, x, d, local_tile_offset(local, tiles), tiles->tile);
}

// ---- the same number of tiles in every dimension: one tile per device changes places ----

static int64_t tile_coordinate(const DimTiles *tiles, int64_t device) {
    int64_t index = mesh_index_of_device(tiles->mesh, device);
    return axis_list_coordinate(tiles->mesh, tiles->axes, tiles->axis_count, index);
}

// Row-major number of the tile that a device holds.
static int64_t tile_number(const DimTiles *dims, int rank, int64_t device) {
    int64_t number = 0;
    for (int d = 0; d < rank; d++) {
        if (dims[d].count == 1) continue;
        number = number * dims[d].count + tile_coordinate(&dims[d], device);
    }
    return number;
}

// Every device gets the tile it wants from one that has it: from itself if it can, else holders and
// receivers of a tile are paired in the order of their ids.
static Value *permute_tiles(Local *local, Value *x, const DimTiles *from, const DimTiles *to) {
    enum { NONE = -1 };
    int64_t devices = local->device_count;
    int rank = x->type->rank;
    int64_t *target = ARENA_ARRAY(local->scratch, int64_t, devices);
    bool moved = false;
    for (int64_t device = 0; device < devices; device++) {
        bool stays = tile_number(from, rank, device) == tile_number(to, rank, device);
        target[device] = stays ? device : NONE;
        moved = moved || !stays;
    }
    if (!moved) return x;
    // The holders of each tile that do not keep it: the first one, and the one behind each.
    int64_t *first = ARENA_ARRAY(local->scratch, int64_t, devices);
    int64_t *next = ARENA_ARRAY(local->scratch, int64_t, devices);
    for (int64_t tile = 0; tile < devices; tile++)
        first[tile] = NONE;
    for (int64_t device = devices - 1; device >= 0; device--) {
        if (target[device] == device) continue;
        int64_t tile = tile_number(from, rank, device);
        next[device] = first[tile];
        first[tile] = device;
    }
    for (int64_t device = 0; device < devices; device++) {
        if (tile_number(from, rank, device) == tile_number(to, rank, device)) continue;
        int64_t tile = tile_number(to, rank, device), holder = first[tile];
        assert(holder != NONE);
        target[holder] = device;
        first[tile] = next[holder];
    }
    int64_t *pairs = ARENA_ARRAY(local->scratch, int64_t, 2 * devices);
    for (int64_t device = 0; device < devices; device++) {
        pairs[2 * device] = device;
        pairs[2 * device + 1] = target[device];
    }
    return emit_permute(local, x, devices, pairs);
}

// ---- any two shardings ----

// Is one list of axes the beginning of the other?
static bool axes_begin_alike(const DimTiles *a, const DimTiles *b) {
    if (a->count > 1 && b->count > 1 && a->mesh != b->mesh) return false;
    for (int i = 0; i < a->axis_count && i < b->axis_count; i++) {
        if (!axis_ref_equal(&a->axes[i], &b->axes[i])) return false;
    }
    return true;
}

static bool tiles_nest(const DimTiles *coarse, const DimTiles *fine) {
    return coarse->count == 1 || coarse->tile * coarse->count == fine->tile * fine->count;
}

// Gathers the dimensions whose tiles must grow: by the axes that `to` lacks at the end, or to the
// whole dimension. On return from[d] says how x lies.
static Value *gather_tiles(Local *local, Value *x, DimTiles *from, const DimTiles *to) {
    AxisList *axes = ARENA_ARRAY(local->scratch, AxisList, MAX_RANK);
    int64_t dims[MAX_RANK];
    const Mesh *mesh = NULL;
    for (int d = 0; d < x->type->rank; d++) {
        dims[d] = x->type->dims[d];
        bool is_prefix = axes_begin_alike(&from[d], &to[d]);
        if (from[d].count == 1 || tiles_equal(&from[d], &to[d])) continue;
        if (is_prefix && from[d].count < to[d].count && tiles_nest(&from[d], &to[d])) continue;
        int kept =
            is_prefix && to[d].count > 1 && tiles_nest(&to[d], &from[d]) ? to[d].axis_count : 0;
        for (int i = kept; i < from[d].axis_count; i++) {
            axes[d].axes[axes[d].count++] = from[d].axes[i];
        }
        mesh = from[d].mesh;
        if (kept) {
            from[d] = to[d];
        } else {
            from[d] = (DimTiles){.count = 1, .global = from[d].global, .tile = from[d].global};
        }
        dims[d] = from[d].tile;
    }
    return mesh ? emit_all_gather(local, x, mesh, axes, dims) : x;
}

// Cuts tiles down: dimensions that are whole, or whose axes are the beginning of the wanted
// ones. One slice for all of them.
static Value *slice_tiles(Local *local, Value *x, const DimTiles *from, const DimTiles *to) {
    Value *starts[MAX_RANK];
    int64_t sizes[MAX_RANK];
    bool cuts = false;
    for (int d = 0; d < x->type->rank; d++) {
        if (from[d].count > 1 || to[d].count == 1) continue;
        int64_t padding = to[d].count * to[d].tile - to[d].global;
        if (padding) x = local_pad_dim(local, x, d, local_zero(local, x->type), 0, padding, 0);
    }
    for (int d = 0; d < x->type->rank; d++) {
        sizes[d] = to[d].tile;
        if (tiles_equal(&from[d], &to[d])) {
            starts[d] = local_int(local, 0);
            continue;
        }
        DimTiles part = to[d];
        part.axes += from[d].axis_count;
        part.axis_count -= from[d].axis_count;
        part.count = to[d].count / from[d].count;
        starts[d] = local_tile_offset(local, &part);
        cuts = true;
    }
    return cuts ? build_dynamic_slice(&local->builder, x, starts, sizes) : x;
}

// Where b's last axis is the beginning of a's axis at its place, a's is written in two: "y" as
// "y":(1)2, "y":(2)2 for b's "y":(1)2.
static void split_like(Local *local, DimTiles *a, const DimTiles *b) {
    int last = b->axis_count - 1;
    if (b->count == 1 || a->count == 1 || a->mesh != b->mesh || last >= a->axis_count) return;
    for (int i = 0; i < last; i++) {
        if (!axis_ref_equal(&a->axes[i], &b->axes[i])) return;
    }
    const AxisRef *long_axis = &a->axes[last], *begin = &b->axes[last];
    int64_t size = axis_ref_size(a->mesh, long_axis), first = axis_ref_size(a->mesh, begin);
    if (first >= size || size % first != 0 || !axis_ref_is_prefix(a->mesh, begin, long_axis))
        return;
    AxisRef *axes = ARENA_ARRAY(local->scratch, AxisRef, a->axis_count + 1);
    for (int i = 0; i <= a->axis_count; i++)
        axes[i] = a->axes[i <= last ? i : i - 1];
    axes[last] = *begin;
    axes[last + 1] =
        axis_ref_make(a->mesh, begin->name, axis_ref_next_pre_size(a->mesh, begin), size / first);
    a->axes = axes;
    a->axis_count++;
}

Value *value_reshard(
    Local *local, Value *x, const Type *global, const Sharding *from, const Sharding *to) {
    if (global->kind != TYPE_TENSOR || shardings_place_alike(local, global, from, to)) return x;
    DimTiles *in = ARENA_ARRAY(local->scratch, DimTiles, global->rank);
    DimTiles *out = ARENA_ARRAY(local->scratch, DimTiles, global->rank);
    bool same_counts = true;
    for (int d = 0; d < global->rank; d++) {
        in[d] = tiles_of(local, global, from, d);
        out[d] = tiles_of(local, global, to, d);
        same_counts = same_counts && in[d].count == out[d].count;
    }
    if (same_counts) return permute_tiles(local, x, in, out);
    for (int d = 0; d < global->rank; d++) {
        split_like(local, &in[d], &out[d]);
        split_like(local, &out[d], &in[d]);
    }
    x = gather_tiles(local, x, in, out);
    return slice_tiles(local, x, in, out);
}

// ---- ops ----

bool local_identity(Local *local, const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        const Value *operand = op_operand(op, i);
        local_set_as(local, op_result(op, i), local_value(local, operand), local_sharding(operand));
    }
    return true;
}

bool local_reshard(Local *local, const Op *op) { return local_identity(local, op); }

Value *local_value_as(Local *local, const Value *global, const Sharding *sharding) {
    return value_reshard(
        local, local_value(local, global), global->type, local_sharding(global), sharding);
}

void local_set_as(Local *local, const Value *global, Value *value, const Sharding *sharding) {
    const Sharding *own = local_sharding(global);
    local_set(local, global, value_reshard(local, value, global->type, sharding, own));
}

Value *local_agree(
    Local *local, const Value *operand, const Value *result, const Sharding **in,
    const Sharding **out) {
    unsigned differ = 0;
    for (int d = 0; d < operand->type->rank; d++) {
        DimTiles a = value_tiles(local, operand, d), b = value_tiles(local, result, d);
        if (!tiles_equal(&a, &b)) differ |= 1u << d;
    }
    *in = sharding_without_dims(local->context, local_sharding(operand), differ);
    *out = sharding_without_dims(local->context, local_sharding(result), differ);
    return local_value_as(local, operand, *in);
}

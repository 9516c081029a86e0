// local_tiles: how dimensions lie on the devices, coordinates, and small ops along one dimension.
#include "ir/analysis/data_flow.h"
#include "partition/collectives/reductions.h"
#include "partition/local/local.h"

#include <assert.h>

// ---- tiles ----

DimTiles tiles_of(Local *local, const Type *type, const Sharding *sharding, int d) {
    DimTiles tiles = {.count = 1, .global = type->dims[d], .tile = type->dims[d]};
    const Mesh *mesh = local_mesh(local, sharding);
    if (!mesh) return tiles;
    int64_t count = sharding_dim_size(mesh, sharding, d);
    if (count == 1) return tiles;
    tiles.mesh = mesh;
    tiles.axes = sharding->dims[d].axes;
    tiles.axis_count = sharding->dims[d].axis_count;
    tiles.count = count;
    tiles.tile = (tiles.global + count - 1) / count;
    return tiles;
}

DimTiles value_tiles(Local *local, const Value *global, int d) {
    return tiles_of(local, global->type, local_sharding(global), d);
}

bool tiles_equal(const DimTiles *a, const DimTiles *b) {
    if (a->count != b->count) return false;
    if (a->count == 1) return true;
    if (a->mesh != b->mesh || a->axis_count != b->axis_count) return false;
    for (int i = 0; i < a->axis_count; i++) {
        if (!axis_ref_equal(&a->axes[i], &b->axes[i])) return false;
    }
    return true;
}

bool shardings_place_alike(Local *local, const Type *type, const Sharding *a, const Sharding *b) {
    if (a == b) return true;
    for (int d = 0; type->kind == TYPE_TENSOR && d < type->rank; d++) {
        DimTiles in_a = tiles_of(local, type, a, d), in_b = tiles_of(local, type, b, d);
        if (!tiles_equal(&in_a, &in_b)) return false;
    }
    return true;
}

// ---- shardings made of others ----

const Sharding *sharding_select_dims(
    Context *context, const Sharding *sharding, int rank, const int *from) {
    if (!sharding) return NULL;
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < rank; d++) {
        if (from[d] >= sharding->rank) return sharding; // of a single device: it has no dims
        if (from[d] >= 0)
            dims[d] = sharding->dims[from[d]];
        else
            dims[d].priority = PRIORITY_NONE;
    }
    Sharding selected = *sharding;
    selected.rank = rank;
    selected.dims = dims;
    return sharding_intern(context, &selected);
}

const Sharding *sharding_without_dims(Context *context, const Sharding *sharding, unsigned dims) {
    if (!sharding || dims == 0) return sharding;
    int from[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++)
        from[d] = dims >> d & 1 ? -1 : d;
    return sharding_select_dims(context, sharding, sharding->rank, from);
}

static bool axis_is_taken(const Mesh *mesh, const Sharding *sharding, const AxisRef *axis) {
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            if (axis_ref_overlaps(mesh, &sharding->dims[d].axes[i], axis)) return true;
        }
    }
    return false;
}

bool sharding_set_dim(
    Local *local, const Sharding **sharding, int rank, int d, const Sharding *other, int other_d) {
    const Mesh *mesh = local_mesh(local, other);
    if (!other || !mesh || other->dims[other_d].axis_count == 0) return true;
    const Sharding *base = *sharding;
    const bool is_new = !base || !local_mesh(local, base);
    if (is_new) base = other;
    if (local_mesh(local, base) != mesh) return false;
    DimSharding dims[MAX_RANK];
    for (int i = 0; i < rank; i++)
        dims[i] = is_new ? (DimSharding){.priority = PRIORITY_NONE} : base->dims[i];
    Sharding set = *base;
    set.rank = rank;
    set.dims = dims;
    const DimSharding *from = &other->dims[other_d];
    for (int i = 0; i < from->axis_count; i++) {
        if (axis_is_taken(mesh, &set, &from->axes[i])) return false;
    }
    dims[d] = *from;
    *sharding = sharding_intern(local->context, &set);
    return true;
}

// ---- coordinates ----

Value *local_int(Local *local, int64_t number) {
    return build_splat_int(&local->builder, type_scalar(local->context, local->index), number);
}

Value *local_only_on_first(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisRef *axes, int count) {
    Builder *b = &local->builder;
    const Type *scalar = type_with_dims(local->context, x->type, 0, NULL);
    Value *neutral = build_constant(b, reduction_neutral(local->context, body, scalar));
    Value *first = local->place->first(local, mesh, axes, count, x->type);
    return build_select(b, first, x, local_splat(local, neutral, x->type));
}

Value *local_affine(Local *local, const DimTiles *tiles, int64_t scale, int64_t base) {
    if (tiles->count == 1 || scale == 0) return local_int(local, base);
    return local->place->affine(local, tiles->mesh, tiles->axes, tiles->axis_count, scale, base);
}

Value *local_tile_offset(Local *local, const DimTiles *tiles) {
    return local_affine(local, tiles, tiles->tile, 0);
}

// ---- ops along one dimension ----

Value *local_slice_dim(
    Local *local, Value *x, int d, int64_t start, int64_t limit, int64_t stride) {
    if (start == 0 && limit == x->type->dims[d] && stride == 1) return x;
    int64_t starts[MAX_RANK], limits[MAX_RANK], strides[MAX_RANK];
    for (int i = 0; i < x->type->rank; i++) {
        starts[i] = i == d ? start : 0;
        limits[i] = i == d ? limit : x->type->dims[i];
        strides[i] = i == d ? stride : 1;
    }
    return build_slice(&local->builder, x, starts, limits, strides);
}

Value *local_dynamic_slice_dim(Local *local, Value *x, int d, Value *start, int64_t size) {
    Value *starts[MAX_RANK];
    int64_t sizes[MAX_RANK];
    Value *zero = x->type->rank > 1 ? local_int(local, 0) : NULL;
    for (int i = 0; i < x->type->rank; i++) {
        starts[i] = i == d ? start : zero;
        sizes[i] = i == d ? size : x->type->dims[i];
    }
    return build_dynamic_slice(&local->builder, x, starts, sizes);
}

Value *local_pad_dim(
    Local *local, Value *x, int d, Value *fill, int64_t low, int64_t high, int64_t interior) {
    if (low == 0 && high == 0 && interior == 0) return x;
    int64_t lows[MAX_RANK] = {0}, highs[MAX_RANK] = {0}, interiors[MAX_RANK] = {0};
    lows[d] = low;
    highs[d] = high;
    interiors[d] = interior;
    return build_pad(&local->builder, x, fill, lows, highs, interiors);
}

Value *local_take_along_last(Local *local, Value *x, Value *places) {
    int rank = x->type->rank;
    int64_t batch[MAX_RANK], ones[MAX_RANK], last = rank - 1;
    for (int d = 0; d < rank; d++) {
        batch[d] = d;
        ones[d] = 1;
    }
    const GatherDims dims = {
        .collapsed_slice_dims = {&last, 1},
        .operand_batching_dims = {batch, rank - 1},
        .start_indices_batching_dims = {batch, rank - 1},
        .start_index_map = {&last, 1},
        .index_vector_dim = rank,
    };
    const Attr prototype = {.kind = ATTR_GATHER_DIMS, .gather = &dims};
    Value *operands[2] = {x, places};
    const Type *type = type_with_element(local->context, places->type, x->type->element);
    Op *op = build_op(&local->builder, OP_GATHER, 2, operands, 1, &type, 0);
    op_set_attr(local->module, op, NAME_DIMENSION_NUMBERS, attr_intern(local->context, &prototype));
    op_set_attr(local->module, op, NAME_SLICE_SIZES, attr_ints(local->context, rank, ones));
    return op_result(op, 0);
}

Value *local_zero(Local *local, const Type *tensor) {
    return build_splat(&local->builder, type_with_dims(local->context, tensor, 0, NULL), 0);
}

Value *local_nothing(Local *local, const Type *type) {
    bool has_zero = parts_reduction(type->element) == OP_ADD;
    return has_zero ? build_negative_zeros(&local->builder, type)
                    : build_splat(&local->builder, type, 0.0);
}

Value *local_splat(Local *local, Value *scalar, const Type *tensor) {
    return build_broadcast_in_dim(&local->builder, scalar, tensor, NULL);
}

Value *local_mask_dim(
    Local *local, Value *x, int d, Value *offset, int64_t low, int64_t high, Value *fill) {
    Builder *b = &local->builder;
    const Type *line = type_tensor(local->context, offset->type->element, 1, &x->type->dims[d]);
    Value *begin = local_splat(local, offset, line);
    Value *index = build_binary(b, OP_ADD, build_iota(b, line, 0), begin);
    Value *inside = NULL;
    if (low != INT64_MIN) {
        inside =
            build_compare(b, DIRECTION_GE, index, local_splat(local, local_int(local, low), line));
    }
    if (high != INT64_MAX) {
        Value *below =
            build_compare(b, DIRECTION_LT, index, local_splat(local, local_int(local, high), line));
        inside = inside ? build_binary(b, OP_AND, inside, below) : below;
    }
    const Type *mask_type = type_with_element(local->context, x->type, ELEMENT_I1);
    Value *mask = build_broadcast_in_dim(b, inside, mask_type, &(int64_t){d});
    if (fill->type != x->type) fill = local_splat(local, fill, x->type);
    return build_select(b, mask, x, fill);
}

Value *local_mask_padding(Local *local, Value *x, const DimTiles *tiles, int d, Value *fill) {
    if (!tiles_are_padded(tiles)) return x;
    Value *offset = local_tile_offset(local, tiles);
    return local_mask_dim(local, x, d, offset, INT64_MIN, tiles->global, fill);
}

const Mesh *local_mesh(Local *local, const Sharding *sharding) {
    if (!sharding) return NULL;
    const Mesh *mesh = sharding->mesh;
    if (!mesh) {
        mesh = ptr_map_get(&local->meshes, sharding->mesh_name.data);
        if (!mesh) {
            mesh = sharding_mesh(local->global, sharding);
            if (mesh) {
                ptr_map_set(&local->meshes, sharding->mesh_name.data, (void *)(uintptr_t)mesh);
            }
        }
    }
    return !mesh || mesh_is_maximal(mesh) || mesh->axis_count == 0 ? NULL : mesh;
}

const Sharding *local_sharding(const Value *global) {
    while (!global->sharding && global->def && global->def->code == OP_SDY_BARRIER)
        global = op_operand(global->def, 0); // as it came, as explicit reshards have it
    if (global->sharding) return global->sharding;
    if (global->def && global->def->code == OP_SDY_MANUAL) {
        return region_out_sharding(global->def, global->index);
    }
    if (global->def && global->def->code == OP_SDY_NAMED) {
        return region_out_sharding(global->def, global->index);
    }
    if (!global->region || !global->region->owner) return NULL;
    const Op *owner = global->region->owner;
    if (owner->code == OP_SDY_NAMED) return region_in_sharding(owner, global->index);
    return owner->code == OP_WHILE ? owner->results[global->index].sharding : NULL;
}

const Type *local_type(Local *local, const Type *global, const Sharding *sharding) {
    if (!local_mesh(local, sharding) || global->kind != TYPE_TENSOR) return global;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < global->rank; d++)
        dims[d] = tiles_of(local, global, sharding, d).tile;
    return type_with_dims(local->context, global, global->rank, dims);
}

const Type *type_with_dim(Local *local, const Type *type, int d, int64_t size) {
    int64_t dims[MAX_RANK];
    for (int i = 0; i < type->rank; i++)
        dims[i] = i == d ? size : type->dims[i];
    return type_with_dims(local->context, type, type->rank, dims);
}

Value *cut_dims(Local *local, Value *x, const int64_t *dims) {
    for (int d = 0; d < x->type->rank; d++)
        x = local_slice_dim(local, x, d, 0, dims[d], 1);
    return x;
}

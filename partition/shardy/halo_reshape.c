// halo_reshape: reshapes whose sharded dimensions do not divide.
//
// A reshape is made of groups: the fewest neighbouring dimensions of the operand and of the result
// with equal products. In a group of which a sharded dimension is uneven, a device's tile of the
// result is rarely its tile of the operand:
//
//   [6] over "x"=4                 0 1 | 2 3 | 4 5 | . .
//   [2, 3] over "x":(1)2, "x":(2)2   0 1 | 2 . | 3 4 | 5 .      one row after the other
//
// Where one dimension is split, and every tile of the result is a run of the operand's elements, at
// most one neighbour away, the devices fetch it in a manual computation. Other groups are whole on
// all devices during the reshape.
#include "ir/analysis/data_flow.h"
#include "partition/propagate/projection.h"
#include "partition/shardy/halo_exchange.h"
#include "partition/shardy/padding.h"

// Dimensions of size 1 are in no group.
typedef struct Side {
    int count;
    int dims[MAX_RANK];
} Side;

typedef struct Group {
    Side in, out;
    bool is_uneven; // must be resolved
    HaloDim halo;
} Group;

typedef struct Reshape {
    Halos *halos;
    Op *op;
    const Mesh *mesh;
    const Sharding *in, *out;
    int count;
    Group *groups;
} Reshape;

// ---- groups ----

static bool push_dim(Side *side, const Type *type, int *d, int64_t *product) {
    while (*d < type->rank && type->dims[*d] == 1)
        ++*d;
    if (*d == type->rank) return false;
    *product *= type->dims[*d];
    side->dims[side->count++] = (*d)++;
    return true;
}

static void find_groups(Reshape *reshape) {
    const Type *in = op_operand_type(reshape->op, 0), *out = op_result_type(reshape->op, 0);
    reshape->groups = ARENA_ARRAY(reshape->halos->scratch, Group, MAX_RANK);
    int i = 0, o = 0;
    for (;;) {
        Group *group = &reshape->groups[reshape->count];
        int64_t in_product = 1, out_product = 1;
        if (!push_dim(&group->in, in, &i, &in_product)) return;
        if (!push_dim(&group->out, out, &o, &out_product)) return;
        while (in_product != out_product) {
            bool pushed = in_product < out_product ? push_dim(&group->in, in, &i, &in_product)
                                                   : push_dim(&group->out, out, &o, &out_product);
            if (!pushed) return; // cannot be: the products of all dimensions are equal
        }
        reshape->count++;
    }
}

// The axes of the side's dimensions, major to minor, neighbouring parts of an axis merged.
static AxisList side_axes(const Mesh *mesh, const Side *side, const Sharding *sharding) {
    AxisList list = {0};
    for (int i = 0; i < side->count; i++) {
        AxisSpan axes = dim_axes(sharding, side->dims[i]);
        for (int a = 0; a < axes.count; a++) {
            AxisRef *last = list.count ? &list.axes[list.count - 1] : NULL;
            if (last && axis_ref_can_merge(mesh, last, &axes.axes[a]))
                *last = axis_ref_merge(mesh, last, &axes.axes[a]);
            else
                list.axes[list.count++] = axes.axes[a];
        }
    }
    return list;
}

static bool same_axes(const AxisList *a, const AxisList *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        if (!axis_ref_equal(&a->axes[i], &b->axes[i])) return false;
    }
    return true;
}

static int64_t tile_size(const Mesh *mesh, const Type *type, const Sharding *sharding, int d) {
    int64_t count = sharding_dim_size(mesh, sharding, d);
    return padded_size(type->dims[d], count) / count;
}

static bool side_divides(
    const Mesh *mesh, const Type *type, const Side *side, const Sharding *sharding) {
    for (int i = 0; i < side->count; i++) {
        int d = side->dims[i];
        if (type->dims[d] % sharding_dim_size(mesh, sharding, d) != 0) return false;
    }
    return true;
}

// The number of elements of a tile that is a run of the group's elements: single in
// front, whole behind. 0: it is none.
static int64_t run_length(
    const Mesh *mesh, const Type *type, const Side *side, const Sharding *sharding) {
    int64_t length = 1;
    for (int i = 0; i < side->count; i++) {
        int d = side->dims[i];
        if (length > 1 && sharding_dim_size(mesh, sharding, d) > 1) return 0;
        length *= tile_size(mesh, type, sharding, d);
    }
    return length;
}

// Only the first dimension sharded: then tiles follow each other without gaps.
static bool only_first_is_sharded(const Mesh *mesh, const Side *side, const Sharding *sharding) {
    for (int i = 1; i < side->count; i++) {
        if (sharding_dim_size(mesh, sharding, side->dims[i]) > 1) return false;
    }
    return true;
}

// Are the tiles of both sides the same elements?
static bool tiles_agree(const Reshape *reshape, const Group *group) {
    const Mesh *mesh = reshape->mesh;
    if (group->in.count == 1 && group->out.count == 1) return true;
    if (!only_first_is_sharded(mesh, &group->in, reshape->in) ||
        !only_first_is_sharded(mesh, &group->out, reshape->out))
        return false;
    return run_length(mesh, op_operand_type(reshape->op, 0), &group->in, reshape->in) ==
           run_length(mesh, op_result_type(reshape->op, 0), &group->out, reshape->out);
}

// ---- halos ----

// Where the tile of the result begins in the group's elements.
static int64_t run_start(const Reshape *reshape, const Group *group, int64_t c) {
    const Type *type = op_result_type(reshape->op, 0);
    int64_t start = 0, stride = 1;
    for (int i = group->out.count - 1; i >= 0; i--) {
        int d = group->out.dims[i];
        int64_t count = sharding_dim_size(reshape->mesh, reshape->out, d);
        start += c % count * tile_size(reshape->mesh, type, reshape->out, d) * stride;
        c /= count;
        stride *= type->dims[d];
    }
    return start;
}

// The neighbours that hold each device's run; false where it cannot be fetched.
static bool find_halo(const Reshape *reshape, Group *group) {
    const Type *in = op_operand_type(reshape->op, 0);
    if (group->in.count != 1) return false;
    int d = group->in.dims[0];
    HaloDim *dim = &group->halo;
    *dim = (HaloDim){.step = 1, .is_exchanged = true, .is_zero_padded = true};
    dim->axes = side_axes(reshape->mesh, &group->in, reshape->in);
    dim->count = sharding_dim_size(reshape->mesh, reshape->in, d);
    dim->tile = tile_size(reshape->mesh, in, reshape->in, d);
    dim->out = run_length(reshape->mesh, op_result_type(reshape->op, 0), &group->out, reshape->out);
    if (dim->out == 0) return false;
    int64_t *starts = ARENA_ARRAY(reshape->halos->scratch, int64_t, dim->count);
    for (int64_t c = 0; c < dim->count; c++) {
        int64_t start = run_start(reshape, group, c), end = start + dim->out - 1;
        if (end >= in->dims[d]) end = in->dims[d] - 1;
        starts[c] = start - c * dim->tile; // relative to the device's own tile
        if (start > end) starts[c] = 0;    // nothing but padding: anything will do
        if (start > end) continue;
        if (c - start / dim->tile > dim->left) dim->left = c - start / dim->tile;
        if (end / dim->tile - c > dim->right) dim->right = end / dim->tile - c;
    }
    for (int64_t c = 0; c < dim->count; c++)
        starts[c] += dim->out + dim->left * dim->tile;
    dim->starts = starts;
    return dim->left <= 1 && dim->right <= 1 && halo_is_possible(reshape->mesh, dim);
}

// The type with uneven groups padded.
static const Type *pad_groups(
    const Reshape *reshape, const Type *type, const Sharding *sharding, bool is_in) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = type->dims[d];
    for (int g = 0; g < reshape->count; g++) {
        const Group *group = &reshape->groups[g];
        const Side *side = is_in ? &group->in : &group->out;
        for (int i = 0; group->is_uneven && i < side->count; i++) {
            int d = side->dims[i];
            dims[d] = padded_size(dims[d], sharding_dim_size(reshape->mesh, sharding, d));
        }
    }
    return type_with_dims(reshape->halos->module->context, type, type->rank, dims);
}

static bool exchange(const Reshape *reshape) {
    Halos *halos = reshape->halos;
    Context *context = halos->module->context;
    Value *operand = op_operand(reshape->op, 0), *result = op_result(reshape->op, 0);
    AxisList manual = {0};
    for (int g = 0; g < reshape->count; g++) {
        Group *group = &reshape->groups[g];
        if (!group->is_uneven) continue;
        if (!find_halo(reshape, group)) return false;
        halo_add_axes(&manual, reshape->mesh, group->halo.axes.axes, group->halo.axes.count);
    }
    const Type *type = pad_groups(reshape, operand->type, reshape->in, true);
    const Type *made_type = pad_groups(reshape, result->type, reshape->out, false);
    if (!halo_splits_evenly(reshape->mesh, type, reshape->in, &manual) ||
        !halo_splits_evenly(reshape->mesh, made_type, reshape->out, &manual))
        return false;
    Builder builder = builder_before(halos->module, reshape->op), body;
    Value *zero = build_splat(&builder, type_with_dims(context, type, 0, NULL), 0);
    Value *x = pad_to_type(&builder, operand, type, reshape->in);
    HaloFrame frame = {reshape->in, reshape->out, &manual};
    Op *made = halo_manual(halos, &builder, x, zero, made_type, frame, &body);
    const Sharding *local = sharding_without_axes(context, reshape->in, &manual);
    Value *own = made->regions[0]->args[0];
    for (int g = 0; g < reshape->count; g++) {
        const Group *group = &reshape->groups[g];
        if (group->is_uneven)
            own = halo_exchange_dim(
                halos, &body, own, made->regions[0]->args[1], group->in.dims[0], &group->halo,
                reshape->mesh, local);
    }
    const Type *own_type =
        manual_local_type(context, reshape->mesh, made_type, reshape->out, &manual);
    own = build_reshape(&body, own, own_type->rank, own_type->dims);
    own->sharding = sharding_without_axes(context, reshape->out, &manual);
    build_return(&body, OP_SDY_RETURN, 1, &own);
    value_replace_uses(
        result, trim_to_type(&builder, op_result(made, 0), result->type, reshape->out));
    op_erase(reshape->op);
    return true;
}

// ---- whole dimensions ----

static const Sharding *without_uneven(
    const Reshape *reshape, const Sharding *sharding, bool is_in) {
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++)
        dims[d] = sharding->dims[d];
    for (int g = 0; g < reshape->count; g++) {
        const Group *group = &reshape->groups[g];
        const Side *side = is_in ? &group->in : &group->out;
        for (int i = 0; group->is_uneven && i < side->count; i++)
            dims[side->dims[i]] = (DimSharding){.priority = PRIORITY_NONE};
    }
    Sharding without = *sharding;
    without.dims = dims;
    return sharding_intern(reshape->halos->module->context, &without);
}

static void replicate(const Reshape *reshape) {
    Op *op = reshape->op;
    Value *result = op_result(op, 0);
    Builder before = builder_before(reshape->halos->module, op);
    op_set_operand(
        op, 0,
        build_reshard(&before, op_operand(op, 0), without_uneven(reshape, reshape->in, true)));
    result->sharding = without_uneven(reshape, reshape->out, false);
    Builder after = builder_after(reshape->halos->module, op);
    Value *back = build_reshard(&after, result, reshape->out);
    value_replace_uses_except(result, back, back->def);
}

// ---- the op ----

static bool size_one_is_sharded(const Mesh *mesh, const Type *type, const Sharding *sharding) {
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] == 1 && sharding_dim_size(mesh, sharding, d) > 1) return true;
    }
    return false;
}

HaloResult halo_resolve_reshape(Halos *halos, Op *op, bool exchanges_halos) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    Reshape reshape = {.halos = halos, .op = op};
    reshape.in = value_sharding(halos->module, operand);
    reshape.out = value_sharding(halos->module, result);
    reshape.mesh = halo_mesh(halos, reshape.in);
    const Mesh *mesh = reshape.mesh;
    if (!mesh || halo_mesh(halos, reshape.out) != mesh || !type_is_static(result->type))
        return HALO_NOT_NEEDED;
    if (type_element_count(result->type) == 0 ||
        size_one_is_sharded(mesh, operand->type, reshape.in) ||
        size_one_is_sharded(mesh, result->type, reshape.out))
        return HALO_NOT_NEEDED;
    find_groups(&reshape);
    bool any_uneven = false;
    for (int g = 0; g < reshape.count; g++) {
        Group *group = &reshape.groups[g];
        AxisList in = side_axes(mesh, &group->in, reshape.in);
        AxisList out = side_axes(mesh, &group->out, reshape.out);
        if (!same_axes(&in, &out))
            return HALO_NOT_NEEDED; // insert_explicit_reshards has not been here
        group->is_uneven = !(side_divides(mesh, operand->type, &group->in, reshape.in) &&
                             side_divides(mesh, result->type, &group->out, reshape.out)) &&
                           !tiles_agree(&reshape, group);
        any_uneven = any_uneven || group->is_uneven;
    }
    if (!any_uneven) return HALO_NOT_NEEDED;
    if (!exchanges_halos || !exchange(&reshape)) replicate(&reshape);
    return HALO_EXCHANGED;
}

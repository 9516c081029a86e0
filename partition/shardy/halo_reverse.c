// halo_reverse: reversed dimensions that are sharded: each device reverses its own tile,
// and the devices change places.
//
//   before  %1 = stablehlo.reverse %0, dims = [0] [{"x"}] : tensor<5xf32>, "x"=2
//   after   %1 = stablehlo.pad %0, high = [1]                                0 1 2 | 3 4 .
//           %2 = sdy.manual_computation(%1) the tiles shifted to the right   . 0 1 | 2 3 4
//           %3 = stablehlo.reverse %2, dims = [0] over @mesh_reversed        4 3 2 | 1 0 .
//           %4 = sdy.reshard %3 to @mesh           (a collective_permute)
//           %5 = stablehlo.slice %4 [0:5]
//
// The reversed mesh has the same axes, and its devices in the opposite order along those
// that shard reversed dimensions.
#include "ir/analysis/data_flow.h"
#include "partition/propagate/projection.h"
#include "partition/shardy/halo_exchange.h"
#include "partition/shardy/padding.h"

static bool is_reversed(const Op *op, int d) {
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] == d) return true;
    }
    return false;
}

// ---- the reversed mesh ----

static const Mesh *reversed_mesh(Halos *halos, const Mesh *mesh, const AxisList *axes) {
    int64_t devices = mesh_device_count(mesh);
    int64_t *ids = ARENA_ARRAY(halos->scratch, int64_t, devices);
    for (int64_t index = 0; index < devices; index++) {
        int64_t mirrored = index;
        for (int i = 0; i < axes->count; i++) {
            int64_t at = axis_list_coordinate(mesh, &axes->axes[i], 1, index);
            int64_t last = axis_ref_size(mesh, &axes->axes[i]) - 1;
            mirrored += (last - 2 * at) * axis_ref_stride(mesh, &axes->axes[i]);
        }
        ids[index] = mesh_device_at(mesh, mirrored);
    }
    Mesh reversed = *mesh;
    reversed.id_count = devices;
    reversed.device_ids = ids;
    return mesh_intern(halos->module->context, &reversed);
}

static bool name_is_taken(const Module *module, StrView name) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (strview_equal(op_text(op, NAME_SYM_NAME), name)) return true;
    }
    return false;
}

// The name of the module's sdy.mesh for the mesh, which is made if need be.
static StrView name_mesh(Halos *halos, const Mesh *mesh, StrView like) {
    Module *module = halos->module;
    Context *context = module->context;
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_SDY_MESH && op_attr(op, NAME_MESH)->mesh == mesh)
            return context_name(context, op_text(op, NAME_SYM_NAME));
    }
    StrView base = context_name_printf(context, "%.*s_reversed", SV_ARG(like)), name = base;
    while (name_is_taken(module, name))
        name = context_name_printf(context, "%.*s_%d", SV_ARG(base), halos->next_mesh++);
    Builder builder = {
        .module = module,
        .region = module->body,
        .before = module->body->first,
        .loc = module->op->loc};
    Op *op = build_op(&builder, OP_SDY_MESH, 0, NULL, 0, NULL, 0);
    Attr attr = {.kind = ATTR_MESH, .mesh = mesh};
    op_set_attr(module, op, NAME_SYM_NAME, attr_string(context, name));
    op_set_attr(module, op, NAME_MESH, attr_intern(context, &attr));
    return name;
}

// ---- the shift ----

static Value *cut(
    Builder *builder, Value *x, int d, int64_t first, int64_t last, const Sharding *local) {
    int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK];
    for (int i = 0; i < x->type->rank; i++)
        limits[i] = i == d ? last : x->type->dims[i];
    starts[d] = first;
    Value *piece = build_slice(builder, x, starts, limits, NULL);
    piece->sharding = local;
    return piece;
}

// The dimension's elements `shift` places to the right, over the borders of the tiles.
static Value *shift_dim(
    Halos *halos, Builder *builder, Value *x, int d, int64_t shift, const Mesh *mesh,
    const AxisList *axes, const Sharding *local) {
    int64_t tile = x->type->dims[d], hops = shift / tile, rest = shift % tile;
    Value *near = halo_permute(halos, builder, x, mesh, axes, hops);
    Value *far = halo_permute(halos, builder, x, mesh, axes, hops + 1);
    Value *parts[2] = {
        cut(builder, far, d, tile - rest, tile, local),
        cut(builder, near, d, 0, tile - rest, local)};
    Value *shifted = build_concatenate(builder, 2, parts, d);
    shifted->sharding = local;
    return shifted;
}

// The operand with the padding of its uneven reversed dimensions in front; NULL when
// no manual computation can do it.
static Value *shift_padding(
    Halos *halos, Builder *builder, const Op *op, const Sharding *sharding, const Mesh *mesh) {
    Value *x = op_operand(op, 0);
    int64_t sizes[MAX_RANK];
    AxisList manual = {0};
    for (int d = 0; d < x->type->rank; d++) {
        AxisSpan axes = dim_axes(sharding, d);
        sizes[d] = x->type->dims[d];
        int64_t padded = padded_size(sizes[d], axis_list_size(mesh, axes.axes, axes.count));
        if (!is_reversed(op, d) || padded == sizes[d]) continue;
        sizes[d] = padded;
        halo_add_axes(&manual, mesh, axes.axes, axes.count);
    }
    if (manual.count == 0) return x;
    Context *context = halos->module->context;
    const Type *real = x->type, *type = type_with_dims(context, real, real->rank, sizes);
    if (!halo_splits_evenly(mesh, type, sharding, &manual)) return NULL;
    x = pad_to_type(builder, x, type, sharding);
    Builder body;
    HaloFrame frame = {sharding, sharding, &manual};
    Op *made = halo_manual(halos, builder, x, NULL, type, frame, &body);
    const Sharding *local = sharding_without_axes(context, sharding, &manual);
    Value *shifted = made->regions[0]->args[0];
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] == real->dims[d]) continue;
        AxisSpan axes = dim_axes(sharding, d);
        AxisList list = {.count = axes.count};
        for (int i = 0; i < axes.count; i++)
            list.axes[i] = axes.axes[i];
        int64_t shift = type->dims[d] - real->dims[d];
        shifted = shift_dim(halos, &body, shifted, d, shift, mesh, &list, local);
    }
    build_return(&body, OP_SDY_RETURN, 1, &shifted);
    return op_result(made, 0);
}

// ---- the op ----

HaloResult halo_exchange_reverse(Halos *halos, Op *op) {
    Module *module = halos->module;
    Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *sharding = value_sharding(module, operand);
    const Mesh *mesh = halo_mesh(halos, sharding);
    // Meshes that are written inline have no name that the other one could be made from.
    if (!mesh || sharding->mesh || result->sharding != sharding) return HALO_NOT_NEEDED;
    AxisList reversed = {0};
    for (int d = 0; d < operand->type->rank; d++) {
        AxisSpan axes = dim_axes(sharding, d);
        for (int i = 0; is_reversed(op, d) && i < axes.count; i++)
            reversed.axes[reversed.count++] = axes.axes[i];
    }
    if (reversed.count == 0 || type_element_count(operand->type) == 0) return HALO_NOT_NEEDED;
    Builder before = builder_before(module, op);
    Value *x = shift_padding(halos, &before, op, sharding, mesh);
    if (!x) return HALO_IMPOSSIBLE;
    const Type *real = result->type;
    Sharding over_reversed = *sharding;
    over_reversed.mesh_name =
        name_mesh(halos, reversed_mesh(halos, mesh, &reversed), sharding->mesh_name);
    op_set_operand(op, 0, x);
    result->type = x->type;
    result->sharding = sharding_intern(module->context, &over_reversed);
    Builder after = builder_after(module, op);
    Value *reshard = build_reshard(&after, result, sharding);
    Value *back = trim_to_type(&after, reshard, real, sharding);
    value_replace_uses_except(result, back, reshard->def);
    return HALO_EXCHANGED;
}

// halo_exchange: pads and slices of sharded dimensions, with the neighbours' tiles.
//
// A device's piece of the result, of the size `out` of a tile, is cut from a buffer: as many tiles
// of the left neighbours as any device needs, its own, those of the right neighbours; between the
// elements and around them padding, at least as much as a piece:
//
//   | padding: out*step | left tiles | own tile | right tiles | padding: out*step |
//                              ^ piece of the device with coordinate c:
//                                at c * (out - tile*step) - low + left*tile*step + out*step
#include "partition/shardy/halo_exchange.h"

#include "base/checked.h"
#include "ir/analysis/data_flow.h"
#include "partition/propagate/projection.h"
#include "partition/shardy/padding.h"

#include <assert.h>

// ---- shardings and axes ----

const Mesh *halo_mesh(const Halos *halos, const Sharding *sharding) {
    if (sharding_is_fully_replicated(sharding)) return NULL;
    int count = 0; // must fit an AxisList
    for (int d = 0; d < sharding->rank; d++)
        count += sharding->dims[d].axis_count;
    if (count > MAX_AXIS_REFS) return NULL;
    const Mesh *mesh = sharding_mesh(halos->module, sharding);
    return mesh && !mesh_is_maximal(mesh) ? mesh : NULL;
}

// Adds the whole axes behind axis references, each once, in mesh order.
void halo_add_axes(AxisList *manual, const Mesh *mesh, const AxisRef *axes, int count) {
    AxisList all = {0};
    for (int a = 0; a < mesh->axis_count && all.count < MAX_AXIS_REFS; a++) {
        bool is_named = false;
        for (int i = 0; i < count; i++)
            is_named = is_named || strview_equal(axes[i].name, mesh->axes[a].name);
        for (int i = 0; i < manual->count; i++)
            is_named = is_named || strview_equal(manual->axes[i].name, mesh->axes[a].name);
        if (is_named) all.axes[all.count++] = (AxisRef){.name = mesh->axes[a].name, .pre_size = 1};
    }
    *manual = all;
}

static bool names_axis(const AxisList *list, const AxisRef *axis) {
    for (int i = 0; i < list->count; i++) {
        if (strview_equal(list->axes[i].name, axis->name)) return true;
    }
    return false;
}

const Sharding *sharding_without_axes(
    Context *context, const Sharding *sharding, const AxisList *manual) {
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < sharding->rank; d++) {
        dims[d] = sharding->dims[d];
        while (dims[d].axis_count > 0 && names_axis(manual, &dims[d].axes[0])) { // they come first
            dims[d].axes++;
            dims[d].axis_count--;
        }
        if (dims[d].axis_count == 0) dims[d].priority = PRIORITY_NONE;
    }
    Sharding without = *sharding;
    without.dims = dims;
    return sharding_intern(context, &without);
}

static Value *with_sharding(Value *value, const Sharding *sharding) {
    value->sharding = sharding;
    return value;
}

// ---- communication ----

// The mesh index of the device whose coordinate along the axes is larger by
// `offset`; -1 when there is none.
static int64_t neighbour(const Mesh *mesh, const AxisList *axes, int64_t index, int64_t offset) {
    int64_t from = axis_list_coordinate(mesh, axes->axes, axes->count, index);
    int64_t to = from + offset;
    if (to < 0 || to >= axis_list_size(mesh, axes->axes, axes->count)) return -1;
    for (int i = axes->count - 1; i >= 0; i--) {
        int64_t size = axis_ref_size(mesh, &axes->axes[i]);
        index += (to % size - from % size) * axis_ref_stride(mesh, &axes->axes[i]);
        from /= size;
        to /= size;
    }
    return index;
}

Value *halo_permute(
    Halos *halos, Builder *builder, Value *x, const Mesh *mesh, const AxisList *axes,
    int64_t offset) {
    if (offset == 0) return x;
    Context *context = halos->module->context;
    int64_t devices = mesh_device_count(mesh), count = 0;
    int64_t *pairs = ARENA_ARRAY(halos->scratch, int64_t, 2 * devices);
    for (int64_t index = 0; index < devices; index++) {
        int64_t to = neighbour(mesh, axes, index, offset);
        if (to < 0) continue;
        pairs[2 * count] = mesh_device_at(mesh, index);
        pairs[2 * count++ + 1] = mesh_device_at(mesh, to);
    }
    if (count == 0) {
        const Type *scalar = type_with_dims(context, x->type, 0, NULL);
        return build_broadcast_in_dim(builder, build_splat(builder, scalar, 0), x->type, NULL);
    }
    Op *op = build_op(builder, OP_COLLECTIVE_PERMUTE, 1, &x, 1, &x->type, 0);
    op_set_attr(
        halos->module, op, NAME_SOURCE_TARGET_PAIRS,
        attr_int_matrix(context, (int)count, 2, pairs));
    const int64_t channel[2] = {halos->next_channel++, 1};
    const Attr handle = {.kind = ATTR_CHANNEL, .count = 2, .ints = channel};
    op_set_attr(halos->module, op, NAME_CHANNEL_HANDLE, attr_intern(context, &handle));
    return op_result(op, 0);
}

// ---- coordinates ----

static Value *build_int(Builder *builder, int64_t number) {
    return build_splat_int(builder, type_scalar(builder->module->context, ELEMENT_I64), number);
}

static Value *look_up(Builder *builder, int64_t count, const int64_t *numbers, Value *at) {
    Context *context = builder->module->context;
    const Type *type = type_tensor(context, ELEMENT_I64, 1, &count);
    size_t size = (size_t)count * sizeof *numbers;
    Value *table = build_constant(builder, attr_elements(context, type, false, numbers, size));
    Value *found = build_dynamic_slice(builder, table, &at, &(int64_t){1});
    return build_reshape(builder, found, 0, NULL);
}

// This device's coordinate along the axes.
static Value *build_coordinate(
    const Halos *halos, Builder *builder, const Mesh *mesh, const AxisList *axes) {
    const Type *type = type_scalar(builder->module->context, ELEMENT_UI32);
    OpCode code = halos->is_by_replica ? OP_REPLICA_ID : OP_PARTITION_ID;
    Value *id = op_result(build_op(builder, code, 0, NULL, 1, &type, 0), 0);
    id = build_convert(builder, id, ELEMENT_I64);
    int64_t devices = mesh_device_count(mesh);
    if (mesh->id_count > 0) {
        int64_t *table = ARENA_ARRAY(halos->scratch, int64_t, devices);
        for (int64_t device = 0; device < devices; device++)
            table[device] = axis_list_coordinate(
                mesh, axes->axes, axes->count, mesh_index_of_device(mesh, device));
        return look_up(builder, devices, table, id);
    }
    Value *sum = NULL;
    for (int i = 0; i < axes->count; i++) {
        int64_t size = axis_ref_size(mesh, &axes->axes[i]);
        int64_t stride = axis_ref_stride(mesh, &axes->axes[i]);
        Value *part = id;
        if (stride > 1) part = build_binary(builder, OP_DIVIDE, part, build_int(builder, stride));
        if (size < devices)
            part = build_binary(builder, OP_REMAINDER, part, build_int(builder, size));
        if (sum) {
            sum = build_binary(builder, OP_MULTIPLY, sum, build_int(builder, size));
            part = build_binary(builder, OP_ADD, sum, part);
        }
        sum = part;
    }
    return sum ? sum : build_int(builder, 0);
}

// ---- one dimension ----

// Tiles that came from nowhere are zero; they must be padding.
static Value *pad_where_nothing_came(
    const Halos *halos, Builder *builder, Value *x, Value *pad_value, int64_t offset,
    const HaloDim *dim, const Mesh *mesh) {
    if (dim->is_zero_padded) return x;
    Value *at = build_coordinate(halos, builder, mesh, &dim->axes);
    Value *edge = build_int(builder, offset > 0 ? offset : dim->count + offset);
    Value *came = build_compare(builder, offset > 0 ? DIRECTION_GE : DIRECTION_LT, at, edge);
    return build_select(
        builder, came, x, build_broadcast_in_dim(builder, pad_value, x->type, NULL));
}

// The tiles side by side, with gaps and margins.
static Value *build_buffer(
    Halos *halos, Builder *builder, Value *x, Value *pad_value, int d, const HaloDim *dim,
    const Mesh *mesh, const Sharding *local) {
    int count = 0;
    Value **parts = ARENA_ARRAY(halos->scratch, Value *, dim->left + dim->right + 1);
    for (int64_t offset = dim->left; offset >= -dim->right; offset--) {
        Value *part = halo_permute(halos, builder, x, mesh, &dim->axes, offset);
        if (offset != 0)
            part = pad_where_nothing_came(halos, builder, part, pad_value, offset, dim, mesh);
        parts[count++] = part;
    }
    if (count > 1) x = with_sharding(build_concatenate(builder, count, parts, d), local);
    int64_t margin[MAX_RANK] = {0}, gaps[MAX_RANK] = {0};
    margin[d] = dim->out * dim->step;
    gaps[d] = dim->step - 1;
    return with_sharding(build_pad(builder, x, pad_value, margin, margin, gaps), local);
}

Value *halo_exchange_dim(
    Halos *halos, Builder *builder, Value *x, Value *pad_value, int d, const HaloDim *dim,
    const Mesh *mesh, const Sharding *local) {
    x = build_buffer(halos, builder, x, pad_value, d, dim, mesh, local);
    Value *start = build_coordinate(halos, builder, mesh, &dim->axes), *zero;
    if (dim->starts) {
        start = look_up(builder, dim->count, dim->starts, start);
        zero = build_int(builder, 0);
    } else {
        Value *step = build_int(builder, dim->out - dim->tile * dim->step);
        Value *first =
            build_int(builder, (dim->left * dim->tile + dim->out) * dim->step - dim->low);
        start = build_binary(builder, OP_MULTIPLY, start, step);
        start = build_binary(builder, OP_ADD, start, first);
        zero = build_int(builder, 0);
        start = build_binary(builder, OP_MAXIMUM, start, zero);
    }
    Value *starts[MAX_RANK];
    int64_t sizes[MAX_RANK];
    for (int i = 0; i < x->type->rank; i++) {
        starts[i] = i == d ? start : zero;
        sizes[i] = i == d ? dim->out : x->type->dims[i];
    }
    return with_sharding(build_dynamic_slice(builder, x, starts, sizes), local);
}

// ---- manual computations ----

bool halo_splits_evenly(
    const Mesh *mesh, const Type *type, const Sharding *sharding, const AxisList *manual) {
    for (int d = 0; d < sharding->rank; d++) {
        AxisSpan axes = dim_axes(sharding, d);
        int64_t parts = 1;
        bool is_free = false;
        for (int i = 0; i < axes.count; i++) {
            if (!names_axis(manual, &axes.axes[i])) {
                is_free = true;
                continue;
            }
            if (is_free) return false; // manual axes come first
            parts *= axis_ref_size(mesh, &axes.axes[i]);
        }
        if (type->dims[d] % parts != 0) return false;
    }
    return true;
}

const Type *manual_local_type(
    Context *context, const Mesh *mesh, const Type *type, const Sharding *sharding,
    const AxisList *manual) {
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < type->rank; d++) {
        AxisSpan axes = dim_axes(sharding, d);
        dims[d] = type->dims[d];
        for (int i = 0; i < axes.count; i++) {
            if (names_axis(manual, &axes.axes[i])) dims[d] /= axis_ref_size(mesh, &axes.axes[i]);
        }
    }
    return type_with_dims(context, type, type->rank, dims);
}

Op *halo_manual(
    Halos *halos, Builder *builder, Value *operand, Value *pad_value, const Type *result,
    HaloFrame frame, Builder *body) {
    Module *module = halos->module;
    const Sharding *in = frame.in;
    const AxisList *manual = frame.manual;
    Value *operands[2] = {operand, pad_value};
    int count = pad_value ? 2 : 1;
    Op *op = build_op(builder, OP_SDY_MANUAL, count, operands, 1, &result, 1);
    Sharding scalar = *in;
    scalar.rank = 0;
    scalar.replicated_count = scalar.unreduced_count = 0;
    const Sharding *ins[2] = {in, sharding_intern(module->context, &scalar)};
    region_set_shardings(module, op, NAME_IN_SHARDINGS, count, ins);
    region_set_shardings(module, op, NAME_OUT_SHARDINGS, 1, &frame.out);
    op_set_attr(
        module, op, NAME_MANUAL_AXES, attr_axes(module->context, manual->count, manual->axes));
    const Mesh *mesh = sharding_mesh(module, in);
    Region *region = op->regions[0];
    region_add_arg(
        module, region, manual_local_type(module->context, mesh, operand->type, in, manual),
        builder->loc);
    if (pad_value) region_add_arg(module, region, pad_value->type, builder->loc);
    *body = builder_at_end(module, region);
    body->loc = builder->loc;
    return op;
}

// ---- pads and slices ----

// Of element i of the operand: the result's element low + i * step.
static bool find_neighbours(HaloDim *dim, int64_t global) {
    bool needs_others = false;
    for (int64_t c = 0; c < dim->count; c++) {
        int64_t start = c * dim->out - dim->low,
                end = start + dim->out - 1; // of the spread operand
        int64_t first = start <= 0 ? 0 : (start + dim->step - 1) / dim->step;
        int64_t last = end < 0 ? -1 : end / dim->step;
        if (last >= global) last = global - 1;
        if (first > last) continue;
        int64_t from = first / dim->tile, to = last / dim->tile;
        if (c - from > dim->left) dim->left = c - from;
        if (to - c > dim->right) dim->right = to - c;
        needs_others = needs_others || from != c || to != c;
    }
    return needs_others;
}

bool halo_is_possible(const Mesh *mesh, const HaloDim *dim) {
    enum { MAX_PAIRS = 1 << 22 };
    int64_t hops = dim->left + dim->right, pairs, size;
    if (hops + 1 >= dim->count && (dim->left > 1 || dim->right > 1)) return false;
    if (!checked_mul(hops, mesh_device_count(mesh), &pairs) || pairs > MAX_PAIRS) return false;
    // the buffer's elements
    return checked_mul((hops + 1) * dim->tile + 2 * dim->out, dim->step, &size) &&
           size <= INT64_MAX >> 8;
}

// What pads and slices have in common.
typedef struct Shift {
    const int64_t *low, *step; // per dimension
    bool is_zero_padded;
} Shift;

// The dimensions of the op's operand; HALO_EXCHANGED means that the exchange is possible and
// needed.
static HaloResult find_dims(
    const Halos *halos, const Op *op, const Sharding *sharding, const Shift *shift, HaloDim *dims) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    const Mesh *mesh = halo_mesh(halos, sharding);
    bool needs_others = false, is_possible = true;
    for (int d = 0; d < in->rank; d++) {
        AxisSpan axes = dim_axes(sharding, d);
        HaloDim *dim = &dims[d];
        *dim = (HaloDim){.count = sharding_dim_size(mesh, sharding, d)};
        if (dim->count == 1) continue;
        for (int i = 0; i < axes.count; i++)
            dim->axes.axes[dim->axes.count++] = axes.axes[i];
        dim->tile = padded_size(in->dims[d], dim->count) / dim->count;
        dim->out = padded_size(out->dims[d], dim->count) / dim->count;
        dim->low = shift->low[d];
        dim->step = shift->step[d];
        dim->is_zero_padded = shift->is_zero_padded;
        if (dim->tile == 0 || dim->out == 0) return HALO_NOT_NEEDED; // nothing moves
        bool moves = find_neighbours(dim, in->dims[d]);
        dim->is_exchanged = moves || dim->low != 0 || dim->step != 1 || dim->tile != dim->out;
        needs_others = needs_others || moves;
        is_possible = is_possible && halo_is_possible(mesh, dim);
    }
    if (!needs_others) return HALO_NOT_NEEDED;
    return is_possible ? HALO_EXCHANGED : HALO_IMPOSSIBLE;
}

// Sharded dimensions are exchanged; the op does the others on each device.
static Value *fill_body(
    Halos *halos, Builder *body, const Op *op, Value *x, Value *pad_value, const HaloDim *dims,
    const Mesh *mesh, const Sharding *local) {
    for (int d = 0; d < x->type->rank; d++) {
        if (dims[d].count > 1 && dims[d].is_exchanged)
            x = halo_exchange_dim(halos, body, x, pad_value, d, &dims[d], mesh, local);
    }
    int rank = x->type->rank;
    bool is_pad = op->code == OP_PAD;
    const int64_t *first = op_ints(op, is_pad ? NAME_EDGE_PADDING_LOW : NAME_START_INDICES).data;
    const int64_t *last = op_ints(op, is_pad ? NAME_EDGE_PADDING_HIGH : NAME_LIMIT_INDICES).data;
    const int64_t *step = op_ints_or(
        halos->scratch, op, is_pad ? NAME_INTERIOR_PADDING : NAME_STRIDES, rank, is_pad ? 0 : 1);
    int64_t low[MAX_RANK], high[MAX_RANK], steps[MAX_RANK];
    bool changes = false;
    for (int d = 0; d < rank; d++) {
        bool is_whole = dims[d].count == 1;
        low[d] = is_whole ? first[d] : 0;
        high[d] = is_whole ? last[d] : is_pad ? 0 : x->type->dims[d];
        steps[d] = is_whole ? step[d] : is_pad ? 0 : 1;
        changes = changes || low[d] != 0 || high[d] != (is_pad ? 0 : x->type->dims[d]) ||
                  steps[d] != (is_pad ? 0 : 1);
    }
    if (!changes) return x;
    Value *made = is_pad ? build_pad(body, x, pad_value, low, high, steps)
                         : build_slice(body, x, low, high, steps);
    return with_sharding(made, local);
}

static Value *pad_with(
    Builder *builder, Value *x, Value *pad_value, const Type *to, const Sharding *sharding) {
    if (x->type == to) return x;
    if (!pad_value) return pad_to_type(builder, x, to, sharding);
    int64_t low[MAX_RANK] = {0}, high[MAX_RANK] = {0};
    for (int d = 0; d < to->rank; d++)
        high[d] = to->dims[d] - x->type->dims[d];
    return with_sharding(build_pad(builder, x, pad_value, low, high, NULL), sharding);
}

static HaloResult exchange(Halos *halos, Op *op, const Shift *shift, Value *pad_value) {
    Module *module = halos->module;
    Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *sharding = value_sharding(module, operand);
    const Mesh *mesh = halo_mesh(halos, sharding);
    if (!mesh || !type_is_static(operand->type)) return HALO_NOT_NEEDED;
    if (value_sharding(module, result) != sharding) return HALO_NOT_NEEDED;
    HaloDim *dims = ARENA_ARRAY(halos->scratch, HaloDim, operand->type->rank);
    HaloResult found = find_dims(halos, op, sharding, shift, dims);
    if (found != HALO_EXCHANGED) return found;
    AxisList manual = {0};
    for (int d = 0; d < operand->type->rank; d++)
        halo_add_axes(&manual, mesh, dims[d].axes.axes, dims[d].axes.count);
    Context *context = module->context;
    Builder builder = builder_before(module, op), body;
    Value *x = pad_with(
        &builder, operand, pad_value, padded_type(context, mesh, operand->type, sharding),
        sharding);
    const Type *scalar = type_with_dims(context, operand->type, 0, NULL);
    if (!pad_value) pad_value = build_splat(&builder, scalar, 0);
    const Type *type = padded_type(context, mesh, result->type, sharding);
    HaloFrame frame = {sharding, sharding, &manual};
    Op *made = halo_manual(halos, &builder, x, pad_value, type, frame, &body);
    const Region *region = made->regions[0];
    Value *local = fill_body(
        halos, &body, op, region->args[0], region->args[1], dims, mesh,
        sharding_without_axes(context, sharding, &manual));
    build_return(&body, OP_SDY_RETURN, 1, &local);
    Value *trimmed = trim_to_type(&builder, op_result(made, 0), result->type, sharding);
    value_replace_uses(result, trimmed);
    op_erase(op);
    return HALO_EXCHANGED;
}

// A constant whose bits are all zero.
static bool is_zero(const Value *value) {
    const Op *def = value->def;
    if (!def || (def->code != OP_CONSTANT && def->code != OP_SDY_CONSTANT)) return false;
    const Attr *elements = op_attr(def, NAME_VALUE);
    const char *bytes = elements->data;
    for (size_t i = 0; i < elements->data_size; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

HaloResult halo_exchange_pad(Halos *halos, Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    const int64_t *gaps = op_ints_or(halos->scratch, op, NAME_INTERIOR_PADDING, rank, 0);
    int64_t *step = ARENA_ARRAY(halos->scratch, int64_t, rank);
    for (int d = 0; d < rank; d++) {
        if (gaps[d] > INT64_MAX >> 8) return HALO_IMPOSSIBLE;
        step[d] = gaps[d] + 1;
    }
    Shift shift = {
        .low = op_ints(op, NAME_EDGE_PADDING_LOW).data,
        .step = step,
        .is_zero_padded = is_zero(op_operand(op, 1))};
    return exchange(halos, op, &shift, op_operand(op, 1));
}

HaloResult halo_exchange_slice(Halos *halos, Op *op) {
    const Type *in = op_operand_type(op, 0);
    const Sharding *sharding = value_sharding(halos->module, op_operand(op, 0));
    const Mesh *mesh = halo_mesh(halos, sharding);
    if (!mesh) return HALO_NOT_NEEDED;
    const int64_t *strides = op_ints_or(halos->scratch, op, NAME_STRIDES, in->rank, 1);
    int64_t *low = ARENA_ARRAY(halos->scratch, int64_t, in->rank);
    int64_t *step = ARENA_ARRAY(halos->scratch, int64_t, in->rank);
    for (int d = 0; d < in->rank; d++) {
        if (strides[d] != 1 && sharding_dim_size(mesh, sharding, d) > 1) return HALO_NOT_NEEDED;
        low[d] = -op_ints(op, NAME_START_INDICES).data[d];
        step[d] = 1;
    }
    Shift shift = {
        .low = low, .step = step, .is_zero_padded = true}; // what lies outside is no element
    return exchange(halos, op, &shift, NULL);
}

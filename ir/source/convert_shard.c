// convert_shard: shardings of the dialect shard as Shardy's constraints, its collectives as
// StableHLO's among groups of devices.
#include "ir/source/grid.h"
#include "ir/source/shard_group.h"
#include "ir/source/source.h"

#include <stdlib.h>

// Nothing is left of it once its users are converted.
bool convert_shard_sharding(Legalizer *legalizer, Op *op) {
    if (op_result(op, 0)->uses) return false;
    op_erase(op);
    legalizer->changed = true;
    return true;
}

static void take_axes(
    Context *context, const Mesh *mesh, IntSpan axes, AxisRef *refs, const AxisRef **list,
    int *count) {
    (void)context;
    for (int i = 0; i < axes.count; i++)
        refs[i] = (AxisRef){.name = mesh->axes[axes.data[i]].name, .pre_size = 1};
    *list = refs;
    *count = axes.count;
}

static int axis_order(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// What it says of the tensor's dimensions; partial values are unreduced. Halos and uneven shards
// are where data lie, not what they are.
const Sharding *shard_spec_sharding(Module *module, const ShardSpec *spec, int rank) {
    const Mesh *mesh = module_find_mesh(module, spec->grid);
    if (!mesh) return NULL;
    AxisRef refs[MAX_AXES * 2];
    DimSharding dims[MAX_RANK] = {0};
    int used = 0;
    for (int d = 0; d < rank; d++) {
        dims[d].priority = PRIORITY_NONE;
        IntSpan axes = spec_axes(spec, d);
        take_axes(module->context, mesh, axes, refs + used, &dims[d].axes, &dims[d].axis_count);
        used += axes.count;
    }
    Sharding sharding = {
        .mesh_name = context_name(module->context, spec->grid), .rank = rank, .dims = dims};
    if (spec->partial.count > 0) {
        int64_t sorted[MAX_AXES];
        for (int i = 0; i < spec->partial.count; i++)
            sorted[i] = spec->partial.data[i];
        qsort(sorted, (size_t)spec->partial.count, sizeof *sorted, axis_order);
        IntSpan axes = {sorted, spec->partial.count};
        take_axes(
            module->context, mesh, axes, refs + used, &sharding.unreduced,
            &sharding.unreduced_count);
        if (spec->partial_type > SHARD_REDUCTION_min) return NULL;
        sharding.reduction = spec->partial_type == SHARD_REDUCTION_sum   ? REDUCTION_SUM
                             : spec->partial_type == SHARD_REDUCTION_max ? REDUCTION_MAX
                                                                         : REDUCTION_MIN;
    }
    return sharding_intern(module->context, &sharding);
}

bool convert_shard_shard(Legalizer *legalizer, Op *op) {
    ShardSpec spec;
    Value *x = op_operand(op, 0);
    if (x->type->kind != TYPE_TENSOR || x->type->unranked || !shard_spec_of(op, &spec))
        return false;
    const Sharding *sharding = shard_spec_sharding(legalizer->module, &spec, x->type->rank);
    if (!sharding) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *value = build_unary(&builder, OP_SDY_CONSTRAINT, x);
    value->sharding = sharding;
    return legalize_replace_one(legalizer, op, value);
}

// --- one device's program ---

static void set_channel(Module *module, Op *op) {
    int64_t channel[] = {1, 0};
    op_set_attr(
        module, op, NAME_CHANNEL_HANDLE,
        attr_intern(module->context, &(Attr){.kind = ATTR_CHANNEL, .count = 2, .ints = channel}));
    op_set_attr(module, op, NAME_USE_GLOBAL_DEVICE_IDS, attr_unit(module->context));
}

typedef struct Collective {
    Builder builder;
    Arena *scratch;
    const Op *op;
    Group group;
    const Type *result;
} Collective;

static Value *all_gather(Collective *c, Value *x, int64_t dim) {
    Module *module = c->builder.module;
    if (c->group.size == 1) return x;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++)
        dims[d] = x->type->dims[d] * (d == dim ? c->group.size : 1);
    const Type *type = type_with_dims(module->context, x->type, x->type->rank, dims);
    Op *op = build_op(&c->builder, OP_ALL_GATHER, 1, &x, 1, &type, 0);
    op_set_attr(module, op, NAME_ALL_GATHER_DIM, attr_int(module->context, dim, ELEMENT_I64));
    op_set_attr(
        module, op, NAME_REPLICA_GROUPS, groups_attr(c->scratch, module->context, &c->group));
    set_channel(module, op);
    return op_result(op, 0);
}

static OpCode reduction_body(int64_t reduction) {
    switch (reduction) {
    case SHARD_REDUCTION_sum:
    case SHARD_REDUCTION_average: return OP_ADD;
    case SHARD_REDUCTION_max: return OP_MAXIMUM;
    case SHARD_REDUCTION_min: return OP_MINIMUM;
    case SHARD_REDUCTION_product: return OP_MULTIPLY;
    case SHARD_REDUCTION_bitwise_and: return OP_AND;
    case SHARD_REDUCTION_bitwise_or: return OP_OR;
    case SHARD_REDUCTION_bitwise_xor: return OP_XOR;
    default: return OP_COUNT;
    }
}

// Summed up in the result's element type.
static Value *all_reduce(Collective *c, Value *x) {
    Module *module = c->builder.module;
    int64_t reduction = op_int(c->op, NAME_REDUCTION, SHARD_REDUCTION_sum);
    OpCode body = reduction_body(reduction);
    if (body == OP_COUNT) return NULL;
    x = build_convert(&c->builder, x, c->result->element);
    if (c->group.size > 1) {
        Op *op = build_op(&c->builder, OP_ALL_REDUCE, 1, &x, 1, &x->type, 1);
        build_reduction_body(module, op->regions[0], body, x->type->element, c->builder.loc);
        op_set_attr(
            module, op, NAME_REPLICA_GROUPS, groups_attr(c->scratch, module->context, &c->group));
        set_channel(module, op);
        x = op_result(op, 0);
    }
    if (reduction != SHARD_REDUCTION_average) return x;
    Value *count = element_is_float(x->type->element)
                       ? build_splat(&c->builder, x->type, (double)c->group.size)
                       : build_splat_int(&c->builder, x->type, c->group.size);
    return build_binary(&c->builder, OP_DIVIDE, x, count);
}

// The device's own part of a dimension.
static Value *own_part(Collective *c, Value *x, int64_t dim) {
    Context *context = c->builder.module->context;
    const Type *scalar = type_scalar(context, ELEMENT_I64);
    int64_t sizes[MAX_RANK];
    Value *starts[MAX_RANK];
    Value *place = place_value(&c->builder, c->scratch, &c->group);
    for (int d = 0; d < x->type->rank; d++) {
        sizes[d] = d == dim ? x->type->dims[d] / c->group.size : x->type->dims[d];
        starts[d] = build_splat_int(&c->builder, scalar, 0);
        if (d == dim)
            starts[d] = build_binary(
                &c->builder, OP_MULTIPLY, place, build_splat_int(&c->builder, scalar, sizes[d]));
    }
    return build_dynamic_slice(&c->builder, x, starts, sizes);
}

// What the device at a place of the group has.
static Value *part_at(Collective *c, Value *x, Value *place) {
    int64_t sizes[MAX_RANK + 1], dims[MAX_RANK + 1];
    Value *starts[MAX_RANK + 1];
    const Type *type = x->type;
    if (type->rank == MAX_RANK) return NULL;
    dims[0] = 1;
    for (int d = 0; d < type->rank; d++)
        dims[d + 1] = type->dims[d];
    Value *all = all_gather(c, build_reshape(&c->builder, x, type->rank + 1, dims), 0);
    for (int d = 0; d <= type->rank; d++) {
        sizes[d] = dims[d];
        starts[d] = d == 0 ? place : build_splat_int(&c->builder, place->type, 0);
    }
    return build_reshape(
        &c->builder, build_dynamic_slice(&c->builder, all, starts, sizes), type->rank, type->dims);
}

// The place that an attribute of the op names; what is not known there are its operands from 1 on.
static Value *named_place(Collective *c, const Op *op, AttrName name) {
    Value *operands[MAX_AXES];
    IntSpan index = op_ints(op, name);
    int unknown = 0;
    for (int i = 0; i < index.count; i++)
        unknown += index.data[i] == DIM_DYNAMIC;
    if (index.count != c->group.axes.count || op->operand_count != 1 + unknown) return NULL;
    for (int i = 0; i < unknown; i++)
        operands[i] = op_operand(op, 1 + i);
    return place_of_index(&c->builder, &c->group, index, operands);
}

static Value *part_of_root(Collective *c, Value *x) {
    Value *place = named_place(c, c->op, NAME_ROOT);
    return place ? part_at(c, x, place) : NULL;
}

// The shard.send that this shard.recv receives: the last one before it in its block, along the same
// axes of the same grid, of the same type.
static Op *find_send(const Op *recv) {
    for (Op *op = recv->prev; op; op = op->prev) {
        if (op->code == OP_SHARD_SEND && op_attr(op, NAME_GRID) == op_attr(recv, NAME_GRID) &&
            op_attr(op, NAME_GRID_AXES) == op_attr(recv, NAME_GRID_AXES) &&
            op_operand_type(op, 0) == op_operand_type(recv, 0))
            return op;
    }
    return NULL;
}

// What the source sends, where it sends to this device; elsewhere what was there.
static Value *receive(Collective *c, Value *x) {
    const Op *send = find_send(c->op);
    Value *source = send && op_attr(c->op, NAME_SOURCE) ? named_place(c, c->op, NAME_SOURCE) : NULL;
    Value *target = source ? named_place(c, send, NAME_DESTINATION) : NULL;
    Value *sent = target ? part_at(c, op_operand(send, 0), source) : NULL;
    if (!sent) return NULL;
    Value *own = place_value(&c->builder, c->scratch, &c->group);
    Value *is_mine = build_compare(&c->builder, DIRECTION_EQ, part_at(c, target, source), own);
    return build_select(&c->builder, is_mine, sent, x);
}

static bool is_awaited(const Op *send) {
    for (const Op *op = send->next; op; op = op->next) {
        if (op->code == OP_SHARD_RECV && find_send(op) == send) return true;
    }
    return false;
}

static Value *all_to_all(Collective *c, Value *x) {
    Module *module = c->builder.module;
    Context *context = module->context;
    if (c->group.size == 1) return x;
    Op *op = build_op(&c->builder, OP_ALL_TO_ALL, 1, &x, 1, &c->result, 0);
    AttrName names[] = {NAME_SPLIT_DIMENSION, NAME_CONCAT_DIMENSION, NAME_SPLIT_COUNT};
    int64_t numbers[] = {
        op_int(c->op, NAME_SPLIT_AXIS, 0), op_int(c->op, NAME_CONCAT_AXIS, 0), c->group.size};
    for (int i = 0; i < 3; i++)
        op_set_attr(module, op, names[i], attr_int(context, numbers[i], ELEMENT_I64));
    op_set_attr(module, op, NAME_REPLICA_GROUPS, groups_attr(c->scratch, context, &c->group));
    set_channel(module, op);
    op_set_attr(module, op, NAME_USE_GLOBAL_DEVICE_IDS, NULL);
    return op_result(op, 0);
}

// x of the device `offset` places before, along one axis of the mesh; zero where
// there is none and nothing rotates.
static Value *shifted(Collective *c, Value *x, const Group *line, int64_t offset, bool rotate) {
    Module *module = c->builder.module;
    int64_t *pairs = ARENA_ARRAY(c->scratch, int64_t, 2 * line->devices);
    int count = 0;
    for (int64_t device = 0; device < line->devices; device++) {
        int64_t place = place_in_group(line, device) + offset;
        if (rotate) place = (place % line->size + line->size) % line->size;
        if (place < 0 || place >= line->size) continue;
        pairs[2 * count] = device;
        pairs[2 * count + 1] = device_at(line, device, place);
        count++;
    }
    if (count == 0) return build_splat_int(&c->builder, x->type, 0);
    Op *op = build_op(&c->builder, OP_COLLECTIVE_PERMUTE, 1, &x, 1, &x->type, 0);
    op_set_attr(
        module, op, NAME_SOURCE_TARGET_PAIRS, attr_int_matrix(module->context, count, 2, pairs));
    set_channel(module, op);
    op_set_attr(module, op, NAME_USE_GLOBAL_DEVICE_IDS, NULL);
    return op_result(op, 0);
}

static Value *shift(Collective *c, Value *x) {
    int64_t axis = op_int(c->op, NAME_SHIFT_AXIS, 0);
    Group line;
    if (!shard_group_of(c->builder.module, c->op, (IntSpan){&axis, 1}, &line)) return NULL;
    int64_t offset = op_int(c->op, NAME_OFFSET, 0);
    return shifted(
        c, x, &line,
        offset % (line.size > 0 ? line.size : 1) == 0 && offset != 0 && !op_attr(c->op, NAME_ROTATE)
            ? line.size
            : offset,
        op_attr(c->op, NAME_ROTATE) != NULL);
}

static Value *slice_of(Builder *builder, Value *x, int d, int64_t from, int64_t to) {
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK];
    for (int i = 0; i < x->type->rank; i++)
        limit[i] = x->type->dims[i];
    start[d] = from;
    limit[d] = to;
    return build_slice(builder, x, start, limit, NULL);
}

// The halo at one side of a dimension: what the neighbour has beside it; at the
// border of the grid, what was there.
static Value *halo(
    Collective *c, Value *x, const Group *line, int d, int64_t low, int64_t high, bool is_low) {
    Builder *builder = &c->builder;
    int64_t extent = x->type->dims[d];
    Value *own =
        is_low ? slice_of(builder, x, d, 0, low) : slice_of(builder, x, d, extent - high, extent);
    Value *sent = is_low ? slice_of(builder, x, d, extent - high - low, extent - high)
                         : slice_of(builder, x, d, low, low + high);
    Value *received = shifted(c, sent, line, is_low ? 1 : -1, false);
    Value *place = place_value(builder, c->scratch, line);
    Value *border = build_splat_int(builder, place->type, is_low ? 0 : line->size - 1);
    Value *at_border = build_compare(builder, DIRECTION_EQ, place, border);
    return build_select(builder, at_border, own, received);
}

static Value *update_halo(Collective *c, Value *x) {
    const Attr *sets = op_attr(c->op, NAME_SPLIT_AXES);
    IntSpan halos = op_ints(c->op, NAME_STATIC_HALO_SIZES);
    int at = 0;
    for (int d = 0; d < sets->count; d++) {
        Group line;
        IntSpan axes = {sets->items[d]->ints, sets->items[d]->count};
        if (axes.count == 0) continue;
        int64_t low = halos.data[at], high = halos.data[at + 1], extent = x->type->dims[d];
        at += 2;
        // A halo comes from the nearest neighbour alone.
        if (low < 0 || high < 0 || low + high > extent - (low > high ? low : high)) return NULL;
        if (!shard_group_of(c->builder.module, c->op, axes, &line)) return NULL;
        if (line.size == 1) continue;
        Value *parts[3];
        int count = 0;
        if (low > 0) parts[count++] = halo(c, x, &line, d, low, high, true);
        parts[count++] = slice_of(&c->builder, x, d, low, extent - high);
        if (high > 0) parts[count++] = halo(c, x, &line, d, low, high, false);
        if (count > 1) x = build_concatenate(&c->builder, count, parts, d);
    }
    return x;
}

// The shard.recv that awaits it makes the communication.
static Value *send(Collective *c, Value *x) { return is_awaited(c->op) ? NULL : x; }

static Value *gather_all(Collective *c, Value *x) {
    return all_gather(c, x, op_int(c->op, NAME_GATHER_AXIS, 0));
}

static Value *own_slice(Collective *c, Value *x) {
    return own_part(c, x, op_int(c->op, NAME_SLICE_AXIS, 0));
}

static Value *scatter_own(Collective *c, Value *x) {
    return x ? own_part(c, x, op_int(c->op, NAME_SCATTER_AXIS, 0)) : NULL;
}

static Value *reduce_scatter(Collective *c, Value *x) { return scatter_own(c, all_reduce(c, x)); }

static Value *scatter(Collective *c, Value *x) { return scatter_own(c, part_of_root(c, x)); }

// Replaces the op by what `make` makes of its operand in the op's group.
static bool convert_collective(
    Legalizer *legalizer, Op *op, Value *(*make)(Collective *c, Value *x)) {
    Value *x = op_operand(op, 0);
    Collective c = {.scratch = legalizer->pass->scratch, .op = op, .result = op_result_type(op, 0)};
    if (x->type->kind != TYPE_TENSOR || !type_is_static(x->type) || !type_is_static(c.result) ||
        !shard_group_of(legalizer->module, op, op_ints(op, NAME_GRID_AXES), &c.group))
        return false;
    c.builder = builder_before(legalizer->module, op);
    Value *value = make(&c, x);
    return value && legalize_replace_one(legalizer, op, value);
}

bool convert_shard_all_gather(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, gather_all);
}

bool convert_shard_all_reduce(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, all_reduce);
}

bool convert_shard_all_slice(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, own_slice);
}

bool convert_shard_all_to_all(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, all_to_all);
}

bool convert_shard_broadcast(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, part_of_root);
}

bool convert_shard_reduce_scatter(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, reduce_scatter);
}

bool convert_shard_scatter(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, scatter);
}

bool convert_shard_recv(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, receive);
}

bool convert_shard_send(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, send);
}

bool convert_shard_shift(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, shift);
}

bool convert_shard_update_halo(Legalizer *legalizer, Op *op) {
    return convert_collective(legalizer, op, update_halo);
}

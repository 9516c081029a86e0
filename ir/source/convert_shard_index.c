// convert_shard_index: what the dialect shard asks of the grid: its shape, a device's place and
// neighbours, the shape of its part.
#include "ir/source/grid.h"
#include "ir/source/shard_group.h"
#include "ir/source/source.h"

bool convert_shard_query(Legalizer *legalizer, Op *op) {
    Module *module = legalizer->module;
    Group group;
    if (!shard_group_of(module, op, op_ints(op, NAME_AXES), &group)) return false;
    Builder builder = builder_before(module, op);
    int64_t *table = ARENA_ARRAY(legalizer->pass->scratch, int64_t, group.devices);
    Value **values = ARENA_ARRAY(legalizer->pass->scratch, Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++) {
        int64_t axis = group.axes.count > 0 ? group.axes.data[i] : i;
        const Type *type = op_result_type(op, i);
        if (type->kind != TYPE_TENSOR) return false;
        if (op->code == OP_SHARD_GRID_SHAPE) {
            values[i] = build_splat_int(&builder, type, group.mesh->axes[axis].size);
            continue;
        }
        for (int64_t d = 0; d < group.devices; d++)
            table[d] = op->code == OP_SHARD_PROCESS_LINEAR_INDEX
                           ? d
                           : shard_coordinate(group.mesh, d, axis);
        values[i] = per_device(&builder, &group, table, type);
    }
    return legalize_replace(legalizer, op, values);
}

static Value *number(Builder *builder, int64_t n) {
    return build_splat_int(builder, type_scalar(builder->module->context, ELEMENT_I64), n);
}

// The device whose place along the line is another one; the other coordinates stay.
static Value *device_at_place(
    Builder *builder, const Group *line, Value *const *index, Value *place) {
    const Mesh *mesh = line->mesh;
    Value *device = number(builder, 0);
    for (int axis = 0; axis < mesh->axis_count; axis++) {
        Value *at = index[axis];
        int64_t minor = 1;
        for (int i = line->axes.count - 1; i >= 0; i--) {
            int64_t size = mesh->axes[line->axes.data[i]].size;
            if (line->axes.data[i] == axis) {
                at = build_binary(builder, OP_DIVIDE, place, number(builder, minor));
                at = build_binary(builder, OP_REMAINDER, at, number(builder, size));
            }
            minor *= size;
        }
        device = build_binary(builder, OP_MULTIPLY, device, number(builder, mesh->axes[axis].size));
        device = build_binary(builder, OP_ADD, device, at);
    }
    return device;
}

// The linear indices of the devices before and behind one along axes; -1 at the border.
bool convert_shard_neighbors(Legalizer *legalizer, Op *op) {
    Group line;
    IntSpan axes = op_ints(op, NAME_SPLIT_AXES);
    if (!shard_group_of(legalizer->module, op, axes, &line) || line.mesh->axis_count > MAX_AXES)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *index[MAX_AXES], *own[MAX_AXES], *neighbors[2];
    int64_t unknown[MAX_AXES];
    for (int i = 0; i < op->operand_count; i++)
        index[i] = op_operand(op, i);
    for (int i = 0; i < axes.count; i++) {
        own[i] = index[axes.data[i]];
        unknown[i] = DIM_DYNAMIC;
    }
    Value *place = place_of_index(&builder, &line, (IntSpan){unknown, axes.count}, own);
    for (int i = 0; i < 2; i++) {
        Value *border = number(&builder, i == 0 ? 0 : line.size - 1);
        Value *at_border = build_compare(&builder, DIRECTION_EQ, place, border);
        Value *beside = build_binary(&builder, OP_ADD, place, number(&builder, i == 0 ? -1 : 1));
        Value *device = device_at_place(&builder, &line, index, beside);
        neighbors[i] = build_select(&builder, at_border, number(&builder, -1), device);
    }
    return legalize_replace(legalizer, op, neighbors);
}

// Entry `place` of numbers that begin at `first` in the list.
static Value *entry(Builder *builder, IntSpan list, int64_t first, int64_t count, Value *place) {
    Context *context = builder->module->context;
    const Type *type = type_tensor(context, ELEMENT_I64, 1, &count);
    Value *table = build_constant(
        builder,
        attr_elements(context, type, false, list.data + first, (size_t)count * sizeof *list.data));
    int64_t one = 1;
    return build_reshape(builder, build_dynamic_slice(builder, table, &place, &one), 0, NULL);
}

// What the device at a place has of a dimension: as its offsets say, or evenly, the last places one
// more where that does not divide.
static Value *part_size(
    Builder *builder, const ShardSpec *spec, Value *size, Value *place, int64_t places,
    int64_t offsets) {
    if (spec->offsets.count > 0) {
        Value *next = build_binary(builder, OP_ADD, place, number(builder, 1));
        Value *from = entry(builder, spec->offsets, offsets, places + 1, place);
        Value *to = entry(builder, spec->offsets, offsets, places + 1, next);
        return build_binary(builder, OP_SUBTRACT, to, from);
    }
    Value *count = number(builder, places);
    Value *rest = build_binary(builder, OP_REMAINDER, size, count);
    Value *first = build_binary(builder, OP_SUBTRACT, count, rest);
    Value *has_more = build_compare(builder, DIRECTION_GE, place, first);
    Value *zero = number(builder, 0), *one = number(builder, 1);
    Value *more = build_select(builder, has_more, one, zero);
    return build_binary(builder, OP_ADD, build_binary(builder, OP_DIVIDE, size, count), more);
}

static int count_unknown(IntSpan list) {
    int count = 0;
    for (int i = 0; i < list.count; i++)
        count += list.data[i] == DIM_DYNAMIC;
    return count;
}

bool convert_shard_shard_shape(Legalizer *legalizer, Op *op) {
    IntSpan dims = op_ints(op, NAME_DIMS_STATIC), device = op_ints(op, NAME_DEVICE_STATIC);
    int at = count_unknown(dims);
    if (at >= op->operand_count || op->operand_count != at + 1 + count_unknown(device))
        return false;
    const Op *sharding = op_operand(op, at)->def;
    ShardSpec spec;
    if (!sharding || !shard_spec_of_sharding(sharding, &spec)) return false;
    const Mesh *mesh = module_find_mesh(legalizer->module, spec.grid);
    if (!mesh || device.count != mesh->axis_count || count_unknown(spec.offsets) > 0) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *index[MAX_AXES],
        **shape = ARENA_ARRAY(legalizer->pass->scratch, Value *, dims.count + 1);
    for (int i = 0, next = at + 1; i < device.count; i++)
        index[i] = device.data[i] == DIM_DYNAMIC ? op_operand(op, next++)
                                                 : number(&builder, device.data[i]);
    int64_t offsets = 0;
    for (int d = 0, next = 0; d < dims.count; d++) {
        shape[d] =
            dims.data[d] == DIM_DYNAMIC ? op_operand(op, next++) : number(&builder, dims.data[d]);
        IntSpan axes = spec_axes(&spec, d);
        if (axes.count == 0) continue;
        Value *place = number(&builder, 0);
        int64_t places = 1;
        for (int i = 0; i < axes.count; i++) {
            int64_t size = mesh->axes[axes.data[i]].size;
            place = build_binary(&builder, OP_MULTIPLY, place, number(&builder, size));
            place = build_binary(&builder, OP_ADD, place, index[axes.data[i]]);
            places *= size;
        }
        if (spec.offsets.count > 0 && offsets + places + 1 > spec.offsets.count) return false;
        shape[d] = part_size(&builder, &spec, shape[d], place, places, offsets);
        offsets += places + 1;
    }
    return legalize_replace(legalizer, op, shape);
}

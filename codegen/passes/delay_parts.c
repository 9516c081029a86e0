// delay_parts: the device's part of a value that the devices of a group hold alike.
#include "codegen/passes/delay_parts.h"

#include "codegen/fuse/fuse.h"
#include "codegen/passes/spread/spread.h"

// ---- what is gathered

static bool holds_every_device_once(Delay *delay, const Attr *groups) {
    void *known = ptr_map_get(&delay->even, groups);
    if (known) return known == delay;
    bool fits = groups_hold_all(delay->arena, groups) &&
                type_element_count(groups->type) == delay->replicas.devices;
    ptr_map_set(&delay->even, groups, fits ? (void *)delay : (void *)delay->module);
    return fits;
}

bool gathered_parts(Delay *delay, const Value *value, Parts *parts) {
    Op *op = value->def;
    if (!op || op->code != OP_ALL_GATHER || op->operand_count != 1 || op_extra(op, SPREAD_OVER))
        return false;
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    if (!groups || !holds_every_device_once(delay, groups)) return false;
    int dim = (int)op_int(op, NAME_ALL_GATHER_DIM, 0);
    *parts = (Parts){.groups = groups, .devices = groups->type->dims[1], .dim = dim, .gather = op};
    return value->type->dims[dim] == op_operand_type(op, 0)->dims[dim] * parts->devices;
}

// ---- views

bool is_view_along(const Op *op, int dim, int *from) {
    int map[MAX_RANK];
    const Type *operand = op->operand_count > 0 ? op_operand_type(op, 0) : NULL;
    *from = -1;
    if (!operand || op->result_count != 1) return false;
    if (op->code == OP_BROADCAST_IN_DIM) {
        *from = ints_find(op_ints(op, NAME_BROADCAST_DIMENSIONS), dim);
    } else if (op->code == OP_TRANSPOSE) {
        *from = (int)op_ints(op, NAME_PERMUTATION).data[dim];
    } else if (op->code == OP_DYNAMIC_SLICE) {
        *from = dim;
    } else if (spread_unit_reshape(op, map)) {
        for (int d = 0; d < operand->rank; d++)
            if (map[d] == dim) *from = d;
    }
    return *from >= 0 && operand->dims[*from] == op_result_type(op, 0)->dims[dim];
}

int view_result_dim(const Op *op, int from) {
    for (int d = 0; d < op_result_type(op, 0)->rank; d++) {
        int of_operand;
        if (is_view_along(op, d, &of_operand) && of_operand == from) return d;
    }
    return -1;
}

// ---- parts

static bool is_splat(const Value *value) {
    const Attr *elements =
        value->def && value->def->code == OP_CONSTANT ? op_attr(value->def, NAME_VALUE) : NULL;
    return elements && elements->kind == ATTR_ELEMENTS && elements->is_splat;
}

static bool is_alike(const Delay *delay, const Value *value, const Parts *parts) {
    bool is_gathered = value->def && value->def->code == OP_ALL_GATHER &&
                       op_attr(value->def, NAME_REPLICA_GROUPS) == parts->groups;
    return is_gathered || replicas_are_alike(&delay->replicas, value, parts->groups);
}

// The view's other operands, where a slice begins.
static bool others_are_alike(const Delay *delay, const Op *op, const Parts *parts) {
    for (int i = 1; i < op->operand_count; i++)
        if (!is_alike(delay, op_operand(op, i), parts)) return false;
    return true;
}

bool has_part(Delay *delay, const Value *value, const Parts *parts, int dim, int depth) {
    Parts own;
    int from = -1;
    if (is_splat(value) || is_alike(delay, value, parts)) return true;
    if (gathered_parts(delay, value, &own)) return own.groups == parts->groups && own.dim == dim;
    const Op *op = value->def;
    return op && depth > 0 && is_view_along(op, dim, &from) && others_are_alike(delay, op, parts) &&
           has_part(delay, op_operand(op, 0), parts, from, depth - 1);
}

const Type *part_type(const Delay *delay, const Type *type, const Parts *parts, int dim) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = d == dim ? type->dims[d] / parts->devices : type->dims[d];
    return type_with_dims(delay->module->context, type, type->rank, dims);
}

static Value *known_start(const Delay *delay, const Parts *parts, int64_t size) {
    for (int64_t i = 0; i < delay->starts.count; i++) {
        const PartStart *known = &delay->starts.data[i];
        if (known->groups == parts->groups && known->size == size) return known->start;
    }
    return NULL;
}

static Value *part_start(Delay *delay, const Parts *parts, int64_t size) {
    Value *known = known_start(delay, parts, size);
    if (known) return known;
    int64_t count = delay->replicas.devices;
    int64_t *numbers = ARENA_ARRAY(delay->arena, int64_t, count);
    for (int64_t i = 0; i < count; i++)
        numbers[attr_element_int(parts->groups, i)] = i % parts->devices * size;
    Builder builder = builder_before(delay->module, delay->main->first);
    Value *own = build_own_numbers(&builder, ELEMENT_I64, count, 1, numbers);
    PartStart made = {parts->groups, size, build_reshape(&builder, own, 0, NULL)};
    vec_push(delay->arena, &delay->starts, made);
    return made.start;
}

bool is_own_part(const Delay *delay, const Op *op, const Type *part, const Parts *parts) {
    return op->code == OP_DYNAMIC_SLICE && op_result_type(op, 0) == part &&
           op_operand(op, 1 + parts->dim) == known_start(delay, parts, part->dims[parts->dim]);
}

static Value *slice_part(
    Delay *delay, Builder *builder, Value *value, const Parts *parts, int dim) {
    const Type *to = part_type(delay, value->type, parts, dim);
    Value *starts[MAX_RANK];
    Value *start = part_start(delay, parts, to->dims[dim]);
    Value *zero = build_splat_int(builder, start->type, 0);
    for (int d = 0; d < to->rank; d++)
        starts[d] = d == dim ? start : zero;
    return build_dynamic_slice(builder, value, starts, to->dims);
}

// The view of the operand's part.
static Value *view_part(
    Delay *delay, Builder *builder, const Op *op, Value *operand, const Type *to) {
    PtrMap values = ptr_map(delay->arena);
    Op *copy = op_clone(builder, op, &values);
    op_set_operand(copy, 0, operand);
    op_result(copy, 0)->type = to;
    if (op->code == OP_DYNAMIC_SLICE) {
        Context *context = delay->module->context;
        op_set_attr(delay->module, copy, NAME_SLICE_SIZES, attr_ints(context, to->rank, to->dims));
    }
    return op_result(copy, 0);
}

Value *build_part(
    Delay *delay, Builder *builder, Value *value, const Parts *parts, int dim, int depth) {
    const Type *to = part_type(delay, value->type, parts, dim);
    const Op *op = value->def;
    Parts own;
    int from = -1;
    if (is_splat(value)) {
        const Attr *elements = op_attr(op, NAME_VALUE);
        Context *context = delay->module->context;
        return build_constant(
            builder, attr_elements(context, to, true, elements->data, elements->data_size));
    }
    if (gathered_parts(delay, value, &own) && own.groups == parts->groups && own.dim == dim)
        return op_operand(op, 0);
    bool is_view = op && depth > 0 && is_view_along(op, dim, &from) &&
                   others_are_alike(delay, op, parts) &&
                   has_part(delay, op_operand(op, 0), parts, from, depth - 1);
    if (!is_view) return slice_part(delay, builder, value, parts, dim);
    Value *operand = build_part(delay, builder, op_operand(op, 0), parts, from, depth - 1);
    return view_part(delay, builder, op, operand, to);
}

static GatherFamily *family_of(Delay *delay, Op *gather) {
    GatherFamily *known = ptr_map_get(&delay->families, gather);
    if (known) return known;
    GatherFamily *family = ARENA_NEW(delay->arena, GatherFamily);
    family->region = gather->parent;
    family->bytes = type_bytes(op_result_type(gather, 0));
    family->counts = op_extra(gather, UNCOUNTED) == NULL;
    ptr_map_set(&delay->families, gather, family);
    return family;
}

bool is_succeeded(const Delay *delay, const Op *gather) {
    const GatherFamily *family = ptr_map_get(&delay->families, gather);
    return family && family->has_more;
}

Value *gather_part(Delay *delay, Builder *builder, Value *part, const Parts *parts, int dim) {
    Module *module = delay->module;
    Context *context = module->context;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < part->type->rank; d++)
        dims[d] = d == dim ? part->type->dims[d] * parts->devices : part->type->dims[d];
    PtrMap values = ptr_map(delay->arena);
    Op *gather = op_clone(builder, parts->gather, &values);
    op_set_operand(gather, 0, part);
    op_set_attr(module, gather, NAME_ALL_GATHER_DIM, attr_int(context, dim, ELEMENT_I64));
    op_result(gather, 0)->type = type_with_dims(context, part->type, part->type->rank, dims);
    GatherFamily *family = family_of(delay, parts->gather);
    family->has_more = true;
    ptr_map_set(&delay->families, gather, family);
    return op_result(gather, 0);
}

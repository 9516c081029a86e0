// together: groups of devices that hold something alike, and what they gather of each other.
#include "codegen/passes/together.h"

#include "codegen/fuse/fuse.h"

static Together groups_of(Module *module, int64_t *members, int64_t count, int64_t size) {
    Together none = {0};
    if (size < 2) return none;
    const Attr *groups = attr_int_matrix(module->context, (int)(count / size), (int)size, members);
    return (Together){groups, size};
}

Together together_alike(Module *module, Arena *arena, const Replicas *r, const int32_t *classes) {
    int64_t *members = ARENA_ARRAY(arena, int64_t, r->devices), count = 0, size = 0;
    for (int64_t first = 0; first < r->devices; first++) {
        if (classes[first] != first) continue;
        int64_t before = count;
        for (int64_t d = first; d < r->devices; d++)
            if (classes[d] == first) members[count++] = d;
        if (size == 0) size = count - before;
        if (size != count - before) return (Together){0};
    }
    return groups_of(module, members, count, size);
}

// How many devices before each are of its class and have its part: [devices].
static const int64_t *copies_before(
    Arena *arena, const Replicas *r, const int32_t *classes, const int32_t *parts) {
    int64_t *before = ARENA_ARRAY(arena, int64_t, r->devices);
    for (int64_t d = 0; d < r->devices; d++)
        for (int64_t c = 0; c < d; c++)
            before[d] += classes[c] == classes[d] && parts[c] == parts[d];
    return before;
}

Together together_apart(
    Module *module, Arena *arena, const Replicas *r, const int32_t *classes, const int32_t *parts) {
    const int64_t *before = copies_before(arena, r, classes, parts);
    int64_t *members = ARENA_ARRAY(arena, int64_t, r->devices), count = 0, size = 0;
    for (int32_t first = 0; first < r->devices; first++) {
        int64_t added = classes[first] == first;
        for (int64_t k = 0; added > 0; k++) {
            added = 0;
            for (int64_t d = first; d < r->devices; d++)
                if (classes[d] == first && before[d] == k) members[count + added++] = d;
            if (size == 0) size = added;
            if (added > 0 && added != size) return (Together){0};
            count += added;
        }
    }
    return groups_of(module, members, count, size);
}

bool together_meet_in(const Replicas *r, const Region *region, const Attr *groups) {
    for (const Op *owner = region->owner; owner->code != OP_FUNC; owner = owner->parent->owner) {
        const Value *choice = owner->code == OP_WHILE
                                  ? op_operand(region_terminator(owner->regions[0]), 0)
                                  : op_operand(owner, 0);
        if (!replicas_are_alike(r, choice, groups)) return false;
    }
    return true;
}

Value *together_gather(Builder *builder, Value *part, int dim, const Together *together) {
    Module *module = builder->module;
    Context *context = module->context;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < part->type->rank; d++)
        dims[d] = part->type->dims[d] * (d == dim ? together->size : 1);
    const Type *type = type_with_dims(context, part->type, part->type->rank, dims);
    Op *op = build_op(builder, OP_ALL_GATHER, 1, &part, 1, &type, 0);
    const int64_t handle[2] = {1, 1};
    Attr channel = {.kind = ATTR_CHANNEL, .count = 2, .ints = handle};
    op_set_attr(module, op, NAME_ALL_GATHER_DIM, attr_int(context, dim, ELEMENT_I64));
    op_set_attr(module, op, NAME_REPLICA_GROUPS, together->groups);
    op_set_attr(module, op, NAME_CHANNEL_HANDLE, attr_intern(context, &channel));
    op_set_attr(module, op, NAME_USE_GLOBAL_DEVICE_IDS, attr_unit(context));
    op_set_extra(module, op, context_name(context, SV(UNCOUNTED)), attr_unit(context));
    return op_result(op, 0);
}

Value *together_place(
    Builder *builder, Arena *arena, const Replicas *r, const Together *together, int64_t size) {
    int64_t *numbers = ARENA_ARRAY(arena, int64_t, r->devices);
    for (int64_t i = 0; i < r->devices; i++)
        numbers[attr_element_int(together->groups, i)] = i % together->size * size;
    return build_reshape(
        builder, build_own_numbers(builder, ELEMENT_I64, r->devices, 1, numbers), 0, NULL);
}

bool lies_along(const Value *value, int dim) {
    for (const Op *op = value->def; op; op = value->def) {
        const Type *type = value->type;
        int last = type->rank - 1;
        while (last > dim && type->dims[last] == 1)
            last--;
        if (op->code == OP_TRANSPOSE) {
            dim = (int)op_ints(op, NAME_PERMUTATION).data[dim];
        } else if (op->code == OP_RESHAPE) {
            if (last == dim) return true;
            const Type *from = op_operand_type(op, 0);
            int64_t inside = 1, from_inside = 1;
            for (int d = dim + 1; d < type->rank; d++)
                inside *= type->dims[d];
            int source = from->rank - 1;
            while (source >= 0 && from_inside < inside)
                from_inside *= from->dims[source--];
            while (source >= 0 && from->dims[source] == 1)
                source--;
            if (source < 0 || from_inside != inside || from->dims[source] != type->dims[dim])
                return true;
            dim = source;
        } else if (op->code != OP_CONVERT && op->code != OP_SLICE && op->code != OP_DYNAMIC_SLICE) {
            break;
        }
        value = op_operand(op, 0);
    }
    const Type *type = value->type;
    for (int d = dim + 1; d < type->rank; d++)
        if (type->dims[d] != 1) return false;
    return true;
}

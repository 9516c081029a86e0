// Attributes of ops, and uses of values.
#include "ir/op.h"

const Attr *op_attr(const Op *op, AttrName name) {
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name == name) return op->attrs[i].value;
    }
    return NULL;
}

int64_t op_int(const Op *op, AttrName name, int64_t otherwise) {
    const Attr *attr = op_attr(op, name);
    if (!attr) return otherwise;
    if (attr->kind == ATTR_UNIT) return 1;
    bool is_number = attr->kind == ATTR_INT || attr->kind == ATTR_BOOL || attr->kind == ATTR_ENUM;
    return is_number ? attr->integer : otherwise;
}

IntSpan op_ints(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    if (!attr || (attr->kind != ATTR_INTS && attr->kind != ATTR_ELEMENTS)) return (IntSpan){0};
    return (IntSpan){attr->ints, attr->ints ? attr->count : 0};
}

const int64_t *op_ints_or(Arena *arena, const Op *op, AttrName name, int count, int64_t otherwise) {
    IntSpan span = op_ints(op, name);
    if (span.count == count && count > 0) return span.data;
    const Attr *attr = op_attr(op, name);
    bool is_splat = attr && attr->kind == ATTR_ELEMENTS && attr->is_splat && span.count > 0;
    int64_t *ints = ARENA_ARRAY(arena, int64_t, count + 1);
    for (int i = 0; i < count; i++) {
        if (i < span.count) {
            ints[i] = span.data[i];
        } else {
            ints[i] = is_splat ? span.data[0] : otherwise;
        }
    }
    return ints;
}

StrView op_text(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    if (!attr || (attr->kind != ATTR_STRING && attr->kind != ATTR_SYMBOL)) return (StrView){0};
    return attr->text;
}

const Mesh *op_mesh(const Op *op) {
    const Attr *attr = op->code == OP_SDY_MESH ? op_attr(op, NAME_MESH) : NULL;
    return attr && attr->kind == ATTR_MESH ? attr->mesh : NULL;
}

const Attr *op_extra(const Op *op, const char *name) {
    return attr_dict_get(op->extra, strview(name));
}

const Attr *value_splat(const Value *value) {
    const Op *op = value->def;
    while (op && op->code == OP_BROADCAST_IN_DIM)
        op = op_operand(op, 0)->def;
    const Attr *elements = op && op->code == OP_CONSTANT ? op_attr(op, NAME_VALUE) : NULL;
    return elements && elements->kind == ATTR_ELEMENTS && elements->is_splat ? elements : NULL;
}

bool value_has_one_use(const Value *value) { return value->uses && !value->uses->next; }

int value_use_count(const Value *value) {
    int count = 0;
    for (const Use *use = value->uses; use; use = use->next)
        count++;
    return count;
}

bool value_is_argument(const Value *value) { return value->region != NULL; }

Region *value_region(const Value *value) {
    return value->region ? value->region : value->def->parent;
}

bool region_contains(const Region *region, const Op *op) {
    return region_ancestor_of(region, op) != NULL;
}

Op *region_ancestor_of(const Region *region, const Op *op) {
    while (op && op->parent != region)
        op = op_parent_op(op);
    return (Op *)(uintptr_t)op; // the caller's own op or one above it
}

OpCode region_combining_op(const Region *region) {
    const Op *end = region->last;
    int count = region->arg_count / 2;
    if (!end || !op_has(end, TRAIT_TERMINATOR) || end->operand_count != count) return OP_COUNT;
    if (count == 0 || region->arg_count != 2 * count) return OP_COUNT;
    OpCode code = OP_COUNT;
    for (int i = 0; i < count; i++) {
        const Op *op = op_operand(end, i)->def;
        if (!op || op->parent != region || !op_has(op, TRAIT_POINTWISE)) return OP_COUNT;
        if (op->operand_count != 2 || op->result_count != 1) return OP_COUNT;
        if (i > 0 && op->code != code) return OP_COUNT;
        code = op->code;
        const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
        const Value *first = region->args[i], *second = region->args[count + i];
        bool direct = a == first && b == second;
        bool swapped = a == second && b == first && op_has(op, TRAIT_COMMUTES);
        if (!direct && !swapped) return OP_COUNT;
    }
    return code;
}

OpCode region_reduction_op(const Region *region) {
    const Op *op = region->first;
    if (region->arg_count != 2 || !op || op->next != region->last) return OP_COUNT;
    return region_combining_op(region);
}

// What the rewrites of canonicalize end with, a value in the place of an op's result, and
// what they ask about constants.
#include "ir/simplify/simplify.h"

bool simplify_may_drop(const Op *op, const Value *value) {
    const Sharding *sharding = op_result(op, 0)->sharding;
    return !sharding || sharding == value->sharding;
}

static void finish(Simplifier *simplifier, Op *op, Value *value) {
    value_replace_uses(op_result(op, 0), value);
    op_erase(op);
    simplifier->changed = true;
}

bool simplify_replace(Simplifier *simplifier, Op *op, Value *value) {
    if (value->type != op_result_type(op, 0) || !simplify_may_drop(op, value)) return false;
    finish(simplifier, op, value);
    return true;
}

bool simplify_replace_new(Simplifier *simplifier, Op *op, Value *value) {
    value->sharding = op_result(op, 0)->sharding;
    finish(simplifier, op, value);
    return true;
}

const Attr *constant_value(const Value *value) {
    if (!value->def || value->def->code != OP_CONSTANT) return NULL;
    const Attr *attr = op_attr(value->def, NAME_VALUE);
    return attr && attr->kind == ATTR_ELEMENTS ? attr : NULL;
}

const Attr *splat_value(const Value *value) {
    const Attr *attr = constant_value(value);
    if (!attr || attr->type->quant) return NULL;
    return attr->is_splat || type_element_count(attr->type) == 1 ? attr : NULL;
}

bool is_splat_of(const Value *value, double number) {
    const Attr *splat = splat_value(value);
    if (!splat || element_class(splat->type->element) == CLASS_COMPLEX) return false;
    double element = attr_element_double(splat, 0);
    // 0.0 and -0.0 are different numbers here.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are meant
    return memcmp(&element, &number, sizeof element) == 0;
}

Value *build_same_splat(Builder *builder, const Attr *splat, const Type *type) {
    size_t size = element_bytes(type->element);
    return build_constant(
        builder, attr_elements(builder->module->context, type, true, splat->data, size));
}

// Rewrites of arithmetic, logic, select, compare and convert that keep every bit.
//
// Floats: x * 1, x / 1, x - 0, x + -0 and -(-x) are exact; x + 0 is not (-0 + 0 = 0),
// nor is anything that reorders.
#include "ir/simplify/simplify.h"

static Value *operand(const Op *op, int i) { return op_operand(op, i); }

static bool is_integer(const Value *value) {
    ElementClass class = element_class(value->type->element);
    return !value->type->quant && (class == CLASS_SINT || class == CLASS_UINT);
}

static bool is_bool(const Value *value) { return value->type->element == ELEMENT_I1; }
static bool is_float(const Value *value) { return element_is_float(value->type->element); }

// Every bit is set: -1, or the largest number of an unsigned type, or true.
static bool is_all_ones(const Value *value) {
    const Attr *splat = splat_value(value);
    if (!splat) return false;
    if (is_bool(value)) return attr_element_int(splat, 0) == 1;
    if (!is_integer(value)) return false;
    int bits = element_bits(value->type->element);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return ((uint64_t)attr_element_int(splat, 0) & mask) == mask;
}

static Value *build_bool(Simplifier *simplifier, Op *op, bool value) {
    Builder builder = builder_before(simplifier->module, op);
    return build_splat_int(&builder, op_result_type(op, 0), value);
}

// x op neutral = x, for either operand of a commuting op.
static bool drop_neutral(Simplifier *simplifier, Op *op, double neutral) {
    if (is_splat_of(operand(op, 1), neutral))
        return simplify_replace(simplifier, op, operand(op, 0));
    if (op_has(op, TRAIT_COMMUTES) && is_splat_of(operand(op, 0), neutral))
        return simplify_replace(simplifier, op, operand(op, 1));
    return false;
}

// x op absorber = absorber
static bool keep_absorber(Simplifier *simplifier, Op *op, double absorber) {
    for (int i = 0; i < 2; i++) {
        if (is_splat_of(operand(op, i), absorber))
            return simplify_replace(simplifier, op, operand(op, i));
    }
    return false;
}

static bool simplify_add(Simplifier *simplifier, Op *op) {
    if (is_integer(operand(op, 0))) return drop_neutral(simplifier, op, 0.0);
    return is_float(operand(op, 0)) && drop_neutral(simplifier, op, -0.0);
}

static bool simplify_subtract(Simplifier *simplifier, Op *op) {
    if (is_float(operand(op, 0))) return drop_neutral(simplifier, op, 0.0);
    if (!is_integer(operand(op, 0))) return false;
    if (operand(op, 0) == operand(op, 1) && type_is_static(op_result_type(op, 0))) {
        Builder builder = builder_before(simplifier->module, op);
        return simplify_replace_new(
            simplifier, op, build_splat_int(&builder, op_result_type(op, 0), 0));
    }
    return drop_neutral(simplifier, op, 0.0);
}

static bool simplify_multiply(Simplifier *simplifier, Op *op) {
    if (is_float(operand(op, 0))) return drop_neutral(simplifier, op, 1.0);
    if (!is_integer(operand(op, 0)) && !is_bool(operand(op, 0))) return false;
    return drop_neutral(simplifier, op, 1.0) || keep_absorber(simplifier, op, 0.0);
}

static bool simplify_divide(Simplifier *simplifier, Op *op) {
    bool real = is_float(operand(op, 0)) || is_integer(operand(op, 0));
    return real && drop_neutral(simplifier, op, 1.0);
}

static bool simplify_and(Simplifier *simplifier, Op *op) {
    if (operand(op, 0) == operand(op, 1)) return simplify_replace(simplifier, op, operand(op, 0));
    for (int i = 0; i < 2; i++) {
        if (is_all_ones(operand(op, i)) && simplify_replace(simplifier, op, operand(op, 1 - i)))
            return true;
    }
    return keep_absorber(simplifier, op, 0.0);
}

static bool simplify_or(Simplifier *simplifier, Op *op) {
    if (operand(op, 0) == operand(op, 1)) return simplify_replace(simplifier, op, operand(op, 0));
    for (int i = 0; i < 2; i++) {
        if (is_all_ones(operand(op, i)) && simplify_replace(simplifier, op, operand(op, i)))
            return true;
    }
    return drop_neutral(simplifier, op, 0.0);
}

static bool simplify_not(Simplifier *simplifier, Op *op) {
    const Value *value = operand(op, 0);
    if (value->def && value->def->code == OP_NOT)
        return simplify_replace(simplifier, op, operand(value->def, 0));
    const Attr *splat = splat_value(value);
    if (!splat || !is_bool(value)) return false;
    return simplify_replace_new(
        simplifier, op, build_bool(simplifier, op, attr_element_int(splat, 0) == 0));
}

static bool simplify_negate(Simplifier *simplifier, Op *op) {
    const Value *value = operand(op, 0);
    return value->def && value->def->code == OP_NEGATE && !value->type->quant &&
           simplify_replace(simplifier, op, operand(value->def, 0));
}

static bool simplify_select(Simplifier *simplifier, Op *op) {
    if (operand(op, 1) == operand(op, 2)) return simplify_replace(simplifier, op, operand(op, 1));
    const Attr *predicate = splat_value(operand(op, 0));
    if (predicate)
        return simplify_replace(
            simplifier, op, operand(op, attr_element_int(predicate, 0) ? 1 : 2));
    // select(not p, a, b) = select(p, b, a)
    Op *inverted = operand(op, 0)->def;
    if (!inverted || inverted->code != OP_NOT) return false;
    Value *on_true = operand(op, 1), *on_false = operand(op, 2);
    op_set_operand(op, 0, operand(inverted, 0));
    op_set_operand(op, 1, on_false);
    op_set_operand(op, 2, on_true);
    simplifier->changed = true;
    return false;
}

static bool compare_numbers(int64_t direction, int order) {
    switch (direction) {
    case DIRECTION_EQ: return order == 0;
    case DIRECTION_NE: return order != 0;
    case DIRECTION_GE: return order >= 0;
    case DIRECTION_GT: return order > 0;
    case DIRECTION_LE: return order <= 0;
    default: return order < 0;
    }
}

// Integers and bools only: a NaN differs from itself.
static bool simplify_compare(Simplifier *simplifier, Op *op) {
    const Value *lhs = operand(op, 0), *rhs = operand(op, 1);
    if (!is_integer(lhs) && !is_bool(lhs)) return false;
    if (!type_is_static(op_result_type(op, 0))) return false;
    int64_t direction = op_int(op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ);
    int order = 0;
    if (lhs != rhs) {
        const Attr *a = splat_value(lhs), *b = splat_value(rhs);
        if (!a || !b) return false;
        int64_t x = attr_element_int(a, 0), y = attr_element_int(b, 0);
        order = x < y ? -1 : x > y;
        if (lhs->type->element == ELEMENT_UI64)
            order = (uint64_t)x < (uint64_t)y ? -1 : (uint64_t)x > (uint64_t)y;
    }
    return simplify_replace_new(
        simplifier, op, build_bool(simplifier, op, compare_numbers(direction, order)));
}

// Does every value of `from` have the same value in `to`?
static bool is_exact(ElementType from, ElementType to) {
    if (from == to) return true;
    ElementClass from_class = element_class(from), to_class = element_class(to);
    if (from_class == CLASS_BOOL) return to_class != CLASS_COMPLEX;
    int from_bits = element_bits(from), to_bits = element_bits(to);
    if (from_class == CLASS_UINT)
        return (to_class == CLASS_UINT && to_bits >= from_bits) ||
               (to_class == CLASS_SINT && to_bits > from_bits);
    if (from_class == CLASS_SINT) return to_class == CLASS_SINT && to_bits >= from_bits;
    if (from_class != CLASS_FLOAT || to_class != CLASS_FLOAT) return false;
    // f32 and f64 hold every number of the narrower formats, infinities and NaN included.
    if (to == ELEMENT_F64) return true;
    return to == ELEMENT_F32 && from_bits <= 16;
}

static bool simplify_convert(Simplifier *simplifier, Op *op) {
    Value *value = operand(op, 0);
    const Type *type = op_result_type(op, 0);
    if (type == value->type) return simplify_replace(simplifier, op, value);
    Op *inner = value->def;
    if (!inner || inner->code != OP_CONVERT || value->sharding) return false;
    Value *source = operand(inner, 0);
    if (source->type->quant || value->type->quant || type->quant) return false;
    if (!is_exact(source->type->element, value->type->element)) return false;
    if (source->type == type) return simplify_replace(simplifier, op, source);
    if (source->type->element == ELEMENT_I1 || !type_same_shape(source->type, type)) return false;
    // A second rounding in the middle would be another result: the first step is exact, so there is
    // none.
    Builder builder = builder_before(simplifier->module, op);
    return simplify_replace_new(simplifier, op, build_convert(&builder, source, type->element));
}

// The real part of a real number, or its conjugate?
static bool is_of_real(const Op *op) {
    const Type *type = operand(op, 0)->type;
    bool keeps = op->code == OP_REAL || op->code == OP_CHLO_CONJ;
    return keeps && element_class(type->element) == CLASS_FLOAT && type == op_result_type(op, 0);
}

static bool simplify_real_imag(Simplifier *simplifier, Op *op) {
    if (is_of_real(op)) return simplify_replace(simplifier, op, operand(op, 0));
    const Op *inner = operand(op, 0)->def;
    if (!inner || inner->code != OP_COMPLEX) return false;
    return simplify_replace(simplifier, op, operand(inner, op->code == OP_REAL ? 0 : 1));
}

bool simplify_pointwise(Simplifier *simplifier, Op *op) {
    switch (op->code) {
    case OP_ADD: return simplify_add(simplifier, op);
    case OP_SUBTRACT: return simplify_subtract(simplifier, op);
    case OP_MULTIPLY: return simplify_multiply(simplifier, op);
    case OP_DIVIDE: return simplify_divide(simplifier, op);
    case OP_AND: return simplify_and(simplifier, op);
    case OP_OR: return simplify_or(simplifier, op);
    case OP_XOR: return !is_float(operand(op, 0)) && drop_neutral(simplifier, op, 0.0);
    case OP_MAXIMUM:
    case OP_MINIMUM:
        return operand(op, 0) == operand(op, 1) && !operand(op, 0)->type->quant &&
               simplify_replace(simplifier, op, operand(op, 0));
    case OP_NOT: return simplify_not(simplifier, op);
    case OP_NEGATE: return simplify_negate(simplifier, op);
    case OP_SELECT: return simplify_select(simplifier, op);
    case OP_COMPARE: return simplify_compare(simplifier, op);
    case OP_CONVERT: return simplify_convert(simplifier, op);
    case OP_CHLO_CONJ: return is_of_real(op) && simplify_replace(simplifier, op, operand(op, 0));
    case OP_REAL:
    case OP_IMAG: return simplify_real_imag(simplifier, op);
    default: return false;
    }
}

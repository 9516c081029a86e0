// convert_elementwise: ops of arith, math, tosa and linalg that compute every element alone.
#include "ir/scalar/scalar.h"
#include "ir/source/source.h"

Value *source_broadcast(Builder *builder, Value *value, const Type *type) {
    const Type *from = value->type;
    if (type_same_shape(from, type)) return value;
    Context *context = builder->module->context;
    int64_t dims[MAX_RANK], shape[MAX_RANK];
    int count = 0, offset = type->rank - from->rank;
    for (int d = 0; d < from->rank; d++) {
        bool repeated = from->dims[d] == 1 && type->dims[offset + d] != 1;
        if (repeated) continue;
        shape[count] = from->dims[d];
        dims[count++] = offset + d;
    }
    if (count != from->rank) value = build_reshape(builder, value, count, shape);
    return build_broadcast_in_dim(
        builder, value, type_with_element(context, type, from->element), dims);
}

const Attr *source_constant(const Value *value) {
    const Op *def = value->def;
    if (!def) return NULL;
    if (def->code == OP_BROADCAST_IN_DIM || def->code == OP_RESHAPE) {
        const Attr *inner = source_constant(op_operand(def, 0));
        return inner && (inner->is_splat || def->code == OP_RESHAPE) ? inner : NULL;
    }
    if (def->code == OP_TOSA_CONST_SHAPE || def->code == OP_TOSA_CONST) {
        const Attr *values = op_attr(def, NAME_VALUES);
        return values ? values : op_attr(def, NAME_VALUE);
    }
    return def->code == OP_CONSTANT ? op_attr(def, NAME_VALUE) : NULL;
}

int64_t source_int(const Attr *elements, int64_t i) {
    return attr_element_int(elements, elements->is_splat ? 0 : i);
}

bool source_is_zero(const Value *value) {
    if (value->def && value->def->code == OP_TENSOR_EMPTY) return true;
    const Attr *constant = source_constant(value);
    if (!constant || constant->kind != ATTR_ELEMENTS || !constant->is_splat) return false;
    ElementClass class = element_class(constant->type->element);
    if (class == CLASS_COMPLEX) return false;
    return class == CLASS_FLOAT ? attr_element_double(constant, 0) == 0
                                : attr_element_int(constant, 0) == 0;
}

Value *source_add(Builder *builder, Value *value, Value *init) {
    return source_is_zero(init) ? value : build_binary(builder, OP_ADD, init, value);
}

// --- integers without sign ---

static ElementType unsigned_of(ElementType element) {
    switch (element) {
    case ELEMENT_I2: return ELEMENT_UI2;
    case ELEMENT_I4: return ELEMENT_UI4;
    case ELEMENT_I8: return ELEMENT_UI8;
    case ELEMENT_I16: return ELEMENT_UI16;
    case ELEMENT_I32: return ELEMENT_UI32;
    case ELEMENT_I64: return ELEMENT_UI64;
    default: return element;
    }
}

static Value *bitcast(Builder *builder, Value *value, ElementType element) {
    if (value->type->element == element) return value;
    const Type *type = type_with_element(builder->module->context, value->type, element);
    return op_result(build_op(builder, OP_BITCAST_CONVERT, 1, &value, 1, &type, 0), 0);
}

static Value *as_unsigned(Builder *builder, Value *value) {
    return bitcast(builder, value, unsigned_of(value->type->element));
}

// --- numbers that are none ---

// max(x, y) but of what is a number: where one of them is none, the other.
static Value *compute_number(Builder *builder, OpCode code, Value *x, Value *y) {
    Value *value = build_binary(builder, code, x, y);
    Value *no_x = build_compare(builder, DIRECTION_NE, x, x);
    Value *no_y = build_compare(builder, DIRECTION_NE, y, y);
    return build_select(builder, no_x, y, build_select(builder, no_y, x, value));
}

// A source op in ops of the core: its operands have the shape of the result.
typedef Value *ComputeFn(Builder *builder, Value *const *operands, const Type *result);

static Value *compute_maximum_number(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return compute_number(builder, OP_MAXIMUM, x[0], x[1]);
}

static Value *compute_minimum_number(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return compute_number(builder, OP_MINIMUM, x[0], x[1]);
}

// --- casts ---

// A bool is 0 or -1.
static Value *compute_signed_cast(Builder *builder, Value *const *x, const Type *result) {
    Value *value = build_convert(builder, x[0], result->element);
    bool is_bool = x[0]->type->element == ELEMENT_I1;
    return is_bool ? build_unary(builder, OP_NEGATE, value) : value;
}

// A bool is the lowest bit.
static Value *compute_truncation(Builder *builder, Value *const *x, const Type *result) {
    Value *value = x[0];
    if (result->element == ELEMENT_I1)
        value = build_binary(builder, OP_AND, value, build_splat_int(builder, value->type, 1));
    return build_convert(builder, value, result->element);
}

static Value *compute_rounded_cast(Builder *builder, Value *const *x, const Type *result) {
    Value *value = x[0];
    if (element_is_float(value->type->element) && element_is_integer(result->element))
        value = build_unary(builder, OP_ROUND_NEAREST_EVEN, value);
    return build_convert(builder, value, result->element);
}

// --- other ops that are no single op of the core ---

static Value *compute_reciprocal(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return build_binary(builder, OP_DIVIDE, build_splat(builder, x[0]->type, 1), x[0]);
}

static Value *compute_square(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return build_binary(builder, OP_MULTIPLY, x[0], x[0]);
}

static Value *compute_fma(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return build_binary(builder, OP_ADD, build_binary(builder, OP_MULTIPLY, x[0], x[1]), x[2]);
}

static Value *compute_equal(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return build_compare(builder, DIRECTION_EQ, x[0], x[1]);
}

static Value *compute_greater(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return build_compare(builder, DIRECTION_GT, x[0], x[1]);
}

static Value *compute_greater_equal(Builder *builder, Value *const *x, const Type *result) {
    (void)result;
    return build_compare(builder, DIRECTION_GE, x[0], x[1]);
}

typedef struct ComputeRow {
    char unused;
    ComputeFn *compute; // NULL: the row's scalar function
} ComputeRow;

static const ComputeRow compute_rows[OP_COUNT] = {
#define COMPUTED(x) .compute = compute_##x,
#include "ir/dialects/ir_rows.def"
};

enum { MAX_OPERANDS = 3 };

OpCode source_scalar_op(const Op *op) {
    ScalarFn scalar = op_code_scalar(op->code);
    bool has_bits = op_dialect(op) == DIALECT_ARITH || op_dialect(op) == DIALECT_MATH;
    if (!has_bits || op_operand_type(op, 0)->element != ELEMENT_I1) return scalar_op(scalar);
    bool is_unsigned = op_has(op, TRAIT_UNSIGNED);
    switch (scalar) { // NOLINT(hicpp-multiway-paths-covered): those that one bit can be computed by
    case SCALAR_add:
    case SCALAR_subtract: return OP_XOR;
    case SCALAR_multiply: return OP_AND;
    case SCALAR_maximum: return is_unsigned ? OP_OR : OP_AND;
    case SCALAR_minimum: return is_unsigned ? OP_AND : OP_OR;
    case SCALAR_and:
    case SCALAR_or:
    case SCALAR_xor:
    case SCALAR_select: return scalar_op(scalar);
    default: return OP_COUNT;
    }
}

// The op of the core that computes the scalar function, on integers without
// sign where the op takes them so.
static Value *compute_scalar(
    Builder *builder, const Op *op, ScalarFn scalar, int count, Value **values,
    const Type *result) {
    bool is_unsigned = op_has(op, TRAIT_UNSIGNED);
    ElementType element = is_unsigned && !element_is_integer(values[0]->type->element)
                              ? unsigned_of(result->element)
                              : result->element;
    for (int i = 0; is_unsigned && i < count; i++)
        values[i] = as_unsigned(builder, values[i]);
    if (scalar == SCALAR_convert)
        return bitcast(builder, build_convert(builder, values[0], element), result->element);
    OpCode code = source_scalar_op(op);
    if (code == OP_COUNT) return NULL;
    const Type *type =
        is_unsigned ? type_with_element(builder->module->context, result, values[0]->type->element)
                    : result;
    Op *made = build_op(builder, code, count, values, 1, &type, 0);
    return bitcast(builder, op_result(made, 0), result->element);
}

Value *source_compute(Builder *builder, const Op *op, Value *const *operands, const Type *result) {
    Value *values[MAX_OPERANDS];
    int count = 0;
    for (int i = 0; i < MAX_OPERANDS && operands[i]; i++) {
        values[i] = source_broadcast(builder, operands[i], result);
        count = i + 1;
    }
    ComputeFn *compute = compute_rows[op->code].compute;
    if (compute) return compute(builder, values, result);
    ScalarFn scalar = op_code_scalar(op->code);
    return scalar == SCALAR_none ? NULL
                                 : compute_scalar(builder, op, scalar, count, values, result);
}

static bool replace_elementwise(Legalizer *legalizer, Op *op, int count) {
    const Type *result = op_result_type(op, 0);
    Value *operands[MAX_OPERANDS + 1] = {NULL};
    if (count > MAX_OPERANDS || result->kind != TYPE_TENSOR || !type_is_static(result))
        return false;
    for (int i = 0; i < count; i++) {
        operands[i] = op_operand(op, i);
        if (!type_is_static(operands[i]->type) || operands[i]->type->rank > result->rank)
            return false;
    }
    Builder builder = builder_before(legalizer->module, op);
    Value *value = source_compute(&builder, op, operands, result);
    return value && legalize_replace_one(legalizer, op, value);
}

bool convert_source_elementwise(Legalizer *legalizer, Op *op) {
    return replace_elementwise(legalizer, op, op->operand_count);
}

// What `outs` held is written over.
bool convert_linalg_elementwise(Legalizer *legalizer, Op *op) {
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    return op->result_count == 1 && replace_elementwise(legalizer, op, (int)segments.data[0]);
}

// --- constants and comparisons ---

bool convert_arith_constant(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    const Attr *value = op_attr(op, NAME_VALUE);
    if (type->kind != TYPE_TENSOR || !type_is_static(type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *constant;
    if (value->kind == ATTR_ELEMENTS)
        constant = build_constant(&builder, value);
    else if (value->kind == ATTR_FLOAT)
        constant = build_splat(&builder, type, value->number);
    else
        constant = build_splat_int(&builder, type, value->integer);
    return legalize_replace_one(legalizer, op, constant);
}

bool convert_tosa_const(Legalizer *legalizer, Op *op) {
    const Attr *value = source_constant(op_result(op, 0));
    if (!value || value->kind != ATTR_ELEMENTS) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_constant(&builder, value));
}

static int direction_of(int predicate) {
    switch (predicate) {
    case ARITH_PREDICATE_eq:
    case ARITH_PREDICATE_oeq:
    case ARITH_PREDICATE_ueq: return DIRECTION_EQ;
    case ARITH_PREDICATE_ne:
    case ARITH_PREDICATE_one:
    case ARITH_PREDICATE_une: return DIRECTION_NE;
    case ARITH_PREDICATE_slt:
    case ARITH_PREDICATE_ult:
    case ARITH_PREDICATE_olt: return DIRECTION_LT;
    case ARITH_PREDICATE_sle:
    case ARITH_PREDICATE_ule:
    case ARITH_PREDICATE_ole: return DIRECTION_LE;
    case ARITH_PREDICATE_sgt:
    case ARITH_PREDICATE_ugt:
    case ARITH_PREDICATE_ogt: return DIRECTION_GT;
    default: return DIRECTION_GE;
    }
}

// One of the operands is no number.
static Value *build_unordered(Builder *builder, Value *x, Value *y) {
    Value *y_is_none = build_compare(builder, DIRECTION_NE, y, y);
    Value *x_is_none = build_compare(builder, DIRECTION_NE, x, x);
    return build_binary(builder, OP_OR, x_is_none, y_is_none);
}

// A bool is 0 or -1 to a signed comparison.
static bool is_sign_compared(const Value *x, int predicate) {
    return x->type->element == ELEMENT_I1 && predicate >= ARITH_PREDICATE_slt &&
           predicate <= ARITH_PREDICATE_sge;
}

// Ordered comparisons are the core's, but for `one`; unordered ones hold of what is no number.
bool convert_arith_compare(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0), *y = op_operand(op, 1);
    if (!type_is_static(x->type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    int predicate = (int)op_int(op, NAME_PREDICATE, 0);
    bool is_float = op->code == OP_ARITH_CMPF;
    bool is_unsigned = predicate >= ARITH_PREDICATE_ult && predicate <= ARITH_PREDICATE_uge;
    Value *value;
    if (is_float && (predicate == ARITH_PREDICATE_uno || predicate == ARITH_PREDICATE_ord)) {
        value = build_unordered(&builder, x, y);
        if (predicate == ARITH_PREDICATE_ord) value = build_unary(&builder, OP_NOT, value);
        return legalize_replace_one(legalizer, op, value);
    }
    if (!is_float && is_unsigned) {
        x = as_unsigned(&builder, x);
        y = as_unsigned(&builder, y);
    } else if (!is_float && is_sign_compared(x, predicate)) { // -1 < 0
        Value *swapped = x;
        x = y;
        y = swapped;
    }
    bool is_unordered = is_float && (is_unsigned || predicate == ARITH_PREDICATE_ueq);
    value = build_compare(&builder, direction_of(predicate), x, y);
    if (is_unordered) value = build_binary(&builder, OP_OR, value, build_unordered(&builder, x, y));
    if (predicate == ARITH_PREDICATE_one) {
        Value *ordered = build_unary(&builder, OP_NOT, build_unordered(&builder, x, y));
        value = build_binary(&builder, OP_AND, value, ordered);
    }
    return legalize_replace_one(legalizer, op, value);
}

// --- tosa ---

bool convert_tosa_identity(Legalizer *legalizer, Op *op) {
    return legalize_replace_one(legalizer, op, op_operand(op, 0));
}

static bool are_zero(const Op *op, int first) {
    for (int i = first; i < op->operand_count; i++) {
        if (!source_is_zero(op_operand(op, i))) return false;
    }
    return true;
}

// -x; zero points other than zero are not supported
bool convert_tosa_negate(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    if (!type_is_static(x->type) || !are_zero(op, 1) || op_attr(op, NAME_QUANTIZATION_INFO))
        return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_unary(&builder, OP_NEGATE, x));
}

// x * y, without a shift
bool convert_tosa_mul(Legalizer *legalizer, Op *op) {
    const Type *result = op_result_type(op, 0);
    if (op->operand_count < 2 || !type_is_static(result) || !are_zero(op, 2) ||
        op_int(op, NAME_SHIFT, 0) != 0)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *factors[2];
    for (int i = 0; i < 2; i++) {
        factors[i] = op_operand(op, i);
        if (!type_is_static(factors[i]->type) || factors[i]->type->rank > result->rank)
            return false;
        factors[i] = build_convert(
            &builder, source_broadcast(&builder, factors[i], result), result->element);
    }
    return legalize_replace_one(
        legalizer, op, build_binary(&builder, OP_MULTIPLY, factors[0], factors[1]));
}

// A bound of clamp as a tensor: TOSA 1.0's of the operand's type, or the older one for floats or
// integers.
static Value *clamp_bound(
    Builder *builder, const Op *op, AttrName name, AttrName of_float, AttrName of_int) {
    const Type *type = op_result_type(op, 0);
    const Attr *bound = op_attr(op, name);
    if (!bound) bound = op_attr(op, element_is_float(type->element) ? of_float : of_int);
    if (!bound) return NULL;
    if (bound->kind == ATTR_FLOAT) return build_splat(builder, type, bound->number);
    return bound->kind == ATTR_INT ? build_splat_int(builder, type, bound->integer) : NULL;
}

bool convert_tosa_clamp(Legalizer *legalizer, Op *op) {
    if (!type_is_static(op_result_type(op, 0))) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *low = clamp_bound(&builder, op, NAME_MIN_VAL, NAME_MIN_FP, NAME_MIN_INT);
    Value *high = clamp_bound(&builder, op, NAME_MAX_VAL, NAME_MAX_FP, NAME_MAX_INT);
    if (!low || !high) return false;
    Value *value = build_binary(&builder, OP_MAXIMUM, op_operand(op, 0), low);
    return legalize_replace_one(legalizer, op, build_binary(&builder, OP_MINIMUM, value, high));
}

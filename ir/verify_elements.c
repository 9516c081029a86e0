// Which types an op takes: ranked tensors of some classes of elements, or anything. And what every type must satisfy.
#include "base/checked.h"
#include "ir/infer.h"

// Classes of elements, as bits.
enum {
    PRED = 1,
    SINT = 2,
    UINT = 4,
    FLOAT = 8,
    COMPLEX = 16,
    QUANT = 32, // per tensor
    INT = SINT | UINT,
    ANY_ELEMENT = PRED | INT | FLOAT | COMPLEX | QUANT
};

// The elements of operand 0 (for most ops: of all operands and results). 0: no restriction but that of per-axis quantisation.
static const unsigned char operand_elements[OP_COUNT] = {
    [OP_ABS] = SINT | FLOAT | COMPLEX | QUANT,
    [OP_CBRT] = FLOAT | COMPLEX | QUANT,
    [OP_CEIL] = FLOAT | QUANT,
    [OP_COSINE] = FLOAT | COMPLEX | QUANT,
    [OP_EXPONENTIAL] = FLOAT | COMPLEX | QUANT,
    [OP_EXPONENTIAL_MINUS_ONE] = FLOAT | COMPLEX | QUANT,
    [OP_FLOOR] = FLOAT | QUANT,
    [OP_LOG] = FLOAT | COMPLEX | QUANT,
    [OP_LOG_PLUS_ONE] = FLOAT | COMPLEX | QUANT,
    [OP_LOGISTIC] = FLOAT | COMPLEX | QUANT,
    [OP_NEGATE] = INT | FLOAT | COMPLEX | QUANT,
    [OP_NOT] = PRED | INT,
    [OP_POPCNT] = INT,
    [OP_COUNT_LEADING_ZEROS] = INT,
    [OP_ROUND_NEAREST_AFZ] = FLOAT | QUANT,
    [OP_ROUND_NEAREST_EVEN] = FLOAT | QUANT,
    [OP_RSQRT] = FLOAT | COMPLEX | QUANT,
    [OP_SIGN] = SINT | FLOAT | COMPLEX | QUANT,
    [OP_SINE] = FLOAT | COMPLEX | QUANT,
    [OP_SQRT] = FLOAT | COMPLEX | QUANT,
    [OP_TAN] = FLOAT | COMPLEX | QUANT,
    [OP_TANH] = FLOAT | COMPLEX | QUANT,
    [OP_IMAG] = FLOAT | COMPLEX,
    [OP_REAL] = FLOAT | COMPLEX,
    [OP_IS_FINITE] = FLOAT | QUANT,
    [OP_AND] = PRED | INT,
    [OP_MAXIMUM] = ANY_ELEMENT,
    [OP_MINIMUM] = ANY_ELEMENT,
    [OP_MULTIPLY] = ANY_ELEMENT,
    [OP_OR] = PRED | INT,
    [OP_XOR] = PRED | INT,
    [OP_ATAN2] = FLOAT | COMPLEX | QUANT,
    [OP_DIVIDE] = INT | FLOAT | COMPLEX | QUANT,
    [OP_POWER] = INT | FLOAT | COMPLEX | QUANT,
    [OP_REMAINDER] = INT | FLOAT | COMPLEX | QUANT,
    [OP_SHIFT_LEFT] = INT,
    [OP_SHIFT_RIGHT_ARITHMETIC] = INT,
    [OP_SHIFT_RIGHT_LOGICAL] = INT,
    [OP_SUBTRACT] = INT | FLOAT | COMPLEX | QUANT,
    [OP_COMPLEX] = FLOAT,
    [OP_REDUCE_PRECISION] = FLOAT | QUANT,
    [OP_IOTA] = INT | FLOAT | COMPLEX | QUANT,
    [OP_CHOLESKY] = FLOAT | COMPLEX | QUANT,
    [OP_TRIANGULAR_SOLVE] = FLOAT | COMPLEX,
    [OP_FFT] = FLOAT | COMPLEX,
    [OP_BATCH_NORM_GRAD] = FLOAT | QUANT,
    [OP_BATCH_NORM_INFERENCE] = FLOAT | QUANT,
    [OP_BATCH_NORM_TRAINING] = FLOAT | QUANT,
    [OP_RNG_BIT_GENERATOR] = INT | FLOAT,
    [OP_CHLO_ACOS] = FLOAT | COMPLEX,
    [OP_CHLO_ACOSH] = FLOAT | COMPLEX,
    [OP_CHLO_ASIN] = FLOAT | COMPLEX,
    [OP_CHLO_ASINH] = FLOAT | COMPLEX,
    [OP_CHLO_ATAN] = FLOAT | COMPLEX,
    [OP_CHLO_ATANH] = FLOAT | COMPLEX,
    [OP_CHLO_BESSEL_I1E] = FLOAT,
    [OP_CHLO_COSH] = FLOAT | COMPLEX,
    [OP_CHLO_DIGAMMA] = FLOAT,
    [OP_CHLO_ERF] = FLOAT,
    [OP_CHLO_ERF_INV] = FLOAT,
    [OP_CHLO_ERFC] = FLOAT,
    [OP_CHLO_LGAMMA] = FLOAT,
    [OP_CHLO_SINH] = FLOAT | COMPLEX,
    [OP_CHLO_TAN] = FLOAT | COMPLEX,
    [OP_CHLO_IS_INF] = FLOAT,
    [OP_CHLO_IS_NEG_INF] = FLOAT,
    [OP_CHLO_IS_POS_INF] = FLOAT,
    [OP_CHLO_MULHI] = INT,
    [OP_CHLO_NEXT_AFTER] = FLOAT,
    [OP_CHLO_POLYGAMMA] = FLOAT,
    [OP_CHLO_ZETA] = FLOAT,
};

// Ops that take and give values of any type, tokens and tuples included.
static const bool takes_anything[OP_COUNT] = {
    [OP_MODULE] = true,
    [OP_FUNC] = true,
    [OP_CALL] = true,
    [OP_FUNC_RETURN] = true,
    [OP_UNREGISTERED] = true,
    [OP_SDY_MESH] = true,
    [OP_SDY_CONSTRAINT] = true,
    [OP_SDY_RESHARD] = true,
    [OP_SDY_MANUAL] = true,
    [OP_SDY_NAMED] = true,
    [OP_SDY_EDGE] = true,
    [OP_SDY_FUNC_EDGE] = true,
    [OP_SDY_RETURN] = true,
    [OP_WHILE] = true,
    [OP_IF] = true,
    [OP_CASE] = true,
    [OP_RETURN] = true,
    [OP_COMPOSITE] = true,
    [OP_CUSTOM_CALL] = true,
    [OP_ASYNC_START] = true,
    [OP_ASYNC_DONE] = true,
    [OP_TUPLE] = true,
    [OP_GET_TUPLE_ELEMENT] = true,
    [OP_AFTER_ALL] = true,
    [OP_CREATE_TOKEN] = true,
    [OP_INFEED] = true,
    [OP_OUTFEED] = true,
    [OP_SEND] = true,
    [OP_RECV] = true,
    [OP_OPTIMIZATION_BARRIER] = true,
    [OP_CHECK_EXPECT_EQ] = true,
    [OP_CHECK_EXPECT_CLOSE] = true,
    [OP_RUN_PARALLEL] = true,
    [OP_PROBE] = true,
    [OP_PRINT] = true,
};

bool infer_takes_anything(OpCode code) { return takes_anything[code]; }

// Ops whose tensors may be quantised along an axis.
static const bool takes_axis_quant[OP_COUNT] = {
    [OP_ADD] = true,
    [OP_SUBTRACT] = true,
    [OP_BITCAST_CONVERT] = true,
    [OP_BROADCAST_IN_DIM] = true,
    [OP_DYNAMIC_BROADCAST_IN_DIM] = true,
    [OP_CONSTANT] = true,
    [OP_CONVOLUTION] = true,
    [OP_DYNAMIC_CONV] = true,
    [OP_DOT] = true,
    [OP_DOT_GENERAL] = true,
    [OP_RESHAPE] = true,
    [OP_DYNAMIC_RESHAPE] = true,
    [OP_TRANSPOSE] = true,
    [OP_UNIFORM_QUANTIZE] = true,
    [OP_UNIFORM_DEQUANTIZE] = true,
};

static unsigned element_bit(ElementType element) {
    switch (element_class(element)) {
    case CLASS_BOOL: return PRED;
    case CLASS_SINT: return SINT;
    case CLASS_UINT: return UINT;
    case CLASS_FLOAT: return FLOAT;
    case CLASS_COMPLEX: return COMPLEX;
    }
    return 0;
}

static const char *describe(Infer *infer, unsigned elements) {
    static const char *const names[] = {"pred",           "signed integer", "unsigned integer",
                                        "floating-point", "complex",        "quantized"};
    if (elements == 0) return "any values";
    StrBuf text = strbuf(infer->diags->arena);
    for (int bit = 0; bit < 6; bit++) {
        if (!(elements & 1u << bit)) continue;
        if (text.size) strbuf_puts(&text, " or ");
        strbuf_puts(&text, names[bit]);
    }
    strbuf_puts(&text, " values");
    return strbuf_cstring(&text);
}

static bool is_quant_valid(const Type *type) {
    const QuantParams *quant = type->quant;
    if (!quant) return true;
    if (quant->axis >= 0 && !type->unranked &&
        (quant->axis >= type->rank || !dims_fit(type->dims[quant->axis], quant->count)))
        return false;
    for (int i = 0; i < quant->count; i++) {
        // The expressed type must be able to hold the scale.
        const FloatFormat *format = element_float_format(quant->expressed);
        if (!format || !(quant->scales[i] > 0) ||
            float_decode(format, float_encode(format, quant->scales[i])) > 2 * quant->scales[i])
            return false;
        if (quant->zero_points[i] < quant->storage_min ||
            quant->zero_points[i] > quant->storage_max)
            return false;
    }
    return quant->count > 0;
}

// CHLO leaves open how many dimensions there are.
static bool may_be_unranked(OpCode code) {
    return strview_starts_with(op_code_text(code), SV("chlo.")) || code == OP_TENSOR_CAST;
}

static bool check_tensor(
    Infer *infer, const Op *op, const char *kind, int i, bool variadic, unsigned elements,
    const Type *type) {
    bool ranked = type->kind == TYPE_TENSOR && (!type->unranked || may_be_unranked(op->code));
    bool fits = ranked && is_quant_valid(type);
    if (fits && type->quant && type->quant->axis >= 0) fits = takes_axis_quant[op->code];
    if (fits && elements)
        fits = ((type->quant ? QUANT : element_bit(type->element)) & elements) != 0;
    if (fits) return true;
    return infer_fail(
        infer, op, "%s #%d must be %sranked tensor of %s, but got '%s'", kind, i,
        variadic ? "variadic of " : "", describe(infer, elements), infer_type_text(infer, type));
}

bool infer_check_tensors(Infer *infer, const Op *op) {
    if (takes_anything[op->code]) return true;
    bool variadic = op_code_operands(op->code) < 0;
    if (op->code == OP_REDUCE_SCATTER || op->code == OP_DYNAMIC_SLICE ||
        op->code == OP_DYNAMIC_UPDATE_SLICE || op->code == OP_COLLECTIVE_PERMUTE)
        variadic = false; // the first operand is a single one, as upstream's messages have it
    unsigned elements = operand_elements[op->code];
    for (int i = 0; i < op->operand_count; i++) {
        if (!check_tensor(infer, op, "operand", i, variadic, elements, op_operand_type(op, i)))
            return false;
    }
    variadic = op_code_results(op->code) < 0;
    bool is_pointwise = op_has(op, TRAIT_POINTWISE);
    for (int i = 0; i < op->result_count; i++) {
        // The result of a pointwise op differs in class for a few ops; inference compares it.
        unsigned result_elements = is_pointwise ? 0 : op->code == OP_IOTA ? elements : 0;
        if (!check_tensor(infer, op, "result", i, variadic, result_elements, op_result_type(op, i)))
            return false;
    }
    return true;
}

// Sizes that fit: the elements of a static tensor can be counted and stored.
bool infer_check_type(Infer *infer, const Op *op, const Type *type) {
    const int64_t max_bytes = INT64_C(1) << 46;
    if (type->kind == TYPE_TUPLE || type->kind == TYPE_FUTURE) {
        for (int i = 0; i < type->part_count; i++) {
            if (!infer_check_type(infer, op, type->parts[i]))
                return false; // readers limit the depth
        }
        return true;
    }
    if (type->kind != TYPE_TENSOR) return true;
    if (takes_anything[op->code] && !is_quant_valid(type))
        return infer_fail(
            infer, op, "quantization of '%s' does not fit its shape or its types",
            infer_type_text(infer, type));
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] < 0 && type->dims[d] != DIM_DYNAMIC)
            return infer_fail(
                infer, op, "dimension %d of '%s' is negative", d, infer_type_text(infer, type));
    }
    if (!type_is_static(type)) return true;
    int64_t bytes;
    bool fits = checked_product(type->dims, type->rank, &bytes) &&
                checked_mul(bytes, (int64_t)element_bytes(type->element), &bytes);
    if (fits && bytes < max_bytes) return true;
    return infer_fail(infer, op, "type '%s' is too large", infer_type_text(infer, type));
}

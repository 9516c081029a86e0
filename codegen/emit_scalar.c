// Pointwise ops on scalars, as ir/scalar/scalar_ops.def defines them: integers wrap, shifts beyond the width are 0 or the sign, maximum and
// minimum pass NaN on, narrow floats are computed in f32 and rounded after every op.
#include "codegen/emit_state.h"

#include <stdio.h>
#include <string.h>

// --- calls ---

LLVMValueRef emit_intrinsic(
    Emit *e, const char *name, LLVMTypeRef type, int count, LLVMValueRef *arguments) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    LLVMTypeRef function_type = LLVMIntrinsicGetType(e->context, id, &type, 1);
    return LLVMBuildCall2(e->builder, function_type, function, arguments, (unsigned)count, "");
}

static LLVMValueRef emit_intrinsic2(Emit *e, const char *name, LLVMTypeRef result, LLVMValueRef x) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef types[2] = {result, LLVMTypeOf(x)};
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMTypeRef function_type = LLVMIntrinsicGetType(e->context, id, types, 2);
    return LLVMBuildCall2(e->builder, function_type, function, &x, 1, "");
}

LLVMValueRef emit_call_pure(
    Emit *e, const char *name, LLVMTypeRef result, int count, LLVMValueRef *arguments) {
    LLVMTypeRef types[4];
    for (int i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef function_type = LLVMFunctionType(result, types, (unsigned)count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) {
        function = LLVMAddFunction(e->module, name, function_type);
        static const char *const facts[] = {"memory", "nounwind", "willreturn"}; // memory(none)
        for (int i = 0; i < 3; i++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(facts[i], strlen(facts[i]));
            LLVMAddAttributeAtIndex(
                function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
        }
    }
    return LLVMBuildCall2(e->builder, function_type, function, arguments, (unsigned)count, "");
}

LLVMValueRef emit_libm(
    Emit *e, const char *name, LLVMTypeRef type, int count, LLVMValueRef *arguments) {
    char text[32];
    bool is_float = type == LLVMFloatTypeInContext(e->context);
    snprintf(text, sizeof text, "%s%s", name, is_float ? "f" : "");
    return emit_call_pure(e, text, type, count, arguments);
}

// --- small pieces ---

static LLVMValueRef unary_intrinsic(Emit *e, const char *name, LLVMValueRef x) {
    return emit_intrinsic(e, name, LLVMTypeOf(x), 1, &x);
}

static LLVMValueRef binary_intrinsic(Emit *e, const char *name, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, name, LLVMTypeOf(x), 2, both);
}

static LLVMValueRef choose(Emit *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildSelect(e->builder, condition, x, y, "");
}

static LLVMValueRef int_of(LLVMValueRef like, int64_t number) {
    return LLVMConstInt(LLVMTypeOf(like), (unsigned long long)number, 1);
}

static LLVMValueRef real_of(LLVMValueRef like, double number) {
    return LLVMConstReal(LLVMTypeOf(like), number);
}

static LLVMValueRef icmp(Emit *e, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildICmp(e->builder, predicate, x, y, "");
}

static LLVMValueRef fcmp(Emit *e, LLVMRealPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFCmp(e->builder, predicate, x, y, "");
}

static LLVMValueRef allow_reassociation(Emit *e, LLVMValueRef x) {
    if (e->reassociate && LLVMIsAInstruction(x))
        LLVMSetFastMathFlags(x, LLVMFastMathAllowReassoc | LLVMFastMathAllowContract);
    return x;
}

// In a reduction the largest of -0 and 0 may be either, which saves two instructions of five.
static LLVMValueRef ignore_sign_of_zero(Emit *e, LLVMValueRef x) {
    if (e->reassociate && LLVMIsAInstruction(x))
        LLVMSetFastMathFlags(x, LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros);
    return x;
}

static bool is_narrow_float(ElementType element) {
    return element_is_float(element) && element != ELEMENT_F32 && element != ELEMENT_F64;
}

// The number as f32 or f64.
static LLVMValueRef widen(Emit *e, Scalar x) {
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context);
    if (x.element == ELEMENT_F16) return LLVMBuildFPExt(e->builder, x.value, f32, "");
    if (x.element != ELEMENT_BF16) return x.value;
    LLVMValueRef bits = LLVMBuildZExt(e->builder, x.value, LLVMInt32TypeInContext(e->context), "");
    return LLVMBuildBitCast(
        e->builder, LLVMBuildShl(e->builder, bits, int_of(bits, 16), ""), f32, "");
}

// f32 to the nearest bf16, ties to even, on the pattern: a conversion to bfloat loses what is below the smallest normal number on some
// processors, and is a call for each element on others.
static LLVMValueRef round_to_bf16(Emit *e, LLVMValueRef x) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bits = LLVMBuildBitCast(b, x, LLVMInt32TypeInContext(e->context), "");
    LLVMValueRef high = LLVMBuildLShr(b, bits, int_of(bits, 16), "");
    LLVMValueRef odd = LLVMBuildAnd(b, high, int_of(bits, 1), "");
    LLVMValueRef half = LLVMBuildAdd(b, odd, int_of(bits, 0x7FFF), "");
    LLVMValueRef rounded = LLVMBuildLShr(b, LLVMBuildAdd(b, bits, half, ""), int_of(bits, 16), "");
    LLVMValueRef quiet = LLVMBuildOr(b, high, int_of(bits, 0x40), "");
    rounded = choose(e, fcmp(e, LLVMRealUNO, x, x), quiet, rounded);
    return LLVMBuildTrunc(b, rounded, emit_register_type(e, ELEMENT_BF16), "");
}

// f32, or f64 where the element type is not bf16, rounded to the element type's register form.
static Scalar narrow(Emit *e, ElementType element, LLVMValueRef x) {
    Scalar result = {.element = element, .value = x};
    LLVMTypeRef type = emit_register_type(e, element);
    if (element == ELEMENT_F16) {
        result.value = LLVMBuildFPTrunc(e->builder, x, type, "");
    } else if (element == ELEMENT_BF16) {
        result.value = round_to_bf16(e, x);
    } else if (is_narrow_float(element)) {
        result.value = emit_round_float(e, element, x);
    }
    return result;
}

// f32 or f64 that the element type holds exactly, in its register form.
static Scalar narrow_exactly(Emit *e, ElementType element, LLVMValueRef x) {
    Scalar result = {.element = element, .value = x};
    // formats of eight bits: zero may have no sign, numbers none
    if (element == ELEMENT_F16 || element_bits(element) <= 8) return narrow(e, element, x);
    if (element != ELEMENT_BF16) return result;
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, x, LLVMInt32TypeInContext(e->context), "");
    bits = LLVMBuildLShr(e->builder, bits, int_of(bits, 16), "");
    result.value = LLVMBuildTrunc(e->builder, bits, emit_register_type(e, element), "");
    return result;
}

// Ops whose results are numbers of the operands' type, without rounding.
static bool is_rounding_free(OpCode code) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): most ops round
    case OP_ABS:
    case OP_CEIL:
    case OP_FLOOR:
    case OP_NEGATE:
    case OP_ROUND_NEAREST_AFZ:
    case OP_ROUND_NEAREST_EVEN:
    case OP_SIGN:
    case OP_MAXIMUM:
    case OP_MINIMUM:
    case OP_CHLO_CONJ:
    case OP_REAL:
    case OP_IMAG: return true;
    default: return false;
    }
}

static Scalar integer(ElementType element, LLVMValueRef value) {
    return (Scalar){.element = element, .value = value};
}

// --- floating point ---

static LLVMValueRef float_sign(Emit *e, LLVMValueRef x) {
    LLVMValueRef zero = real_of(x, 0), one = real_of(x, 1);
    LLVMValueRef sign = binary_intrinsic(e, "llvm.copysign", one, x);
    return choose(e, fcmp(e, LLVMRealONE, x, zero), sign, x); // zero and NaN stay
}

// Rounds half away from zero.
static LLVMValueRef float_round_away(Emit *e, LLVMValueRef x) {
    return unary_intrinsic(e, "llvm.round", x);
}

static LLVMValueRef float_op(
    Emit *e, OpCode code, ElementType wide, LLVMValueRef x, LLVMValueRef y) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the others are functions
    case OP_ABS: return unary_intrinsic(e, "llvm.fabs", x);
    case OP_CEIL: return unary_intrinsic(e, "llvm.ceil", x);
    case OP_FLOOR: return unary_intrinsic(e, "llvm.floor", x);
    case OP_NEGATE: return LLVMBuildFNeg(e->builder, x, "");
    case OP_ROUND_NEAREST_AFZ: return float_round_away(e, x);
    case OP_ROUND_NEAREST_EVEN: return unary_intrinsic(e, "llvm.roundeven", x);
    case OP_SIGN: return float_sign(e, x);
    case OP_SQRT: return unary_intrinsic(e, "llvm.sqrt", x);
    case OP_RSQRT:
        return LLVMBuildFDiv(e->builder, real_of(x, 1), unary_intrinsic(e, "llvm.sqrt", x), "");
    case OP_CHLO_CONJ:
    case OP_REAL: return x;
    case OP_IMAG: return real_of(x, 0);
    case OP_CHLO_SQUARE: return LLVMBuildFMul(e->builder, x, x, "");
    case OP_ADD: return allow_reassociation(e, LLVMBuildFAdd(e->builder, x, y, ""));
    case OP_SUBTRACT: return LLVMBuildFSub(e->builder, x, y, "");
    case OP_MULTIPLY: return allow_reassociation(e, LLVMBuildFMul(e->builder, x, y, ""));
    case OP_DIVIDE: return LLVMBuildFDiv(e->builder, x, y, "");
    case OP_REMAINDER: return LLVMBuildFRem(e->builder, x, y, "");
    case OP_MAXIMUM: return ignore_sign_of_zero(e, binary_intrinsic(e, "llvm.maximum", x, y));
    case OP_MINIMUM: return ignore_sign_of_zero(e, binary_intrinsic(e, "llvm.minimum", x, y));
    default: return emit_math(e, code, wide, x, y);
    }
}

// The next number after x towards y, on patterns.
static Scalar next_after(Emit *e, ElementType element, LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMTypeRef bits = LLVMIntTypeInContext(e->context, (unsigned)element_bits(element));
    bool is_small = element_bytes(element) == 1; // in registers an f32
    LLVMValueRef pattern =
        is_small ? emit_encode_float(e, element, x) : LLVMBuildBitCast(e->builder, x, bits, "");
    LLVMValueRef wide_x = widen(e, integer(element, x)), wide_y = widen(e, integer(element, y));
    LLVMValueRef zero = real_of(wide_x, 0);
    LLVMValueRef grows = LLVMBuildXor(
        e->builder, fcmp(e, LLVMRealOGT, wide_y, wide_x), fcmp(e, LLVMRealOLT, wide_x, zero), "");
    LLVMValueRef next = LLVMBuildAdd(
        e->builder, pattern, choose(e, grows, int_of(pattern, 1), int_of(pattern, -1)), "");
    uint64_t sign = (uint64_t)1 << (element_bits(element) - 1);
    LLVMValueRef smallest = choose(
        e, fcmp(e, LLVMRealOLT, wide_y, zero), int_of(pattern, (int64_t)(sign | 1)),
        int_of(pattern, 1));
    if (element_float_format(element)
            ->nan_is_minus_zero) // the smallest negative number grows to zero
        next = choose(
            e, icmp(e, LLVMIntEQ, next, int_of(pattern, (int64_t)sign)), int_of(pattern, 0), next);
    next = choose(e, fcmp(e, LLVMRealOEQ, wide_x, zero), smallest, next);
    LLVMValueRef number = is_small ? emit_decode_float(e, element, next)
                                   : LLVMBuildBitCast(e->builder, next, type, "");
    number = choose(e, fcmp(e, LLVMRealOEQ, wide_x, wide_y), y, number);
    number = choose(e, fcmp(e, LLVMRealUNO, wide_y, wide_y), y, number);
    number = choose(e, fcmp(e, LLVMRealUNO, wide_x, wide_x), x, number);
    return (Scalar){.element = element, .value = number};
}

// Rounds to fewer exponent and mantissa bits on the pattern, to nearest even; too large becomes infinite, below the smallest
// normal number becomes zero. An op on a format of eight bits works on x in f32, whose range is not reduced to the format's own.
static Scalar reduce_precision(Emit *e, const Op *op, Scalar x) {
    const FloatFormat *format = element_float_format(x.element);
    const FloatFormat *own = element_float_format(op_operand_type(op, 0)->element);
    int exponent_bits = (int)op_int(op, NAME_EXPONENT_BITS, format->exponent_bits);
    int mantissa_bits = (int)op_int(op, NAME_MANTISSA_BITS, format->mantissa_bits);
    if (exponent_bits >= own->exponent_bits) exponent_bits = format->exponent_bits;
    int m = format->mantissa_bits;
    LLVMTypeRef bits = LLVMIntTypeInContext(e->context, (unsigned)format->bits);
    LLVMValueRef pattern = LLVMBuildBitCast(e->builder, x.value, bits, "");
    uint64_t sign_bit = (uint64_t)1 << (format->bits - 1);
    uint64_t exponent_mask = (((uint64_t)1 << format->exponent_bits) - 1) << m;
    LLVMValueRef sign = LLVMBuildAnd(e->builder, pattern, int_of(pattern, (int64_t)sign_bit), "");
    LLVMValueRef magnitude = LLVMBuildXor(e->builder, pattern, sign, "");
    LLVMValueRef infinity = int_of(pattern, (int64_t)exponent_mask);
    LLVMValueRef is_nan = icmp(e, LLVMIntUGT, magnitude, infinity);
    if (mantissa_bits < m) {
        uint64_t last = (uint64_t)1 << (m - mantissa_bits);
        LLVMValueRef odd =
            LLVMBuildLShr(e->builder, magnitude, int_of(pattern, m - mantissa_bits), "");
        odd = LLVMBuildAnd(e->builder, odd, int_of(pattern, 1), "");
        magnitude =
            LLVMBuildAdd(e->builder, magnitude, int_of(pattern, (int64_t)(last >> 1) - 1), "");
        magnitude = LLVMBuildAdd(e->builder, magnitude, odd, "");
        magnitude = LLVMBuildAnd(e->builder, magnitude, int_of(pattern, (int64_t) ~(last - 1)), "");
    }
    if (exponent_bits < format->exponent_bits) {
        uint64_t bias = ((uint64_t)1 << (format->exponent_bits - 1)) - 1;
        uint64_t reduced = ((uint64_t)1 << (exponent_bits - 1)) - 1;
        LLVMValueRef exponent = LLVMBuildAnd(e->builder, magnitude, infinity, "");
        LLVMValueRef too_large =
            icmp(e, LLVMIntUGT, exponent, int_of(pattern, (int64_t)((bias + reduced) << m)));
        LLVMValueRef too_small =
            icmp(e, LLVMIntULE, exponent, int_of(pattern, (int64_t)((bias - reduced) << m)));
        magnitude = choose(e, too_large, infinity, magnitude);
        magnitude = choose(e, too_small, int_of(pattern, 0), magnitude);
    }
    LLVMValueRef result = LLVMBuildOr(e->builder, sign, magnitude, "");
    LLVMValueRef nan = mantissa_bits > 0 ? pattern : LLVMBuildOr(e->builder, sign, infinity, "");
    result = choose(e, is_nan, nan, result);
    return (Scalar){
        .element = x.element,
        .value = LLVMBuildBitCast(e->builder, result, LLVMTypeOf(x.value), "")};
}

static Scalar float_test(Emit *e, OpCode code, LLVMValueRef x) {
    LLVMValueRef infinity = real_of(x, (double)__builtin_inff());
    LLVMValueRef size = unary_intrinsic(e, "llvm.fabs", x), result = NULL;
    if (code == OP_IS_FINITE) result = fcmp(e, LLVMRealONE, size, infinity);
    if (code == OP_CHLO_IS_INF) result = fcmp(e, LLVMRealOEQ, size, infinity);
    if (code == OP_CHLO_IS_POS_INF) result = fcmp(e, LLVMRealOEQ, x, infinity);
    if (code == OP_CHLO_IS_NEG_INF)
        result = fcmp(e, LLVMRealOEQ, x, LLVMBuildFNeg(e->builder, infinity, ""));
    return integer(ELEMENT_I1, result);
}

static Scalar refuse(Emit *e, const Op *op, ElementType element) {
    if (!e->failed)
        diag_unsupported(
            e->diags, op->loc, "'%.*s' on elements of type %.*s is not supported in native code",
            SV_ARG(op->name), SV_ARG(element_text(element)));
    e->failed = true;
    return emit_constant(e, op_result_type(op, 0)->element, 0);
}

static Scalar float_scalar_op(Emit *e, const Op *op, const Scalar *operands) {
    ElementType element = operands[0].element;
    OpCode code = op->code;
    if (code == OP_IS_FINITE || code == OP_CHLO_IS_INF || code == OP_CHLO_IS_POS_INF ||
        code == OP_CHLO_IS_NEG_INF)
        return float_test(e, code, widen(e, operands[0]));
    if (code == OP_REDUCE_PRECISION) {
        if (element_bits(element) > 8) return reduce_precision(e, op, operands[0]);
        Scalar wide = {.element = ELEMENT_F32, .value = operands[0].value};
        return narrow(e, element, reduce_precision(e, op, wide).value);
    }
    if (code == OP_CHLO_NEXT_AFTER)
        return next_after(e, element, operands[0].value, operands[1].value);
    ElementType wide = element == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
    LLVMValueRef x = widen(e, operands[0]),
                 y = op->operand_count > 1 ? widen(e, operands[1]) : NULL;
    LLVMValueRef result = float_op(e, code, wide, x, y);
    if (!result) return (Scalar){.element = element}; // the caller refuses it
    ElementType to = op_result_type(op, 0)->element;
    return is_rounding_free(code) ? narrow_exactly(e, to, result) : narrow(e, to, result);
}

// --- integers ---

// x / y or x mod y: y = 0 gives all ones or x, the smallest number by -1 gives itself or 0.
static LLVMValueRef int_divide(
    Emit *e, LLVMValueRef x, LLVMValueRef y, bool is_signed, bool is_remainder) {
    LLVMValueRef zero = int_of(x, 0), one = int_of(x, 1), minus_one = int_of(x, -1);
    LLVMValueRef by_zero = icmp(e, LLVMIntEQ, y, zero);
    LLVMValueRef divisor = choose(e, by_zero, one, y);
    if (!is_signed) {
        LLVMValueRef result = is_remainder ? LLVMBuildURem(e->builder, x, divisor, "")
                                           : LLVMBuildUDiv(e->builder, x, divisor, "");
        return choose(e, by_zero, is_remainder ? x : minus_one, result);
    }
    LLVMValueRef by_minus_one = icmp(e, LLVMIntEQ, y, minus_one);
    divisor = choose(e, by_minus_one, one, divisor);
    LLVMValueRef result = is_remainder ? LLVMBuildSRem(e->builder, x, divisor, "")
                                       : LLVMBuildSDiv(e->builder, x, divisor, "");
    LLVMValueRef negated = is_remainder ? zero : LLVMBuildNeg(e->builder, x, "");
    result = choose(e, by_minus_one, negated, result);
    return choose(e, by_zero, is_remainder ? x : minus_one, result);
}

static LLVMValueRef int_shift(Emit *e, OpCode code, LLVMValueRef x, LLVMValueRef y) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    LLVMValueRef zero = int_of(x, 0);
    LLVMValueRef is_small =
        icmp(e, LLVMIntULT, y, int_of(x, bits)); // i2's width is no i2: see below
    if (bits < 8) {                              // in eight bits
        LLVMTypeRef byte = LLVMInt8TypeInContext(e->context), type = LLVMTypeOf(x);
        bool is_arithmetic = code == OP_SHIFT_RIGHT_ARITHMETIC;
        LLVMValueRef wide = is_arithmetic ? LLVMBuildSExt(e->builder, x, byte, "")
                                          : LLVMBuildZExt(e->builder, x, byte, "");
        LLVMValueRef by = LLVMBuildZExt(e->builder, y, byte, "");
        LLVMValueRef most = LLVMConstInt(byte, 7, 0);
        by = binary_intrinsic(e, "llvm.umin", by, most);
        LLVMValueRef beyond = icmp(e, LLVMIntUGE, by, LLVMConstInt(byte, bits, 0));
        LLVMValueRef result = code == OP_SHIFT_LEFT ? LLVMBuildShl(e->builder, wide, by, "")
                              : code == OP_SHIFT_RIGHT_LOGICAL
                                  ? LLVMBuildLShr(e->builder, wide, by, "")
                                  : LLVMBuildAShr(e->builder, wide, by, "");
        if (!is_arithmetic) result = choose(e, beyond, LLVMConstInt(byte, 0, 0), result);
        return LLVMBuildTrunc(e->builder, result, type, "");
    }
    LLVMValueRef by = choose(e, is_small, y, int_of(x, bits - 1));
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): three shifts
    case OP_SHIFT_LEFT: return choose(e, is_small, LLVMBuildShl(e->builder, x, by, ""), zero);
    case OP_SHIFT_RIGHT_LOGICAL:
        return choose(e, is_small, LLVMBuildLShr(e->builder, x, by, ""), zero);
    default: return LLVMBuildAShr(e->builder, x, by, "");
    }
}

// The high half of the product.
static LLVMValueRef int_multiply_high(Emit *e, LLVMValueRef x, LLVMValueRef y, bool is_signed) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    LLVMTypeRef wide = LLVMIntTypeInContext(e->context, 2 * bits);
    LLVMValueRef a =
        is_signed ? LLVMBuildSExt(e->builder, x, wide, "") : LLVMBuildZExt(e->builder, x, wide, "");
    LLVMValueRef b =
        is_signed ? LLVMBuildSExt(e->builder, y, wide, "") : LLVMBuildZExt(e->builder, y, wide, "");
    LLVMValueRef product = LLVMBuildMul(e->builder, a, b, "");
    return LLVMBuildTrunc(
        e->builder, LLVMBuildLShr(e->builder, product, LLVMConstInt(wide, bits, 0), ""),
        LLVMTypeOf(x), "");
}

// x^y by squaring, wrapping; a fixed number of steps. A negative exponent: 0 unless x is 1 or -1.
static LLVMValueRef int_power(Emit *e, LLVMValueRef x, LLVMValueRef y, bool is_signed) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    LLVMValueRef one = int_of(x, 1), base = x, result = one;
    for (unsigned i = 0; i < bits; i++) {
        LLVMValueRef bit =
            LLVMBuildAnd(e->builder, LLVMBuildLShr(e->builder, y, int_of(x, i), ""), one, "");
        LLVMValueRef is_set = icmp(e, LLVMIntNE, bit, int_of(x, 0));
        result = choose(e, is_set, LLVMBuildMul(e->builder, result, base, ""), result);
        base = LLVMBuildMul(e->builder, base, base, "");
    }
    if (!is_signed) return result;
    LLVMValueRef is_odd = LLVMBuildTrunc(e->builder, y, LLVMInt1TypeInContext(e->context), "");
    LLVMValueRef inverse = choose(e, icmp(e, LLVMIntEQ, x, one), one, int_of(x, 0));
    LLVMValueRef of_minus_one = choose(e, is_odd, int_of(x, -1), one);
    inverse = choose(e, icmp(e, LLVMIntEQ, x, int_of(x, -1)), of_minus_one, inverse);
    return choose(e, icmp(e, LLVMIntSLT, y, int_of(x, 0)), inverse, result);
}

static LLVMValueRef int_leading_zeros(Emit *e, LLVMValueRef x) {
    LLVMValueRef both[2] = {x, LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0)};
    return emit_intrinsic(e, "llvm.ctlz", LLVMTypeOf(x), 2, both);
}

static LLVMValueRef int_op(Emit *e, OpCode code, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef zero = int_of(x, 0), one = int_of(x, 1);
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the ops on integers
    case OP_ABS:
        return is_signed ? choose(e, icmp(e, LLVMIntSLT, x, zero), LLVMBuildNeg(b, x, ""), x) : x;
    case OP_NEGATE: return LLVMBuildNeg(b, x, "");
    case OP_NOT: return LLVMBuildNot(b, x, "");
    case OP_SIGN: {
        LLVMValueRef positive = choose(e, icmp(e, LLVMIntNE, x, zero), one, zero);
        return is_signed ? choose(e, icmp(e, LLVMIntSLT, x, zero), int_of(x, -1), positive)
                         : positive;
    }
    case OP_POPCNT: return unary_intrinsic(e, "llvm.ctpop", x);
    case OP_COUNT_LEADING_ZEROS: return int_leading_zeros(e, x);
    case OP_CHLO_SQUARE: return LLVMBuildMul(b, x, x, "");
    case OP_ADD: return LLVMBuildAdd(b, x, y, "");
    case OP_SUBTRACT: return LLVMBuildSub(b, x, y, "");
    case OP_MULTIPLY: return LLVMBuildMul(b, x, y, "");
    case OP_DIVIDE: return int_divide(e, x, y, is_signed, false);
    case OP_REMAINDER: return int_divide(e, x, y, is_signed, true);
    case OP_MAXIMUM: return binary_intrinsic(e, is_signed ? "llvm.smax" : "llvm.umax", x, y);
    case OP_MINIMUM: return binary_intrinsic(e, is_signed ? "llvm.smin" : "llvm.umin", x, y);
    case OP_POWER: return int_power(e, x, y, is_signed);
    case OP_AND: return LLVMBuildAnd(b, x, y, "");
    case OP_OR: return LLVMBuildOr(b, x, y, "");
    case OP_XOR: return LLVMBuildXor(b, x, y, "");
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT_ARITHMETIC:
    case OP_SHIFT_RIGHT_LOGICAL: return int_shift(e, code, x, y);
    case OP_CHLO_MULHI: return int_multiply_high(e, x, y, is_signed);
    default: return NULL;
    }
}

static LLVMValueRef bool_op(Emit *e, OpCode code, LLVMValueRef x, LLVMValueRef y) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the ops on i1
    case OP_NOT:
    case OP_COUNT_LEADING_ZEROS: return LLVMBuildNot(e->builder, x, "");
    case OP_POPCNT: return x;
    case OP_ADD:
    case OP_MAXIMUM:
    case OP_OR: return LLVMBuildOr(e->builder, x, y, "");
    case OP_MULTIPLY:
    case OP_MINIMUM:
    case OP_AND: return LLVMBuildAnd(e->builder, x, y, "");
    case OP_XOR: return LLVMBuildXor(e->builder, x, y, "");
    default: return NULL;
    }
}

Scalar emit_arithmetic(Emit *e, OpCode code, Scalar x, Scalar y) {
    Scalar result = {.element = x.element};
    switch (element_class(x.element)) {
    case CLASS_FLOAT: {
        ElementType wide = x.element == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
        return narrow(e, x.element, float_op(e, code, wide, widen(e, x), widen(e, y)));
    }
    case CLASS_COMPLEX: emit_complex_arithmetic(e, code, x, y, &result); break;
    case CLASS_BOOL: result.value = bool_op(e, code, x.value, y.value); break;
    case CLASS_SINT: result.value = int_op(e, code, true, x.value, y.value); break;
    case CLASS_UINT: result.value = int_op(e, code, false, x.value, y.value); break;
    }
    return result;
}

// --- compare, select, clamp ---

// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, as signed integers.
static LLVMValueRef total_order_key(Emit *e, Scalar x) {
    LLVMTypeRef bits = LLVMIntTypeInContext(
        e->context, element_bytes(x.element) == 1 ? 32 : (unsigned)element_bits(x.element));
    LLVMValueRef pattern =
        LLVMBuildBitCast(e->builder, x.value, bits, ""); // f8: the f32 that it equals
    unsigned width = LLVMGetIntTypeWidth(bits);
    LLVMValueRef sign = LLVMBuildAShr(e->builder, pattern, int_of(pattern, width - 1), "");
    LLVMValueRef flip = LLVMBuildLShr(e->builder, sign, int_of(pattern, 1), "");
    return LLVMBuildXor(e->builder, pattern, flip, "");
}

static LLVMValueRef compare_complex(Emit *e, int direction, Scalar x, Scalar y) {
    LLVMValueRef equal = LLVMBuildAnd(
        e->builder, fcmp(e, LLVMRealOEQ, x.value, y.value), fcmp(e, LLVMRealOEQ, x.imag, y.imag),
        "");
    if (direction == DIRECTION_EQ) return equal;
    if (direction == DIRECTION_NE) return LLVMBuildNot(e->builder, equal, "");
    bool is_greater = direction == DIRECTION_GT || direction == DIRECTION_GE;
    LLVMRealPredicate predicate = is_greater ? LLVMRealOGT : LLVMRealOLT;
    LLVMValueRef strict = LLVMBuildAnd(
        e->builder, fcmp(e, LLVMRealOEQ, x.value, y.value), fcmp(e, predicate, x.imag, y.imag), "");
    strict = LLVMBuildOr(e->builder, fcmp(e, predicate, x.value, y.value), strict, "");
    bool is_strict = direction == DIRECTION_GT || direction == DIRECTION_LT;
    return is_strict ? strict : LLVMBuildOr(e->builder, strict, equal, "");
}

static Scalar emit_compare(Emit *e, const Op *op, const Scalar *operands) {
    static const LLVMRealPredicate real[] = {
        [DIRECTION_EQ] = LLVMRealOEQ, [DIRECTION_NE] = LLVMRealUNE, [DIRECTION_GE] = LLVMRealOGE,
        [DIRECTION_GT] = LLVMRealOGT, [DIRECTION_LE] = LLVMRealOLE, [DIRECTION_LT] = LLVMRealOLT};
    static const LLVMIntPredicate with_sign[] = {
        [DIRECTION_EQ] = LLVMIntEQ,  [DIRECTION_NE] = LLVMIntNE,  [DIRECTION_GE] = LLVMIntSGE,
        [DIRECTION_GT] = LLVMIntSGT, [DIRECTION_LE] = LLVMIntSLE, [DIRECTION_LT] = LLVMIntSLT};
    static const LLVMIntPredicate without_sign[] = {
        [DIRECTION_EQ] = LLVMIntEQ,  [DIRECTION_NE] = LLVMIntNE,  [DIRECTION_GE] = LLVMIntUGE,
        [DIRECTION_GT] = LLVMIntUGT, [DIRECTION_LE] = LLVMIntULE, [DIRECTION_LT] = LLVMIntULT};
    int direction = (int)op_int(op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ);
    Scalar x = operands[0], y = operands[1], result = {.element = ELEMENT_I1};
    ElementClass class = element_class(x.element);
    if (class == CLASS_COMPLEX) {
        result.value = compare_complex(e, direction, x, y);
    } else if (class == CLASS_FLOAT) {
        if (op_int(op, NAME_COMPARE_TYPE, COMPARE_NOTYPE) == COMPARE_TOTALORDER)
            result.value =
                icmp(e, with_sign[direction], total_order_key(e, x), total_order_key(e, y));
        else
            result.value = fcmp(e, real[direction], widen(e, x), widen(e, y));
    } else {
        result.value =
            icmp(e, (class == CLASS_SINT ? with_sign : without_sign)[direction], x.value, y.value);
    }
    return result;
}

static Scalar choose_scalar(Emit *e, LLVMValueRef condition, Scalar x, Scalar y) {
    Scalar result = {.element = x.element, .value = choose(e, condition, x.value, y.value)};
    if (x.imag) result.imag = choose(e, condition, x.imag, y.imag);
    return result;
}

static Scalar complex_less_choice(Emit *e, Scalar x, Scalar y, Scalar on_less, Scalar otherwise) {
    return choose_scalar(e, compare_complex(e, DIRECTION_LT, x, y), on_less, otherwise);
}

// minimum(maximum(x, low), high)
static Scalar emit_clamp(Emit *e, const Scalar *operands) {
    Scalar low = operands[0], x = operands[1], high = operands[2];
    ElementClass class = element_class(x.element);
    if (class == CLASS_COMPLEX) {
        Scalar y = complex_less_choice(e, x, low, low, x);
        return complex_less_choice(e, high, y, high, y);
    }
    if (class == CLASS_BOOL) {
        LLVMValueRef y = LLVMBuildOr(e->builder, x.value, low.value, "");
        return integer(x.element, LLVMBuildAnd(e->builder, y, high.value, ""));
    }
    bool is_float = class == CLASS_FLOAT, is_signed = class == CLASS_SINT;
    const char *max = is_float ? "llvm.maximum" : is_signed ? "llvm.smax" : "llvm.umax";
    const char *min = is_float ? "llvm.minimum" : is_signed ? "llvm.smin" : "llvm.umin";
    LLVMValueRef y = binary_intrinsic(e, max, widen(e, x), widen(e, low));
    y = binary_intrinsic(e, min, y, widen(e, high));
    return is_float ? narrow_exactly(e, x.element, y) : integer(x.element, y);
}

// --- convert ---

static LLVMValueRef float_to_int(Emit *e, LLVMValueRef x, ElementType to) {
    ElementClass class = element_class(to);
    LLVMTypeRef type = emit_register_type(e, to);
    if (class == CLASS_BOOL) return fcmp(e, LLVMRealUNE, x, real_of(x, 0));
    return emit_intrinsic2(e, class == CLASS_SINT ? "llvm.fptosi.sat" : "llvm.fptoui.sat", type, x);
}

static Scalar int_to_float(Emit *e, Scalar x, ElementType to) {
    ElementType wide = to == ELEMENT_F64 || to == ELEMENT_C128 ? ELEMENT_F64 : ELEMENT_F32;
    LLVMTypeRef type = emit_register_type(e, wide);
    bool is_signed = element_class(x.element) == CLASS_SINT;
    LLVMValueRef number = is_signed ? LLVMBuildSIToFP(e->builder, x.value, type, "")
                                    : LLVMBuildUIToFP(e->builder, x.value, type, "");
    return (Scalar){.element = wide, .value = number};
}

static Scalar int_to_int(Emit *e, Scalar x, ElementType to) {
    LLVMTypeRef type = emit_register_type(e, to);
    if (element_class(to) == CLASS_BOOL)
        return integer(to, icmp(e, LLVMIntNE, x.value, int_of(x.value, 0)));
    bool is_signed = element_class(x.element) == CLASS_SINT;
    return integer(to, LLVMBuildIntCast2(e->builder, x.value, type, is_signed, ""));
}

// A float in register form to another float type, rounded once.
static Scalar float_to_float(Emit *e, Scalar x, ElementType to) {
    if (x.element == to) return x;
    LLVMValueRef wide = widen(e, x);
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->context), f64 = LLVMDoubleTypeInContext(e->context);
    bool is_double = x.element == ELEMENT_F64;
    Scalar result = {.element = to};
    if (to == ELEMENT_F64) {
        result.value = is_double ? wide : LLVMBuildFPExt(e->builder, wide, f64, "");
    } else if (to == ELEMENT_F32) {
        result.value = is_double ? LLVMBuildFPTrunc(e->builder, wide, f32, "") : wide;
    } else if (to == ELEMENT_F16) {
        result.value = LLVMBuildFPTrunc(e->builder, wide, emit_register_type(e, to), "");
    } else if (to == ELEMENT_BF16 || !is_double) {
        if (is_double) wide = LLVMBuildFPTrunc(e->builder, wide, f32, "");
        result = narrow(e, to, wide);
    } else {
        result.value = emit_round_float(e, to, wide);
    }
    return result;
}

Scalar emit_convert(Emit *e, Scalar x, ElementType element) {
    if (x.element == element) return x;
    ElementClass from = element_class(x.element), to = element_class(element);
    if (from == CLASS_COMPLEX && to == CLASS_COMPLEX) {
        LLVMTypeRef type = emit_register_type(e, element);
        return (Scalar){
            .element = element,
            .value = LLVMBuildFPCast(e->builder, x.value, type, ""),
            .imag = LLVMBuildFPCast(e->builder, x.imag, type, "")};
    }
    if (from == CLASS_COMPLEX) {
        Scalar real = {.element = element_real_part(x.element), .value = x.value};
        return emit_convert(e, real, element);
    }
    if (to == CLASS_COMPLEX) {
        Scalar real = emit_convert(e, x, element_real_part(element));
        return (Scalar){.element = element, .value = real.value, .imag = real_of(real.value, 0)};
    }
    if (from == CLASS_FLOAT && to == CLASS_FLOAT) return float_to_float(e, x, element);
    if (from == CLASS_FLOAT) return integer(element, float_to_int(e, widen(e, x), element));
    if (to == CLASS_FLOAT) return float_to_float(e, int_to_float(e, x, element), element);
    return int_to_int(e, x, element);
}

Scalar emit_constant(Emit *e, ElementType element, double number) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    ElementClass class = element_class(element);
    if (element == ELEMENT_BF16)
        x.value =
            LLVMConstBitCast(LLVMConstReal(LLVMBFloatTypeInContext(e->context), number), type);
    else if (class == CLASS_FLOAT || class == CLASS_COMPLEX)
        x.value = LLVMConstReal(type, number);
    else
        x.value = LLVMConstInt(type, (unsigned long long)(int64_t)number, 1);
    if (class == CLASS_COMPLEX) x.imag = LLVMConstReal(type, 0);
    return x;
}

// --- the op ---

Scalar emit_scalar_op(Emit *e, const Op *op, const Scalar *operands) {
    ElementType element = operands[0].element;
    switch (op->code) { // NOLINT(hicpp-multiway-paths-covered): the ops of one class follow
    case OP_COMPARE: return emit_compare(e, op, operands);
    case OP_SELECT: return choose_scalar(e, operands[0].value, operands[1], operands[2]);
    case OP_CLAMP: return emit_clamp(e, operands);
    case OP_CONVERT: return emit_convert(e, operands[0], op_result_type(op, 0)->element);
    case OP_COMPLEX:
        return (Scalar){
            .element = op_result_type(op, 0)->element,
            .value = operands[0].value,
            .imag = operands[1].value};
    default: break;
    }
    ElementClass class = element_class(element);
    Scalar result = {.element = op_result_type(op, 0)->element};
    LLVMValueRef y = op->operand_count > 1 ? operands[1].value : NULL;
    switch (class) {
    case CLASS_FLOAT: result = float_scalar_op(e, op, operands); break;
    case CLASS_COMPLEX:
        return emit_complex_op(e, op, operands, &result) ? result : refuse(e, op, element);
    case CLASS_BOOL: result.value = bool_op(e, op->code, operands[0].value, y); break;
    case CLASS_SINT:
    case CLASS_UINT:
        result.value = int_op(e, op->code, class == CLASS_SINT, operands[0].value, y);
        break;
    }
    return result.value ? result : refuse(e, op, element);
}

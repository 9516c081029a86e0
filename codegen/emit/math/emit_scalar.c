// Pointwise ops on scalars, as ir/scalar/scalar_ops.def defines them: integers wrap, shifts
// beyond the width are 0 or the sign, maximum and minimum pass NaN on, narrow floats are computed
// in f32 and rounded after every op.
#include "codegen/emit/math/emit_functions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- calls ---

static LLVMValueRef emit_intrinsic2(Emit *e, const char *name, LLVMTypeRef result, LLVMValueRef x) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef types[2] = {result, LLVMTypeOf(x)};
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMTypeRef function_type = LLVMIntrinsicGetType(e->context, id, types, 2);
    return LLVMBuildCall2(e->builder, function_type, function, &x, 1, "");
}

// --- small pieces ---

static LLVMValueRef icmp(Emit *e, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildICmp(e->builder, predicate, x, y, "");
}

static LLVMValueRef fcmp(Emit *e, LLVMRealPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFCmp(e->builder, predicate, x, y, "");
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
        e->builder, LLVMBuildShl(e->builder, bits, emit_int_like(bits, 16), ""), f32, "");
}

// f32 to the nearest bf16, ties to even, on the pattern: a conversion to bfloat loses
// what is below the smallest normal number on some processors, and is a call for each
// element on others. is_result: of arithmetic on bf16, whose NaN are quiet and end in
// zeros, and so stay NaN by themselves.
static LLVMValueRef round_to_bf16(Emit *e, LLVMValueRef x, bool is_result) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bits = LLVMBuildBitCast(b, x, LLVMInt32TypeInContext(e->context), "");
    LLVMValueRef high = LLVMBuildLShr(b, bits, emit_int_like(bits, 16), "");
    LLVMValueRef odd = LLVMBuildAnd(b, high, emit_int_like(bits, 1), "");
    LLVMValueRef half = LLVMBuildAdd(b, odd, emit_int_like(bits, 0x7FFF), "");
    LLVMValueRef rounded =
        LLVMBuildLShr(b, LLVMBuildAdd(b, bits, half, ""), emit_int_like(bits, 16), "");
    if (!is_result) {
        LLVMValueRef quiet = LLVMBuildOr(b, high, emit_int_like(bits, 0x40), "");
        rounded = emit_choose(e, fcmp(e, LLVMRealUNO, x, x), quiet, rounded);
    }
    return LLVMBuildTrunc(b, rounded, emit_register_type(e, ELEMENT_BF16), "");
}

Scalar emit_round_normal(Emit *e, Scalar x) {
    LLVMTypeRef bfloat = LLVMBFloatTypeInContext(e->context);
    LLVMValueRef rounded = LLVMBuildFPTrunc(e->builder, x.value, bfloat, "");
    LLVMTypeRef type = emit_register_type(e, ELEMENT_BF16);
    return (Scalar){
        .element = ELEMENT_BF16, .value = LLVMBuildBitCast(e->builder, rounded, type, "")};
}

// f32, or f64 where the element type is not bf16, rounded to the element type's register form.
static Scalar narrow_to(Emit *e, ElementType element, LLVMValueRef x, bool is_result) {
    Scalar result = {.element = element, .value = x};
    LLVMTypeRef type = emit_register_type(e, element);
    if (element == ELEMENT_F16) {
        result.value = LLVMBuildFPTrunc(e->builder, x, type, "");
    } else if (element == ELEMENT_BF16) {
        result.value = round_to_bf16(e, x, is_result);
    } else if (is_narrow_float(element)) {
        result.value = emit_round_float(e, element, x);
    }
    return result;
}

static Scalar narrow(Emit *e, ElementType element, LLVMValueRef x) {
    return narrow_to(e, element, x, false);
}

// f32 or f64 that the element type holds exactly, in its register form.
static Scalar narrow_exactly(Emit *e, ElementType element, LLVMValueRef x) {
    Scalar result = {.element = element, .value = x};
    // formats of eight bits: zero may have no sign, numbers none
    if (element == ELEMENT_F16 || element_bits(element) <= 8) return narrow(e, element, x);
    if (element != ELEMENT_BF16) return result;
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, x, LLVMInt32TypeInContext(e->context), "");
    bits = LLVMBuildLShr(e->builder, bits, emit_int_like(bits, 16), "");
    result.value = LLVMBuildTrunc(e->builder, bits, emit_register_type(e, element), "");
    return result;
}

static Scalar integer(ElementType element, LLVMValueRef value) {
    return (Scalar){.element = element, .value = value};
}

// The next number after x towards y, on patterns.
Scalar emit_mixed_next_after(Emit *e, const Op *op, const Scalar *operands) {
    ElementType element = operands[0].element;
    LLVMValueRef x = operands[0].value, y = operands[1].value;
    (void)op;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMTypeRef bits = LLVMIntTypeInContext(e->context, (unsigned)element_bits(element));
    bool is_small = element_bytes(element) == 1; // in registers an f32
    LLVMValueRef pattern =
        is_small ? emit_encode_float(e, element, x) : LLVMBuildBitCast(e->builder, x, bits, "");
    LLVMValueRef wide_x = widen(e, integer(element, x)), wide_y = widen(e, integer(element, y));
    LLVMValueRef zero = emit_real_like(wide_x, 0);
    LLVMValueRef grows = LLVMBuildXor(
        e->builder, fcmp(e, LLVMRealOGT, wide_y, wide_x), fcmp(e, LLVMRealOLT, wide_x, zero), "");
    LLVMValueRef next = LLVMBuildAdd(
        e->builder, pattern,
        emit_choose(e, grows, emit_int_like(pattern, 1), emit_int_like(pattern, -1)), "");
    uint64_t sign = (uint64_t)1 << (element_bits(element) - 1);
    LLVMValueRef smallest = emit_choose(
        e, fcmp(e, LLVMRealOLT, wide_y, zero), emit_int_like(pattern, (int64_t)(sign | 1)),
        emit_int_like(pattern, 1));
    if (element_float_format(element)
            ->nan_is_minus_zero) // the smallest negative number grows to zero
        next = emit_choose(
            e, icmp(e, LLVMIntEQ, next, emit_int_like(pattern, (int64_t)sign)),
            emit_int_like(pattern, 0), next);
    next = emit_choose(e, fcmp(e, LLVMRealOEQ, wide_x, zero), smallest, next);
    LLVMValueRef number = is_small ? emit_decode_float(e, element, next)
                                   : LLVMBuildBitCast(e->builder, next, type, "");
    number = emit_choose(e, fcmp(e, LLVMRealOEQ, wide_x, wide_y), y, number);
    number = emit_choose(e, fcmp(e, LLVMRealUNO, wide_y, wide_y), y, number);
    number = emit_choose(e, fcmp(e, LLVMRealUNO, wide_x, wide_x), x, number);
    return (Scalar){.element = element, .value = number};
}

// Rounds to fewer exponent and mantissa bits on the pattern, to nearest even; too large becomes
// infinite, below the smallest normal number becomes zero. An op on a format of eight bits works on
// x in f32, whose range is not reduced to the format's own.
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
    LLVMValueRef sign =
        LLVMBuildAnd(e->builder, pattern, emit_int_like(pattern, (int64_t)sign_bit), "");
    LLVMValueRef magnitude = LLVMBuildXor(e->builder, pattern, sign, "");
    LLVMValueRef infinity = emit_int_like(pattern, (int64_t)exponent_mask);
    LLVMValueRef is_nan = icmp(e, LLVMIntUGT, magnitude, infinity);
    if (mantissa_bits < m) {
        uint64_t last = (uint64_t)1 << (m - mantissa_bits);
        LLVMValueRef odd =
            LLVMBuildLShr(e->builder, magnitude, emit_int_like(pattern, m - mantissa_bits), "");
        odd = LLVMBuildAnd(e->builder, odd, emit_int_like(pattern, 1), "");
        magnitude = LLVMBuildAdd(
            e->builder, magnitude, emit_int_like(pattern, (int64_t)(last >> 1) - 1), "");
        magnitude = LLVMBuildAdd(e->builder, magnitude, odd, "");
        magnitude =
            LLVMBuildAnd(e->builder, magnitude, emit_int_like(pattern, (int64_t) ~(last - 1)), "");
    }
    if (exponent_bits < format->exponent_bits) {
        uint64_t bias = ((uint64_t)1 << (format->exponent_bits - 1)) - 1;
        uint64_t reduced = ((uint64_t)1 << (exponent_bits - 1)) - 1;
        LLVMValueRef exponent = LLVMBuildAnd(e->builder, magnitude, infinity, "");
        LLVMValueRef too_large =
            icmp(e, LLVMIntUGT, exponent, emit_int_like(pattern, (int64_t)((bias + reduced) << m)));
        LLVMValueRef too_small =
            icmp(e, LLVMIntULE, exponent, emit_int_like(pattern, (int64_t)((bias - reduced) << m)));
        magnitude = emit_choose(e, too_large, infinity, magnitude);
        magnitude = emit_choose(e, too_small, emit_int_like(pattern, 0), magnitude);
    }
    LLVMValueRef result = LLVMBuildOr(e->builder, sign, magnitude, "");
    LLVMValueRef nan = mantissa_bits > 0 ? pattern : LLVMBuildOr(e->builder, sign, infinity, "");
    result = emit_choose(e, is_nan, nan, result);
    return (Scalar){
        .element = x.element,
        .value = LLVMBuildBitCast(e->builder, result, LLVMTypeOf(x.value), "")};
}

Scalar emit_mixed_reduce_precision(Emit *e, const Op *op, const Scalar *operands) {
    ElementType element = operands[0].element;
    if (element_bits(element) > 8) return reduce_precision(e, op, operands[0]);
    Scalar wide = {.element = ELEMENT_F32, .value = operands[0].value};
    return narrow(e, element, reduce_precision(e, op, wide).value);
}

static Scalar refuse(Emit *e, const Op *op, ElementType element) {
    if (!e->failed)
        diag_unsupported(
            e->diags, op->loc, "'%.*s' on elements of type %.*s is not supported in native code",
            SV_ARG(op->name), SV_ARG(element_text(element)));
    e->failed = true;
    return emit_constant(e, op_result_type(op, 0)->element, 0);
}

// --- compare, select, clamp ---

// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, as signed integers.
static LLVMValueRef total_order_key(Emit *e, Scalar x) {
    LLVMTypeRef bits = LLVMIntTypeInContext(
        e->context, element_bytes(x.element) == 1 ? 32 : (unsigned)element_bits(x.element));
    // f8: the f32 that it equals
    LLVMValueRef pattern = LLVMBuildBitCast(e->builder, x.value, bits, "");
    unsigned width = LLVMGetIntTypeWidth(bits);
    LLVMValueRef sign = LLVMBuildAShr(e->builder, pattern, emit_int_like(pattern, width - 1), "");
    LLVMValueRef flip = LLVMBuildLShr(e->builder, sign, emit_int_like(pattern, 1), "");
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

Scalar emit_mixed_compare(Emit *e, const Op *op, const Scalar *operands) {
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
    Scalar result = {.element = x.element, .value = emit_choose(e, condition, x.value, y.value)};
    if (x.imag) result.imag = emit_choose(e, condition, x.imag, y.imag);
    return result;
}

Scalar emit_mixed_select(Emit *e, const Op *op, const Scalar *operands) {
    (void)op;
    return choose_scalar(e, operands[0].value, operands[1], operands[2]);
}

Scalar emit_mixed_complex(Emit *e, const Op *op, const Scalar *operands) {
    (void)e;
    return (Scalar){
        .element = op_result_type(op, 0)->element,
        .value = operands[0].value,
        .imag = operands[1].value};
}

static Scalar complex_less_choice(Emit *e, Scalar x, Scalar y, Scalar on_less, Scalar otherwise) {
    return choose_scalar(e, compare_complex(e, DIRECTION_LT, x, y), on_less, otherwise);
}

// minimum(maximum(x, low), high)
Scalar emit_mixed_clamp(Emit *e, const Op *op, const Scalar *operands) {
    (void)op;
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
    LLVMValueRef y = emit_intrinsic_of_two(e, max, widen(e, x), widen(e, low));
    y = emit_intrinsic_of_two(e, min, y, widen(e, high));
    return is_float ? narrow_exactly(e, x.element, y) : integer(x.element, y);
}

// --- convert ---

// Saturates by comparisons, which loops turn into vectors: LLVM's own saturating
// conversions stay scalar. NaN becomes 0.
static LLVMValueRef to_signed(Emit *e, LLVMValueRef x, int bits, double low, double end) {
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, bits < 32 ? 32 : (unsigned)bits);
    LLVMValueRef least = emit_real_like(x, low);
    LLVMValueRef is_low = fcmp(e, LLVMRealOLT, x, least);
    LLVMValueRef is_high = fcmp(e, LLVMRealOGE, x, emit_real_like(x, end));
    LLVMValueRef y = emit_choose(e, fcmp(e, LLVMRealORD, x, x), x, emit_real_like(x, 0));
    y = emit_choose(e, is_high, emit_real_like(x, 0), emit_choose(e, is_low, least, y));
    y = LLVMBuildFPToSI(e->builder, y, type, "");
    uint64_t most = bits >= 32 ? ((uint64_t)1 << (bits - 1)) - 1 : (uint64_t)end - 1;
    return emit_choose(e, is_high, LLVMConstInt(type, most, 0), y);
}

static LLVMValueRef float_to_int(Emit *e, LLVMValueRef x, ElementType to) {
    ElementClass class = element_class(to);
    LLVMTypeRef type = emit_register_type(e, to);
    if (class == CLASS_BOOL) return fcmp(e, LLVMRealUNE, x, emit_real_like(x, 0));
    bool is_signed = class == CLASS_SINT;
    int bits = (int)element_bits(to);
    if ((is_signed || bits < 32) && LLVMTypeOf(x) != LLVMHalfTypeInContext(e->context)) {
        double end = ldexp(1, is_signed ? bits - 1 : bits);
        LLVMValueRef y = to_signed(e, x, bits, is_signed ? -end : 0, end);
        return bits < 32 ? LLVMBuildTrunc(e->builder, y, type, "") : y;
    }
    return emit_intrinsic2(e, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", type, x);
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
        return integer(to, icmp(e, LLVMIntNE, x.value, emit_int_like(x.value, 0)));
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
        return (Scalar){
            .element = element, .value = real.value, .imag = emit_real_like(real.value, 0)};
    }
    if (from == CLASS_FLOAT && to == CLASS_FLOAT) return float_to_float(e, x, element);
    if (from == CLASS_FLOAT) return integer(element, float_to_int(e, widen(e, x), element));
    if (to == CLASS_FLOAT) return float_to_float(e, int_to_float(e, x, element), element);
    return int_to_int(e, x, element);
}

Scalar emit_mixed_convert(Emit *e, const Op *op, const Scalar *operands) {
    return emit_convert(e, operands[0], op_result_type(op, 0)->element);
}

// --- the op ---

// The emitters of one row of scalar_ops.def; NULL where the class has none.
typedef struct ScalarEmitters {
    RealFn1 *real1;
    RealFn2 *real2;
    bool is_exact, is_test;
    IntFn1 *int1;
    IntFn2 *int2;
    BoolFn1 *bool1;
    BoolFn2 *bool2;
    ComplexFn1 *complex1;
    ComplexFn2 *complex2;
    bool is_own_precision;
    MixedEmitFn *mixed;
} ScalarEmitters;

static const ScalarEmitters emitters[SCALAR_COUNT] = {
#define REAL(x, f)    .real1 = emit_real_##f,
#define EXACT(x, f)   .real1 = emit_real_##f, .is_exact = true,
#define TEST(x, f)    .real1 = emit_real_##f, .is_test = true,
#define INT(s, u, f)  .int1 = emit_int_##f,
#define BOOL(x, f)    .bool1 = emit_bool_##f,
#define COMPLEX(x, f) .complex1 = emit_complex_##f,
#define OWN(x, f)     .complex1 = emit_complex_##f, .is_own_precision = true,
#define PART(x, f)    .complex1 = emit_complex_##f, .is_own_precision = true,
#define NO
#define ABSENT
#define SCALAR1(name, floats, integers, bools, complexes) \
    [SCALAR_##name] = {floats integers bools complexes},
#include "ir/scalar/scalar_ops.def"
#define REAL(x, f)    .real2 = emit_real_##f,
#define EXACT(x, f)   .real2 = emit_real_##f, .is_exact = true,
#define INT(s, u, f)  .int2 = emit_int_##f,
#define BOOL(x, f)    .bool2 = emit_bool_##f,
#define COMPLEX(x, f) .complex2 = emit_complex_##f,
#define OWN(x, f)     .complex2 = emit_complex_##f, .is_own_precision = true,
#define NO
#define ABSENT
#define SCALAR2(name, floats, integers, bools, complexes) \
    [SCALAR_##name] = {floats integers bools complexes},
#include "ir/scalar/scalar_ops.def"
#define MIXED(name) [SCALAR_##name] = {.mixed = emit_mixed_##name},
#include "ir/scalar/scalar_ops.def"
};

// Widened to f32 or f64, computed and rounded to `to`; no value where the function is not defined.
static Scalar emit_float(
    Emit *e, const ScalarEmitters *f, ElementType to, Scalar a, const Scalar *b) {
    Scalar none = {.element = to};
    if (!f->real1 && !f->real2) return none;
    MathType m = math_type(e, a.element == ELEMENT_F64);
    LLVMValueRef x = widen(e, a);
    LLVMValueRef result = f->real1 ? f->real1(&m, x) : f->real2(&m, x, widen(e, *b));
    if (!result) return none;
    if (f->is_test) return integer(to, result);
    return f->is_exact ? narrow_exactly(e, to, result)
                       : narrow_to(e, to, result, a.element == ELEMENT_BF16);
}

static Complex cast_complex(Emit *e, Scalar x, LLVMTypeRef type) {
    return (Complex){
        LLVMBuildFPCast(e->builder, x.value, type, ""),
        LLVMBuildFPCast(e->builder, x.imag, type, "")};
}

static Scalar emit_complex(
    Emit *e, const ScalarEmitters *f, ElementType to, Scalar a, const Scalar *b) {
    Scalar result = {.element = to};
    if (!f->complex1 && !f->complex2) return result;
    LLVMTypeRef own = LLVMTypeOf(a.value), f64 = LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef type = f->is_own_precision ? own : f64;
    Complex x = cast_complex(e, a, type), z;
    z = f->complex1 ? f->complex1(e, x) : f->complex2(e, x, cast_complex(e, *b, type));
    if (!z.re) return result;
    result.value = LLVMBuildFPCast(e->builder, z.re, own, "");
    if (z.im) result.imag = LLVMBuildFPCast(e->builder, z.im, own, "");
    return result;
}

// Of one operand, or of two; no value where the function is not defined on these elements.
static Scalar emit_scalar(Emit *e, OpCode code, ElementType to, Scalar x, const Scalar *y) {
    const ScalarEmitters *f = &emitters[op_code_scalar(code)];
    ElementClass class = element_class(x.element);
    bool is_signed = class == CLASS_SINT;
    Scalar result = {.element = to};
    switch (class) {
    case CLASS_FLOAT: return emit_float(e, f, to, x, y);
    case CLASS_COMPLEX: return emit_complex(e, f, to, x, y);
    case CLASS_BOOL:
        if (f->bool1) result.value = f->bool1(e, x.value);
        if (f->bool2) result.value = f->bool2(e, x.value, y->value);
        return result;
    case CLASS_SINT:
    case CLASS_UINT:
        if (f->int1) result.value = f->int1(e, is_signed, x.value);
        if (f->int2) result.value = f->int2(e, is_signed, x.value, y->value);
        return result;
    }
    return result;
}

Scalar emit_arithmetic(Emit *e, OpCode code, Scalar x, Scalar y) {
    return emit_scalar(e, code, x.element, x, &y);
}

Scalar emit_scalar_op(Emit *e, const Op *op, const Scalar *operands) {
    MixedEmitFn *mixed = emitters[op_code_scalar(op->code)].mixed;
    if (mixed) return mixed(e, op, operands);
    ElementType to = op_result_type(op, 0)->element;
    Scalar result = emit_scalar(e, op->code, to, operands[0], &operands[1]);
    return result.value ? result : refuse(e, op, operands[0].element);
}

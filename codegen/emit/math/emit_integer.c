// Integers and i1 as ir/scalar/scalar_ops.def defines them: integers wrap, shifts
// beyond the width are 0 or the sign.
#include "codegen/emit/math/emit_functions.h"

static LLVMValueRef icmp(Emit *e, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildICmp(e->builder, predicate, x, y, "");
}

// --- integers ---

// x / y or x mod y: y = 0 gives all ones or x, the smallest number by -1 gives itself or 0.
// The quotient, rounded toward zero, of numbers of at most 32 bits whose divisor is not known: CPUs
// divide no vectors of integers. It is exact: floats of twice the bits hold both numbers, and a
// quotient that is no whole number is further away from the next one than it can be rounded.
static LLVMValueRef quotient(Emit *e, LLVMValueRef x, LLVMValueRef y, bool is_signed) {
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned bits = LLVMGetIntTypeWidth(type);
    if (bits > 32 || LLVMIsConstant(y))
        return is_signed ? LLVMBuildSDiv(e->builder, x, y, "")
                         : LLVMBuildUDiv(e->builder, x, y, "");
    LLVMTypeRef real =
        bits <= 16 ? LLVMFloatTypeInContext(e->context) : LLVMDoubleTypeInContext(e->context);
    x = is_signed ? LLVMBuildSIToFP(e->builder, x, real, "")
                  : LLVMBuildUIToFP(e->builder, x, real, "");
    y = is_signed ? LLVMBuildSIToFP(e->builder, y, real, "")
                  : LLVMBuildUIToFP(e->builder, y, real, "");
    LLVMValueRef ratio = LLVMBuildFDiv(e->builder, x, y, "");
    return is_signed ? LLVMBuildFPToSI(e->builder, ratio, type, "")
                     : LLVMBuildFPToUI(e->builder, ratio, type, "");
}

static LLVMValueRef divide(
    Emit *e, LLVMValueRef x, LLVMValueRef y, bool is_signed, bool is_remainder) {
    LLVMValueRef result = quotient(e, x, y, is_signed);
    if (!is_remainder) return result;
    return LLVMBuildSub(e->builder, x, LLVMBuildMul(e->builder, result, y, ""), "");
}

static LLVMValueRef int_divide(
    Emit *e, LLVMValueRef x, LLVMValueRef y, bool is_signed, bool is_remainder) {
    LLVMValueRef zero = emit_int_like(x, 0), one = emit_int_like(x, 1),
                 minus_one = emit_int_like(x, -1);
    LLVMValueRef by_zero = icmp(e, LLVMIntEQ, y, zero);
    LLVMValueRef divisor = emit_choose(e, by_zero, one, y);
    if (!is_signed) {
        LLVMValueRef result = divide(e, x, divisor, false, is_remainder);
        return emit_choose(e, by_zero, is_remainder ? x : minus_one, result);
    }
    LLVMValueRef by_minus_one = icmp(e, LLVMIntEQ, y, minus_one);
    divisor = emit_choose(e, by_minus_one, one, divisor);
    LLVMValueRef result = divide(e, x, divisor, true, is_remainder);
    LLVMValueRef negated = is_remainder ? zero : LLVMBuildNeg(e->builder, x, "");
    result = emit_choose(e, by_minus_one, negated, result);
    return emit_choose(e, by_zero, is_remainder ? x : minus_one, result);
}

typedef enum Shift { SHIFT_LEFT, SHIFT_RIGHT_LOGICAL, SHIFT_RIGHT_ARITHMETIC } Shift;

static LLVMValueRef int_shift(Emit *e, Shift shift, LLVMValueRef x, LLVMValueRef y) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    LLVMValueRef zero = emit_int_like(x, 0);
    // i2's width is no i2: see below
    LLVMValueRef is_small = icmp(e, LLVMIntULT, y, emit_int_like(x, bits));
    if (bits < 8) { // in eight bits
        LLVMTypeRef byte = LLVMInt8TypeInContext(e->context), type = LLVMTypeOf(x);
        bool is_arithmetic = shift == SHIFT_RIGHT_ARITHMETIC;
        LLVMValueRef wide = is_arithmetic ? LLVMBuildSExt(e->builder, x, byte, "")
                                          : LLVMBuildZExt(e->builder, x, byte, "");
        LLVMValueRef by = LLVMBuildZExt(e->builder, y, byte, "");
        LLVMValueRef most = LLVMConstInt(byte, 7, 0);
        by = emit_intrinsic_of_two(e, "llvm.umin", by, most);
        LLVMValueRef beyond = icmp(e, LLVMIntUGE, by, LLVMConstInt(byte, bits, 0));
        LLVMValueRef result = shift == SHIFT_LEFT ? LLVMBuildShl(e->builder, wide, by, "")
                              : shift == SHIFT_RIGHT_LOGICAL
                                  ? LLVMBuildLShr(e->builder, wide, by, "")
                                  : LLVMBuildAShr(e->builder, wide, by, "");
        if (!is_arithmetic) result = emit_choose(e, beyond, LLVMConstInt(byte, 0, 0), result);
        return LLVMBuildTrunc(e->builder, result, type, "");
    }
    LLVMValueRef by = emit_choose(e, is_small, y, emit_int_like(x, bits - 1));
    if (shift == SHIFT_RIGHT_ARITHMETIC) return LLVMBuildAShr(e->builder, x, by, "");
    LLVMValueRef shifted = shift == SHIFT_LEFT ? LLVMBuildShl(e->builder, x, by, "")
                                               : LLVMBuildLShr(e->builder, x, by, "");
    return emit_choose(e, is_small, shifted, zero);
}

// The high half of the product.
LLVMValueRef emit_int_mulhi(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
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
LLVMValueRef emit_int_power(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    LLVMValueRef one = emit_int_like(x, 1), base = x, result = one;
    for (unsigned i = 0; i < bits; i++) {
        LLVMValueRef bit = LLVMBuildAnd(
            e->builder, LLVMBuildLShr(e->builder, y, emit_int_like(x, i), ""), one, "");
        LLVMValueRef is_set = icmp(e, LLVMIntNE, bit, emit_int_like(x, 0));
        result = emit_choose(e, is_set, LLVMBuildMul(e->builder, result, base, ""), result);
        base = LLVMBuildMul(e->builder, base, base, "");
    }
    if (!is_signed) return result;
    LLVMValueRef is_odd = LLVMBuildTrunc(e->builder, y, LLVMInt1TypeInContext(e->context), "");
    LLVMValueRef inverse = emit_choose(e, icmp(e, LLVMIntEQ, x, one), one, emit_int_like(x, 0));
    LLVMValueRef of_minus_one = emit_choose(e, is_odd, emit_int_like(x, -1), one);
    inverse = emit_choose(e, icmp(e, LLVMIntEQ, x, emit_int_like(x, -1)), of_minus_one, inverse);
    return emit_choose(e, icmp(e, LLVMIntSLT, y, emit_int_like(x, 0)), inverse, result);
}

LLVMValueRef emit_int_abs(Emit *e, bool is_signed, LLVMValueRef x) {
    if (!is_signed) return x;
    LLVMValueRef is_negative = icmp(e, LLVMIntSLT, x, emit_int_like(x, 0));
    return emit_choose(e, is_negative, LLVMBuildNeg(e->builder, x, ""), x);
}

LLVMValueRef emit_int_negate(Emit *e, bool is_signed, LLVMValueRef x) {
    (void)is_signed;
    return LLVMBuildNeg(e->builder, x, "");
}

LLVMValueRef emit_int_not(Emit *e, bool is_signed, LLVMValueRef x) {
    (void)is_signed;
    return LLVMBuildNot(e->builder, x, "");
}

LLVMValueRef emit_int_sign(Emit *e, bool is_signed, LLVMValueRef x) {
    LLVMValueRef zero = emit_int_like(x, 0), one = emit_int_like(x, 1);
    LLVMValueRef sign = emit_choose(e, icmp(e, LLVMIntNE, x, zero), one, zero);
    if (!is_signed) return sign;
    return emit_choose(e, icmp(e, LLVMIntSLT, x, zero), emit_int_like(x, -1), sign);
}

LLVMValueRef emit_int_popcnt(Emit *e, bool is_signed, LLVMValueRef x) {
    (void)is_signed;
    return emit_intrinsic1(e, "llvm.ctpop", x);
}

LLVMValueRef emit_int_count_leading_zeros(Emit *e, bool is_signed, LLVMValueRef x) {
    (void)is_signed;
    LLVMValueRef both[2] = {x, LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0)};
    return emit_intrinsic(e, "llvm.ctlz", LLVMTypeOf(x), 2, both);
}

LLVMValueRef emit_int_square(Emit *e, bool is_signed, LLVMValueRef x) {
    (void)is_signed;
    return LLVMBuildMul(e->builder, x, x, "");
}

LLVMValueRef emit_int_add(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return LLVMBuildAdd(e->builder, x, y, "");
}

LLVMValueRef emit_int_subtract(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return LLVMBuildSub(e->builder, x, y, "");
}

LLVMValueRef emit_int_multiply(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return LLVMBuildMul(e->builder, x, y, "");
}

LLVMValueRef emit_int_and(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return LLVMBuildAnd(e->builder, x, y, "");
}

LLVMValueRef emit_int_or(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return LLVMBuildOr(e->builder, x, y, "");
}

LLVMValueRef emit_int_xor(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return LLVMBuildXor(e->builder, x, y, "");
}

LLVMValueRef emit_int_divide(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    return int_divide(e, x, y, is_signed, false);
}

LLVMValueRef emit_int_remainder(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    return int_divide(e, x, y, is_signed, true);
}

LLVMValueRef emit_int_maximum(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    return emit_intrinsic_of_two(e, is_signed ? "llvm.smax" : "llvm.umax", x, y);
}

LLVMValueRef emit_int_minimum(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    return emit_intrinsic_of_two(e, is_signed ? "llvm.smin" : "llvm.umin", x, y);
}

LLVMValueRef emit_int_shift_left(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return int_shift(e, SHIFT_LEFT, x, y);
}

LLVMValueRef emit_int_shift_right_arithmetic(
    Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return int_shift(e, SHIFT_RIGHT_ARITHMETIC, x, y);
}

LLVMValueRef emit_int_shift_right_logical(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y) {
    (void)is_signed;
    return int_shift(e, SHIFT_RIGHT_LOGICAL, x, y);
}

// --- i1 ---

LLVMValueRef emit_bool_not(Emit *e, LLVMValueRef x) { return LLVMBuildNot(e->builder, x, ""); }

LLVMValueRef emit_bool_same(Emit *e, LLVMValueRef x) {
    (void)e;
    return x;
}

LLVMValueRef emit_bool_or(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildOr(e->builder, x, y, "");
}

LLVMValueRef emit_bool_and(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildAnd(e->builder, x, y, "");
}

LLVMValueRef emit_bool_xor(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildXor(e->builder, x, y, "");
}

// Complex arithmetic and functions: sums and products in the element's precision, functions in double through libm.
#include "codegen/emit_state.h"

#include <string.h>

// A complex number in double.
typedef struct Complex {
    LLVMValueRef re, im;
} Complex;

static LLVMValueRef add(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFAdd(e->builder, x, y, "");
}
static LLVMValueRef sub(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFSub(e->builder, x, y, "");
}
static LLVMValueRef mul(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFMul(e->builder, x, y, "");
}
static LLVMValueRef fdiv(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildFDiv(e->builder, x, y, "");
}
static LLVMValueRef neg(Emit *e, LLVMValueRef x) { return LLVMBuildFNeg(e->builder, x, ""); }
static LLVMValueRef real(Emit *e, double x) {
    return LLVMConstReal(LLVMDoubleTypeInContext(e->context), x);
}

static LLVMValueRef select_real(Emit *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildSelect(e->builder, condition, x, y, "");
}

static LLVMValueRef is_zero(Emit *e, LLVMValueRef x) {
    return LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, LLVMConstNull(LLVMTypeOf(x)), "");
}

static LLVMValueRef call1(Emit *e, const char *name, LLVMValueRef x) {
    return emit_libm(e, name, LLVMTypeOf(x), 1, &x);
}

static LLVMValueRef call2(Emit *e, const char *name, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_libm(e, name, LLVMTypeOf(x), 2, both);
}

// A function of libm on double _Complex, which two doubles stand for in registers.
static Complex call_complex(Emit *e, const char *name, Complex x) {
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    LLVMTypeRef parts[2] = {f64, f64};
    LLVMTypeRef pair = LLVMStructTypeInContext(e->context, parts, 2, 0);
    LLVMValueRef arguments[2] = {x.re, x.im};
    LLVMValueRef result = emit_call_pure(e, name, pair, 2, arguments);
    return (Complex){
        LLVMBuildExtractValue(e->builder, result, 0, ""),
        LLVMBuildExtractValue(e->builder, result, 1, "")};
}

static Complex complex_multiply(Emit *e, Complex x, Complex y) {
    return (Complex){
        sub(e, mul(e, x.re, y.re), mul(e, x.im, y.im)),
        add(e, mul(e, x.re, y.im), mul(e, x.im, y.re))};
}

// Smith's form with the divisor scaled by a power of two near its size; infinities as the plain quotient gives them.
static Complex complex_divide(Emit *e, Complex x, Complex y) {
    LLVMTypeRef f64 = LLVMTypeOf(y.re), i64 = emit_i64(e);
    LLVMValueRef a = emit_intrinsic(e, "llvm.fabs", f64, 1, &y.re),
                 b = emit_intrinsic(e, "llvm.fabs", f64, 1, &y.im);
    LLVMValueRef sizes[2] = {a, b};
    LLVMValueRef size = emit_intrinsic(e, "llvm.maxnum", f64, 2, sizes);
    // 2^-exponent of the size: pattern 0x7FE... - exponent bits; kept in range for zero, denormals and infinity
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, size, i64, "");
    bits = LLVMBuildAnd(e->builder, bits, LLVMConstInt(i64, 0x7FF0000000000000ULL, 0), "");
    LLVMValueRef low[2] = {bits, LLVMConstInt(i64, 0x0010000000000000ULL, 0)};
    bits = emit_intrinsic(e, "llvm.umax", i64, 2, low);
    LLVMValueRef high[2] = {bits, LLVMConstInt(i64, 0x7FD0000000000000ULL, 0)};
    bits = emit_intrinsic(e, "llvm.umin", i64, 2, high);
    bits = LLVMBuildSub(e->builder, LLVMConstInt(i64, 0x7FE0000000000000ULL, 0), bits, "");
    LLVMValueRef scale = LLVMBuildBitCast(e->builder, bits, f64, "");
    LLVMValueRef c = mul(e, y.re, scale), d = mul(e, y.im, scale);
    LLVMValueRef denominator = add(e, mul(e, c, c), mul(e, d, d));
    LLVMValueRef re = fdiv(e, add(e, mul(e, x.re, c), mul(e, x.im, d)), denominator);
    LLVMValueRef im = fdiv(e, sub(e, mul(e, x.im, c), mul(e, x.re, d)), denominator);
    re = mul(e, re, scale);
    im = mul(e, im, scale);
    // x / 0 is infinite with the signs of x.
    LLVMValueRef signed_infinity[2] = {real(e, (double)__builtin_inff()), y.re};
    LLVMValueRef infinity = emit_intrinsic(e, "llvm.copysign", f64, 2, signed_infinity);
    LLVMValueRef by_zero = is_zero(e, size);
    return (Complex){
        select_real(e, by_zero, mul(e, infinity, x.re), re),
        select_real(e, by_zero, mul(e, infinity, x.im), im)};
}

// Real numbers stay real; an infinite angle gives NaN, even where exp(-inf) makes the size 0.
static Complex complex_exp(Emit *e, Complex x) {
    LLVMValueRef infinity = real(e, (double)__builtin_inff()),
                 nan = real(e, (double)__builtin_nanf(""));
    LLVMValueRef size = emit_intrinsic(e, "llvm.fabs", LLVMTypeOf(x.im), 1, &x.im);
    LLVMValueRef is_real = is_zero(e, x.im);
    LLVMValueRef is_wild =
        LLVMBuildNot(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, size, infinity, ""), "");
    LLVMValueRef is_low = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x.re, neg(e, infinity), "");
    Complex y = call_complex(e, "cexp", x);
    LLVMValueRef instead = select_real(e, is_wild, nan, real(e, 0));
    LLVMValueRef is_special = LLVMBuildOr(e->builder, is_wild, is_low, "");
    y.re = select_real(e, is_special, instead, y.re);
    y.im = select_real(e, is_special, instead, y.im);
    return (Complex){
        select_real(e, is_real, call1(e, "exp", x.re), y.re), select_real(e, is_real, x.im, y.im)};
}

// exp(x) - 1 = (expm1(a) cos b - 2 sin(b/2)^2) + i exp(a) sin b
static Complex complex_expm1(Emit *e, Complex x) {
    LLVMValueRef half = call1(e, "sin", mul(e, x.im, real(e, 0.5)));
    LLVMValueRef re = mul(e, call1(e, "expm1", x.re), call1(e, "cos", x.im));
    re = sub(e, re, mul(e, real(e, 2), mul(e, half, half)));
    LLVMValueRef im = mul(e, call1(e, "exp", x.re), call1(e, "sin", x.im));
    LLVMValueRef is_real = is_zero(e, x.im);
    return (Complex){
        select_real(e, is_real, call1(e, "expm1", x.re), re), select_real(e, is_real, x.im, im)};
}

// log|1 + x| = log1p(a (a + 2) + b^2) / 2 near zero
static Complex complex_log1p(Emit *e, Complex x) {
    LLVMValueRef one_plus = add(e, real(e, 1), x.re);
    LLVMValueRef sum = add(e, mul(e, x.re, add(e, x.re, real(e, 2))), mul(e, x.im, x.im));
    LLVMValueRef near = mul(e, real(e, 0.5), call1(e, "log1p", sum));
    LLVMValueRef far = call1(e, "log", call2(e, "hypot", one_plus, x.im));
    LLVMValueRef is_near = LLVMBuildAnd(
        e->builder, LLVMBuildFCmp(e->builder, LLVMRealOGT, sum, real(e, -0.5), ""),
        LLVMBuildFCmp(e->builder, LLVMRealOLT, sum, real(e, 1e10), ""), "");
    return (Complex){select_real(e, is_near, near, far), call2(e, "atan2", x.im, one_plus)};
}

static Complex complex_sign(Emit *e, Complex x) {
    LLVMValueRef size = call2(e, "hypot", x.re, x.im), zero = is_zero(e, size);
    return (Complex){
        select_real(e, zero, real(e, 0), fdiv(e, x.re, size)),
        select_real(e, zero, real(e, 0), fdiv(e, x.im, size))};
}

static Complex complex_rsqrt(Emit *e, Complex x) {
    Complex one = {real(e, 1), real(e, 0)};
    Complex y = complex_divide(e, one, call_complex(e, "csqrt", x));
    LLVMValueRef zero = LLVMBuildAnd(e->builder, is_zero(e, x.re), is_zero(e, x.im), "");
    return (Complex){
        select_real(e, zero, real(e, (double)__builtin_inff()), y.re),
        select_real(e, zero, real(e, (double)__builtin_nanf("")), y.im)};
}

static Complex complex_cbrt(Emit *e, Complex x) {
    LLVMValueRef size = call1(e, "cbrt", call2(e, "hypot", x.re, x.im));
    LLVMValueRef angle = fdiv(e, call2(e, "atan2", x.im, x.re), real(e, 3));
    return (Complex){mul(e, size, call1(e, "cos", angle)), mul(e, size, call1(e, "sin", angle))};
}

// |x|^c exp(-d arg x), turned by d log|x| + c arg x. 0^y is 0 for Re y > 0, x^0 is 1.
static Complex complex_power(Emit *e, Complex x, Complex y) {
    LLVMValueRef size = call2(e, "hypot", x.re, x.im), angle = call2(e, "atan2", x.im, x.re);
    LLVMValueRef log_size = call_complex(e, "clog", x).re;
    LLVMValueRef d_zero = is_zero(e, y.im);
    LLVMValueRef decay =
        select_real(e, d_zero, real(e, 1), call1(e, "exp", neg(e, mul(e, y.im, angle))));
    LLVMValueRef magnitude = mul(e, call2(e, "pow", size, y.re), decay);
    LLVMValueRef turn = select_real(e, d_zero, real(e, 0), mul(e, y.im, log_size));
    turn = add(e, mul(e, y.re, angle), turn);
    Complex z = {
        mul(e, magnitude, call1(e, "cos", turn)), mul(e, magnitude, call1(e, "sin", turn))};
    LLVMValueRef x_zero = LLVMBuildAnd(e->builder, is_zero(e, x.re), is_zero(e, x.im), "");
    LLVMValueRef rises = LLVMBuildFCmp(e->builder, LLVMRealOGT, y.re, real(e, 0), "");
    LLVMValueRef nan = real(e, (double)__builtin_nanf(""));
    LLVMValueRef pole_re = select_real(e, d_zero, real(e, (double)__builtin_inff()), nan);
    LLVMValueRef pole_im = select_real(e, d_zero, real(e, 0), nan);
    z.re = select_real(e, x_zero, select_real(e, rises, real(e, 0), pole_re), z.re);
    z.im = select_real(e, x_zero, select_real(e, rises, real(e, 0), pole_im), z.im);
    LLVMValueRef y_zero = LLVMBuildAnd(e->builder, is_zero(e, y.re), d_zero, "");
    return (Complex){
        select_real(e, y_zero, real(e, 1), z.re), select_real(e, y_zero, real(e, 0), z.im)};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
static Complex complex_atan2(Emit *e, Complex y, Complex x) {
    Complex xx = complex_multiply(e, x, x), yy = complex_multiply(e, y, y);
    Complex sum = call_complex(e, "csqrt", (Complex){add(e, xx.re, yy.re), add(e, xx.im, yy.im)});
    Complex top = {sub(e, x.re, y.im), add(e, x.im, y.re)};
    Complex z = call_complex(e, "clog", complex_divide(e, top, sum));
    return (Complex){z.im, neg(e, z.re)};
}

static const char *libm_name(OpCode code) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): what libm has
    case OP_LOG: return "clog";
    case OP_SQRT: return "csqrt";
    case OP_COSINE: return "ccos";
    case OP_SINE: return "csin";
    case OP_TAN:
    case OP_CHLO_TAN: return "ctan";
    case OP_TANH: return "ctanh";
    case OP_CHLO_ACOS: return "cacos";
    case OP_CHLO_ACOSH: return "cacosh";
    case OP_CHLO_ASIN: return "casin";
    case OP_CHLO_ASINH: return "casinh";
    case OP_CHLO_ATAN: return "catan";
    case OP_CHLO_ATANH: return "catanh";
    case OP_CHLO_COSH: return "ccosh";
    case OP_CHLO_SINH: return "csinh";
    default: return NULL;
    }
}

static bool complex_function(Emit *e, OpCode code, Complex x, Complex y, Complex *z) {
    const char *name = libm_name(code);
    if (name) {
        *z = call_complex(e, name, x);
        return true;
    }
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the others are not defined
    case OP_EXPONENTIAL: *z = complex_exp(e, x); return true;
    case OP_EXPONENTIAL_MINUS_ONE: *z = complex_expm1(e, x); return true;
    case OP_LOG_PLUS_ONE: *z = complex_log1p(e, x); return true;
    case OP_LOGISTIC: {
        Complex one = {real(e, 1), real(e, 0)};
        Complex t = complex_exp(e, (Complex){neg(e, x.re), neg(e, x.im)});
        *z = complex_divide(e, one, (Complex){add(e, t.re, one.re), t.im});
        return true;
    }
    case OP_SIGN: *z = complex_sign(e, x); return true;
    case OP_RSQRT: *z = complex_rsqrt(e, x); return true;
    case OP_CBRT: *z = complex_cbrt(e, x); return true;
    case OP_DIVIDE: *z = complex_divide(e, x, y); return true;
    case OP_POWER: *z = complex_power(e, x, y); return true;
    case OP_ATAN2: *z = complex_atan2(e, x, y); return true;
    case OP_CHLO_SQUARE:
        *z = (Complex){
            mul(e, sub(e, x.re, x.im), add(e, x.re, x.im)), mul(e, real(e, 2), mul(e, x.re, x.im))};
        return true;
    default: return false;
    }
}

static LLVMValueRef complex_less(Emit *e, Complex x, Complex y) {
    LLVMValueRef tie = LLVMBuildAnd(
        e->builder, LLVMBuildFCmp(e->builder, LLVMRealOEQ, x.re, y.re, ""),
        LLVMBuildFCmp(e->builder, LLVMRealOLT, x.im, y.im, ""), "");
    return LLVMBuildOr(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, x.re, y.re, ""), tie, "");
}

static LLVMValueRef reassociable(Emit *e, LLVMValueRef x) {
    if (e->reassociate && LLVMIsAInstruction(x))
        LLVMSetFastMathFlags(x, LLVMFastMathAllowReassoc | LLVMFastMathAllowContract);
    return x;
}

// Ops in the element's own precision.
static bool complex_plain(Emit *e, OpCode code, Complex x, Complex y, Complex *z) {
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the others are functions
    case OP_ADD:
        *z = (Complex){reassociable(e, add(e, x.re, y.re)), reassociable(e, add(e, x.im, y.im))};
        return true;
    case OP_SUBTRACT: *z = (Complex){sub(e, x.re, y.re), sub(e, x.im, y.im)}; return true;
    case OP_MULTIPLY: *z = complex_multiply(e, x, y); return true;
    case OP_NEGATE: *z = (Complex){neg(e, x.re), neg(e, x.im)}; return true;
    case OP_CHLO_CONJ: *z = (Complex){x.re, neg(e, x.im)}; return true;
    case OP_MAXIMUM:
    case OP_MINIMUM: {
        LLVMValueRef takes_y = code == OP_MAXIMUM ? complex_less(e, x, y) : complex_less(e, y, x);
        *z = (Complex){select_real(e, takes_y, y.re, x.re), select_real(e, takes_y, y.im, x.im)};
        return true;
    }
    default: return false;
    }
}

static Complex cast_complex(Emit *e, Complex x, LLVMTypeRef type) {
    if (!x.re) return x;
    return (Complex){
        LLVMBuildFPCast(e->builder, x.re, type, ""), LLVMBuildFPCast(e->builder, x.im, type, "")};
}

bool emit_complex_arithmetic(Emit *e, OpCode code, Scalar a, Scalar b, Scalar *result) {
    Complex x = {a.value, a.imag}, y = {b.value, b.imag}, z = {NULL, NULL};
    result->element = a.element;
    if (!complex_plain(e, code, x, y, &z)) {
        LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context), type = LLVMTypeOf(x.re);
        if (!complex_function(e, code, cast_complex(e, x, f64), cast_complex(e, y, f64), &z))
            return false;
        z = cast_complex(e, z, type);
    }
    result->value = z.re;
    result->imag = z.im;
    return true;
}

bool emit_complex_op(Emit *e, const Op *op, const Scalar *operands, Scalar *result) {
    Scalar x = operands[0],
           y = op->operand_count > 1 ? operands[1] : (Scalar){.element = x.element};
    result->element = op_result_type(op, 0)->element;
    if (op->code == OP_REAL || op->code == OP_IMAG) {
        result->value = op->code == OP_REAL ? x.value : x.imag;
        return true;
    }
    if (op->code == OP_ABS) {
        LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
        Complex wide = cast_complex(e, (Complex){x.value, x.imag}, f64);
        result->value = LLVMBuildFPCast(
            e->builder, call2(e, "hypot", wide.re, wide.im), LLVMTypeOf(x.value), "");
        return true;
    }
    return emit_complex_arithmetic(e, op->code, x, y, result);
}

// Complex arithmetic and functions: sums and products in the element's precision; exponential, log
// and square root of two f32 in expressions without calls, so that loops around them become
// vectors; other functions in double through libm.
#include "codegen/emit/math/emit_functions.h"

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

Complex emit_complex_multiply(Emit *e, Complex x, Complex y) {
    return (Complex){
        sub(e, mul(e, x.re, y.re), mul(e, x.im, y.im)),
        add(e, mul(e, x.re, y.im), mul(e, x.im, y.re))};
}

// A power of two that brings the larger of two sizes near 1; kept in range for zero, denormals and
// infinity.
static LLVMValueRef scale_of_size(Emit *e, LLVMValueRef *sizes) {
    LLVMTypeRef f64 = LLVMTypeOf(sizes[0]), i64 = emit_i64(e);
    LLVMValueRef size = emit_intrinsic(e, "llvm.maxnum", f64, 2, sizes);
    // 2^-exponent of the size: pattern 0x7FE... - exponent bits
    LLVMValueRef bits = LLVMBuildBitCast(e->builder, size, i64, "");
    bits = LLVMBuildAnd(e->builder, bits, LLVMConstInt(i64, 0x7FF0000000000000ULL, 0), "");
    LLVMValueRef low[2] = {bits, LLVMConstInt(i64, 0x0010000000000000ULL, 0)};
    bits = emit_intrinsic(e, "llvm.umax", i64, 2, low);
    LLVMValueRef high[2] = {bits, LLVMConstInt(i64, 0x7FD0000000000000ULL, 0)};
    bits = emit_intrinsic(e, "llvm.umin", i64, 2, high);
    bits = LLVMBuildSub(e->builder, LLVMConstInt(i64, 0x7FE0000000000000ULL, 0), bits, "");
    return LLVMBuildBitCast(e->builder, bits, f64, "");
}

// Smith's form with the divisor scaled by a power of two near its size; infinities as
// the plain quotient gives them.
Complex emit_complex_divide(Emit *e, Complex x, Complex y) {
    LLVMTypeRef f64 = LLVMTypeOf(y.re);
    LLVMValueRef sizes[2] = {
        emit_intrinsic(e, "llvm.fabs", f64, 1, &y.re),
        emit_intrinsic(e, "llvm.fabs", f64, 1, &y.im)};
    LLVMValueRef scale = scale_of_size(e, sizes);
    LLVMValueRef c = mul(e, y.re, scale), d = mul(e, y.im, scale);
    LLVMValueRef denominator = add(e, mul(e, c, c), mul(e, d, d));
    LLVMValueRef re = fdiv(e, add(e, mul(e, x.re, c), mul(e, x.im, d)), denominator);
    LLVMValueRef im = fdiv(e, sub(e, mul(e, x.im, c), mul(e, x.re, d)), denominator);
    re = mul(e, re, scale);
    im = mul(e, im, scale);
    // x / 0 is infinite with the signs of x.
    LLVMValueRef signed_infinity[2] = {real(e, (double)__builtin_inff()), y.re};
    LLVMValueRef infinity = emit_intrinsic(e, "llvm.copysign", f64, 2, signed_infinity);
    LLVMValueRef by_zero = is_zero(e, emit_intrinsic(e, "llvm.maxnum", f64, 2, sizes));
    return (Complex){
        select_real(e, by_zero, mul(e, infinity, x.re), re),
        select_real(e, by_zero, mul(e, infinity, x.im), im)};
}

static bool is_f32(Emit *e, Complex x) {
    return LLVMTypeOf(x.re) == LLVMFloatTypeInContext(e->context);
}

static Complex widened(Emit *e, Complex x) {
    MathType d = math_type(e, true);
    return (Complex){math_widen(&d, x.re), math_widen(&d, x.im)};
}

static Complex narrowed(Emit *e, Complex x) {
    MathType m = math_type(e, false);
    return (Complex){math_narrow(&m, x.re), math_narrow(&m, x.im)};
}

// In double: exp(a) alone may be too large for f32.
static Complex exponential_of_f32(Emit *e, Complex x) {
    MathType m = math_type(e, false), d = math_type(e, true);
    Complex turn;
    math_sine_and_cosine(&m, x.im, &turn.im, &turn.re);
    turn = widened(e, turn);
    Num size = math_exp_in_double(&d, math_widen(&d, x.re));
    return narrowed(e, (Complex){mul(e, size, turn.re), mul(e, size, turn.im)});
}

// Real numbers stay real; an infinite angle gives NaN, even where exp(-inf) makes the size 0.
Complex emit_complex_exponential(Emit *e, Complex x) {
    MathType m = math_type(e, !is_f32(e, x));
    LLVMValueRef infinity = math_constant(&m, (double)__builtin_inff()),
                 nan = math_constant(&m, (double)__builtin_nanf(""));
    LLVMValueRef is_real = is_zero(e, x.im);
    LLVMValueRef is_wild =
        LLVMBuildNot(e->builder, math_less(&m, math_abs(&m, x.im), infinity), "");
    LLVMValueRef is_low = math_equal(&m, x.re, neg(e, infinity));
    Complex y = m.is_f64 ? call_complex(e, "cexp", x) : exponential_of_f32(e, x);
    LLVMValueRef instead = select_real(e, is_wild, nan, math_constant(&m, 0));
    LLVMValueRef is_special = LLVMBuildOr(e->builder, is_wild, is_low, "");
    y.re = select_real(e, is_special, instead, y.re);
    y.im = select_real(e, is_special, instead, y.im);
    Num real_size = m.is_f64 ? call1(e, "exp", x.re) : math_exp(&m, x.re);
    return (Complex){select_real(e, is_real, real_size, y.re), select_real(e, is_real, x.im, y.im)};
}

// exp(x) - 1 = (expm1(a) cos b - 2 sin(b/2)^2) + i exp(a) sin b
Complex emit_complex_exponential_minus_one(Emit *e, Complex x) {
    LLVMValueRef half = call1(e, "sin", mul(e, x.im, real(e, 0.5)));
    LLVMValueRef re = mul(e, call1(e, "expm1", x.re), call1(e, "cos", x.im));
    re = sub(e, re, mul(e, real(e, 2), mul(e, half, half)));
    LLVMValueRef im = mul(e, call1(e, "exp", x.re), call1(e, "sin", x.im));
    LLVMValueRef is_real = is_zero(e, x.im);
    return (Complex){
        select_real(e, is_real, call1(e, "expm1", x.re), re), select_real(e, is_real, x.im, im)};
}

// log|1 + x| = log1p(a (a + 2) + b^2) / 2 near zero
Complex emit_complex_log_plus_one(Emit *e, Complex x) {
    LLVMValueRef one_plus = add(e, real(e, 1), x.re);
    LLVMValueRef sum = add(e, mul(e, x.re, add(e, x.re, real(e, 2))), mul(e, x.im, x.im));
    LLVMValueRef near = mul(e, real(e, 0.5), call1(e, "log1p", sum));
    LLVMValueRef far = call1(e, "log", call2(e, "hypot", one_plus, x.im));
    LLVMValueRef is_near = LLVMBuildAnd(
        e->builder, LLVMBuildFCmp(e->builder, LLVMRealOGT, sum, real(e, -0.5), ""),
        LLVMBuildFCmp(e->builder, LLVMRealOLT, sum, real(e, 1e10), ""), "");
    return (Complex){select_real(e, is_near, near, far), call2(e, "atan2", x.im, one_plus)};
}

Complex emit_complex_sign(Emit *e, Complex x) {
    LLVMValueRef size = call2(e, "hypot", x.re, x.im), zero = is_zero(e, size);
    return (Complex){
        select_real(e, zero, real(e, 0), fdiv(e, x.re, size)),
        select_real(e, zero, real(e, 0), fdiv(e, x.im, size))};
}

Complex emit_complex_rsqrt(Emit *e, Complex x) {
    Complex one = {real(e, 1), real(e, 0)};
    Complex y = emit_complex_divide(e, one, emit_complex_sqrt(e, x));
    LLVMValueRef zero = LLVMBuildAnd(e->builder, is_zero(e, x.re), is_zero(e, x.im), "");
    return (Complex){
        select_real(e, zero, real(e, (double)__builtin_inff()), y.re),
        select_real(e, zero, real(e, (double)__builtin_nanf("")), y.im)};
}

Complex emit_complex_cbrt(Emit *e, Complex x) {
    LLVMValueRef size = call1(e, "cbrt", call2(e, "hypot", x.re, x.im));
    LLVMValueRef angle = fdiv(e, call2(e, "atan2", x.im, x.re), real(e, 3));
    return (Complex){mul(e, size, call1(e, "cos", angle)), mul(e, size, call1(e, "sin", angle))};
}

// |x|^c exp(-d arg x), turned by d log|x| + c arg x. 0^y is 0 for Re y > 0, x^0 is 1.
Complex emit_complex_power(Emit *e, Complex x, Complex y) {
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
Complex emit_complex_atan2(Emit *e, Complex y, Complex x) {
    Complex xx = emit_complex_multiply(e, x, x), yy = emit_complex_multiply(e, y, y);
    Complex sum = call_complex(e, "csqrt", (Complex){add(e, xx.re, yy.re), add(e, xx.im, yy.im)});
    Complex top = {sub(e, x.re, y.im), add(e, x.im, y.re)};
    Complex z = call_complex(e, "clog", emit_complex_divide(e, top, sum));
    return (Complex){z.im, neg(e, z.re)};
}

static LLVMValueRef is_infinite(Emit *e, LLVMValueRef x) {
    MathType m = math_type(e, LLVMTypeOf(x) == LLVMDoubleTypeInContext(e->context));
    return math_equal(&m, math_abs(&m, x), math_constant(&m, (double)__builtin_inff()));
}

// log|x| of a^2 + b^2, |a| >= |b|, in double, where squares of f32 are exact: near 1 from (a^2 - 1)
// + b^2, which is rounded once.
Complex emit_complex_log(Emit *e, Complex x) {
    if (!is_f32(e, x)) return call_complex(e, "clog", x);
    MathType m = math_type(e, false), d = math_type(e, true);
    Complex wide = widened(e, x);
    Num a = math_abs(&d, wide.re), b = math_abs(&d, wide.im);
    Num is_steep = math_less(&d, a, b);
    Num high = math_select(&d, is_steep, b, a), low = math_select(&d, is_steep, a, b);
    Num square = mul(e, high, high), small = mul(e, low, low);
    Num rest = add(e, sub(e, square, math_constant(&d, 1)), small);
    Num log = math_log_near_one(&d, add(e, square, small), rest);
    Num size = math_narrow(&m, mul(e, log, math_constant(&d, 0.5)));
    Num is_far = LLVMBuildOr(e->builder, is_infinite(e, x.re), is_infinite(e, x.im), "");
    size = select_real(e, is_far, math_constant(&m, (double)__builtin_inff()), size);
    return (Complex){size, emit_real_atan2(&m, x.im, x.re)};
}

// With t = sqrt((|x| + |a|) / 2): t + i b / (2 t), or turned where a is negative.
Complex emit_complex_sqrt(Emit *e, Complex x) {
    if (!is_f32(e, x)) return call_complex(e, "csqrt", x);
    MathType d = math_type(e, true);
    Complex wide = widened(e, x);
    Num zero = math_constant(&d, 0), infinity = math_constant(&d, (double)__builtin_inff());
    Num a = math_abs(&d, wide.re), b = math_abs(&d, wide.im);
    Num is_far = LLVMBuildOr(e->builder, is_infinite(e, x.re), is_infinite(e, x.im), "");
    Num size = math_sqrt(&d, add(e, mul(e, a, a), mul(e, b, b)));
    size = select_real(e, is_far, infinity, size);
    Num t = math_sqrt(&d, mul(e, add(e, size, a), math_constant(&d, 0.5)));
    Num other = fdiv(e, b, add(e, t, t));
    other = select_real(e, is_zero(e, t), zero, other);
    Num is_high = is_infinite(e, x.im), is_left = math_less(&d, wide.re, zero);
    t = select_real(e, is_high, infinity, t); // also beside a NaN
    other = select_real(e, is_high, infinity, other);
    Complex root = {select_real(e, is_left, other, t), select_real(e, is_left, t, other)};
    root.im = math_sign_of(&d, root.im, wide.im);
    return narrowed(e, root);
}

Complex emit_complex_cosine(Emit *e, Complex x) { return call_complex(e, "ccos", x); }
Complex emit_complex_sine(Emit *e, Complex x) { return call_complex(e, "csin", x); }
Complex emit_complex_tan(Emit *e, Complex x) { return call_complex(e, "ctan", x); }
Complex emit_complex_tanh(Emit *e, Complex x) { return call_complex(e, "ctanh", x); }
Complex emit_complex_acos(Emit *e, Complex x) { return call_complex(e, "cacos", x); }
Complex emit_complex_acosh(Emit *e, Complex x) { return call_complex(e, "cacosh", x); }
Complex emit_complex_asin(Emit *e, Complex x) { return call_complex(e, "casin", x); }
Complex emit_complex_asinh(Emit *e, Complex x) { return call_complex(e, "casinh", x); }
Complex emit_complex_atan(Emit *e, Complex x) { return call_complex(e, "catan", x); }
Complex emit_complex_atanh(Emit *e, Complex x) { return call_complex(e, "catanh", x); }
Complex emit_complex_cosh(Emit *e, Complex x) { return call_complex(e, "ccosh", x); }
Complex emit_complex_sinh(Emit *e, Complex x) { return call_complex(e, "csinh", x); }

Complex emit_complex_logistic(Emit *e, Complex x) {
    Complex one = {real(e, 1), real(e, 0)};
    Complex t = emit_complex_exponential(e, (Complex){neg(e, x.re), neg(e, x.im)});
    return emit_complex_divide(e, one, (Complex){add(e, t.re, one.re), t.im});
}

Complex emit_complex_square(Emit *e, Complex x) {
    return (Complex){
        mul(e, sub(e, x.re, x.im), add(e, x.re, x.im)), mul(e, real(e, 2), mul(e, x.re, x.im))};
}

// Made of other ops by legalize_chlo: no value.
Complex emit_complex_absent(Emit *e, Complex x) {
    (void)e;
    (void)x;
    return (Complex){NULL, NULL};
}

// --- in the element's own precision ---

Complex emit_complex_real(Emit *e, Complex x) {
    (void)e;
    return (Complex){x.re, NULL};
}

Complex emit_complex_imag(Emit *e, Complex x) {
    (void)e;
    return (Complex){x.im, NULL};
}

// sqrt(a^2 + b^2), where the squares can neither overflow nor vanish: those of f32 cannot in
// double, those of f64 are of numbers that a power of two has brought near 1. Infinite where a
// part is, even beside a NaN.
Complex emit_complex_abs(Emit *e, Complex x) {
    LLVMTypeRef own = LLVMTypeOf(x.re), f64 = LLVMDoubleTypeInContext(e->context);
    bool is_f64 = own == f64;
    LLVMValueRef parts[2] = {
        emit_intrinsic(e, "llvm.fabs", own, 1, &x.re),
        emit_intrinsic(e, "llvm.fabs", own, 1, &x.im)};
    LLVMValueRef infinity = LLVMConstReal(own, (double)__builtin_inff());
    LLVMValueRef is_infinite = LLVMBuildOr(
        e->builder, LLVMBuildFCmp(e->builder, LLVMRealOEQ, parts[0], infinity, ""),
        LLVMBuildFCmp(e->builder, LLVMRealOEQ, parts[1], infinity, ""), "");
    LLVMValueRef scale = is_f64 ? scale_of_size(e, parts) : NULL, wide[2];
    for (int i = 0; i < 2; i++) {
        wide[i] = is_f64 ? mul(e, parts[i], scale) : LLVMBuildFPExt(e->builder, parts[i], f64, "");
        wide[i] = mul(e, wide[i], wide[i]);
    }
    LLVMValueRef sum = add(e, wide[0], wide[1]);
    LLVMValueRef size = emit_intrinsic(e, "llvm.sqrt", f64, 1, &sum);
    size = is_f64 ? fdiv(e, size, scale) : LLVMBuildFPTrunc(e->builder, size, own, "");
    return (Complex){select_real(e, is_infinite, infinity, size), NULL};
}

Complex emit_complex_negate(Emit *e, Complex x) { return (Complex){neg(e, x.re), neg(e, x.im)}; }
Complex emit_complex_conj(Emit *e, Complex x) { return (Complex){x.re, neg(e, x.im)}; }

Complex emit_complex_add(Emit *e, Complex x, Complex y) {
    return (Complex){
        emit_reassociable(e, add(e, x.re, y.re)), emit_reassociable(e, add(e, x.im, y.im))};
}

Complex emit_complex_subtract(Emit *e, Complex x, Complex y) {
    return (Complex){sub(e, x.re, y.re), sub(e, x.im, y.im)};
}

static LLVMValueRef complex_less(Emit *e, Complex x, Complex y) {
    LLVMValueRef tie = LLVMBuildAnd(
        e->builder, LLVMBuildFCmp(e->builder, LLVMRealOEQ, x.re, y.re, ""),
        LLVMBuildFCmp(e->builder, LLVMRealOLT, x.im, y.im, ""), "");
    return LLVMBuildOr(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, x.re, y.re, ""), tie, "");
}

Complex emit_complex_maximum(Emit *e, Complex x, Complex y) {
    LLVMValueRef takes_y = complex_less(e, x, y);
    return (Complex){select_real(e, takes_y, y.re, x.re), select_real(e, takes_y, y.im, x.im)};
}

Complex emit_complex_minimum(Emit *e, Complex x, Complex y) {
    LLVMValueRef takes_y = complex_less(e, y, x);
    return (Complex){select_real(e, takes_y, y.re, x.re), select_real(e, takes_y, y.im, x.im)};
}

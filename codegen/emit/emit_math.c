// Functions of real numbers as expressions without branches or calls, so that loops around them become vectors.
//
// f32: range reduction and minimax polynomials (Remez exchange, relative error; the coefficients were computed with 60 digits and rounded), in
// f32 where that is accurate, else in f64. Bounds over all f32 numbers, in ulp of the result, are checked by tests/unit/codegen/test_math.c.
// f64: exp, log, logistic and some others likewise; the rest are calls of libm.
//
// Sources of the methods: Cody and Waite, Software Manual for the Elementary Functions, 1980 (reductions); Payne and Hanek, SIGNUM 18, 1983
// (large angles); Muller, Elementary Functions, 3rd ed., 2016.
#include "codegen/emit/emit_functions.h"

#include <llvm/Config/llvm-config.h>
#include <math.h>

// --- expressions ---

MathType math_type(Emit *e, bool is_f64) {
    MathType m = {.e = e, .is_f64 = is_f64};
    m.real = is_f64 ? LLVMDoubleTypeInContext(e->context) : LLVMFloatTypeInContext(e->context);
    m.bits = is_f64 ? LLVMInt64TypeInContext(e->context) : LLVMInt32TypeInContext(e->context);
    return m;
}

Num math_constant(const MathType *m, double x) { return LLVMConstReal(m->real, x); }
Num math_bits(const MathType *m, uint64_t x) { return LLVMConstInt(m->bits, x, 0); }
Num math_add(const MathType *m, Num x, Num y) { return LLVMBuildFAdd(m->e->builder, x, y, ""); }
Num math_sub(const MathType *m, Num x, Num y) { return LLVMBuildFSub(m->e->builder, x, y, ""); }
Num math_mul(const MathType *m, Num x, Num y) { return LLVMBuildFMul(m->e->builder, x, y, ""); }
Num math_div(const MathType *m, Num x, Num y) { return LLVMBuildFDiv(m->e->builder, x, y, ""); }
Num math_neg(const MathType *m, Num x) { return LLVMBuildFNeg(m->e->builder, x, ""); }
Num math_abs(const MathType *m, Num x) { return emit_intrinsic(m->e, "llvm.fabs", m->real, 1, &x); }
Num math_sqrt(const MathType *m, Num x) {
    return emit_intrinsic(m->e, "llvm.sqrt", m->real, 1, &x);
}

Num math_fma(const MathType *m, Num x, Num y, Num z) {
    if (!m->e->target->has_fma) return math_add(m, math_mul(m, x, y), z);
    Num all[3] = {x, y, z};
    return emit_intrinsic(m->e, "llvm.fma", m->real, 3, all);
}

Num math_sign_of(const MathType *m, Num size, Num sign) {
    Num both[2] = {size, sign};
    return emit_intrinsic(m->e, "llvm.copysign", m->real, 2, both);
}

Num math_less(const MathType *m, Num x, Num y) {
    return LLVMBuildFCmp(m->e->builder, LLVMRealOLT, x, y, "");
}
Num math_equal(const MathType *m, Num x, Num y) {
    return LLVMBuildFCmp(m->e->builder, LLVMRealOEQ, x, y, "");
}
Num math_is_nan(const MathType *m, Num x) {
    return LLVMBuildFCmp(m->e->builder, LLVMRealUNO, x, x, "");
}
Num math_select(const MathType *m, Num condition, Num x, Num y) {
    return LLVMBuildSelect(m->e->builder, condition, x, y, "");
}
Num math_min(const MathType *m, Num x, Num y) { return math_select(m, math_less(m, y, x), y, x); }
Num math_max(const MathType *m, Num x, Num y) { return math_select(m, math_less(m, x, y), y, x); }

Num math_polynomial(const MathType *m, Num x, int count, const double *c) {
    Num sum = math_constant(m, c[count - 1]);
    for (int k = count - 2; k >= 0; k--)
        sum = math_fma(m, sum, x, math_constant(m, c[k]));
    return sum;
}

Num math_as_bits(const MathType *m, Num x) {
    return LLVMBuildBitCast(m->e->builder, x, m->bits, "");
}
Num math_as_real(const MathType *m, Num bits) {
    return LLVMBuildBitCast(m->e->builder, bits, m->real, "");
}
Num math_to_real(const MathType *m, Num integer) {
    return LLVMBuildSIToFP(m->e->builder, integer, m->real, "");
}

// Adding 1.5 * 2^p, p the number of mantissa bits, rounds to an integer, which is then in the low bits of the sum.
static double nearest_magic(const MathType *m) {
    return m->is_f64 ? 6755399441055744.0 : 12582912.0;
}

static Num int_op(const MathType *m, LLVMOpcode op, Num x, uint64_t y) {
    return LLVMBuildBinOp(m->e->builder, op, x, math_bits(m, y), "");
}

// --- exp and log ---

// One instruction of AVX-512, vscalef, which LLVM 22 makes of ldexp; where it does not, ldexp is a call.
static Num scale_natively(const MathType *m, Num x, Num k) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context), types[2] = {m->real, i32};
    Num both[2] = {x, m->is_f64 ? LLVMBuildTrunc(m->e->builder, k, i32, "") : k};
    unsigned id = LLVMLookupIntrinsicID("llvm.ldexp", 10);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(m->e->module, id, types, 2);
    LLVMTypeRef type = LLVMIntrinsicGetType(m->e->context, id, types, 2);
    return LLVMBuildCall2(m->e->builder, type, function, both, 2, "");
}

static bool scales_natively(const MathType *m) {
    return m->e->target->isa == ISA_AVX512 && LLVM_VERSION_MAJOR >= 22;
}

// x 2^k for integer bits k: two factors, so that results below the normal numbers come out right.
static Num scale_by_power(const MathType *m, Num x, Num k) {
    if (scales_natively(m)) return scale_natively(m, x, k);
    int mantissa = m->is_f64 ? 52 : 23;
    uint64_t bias = m->is_f64 ? 1023 : 127;
    Num half = int_op(m, LLVMAShr, k, 1), rest = LLVMBuildSub(m->e->builder, k, half, "");
    Num first = int_op(m, LLVMShl, int_op(m, LLVMAdd, half, bias), (uint64_t)mantissa);
    Num second = int_op(m, LLVMShl, int_op(m, LLVMAdd, rest, bias), (uint64_t)mantissa);
    return math_mul(m, math_mul(m, x, math_as_real(m, first)), math_as_real(m, second));
}

// exp(r) = 1 + r + r^2 q(r) on |r| <= ln(2)/2
static const double exp_f32[] = {
    0.4999999403953552, 0.1666651964187622, 0.04166839271783829, 0.008368780836462975,
    0.0013814466074109077};
static const double exp_f64[] = {
    0.5,
    0.1666666666666666,
    0.041666666666666075,
    0.008333333333338858,
    0.001388888888945775,
    0.00019841269828883292,
    2.480158549052921e-05,
    2.755731520271318e-06,
    2.7559521596304746e-07,
    2.5080424462147985e-08,
    2.0012316244752914e-09};
// the same to 1e-12, for f32 results
static const double exp_f64_short[] = {
    0.5000000000430229,    0.16666666785145978,    0.04166666439148305,   0.00833328160263611,
    0.0013889198367614526, 0.00019909073900316226, 2.4708099809634178e-05};

// x = k ln 2 + r, |r| <= ln(2)/2; for |x| < 2^21.
static Num reduce_exp(const MathType *m, Num x, Num *k) {
    Num magic = math_constant(m, nearest_magic(m));
    Num sum = math_fma(m, x, math_constant(m, 1.4426950408889634), magic);
    *k = LLVMBuildSub(m->e->builder, math_as_bits(m, sum), math_as_bits(m, magic), "");
    Num kx = math_sub(m, sum, magic);
    // ln 2 in two parts, the first with zeros at its end
    Num r =
        math_fma(m, kx, math_constant(m, m->is_f64 ? -0x1.62e42fefa0000p-1 : -0x1.62e400p-1), x);
    return math_fma(
        m, kx, math_constant(m, m->is_f64 ? -0x1.cf79abc9e3b3ap-40 : -0x1.7f7d1cp-20), r);
}

// Below `low` the result is zero. A scaling that ends just below the normal numbers takes the CPU's slow way (masked scores of a softmax are many), one that
// ends far below does not.
static Num exp_with(const MathType *m, Num x, int count, const double *q) {
    double low = m->is_f64 ? -746.0 : -104.0, high = m->is_f64 ? 710.0 : 89.0;
    Num is_zero = math_less(m, x, math_constant(m, low)), zero = math_constant(m, 0);
    x = math_select(m, is_zero, scales_natively(m) ? math_constant(m, -1e5) : zero, x);
    x = math_min(m, x, math_constant(m, high));
    Num k, r = reduce_exp(m, x, &k);
    Num p = math_fma(m, math_mul(m, r, r), math_polynomial(m, r, count, q), r);
    Num y = scale_by_power(m, math_add(m, p, math_constant(m, 1)), k);
    return scales_natively(m) ? y : math_select(m, is_zero, zero, y);
}

Num math_exp(const MathType *m, Num x) {
    return m->is_f64 ? exp_with(m, x, 11, exp_f64) : exp_with(m, x, 5, exp_f32);
}

static Num exp_in_double(const MathType *d, Num x) { return exp_with(d, x, 7, exp_f64_short); }

// x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2). Subnormal numbers are scaled up first.
static Num split_exponent(const MathType *m, Num x, Num *k) {
    int mantissa = m->is_f64 ? 52 : 23;
    double smallest = m->is_f64 ? 0x1p-1022 : 0x1p-126, up = m->is_f64 ? 0x1p54 : 0x1p25;
    Num is_tiny = math_less(m, x, math_constant(m, smallest));
    x = math_select(m, is_tiny, math_mul(m, x, math_constant(m, up)), x);
    Num bits = math_as_bits(m, x);
    uint64_t root = m->is_f64 ? 0x3FE6A09E667F3BCDULL : 0x3F3504F3; // sqrt(1/2)
    Num exponent = int_op(m, LLVMAShr, int_op(m, LLVMSub, bits, root), (uint64_t)mantissa);
    Num significand =
        LLVMBuildSub(m->e->builder, bits, int_op(m, LLVMShl, exponent, (uint64_t)mantissa), "");
    *k = math_to_real(m, exponent);
    Num less = math_sub(m, *k, math_constant(m, m->is_f64 ? 54 : 25));
    *k = math_select(m, is_tiny, less, *k);
    return math_sub(m, math_as_real(m, significand), math_constant(m, 1));
}

static Num log_special_cases(const MathType *m, Num x, Num log) {
    Num zero = math_constant(m, 0), infinity = math_constant(m, (double)INFINITY);
    log = math_select(m, math_equal(m, x, infinity), x, log);
    log = math_select(m, math_equal(m, x, zero), math_neg(m, infinity), log);
    Num is_bad =
        LLVMBuildNot(m->e->builder, LLVMBuildFCmp(m->e->builder, LLVMRealOGE, x, zero, ""), "");
    return math_select(m, is_bad, math_constant(m, (double)NAN), log);
}

// log(1 + f) = f - f^2/2 + f^3 p(f)
static Num log_f32(const MathType *m, Num x) {
    static const double p[] = {0.3333331346511841,  -0.25000008940696716, 0.2000211775302887,
                               -0.1666799634695053, 0.14219562709331512,  -0.12405572086572647,
                               0.11888091266155243, -0.1167578175663948,  0.06746946275234222};
    Num k, f = split_exponent(m, x, &k), square = math_mul(m, f, f);
    Num tail = math_mul(m, math_mul(m, square, f), math_polynomial(m, f, 9, p));
    tail = math_fma(m, k, math_constant(m, 0x1.7f7d1cp-20), tail); // ln 2, low part
    tail = math_fma(m, square, math_constant(m, -0.5), tail);
    Num log = math_add(m, tail, f);
    log = math_fma(m, k, math_constant(m, 0x1.62e400p-1), log);
    return log_special_cases(m, x, log);
}

// s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - s (f - s^2 r(s^2)) with 2 atanh(s) = 2 s + s^3 r(s^2)
static Num log_f64(const MathType *m, Num x) {
    static const double r[] = {0.6666666666666735,  0.39999999999411096, 0.28571428743262994,
                               0.22222198475862606, 0.18183569749540268, 0.1531390293929264,
                               0.14797511193630603};
    Num k, f = split_exponent(m, x, &k);
    Num s = math_div(m, f, math_add(m, f, math_constant(m, 2))), z = math_mul(m, s, s);
    // 2 s = f - s f, so log(1 + f) = f - (f^2/2 - s (f^2/2 + z r(z)))
    Num half_square = math_mul(m, math_mul(m, f, f), math_constant(m, 0.5));
    Num series = math_mul(m, z, math_polynomial(m, z, 7, r));
    Num inner = math_mul(m, s, math_add(m, half_square, series));
    inner = math_fma(m, k, math_constant(m, 0x1.cf79abc9e3b3ap-40), inner);
    Num log = math_sub(m, f, math_sub(m, half_square, inner));
    log = math_fma(m, k, math_constant(m, 0x1.62e42fefa0000p-1), log);
    return log_special_cases(m, x, log);
}

Num math_log(const MathType *m, Num x) { return m->is_f64 ? log_f64(m, x) : log_f32(m, x); }
Num emit_real_exponential(const MathType *m, Num x) { return math_exp(m, x); }
Num emit_real_log(const MathType *m, Num x) { return math_log(m, x); }

// --- f32 through f64, f64 by libm ---

static Num libm(const MathType *m, const char *name, Num x) {
    return emit_libm(m->e, name, m->real, 1, &x);
}

static Num libm2(const MathType *m, const char *name, Num x, Num y) {
    Num both[2] = {x, y};
    return emit_libm(m->e, name, m->real, 2, both);
}

static Num widen(const MathType *d, Num x) { return LLVMBuildFPExt(d->e->builder, x, d->real, ""); }
static Num narrow(const MathType *m, Num x) {
    return LLVMBuildFPTrunc(m->e->builder, x, m->real, "");
}

Num emit_real_exponential_minus_one(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "expm1", x);
    MathType d = math_type(m->e, true);
    Num y = math_sub(&d, exp_in_double(&d, widen(&d, x)), math_constant(&d, 1));
    Num small = math_fma(m, math_mul(m, x, x), math_constant(m, 0.5), x);
    return math_select(
        m, math_less(m, math_abs(m, x), math_constant(m, 1e-4)), small, narrow(m, y));
}

Num emit_real_log_plus_one(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "log1p", x);
    MathType d = math_type(m->e, true);
    Num y = log_f64(&d, math_add(&d, widen(&d, x), math_constant(&d, 1)));
    Num small = math_fma(m, math_mul(m, x, x), math_constant(m, -0.5), x);
    return math_select(
        m, math_less(m, math_abs(m, x), math_constant(m, 1e-4)), small, narrow(m, y));
}

// |x|^y = exp(y log|x|); the sign, and the cases in which C's pow differs from that.
Num emit_real_power(const MathType *m, Num x, Num y) {
    if (m->is_f64) return libm2(m, "pow", x, y);
    MathType d = math_type(m->e, true);
    LLVMBuilderRef b = m->e->builder;
    Num one = math_constant(m, 1), zero = math_constant(m, 0),
        infinity = math_constant(m, (double)INFINITY);
    Num size = math_abs(m, x), y_size = math_abs(m, y);
    Num power =
        narrow(m, exp_in_double(&d, math_mul(&d, widen(&d, y), log_f64(&d, widen(&d, size)))));
    // y is an integer, an odd one? All numbers from 2^24 on are even.
    Num floor = emit_intrinsic(m->e, "llvm.floor", m->real, 1, &y),
        half = math_mul(m, y, math_constant(m, 0.5));
    Num half_floor = emit_intrinsic(m->e, "llvm.floor", m->real, 1, &half);
    Num is_integer = math_equal(m, floor, y);
    Num is_odd =
        LLVMBuildAnd(b, is_integer, LLVMBuildFCmp(b, LLVMRealONE, half, half_floor, ""), "");
    Num signed_power = math_sign_of(m, power, x);
    power = math_select(m, is_odd, signed_power, power);
    Num is_negative = math_less(m, x, zero), is_root = LLVMBuildNot(b, is_integer, "");
    Num y_is_finite = math_less(m, y_size, infinity), x_is_finite = math_less(m, size, infinity);
    Num is_bad = LLVMBuildAnd(
        b, LLVMBuildAnd(b, is_negative, is_root, ""), LLVMBuildAnd(b, y_is_finite, x_is_finite, ""),
        "");
    power = math_select(m, is_bad, math_constant(m, (double)NAN), power);
    Num is_unit = LLVMBuildAnd(b, math_equal(m, size, one), math_equal(m, y_size, infinity), "");
    Num is_one = LLVMBuildOr(b, math_equal(m, x, one), math_equal(m, y, zero), "");
    return math_select(m, LLVMBuildOr(b, is_unit, is_one, ""), one, power);
}

// x^(1/3): a guess from a third of the exponent, two steps of Halley's iteration t (t^3 + 2 x) / (2 t^3 + x).
Num emit_real_cbrt(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "cbrt", x);
    MathType d = math_type(m->e, true);
    LLVMBuilderRef b = m->e->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context), i64 = d.bits;
    Num size = math_abs(&d, widen(&d, x));
    Num high = LLVMBuildTrunc(b, int_op(&d, LLVMLShr, math_as_bits(&d, size), 32), i32, "");
    high = LLVMBuildUDiv(b, high, LLVMConstInt(i32, 3, 0), "");
    high = LLVMBuildAdd(
        b, high, LLVMConstInt(i32, 715094163, 0), ""); // (1023 - 1023/3 - 0.033) * 2^20
    Num t = math_as_real(&d, int_op(&d, LLVMShl, LLVMBuildZExt(b, high, i64, ""), 32));
    for (int step = 0; step < 2; step++) {
        Num cube = math_mul(&d, math_mul(&d, t, t), t), two = math_constant(&d, 2);
        Num top = math_fma(&d, two, size, cube), bottom = math_fma(&d, two, cube, size);
        t = math_mul(&d, t, math_div(&d, top, bottom));
    }
    Num root = math_sign_of(m, narrow(m, t), x);
    Num is_finite = math_less(m, math_abs(m, x), math_constant(m, (double)INFINITY));
    Num stays =
        LLVMBuildOr(b, LLVMBuildNot(b, is_finite, ""), math_equal(m, x, math_constant(m, 0)), "");
    return math_select(m, stays, x, root);
}

// --- hyperbolic functions, logistic ---

Num emit_real_logistic(const MathType *m, Num x) {
    Num one = math_constant(m, 1), t = math_exp(m, math_neg(m, math_abs(m, x)));
    Num top = math_select(m, math_less(m, x, math_constant(m, 0)), t, one);
    return math_div(m, top, math_add(m, one, t));
}

// With t = exp(-2|x|) = 2^k (1 + p): tanh|x| = (1 - t) / (1 + t), and 1 - t = (1 - 2^k) - 2^k p without cancellation.
Num emit_real_tanh(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "tanh", x);
    Num y = math_max(m, math_mul(m, math_abs(m, x), math_constant(m, -2)), math_constant(m, -20)),
        k;
    Num r = reduce_exp(m, y, &k);
    Num p = math_fma(m, math_mul(m, r, r), math_polynomial(m, r, 5, exp_f32), r);
    Num power = math_as_real(m, int_op(m, LLVMShl, int_op(m, LLVMAdd, k, 127), 23)); // 2^k
    Num one = math_constant(m, 1),
        top = math_fma(m, math_neg(m, power), p, math_sub(m, one, power));
    Num bottom = math_add(m, math_fma(m, power, p, power), one);
    Num size = math_div(m, top, bottom);
    return math_sign_of(m, size, x);
}

Num emit_real_cosh(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "cosh", x);
    MathType d = math_type(m->e, true);
    Num t = exp_in_double(&d, math_abs(&d, widen(&d, x)));
    Num sum = math_add(&d, t, math_div(&d, math_constant(&d, 1), t));
    return narrow(m, math_mul(&d, math_constant(&d, 0.5), sum));
}

// The series x + c x^3 near zero, where the function of |x| would cancel.
static Num odd_function(const MathType *m, Num x, Num of_size, double c) {
    Num cube = math_mul(m, math_mul(m, x, x), x);
    Num small = math_fma(m, cube, math_constant(m, c), x);
    Num large = math_sign_of(m, of_size, x);
    return math_select(m, math_less(m, math_abs(m, x), math_constant(m, 0.01)), small, large);
}

Num emit_real_sinh(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "sinh", x);
    MathType d = math_type(m->e, true);
    Num t = exp_in_double(&d, math_abs(&d, widen(&d, x)));
    Num difference = math_sub(&d, t, math_div(&d, math_constant(&d, 1), t));
    Num y = narrow(m, math_mul(&d, math_constant(&d, 0.5), difference));
    return odd_function(m, x, y, 1.0 / 6);
}

Num emit_real_acosh(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "acosh", x);
    MathType d = math_type(m->e, true);
    Num wide = widen(&d, x), one = math_constant(&d, 1);
    Num y = math_sqrt(&d, math_mul(&d, math_sub(&d, wide, one), math_add(&d, wide, one)));
    y = math_select(
        &d, math_less(&d, wide, one), math_constant(&d, (double)NAN), math_add(&d, wide, y));
    return narrow(m, log_f64(&d, y));
}

Num emit_real_asinh(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "asinh", x);
    MathType d = math_type(m->e, true);
    Num wide = widen(&d, x), square = math_mul(&d, wide, wide);
    Num root = math_sqrt(&d, math_add(&d, square, math_constant(&d, 1)));
    Num y = log_f64(&d, math_add(&d, math_abs(&d, wide), root));
    return odd_function(m, x, narrow(m, y), -1.0 / 6);
}

Num emit_real_atanh(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "atanh", x);
    MathType d = math_type(m->e, true);
    Num size = math_abs(&d, widen(&d, x)), one = math_constant(&d, 1);
    Num y = log_f64(&d, math_div(&d, math_add(&d, one, size), math_sub(&d, one, size)));
    return odd_function(m, x, narrow(m, math_mul(&d, y, math_constant(&d, 0.5))), 1.0 / 3);
}

// --- circular functions ---

// 2/pi as words of 32 bits behind one word of zeros.
static Num two_over_pi(const MathType *m, Num at) {
    static const uint32_t words[] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                     0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context);
    enum { COUNT = 9 };
    Num numbers[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = LLVMConstInt(i32, words[i], 0);
    LLVMTypeRef array = LLVMArrayType2(i32, COUNT);
    LLVMValueRef table = LLVMGetNamedGlobal(m->e->module, "two_over_pi");
    if (!table) {
        table = LLVMAddGlobal(m->e->module, array, "two_over_pi");
        LLVMSetInitializer(table, LLVMConstArray2(i32, numbers, COUNT));
        LLVMSetGlobalConstant(table, 1);
        LLVMSetLinkage(table, LLVMPrivateLinkage);
    }
    Num wide = LLVMBuildZExt(m->e->builder, at, emit_i64(m->e), "");
    Num place[2] = {emit_i64_constant(m->e, 0), wide};
    LLVMValueRef address = LLVMBuildInBoundsGEP2(m->e->builder, array, table, place, 2, "");
    return LLVMBuildLoad2(m->e->builder, i32, address, "");
}

// x = quadrant * pi/2 + result, |result| <= pi/4, in double; quadrant modulo 4 as an i32. Payne and Hanek: with |x| = n * 2^s, the product of n
// and the 96 bits of 2/pi that matter, modulo 4, as a 64-bit fraction of 4.
static Num reduce_angle(const MathType *m, Num x, Num *quadrant) {
    MathType d = math_type(m->e, true);
    LLVMBuilderRef b = m->e->builder;
    LLVMTypeRef i32 = m->bits, i64 = d.bits;
    Num bits = math_as_bits(m, math_abs(m, x));
    Num exponent = int_op(m, LLVMLShr, bits, 23);
    Num n = LLVMBuildOr(b, int_op(m, LLVMAnd, bits, 0x7FFFFF), math_bits(m, 0x800000), "");
    // the first bit of 2/pi that counts is number exponent - 150 - 1, the table has 32 zeros before number 1
    Num start = int_op(m, LLVMSub, exponent, 150 + 1 - 31);
    Num limits[2] = {start, math_bits(m, 0)};
    start = emit_intrinsic(m->e, "llvm.smax", i32, 2, limits); // smaller numbers are not reduced
    Num word = int_op(m, LLVMLShr, start, 5), shift = int_op(m, LLVMAnd, start, 31), words[4],
        window[3];
    for (uint64_t k = 0; k < 4; k++)
        words[k] = two_over_pi(m, int_op(m, LLVMAdd, word, k));
    for (int k = 0; k < 3; k++) {
        Num funnel[3] = {words[k], words[k + 1], shift};
        window[k] = LLVMBuildZExt(b, emit_intrinsic(m->e, "llvm.fshl", i32, 3, funnel), i64, "");
    }
    Num wide = LLVMBuildZExt(b, n, i64, "");
    Num low = int_op(&d, LLVMLShr, LLVMBuildMul(b, wide, window[2], ""), 32);
    Num middle = LLVMBuildMul(b, wide, window[1], "");
    Num high = int_op(&d, LLVMShl, LLVMBuildMul(b, wide, window[0], ""), 32);
    Num fraction = LLVMBuildAdd(b, LLVMBuildAdd(b, low, middle, ""), high, "");
    Num turned = int_op(&d, LLVMLShr, int_op(&d, LLVMAdd, fraction, 0x2000000000000000ULL), 62);
    Num rest = LLVMBuildSub(b, fraction, int_op(&d, LLVMShl, turned, 62), "");
    Num r = math_mul(&d, math_to_real(&d, rest), math_constant(&d, 1.5707963267948966 * 0x1p-62));
    Num is_small = math_less(m, math_abs(m, x), math_constant(m, 0.785));
    r = math_select(m, is_small, widen(&d, math_abs(m, x)), r);
    Num q = math_select(m, is_small, math_bits(m, 0), LLVMBuildTrunc(b, turned, i32, ""));
    // the negative angle
    Num is_negative = LLVMBuildICmp(b, LLVMIntSLT, math_as_bits(m, x), math_bits(m, 0), "");
    *quadrant = math_select(m, is_negative, LLVMBuildSub(b, math_bits(m, 0), q, ""), q);
    r = math_select(m, is_negative, math_neg(&d, r), r);
    Num is_finite = math_less(m, math_abs(m, x), math_constant(m, (double)INFINITY));
    return math_select(m, is_finite, r, math_constant(&d, (double)NAN));
}

static Num sine_polynomial(const MathType *m, Num r, Num z) {
    static const double p[] = {
        -0.1666666716337204, 0.008333329111337662, -0.0001983933470910415, 2.7183045858691912e-06};
    return math_fma(m, math_mul(m, z, r), math_polynomial(m, z, 4, p), r);
}

static Num cosine_polynomial(const MathType *m, Num z) {
    static const double p[] = {
        0.0416666679084301, -0.0013888883404433727, 2.4799519451335073e-05,
        -2.7210168696001347e-07};
    Num square = math_mul(m, z, z);
    Num head = math_fma(m, z, math_constant(m, -0.5), math_constant(m, 1));
    return math_fma(m, square, math_polynomial(m, z, 4, p), head);
}

static Num sine_cosine_f32(const MathType *m, Num x, bool is_cosine) {
    LLVMBuilderRef b = m->e->builder;
    Num quadrant, r = narrow(m, reduce_angle(m, x, &quadrant)), z = math_mul(m, r, r);
    if (is_cosine) quadrant = int_op(m, LLVMAdd, quadrant, 1);
    Num takes_cosine =
        LLVMBuildICmp(b, LLVMIntNE, int_op(m, LLVMAnd, quadrant, 1), math_bits(m, 0), "");
    Num y = math_select(m, takes_cosine, cosine_polynomial(m, z), sine_polynomial(m, r, z));
    Num sign = int_op(m, LLVMShl, int_op(m, LLVMAnd, quadrant, 2), 30);
    return math_as_real(m, LLVMBuildXor(b, math_as_bits(m, y), sign, ""));
}

Num emit_real_sine(const MathType *m, Num x) {
    return m->is_f64 ? libm(m, "sin", x) : sine_cosine_f32(m, x, false);
}

Num emit_real_cosine(const MathType *m, Num x) {
    return m->is_f64 ? libm(m, "cos", x) : sine_cosine_f32(m, x, true);
}

Num emit_real_tan(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "tan", x);
    static const double s[] = {
        -0.16666666666631635, 0.00833333332527668, -0.0001984126382450324, 2.755535789458549e-06,
        -2.4761652360885456e-08};
    static const double c[] = {
        0.0416666666666022, -0.0013888888878266295, 2.4801580967970297e-05, -2.755556643668165e-07,
        2.064769209401053e-09};
    MathType d = math_type(m->e, true);
    Num quadrant, r = reduce_angle(m, x, &quadrant), z = math_mul(&d, r, r);
    Num sine = math_fma(&d, math_mul(&d, z, r), math_polynomial(&d, z, 5, s), r);
    Num head = math_fma(&d, z, math_constant(&d, -0.5), math_constant(&d, 1));
    Num cosine = math_fma(&d, math_mul(&d, z, z), math_polynomial(&d, z, 5, c), head);
    Num is_odd = LLVMBuildICmp(
        m->e->builder, LLVMIntNE, int_op(m, LLVMAnd, quadrant, 1), math_bits(m, 0), "");
    Num top = math_select(&d, is_odd, math_neg(&d, cosine), sine),
        bottom = math_select(&d, is_odd, sine, cosine);
    return narrow(m, math_div(&d, top, bottom));
}

// atan(z) for 0 <= z <= 1
static Num atan_polynomial(const MathType *m, Num z) {
    static const double p[] = {-0.33333298563957214, 0.19998548924922943,  -0.14264242351055145,
                               0.10952187329530716,  -0.08403453230857849, 0.05795763060450554,
                               -0.03117787465453148, 0.010914617218077183, -0.0017936235526576638};
    Num square = math_mul(m, z, z);
    return math_fma(m, math_mul(m, square, z), math_polynomial(m, square, 9, p), z);
}

Num emit_real_atan(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "atan", x);
    Num size = math_abs(m, x), one = math_constant(m, 1), is_large = math_less(m, one, size);
    Num z = math_select(m, is_large, math_div(m, one, size), size), angle = atan_polynomial(m, z);
    Num other = math_sub(m, math_constant(m, 1.5707963267948966), angle);
    return math_sign_of(m, math_select(m, is_large, other, angle), x);
}

Num emit_real_atan2(const MathType *m, Num y, Num x) {
    if (m->is_f64) return libm2(m, "atan2", y, x);
    MathType d = math_type(m->e, true); // the sums with pi and pi/2 in double
    LLVMBuilderRef b = m->e->builder;
    Num ys = math_abs(m, y), xs = math_abs(m, x), zero = math_constant(m, 0),
        one = math_constant(m, 1);
    Num is_steep = math_less(m, xs, ys), low = math_select(m, is_steep, xs, ys),
        high = math_select(m, is_steep, ys, xs);
    Num infinity = math_constant(m, (double)INFINITY);
    Num z = narrow(m, math_div(&d, widen(&d, low), widen(&d, high)));
    z = math_select(m, math_equal(m, low, infinity), one, z);
    z = math_select(m, math_equal(m, high, zero), zero, z);
    Num angle = widen(&d, atan_polynomial(m, z));
    angle = math_select(
        &d, is_steep, math_sub(&d, math_constant(&d, 1.5707963267948966), angle), angle);
    Num is_left = LLVMBuildICmp(b, LLVMIntSLT, math_as_bits(m, x), math_bits(m, 0), "");
    angle =
        math_select(&d, is_left, math_sub(&d, math_constant(&d, 3.141592653589793), angle), angle);
    Num result = math_sign_of(m, narrow(m, angle), y);
    Num is_bad = LLVMBuildFCmp(b, LLVMRealUNO, x, y, "");
    return math_select(m, is_bad, math_add(m, x, y), result);
}

// asin|x| in double: z + z^3 p(z^2) up to 1/2; beyond, *is_large, it is pi/2 - 2 asin(z) with z = sqrt((1 - |x|) / 2).
static Num asin_of_size(const MathType *m, const MathType *d, Num x, Num *is_large) {
    static const double p[] = {0.16666659712791443, 0.07500504702329636,  0.04451679810881615,
                               0.03180928900837898, 0.014431769959628582, 0.037527214735746384};
    Num size = math_abs(m, x), half = math_constant(m, 0.5);
    *is_large = math_less(m, half, size);
    Num rest = math_mul(m, math_sub(m, math_constant(m, 1), size), half);
    Num square = math_select(m, *is_large, rest, math_mul(m, x, x));
    Num z = math_select(m, *is_large, math_sqrt(m, rest), size);
    Num angle = math_fma(m, math_mul(m, square, z), math_polynomial(m, square, 6, p), z);
    return widen(d, angle);
}

Num emit_real_asin(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "asin", x);
    MathType d = math_type(m->e, true);
    Num is_large, angle = asin_of_size(m, &d, x, &is_large);
    Num quarter = math_constant(&d, 1.5707963267948966), two = math_constant(&d, 2);
    Num large = narrow(m, math_fma(&d, angle, math_neg(&d, two), quarter));
    return math_sign_of(m, math_select(m, is_large, large, narrow(m, angle)), x);
}

Num emit_real_acos(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "acos", x);
    MathType d = math_type(m->e, true);
    Num is_large, angle = asin_of_size(m, &d, x, &is_large);
    Num quarter = math_constant(&d, 1.5707963267948966), two = math_constant(&d, 2);
    Num is_negative = math_less(m, x, math_constant(m, 0));
    Num twice = math_mul(&d, angle, two), pi = math_constant(&d, 3.141592653589793);
    Num large = math_select(&d, is_negative, math_sub(&d, pi, twice), twice);
    Num small = math_sub(&d, quarter, math_select(&d, is_negative, math_neg(&d, angle), angle));
    return narrow(m, math_select(&d, is_large, large, small));
}

// --- error function ---

// x + x p(x^2) for small |x|, else 1 - exp(q(|x|)), q the logarithm of erfc.
Num emit_real_erf(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "erf", x);
    static const double p[] = {0.128379225730896,    -0.37612631916999817, 0.11283665895462036,
                               -0.02685779333114624, 0.005197156220674515, -0.0008099878905341029,
                               8.193753455998376e-05};
    static const double q[] = {
        0.00016039666661527008, -1.1294341087341309,     -0.6335435509681702,
        -0.10801181197166443,   0.024895088747143745,    -0.004053385928273201,
        0.0003966711519751698,  -1.4304988326330204e-05, -5.223635639595159e-07};
    Num size = math_abs(m, x), z = math_mul(m, x, x);
    Num small = math_fma(m, x, math_polynomial(m, z, 7, p), x);
    Num bounded = math_min(m, size, math_constant(m, 4));
    Num large = math_sub(m, math_constant(m, 1), math_exp(m, math_polynomial(m, bounded, 9, q)));
    large = math_sign_of(m, large, x);
    return math_select(m, math_less(m, size, math_constant(m, 0.93)), small, large);
}

// exp(-x^2) g(1 / (1 + x/2)) for x >= 0, erfc(-x) = 2 - erfc(x)
Num emit_real_erfc(const MathType *m, Num x) {
    if (m->is_f64) return libm(m, "erfc", x);
    static const double g[] = {-5.883340238477408e-07, 0.2821170590572475,  0.2817186463009929,
                               0.2505841664284076,     0.15170291022129406, 0.19557859010466958,
                               -0.36500166095557307,   0.7707540237480449,  -1.3794055264556648,
                               1.4009633886592985,     -0.809674134759375,  0.25516378597417866,
                               -0.034500660064941624};
    MathType d = math_type(m->e, true);
    Num size = math_min(&d, math_abs(&d, widen(&d, x)), math_constant(&d, 10.2)),
        one = math_constant(&d, 1);
    Num t = math_div(&d, one, math_fma(&d, size, math_constant(&d, 0.5), one));
    Num y = math_mul(
        &d, exp_in_double(&d, math_neg(&d, math_mul(&d, size, size))),
        math_polynomial(&d, t, 13, g));
    Num is_negative = math_less(m, x, math_constant(m, 0));
    return narrow(m, math_select(&d, is_negative, math_sub(&d, math_constant(&d, 2), y), y));
}

// x p(w), w = -log(1 - x^2). Source of the form: Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2011.
static Num erf_inv_in_double(const MathType *d, Num x) {
    static const double near[] = {
        1.50140935169217,        0.2466402757853302,     -0.004177324634556564,
        -0.001252704877024322,   0.00021826355542742883, -4.998759590359208e-06,
        -3.4260112646621922e-06, 4.796988600585274e-07,  1.645707548432547e-08,
        -1.102322594533319e-08,  4.3704027028600694e-10, 1.3286011393726788e-10};
    static const double far[] = {
        2.8329767983718686,     1.0016752693639284,      0.009445554335524235,
        -0.007643576075344984,  0.005684646009432518,    -0.0035607393179726944,
        0.001487380027961303,   -0.00014245329838340044, -0.0002952692427824278,
        0.00019740934504737043, -2.6488205773892637e-05, -2.278816027098053e-05,
        8.05398560654766e-06};
    Num one = math_constant(d, 1);
    Num w = math_neg(d, log_f64(d, math_mul(d, math_sub(d, one, x), math_add(d, one, x))));
    Num p = math_polynomial(d, math_sub(d, w, math_constant(d, 2.5)), 12, near);
    Num q = math_polynomial(d, math_sub(d, math_sqrt(d, w), math_constant(d, 3)), 13, far);
    return math_mul(d, x, math_select(d, math_less(d, w, math_constant(d, 5)), p, q));
}

// +-1 give infinities; beyond, NaN as log makes it.
static Num erf_inv_ends(const MathType *m, Num x, Num y) {
    Num is_end = math_equal(m, math_abs(m, x), math_constant(m, 1));
    return math_select(m, is_end, math_mul(m, x, math_constant(m, (double)INFINITY)), y);
}

static Num erf_inv_f32(const MathType *m, Num x) {
    MathType d = math_type(m->e, true);
    return erf_inv_ends(m, x, narrow(m, erf_inv_in_double(&d, widen(&d, x))));
}

// One step of Halley's iteration on erf, or on erfc where |x| is near one.
static Num erf_inv_f64(const MathType *m, Num x) {
    Num y = erf_inv_in_double(m, x), size = math_abs(m, x), z = math_abs(m, y),
        one = math_constant(m, 1);
    Num erf = emit_libm(m->e, "erf", m->real, 1, &z),
        erfc = emit_libm(m->e, "erfc", m->real, 1, &z);
    for (int step = 0; step < 2; step++) {
        if (step) {
            erf = emit_libm(m->e, "erf", m->real, 1, &z);
            erfc = emit_libm(m->e, "erfc", m->real, 1, &z);
        }
        Num is_small = math_less(m, size, math_constant(m, 0.5));
        Num error = math_select(
            m, is_small, math_sub(m, erf, size), math_sub(m, math_sub(m, one, size), erfc));
        Num slope = math_mul(
            m, math_constant(m, 1.1283791670955126), math_exp(m, math_neg(m, math_mul(m, z, z))));
        Num delta = math_div(m, error, slope);
        z = math_sub(m, z, math_div(m, delta, math_fma(m, z, delta, one)));
    }
    Num tiny = math_mul(m, x, math_constant(m, 0.886226925452758));
    y = math_select(m, math_less(m, size, math_constant(m, 1e-8)), tiny, math_sign_of(m, z, x));
    return erf_inv_ends(m, x, y);
}

Num emit_real_erf_inv(const MathType *m, Num x) {
    return m->is_f64 ? erf_inv_f64(m, x) : erf_inv_f32(m, x);
}

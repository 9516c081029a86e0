// Exponential and hyperbolic functions, logarithms, powers.
#include "codegen/emit/math/emit_functions.h"

#include <assert.h>
#include <llvm/Config/llvm-config.h>
#include <math.h>

// Adding 1.5 * 2^p, p the number of mantissa bits, rounds to an integer, which is
// then in the low bits of the sum.
static double nearest_magic(const MathType *m) {
    return m->is_f64 ? 6755399441055744.0 : 12582912.0;
}

// --- exp and log ---

// One instruction of AVX-512, vscalef, which LLVM 22 makes of ldexp; where it does not, ldexp is a
// call.
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

// Results below the normal numbers need 2^k in two factors that are normal: 2^(k + UP) and 2^-UP.
enum { UP = 64 };

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

// x = k ln 2 + r, |r| <= ln(2)/2; for |x| < 2^21. *sum: k + magic, magic being nearest_magic and a
// small number more, so that its low bits are k and this number.
static Num reduce_exp(const MathType *m, Num x, Num magic, Num *sum) {
    *sum = math_fma(m, x, math_constant(m, 1.4426950408889634), magic);
    Num k = math_sub(m, *sum, magic);
    // ln 2 in two parts, the first with zeros at its end
    Num r = math_fma(m, k, math_constant(m, m->is_f64 ? -0x1.62e42fefa0000p-1 : -0x1.62e400p-1), x);
    return math_fma(
        m, k, math_constant(m, m->is_f64 ? -0x1.cf79abc9e3b3ap-40 : -0x1.7f7d1cp-20), r);
}

// nearest_magic with which the low bits of reduce_exp's sum are the exponent of 2^(k + up).
static double magic_of_power(const MathType *m, int up) {
    return nearest_magic(m) + (m->is_f64 ? 1023 : 127) + up;
}

// 2^(k + up): the bits above the exponent are shifted out.
static Num power_of_sum(const MathType *m, Num sum) {
    return math_as_real(m, math_int_op(m, LLVMShl, math_as_bits(m, sum), m->is_f64 ? 52 : 23));
}

// exp(r) for the rest r of a reduction.
static Num exp_of_rest(const MathType *m, Num r, int count, const double *q) {
    Num p = math_fma(m, math_mul(m, r, r), math_polynomial(m, r, count, q), r);
    return math_add(m, p, math_constant(m, 1));
}

static Num exp_natively(
    const MathType *m, Num x, int count, const double *q, bool is_at_most_zero) {
    x = math_max(m, x, math_constant(m, -1e5));
    if (!is_at_most_zero) x = math_min(m, x, math_constant(m, m->is_f64 ? 710.0 : 89.0));
    Num magic = math_constant(m, nearest_magic(m)), sum;
    Num r = reduce_exp(m, x, magic, &sum);
    Num k = LLVMBuildSub(m->e->builder, math_as_bits(m, sum), math_as_bits(m, magic), "");
    return scale_natively(m, exp_of_rest(m, r, count, q), k);
}

// 2^k is the product of two numbers that both are normal: up into the normal numbers and down again
// for negative x; and since the largest k is one more than the largest exponent, down and up for
// others. Where the result is zero, down is a product with zero: one that ends just below the
// normal numbers takes the CPU's slow way (masked scores of a softmax are many).
static Num exp_with(const MathType *m, Num x, int count, const double *q, bool is_at_most_zero) {
    if (scales_natively(m)) return exp_natively(m, x, count, q, is_at_most_zero);
    Num magic = math_constant(m, magic_of_power(m, UP)), down = math_constant(m, ldexp(1, -UP));
    Num is_zero = math_less(m, x, math_constant(m, m->is_f64 ? -746.0 : -104.0));
    x = math_max(m, x, math_constant(m, m->is_f64 ? -750.0 : -120.0)); // 2^(k + UP) is normal
    if (!is_at_most_zero) {
        x = math_min(m, x, math_constant(m, m->is_f64 ? 710.0 : 89.0));
        Num below =
            LLVMBuildICmp(m->e->builder, LLVMIntSLT, math_as_bits(m, x), math_bits(m, 0), "");
        magic = math_select(m, below, magic, math_constant(m, magic_of_power(m, -1)));
        down = math_select(m, below, down, math_constant(m, 2));
    }
    down = math_select(m, is_zero, math_constant(m, 0), down);
    Num sum, r = reduce_exp(m, x, magic, &sum);
    Num p = math_mul(m, exp_of_rest(m, r, count, q), power_of_sum(m, sum));
    return math_mul(m, p, down);
}

Num math_exp(const MathType *m, Num x) {
    return m->is_f64 ? exp_with(m, x, 11, exp_f64, false) : exp_with(m, x, 5, exp_f32, false);
}

Num math_exp_at_most_one(const MathType *m, Num x) {
    return m->is_f64 ? exp_with(m, x, 11, exp_f64, true) : exp_with(m, x, 5, exp_f32, true);
}

Num math_exp_in_double(const MathType *d, Num x) { return exp_with(d, x, 7, exp_f64_short, false); }

Num math_exp_of_medium(const MathType *m, Num x) {
    assert(!m->is_f64);
    Num sum, r = reduce_exp(m, x, math_constant(m, magic_of_power(m, 0)), &sum);
    return math_mul(m, exp_of_rest(m, r, 5, exp_f32), power_of_sum(m, sum));
}

// x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2). Subnormal numbers are scaled up first.
static Num split_exponent(const MathType *m, Num x, Num *k) {
    int mantissa = m->is_f64 ? 52 : 23;
    double smallest = m->is_f64 ? 0x1p-1022 : 0x1p-126, up = m->is_f64 ? 0x1p54 : 0x1p25;
    Num is_tiny = math_less(m, x, math_constant(m, smallest));
    x = math_select(m, is_tiny, math_mul(m, x, math_constant(m, up)), x);
    Num bits = math_as_bits(m, x);
    uint64_t root = m->is_f64 ? 0x3FE6A09E667F3BCDULL : 0x3F3504F3; // sqrt(1/2)
    Num exponent =
        math_int_op(m, LLVMAShr, math_int_op(m, LLVMSub, bits, root), (uint64_t)mantissa);
    Num significand = LLVMBuildSub(
        m->e->builder, bits, math_int_op(m, LLVMShl, exponent, (uint64_t)mantissa), "");
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

// k ln 2 + log(1 + f): log(1 + f) = f - f^2/2 + f^3 p(f)
static Num log_of_split_f32(const MathType *m, Num k, Num f) {
    static const double p[] = {0.3333331346511841,  -0.25000008940696716, 0.2000211775302887,
                               -0.1666799634695053, 0.14219562709331512,  -0.12405572086572647,
                               0.11888091266155243, -0.1167578175663948,  0.06746946275234222};
    Num square = math_mul(m, f, f);
    Num tail = math_mul(m, math_mul(m, square, f), math_polynomial(m, f, 9, p));
    tail = math_fma(m, k, math_constant(m, 0x1.7f7d1cp-20), tail); // ln 2, low part
    tail = math_fma(m, square, math_constant(m, -0.5), tail);
    return math_fma(m, k, math_constant(m, 0x1.62e400p-1), math_add(m, tail, f));
}

// s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - s (f - s^2 r(s^2)) with 2 atanh(s) = 2 s + s^3
// r(s^2)
static Num log_of_split_f64(const MathType *m, Num k, Num f) {
    static const double r[] = {0.6666666666666735,  0.39999999999411096, 0.28571428743262994,
                               0.22222198475862606, 0.18183569749540268, 0.1531390293929264,
                               0.14797511193630603};
    Num s = math_div(m, f, math_add(m, f, math_constant(m, 2))), z = math_mul(m, s, s);
    // 2 s = f - s f, so log(1 + f) = f - (f^2/2 - s (f^2/2 + z r(z)))
    Num half_square = math_mul(m, math_mul(m, f, f), math_constant(m, 0.5));
    Num series = math_mul(m, z, math_polynomial(m, z, 7, r));
    Num inner = math_mul(m, s, math_add(m, half_square, series));
    inner = math_fma(m, k, math_constant(m, 0x1.cf79abc9e3b3ap-40), inner);
    Num log = math_sub(m, f, math_sub(m, half_square, inner));
    return math_fma(m, k, math_constant(m, 0x1.62e42fefa0000p-1), log);
}

static Num log_of_split(const MathType *m, Num k, Num f) {
    return m->is_f64 ? log_of_split_f64(m, k, f) : log_of_split_f32(m, k, f);
}

Num math_log(const MathType *m, Num x) {
    Num k, f = split_exponent(m, x, &k);
    return log_special_cases(m, x, log_of_split(m, k, f));
}

Num math_log_near_one(const MathType *m, Num x, Num rest) {
    Num k, f = split_exponent(m, x, &k);
    Num is_near = math_less(m, math_abs(m, rest), math_constant(m, 0.25));
    k = math_select(m, is_near, math_constant(m, 0), k);
    f = math_select(m, is_near, rest, f);
    return log_special_cases(m, x, log_of_split(m, k, f));
}

Num emit_real_exponential(const MathType *m, Num x) { return math_exp(m, x); }
Num emit_real_log(const MathType *m, Num x) { return math_log(m, x); }

// exp(x) - 1 = 2^k (1 + p) - 1 = 2 (2^(k-1) p + (2^(k-1) - 1/2)); the largest k is one more than
// the largest exponent. p is a sum of two numbers, as its rounding counts where 2^k - 1 is small.
Num emit_real_exponential_minus_one(const MathType *m, Num x) {
    Num low = math_constant(m, m->is_f64 ? -40 : -20), // the result is -1
        high = math_constant(m, m->is_f64 ? 710 : 89), half = math_constant(m, 0.5);
    Num magic = math_constant(m, magic_of_power(m, -1)), sum;
    Num r = reduce_exp(m, math_min(m, math_max(m, x, low), high), magic, &sum);
    Num power = power_of_sum(m, sum),
        q = m->is_f64 ? math_polynomial(m, r, 11, exp_f64) : math_polynomial(m, r, 5, exp_f32);
    Num tail = math_mul(m, math_mul(m, r, r), q), p = math_add(m, r, tail);
    Num rest = math_add(m, math_sub(m, r, p), tail); // of p
    Num y = math_fma(m, power, p, math_sub(m, power, half));
    y = math_fma(m, power, rest, y);
    Num is_tiny = math_less(m, math_abs(m, x), math_constant(m, m->is_f64 ? 0x1p-60 : 0x1p-30));
    return math_select(m, is_tiny, x, math_add(m, y, y));
}

// 1 + x = 2^k (1 + f) as split_exponent has it, and f without the rounding of 1 + x: 4 f is
// 2^(2-k) x + (2^(2-k) - 4). The largest k is one more than the largest exponent, where 2^-k is
// subnormal.
Num emit_real_log_plus_one(const MathType *m, Num x) {
    LLVMBuilderRef b = m->e->builder;
    uint64_t root = m->is_f64 ? 0x3FE6A09E667F3BCDULL : 0x3F3504F3; // sqrt(1/2)
    uint64_t mantissa = m->is_f64 ? 52 : 23, bias = m->is_f64 ? 1023 : 127;
    Num sum = math_add(m, x, math_constant(m, 1));
    Num exponent =
        math_int_op(m, LLVMAShr, math_int_op(m, LLVMSub, math_as_bits(m, sum), root), mantissa);
    Num power = math_as_real(
        m,
        math_int_op(m, LLVMShl, LLVMBuildSub(b, math_bits(m, bias + 2), exponent, ""), mantissa));
    Num four_f = math_fma(m, power, x, math_sub(m, power, math_constant(m, 4)));
    Num f = math_mul(m, four_f, math_constant(m, 0.25));
    Num log = log_special_cases(m, sum, log_of_split(m, math_to_real(m, exponent), f));
    return math_select(m, math_equal(m, x, math_constant(m, 0)), x, log); // -0 stays
}

// |x|^y = exp(y log|x|); the sign, and the cases in which C's pow differs from that.
Num emit_real_power(const MathType *m, Num x, Num y) {
    if (m->is_f64) return math_libm2(m, "pow", x, y);
    MathType d = math_type(m->e, true);
    LLVMBuilderRef b = m->e->builder;
    Num one = math_constant(m, 1), zero = math_constant(m, 0),
        infinity = math_constant(m, (double)INFINITY);
    Num size = math_abs(m, x), y_size = math_abs(m, y);
    Num power = math_narrow(
        m, math_exp_in_double(
               &d, math_mul(&d, math_widen(&d, y), math_log(&d, math_widen(&d, size)))));
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

// x^(1/3): a guess from a third of the exponent, two steps of Halley's
// iteration t (t^3 + 2 x) / (2 t^3 + x).
Num emit_real_cbrt(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "cbrt", x);
    MathType d = math_type(m->e, true);
    LLVMBuilderRef b = m->e->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context), i64 = d.bits;
    Num size = math_abs(&d, math_widen(&d, x));
    Num high = LLVMBuildTrunc(b, math_int_op(&d, LLVMLShr, math_as_bits(&d, size), 32), i32, "");
    high = LLVMBuildUDiv(b, high, LLVMConstInt(i32, 3, 0), "");
    // (1023 - 1023/3 - 0.033) * 2^20
    high = LLVMBuildAdd(b, high, LLVMConstInt(i32, 715094163, 0), "");
    Num t = math_as_real(&d, math_int_op(&d, LLVMShl, LLVMBuildZExt(b, high, i64, ""), 32));
    for (int step = 0; step < 2; step++) {
        Num cube = math_mul(&d, math_mul(&d, t, t), t), two = math_constant(&d, 2);
        Num top = math_fma(&d, two, size, cube), bottom = math_fma(&d, two, cube, size);
        t = math_mul(&d, t, math_div(&d, top, bottom));
    }
    Num root = math_sign_of(m, math_narrow(m, t), x);
    Num is_finite = math_less(m, math_abs(m, x), math_constant(m, (double)INFINITY));
    Num stays =
        LLVMBuildOr(b, LLVMBuildNot(b, is_finite, ""), math_equal(m, x, math_constant(m, 0)), "");
    return math_select(m, stays, x, root);
}

// --- hyperbolic functions, logistic ---

Num emit_real_logistic(const MathType *m, Num x) {
    Num one = math_constant(m, 1), t = math_exp_at_most_one(m, math_neg(m, math_abs(m, x)));
    Num top = math_select(m, math_less(m, x, math_constant(m, 0)), t, one);
    return math_div(m, top, math_add(m, one, t));
}

// With t = exp(-2|x|) = 2^k (1 - 2 p), k <= 0: tanh|x| = (1 - t) / (1 + t), and 1 - t = (1 - 2^k) +
// 2^(k+1) p without cancellation. With |x| = r - k ln(2)/2, |r| <= ln(2)/4, p = (1 - exp(-2 r)) / 2
// = r + r^2 q(r). A factor k of at most 29 needs ln(2)/2 in one part: its error in f32 is 2^-31.
Num emit_real_tanh(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "tanh", x);
    static const double q[] = {
        -1.0000000124546055, 0.66666170182962689, -0.33333024500638414, 0.13386630294555241,
        -0.044628975550271624};
    Num size = math_min(m, math_abs(m, x), math_constant(m, 10));
    Num magic = math_constant(m, magic_of_power(m, 0));
    Num sum = math_fma(m, size, math_constant(m, -2.8853900817779268), magic);
    Num r = math_fma(m, math_sub(m, sum, magic), math_constant(m, 0.34657359027997265), size);
    Num p = math_fma(m, math_mul(m, r, r), math_polynomial(m, r, 5, q), r);
    Num power = power_of_sum(m, sum);
    Num twice = math_add(m, power, power), one = math_constant(m, 1);
    Num top = math_fma(m, twice, p, math_sub(m, one, power));
    Num bottom = math_fma(m, math_neg(m, twice), p, math_add(m, one, power));
    return math_sign_of(m, math_div(m, top, bottom), x);
}

Num emit_real_cosh(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "cosh", x);
    MathType d = math_type(m->e, true);
    Num t = math_exp_in_double(&d, math_abs(&d, math_widen(&d, x)));
    Num sum = math_add(&d, t, math_div(&d, math_constant(&d, 1), t));
    return math_narrow(m, math_mul(&d, math_constant(&d, 0.5), sum));
}

// The series x + c x^3 near zero, where the function of |x| would cancel.
static Num odd_function(const MathType *m, Num x, Num of_size, double c) {
    Num cube = math_mul(m, math_mul(m, x, x), x);
    Num small = math_fma(m, cube, math_constant(m, c), x);
    Num large = math_sign_of(m, of_size, x);
    return math_select(m, math_less(m, math_abs(m, x), math_constant(m, 0.01)), small, large);
}

Num emit_real_sinh(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "sinh", x);
    MathType d = math_type(m->e, true);
    Num t = math_exp_in_double(&d, math_abs(&d, math_widen(&d, x)));
    Num difference = math_sub(&d, t, math_div(&d, math_constant(&d, 1), t));
    Num y = math_narrow(m, math_mul(&d, math_constant(&d, 0.5), difference));
    return odd_function(m, x, y, 1.0 / 6);
}

Num emit_real_acosh(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "acosh", x);
    MathType d = math_type(m->e, true);
    Num wide = math_widen(&d, x), one = math_constant(&d, 1);
    Num y = math_sqrt(&d, math_mul(&d, math_sub(&d, wide, one), math_add(&d, wide, one)));
    y = math_select(
        &d, math_less(&d, wide, one), math_constant(&d, (double)NAN), math_add(&d, wide, y));
    return math_narrow(m, math_log(&d, y));
}

Num emit_real_asinh(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "asinh", x);
    MathType d = math_type(m->e, true);
    Num wide = math_widen(&d, x), square = math_mul(&d, wide, wide);
    Num root = math_sqrt(&d, math_add(&d, square, math_constant(&d, 1)));
    Num y = math_log(&d, math_add(&d, math_abs(&d, wide), root));
    return odd_function(m, x, math_narrow(m, y), -1.0 / 6);
}

Num emit_real_atanh(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "atanh", x);
    MathType d = math_type(m->e, true);
    Num size = math_abs(&d, math_widen(&d, x)), one = math_constant(&d, 1);
    Num y = math_log(&d, math_div(&d, math_add(&d, one, size), math_sub(&d, one, size)));
    return odd_function(m, x, math_narrow(m, math_mul(&d, y, math_constant(&d, 0.5))), 1.0 / 3);
}

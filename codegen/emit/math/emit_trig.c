// Circular functions and their inverses.
#include "codegen/emit/math/emit_functions.h"

#include <math.h>

// Word k behind the word `first` of 2/pi, in words of 32 bits behind one of zeros. Choices, and no
// table: a vector of lanes makes them faster than it gathers.
static Num two_over_pi(const MathType *m, Num first, int k) {
    static const uint32_t words[] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                     0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
    enum { MOST_FIRST = 4 }; // of the largest exponent
    Num word = math_bits(m, words[k]);
    for (int i = 1; i <= MOST_FIRST; i++) {
        Num is_first =
            LLVMBuildICmp(m->e->builder, LLVMIntEQ, first, math_bits(m, (uint64_t)i), "");
        word = math_select(m, is_first, math_bits(m, words[i + k]), word);
    }
    return word;
}

// x = quadrant * pi/2 + result, |result| <= pi/4, in double; quadrant modulo 4 as an i32.
// Payne and Hanek: with |x| = n * 2^s, the product of n and the 96 bits of 2/pi that matter,
// modulo 4, as a 64-bit fraction of 4.
static Num reduce_angle(const MathType *m, Num x, Num *quadrant) {
    MathType d = math_type(m->e, true);
    LLVMBuilderRef b = m->e->builder;
    LLVMTypeRef i32 = m->bits, i64 = d.bits;
    Num bits = math_as_bits(m, math_abs(m, x));
    Num exponent = math_int_op(m, LLVMLShr, bits, 23);
    Num n = LLVMBuildOr(b, math_int_op(m, LLVMAnd, bits, 0x7FFFFF), math_bits(m, 0x800000), "");
    // the first bit of 2/pi that counts is number exponent - 150 - 1, the
    // table has 32 zeros before number 1
    Num start = math_int_op(m, LLVMSub, exponent, 150 + 1 - 31);
    Num limits[2] = {start, math_bits(m, 0)};
    start = emit_intrinsic(m->e, "llvm.smax", i32, 2, limits); // smaller numbers are not reduced
    Num word = math_int_op(m, LLVMLShr, start, 5), shift = math_int_op(m, LLVMAnd, start, 31),
        words[4], window[3];
    for (int k = 0; k < 4; k++)
        words[k] = two_over_pi(m, word, k);
    for (int k = 0; k < 3; k++) {
        Num funnel[3] = {words[k], words[k + 1], shift};
        window[k] = LLVMBuildZExt(b, emit_intrinsic(m->e, "llvm.fshl", i32, 3, funnel), i64, "");
    }
    Num wide = LLVMBuildZExt(b, n, i64, "");
    Num low = math_int_op(&d, LLVMLShr, LLVMBuildMul(b, wide, window[2], ""), 32);
    Num middle = LLVMBuildMul(b, wide, window[1], "");
    Num high = math_int_op(&d, LLVMShl, LLVMBuildMul(b, wide, window[0], ""), 32);
    Num fraction = LLVMBuildAdd(b, LLVMBuildAdd(b, low, middle, ""), high, "");
    Num turned =
        math_int_op(&d, LLVMLShr, math_int_op(&d, LLVMAdd, fraction, 0x2000000000000000ULL), 62);
    Num rest = LLVMBuildSub(b, fraction, math_int_op(&d, LLVMShl, turned, 62), "");
    Num r = math_mul(&d, math_to_real(&d, rest), math_constant(&d, 1.5707963267948966 * 0x1p-62));
    Num is_small = math_less(m, math_abs(m, x), math_constant(m, 0.785));
    r = math_select(m, is_small, math_widen(&d, math_abs(m, x)), r);
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

// sin(quadrant * pi/2 + r)
static Num sine_in_quadrant(const MathType *m, Num quadrant, Num r) {
    LLVMBuilderRef b = m->e->builder;
    Num z = math_mul(m, r, r);
    Num takes_cosine =
        LLVMBuildICmp(b, LLVMIntNE, math_int_op(m, LLVMAnd, quadrant, 1), math_bits(m, 0), "");
    Num y = math_select(m, takes_cosine, cosine_polynomial(m, z), sine_polynomial(m, r, z));
    Num sign = math_int_op(m, LLVMShl, math_int_op(m, LLVMAnd, quadrant, 2), 30);
    return math_as_real(m, LLVMBuildXor(b, math_as_bits(m, y), sign, ""));
}

static Num sine_f32(const MathType *m, Num x) {
    Num quadrant, r = math_narrow(m, reduce_angle(m, x, &quadrant));
    return sine_in_quadrant(m, quadrant, r);
}

static Num cosine_f32(const MathType *m, Num x) {
    Num quadrant, r = math_narrow(m, reduce_angle(m, x, &quadrant));
    return sine_in_quadrant(m, math_int_op(m, LLVMAdd, quadrant, 1), r);
}

void math_sine_and_cosine(const MathType *m, Num x, Num *sine, Num *cosine) {
    Num quadrant, r = math_narrow(m, reduce_angle(m, x, &quadrant));
    *sine = sine_in_quadrant(m, quadrant, r);
    *cosine = sine_in_quadrant(m, math_int_op(m, LLVMAdd, quadrant, 1), r);
}

Num emit_real_sine(const MathType *m, Num x) {
    return m->is_f64 ? math_libm(m, "sin", x) : sine_f32(m, x);
}

Num emit_real_cosine(const MathType *m, Num x) {
    return m->is_f64 ? math_libm(m, "cos", x) : cosine_f32(m, x);
}

Num emit_real_tan(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "tan", x);
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
        m->e->builder, LLVMIntNE, math_int_op(m, LLVMAnd, quadrant, 1), math_bits(m, 0), "");
    Num top = math_select(&d, is_odd, math_neg(&d, cosine), sine),
        bottom = math_select(&d, is_odd, sine, cosine);
    return math_narrow(m, math_div(&d, top, bottom));
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
    if (m->is_f64) return math_libm(m, "atan", x);
    Num size = math_abs(m, x), one = math_constant(m, 1), is_large = math_less(m, one, size);
    Num z = math_select(m, is_large, math_div(m, one, size), size), angle = atan_polynomial(m, z);
    Num other = math_sub(m, math_constant(m, 1.5707963267948966), angle);
    return math_sign_of(m, math_select(m, is_large, other, angle), x);
}

Num emit_real_atan2(const MathType *m, Num y, Num x) {
    if (m->is_f64) return math_libm2(m, "atan2", y, x);
    MathType d = math_type(m->e, true); // the sums with pi and pi/2 in double
    LLVMBuilderRef b = m->e->builder;
    Num ys = math_abs(m, y), xs = math_abs(m, x), zero = math_constant(m, 0),
        one = math_constant(m, 1);
    Num is_steep = math_less(m, xs, ys), low = math_select(m, is_steep, xs, ys),
        high = math_select(m, is_steep, ys, xs);
    Num infinity = math_constant(m, (double)INFINITY);
    Num z = math_narrow(m, math_div(&d, math_widen(&d, low), math_widen(&d, high)));
    z = math_select(m, math_equal(m, low, infinity), one, z);
    z = math_select(m, math_equal(m, high, zero), zero, z);
    Num angle = math_widen(&d, atan_polynomial(m, z));
    angle = math_select(
        &d, is_steep, math_sub(&d, math_constant(&d, 1.5707963267948966), angle), angle);
    Num is_left = LLVMBuildICmp(b, LLVMIntSLT, math_as_bits(m, x), math_bits(m, 0), "");
    angle =
        math_select(&d, is_left, math_sub(&d, math_constant(&d, 3.141592653589793), angle), angle);
    Num result = math_sign_of(m, math_narrow(m, angle), y);
    Num is_bad = LLVMBuildFCmp(b, LLVMRealUNO, x, y, "");
    return math_select(m, is_bad, math_add(m, x, y), result);
}

// asin|x| in double: z + z^3 p(z^2) up to 1/2; beyond, *is_large, it is pi/2 - 2
// asin(z) with z = sqrt((1 - |x|) / 2).
static Num asin_of_size(const MathType *m, const MathType *d, Num x, Num *is_large) {
    static const double p[] = {0.16666659712791443, 0.07500504702329636,  0.04451679810881615,
                               0.03180928900837898, 0.014431769959628582, 0.037527214735746384};
    Num size = math_abs(m, x), half = math_constant(m, 0.5);
    *is_large = math_less(m, half, size);
    Num rest = math_mul(m, math_sub(m, math_constant(m, 1), size), half);
    Num square = math_select(m, *is_large, rest, math_mul(m, x, x));
    Num z = math_select(m, *is_large, math_sqrt(m, rest), size);
    Num angle = math_fma(m, math_mul(m, square, z), math_polynomial(m, square, 6, p), z);
    return math_widen(d, angle);
}

Num emit_real_asin(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "asin", x);
    MathType d = math_type(m->e, true);
    Num is_large, angle = asin_of_size(m, &d, x, &is_large);
    Num quarter = math_constant(&d, 1.5707963267948966), two = math_constant(&d, 2);
    Num large = math_narrow(m, math_fma(&d, angle, math_neg(&d, two), quarter));
    return math_sign_of(m, math_select(m, is_large, large, math_narrow(m, angle)), x);
}

Num emit_real_acos(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "acos", x);
    MathType d = math_type(m->e, true);
    Num is_large, angle = asin_of_size(m, &d, x, &is_large);
    Num quarter = math_constant(&d, 1.5707963267948966), two = math_constant(&d, 2);
    Num is_negative = math_less(m, x, math_constant(m, 0));
    Num twice = math_mul(&d, angle, two), pi = math_constant(&d, 3.141592653589793);
    Num large = math_select(&d, is_negative, math_sub(&d, pi, twice), twice);
    Num small = math_sub(&d, quarter, math_select(&d, is_negative, math_neg(&d, angle), angle));
    return math_narrow(m, math_select(&d, is_large, large, small));
}

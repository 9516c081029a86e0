// Special functions in double: lgamma, digamma, polygamma, zeta, bessel_i1e. As
// ir/scalar/scalar_math.c computes them, with its sources.
#include "codegen/emit/math/emit_functions.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static Num call(const MathType *m, const char *name, Num x) {
    return emit_libm(m->e, name, m->real, 1, &x);
}

static Num power(const MathType *m, Num x, Num y) {
    Num both[2] = {x, y};
    return emit_libm(m->e, "pow", m->real, 2, both);
}

static Num rounded(const MathType *m, const char *intrinsic, Num x) {
    return emit_intrinsic(m->e, intrinsic, m->real, 1, &x);
}

static Num either(const MathType *m, Num x, Num y) { return LLVMBuildOr(m->e->builder, x, y, ""); }
static Num both(const MathType *m, Num x, Num y) { return LLVMBuildAnd(m->e->builder, x, y, ""); }
static Num is_integer(const MathType *m, Num x) {
    return math_equal(m, x, rounded(m, "llvm.floor", x));
}

// --- digamma ---

// psi(x) for x > 0: from x + 10 on the asymptotic series, less the sum of 1 / (x + k), k < 10: the
// quotient P'(x) / P(x) for P = x (x + 1) ... (x + 9).
static Num digamma_positive(const MathType *m, Num x) {
    static const double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                    1.0 / 132, -691.0 / 32760, 1.0 / 12};
    static const double p[] = {0,     362880, 1026576, 1172700, 723680, 269325,
                               63273, 9450,   870,     45,      1};
    static const double slope[] = {362880, 2053152, 3518100, 2894720, 1346625,
                                   379638, 66150,   6960,    405,     10};
    Num one = math_constant(m, 1), ten = math_constant(m, 10), zero = math_constant(m, 0);
    Num is_small = math_less(m, x, ten), low = math_min(m, x, ten);
    Num sum = math_div(m, math_polynomial(m, low, 10, slope), math_polynomial(m, low, 11, p));
    Num shift = math_select(m, is_small, sum, zero);
    x = math_add(m, x, math_select(m, is_small, ten, zero));
    Num inverse = math_div(m, one, x), w = math_mul(m, inverse, inverse);
    Num tail = math_mul(m, w, math_polynomial(m, w, 7, series));
    Num log = math_sub(m, math_log(m, x), math_mul(m, inverse, math_constant(m, 0.5)));
    return math_sub(m, math_sub(m, log, tail), shift);
}

// sin(pi f) for |f| <= 1/2
static Num sine_of_half_turns(const MathType *m, Num f) {
    static const double p[] = {
        1,
        -1.6449340668481678,
        0.8117424252784269,
        -0.19075182396433998,
        0.026147845336487233,
        -0.002346059829910968,
        0.00014832827396380304,
        -6.7270425170826265e-06};
    Num scaled = math_mul(m, f, math_constant(m, pi));
    return math_mul(m, scaled, math_polynomial(m, math_mul(m, f, f), 8, p));
}

static Num digamma(const MathType *m, Num x) {
    static const double taylor[] = {
        0.96767224544762117,   -0.442763168983592106,  0.258499760955651011,
        -0.163942705442406528, 0.107824050691262366,   -0.0721995612564547109,
        0.0488042881641431072, -0.0331611264748473593, 0.0225976482322181047,
        -0.0154247659049489591}; // around the positive root
    Num zero = math_constant(m, 0), one = math_constant(m, 1), nan = math_constant(m, (double)NAN);
    Num is_negative = math_less(m, x, zero);
    Num y = digamma_positive(m, math_select(m, is_negative, math_sub(m, one, x), x));
    Num fraction = math_sub(m, x, rounded(m, "llvm.rint", x));
    Num other = math_sub(m, math_constant(m, 0.5), math_abs(m, fraction));
    Num cotangent = math_div(m, sine_of_half_turns(m, other), sine_of_half_turns(m, fraction));
    Num reflected = math_sub(m, y, math_mul(m, math_constant(m, pi), cotangent));
    y = math_select(m, is_negative, reflected, y);
    Num t = math_sub(
        m, math_sub(m, x, math_constant(m, 1.4616321449683623)),
        math_constant(m, 9.549995429965697e-17));
    Num is_near = math_less(m, math_abs(m, t), math_constant(m, 0.05));
    y = math_select(m, is_near, math_mul(m, t, math_polynomial(m, t, 10, taylor)), y);
    Num infinity = math_constant(m, (double)INFINITY);
    y = math_select(m, math_equal(m, x, infinity), x, y);
    y = math_select(m, both(m, is_negative, is_integer(m, x)), nan, y);
    Num pole = math_sign_of(m, infinity, math_neg(m, x));
    return math_select(m, math_equal(m, x, zero), pole, y);
}

// --- lgamma ---

// For f32 results, in double: from 3 on Stirling's series of x, or below 8 of x + 5 less
// log(x (x + 1) ... (x + 4)); from 1 to 3 (x - 1) (x - 2) g(x); below 1 that of x + 1 less log(x).
// Of negative numbers log(pi / (|x| |sin(pi x)|)) - lgamma(|x|).
static Num lgamma_for_f32(const MathType *m, Num x) {
    static const double g[] = {
        // in x - 2
        0.42278433509846713,    -0.10031730153001821,   0.03296500055213166,
        -0.012384199088411981,  0.0049986444619814765,  -0.0021080354202493846,
        0.0009153312963726914,  -0.0004062952108244314, 0.00018283370421637044,
        -8.119753686100794e-05, 3.726165923978742e-05,  -2.1069867673657713e-05,
        9.851317705107945e-06,  -4.892146044701243e-07, 2.0345105469746178e-07,
        -2.449431116074312e-06, 1.1660443077756478e-06};
    static const double stirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680};
    static const double product[] = {0, 24, 50, 35, 10, 1}; // x (x + 1) ... (x + 4)
    Num zero = math_constant(m, 0), one = math_constant(m, 1), two = math_constant(m, 2),
        half = math_constant(m, 0.5), infinity = math_constant(m, (double)INFINITY);
    Num z = math_abs(m, x), is_low = math_less(m, z, one),
        is_short = math_less(m, z, math_constant(m, 3)),
        is_middle = math_less(m, z, math_constant(m, 8));
    Num near_one = math_add(m, z, math_select(m, is_low, one, zero));
    Num t = math_sub(m, near_one, two);
    Num short_sum = math_mul(m, math_mul(m, math_add(m, t, one), t), math_polynomial(m, t, 17, g));
    Num far = math_add(m, z, math_select(m, is_middle, math_constant(m, 5), zero));
    Num inverse = math_div(m, one, far);
    Num tail = math_polynomial(m, math_mul(m, inverse, inverse), 4, stirling);
    Num log = math_mul(m, math_sub(m, far, half), math_sub(m, math_log(m, far), one));
    Num sum = math_add(m, log, math_constant(m, 0.41893853320467274)); // log(2 pi) / 2 - 1/2
    sum = math_select(m, is_short, short_sum, math_fma(m, inverse, tail, sum));
    Num less = math_polynomial(m, math_min(m, z, math_constant(m, 8)), 6, product);
    less = math_select(m, is_middle, less, one);
    less = math_select(m, is_short, math_select(m, is_low, z, one), less);
    Num fraction = math_sub(m, z, rounded(m, "llvm.rint", z));
    Num sine = math_abs(m, sine_of_half_turns(m, fraction));
    Num turned = math_mul(m, less, math_div(m, math_constant(m, pi), math_mul(m, z, sine)));
    Num is_negative = math_less(m, x, zero);
    Num log_less = math_log(m, math_select(m, is_negative, turned, less));
    Num y = math_select(m, is_negative, math_sub(m, log_less, sum), math_sub(m, sum, log_less));
    return math_select(m, math_equal(m, z, infinity), z, y);
}

// --- zeta ---

// Hurwitz zeta by Euler-Maclaurin: terms until a > 9 and at least nine of them, then
// the tail with Bernoulli numbers.
static Num zeta_sum(const MathType *m, Num x, Num q) {
    static const double coefficients[] = {
        12.0,
        -720.0,
        30240.0,
        -1209600.0,
        47900160.0,
        -1.8924375803183791606e9,
        7.47242496e10,
        -2.950130727918164224e12,
        1.1646782814350067249e14,
        -4.5979787224074726105e15,
        1.8152105401943546773e17,
        -7.1661652561756670113e18}; // (2k)! / B(2k)
    enum { TERMS = 9, MAX_TERMS = 1000000 };
    LLVMBuilderRef b = m->e->builder;
    Num one = math_constant(m, 1), minus_x = math_neg(m, x);
    LLVMValueRef sum = emit_local(m->e, ELEMENT_F64), last = emit_local(m->e, ELEMENT_F64);
    LLVMBuildStore(b, math_constant(m, 0), sum);
    // The number of terms: nine, or until q + n > 9.
    Num needed = rounded(m, "llvm.floor", math_sub(m, math_constant(m, 10), q));
    needed = math_max(m, math_constant(m, TERMS + 1), needed);
    needed = math_min(m, needed, math_constant(m, MAX_TERMS));
    needed = math_select(m, math_is_nan(m, q), math_constant(m, TERMS + 1), needed);
    Num count = LLVMBuildFPToSI(b, needed, emit_i64(m->e), "");
    LLVMBuildStore(b, one, last);
    EmitLoop *loop = emit_loop_begin(m->e, emit_i64_constant(m->e, 0), count, 1, MAX_TERMS, false);
    Num a = math_add(m, q, LLVMBuildSIToFP(b, loop->phi, m->real, ""));
    Num term = power(m, a, minus_x);
    LLVMBuildStore(b, math_add(m, LLVMBuildLoad2(b, m->real, sum, ""), term), sum);
    LLVMBuildStore(b, term, last);
    emit_loop_end(m->e, loop);
    Num w = math_add(m, q, math_sub(m, needed, one)), total = LLVMBuildLoad2(b, m->real, sum, "");
    term = LLVMBuildLoad2(b, m->real, last, "");
    Num integral = math_div(m, math_mul(m, term, w), math_sub(m, x, one));
    total = math_sub(m, math_add(m, total, integral), math_mul(m, term, math_constant(m, 0.5)));
    Num factor = one, k = math_constant(m, 0);
    for (int i = 0; i < 12; i++) {
        factor = math_mul(m, factor, math_add(m, x, k));
        term = math_div(m, term, w);
        Num t = math_div(m, math_mul(m, factor, term), math_constant(m, coefficients[i]));
        Num is_finite = math_less(m, math_abs(m, t), math_constant(m, (double)INFINITY));
        total = math_select(m, is_finite, math_add(m, total, t), total);
        k = math_add(m, k, one);
        factor = math_mul(m, factor, math_add(m, x, k));
        term = math_div(m, term, w);
        k = math_add(m, k, one);
    }
    return total;
}

static Num zeta(const MathType *m, Num x, Num q) {
    Num one = math_constant(m, 1), zero = math_constant(m, 0), nan = math_constant(m, (double)NAN);
    Num infinity = math_constant(m, (double)INFINITY);
    Num y = zeta_sum(m, x, q);
    Num first = math_div(m, one, math_sub(m, x, one));
    Num second = math_div(m, one, math_mul(m, q, math_constant(m, 2)));
    Num far = math_mul(m, math_add(m, first, second), power(m, q, math_sub(m, one, x)));
    y = math_select(m, math_less(m, math_constant(m, 1e8), q), far, y);
    Num is_left = LLVMBuildNot(m->e->builder, math_less(m, zero, q), "");
    Num at_pole = is_integer(m, q), is_root = LLVMBuildNot(m->e->builder, is_integer(m, x), "");
    y = math_select(m, both(m, is_left, is_root), nan, y);
    y = math_select(m, both(m, is_left, at_pole), infinity, y);
    y = math_select(m, math_less(m, x, one), nan, y);
    y = math_select(m, math_equal(m, x, one), infinity, y);
    return math_select(m, either(m, math_is_nan(m, x), math_is_nan(m, q)), nan, y);
}

static Num polygamma(const MathType *m, Num n, Num x) {
    Num one = math_constant(m, 1), zero = math_constant(m, 0), next = math_add(m, n, one);
    Num y = math_mul(m, math_exp(m, call(m, "lgamma", next)), zeta(m, next, x));
    Num half = math_mul(m, n, math_constant(m, 0.5));
    y = math_select(m, is_integer(m, half), math_neg(m, y), y);
    y = math_select(m, math_equal(m, n, zero), digamma(m, x), y);
    Num is_good = both(m, is_integer(m, n), LLVMBuildFCmp(m->e->builder, LLVMRealOGE, n, zero, ""));
    return math_select(m, is_good, y, math_constant(m, (double)NAN));
}

// --- bessel_i1e ---

// exp(-|x|) I1(x): up to 8 x times a polynomial in x / 4 - 1, beyond one in 16 / x - 1 over
// sqrt(x); both were interpolated at Chebyshev's nodes with 50 digits.
static Num bessel_i1e(const MathType *m, Num x) {
    static const double near[] = {
        0.04468770987560883,     -0.06112433802966629,   0.06805759990951267,
        -0.06848260620582576,    0.06376740371333725,    -0.05528003922703299,
        0.04467457262304859,     -0.03367135552039122,   0.023686016933733296,
        -0.015571309250544394,   0.009583962342948091,   -0.0055345678088487725,
        0.003005761422600446,    -0.0015388747130763492, 0.0007445158546973146,
        -0.00034117562574038554, 0.0001484126353082137,  -6.142435066991627e-05,
        2.4248618918164148e-05,  -9.135581253751598e-06, 3.2758896983910484e-06,
        -1.133551346432692e-06,  3.9091632529126733e-07, -1.2376686539665326e-07,
        2.9883402742599985e-08,  -9.144761049555143e-09, 5.211654337723065e-09,
        -1.3931836382589292e-09};
    static const double far[] = {
        0.3893984590258723,      -0.009749577193235751,   -0.0002192357638187367,
        -1.5038547201402334e-05, -1.8349107416211804e-06, -3.483855125273481e-07,
        -1.0000323944983054e-07, -4.3130341641824356e-08, -2.3453111618217135e-08,
        -8.417810881556892e-09,  7.118573210000024e-09,   1.3986230294575344e-08,
        4.7942444927275885e-09,  -7.500258824785232e-09,  -5.508409408958088e-09,
        3.158127700170617e-09,   3.0582654028044287e-09,  -1.1153074851895528e-09,
        -1.0032283190965858e-09, 2.8795297002473246e-10,  1.513858549435606e-10,
        -3.8283098239014647e-11};
    Num z = math_abs(m, x), eight = math_constant(m, 8), one = math_constant(m, 1);
    Num low = math_sub(m, math_mul(m, math_min(m, z, eight), math_constant(m, 0.25)), one);
    Num high = math_max(m, z, eight), inverse = math_div(m, math_constant(m, 16), high);
    Num small = math_mul(m, z, math_polynomial(m, low, 28, near));
    Num large =
        math_div(m, math_polynomial(m, math_sub(m, inverse, one), 22, far), math_sqrt(m, high));
    return math_sign_of(m, math_select(m, math_less(m, z, eight), small, large), x);
}

// --- the functions of scalar_ops.def: in double ---

typedef Num InDouble1(const MathType *d, Num x);
typedef Num InDouble2(const MathType *d, Num x, Num y);

static Num in_double(const MathType *m, InDouble1 *function, Num x) {
    if (m->is_f64) return function(m, x);
    MathType d = math_type(m->e, true);
    Num wide = LLVMBuildFPExt(m->e->builder, x, d.real, "");
    return LLVMBuildFPTrunc(m->e->builder, function(&d, wide), m->real, "");
}

static Num in_double2(const MathType *m, InDouble2 *function, Num x, Num y) {
    if (m->is_f64) return function(m, x, y);
    MathType d = math_type(m->e, true);
    Num wide_x = LLVMBuildFPExt(m->e->builder, x, d.real, "");
    Num wide_y = LLVMBuildFPExt(m->e->builder, y, d.real, "");
    return LLVMBuildFPTrunc(m->e->builder, function(&d, wide_x, wide_y), m->real, "");
}

Num emit_real_lgamma(const MathType *m, Num x) {
    return m->is_f64 ? call(m, "lgamma", x) : in_double(m, lgamma_for_f32, x);
}
Num emit_real_digamma(const MathType *m, Num x) { return in_double(m, digamma, x); }
Num emit_real_bessel_i1e(const MathType *m, Num x) { return in_double(m, bessel_i1e, x); }
Num emit_real_polygamma(const MathType *m, Num n, Num x) { return in_double2(m, polygamma, n, x); }
Num emit_real_zeta(const MathType *m, Num x, Num q) { return in_double2(m, zeta, x, q); }

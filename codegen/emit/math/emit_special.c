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

// psi(x) for x > 0: up to x >= 10 by the recurrence, then the asymptotic series.
static Num digamma_positive(const MathType *m, Num x) {
    static const double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                    1.0 / 132, -691.0 / 32760, 1.0 / 12};
    Num one = math_constant(m, 1), shift = math_constant(m, 0);
    for (int k = 0; k < 10; k++) {
        Num is_small = math_less(m, x, math_constant(m, 10));
        shift = math_select(m, is_small, math_add(m, shift, math_div(m, one, x)), shift);
        x = math_select(m, is_small, math_add(m, x, one), x);
    }
    Num inverse = math_div(m, one, x), w = math_mul(m, inverse, inverse);
    Num tail = math_mul(m, w, math_polynomial(m, w, 7, series));
    Num sum = math_sub(m, math_log(m, x), math_mul(m, inverse, math_constant(m, 0.5)));
    return math_sub(m, math_sub(m, sum, tail), shift);
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
    Num tangent = call(m, "tan", math_mul(m, math_constant(m, pi), fraction));
    Num reflected = math_sub(m, y, math_div(m, math_constant(m, pi), tangent));
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

// exp(-|x|) I1(x): the power series below 30, the asymptotic one above
// (Abramowitz and Stegun 9.6.10, 9.7.1).
static Num bessel_i1e(const MathType *m, Num x) {
    enum { POWER_TERMS = 90, FAR_TERMS = 24 };
    LLVMBuilderRef b = m->e->builder;
    Num z = math_abs(m, x), near = math_min(m, z, math_constant(m, 30)),
        far = math_max(m, z, math_constant(m, 30));
    Num quarter = math_mul(m, math_mul(m, near, near), math_constant(m, 0.25));
    LLVMValueRef term = emit_local(m->e, ELEMENT_F64), sum = emit_local(m->e, ELEMENT_F64);
    Num first = math_mul(m, near, math_constant(m, 0.5));
    LLVMBuildStore(b, first, term);
    LLVMBuildStore(b, first, sum);
    LLVMValueRef start = emit_i64_constant(m->e, 1), end = emit_i64_constant(m->e, POWER_TERMS);
    EmitLoop *loop = emit_loop_begin(m->e, start, end, 1, POWER_TERMS, false);
    Num k = LLVMBuildSIToFP(b, loop->phi, m->real, "");
    Num factor = math_div(m, quarter, math_mul(m, k, math_add(m, k, math_constant(m, 1))));
    Num next = math_mul(m, LLVMBuildLoad2(b, m->real, term, ""), factor);
    LLVMBuildStore(b, next, term);
    LLVMBuildStore(b, math_add(m, LLVMBuildLoad2(b, m->real, sum, ""), next), sum);
    emit_loop_end(m->e, loop);
    Num small = math_mul(m, LLVMBuildLoad2(b, m->real, sum, ""), math_exp(m, math_neg(m, near)));
    Num t = math_constant(m, 1), series = t, inverse = math_div(m, t, far);
    for (int i = 1; i < FAR_TERMS; i++) {
        double odd = 2.0 * i - 1;
        t = math_mul(m, t, math_mul(m, inverse, math_constant(m, -(4 - odd * odd) / (i * 8.0))));
        series = math_add(m, series, t);
    }
    Num large = math_div(m, series, math_sqrt(m, math_mul(m, far, math_constant(m, 2 * pi))));
    Num y = math_select(m, math_less(m, z, math_constant(m, 30)), small, large);
    y = math_select(
        m, math_equal(m, z, math_constant(m, (double)INFINITY)), math_constant(m, 0), y);
    return math_select(m, math_is_nan(m, x), x, math_sign_of(m, y, x));
}

// --- the functions of scalar_ops.def: in double ---

typedef Num InDouble1(const MathType *d, Num x);
typedef Num InDouble2(const MathType *d, Num x, Num y);

static Num lgamma_in_double(const MathType *d, Num x) { return call(d, "lgamma", x); }

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

Num emit_real_lgamma(const MathType *m, Num x) { return in_double(m, lgamma_in_double, x); }
Num emit_real_digamma(const MathType *m, Num x) { return in_double(m, digamma, x); }
Num emit_real_bessel_i1e(const MathType *m, Num x) { return in_double(m, bessel_i1e, x); }
Num emit_real_polygamma(const MathType *m, Num n, Num x) { return in_double2(m, polygamma, n, x); }
Num emit_real_zeta(const MathType *m, Num x, Num q) { return in_double2(m, zeta, x, q); }

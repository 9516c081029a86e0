// Real functions of the evaluator: every f16 and bf16, many f32 and f64. Usage: test_real
// [-v]: prints the largest errors.
#include "tests/numerics/numerics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int MpfrFn(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int MpfrFn2(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static int log_gamma(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rnd) {
    int sign;
    return mpfr_lgamma(r, &sign, x, rnd);
}
static int logistic(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rnd) {
    (void)rnd;
    reference_logistic(r, x);
    return 0;
}
static int bessel_i1e(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rnd) {
    (void)rnd;
    reference_bessel_i1e(r, x);
    return 0;
}

// MPFR has 1 / sqrt(-0) = +inf; IEEE 754 says -inf.
static int inverse_root(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rnd) {
    if (!mpfr_zero_p(x)) return mpfr_rec_sqrt(r, x, rnd);
    mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return 0;
}

typedef struct Function {
    OpCode code;
    const char *name;
    MpfrFn *exact;
    double bound, bound_f64; // ulp, of narrow floats and f32; of f64
    double limit; // larger arguments are not tried (0: all are): the reference would take too long
    double least; // of negative arguments: errors of smaller results are in ulp of this
    double near[6]; // where to look closely
} Function;

static const Function functions[] = {
    {OP_CBRT, "cbrt", mpfr_cbrt, 0.51, 0.51, 0, 0, {0}},
    {OP_COSINE,
     "cosine",
     mpfr_cos,
     0.51,
     0.51,
     0,
     0,
     {1.5707963267948966, 4.71238898038469, 355, 1e22}},
    {OP_EXPONENTIAL,
     "exponential",
     mpfr_exp,
     0.51,
     0.51,
     0,
     0,
     {88.72283905206835, 709.782712893384, 745.1332191019412, 103.97}},
    {OP_EXPONENTIAL_MINUS_ONE,
     "exponential_minus_one",
     mpfr_expm1,
     0.51,
     0.51,
     0,
     0,
     {0.6931471805599453, 88.72283905206835, 709.782712893384}},
    {OP_LOG, "log", mpfr_log, 0.51, 0.51, 0, 0, {1.4142135623730951}},
    {OP_LOG_PLUS_ONE, "log_plus_one", mpfr_log1p, 0.51, 0.51, 0, 0, {0.4142135623730951, 1e-5}},
    {OP_LOGISTIC, "logistic", logistic, 0.51, 0.51, 0, 0, {36.7, 87.3, 103.9, 709.7, 745.1}},
    {OP_RSQRT, "rsqrt", inverse_root, 0.51, 0.51, 0, 0, {0}},
    {OP_SINE,
     "sine",
     mpfr_sin,
     0.51,
     0.51,
     0,
     0,
     {3.141592653589793, 6.283185307179586, 355, 1e22}},
    {OP_SQRT, "sqrt", mpfr_sqrt, 0.51, 0.51, 0, 0, {0}},
    {OP_TAN, "tan", mpfr_tan, 0.51, 0.51, 0, 0, {1.5707963267948966, 3.141592653589793, 355, 1e22}},
    {OP_TANH, "tanh", mpfr_tanh, 0.51, 0.51, 0, 0, {0.549306144334055, 9.01, 19.06}},
    {OP_CHLO_ACOS, "acos", mpfr_acos, 0.51, 0.51, 0, 0, {0.9999, 0.7071067811865476}},
    {OP_CHLO_ACOSH, "acosh", mpfr_acosh, 0.51, 0.51, 0, 0, {1.0001}},
    {OP_CHLO_ASIN, "asin", mpfr_asin, 0.51, 0.51, 0, 0, {0.9999, 0.7071067811865476}},
    {OP_CHLO_ASINH, "asinh", mpfr_asinh, 0.51, 0.51, 0, 0, {1e-4}},
    {OP_CHLO_ATAN, "atan", mpfr_atan, 0.51, 0.51, 0, 0, {0.4375, 1.1875}},
    {OP_CHLO_ATANH, "atanh", mpfr_atanh, 0.51, 0.51, 0, 0, {0.9999}},
    {OP_CHLO_BESSEL_I1E, "bessel_i1e", bessel_i1e, 0.51, 0.51, 0, 0, {30, 8}},
    {OP_CHLO_COSH, "cosh", mpfr_cosh, 64, 0.51, 0, 0, {0.6931471805599453, 710.4758600739439}},
    {OP_CHLO_DIGAMMA,
     "digamma",
     mpfr_digamma,
     0.51,
     0.6,
     1e6,
     1.0,
     {1.4616321449683623, -0.504083008264455, 10}},
    {OP_CHLO_ERF, "erf", mpfr_erf, 0.51, 0.51, 0, 0, {0.84375, 3.8, 5.9}},
    {OP_CHLO_ERFC, "erfc", mpfr_erfc, 0.51, 0.51, 0, 0, {0.84375, 10.05, 26.54, 27.2}},
    {OP_CHLO_LGAMMA,
     "lgamma",
     log_gamma,
     0.51,
     0.52,
     1e6,
     0,
     {-2.4570247382208006, -2.7476826467274127, -3.1435808883499798}},
    {OP_CHLO_SINH, "sinh", mpfr_sinh, 64, 0.51, 0, 0, {1e-4, 710.4758600739439}},
};

typedef struct Function2 {
    OpCode code;
    const char *name;
    MpfrFn2 *exact;
    double bound, bound_f64;
} Function2;

static const Function2 functions2[] = {
    {OP_ADD, "add", mpfr_add, 0.5, 0.5},        {OP_MULTIPLY, "multiply", mpfr_mul, 0.5, 0.5},
    {OP_DIVIDE, "divide", mpfr_div, 0.51, 0.5}, {OP_REMAINDER, "remainder", mpfr_fmod, 0, 0},
    {OP_POWER, "power", mpfr_pow, 0.51, 0.51},  {OP_ATAN2, "atan2", mpfr_atan2, 0.51, 0.51},
};

static const ElementType elements[] = {ELEMENT_BF16, ELEMENT_F16, ELEMENT_F32, ELEMENT_F64};
enum { DENSE = 12000, PAIRS = 40000, SIDE = 160 };
static bool verbose;
static int failures;

// The largest error of one function on one type.
typedef struct Worst {
    double ulp, x, y, got;
} Worst;

static void judge(const char *name, ElementType element, const Worst *worst, double bound) {
    bool good = worst->ulp <= bound;
    if (!good) failures++;
    if (good && !verbose) return;
    printf(
        "%s %s %.*s: %.4g ulp (bound %.3g) at %a, %a: %a\n", good ? "ok  " : "FAIL", name,
        SV_ARG(element_text(element)), worst->ulp, bound, worst->x, worst->y, worst->got);
}

static bool differs_in_zero(double got, mpfr_srcptr exact) {
    return got == 0 && mpfr_zero_p(exact) && signbit(got) != (mpfr_signbit(exact) != 0);
}

static int all_numbers(const FloatFormat *format, const double *near, double *numbers) {
    if (format->bits > 16) return sample_numbers(format, near, 6, DENSE, numbers);
    for (int i = 0; i < 1 << 16; i++)
        numbers[i] = float_decode(format, (uint64_t)i);
    return 1 << 16;
}

static void check_function(const Function *f, ElementType element) {
    const FloatFormat *format = element_float_format(element);
    static double x[1 << 16], got[1 << 16];
    static char in[8 << 16], out[8 << 16];
    int count = all_numbers(format, f->near, x);
    scalar_store_real(element, x, count, in);
    ScalarArg arg = {in, element, false};
    if (!scalar_apply(f->code, NULL, count, &arg, element, out)) abort();
    scalar_load_real(element, out, 1, count, got);
    mpfr_t exact, argument;
    mpfr_init2(exact, WORK_BITS);
    mpfr_init2(argument, WORK_BITS);
    Worst worst = {0};
    for (int i = 0; i < count; i++) {
        if (f->limit != 0 && fabs(x[i]) > f->limit && isfinite(x[i])) continue;
        mpfr_set_d(argument, x[i], MPFR_RNDN);
        f->exact(exact, argument, MPFR_RNDN);
        double ulp = ulp_error(format, got[i], exact);
        if (x[i] < 0 && mpfr_cmp_d(exact, f->least) < 0 && mpfr_cmp_d(exact, -f->least) > 0)
            ulp *= ldexp(1.0, (int)mpfr_get_exp(exact) - 1 - ilogb(f->least));
        if (differs_in_zero(got[i], exact)) ulp = (double)INFINITY;
        if (ulp > worst.ulp) worst = (Worst){ulp, x[i], 0, got[i]};
    }
    judge(f->name, element, &worst, element == ELEMENT_F64 ? f->bound_f64 : f->bound);
    mpfr_clear(exact);
    mpfr_clear(argument);
}

static void check_function2(const Function2 *f, ElementType element) {
    const FloatFormat *format = element_float_format(element);
    static double some[DENSE], x[PAIRS], y[PAIRS], got[PAIRS];
    static char a[8 * PAIRS], b[8 * PAIRS], out[8 * PAIRS];
    static const double near[6] = {0.9999, 1e-3, 100, 1e10, 1e-10, 3.3};
    int count = sample_numbers(format, near, 6, DENSE, some);
    for (int i = 0; i < PAIRS; i++) { // all pairs of the first; then by chance
        x[i] = i < SIDE * SIDE ? some[i / SIDE] : some[(int64_t)i * 7919 % count];
        y[i] = i < SIDE * SIDE ? some[i % SIDE] : some[(int64_t)i * 104729 % count];
    }
    scalar_store_real(element, x, PAIRS, a);
    scalar_store_real(element, y, PAIRS, b);
    ScalarArg args[2] = {{a, element, false}, {b, element, false}};
    if (!scalar_apply(f->code, NULL, PAIRS, args, element, out)) abort();
    scalar_load_real(element, out, 1, PAIRS, got);
    mpfr_t exact, p, q;
    mpfr_inits2(WORK_BITS, exact, p, q, (mpfr_ptr)0);
    Worst worst = {0};
    for (int i = 0; i < PAIRS; i++) {
        mpfr_set_d(p, x[i], MPFR_RNDN);
        mpfr_set_d(q, y[i], MPFR_RNDN);
        f->exact(exact, p, q, MPFR_RNDN);
        double ulp = ulp_error(format, got[i], exact);
        if (ulp > worst.ulp) worst = (Worst){ulp, x[i], y[i], got[i]};
    }
    judge(f->name, element, &worst, element == ELEMENT_F64 ? f->bound_f64 : f->bound);
    mpfr_clears(exact, p, q, (mpfr_ptr)0);
}

// erf_inv: erf of the neighbours must lie on both sides of the argument.
static void check_erf_inv(ElementType element) {
    const FloatFormat *format = element_float_format(element);
    static double x[1 << 16], got[1 << 16];
    static char in[8 << 16], out[8 << 16];
    static const double near[6] = {0.9999, 0.999999, 0.5, 1e-9, 0.99, 0.02};
    int count = all_numbers(format, near, x);
    scalar_store_real(element, x, count, in);
    ScalarArg arg = {in, element, false};
    if (!scalar_apply(OP_CHLO_ERF_INV, NULL, count, &arg, element, out)) abort();
    scalar_load_real(element, out, 1, count, got);
    mpfr_t low, high;
    mpfr_inits2(WORK_BITS, low, high, (mpfr_ptr)0);
    Worst worst = {0};
    for (int i = 0; i < count; i++) {
        if (!(fabs(x[i]) < 1) || x[i] == 0) continue;
        uint64_t bits = float_encode(format, fabs(got[i]));
        mpfr_set_d(low, bits ? float_decode(format, bits - 1) : 0, MPFR_RNDN);
        mpfr_set_d(high, float_decode(format, bits + 1), MPFR_RNDN);
        mpfr_erf(low, low, MPFR_RNDN);
        mpfr_erf(high, high, MPFR_RNDN);
        bool inside = mpfr_cmp_d(low, fabs(x[i])) <= 0 && mpfr_cmp_d(high, fabs(x[i])) >= 0 &&
                      (got[i] < 0) == (x[i] < 0);
        if (!inside) worst = (Worst){(double)INFINITY, x[i], 0, got[i]};
    }
    judge("erf_inv", element, &worst, 1.0);
    mpfr_clears(low, high, (mpfr_ptr)0);
}

// zeta(x, q) and polygamma(n, x) = (-1)^(n+1) n! zeta(n + 1, x)
static void check_zeta(ElementType element) {
    enum { COUNT = 400 };
    const FloatFormat *format = element_float_format(element);
    Worst zeta = {0}, polygamma = {0};
    mpfr_t exact, p, q;
    mpfr_inits2(WORK_BITS, exact, p, q, (mpfr_ptr)0);
    for (int i = 0; i < COUNT; i++) {
        double x = 1.0625 + 30 * fmod(i * 0.6180339887498949, 1),
               y = 0.015625 + 40 * fmod(i * 0.7548776662466927, 1);
        double n = i % 12 + 1, pair[2] = {x, y}, order[2] = {n, y}, r[2];
        char in[2][16], out[2][8];
        for (int k = 0; k < 2; k++) {
            scalar_store_real(element, k ? order : pair, 2, in[k]);
            ScalarArg args[2] = {
                {in[k], element, false}, {in[k] + element_bytes(element), element, false}};
            if (!scalar_apply(k ? OP_CHLO_POLYGAMMA : OP_CHLO_ZETA, NULL, 1, args, element, out[k]))
                abort();
            scalar_load_real(element, out[k], 1, 1, &r[k]);
        }
        scalar_load_real(element, in[0], 1, 2, pair);
        mpfr_set_d(p, pair[0], MPFR_RNDN);
        mpfr_set_d(q, pair[1], MPFR_RNDN);
        reference_zeta(exact, p, q);
        double ulp = ulp_error(format, r[0], exact);
        if (ulp > zeta.ulp) zeta = (Worst){ulp, pair[0], pair[1], r[0]};
        mpfr_set_d(p, n + 1, MPFR_RNDN);
        reference_zeta(exact, p, q);
        mpfr_fac_ui(p, (unsigned long)n, MPFR_RNDN);
        mpfr_mul(exact, exact, p, MPFR_RNDN);
        if (fmod(n, 2) == 0) mpfr_neg(exact, exact, MPFR_RNDN);
        ulp = ulp_error(format, r[1], exact);
        if (ulp > polygamma.ulp) polygamma = (Worst){ulp, n, pair[1], r[1]};
    }
    judge("zeta", element, &zeta, 0.52);
    judge("polygamma", element, &polygamma, 0.52);
    mpfr_clears(exact, p, q, (mpfr_ptr)0);
}

int main(int argc, char **argv) {
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    mpfr_set_emin(-200000);
    mpfr_set_emax(200000);
    for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++) {
        for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
            check_function(&functions[i], elements[e]);
        for (size_t i = 0; i < sizeof functions2 / sizeof functions2[0]; i++)
            check_function2(&functions2[i], elements[e]);
        check_erf_inv(elements[e]);
        check_zeta(elements[e]);
    }
    mpfr_free_cache();
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}

// Complex functions of the evaluator against formulas in MPFR: parts from zero over
// denormals to huge numbers, on both sides of the branch cuts. Usage: test_complex
// [-v]: prints the largest errors.
//
// Errors of a part are in ulp of that part (PARTS) or of the larger part (WHOLE): where a
// part may cancel to nearly nothing.
#include "tests/numerics/numerics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 4800 }; // 1e300^2 + 1e-300^2 is exact, with something left

typedef struct Big {
    mpfr_t re, im;
} Big;

enum { TEMPORARIES = 8 };
static Big t[TEMPORARIES];
static mpfr_t p, q;

static void set(Big *r, double re, double im) {
    mpfr_set_d(r->re, re, MPFR_RNDN);
    mpfr_set_d(r->im, im, MPFR_RNDN);
}
static void copy(Big *r, const Big *x) {
    mpfr_set(r->re, x->re, MPFR_RNDN);
    mpfr_set(r->im, x->im, MPFR_RNDN);
}
// r = (x.re + re, x.im), r = -x, r = i x
static void add_real(Big *r, const Big *x, long re) {
    mpfr_add_si(r->re, x->re, re, MPFR_RNDN);
    mpfr_set(r->im, x->im, MPFR_RNDN);
}
static void negate(Big *r, const Big *x) {
    mpfr_neg(r->re, x->re, MPFR_RNDN);
    mpfr_neg(r->im, x->im, MPFR_RNDN);
}
static void times_i(Big *r, const Big *x) {
    mpfr_set(p, x->re, MPFR_RNDN);
    mpfr_neg(r->re, x->im, MPFR_RNDN);
    mpfr_set(r->im, p, MPFR_RNDN);
}
static void times_minus_i(Big *r, const Big *x) {
    times_i(r, x);
    negate(r, r);
}
static void multiply(Big *r, const Big *x, const Big *y) {
    mpfr_t re, im;
    mpfr_inits2(BITS, re, im, (mpfr_ptr)0);
    mpfr_fmms(re, x->re, y->re, x->im, y->im, MPFR_RNDN);
    mpfr_fmma(im, x->re, y->im, x->im, y->re, MPFR_RNDN);
    mpfr_set(r->re, re, MPFR_RNDN);
    mpfr_set(r->im, im, MPFR_RNDN);
    mpfr_clears(re, im, (mpfr_ptr)0);
}
static void divide(Big *r, const Big *x, const Big *y) {
    mpfr_t size;
    Big c;
    mpfr_inits2(BITS, size, c.re, c.im, (mpfr_ptr)0);
    mpfr_fmma(size, y->re, y->re, y->im, y->im, MPFR_RNDN);
    mpfr_set(c.re, y->re, MPFR_RNDN);
    mpfr_neg(c.im, y->im, MPFR_RNDN);
    multiply(r, x, &c);
    mpfr_div(r->re, r->re, size, MPFR_RNDN);
    mpfr_div(r->im, r->im, size, MPFR_RNDN);
    mpfr_clears(size, c.re, c.im, (mpfr_ptr)0);
}

static void big_exp(Big *r, const Big *x) {
    mpfr_exp(p, x->re, MPFR_RNDN);
    mpfr_sin_cos(r->im, r->re, x->im, MPFR_RNDN);
    mpfr_mul(r->re, r->re, p, MPFR_RNDN);
    mpfr_mul(r->im, r->im, p, MPFR_RNDN);
}
static void big_expm1(Big *r, const Big *x) {
    big_exp(r, x);
    mpfr_sub_ui(r->re, r->re, 1, MPFR_RNDN);
}
static void big_log(Big *r, const Big *x) {
    mpfr_fmma(p, x->re, x->re, x->im, x->im, MPFR_RNDN);
    mpfr_atan2(r->im, x->im, x->re, MPFR_RNDN);
    mpfr_log(r->re, p, MPFR_RNDN);
    mpfr_div_ui(r->re, r->re, 2, MPFR_RNDN);
}
static void big_log1p(Big *r, const Big *x) {
    add_real(r, x, 1);
    big_log(r, r);
}
// |x| = h: sqrt((h + a) / 2) + i sign(b) sqrt((h - a) / 2), the smaller one by b / (2 the larger)
static void big_sqrt(Big *r, const Big *x) {
    bool negative = mpfr_sgn(x->re) < 0, down = mpfr_signbit(x->im) != 0;
    mpfr_hypot(p, x->re, x->im, MPFR_RNDN);
    mpfr_abs(q, x->re, MPFR_RNDN);
    mpfr_add(p, p, q, MPFR_RNDN);
    mpfr_div_ui(p, p, 2, MPFR_RNDN);
    mpfr_sqrt(p, p, MPFR_RNDN);
    mpfr_abs(q, x->im, MPFR_RNDN);
    if (!mpfr_zero_p(p)) {
        mpfr_div(q, q, p, MPFR_RNDN);
        mpfr_div_ui(q, q, 2, MPFR_RNDN);
    }
    mpfr_set(r->re, negative ? q : p, MPFR_RNDN);
    mpfr_setsign(r->im, negative ? p : q, down, MPFR_RNDN);
}
static void big_rsqrt(Big *r, const Big *x) {
    set(&t[7], 1, 0);
    big_sqrt(r, x);
    divide(r, &t[7], r);
}
static void big_sinh(Big *r, const Big *x) {
    mpfr_sinh_cosh(p, q, x->re, MPFR_RNDN);
    mpfr_sin_cos(r->im, r->re, x->im, MPFR_RNDN);
    mpfr_mul(r->re, r->re, p, MPFR_RNDN);
    mpfr_mul(r->im, r->im, q, MPFR_RNDN);
}
static void big_cosh(Big *r, const Big *x) {
    mpfr_sinh_cosh(p, q, x->re, MPFR_RNDN);
    mpfr_sin_cos(r->im, r->re, x->im, MPFR_RNDN);
    mpfr_mul(r->re, r->re, q, MPFR_RNDN);
    mpfr_mul(r->im, r->im, p, MPFR_RNDN);
}
static void big_tanh(Big *r, const Big *x) {
    copy(&t[6], x);
    big_cosh(&t[7], &t[6]);
    big_sinh(r, &t[6]);
    divide(r, r, &t[7]);
}
static void big_sin(Big *r, const Big *x) {
    times_i(r, x);
    big_sinh(r, r);
    times_minus_i(r, r);
}
static void big_cos(Big *r, const Big *x) {
    times_i(r, x);
    big_cosh(r, r);
}
static void big_tan(Big *r, const Big *x) {
    times_i(r, x);
    big_tanh(r, r);
    times_minus_i(r, r);
}
// Kahan, "Branch cuts for complex elementary functions", 1987: with u = sqrt(1 - x),
// v = sqrt(1 + x)
static void roots(const Big *x) {
    negate(&t[0], x);
    add_real(&t[0], &t[0], 1);
    big_sqrt(&t[0], &t[0]);
    add_real(&t[1], x, 1);
    big_sqrt(&t[1], &t[1]);
}
// asin: (atan2(a, Re(u v)), asinh(Im(conj(u) v)))
static void big_asin(Big *r, const Big *x) {
    roots(x);
    multiply(&t[2], &t[0], &t[1]);
    mpfr_neg(t[0].im, t[0].im, MPFR_RNDN);
    multiply(&t[3], &t[0], &t[1]);
    mpfr_atan2(r->re, x->re, t[2].re, MPFR_RNDN);
    mpfr_asinh(r->im, t[3].im, MPFR_RNDN);
}
// acos: (2 atan2(Re u, Re v), asinh(Im(conj(v) u)))
static void big_acos(Big *r, const Big *x) {
    roots(x);
    mpfr_atan2(r->re, t[0].re, t[1].re, MPFR_RNDN);
    mpfr_mul_ui(r->re, r->re, 2, MPFR_RNDN);
    mpfr_neg(t[1].im, t[1].im, MPFR_RNDN);
    multiply(&t[3], &t[1], &t[0]);
    mpfr_asinh(r->im, t[3].im, MPFR_RNDN);
}
// acosh: with u = sqrt(x - 1): (asinh(Re(conj(u) v)), 2 atan2(Im u, Re v))
static void big_acosh(Big *r, const Big *x) {
    add_real(&t[0], x, -1);
    big_sqrt(&t[0], &t[0]);
    add_real(&t[1], x, 1);
    big_sqrt(&t[1], &t[1]);
    mpfr_atan2(r->im, t[0].im, t[1].re, MPFR_RNDN);
    mpfr_mul_ui(r->im, r->im, 2, MPFR_RNDN);
    mpfr_neg(t[0].im, t[0].im, MPFR_RNDN);
    multiply(&t[3], &t[0], &t[1]);
    mpfr_asinh(r->re, t[3].re, MPFR_RNDN);
}
static void big_asinh(Big *r, const Big *x) {
    times_i(&t[5], x);
    big_asin(r, &t[5]);
    times_minus_i(r, r);
}
// log((1 + x) / (1 - x)) / 2: (log(((1 + a)^2 + b^2) / ((1 - a)^2 + b^2)) / 4,
// atan2(2 b, 1 - a^2 - b^2) / 2)
static void big_atanh(Big *r, const Big *x) {
    add_real(&t[0], x, 1);
    negate(&t[1], x);
    add_real(&t[1], &t[1], 1);
    mpfr_fmma(p, t[0].re, t[0].re, t[0].im, t[0].im, MPFR_RNDN);
    mpfr_fmma(q, t[1].re, t[1].re, t[1].im, t[1].im, MPFR_RNDN);
    mpfr_div(p, p, q, MPFR_RNDN);
    mpfr_fmms(q, t[0].re, t[1].re, x->im, x->im, MPFR_RNDN);
    mpfr_mul_ui(t[2].im, x->im, 2, MPFR_RNDN);
    mpfr_atan2(r->im, t[2].im, q, MPFR_RNDN);
    mpfr_div_ui(r->im, r->im, 2, MPFR_RNDN);
    mpfr_log(r->re, p, MPFR_RNDN);
    mpfr_div_ui(r->re, r->re, 4, MPFR_RNDN);
}
static void big_atan(Big *r, const Big *x) {
    times_i(&t[5], x);
    big_atanh(r, &t[5]);
    times_minus_i(r, r);
}
static void big_logistic(Big *r, const Big *x) {
    negate(r, x);
    big_exp(r, r);
    add_real(r, r, 1);
    set(&t[7], 1, 0);
    divide(r, &t[7], r);
}
static void big_cbrt(Big *r, const Big *x) {
    mpfr_hypot(p, x->re, x->im, MPFR_RNDN);
    mpfr_cbrt(p, p, MPFR_RNDN);
    mpfr_atan2(q, x->im, x->re, MPFR_RNDN);
    mpfr_div_ui(q, q, 3, MPFR_RNDN);
    mpfr_sin_cos(r->im, r->re, q, MPFR_RNDN);
    mpfr_mul(r->re, r->re, p, MPFR_RNDN);
    mpfr_mul(r->im, r->im, p, MPFR_RNDN);
}
static void big_sign(Big *r, const Big *x) {
    mpfr_hypot(p, x->re, x->im, MPFR_RNDN);
    mpfr_div(r->re, x->re, p, MPFR_RNDN);
    mpfr_div(r->im, x->im, p, MPFR_RNDN);
}
static void big_square(Big *r, const Big *x) { multiply(r, x, x); }

typedef enum Measure { PARTS, WHOLE } Measure;

typedef struct Function {
    OpCode code;
    const char *name;
    void (*exact)(Big *r, const Big *x);
    Measure measure;
    double largest; // of a part: above, exp overflows the reference's patience
} Function;

static const Function functions[] = {
    {OP_EXPONENTIAL, "exponential", big_exp, PARTS, 700},
    {OP_EXPONENTIAL_MINUS_ONE, "exponential_minus_one", big_expm1, WHOLE, 700},
    {OP_LOG, "log", big_log, PARTS, 0},
    {OP_LOG_PLUS_ONE, "log_plus_one", big_log1p, PARTS, 0},
    {OP_LOGISTIC, "logistic", big_logistic, WHOLE, 700},
    {OP_SQRT, "sqrt", big_sqrt, PARTS, 0},
    {OP_RSQRT, "rsqrt", big_rsqrt, PARTS, 0},
    {OP_CBRT, "cbrt", big_cbrt, PARTS, 0},
    {OP_SIGN, "sign", big_sign, PARTS, 0},
    {OP_SINE, "sine", big_sin, PARTS, 700},
    {OP_COSINE, "cosine", big_cos, PARTS, 700},
    {OP_TAN, "tan", big_tan, PARTS, 300},
    {OP_TANH, "tanh", big_tanh, PARTS, 300},
    {OP_CHLO_SINH, "sinh", big_sinh, PARTS, 700},
    {OP_CHLO_COSH, "cosh", big_cosh, PARTS, 700},
    {OP_CHLO_ASIN, "asin", big_asin, PARTS, 0},
    {OP_CHLO_ACOS, "acos", big_acos, PARTS, 0},
    {OP_CHLO_ASINH, "asinh", big_asinh, PARTS, 0},
    {OP_CHLO_ACOSH, "acosh", big_acosh, PARTS, 0},
    {OP_CHLO_ATAN, "atan", big_atan, PARTS, 0},
    {OP_CHLO_ATANH, "atanh", big_atanh, PARTS, 0},
    {OP_CHLO_SQUARE, "square", big_square, PARTS, 0},
};

enum { MAX_SAMPLES = 1200 };
static bool verbose;
static int failures;

// Pairs of parts: all of a few numbers that matter, then by chance.
static int sample_pairs(const FloatFormat *format, double (*pairs)[2]) {
    static const double parts[] = {0, 1, 0.5, 2, 1e-3, 1e-10, 30, 1e10, 3.0e38, 1.2e-38, 1e-42};
    enum { PARTS_COUNT = sizeof parts / sizeof parts[0] };
    int count = 0;
    for (int i = 0; i < PARTS_COUNT * PARTS_COUNT * 4; i++) {
        double re = parts[i / 4 / PARTS_COUNT], im = parts[i / 4 % PARTS_COUNT];
        pairs[count][0] = i & 1 ? -re : re;
        pairs[count++][1] = i & 2 ? -im : im;
    }
    // next to the branch points and cuts
    for (int i = 0; i < 64; i++) {
        uint64_t one = float_encode(format, 1.0) + (uint64_t)(i % 8) - 4;
        double near = float_decode(format, one), tiny = ldexp(i % 16 < 8 ? 1.0 : 0.0, -(i * 2));
        pairs[count][0] = i & 32 ? near : tiny;
        pairs[count++][1] = i & 32 ? (i & 16 ? -tiny : tiny) : near;
    }
    for (int i = 0; count < MAX_SAMPLES; i++, count++) {
        double size = exp2(fmod(i * 0.6180339887498949, 1) * (i % 3 ? 8 : 60) - (i % 3 ? 4 : 30));
        double angle = 6.283185307179586 * fmod(i * 0.7548776662466927, 1);
        pairs[count][0] = size * cos(angle);
        pairs[count][1] = size * sin(angle);
    }
    return count;
}

// The error of a part, in ulp of it or, where that is larger, of `least`.
static double part_error(
    const FloatFormat *format, double got, mpfr_srcptr exact, mpfr_srcptr least) {
    double ulp = ulp_error(format, got, exact);
    if (!least || mpfr_zero_p(least) || !isfinite(ulp)) return ulp;
    mpfr_exp_t low = 1 - format->bias, have = mpfr_zero_p(exact) ? low : mpfr_get_exp(exact) - 1;
    mpfr_exp_t want = mpfr_get_exp(least) - 1;
    if (have < low) have = low;
    return want > have ? ldexp(ulp, (int)(have - want)) : ulp;
}

static void check_function(
    const Function *f, ElementType element, double (*pairs)[2], int count, const double *got) {
    const FloatFormat *format = element_float_format(element_real_part(element));
    Big x, exact;
    mpfr_inits2(BITS, x.re, x.im, exact.re, exact.im, (mpfr_ptr)0);
    double worst = 0;
    int at = 0;
    for (int i = 0; i < count; i++) {
        double largest = fmax(fabs(pairs[i][0]), fabs(pairs[i][1]));
        if ((f->largest != 0 && largest > f->largest) || largest == 0) continue;
        set(&x, pairs[i][0], pairs[i][1]);
        f->exact(&exact, &x);
        if (!mpfr_number_p(exact.re) || !mpfr_number_p(exact.im)) continue; // poles
        mpfr_srcptr least = NULL;
        if (f->measure == WHOLE) least = mpfr_cmpabs(exact.re, exact.im) > 0 ? exact.re : exact.im;
        double re = part_error(format, got[2 * i], exact.re, least),
               im = part_error(format, got[2 * i + 1], exact.im, least);
        if (fmax(re, im) > worst) {
            worst = fmax(re, im);
            at = i;
        }
    }
    bool good = worst <= 0.52;
    if (!good) failures++;
    if (!good || verbose) {
        printf(
            "%s %s %.*s: %.4g ulp at (%a, %a): (%a, %a)\n", good ? "ok  " : "FAIL", f->name,
            SV_ARG(element_text(element)), worst, pairs[at][0], pairs[at][1], got[2 * at],
            got[2 * at + 1]);
    }
    mpfr_clears(x.re, x.im, exact.re, exact.im, (mpfr_ptr)0);
}

static void check_type(ElementType element) {
    static double pairs[MAX_SAMPLES][2], got[MAX_SAMPLES][2];
    static char in[16 * MAX_SAMPLES], out[16 * MAX_SAMPLES];
    const FloatFormat *format = element_float_format(element_real_part(element));
    int count = sample_pairs(format, pairs);
    scalar_store_complex(element, (const double _Complex *)pairs, count, in);
    scalar_load_complex(element, in, 1, count, (double _Complex *)pairs); // as the type has them
    ScalarArg arg = {in, element, false};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!scalar_apply(functions[i].code, NULL, count, &arg, element, out)) abort();
        scalar_load_complex(element, out, 1, count, (double _Complex *)got);
        check_function(&functions[i], element, pairs, count, got[0]);
    }
}

int main(int argc, char **argv) {
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    mpfr_inits2(BITS, p, q, (mpfr_ptr)0);
    for (int i = 0; i < TEMPORARIES; i++)
        mpfr_inits2(BITS, t[i].re, t[i].im, (mpfr_ptr)0);
    check_type(ELEMENT_C64);
    check_type(ELEMENT_C128);
    mpfr_clears(p, q, (mpfr_ptr)0);
    for (int i = 0; i < TEMPORARIES; i++)
        mpfr_clears(t[i].re, t[i].im, (mpfr_ptr)0);
    mpfr_free_cache();
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}

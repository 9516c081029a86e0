// Special functions of real numbers, computed in long double and rounded to double: within
// 0.51 ulp of f64 in most places, where long double is wider. docs/numerics.md has the
// bounds, tests/numerics checks them.
#ifndef _DEFAULT_SOURCE
#    define _DEFAULT_SOURCE // lgamma_r
#endif
#include "ir/scalar/scalar.h"

#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;

double scalar_sign(double x) { return isnan(x) || x == 0 ? x : x > 0 ? 1.0 : -1.0; }

double scalar_maximum(double x, double y) {
    if (isnan(x)) return x;
    if (isnan(y)) return y;
    if (x == y) return signbit(x) ? y : x; // +0 is larger than -0
    return x > y ? x : y;
}

double scalar_minimum(double x, double y) {
    if (isnan(x)) return x;
    if (isnan(y)) return y;
    if (x == y) return signbit(x) ? x : y;
    return x < y ? x : y;
}

// x^y by squaring, wrapping. A negative exponent: 1/x truncated, so 0 unless x is 1 or -1.
int64_t scalar_int_power(int64_t x, int64_t y, bool is_signed) {
    if (is_signed && y < 0) {
        if (x == 1) return 1;
        if (x == -1) return y & 1 ? -1 : 1;
        return 0;
    }
    uint64_t base = (uint64_t)x, exponent = (uint64_t)y, result = 1;
    for (; exponent; exponent >>= 1, base *= base) {
        if (exponent & 1) result *= base;
    }
    return (int64_t)result;
}

// e^(x + log 1/2) + e^(log 1/2 - x), every step rounded to f32: CHLO's expansion, which does not
// overflow before the result does.
double scalar_cosh_f32(double x) {
    float half = (float)log(0.5), up = (float)x + half, down = half - (float)x;
    return (double)((float)exp((double)up) + (float)exp((double)down));
}

// The same with a difference; for |x| < 1: (expm1 x + expm1 x / (expm1 x + 1)) / 2.
double scalar_sinh_f32(double x) {
    float half = (float)log(0.5), up = (float)x + half, down = half - (float)x;
    if (!(fabs(x) < 1)) return (double)((float)exp((double)up) - (float)exp((double)down));
    float e = (float)expm1(x);
    return (double)(0.5F * (e + e / (e + 1.0F)));
}

double scalar_lgamma(double x) {
    int sign = 0;
    return (double)lgammal_r((long double)x, &sign);
}

// Around the zero of digamma at 1.46.. terms would cancel. The Taylor series there:
// psi^(k)(root) / k! = (-1)^(k+1) zeta(k + 1, root).
static long double digamma_near_root(long double distance) {
    static const long double taylor[] = {
        0.967672245447621170427445L,   -0.442763168983592106092865L,
        0.258499760955651010624401L,   -0.163942705442406527504251L,
        0.107824050691262365757183L,   -0.0721995612564547109261218L,
        0.0488042881641431072250925L,  -0.0331611264748473592922584L,
        0.0225976482322181046596248L,  -0.0154247659049489591388003L,
        0.010538791616612175388124L,   -0.00720453438635686824097047L,
        0.00492678139572985344635427L, -0.00336980165543932808279286L,
        0.00230512632673492783693838L, -0.00157693677143019725927093L,
        0.00107882520191629658069192L, -0.000738070938996005129566047L};
    long double sum = 0;
    for (int k = 17; k >= 0; k--)
        sum = sum * distance + taylor[k];
    return sum * distance;
}

// Recurrence up to z >= 20, then the asymptotic series.
static long double digamma_of_positive(long double z) {
    static const long double bernoulli[] = {// B(2k) / 2k
                                            1 / 12.0L,   -1 / 120.0L,    1 / 252.0L,
                                            -1 / 240.0L, 1 / 132.0L,     -691 / 32760.0L,
                                            1 / 12.0L,   -3617 / 8160.0L};
    static const double root = 1.4616321449683623; // root + root_low is more exact
    static const long double root_low = 9.549995429965697715184199e-17L;
    if (fabsl(z - (long double)root) < 0.05L)
        return digamma_near_root(z - (long double)root - root_low);
    long double shift = 0;
    while (z < 20) {
        shift += 1 / z;
        z += 1;
    }
    long double w = 1 / (z * z), series = 0;
    for (int k = 7; k >= 0; k--)
        series = w * (series + bernoulli[k]);
    return logl(z) - 0.5L / z - series - shift;
}

// Reflection below zero. Source: Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
double scalar_digamma(double x) {
    if (isnan(x)) return x;
    if (x == 0) return signbit(x) ? (double)INFINITY : -(double)INFINITY;
    if (isinf(x)) return x > 0 ? x : (double)NAN;
    if (x > 0) return (double)digamma_of_positive((long double)x);
    if (x == floor(x)) return (double)NAN;
    // tan has period pi: keep the argument exact
    long double fraction = (long double)(x - nearbyint(x));
    return (double)(digamma_of_positive(1 - (long double)x) - pi / tanl(pi * fraction));
}

// Giles' approximation ("Approximating the erfinv function", 2010): a start for
// Halley's method, which it is good enough for up to 0.999; from there on erfc(z) ~
// exp(-z^2) / (z sqrt(pi)), of x > 0.
static long double erf_inv_start(long double x) {
    static const double c[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                               -4.39150654e-06, 0.00021858087,  -0.00125372503,
                               -0.00417768164,  0.246640727,    1.50140941};
    if (x > 0.999L) {
        long double scale = -logl((1 - x) * sqrtl(pi)), z = sqrtl(scale);
        for (int i = 0; i < 3; i++)
            z = sqrtl(scale - logl(z));
        return z;
    }
    double w = -log((double)((1 - x) * (1 + x))) - 2.5, p = 0;
    for (int i = 0; i < 9; i++)
        p = p * w + c[i];
    return (long double)p * x;
}

// Halley steps on erf, or on erfc where |x| is near one.
double scalar_erf_inv(double x) {
    if (isnan(x) || x < -1 || x > 1) return (double)NAN;
    if (x == 1 || x == -1) return x * (double)INFINITY;
    long double size = (long double)fabs(x), half_root_pi = sqrtl(pi) / 2;
    if (size < 1e-11L) return (double)((long double)x * half_root_pi);
    long double z = erf_inv_start(size);
    for (int step = 0; step < 4; step++) {
        long double error = size < 0.5L ? erfl(z) - size : (1 - size) - erfcl(z);
        long double delta = error * half_root_pi * expl(z * z);
        z -= delta / (1 + z * delta);
    }
    return copysign((double)z, x);
}

// The tail of the sum over (a + k)^-x, k > 0, by Euler and Maclaurin; term is a^-x.
static long double zeta_tail(long double x, long double a, long double term) {
    static const long double coefficients[] = {
        12.0L,
        -720.0L,
        30240.0L,
        -1209600.0L,
        47900160.0L,
        -1.8924375803183791606e9L,
        7.47242496e10L,
        -2.950130727918164224e12L,
        1.1646782814350067249e14L,
        -4.5979787224074726105e15L,
        1.8152105401943546773e17L,
        -7.1661652561756670113e18L}; // (2k)! / B(2k)
    long double first = term * a / (x - 1) - 0.5L * term, sum = first, factor = 1, k = 0;
    for (int i = 0; i < 12; i++) {
        factor *= x + k;
        term /= a;
        long double t = factor * term / coefficients[i];
        sum += t;
        if (fabsl(t) < 1e-22L * fabsl(sum)) break;
        k += 1;
        factor *= x + k;
        term /= a;
        k += 1;
    }
    return sum;
}

// Hurwitz zeta: the first terms, then the tail with Bernoulli numbers.
// Source: Cephes (Moshier), zeta.c, for the special cases; the series is DLMF 25.11.28.
static long double zeta(long double x, long double q) {
    long double sum = powl(q, -x), a = q, term = 0;
    int steps = 0;
    while (steps < 9 || a <= 20 + x) {
        if (steps++ > 1000000) return (long double)NAN; // q far below zero
        a += 1;
        term = powl(a, -x);
        sum += term;
        if (fabsl(term) < 1e-22L * fabsl(sum) && a > 0) return sum;
    }
    return sum + zeta_tail(x, a, term);
}

double scalar_zeta(double x, double q) {
    if (isnan(x) || isnan(q)) return (double)NAN;
    if (x == 1) return (double)INFINITY;
    if (x < 1) return (double)NAN;
    if (q <= 0) {
        if (q == floor(q)) return (double)INFINITY;
        if (x != floor(x)) return (double)NAN; // q^-x is not real
    }
    long double s = (long double)x, start = (long double)q;
    if (q > 1e12) return (double)((1 / (s - 1) + 1 / (2 * start)) * powl(start, 1 - s));
    return (double)zeta(s, start);
}

double scalar_polygamma(double n, double x) {
    if (isnan(n) || isnan(x) || n < 0 || n != floor(n)) return (double)NAN;
    if (n == 0) return scalar_digamma(x);
    double sign = fmod(n, 2) == 0 ? -1.0 : 1.0;
    double simple = scalar_zeta(n + 1, x); // poles and what is not real
    if (!isfinite(simple) || n > 1000 || x > 1e12) return sign * exp(scalar_lgamma(n + 1)) * simple;
    return (
        double)((long double)sign * tgammal((long double)n + 1) * zeta((long double)n + 1, (long double)x));
}

// exp(-|x|) I1(x): the power series for small |x|, the asymptotic series for large ones
// (Abramowitz and Stegun 9.6.10, 9.7.1).
double scalar_bessel_i1e(double x) {
    if (isnan(x)) return x;
    if (isinf(x)) return copysign(0.0, x);
    long double z = (long double)fabs(x), result = 0;
    if (z < 30) { // all terms are positive: no cancellation
        long double term = z / 2, sum = term, quarter = z * z / 4;
        for (int k = 1; k < 200 && term > sum * 1e-22L; k++) {
            term *= quarter / ((long double)k * (k + 1));
            sum += term;
        }
        result = sum * expl(-z);
    } else {
        long double term = 1, sum = 1;
        for (int k = 1; k < 60; k++) {
            long double odd = 2.0L * k - 1;
            long double next = -term * (4 - odd * odd) / (k * 8 * z);
            if (fabsl(next) >= fabsl(term) || fabsl(next) < 1e-22L) break;
            term = next;
            sum += term;
        }
        result = sum / sqrtl(2 * pi) / sqrtl(z);
    }
    return copysign((double)result, x);
}

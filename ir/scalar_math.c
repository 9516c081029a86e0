// Special functions of real numbers, in double.
#ifndef _DEFAULT_SOURCE
#    define _DEFAULT_SOURCE // lgamma_r
#endif
#include "ir/scalar.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

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

// e^(x + log 1/2) + e^(log 1/2 - x), every step rounded to f32: CHLO's expansion, which does not overflow before the result does.
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
    return lgamma_r(x, &sign);
}

// Recurrence up to x >= 10, then the asymptotic series; reflection below zero.
// Source: Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
double scalar_digamma(double x) {
    if (isnan(x)) return x;
    if (x == 0) return signbit(x) ? (double)INFINITY : -(double)INFINITY;
    if (isinf(x)) return x > 0 ? x : (double)NAN;
    if (x < 0) {
        if (x == floor(x)) return (double)NAN;
        double fraction = x - nearbyint(x); // tan has period pi: keep the argument exact
        return scalar_digamma(1 - x) - pi / tan(pi * fraction);
    }
    static const double root = 1.4616321449683623; // psi(root) = 0; root + root_low is more exact
    static const double root_low = 9.549995429965697715183199075898e-17;
    if (fabs(x - root) < 0.05) { // cancellation: Taylor series around the root
        static const double taylor[] = {
            0.9676722454476212,
            -0.4427631689835921,
            0.258499760955651,
            -0.16394270544240652,
            0.10782405069126237,
            -0.07219956125645471,
            0.04880428816414311,
            -0.03316112647484736,
            0.022597648232218104,
            -0.01542476590494896,
            0.010538791616612175,
            -0.007204534386356869}; // psi^(k)(root) / k! = (-1)^(k+1) zeta(k + 1, root)
        double t = (x - root) - root_low, sum = 0;
        for (int k = 11; k >= 0; k--)
            sum = sum * t + taylor[k];
        return sum * t;
    }
    long double z = (long double)x,
                shift = 0; // the terms cancel: more bits where the machine has them
    while (z < 10) {
        shift += 1 / z;
        z += 1;
    }
    double w = 1 / (double)(z * z);
    double series =
        w * (1.0 / 12 -
             w * (1.0 / 120 -
                  w * (1.0 / 252 -
                       w * (1.0 / 240 - w * (1.0 / 132 - w * (691.0 / 32760 - w * (1.0 / 12)))))));
    return (double)(logl(z) - 0.5L / z - (long double)series - shift);
}

// Giles' approximation ("Approximating the erfinv function", 2010) as a start, then Newton steps on erf, or on erfc where
// |x| is near one.
double scalar_erf_inv(double x) {
    if (isnan(x) || x < -1 || x > 1) return (double)NAN;
    if (x == 1 || x == -1) return x * (double)INFINITY;
    if (fabs(x) < 1e-8) return x * (sqrt(pi) / 2);
    double w = -log((1 - x) * (1 + x));
    double p = 0;
    if (w < 5) {
        static const double c[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                   -0.00417768164,  0.246640727,    1.50140941};
        w -= 2.5;
        for (int i = 0; i < 9; i++)
            p = p * w + c[i];
    } else {
        static const double c[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                   -0.00367342844,  0.00573950773,  -0.0076224613,
                                   0.00943887047,   1.00167406,     2.83297682};
        w = sqrt(w) - 3;
        for (int i = 0; i < 9; i++)
            p = p * w + c[i];
    }
    double y = p * x;
    double size = fabs(x);
    for (int step = 0; step < 3; step++) {
        double z = fabs(y);
        double error = size < 0.5 ? erf(z) - size : (1 - size) - erfc(z);
        double slope = 2 / sqrt(pi) * exp(-z * z);
        double delta = error / slope;
        z -= delta / (1 + z * delta); // Halley
        y = copysign(z, x);
    }
    return y;
}

// Hurwitz zeta by Euler-Maclaurin: the first terms, then the tail with Bernoulli numbers.
// Source: Cephes (Moshier), zeta.c, for the special cases; the series is DLMF 25.11.28.
double scalar_zeta(double x, double q) {
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
    if (isnan(x) || isnan(q)) return (double)NAN;
    if (x == 1) return (double)INFINITY;
    if (x < 1) return (double)NAN;
    if (q <= 0) {
        if (q == floor(q)) return (double)INFINITY;
        if (x != floor(x)) return (double)NAN; // q^-x is not real
    }
    if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * pow(q, 1 - x);
    double sum = pow(q, -x), a = q, term = 0;
    int steps = 0;
    while (steps < 9 || a <= 9) {
        if (steps++ > 1000000) return (double)NAN; // q far below zero
        a += 1;
        term = pow(a, -x);
        sum += term;
        if (fabs(term) < 1e-17 * fabs(sum) && a > 0) return sum;
    }
    double w = a;
    sum += term * w / (x - 1) - 0.5 * term;
    double factor = 1, k = 0;
    for (int i = 0; i < 12; i++) {
        factor *= x + k;
        term /= w;
        double t = factor * term / coefficients[i];
        sum += t;
        if (fabs(t) < 1e-17 * fabs(sum)) break;
        k += 1;
        factor *= x + k;
        term /= w;
        k += 1;
    }
    return sum;
}

double scalar_polygamma(double n, double x) {
    if (isnan(n) || isnan(x) || n < 0 || n != floor(n)) return (double)NAN;
    if (n == 0) return scalar_digamma(x);
    double sign = fmod(n, 2) == 0 ? -1.0 : 1.0;
    return sign * exp(scalar_lgamma(n + 1)) * scalar_zeta(n + 1, x);
}

// exp(-|x|) I1(x): the power series for small |x|, the asymptotic series for large ones (Abramowitz and Stegun 9.6.10, 9.7.1).
double scalar_bessel_i1e(double x) {
    if (isnan(x)) return x;
    double z = fabs(x), result = 0;
    if (isinf(z)) return copysign(0.0, x);
    if (z < 30) { // all terms are positive: no cancellation
        double term = z / 2, sum = term, quarter = z * z / 4;
        for (int k = 1; k < 200 && term > sum * 1e-18; k++) {
            term *= quarter / ((double)k * (k + 1));
            sum += term;
        }
        result = sum * exp(-z);
    } else {
        double term = 1, sum = 1;
        for (int k = 1; k < 40; k++) {
            double odd = 2.0 * k - 1;
            double next = -term * (4 - odd * odd) / (k * 8 * z);
            if (fabs(next) >= fabs(term) || fabs(next) < 1e-18) break;
            term = next;
            sum += term;
        }
        result = sum / sqrt(2 * pi * z);
    }
    return copysign(result, x);
}

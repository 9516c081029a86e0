// Complex functions that libm does not have, or that need care near overflow and cancellation.
#include "ir/scalar.h"

#include <float.h>
#include <math.h>

// Four products, no rescue of infinities: what XLA and a plain machine do.
double _Complex scalar_cmul(double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    return complex_of(a * c - b * d, a * d + b * c);
}

static double scaled(double x, double factor) { return x * factor; }

// Scaled by a power of two so that |y| is near one; infinities and zeros as C's Annex G.
double _Complex scalar_cdiv(double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    double largest = fmax(fabs(c), fabs(d));
    int exponent = 0;
    if (isfinite(largest) && largest > 0) {
        exponent = ilogb(largest);
        c = ldexp(c, -exponent);
        d = ldexp(d, -exponent);
    }
    double denominator = c * c + d * d;
    double re = ldexp((a * c + b * d) / denominator, -exponent);
    double im = ldexp((b * c - a * d) / denominator, -exponent);
    if (isnan(re) && isnan(im)) {
        if (denominator == 0 && (!isnan(a) || !isnan(b))) {
            re = copysign((double)INFINITY, c) * a;
            im = copysign((double)INFINITY, c) * b;
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
            a = copysign(isinf(a) ? 1.0 : 0.0, a);
            b = copysign(isinf(b) ? 1.0 : 0.0, b);
            re = scaled(a * c + b * d, (double)INFINITY);
            im = scaled(b * c - a * d, (double)INFINITY);
        } else if (isinf(largest) && isfinite(a) && isfinite(b)) {
            c = copysign(isinf(c) ? 1.0 : 0.0, c);
            d = copysign(isinf(d) ? 1.0 : 0.0, d);
            re = scaled(a * c + b * d, 0.0);
            im = scaled(b * c - a * d, 0.0);
        }
    }
    return complex_of(re, im);
}

double _Complex scalar_csquare(double _Complex x) {
    double a = creal(x), b = cimag(x);
    if (isinf(a) && isinf(b)) return complex_of((double)NAN, 2 * a * b);
    double re = fabs(a) == fabs(b) ? 0.0 : (a - b) * (a + b);
    return complex_of(re, 2 * a * b);
}

double _Complex scalar_csqrt(double _Complex x) { return csqrt(x); }

double _Complex scalar_crsqrt(double _Complex x) {
    if (creal(x) == 0 && cimag(x) == 0) return complex_of((double)INFINITY, (double)NAN);
    if (isinf(creal(x)) || isinf(cimag(x))) return complex_of(0.0, 0.0);
    return scalar_cdiv(complex_of(1.0, 0.0), csqrt(x));
}

double _Complex scalar_cexp(double _Complex x) {
    double a = creal(x), b = cimag(x);
    if (b == 0) return complex_of(exp(a), b);
    if (!isfinite(b)) return complex_of((double)NAN, (double)NAN);
    if (isinf(a) && a < 0) return complex_of(0.0, 0.0);
    return cexp(x);
}

// exp(x) - 1 = (expm1(a) cos b - 2 sin(b/2)^2) + i exp(a) sin b
double _Complex scalar_cexpm1(double _Complex x) {
    double a = creal(x), b = cimag(x);
    if (b == 0) return complex_of(expm1(a), b);
    double half = sin(b / 2);
    return complex_of(expm1(a) * cos(b) - 2 * half * half, exp(a) * sin(b));
}

double _Complex scalar_clog(double _Complex x) { return clog(x); }

// log|1 + x| without cancellation: log1p(2a + a^2 + b^2) / 2, the sum in twice the precision.
double _Complex scalar_clog1p(double _Complex x) {
    double a = creal(x), b = cimag(x);
    double angle = atan2(b, 1 + a);
    if (!(fabs(a) < 1e150 && fabs(b) < 1e150)) return complex_of(log(hypot(1 + a, b)), angle);
    // 2a + a^2 + b^2 = a (a + 2) + b^2; each product with its rounding error from fma
    double p = a * a, p_error = fma(a, a, -p);
    double q = b * b, q_error = fma(b, b, -q);
    double sum = 2 * a, error = 0;
    double terms[] = {p, q};
    for (int i = 0; i < 2; i++) { // Knuth's two-sum
        double t = sum + terms[i], part = t - sum;
        error += (sum - (t - part)) + (terms[i] - part);
        sum = t;
    }
    sum += error + p_error + q_error;
    double re = sum < -0.5 || sum > 1e10 ? log(hypot(1 + a, b)) : 0.5 * log1p(sum);
    return complex_of(re, angle);
}

double _Complex scalar_clogistic(double _Complex x) {
    double _Complex e = scalar_cexp(-x);
    return scalar_cdiv(complex_of(1.0, 0.0), complex_of(1 + creal(e), cimag(e)));
}

double _Complex scalar_csign(double _Complex x) {
    double size = hypot(creal(x), cimag(x));
    if (size == 0) return complex_of(0.0, 0.0);
    if (isnan(creal(x)) || isnan(cimag(x))) return complex_of((double)NAN, (double)NAN);
    return complex_of(creal(x) / size, cimag(x) / size);
}

double _Complex scalar_ccbrt(double _Complex x) {
    double size = cbrt(hypot(creal(x), cimag(x)));
    double angle = atan2(cimag(x), creal(x)) / 3;
    return complex_of(size * cos(angle), size * sin(angle));
}

// exp(y log x) in polar form: |x|^c exp(-d arg x), angle d log|x| + c arg x. 0^y is 0 for Re y > 0, and x^0 is 1.
double _Complex scalar_cpow(double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    if (c == 0 && d == 0) return complex_of(1.0, 0.0);
    if (a == 0 && b == 0) {
        if (c > 0) return complex_of(0.0, 0.0);
        if (d == 0) return complex_of((double)INFINITY, 0.0);
        return complex_of((double)NAN, (double)NAN);
    }
    double size = hypot(a, b), angle = atan2(b, a);
    double log_size = creal(clog(x));
    double magnitude = pow(size, c) * (d == 0 ? 1.0 : exp(-d * angle));
    double turn = c * angle + (d == 0 ? 0.0 : d * log_size);
    return complex_of(magnitude * cos(turn), magnitude * sin(turn));
}

// -i log((x + i y) / sqrt(x^2 + y^2))
double _Complex scalar_catan2(double _Complex y, double _Complex x) {
    double _Complex sum = csqrt(scalar_cmul(x, x) + scalar_cmul(y, y));
    double _Complex i_y = complex_of(-cimag(y), creal(y));
    double _Complex log_ratio = clog(scalar_cdiv(x + i_y, sum));
    return complex_of(cimag(log_ratio), -creal(log_ratio));
}

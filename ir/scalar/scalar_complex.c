// Complex functions that libm does not have, or that need care near overflow and cancellation. They
// are computed in long double: where that is wider than double, parts of the result are within 0.51
// ulp of |result|, see tests/numerics.
#include "ir/scalar/scalar.h"

#include <float.h>
#include <math.h>

typedef long double _Complex Wide;

static Wide wide_of(long double re, long double im) {
    long double parts[2] = {re, im};
    Wide z = 0;
    memcpy(&z, parts, sizeof z);
    return z;
}

static double _Complex narrow(Wide z) { return complex_of((double)creall(z), (double)cimagl(z)); }

// Four products, no rescue of infinities: what XLA and a plain machine do.
double _Complex scalar_cmul(double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    return complex_of(a * c - b * d, a * d + b * c);
}

static Wide wide_quotient(Wide x, Wide y) {
    long double a = creall(x), b = cimagl(x), c = creall(y), d = cimagl(y);
    long double denominator = c * c + d * d;
    return wide_of((a * c + b * d) / denominator, (b * c - a * d) / denominator);
}

static double scaled(double x, double factor) { return x * factor; }

// Infinities and zeros as C's Annex G, where the plain quotient is NaN.
static double _Complex special_quotient(
    double a, double b, double c, double d, double _Complex plain) {
    double re = creal(plain), im = cimag(plain);
    if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
        re = copysign((double)INFINITY, c) * a;
        im = copysign((double)INFINITY, c) * b;
    } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
        a = copysign(isinf(a) ? 1.0 : 0.0, a);
        b = copysign(isinf(b) ? 1.0 : 0.0, b);
        re = scaled(a * c + b * d, (double)INFINITY);
        im = scaled(b * c - a * d, (double)INFINITY);
    } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
        c = copysign(isinf(c) ? 1.0 : 0.0, c);
        d = copysign(isinf(d) ? 1.0 : 0.0, d);
        re = scaled(a * c + b * d, 0.0);
        im = scaled(b * c - a * d, 0.0);
    }
    return complex_of(re, im);
}

// Scaled by a power of two so that |y| is near one.
double _Complex scalar_cdiv(double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    double largest = fmax(fabs(c), fabs(d));
    int exponent = isfinite(largest) && largest > 0 ? ilogb(largest) : 0;
    Wide scaled_y = wide_of(ldexpl((long double)c, -exponent), ldexpl((long double)d, -exponent));
    Wide quotient = wide_quotient((Wide)x, scaled_y);
    double _Complex result =
        narrow(wide_of(ldexpl(creall(quotient), -exponent), ldexpl(cimagl(quotient), -exponent)));
    if (!isnan(creal(result)) || !isnan(cimag(result))) return result;
    return special_quotient(a, b, c, d, result);
}

double _Complex scalar_csquare(double _Complex x) {
    long double a = (long double)creal(x), b = (long double)cimag(x);
    if (isinf(a) && isinf(b)) return complex_of((double)NAN, (double)(2 * a * b));
    long double re = fabsl(a) == fabsl(b) ? 0.0L : (a - b) * (a + b);
    return narrow(wide_of(re, 2 * a * b));
}

double _Complex scalar_csqrt(double _Complex x) { return narrow(csqrtl((Wide)x)); }

// Re w = Re(sqrt(1 - x) sqrt(1 + x)), whose products have the same sign: nothing cancels. Source:
// Kahan, "Branch cuts for complex elementary functions", 1987.
double _Complex scalar_asin_acos_kernel(double _Complex x) {
    Wide z = (Wide)x, u = csqrtl(1 - z), v = csqrtl(1 + z);
    long double re = creall(u) * creall(v) - cimagl(u) * cimagl(v);
    return narrow(wide_of(re, fabsl(cimagl(casinl(z)))));
}

// conj(sqrt x) / |x|
double _Complex scalar_crsqrt(double _Complex x) {
    if (creal(x) == 0 && cimag(x) == 0) return complex_of((double)INFINITY, (double)NAN);
    if (isinf(creal(x)) || isinf(cimag(x))) return complex_of(0.0, 0.0);
    Wide root = csqrtl((Wide)x);
    long double size = hypotl((long double)creal(x), (long double)cimag(x));
    return narrow(wide_of(creall(root) / size, -cimagl(root) / size));
}

static Wide wide_exp(Wide x) {
    long double a = creall(x), b = cimagl(x);
    if (b == 0) return wide_of(expl(a), b);
    if (!isfinite(b)) return wide_of((long double)NAN, (long double)NAN);
    if (isinf(a) && a < 0) return wide_of(0.0L, 0.0L);
    return cexpl(x);
}

double _Complex scalar_cexp(double _Complex x) { return narrow(wide_exp((Wide)x)); }

// exp(x) - 1 = (expm1(a) cos b - 2 sin(b/2)^2) + i exp(a) sin b
double _Complex scalar_cexpm1(double _Complex x) {
    long double a = (long double)creal(x), b = (long double)cimag(x);
    if (b == 0) return complex_of((double)expm1l(a), (double)b);
    long double half = sinl(b / 2);
    return narrow(wide_of(expm1l(a) * cosl(b) - 2 * half * half, expl(a) * sinl(b)));
}

double _Complex scalar_clog(double _Complex x) { return narrow(clogl((Wide)x)); }

// log|1 + x| without cancellation: log1p(2a + a^2 + b^2) / 2, the sum in twice the precision.
double _Complex scalar_clog1p(double _Complex x) {
    double a = creal(x), b = cimag(x);
    long double from = 1 + (long double)a, angle = atan2l((long double)b, from);
    if (!(fabs(a) < 1e150 && fabs(b) < 1e150))
        return narrow(wide_of(logl(hypotl(from, (long double)b)), angle));
    // 2a + a^2 + b^2; each product with its rounding error from fma
    double p = a * a, p_error = fma(a, a, -p);
    double q = b * b, q_error = fma(b, b, -q);
    double sum = 2 * a, error = 0;
    double terms[] = {p, q};
    for (int i = 0; i < 2; i++) { // Knuth's two-sum
        double t = sum + terms[i], part = t - sum;
        error += (sum - (t - part)) + (terms[i] - part);
        sum = t;
    }
    long double total =
        (long double)sum + ((long double)error + (long double)p_error + (long double)q_error);
    long double re =
        total < -0.5L || total > 1e10L ? logl(hypotl(from, (long double)b)) : 0.5L * log1pl(total);
    return narrow(wide_of(re, angle));
}

// 1 / (1 + exp(-x)), on the left exp(x) / (1 + exp(x)): nothing overflows.
double _Complex scalar_clogistic(double _Complex x) {
    bool is_left = creal(x) < 0;
    Wide e = wide_exp(is_left ? (Wide)x : -(Wide)x), sum = wide_of(1 + creall(e), cimagl(e));
    return narrow(wide_quotient(is_left ? e : wide_of(1.0L, 0.0L), sum));
}

double _Complex scalar_csign(double _Complex x) {
    long double size = hypotl((long double)creal(x), (long double)cimag(x));
    if (size == 0) return complex_of(0.0, 0.0);
    if (isnan(creal(x)) || isnan(cimag(x))) return complex_of((double)NAN, (double)NAN);
    return complex_of(
        (double)((long double)creal(x) / size), (double)((long double)cimag(x) / size));
}

double _Complex scalar_ccbrt(double _Complex x) {
    long double size = cbrtl(hypotl((long double)creal(x), (long double)cimag(x)));
    long double angle = atan2l((long double)cimag(x), (long double)creal(x)) / 3;
    return narrow(wide_of(size * cosl(angle), size * sinl(angle)));
}

// exp(y log x) in polar form: |x|^c exp(-d arg x), angle d log|x| + c arg x. 0^y
// is 0 for Re y > 0, and x^0 is 1.
double _Complex scalar_cpow(double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x);
    long double c = (long double)creal(y), d = (long double)cimag(y);
    if (c == 0 && d == 0) return complex_of(1.0, 0.0);
    if (a == 0 && b == 0) {
        if (c > 0) return complex_of(0.0, 0.0);
        if (d == 0) return complex_of((double)INFINITY, 0.0);
        return complex_of((double)NAN, (double)NAN);
    }
    Wide log = clogl((Wide)x);
    long double size = hypotl((long double)a, (long double)b);
    long double magnitude = powl(size, c) * (d == 0 ? 1.0L : expl(-d * cimagl(log)));
    long double turn = c * cimagl(log) + (d == 0 ? 0.0L : d * creall(log));
    return narrow(wide_of(magnitude * cosl(turn), magnitude * sinl(turn)));
}

// -i log((x + i y) / sqrt(x^2 + y^2))
double _Complex scalar_catan2(double _Complex y, double _Complex x) {
    Wide p = (Wide)x, q = (Wide)y, sum = csqrtl(p * p + q * q);
    Wide ratio = wide_quotient(p + wide_of(-cimagl(q), creall(q)), sum);
    Wide log = clogl(ratio);
    return narrow(wide_of(cimagl(log), -creall(log)));
}

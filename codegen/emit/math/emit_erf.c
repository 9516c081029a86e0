// The error function, its complement and its inverse.
#include "codegen/emit/math/emit_functions.h"

#include <math.h>

// x + x p(x^2) for small |x|, else 1 - exp(q(|x|)), q the logarithm of erfc.
Num emit_real_erf(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "erf", x);
    static const double p[] = {0.128379225730896,    -0.37612631916999817, 0.11283665895462036,
                               -0.02685779333114624, 0.005197156220674515, -0.0008099878905341029,
                               8.193753455998376e-05};
    static const double q[] = {
        0.00016039666661527008, -1.1294341087341309,     -0.6335435509681702,
        -0.10801181197166443,   0.024895088747143745,    -0.004053385928273201,
        0.0003966711519751698,  -1.4304988326330204e-05, -5.223635639595159e-07};
    Num size = math_abs(m, x), z = math_mul(m, x, x);
    Num small = math_fma(m, x, math_polynomial(m, z, 7, p), x);
    Num bounded = math_min(m, size, math_constant(m, 4));
    Num rest = math_exp_of_medium(m, math_polynomial(m, bounded, 9, q));
    Num large = math_sub(m, math_constant(m, 1), rest);
    large = math_sign_of(m, large, x);
    return math_select(m, math_less(m, size, math_constant(m, 0.93)), small, large);
}

// exp(-x^2) g(1 / (1 + x/2)) for x >= 0, erfc(-x) = 2 - erfc(x)
Num emit_real_erfc(const MathType *m, Num x) {
    if (m->is_f64) return math_libm(m, "erfc", x);
    static const double g[] = {-5.883340238477408e-07, 0.2821170590572475,  0.2817186463009929,
                               0.2505841664284076,     0.15170291022129406, 0.19557859010466958,
                               -0.36500166095557307,   0.7707540237480449,  -1.3794055264556648,
                               1.4009633886592985,     -0.809674134759375,  0.25516378597417866,
                               -0.034500660064941624};
    MathType d = math_type(m->e, true);
    Num size = math_min(&d, math_abs(&d, math_widen(&d, x)), math_constant(&d, 10.2)),
        one = math_constant(&d, 1);
    Num t = math_div(&d, one, math_fma(&d, size, math_constant(&d, 0.5), one));
    Num y = math_mul(
        &d, math_exp_in_double(&d, math_neg(&d, math_mul(&d, size, size))),
        math_polynomial(&d, t, 13, g));
    Num is_negative = math_less(m, x, math_constant(m, 0));
    return math_narrow(m, math_select(&d, is_negative, math_sub(&d, math_constant(&d, 2), y), y));
}

// x p(w), w = -log(1 - x^2). Source of the form: Giles, "Approximating the erfinv
// function", GPU Computing Gems 2, 2011.
static Num erf_inv_in_double(const MathType *d, Num x) {
    static const double near[] = {
        1.50140935169217,        0.2466402757853302,     -0.004177324634556564,
        -0.001252704877024322,   0.00021826355542742883, -4.998759590359208e-06,
        -3.4260112646621922e-06, 4.796988600585274e-07,  1.645707548432547e-08,
        -1.102322594533319e-08,  4.3704027028600694e-10, 1.3286011393726788e-10};
    static const double far[] = {
        2.8329767983718686,     1.0016752693639284,      0.009445554335524235,
        -0.007643576075344984,  0.005684646009432518,    -0.0035607393179726944,
        0.001487380027961303,   -0.00014245329838340044, -0.0002952692427824278,
        0.00019740934504737043, -2.6488205773892637e-05, -2.278816027098053e-05,
        8.05398560654766e-06};
    Num one = math_constant(d, 1);
    Num w = math_neg(d, math_log(d, math_mul(d, math_sub(d, one, x), math_add(d, one, x))));
    Num p = math_polynomial(d, math_sub(d, w, math_constant(d, 2.5)), 12, near);
    Num q = math_polynomial(d, math_sub(d, math_sqrt(d, w), math_constant(d, 3)), 13, far);
    return math_mul(d, x, math_select(d, math_less(d, w, math_constant(d, 5)), p, q));
}

// +-1 give infinities; beyond, NaN as log makes it.
static Num erf_inv_ends(const MathType *m, Num x, Num y) {
    Num is_end = math_equal(m, math_abs(m, x), math_constant(m, 1));
    return math_select(m, is_end, math_mul(m, x, math_constant(m, (double)INFINITY)), y);
}

static Num erf_inv_f32(const MathType *m, Num x) {
    MathType d = math_type(m->e, true);
    return erf_inv_ends(m, x, math_narrow(m, erf_inv_in_double(&d, math_widen(&d, x))));
}

// One step of Halley's iteration on erf, or on erfc where |x| is near one.
static Num erf_inv_f64(const MathType *m, Num x) {
    Num y = erf_inv_in_double(m, x), size = math_abs(m, x), z = math_abs(m, y),
        one = math_constant(m, 1);
    Num erf = emit_libm(m->e, "erf", m->real, 1, &z),
        erfc = emit_libm(m->e, "erfc", m->real, 1, &z);
    for (int step = 0; step < 2; step++) {
        if (step) {
            erf = emit_libm(m->e, "erf", m->real, 1, &z);
            erfc = emit_libm(m->e, "erfc", m->real, 1, &z);
        }
        Num is_small = math_less(m, size, math_constant(m, 0.5));
        Num error = math_select(
            m, is_small, math_sub(m, erf, size), math_sub(m, math_sub(m, one, size), erfc));
        Num slope = math_mul(
            m, math_constant(m, 1.1283791670955126), math_exp(m, math_neg(m, math_mul(m, z, z))));
        Num delta = math_div(m, error, slope);
        z = math_sub(m, z, math_div(m, delta, math_fma(m, z, delta, one)));
    }
    Num tiny = math_mul(m, x, math_constant(m, 0.886226925452758));
    y = math_select(m, math_less(m, size, math_constant(m, 1e-8)), tiny, math_sign_of(m, z, x));
    return erf_inv_ends(m, x, y);
}

Num emit_real_erf_inv(const MathType *m, Num x) {
    return m->is_f64 ? erf_inv_f64(m, x) : erf_inv_f32(m, x);
}

// references: functions that MPFR does not have.
#include "tests/numerics/numerics.h"

void reference_logistic(mpfr_ptr result, mpfr_srcptr x) {
    mpfr_t e;
    mpfr_init2(e, 4 * WORK_BITS);
    mpfr_neg(e, x, MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDN);
    mpfr_add_ui(e, e, 1, MPFR_RNDN);
    mpfr_ui_div(result, 1, e, MPFR_RNDN);
    mpfr_clear(e);
}

// The power series (Abramowitz and Stegun 9.6.10); above 256 the asymptotic one (9.7.1), whose
// smallest term is beyond the precision.
void reference_bessel_i1e(mpfr_ptr result, mpfr_srcptr x) {
    if (!mpfr_number_p(x)) {
        if (mpfr_nan_p(x))
            mpfr_set_nan(result);
        else
            mpfr_set_zero(result, mpfr_sgn(x));
        return;
    }
    mpfr_t z, term, sum, scale;
    mpfr_inits2(1024, z, term, sum, scale, (mpfr_ptr)0);
    mpfr_abs(z, x, MPFR_RNDN);
    if (mpfr_cmp_ui(z, 256) < 0) {
        mpfr_div_ui(term, z, 2, MPFR_RNDN);
        mpfr_set(sum, term, MPFR_RNDN);
        mpfr_sqr(scale, term, MPFR_RNDN);
        for (unsigned k = 1;
             k < 4000 && !mpfr_zero_p(term) && mpfr_get_exp(term) > mpfr_get_exp(sum) - 600; k++) {
            mpfr_mul(term, term, scale, MPFR_RNDN);
            mpfr_div_ui(term, term, (unsigned long)k * (k + 1), MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
        mpfr_neg(z, z, MPFR_RNDN);
        mpfr_exp(scale, z, MPFR_RNDN);
        mpfr_mul(sum, sum, scale, MPFR_RNDN);
    } else {
        mpfr_set_ui(term, 1, MPFR_RNDN);
        mpfr_set_ui(sum, 1, MPFR_RNDN);
        for (unsigned k = 1; k < 200 && mpfr_get_exp(term) > -400; k++) {
            long odd = 2 * (long)k - 1;
            mpfr_mul_si(term, term, odd * odd - 4, MPFR_RNDN);
            mpfr_div_ui(term, term, 8 * (unsigned long)k, MPFR_RNDN);
            mpfr_div(term, term, z, MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
        mpfr_const_pi(scale, MPFR_RNDN);
        mpfr_mul(scale, scale, z, MPFR_RNDN);
        mpfr_mul_ui(scale, scale, 2, MPFR_RNDN);
        mpfr_rec_sqrt(scale, scale, MPFR_RNDN);
        mpfr_mul(sum, sum, scale, MPFR_RNDN);
    }
    mpfr_set(result, sum, MPFR_RNDN);
    mpfr_setsign(result, result, mpfr_signbit(x), MPFR_RNDN);
    mpfr_clears(z, term, sum, scale, (mpfr_ptr)0);
}

// Euler and Maclaurin (DLMF 25.11.28) from q + 60 on;
// B(2k) / (2k)! = (-1)^(k+1) 2 zeta(2k) / (2 pi)^2k.
void reference_zeta(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr q) {
    enum { DIRECT = 60, CORRECTIONS = 40 };
    mpfr_t a, term, sum, power, factor, coefficient, two_pi;
    mpfr_inits2(640, a, term, sum, power, factor, coefficient, two_pi, (mpfr_ptr)0);
    mpfr_const_pi(two_pi, MPFR_RNDN);
    mpfr_mul_ui(two_pi, two_pi, 2, MPFR_RNDN);
    mpfr_set_zero(sum, 1);
    mpfr_neg(power, x, MPFR_RNDN);
    for (unsigned k = 0; k < DIRECT; k++) {
        mpfr_add_ui(a, q, k, MPFR_RNDN);
        mpfr_pow(term, a, power, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_add_ui(a, q, DIRECT, MPFR_RNDN);
    mpfr_pow(term, a, power, MPFR_RNDN); // a^-x
    mpfr_div_ui(factor, term, 2, MPFR_RNDN);
    mpfr_add(sum, sum, factor, MPFR_RNDN);
    mpfr_mul(factor, term, a, MPFR_RNDN);
    mpfr_sub_ui(coefficient, x, 1, MPFR_RNDN);
    mpfr_div(factor, factor, coefficient, MPFR_RNDN);
    mpfr_add(sum, sum, factor, MPFR_RNDN);
    mpfr_mul(factor, term, x, MPFR_RNDN);
    mpfr_div(factor, factor, a, MPFR_RNDN); // x a^(-x-1)
    for (unsigned k = 1; k <= CORRECTIONS; k++) {
        mpfr_zeta_ui(coefficient, 2 * k, MPFR_RNDN);
        mpfr_mul_si(coefficient, coefficient, k % 2 ? 2 : -2, MPFR_RNDN);
        mpfr_pow_ui(term, two_pi, 2 * k, MPFR_RNDN);
        mpfr_div(coefficient, coefficient, term, MPFR_RNDN);
        mpfr_mul(term, coefficient, factor, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        for (unsigned step = 2 * k - 1; step <= 2 * k; step++) { // x (x+1) .. (x+2k) a^(-x-2k-1)
            mpfr_add_ui(term, x, step, MPFR_RNDN);
            mpfr_mul(factor, factor, term, MPFR_RNDN);
            mpfr_div(factor, factor, a, MPFR_RNDN);
        }
    }
    mpfr_set(result, sum, MPFR_RNDN);
    mpfr_clears(a, term, sum, power, factor, coefficient, two_pi, (mpfr_ptr)0);
}

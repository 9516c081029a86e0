// The evaluator's functions against MPFR: what the files of this folder share.
//
// Errors are in units of the last place of the exact result in the result's format, and measured
// before the format ends: an exact result beyond the largest number must give infinity.
#ifndef SHARDC_TESTS_NUMERICS_H
#define SHARDC_TESTS_NUMERICS_H

#include "base/float_formats.h"
#include "ir/scalar/scalar.h"

#include <mpfr.h>

enum { WORK_BITS = 160 }; // of references that lose nothing to cancellation

// |got - exact| in ulp of exact; 0 for equal NaN and infinities, infinity where only one of them is
// one. A got infinity counts as the first number beyond the format's largest.
double ulp_error(const FloatFormat *format, double got, mpfr_srcptr exact);

// Numbers of the format worth trying: zeros, infinities, NaN, the smallest and largest (denormals
// too), neighbours of small integers, of their halves and of the points in `near`; then patterns
// spread over all exponents. Decoded. Returns how many were written.
int sample_numbers(
    const FloatFormat *format, const double *near, int near_count, int count, double *numbers);

// The functions that MPFR does not have.
void reference_logistic(mpfr_ptr result, mpfr_srcptr x);
void reference_bessel_i1e(mpfr_ptr result, mpfr_srcptr x);
void reference_zeta(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr q); // Hurwitz, x > 1, q > 0

#endif

// samples: numbers to try, and errors in ulp.
#include "tests/numerics/numerics.h"

#include <math.h>

double ulp_error(const FloatFormat *format, double got, mpfr_srcptr exact) {
    if (mpfr_nan_p(exact) || isnan(got))
        return mpfr_nan_p(exact) && isnan(got) ? 0 : (double)INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(got) && mpfr_sgn(exact) == (got > 0 ? 1 : -1) ? 0 : (double)INFINITY;
    int largest = (1 << format->exponent_bits) - 2 - format->bias; // exponent of the largest number
    int smallest = 1 - format->bias;
    mpfr_t error, wanted;
    mpfr_init2(error, 2 * WORK_BITS);
    mpfr_init2(wanted, 2 * WORK_BITS);
    if (isinf(got)) {
        mpfr_set_si_2exp(error, got > 0 ? 1 : -1, largest + 1, MPFR_RNDN);
    } else {
        mpfr_set_d(error, got, MPFR_RNDN);
    }
    int exponent = mpfr_zero_p(exact) ? smallest : (int)mpfr_get_exp(exact) - 1;
    if (exponent < smallest) exponent = smallest;
    if (exponent > largest) { // infinity is the right answer, and nothing else
        exponent = largest;
        mpfr_set(wanted, exact, MPFR_RNDN);
        if (isinf(got) && mpfr_sgn(exact) == (got > 0 ? 1 : -1)) mpfr_set(wanted, error, MPFR_RNDN);
    } else {
        mpfr_set(wanted, exact, MPFR_RNDN);
    }
    mpfr_sub(error, error, wanted, MPFR_RNDN);
    mpfr_mul_2si(error, error, format->mantissa_bits - exponent, MPFR_RNDN);
    double ulp = fabs(mpfr_get_d(error, MPFR_RNDN));
    mpfr_clear(error);
    mpfr_clear(wanted);
    return ulp;
}

static int add(const FloatFormat *format, double number, double *numbers, int count) {
    numbers[count] = float_decode(format, float_encode(format, number));
    return count + 1;
}

// A number, its two neighbours on either side, and all of that negated.
static int add_around(const FloatFormat *format, double number, double *numbers, int count) {
    uint64_t bits = float_encode(format, fabs(number));
    for (int step = -2; step <= 2; step++) {
        if (step < 0 && bits < (uint64_t)-step) continue;
        double x = float_decode(format, bits + (uint64_t)step);
        numbers[count++] = x;
        numbers[count++] = -x;
    }
    return count;
}

int sample_numbers(
    const FloatFormat *format, const double *near, int near_count, int count, double *numbers) {
    int written = 0;
    uint64_t infinity = float_encode(format, (double)INFINITY);
    double special[] = {0, (double)INFINITY, float_decode(format, infinity - 1), 0x1p-1022};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        written = add(format, special[i], numbers, written);
        written = add(format, -special[i], numbers, written);
    }
    written = add(format, (double)NAN, numbers, written);
    // denormals, and where they end
    written = add_around(format, float_decode(format, 3), numbers, written);
    written = add_around(
        format, float_decode(format, (uint64_t)1 << format->mantissa_bits), numbers, written);
    for (int i = 1; i <= 40; i++)
        written = add_around(format, i / 2.0, numbers, written);
    for (int i = 0; i < near_count; i++)
        written = add_around(format, near[i], numbers, written);
    // every exponent, mantissas by the golden ratio
    uint64_t mask = format->bits == 64 ? UINT64_MAX : ((uint64_t)1 << format->bits) - 1, state = 1;
    while (written < count) {
        state += 0x9E3779B97F4A7C15U;
        uint64_t bits = state >> (64 - format->bits) & mask;
        if (written % 2) { // the other half of them between 2^-12 and 2^12
            uint64_t range = (uint64_t)24 << format->mantissa_bits;
            bits = (state >> 8) % range + ((uint64_t)(format->bias - 12) << format->mantissa_bits);
            if (state & 1) bits |= (uint64_t)1 << (format->bits - 1);
        }
        numbers[written++] = float_decode(format, bits);
    }
    return written;
}

// Narrow floating-point formats to and from f32/f64, round to nearest even, as
// StableHLO's types define them.
//
//   bf16 f16                      IEEE-like with infinities and NaN
//   f8E5M2 f8E4M3 f8E3M4          IEEE-like
//   f8E4M3FN                      no infinity, one NaN
//   f8E5M2FNUZ f8E4M3FNUZ f8E4M3B11FNUZ   no infinity, one NaN, no negative zero
//   f8E8M0FNU                     exponent only, no sign, no zero
//   f6E2M3FN f6E3M2FN f4E2M1FN    no NaN, no infinity: values beyond the largest saturate to it
#ifndef SHARDC_BASE_FLOAT_FORMATS_H
#define SHARDC_BASE_FLOAT_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct FloatFormat {
    int bits; // whole width
    int exponent_bits;
    int mantissa_bits; // stored
    int bias;
    bool has_infinity;
    bool has_nan; // false: f4/f6
    bool has_negative_zero;
    bool is_unsigned;       // f8E8M0FNU
    bool nan_is_minus_zero; // FNUZ: the pattern 10..0 is NaN
} FloatFormat;

extern const FloatFormat float_format_bf16, float_format_f16, float_format_f8e5m2,
    float_format_f8e4m3, float_format_f8e3m4, float_format_f8e4m3fn, float_format_f8e5m2fnuz,
    float_format_f8e4m3fnuz, float_format_f8e4m3b11fnuz, float_format_f8e8m0fnu,
    float_format_f6e2m3fn, float_format_f6e3m2fn, float_format_f4e2m1fn, float_format_f32,
    float_format_f64;

double float_decode(const FloatFormat *format, uint64_t bits);   // exact
uint64_t float_encode(const FloatFormat *format, double number); // rounds once, to nearest even
double float_smallest(const FloatFormat *format); // positive number, subnormal where there are
double float_largest(const FloatFormat *format);  // finite number
// Rounds an f32 to the format and back, as XLA's conversions through f32 do.
float float_round(const FloatFormat *format, float number);

#endif

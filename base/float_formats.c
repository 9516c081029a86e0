// Narrow floating-point formats: one exact decoder, one encoder that rounds once.
#include "base/float_formats.h"

#include <math.h>
#include <string.h>

// bits, exponent, mantissa, bias, infinity, NaN, negative zero, unsigned, NaN is -0
const FloatFormat float_format_bf16 = {16, 8, 7, 127, true, true, true, false, false};
const FloatFormat float_format_f16 = {16, 5, 10, 15, true, true, true, false, false};
const FloatFormat float_format_f8e5m2 = {8, 5, 2, 15, true, true, true, false, false};
const FloatFormat float_format_f8e4m3 = {8, 4, 3, 7, true, true, true, false, false};
const FloatFormat float_format_f8e3m4 = {8, 3, 4, 3, true, true, true, false, false};
const FloatFormat float_format_f8e4m3fn = {8, 4, 3, 7, false, true, true, false, false};
const FloatFormat float_format_f8e5m2fnuz = {8, 5, 2, 16, false, true, false, false, true};
const FloatFormat float_format_f8e4m3fnuz = {8, 4, 3, 8, false, true, false, false, true};
const FloatFormat float_format_f8e4m3b11fnuz = {8, 4, 3, 11, false, true, false, false, true};
const FloatFormat float_format_f8e8m0fnu = {8, 8, 0, 127, false, true, false, true, false};
const FloatFormat float_format_f6e2m3fn = {6, 2, 3, 1, false, false, true, false, false};
const FloatFormat float_format_f6e3m2fn = {6, 3, 2, 3, false, false, true, false, false};
const FloatFormat float_format_f4e2m1fn = {4, 2, 1, 1, false, false, true, false, false};
const FloatFormat float_format_f32 = {32, 8, 23, 127, true, true, true, false, false};
const FloatFormat float_format_f64 = {64, 11, 52, 1023, true, true, true, false, false};

static uint64_t low_bits(int count) { return count >= 64 ? UINT64_MAX : (1ULL << count) - 1; }

static uint64_t sign_bit(const FloatFormat *format) {
    return format->is_unsigned ? 0 : 1ULL << (format->bits - 1);
}

// An exponent of ones, a mantissa of zeros: infinity, in the formats that have it.
static uint64_t exponent_ones(const FloatFormat *format) {
    return low_bits(format->exponent_bits) << format->mantissa_bits;
}

// The bits of the largest finite magnitude.
static uint64_t largest(const FloatFormat *format) {
    uint64_t all = low_bits(format->exponent_bits + format->mantissa_bits);
    if (format->has_infinity) return exponent_ones(format) - 1;
    if (!format->has_nan || format->nan_is_minus_zero) return all;
    return all - 1; // FN and FNU: all ones is NaN
}

static uint64_t quiet_nan(const FloatFormat *format) {
    if (format->nan_is_minus_zero || !format->has_nan) return sign_bit(format);
    if (!format->has_infinity) return low_bits(format->exponent_bits + format->mantissa_bits);
    return exponent_ones(format) | 1ULL << (format->mantissa_bits - 1);
}

static bool is_nan(const FloatFormat *format, uint64_t bits, uint64_t magnitude) {
    if (!format->has_nan) return false;
    if (format->nan_is_minus_zero) return bits == sign_bit(format);
    if (format->has_infinity) return magnitude > exponent_ones(format);
    return magnitude > largest(format);
}

double float_decode(const FloatFormat *format, uint64_t bits) {
    bits &= low_bits(format->bits);
    uint64_t magnitude = bits & ~sign_bit(format);
    bool negative = magnitude != bits;
    if (is_nan(format, bits, magnitude)) return negative ? -(double)NAN : (double)NAN;
    if (format->has_infinity && magnitude == exponent_ones(format)) {
        return negative ? -(double)INFINITY : (double)INFINITY;
    }
    int exponent = (int)(magnitude >> format->mantissa_bits);
    uint64_t mantissa = magnitude & low_bits(format->mantissa_bits);
    if (exponent > 0 || format->is_unsigned)
        mantissa |= 1ULL << format->mantissa_bits;
    else
        exponent = 1; // subnormal
    double value = ldexp((double)mantissa, exponent - format->bias - format->mantissa_bits);
    return negative ? -value : value;
}

double float_smallest(const FloatFormat *format) {
    return float_decode(format, format->is_unsigned ? 0 : 1);
}

double float_largest(const FloatFormat *format) { return float_decode(format, largest(format)); }

// significand * 2^-shift to the nearest integer; a tie goes to the even result, where the result's
// parity is that of result + offset. significand < 2^53.
static uint64_t shift_to_nearest(uint64_t significand, int shift, uint64_t offset) {
    if (shift <= 0) return significand << -shift;
    if (shift > 54) return 0;
    uint64_t whole = significand >> shift;
    uint64_t rest = significand & low_bits(shift), half = 1ULL << (shift - 1);
    bool up = rest > half || (rest == half && ((whole + offset) & 1));
    return whole + up;
}

// The bits of the magnitude significand * 2^exponent, rounded, as if the format had no largest
// number.
static uint64_t encode_magnitude(const FloatFormat *format, uint64_t significand, int exponent) {
    int smallest_normal = 1 - format->bias; // exponent of the format's smallest normal number
    int leading = exponent + 63 - __builtin_clzll(significand);
    int scale = leading > smallest_normal ? leading : smallest_normal;
    uint64_t offset = (uint64_t)(scale - smallest_normal) << format->mantissa_bits;
    // The integer holds the implicit one of a normal number, which adds one to the exponent field;
    // a carry out of the mantissa does the same.
    int shift = scale - format->mantissa_bits - exponent;
    return offset + shift_to_nearest(significand, shift, offset);
}

// f8E8M0FNU: powers of two from 2^-127, ties to the even bit pattern; there is neither zero nor
// sign.
static uint64_t encode_power_of_two(uint64_t significand, int exponent) {
    int leading = exponent + 63 - __builtin_clzll(significand);
    if (leading < -127) return 0;
    int width = 64 - __builtin_clzll(significand);
    uint64_t bits = (uint64_t)leading + 127;
    uint64_t rest = significand & low_bits(width - 1);
    uint64_t half = width > 1 ? 1ULL << (width - 2) : 1;
    bits += rest > half || (rest == half && (bits & 1));
    return bits > 0xFE ? 0xFF : bits;
}

uint64_t float_encode(const FloatFormat *format, double number) {
    uint64_t raw = 0;
    memcpy(&raw, &number, sizeof raw);
    bool negative = raw >> 63;
    int field = (int)(raw >> 52 & 0x7FF);
    uint64_t significand = raw & low_bits(52);
    uint64_t sign = negative ? sign_bit(format) : 0;
    if (field == 0x7FF && significand) {
        bool has_sign = format->has_nan && !format->nan_is_minus_zero;
        return quiet_nan(format) | (has_sign ? sign : 0);
    }
    if (format->is_unsigned) {
        if (negative || field == 0x7FF) return quiet_nan(format);
        if (raw == 0) return 0; // the format's smallest number stands for zero
    }
    uint64_t magnitude = UINT64_MAX; // infinity
    if (field == 0 && significand == 0) {
        magnitude = 0;
    } else if (field != 0x7FF) {
        if (field) significand |= 1ULL << 52;
        int exponent = (field ? field : 1) - 1075;
        magnitude = format->is_unsigned ? encode_power_of_two(significand, exponent)
                                        : encode_magnitude(format, significand, exponent);
    }
    if (format->is_unsigned) return magnitude;
    if (magnitude > largest(format)) {
        if (format->has_infinity) return exponent_ones(format) | sign;
        if (!format->has_nan) return largest(format) | sign;
        return quiet_nan(format) | (format->nan_is_minus_zero ? 0 : sign);
    }
    if (magnitude == 0 && !format->has_negative_zero) return 0;
    return magnitude | sign;
}

float float_round(const FloatFormat *format, float number) {
    return (float)float_decode(format, float_encode(format, (double)number));
}

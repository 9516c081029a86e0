// scalar_mixed: functions whose operands and results are of different element types, or that
// work on the patterns of floats.
#include "ir/scalar/scalar_mixed.h"

#include <math.h>
#include <string.h>

bool scalar_mixed_complex(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    (void)op;
    double a[CHUNK], b[CHUNK];
    double _Complex r[CHUNK];
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_real(&args[0], start, n, a);
        load_real(&args[1], start, n, b);
        for (int64_t i = 0; i < n; i++)
            r[i] = complex_of(a[i], b[i]);
        scalar_store_complex(element, r, n, result + (size_t)start * element_bytes(element));
    }
    return true;
}

static inline bool decide(int direction, bool less, bool equal, bool greater) {
    switch (direction) {
    case DIRECTION_EQ: return equal;
    case DIRECTION_NE: return !equal;
    case DIRECTION_GE: return greater || equal;
    case DIRECTION_GT: return greater;
    case DIRECTION_LE: return less || equal;
    default: return less;
    }
}

static uint64_t load_bits(const char *data, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, data, size < sizeof bits ? size : sizeof bits); // little-endian hosts
    return bits;
}

int64_t scalar_total_order_key(ElementType element, const void *data) {
    const FloatFormat *format = element_float_format(element);
    int bits = format->bits;
    uint64_t word = load_bits(data, element_bytes(element));
    if (format->is_unsigned) return (int64_t)word;
    if (format->nan_is_minus_zero && word == (uint64_t)1 << (bits - 1)) return INT64_MAX;
    uint64_t magnitude = word & (((uint64_t)1 << (bits - 1)) - 1);
    bool is_negative = (word >> (bits - 1)) & 1;
    return is_negative ? -(int64_t)magnitude - 1 : (int64_t)magnitude;
}

bool scalar_mixed_compare(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    (void)element;
    int direction = (int)op_int(op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ);
    bool total = op_int(op, NAME_COMPARE_TYPE, COMPARE_NOTYPE) == COMPARE_TOTALORDER;
    ElementClass class = element_class(args[0].element);
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        char *out = result + start;
        if (class == CLASS_FLOAT && total) {
            for (int64_t i = 0; i < n; i++) {
                int64_t x = scalar_total_order_key(args[0].element, arg_at(&args[0], start + i));
                int64_t y = scalar_total_order_key(args[1].element, arg_at(&args[1], start + i));
                out[i] = decide(direction, x<y, x == y, x> y);
            }
        } else if (class == CLASS_FLOAT) {
            double a[CHUNK], b[CHUNK];
            load_real(&args[0], start, n, a);
            load_real(&args[1], start, n, b);
            for (int64_t i = 0; i < n; i++)
                out[i] = decide(direction, a[i]<b[i], a[i] == b[i], a[i]> b[i]);
        } else if (class == CLASS_COMPLEX) {
            double _Complex a[CHUNK], b[CHUNK];
            load_complex(&args[0], start, n, a);
            load_complex(&args[1], start, n, b);
            for (int64_t i = 0; i < n; i++) {
                out[i] = decide(
                    direction, complex_less(a[i], b[i]), a[i] == b[i], complex_less(b[i], a[i]));
            }
        } else {
            int64_t a[CHUNK], b[CHUNK];
            load_int(&args[0], start, n, a);
            load_int(&args[1], start, n, b);
            // Unsigned 64-bit numbers keep their order when the top bit is flipped.
            uint64_t flip = class == CLASS_SINT ? 0 : (uint64_t)1 << 63;
            for (int64_t i = 0; i < n; i++) {
                int64_t x = (int64_t)((uint64_t)a[i] ^ flip), y = (int64_t)((uint64_t)b[i] ^ flip);
                out[i] = decide(direction, x<y, x == y, x> y);
            }
        }
    }
    return true;
}

bool scalar_mixed_select(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    (void)op;
    size_t size = element_bytes(element);
    const char *predicate = args[0].data;
    for (int64_t i = 0; i < count; i++) {
        bool chosen = predicate[args[0].is_splat ? 0 : i] & 1;
        const char *from = arg_at(&args[chosen ? 1 : 2], i);
        switch (size) {
        case 1: result[i] = *from; break;
        case 4: memcpy(result + i * 4, from, 4); break;
        default: memmove(result + (size_t)i * size, from, size); break;
        }
    }
    return true;
}

// minimum(maximum(x, low), high); operands: low, x, high.
bool scalar_mixed_clamp(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    (void)op;
    ElementClass class = element_class(element);
    size_t size = element_bytes(element);
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        char *out = result + (size_t)start * size;
        if (class == CLASS_FLOAT) {
            double low[CHUNK], x[CHUNK], high[CHUNK];
            load_real(&args[0], start, n, low);
            load_real(&args[1], start, n, x);
            load_real(&args[2], start, n, high);
            for (int64_t i = 0; i < n; i++)
                x[i] = scalar_minimum(scalar_maximum(x[i], low[i]), high[i]);
            scalar_store_real(element, x, n, out);
        } else if (class == CLASS_COMPLEX) {
            double _Complex low[CHUNK], x[CHUNK], high[CHUNK];
            load_complex(&args[0], start, n, low);
            load_complex(&args[1], start, n, x);
            load_complex(&args[2], start, n, high);
            for (int64_t i = 0; i < n; i++) {
                double _Complex y = complex_less(x[i], low[i]) ? low[i] : x[i];
                x[i] = complex_less(high[i], y) ? high[i] : y;
            }
            scalar_store_complex(element, x, n, out);
        } else {
            int64_t low[CHUNK], x[CHUNK], high[CHUNK];
            load_int(&args[0], start, n, low);
            load_int(&args[1], start, n, x);
            load_int(&args[2], start, n, high);
            uint64_t flip = class == CLASS_SINT ? 0 : (uint64_t)1 << 63;
            for (int64_t i = 0; i < n; i++) {
                int64_t a = (int64_t)((uint64_t)low[i] ^ flip),
                        b = (int64_t)((uint64_t)x[i] ^ flip);
                int64_t c = (int64_t)((uint64_t)high[i] ^ flip), y = b > a ? b : a;
                x[i] = (int64_t)((uint64_t)(y < c ? y : c) ^ flip);
            }
            scalar_store_int(element, x, n, out);
        }
    }
    return true;
}

// Rounds the pattern of a float to fewer exponent and mantissa bits, to nearest even; too large
// becomes infinite, below the smallest normal number becomes zero.
static uint64_t reduce_precision(
    uint64_t x, const FloatFormat *format, int exponent_bits, int mantissa_bits) {
    if (format->bits <= 8) { // in f32, whose range is not reduced to the format's own
        const FloatFormat *wide = &float_format_f32;
        if (exponent_bits >= format->exponent_bits) exponent_bits = wide->exponent_bits;
        uint64_t bits = float_encode(wide, float_decode(format, x));
        bits = reduce_precision(bits, wide, exponent_bits, mantissa_bits);
        return float_encode(format, float_decode(wide, bits));
    }
    int m = format->mantissa_bits;
    uint64_t sign = x & ((uint64_t)1 << (format->bits - 1));
    uint64_t exponent_mask = (((uint64_t)1 << format->exponent_bits) - 1) << m;
    uint64_t magnitude = x ^ sign;
    if (magnitude > exponent_mask) return mantissa_bits > 0 ? x : sign | exponent_mask;
    if (mantissa_bits < m) {
        uint64_t last = (uint64_t)1 << (m - mantissa_bits);
        magnitude += (last >> 1) - 1 + ((magnitude & last) ? 1 : 0);
        magnitude &= ~(last - 1);
    }
    if (exponent_bits < format->exponent_bits) {
        uint64_t bias = ((uint64_t)1 << (format->exponent_bits - 1)) - 1;
        uint64_t reduced_bias = ((uint64_t)1 << (exponent_bits - 1)) - 1;
        uint64_t exponent = magnitude & exponent_mask;
        if (exponent > (bias + reduced_bias) << m) magnitude = exponent_mask;
        if (exponent <= (bias - reduced_bias) << m) magnitude = 0;
    }
    return sign | magnitude;
}

// The next number after `from` towards `to`, on patterns.
static uint64_t next_after(uint64_t from, uint64_t to, const FloatFormat *format) {
    uint64_t sign_bit = (uint64_t)1 << (format->bits - 1);
    double x = float_decode(format, from), y = float_decode(format, to);
    if (isnan(x)) return from;
    if (isnan(y)) return to;
    if (x == y) return to;
    if (x == 0) return (y < 0 ? sign_bit : 0) | 1;
    bool grows = (y > x) == (x > 0);
    uint64_t next = grows ? from + 1 : from - 1;
    return format->nan_is_minus_zero && next == sign_bit ? 0 : next;
}

bool scalar_mixed_reduce_precision(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    const FloatFormat *format = element_float_format(args[0].element);
    if (!format) return false;
    size_t size = element_bytes(element);
    int exponent_bits = (int)op_int(op, NAME_EXPONENT_BITS, format->exponent_bits);
    int mantissa_bits = (int)op_int(op, NAME_MANTISSA_BITS, format->mantissa_bits);
    if (exponent_bits < 1 || exponent_bits > 64 || mantissa_bits < 0) return false;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = load_bits(arg_at(&args[0], i), size);
        uint64_t r = reduce_precision(x, format, exponent_bits, mantissa_bits);
        memcpy(result + (size_t)i * size, &r, size);
    }
    return true;
}

bool scalar_mixed_next_after(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    const FloatFormat *format = element_float_format(args[0].element);
    (void)op;
    if (!format) return false;
    size_t size = element_bytes(element);
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = load_bits(arg_at(&args[0], i), size), y = load_bits(arg_at(&args[1], i), size);
        uint64_t r = next_after(x, y, format);
        memcpy(result + (size_t)i * size, &r, size);
    }
    return true;
}

bool scalar_mixed_convert(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    (void)op;
    const ScalarArg *arg = &args[0];
    if (!arg->is_splat) {
        scalar_convert(arg->element, arg->data, element, result, count);
        return true;
    }
    for (int64_t i = 0; i < count; i++)
        scalar_convert(
            arg->element, arg->data, element, result + (size_t)i * element_bytes(element), 1);
    return true;
}

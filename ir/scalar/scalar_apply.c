// Pointwise ops on arrays: elements are widened in chunks to carriers, computed, and rounded back.
#include "ir/scalar/scalar.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 128 };

// --- integer arithmetic of scalar_ops.def ---

static inline int64_t int_add(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }
static inline int64_t int_negate(int64_t x) { return (int64_t)(0 - (uint64_t)x); }
static inline int64_t int_multiply(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

static inline uint64_t uint_mask(uint64_t x, int bits) {
    return bits == 64 ? x : x & (((uint64_t)1 << bits) - 1);
}

static inline uint64_t int_mask(int64_t x, int bits) { return uint_mask((uint64_t)x, bits); }

static inline int64_t int_leading_zeros(uint64_t x, int bits) {
    return x ? __builtin_clzll(x) - (64 - bits) : bits;
}

static inline bool is_shift(int64_t y, int bits) { return y >= 0 && y < bits; }

// The low 64 bits of (x * y) >> bits, for 64-bit factors by halves.
static uint64_t multiply_high_64(uint64_t x, uint64_t y) {
    uint64_t x0 = x & UINT32_MAX, x1 = x >> 32, y0 = y & UINT32_MAX, y1 = y >> 32;
    uint64_t middle = x1 * y0 + ((x0 * y0) >> 32);
    uint64_t low = (middle & UINT32_MAX) + x0 * y1;
    return x1 * y1 + (middle >> 32) + (low >> 32);
}

static inline uint64_t uint_multiply_high(uint64_t x, uint64_t y, int bits) {
    return bits == 64 ? multiply_high_64(x, y) : (x * y) >> bits;
}

static inline int64_t int_multiply_high(int64_t x, int64_t y, int bits) {
    if (bits < 64) return (x * y) >> bits;
    uint64_t high = multiply_high_64((uint64_t)x, (uint64_t)y);
    if (x < 0) high -= (uint64_t)y;
    if (y < 0) high -= (uint64_t)x;
    return (int64_t)high;
}

static inline uint64_t uint_shift_arithmetic(uint64_t x, uint64_t y, int bits) {
    uint64_t sign = (x >> (bits - 1)) & 1 ? ~(uint64_t)0 : 0;
    if (y >= (uint64_t)bits) return sign;
    return y == 0 ? x : (x >> y) | (sign << ((uint64_t)bits - y));
}

static inline bool complex_less(double _Complex x, double _Complex y) {
    return creal(x) < creal(y) || (creal(x) == creal(y) && cimag(x) < cimag(y));
}

// --- one loop per row of the table, and the tables of loops ---

#define LOOP1(name, T, e)                                       \
    static void name(T r[], const T a[], int64_t n, int bits) { \
        (void)bits;                                             \
        for (int64_t i = 0; i < n; i++) {                       \
            T x = a[i];                                         \
            r[i] = (e);                                         \
        }                                                       \
    }
#define LOOP2(name, T, e)                                                    \
    static void name(T r[], const T a[], const T b[], int64_t n, int bits) { \
        (void)bits;                                                          \
        for (int64_t i = 0; i < n; i++) {                                    \
            T x = a[i], y = b[i];                                            \
            r[i] = (e);                                                      \
        }                                                                    \
    }

#define REAL1(op, e)    LOOP1(real1_##op, double, e)
#define REAL2(op, e)    LOOP2(real2_##op, double, e)
#define SINT1(op, e)    LOOP1(sint1_##op, int64_t, e)
#define SINT2(op, e)    LOOP2(sint2_##op, int64_t, e)
#define UINT1(op, e)    LOOP1(uint1_##op, uint64_t, e)
#define UINT2(op, e)    LOOP2(uint2_##op, uint64_t, e)
#define BOOL1(op, e)    LOOP1(bool1_##op, uint64_t, e)
#define BOOL2(op, e)    LOOP2(bool2_##op, uint64_t, e)
#define COMPLEX1(op, e) LOOP1(complex1_##op, double _Complex, e)
#define COMPLEX2(op, e) LOOP2(complex2_##op, double _Complex, e)
#define TEST(op, e)                                                  \
    static void test_##op(uint64_t *r, const double *a, int64_t n) { \
        for (int64_t i = 0; i < n; i++) {                            \
            double x = a[i];                                         \
            r[i] = (e) ? 1 : 0;                                      \
        }                                                            \
    }
#include "ir/scalar/scalar_ops.def"

typedef void Real1Fn(double *r, const double *a, int64_t n, int bits);
typedef void Real2Fn(double *r, const double *a, const double *b, int64_t n, int bits);
typedef void Sint1Fn(int64_t *r, const int64_t *a, int64_t n, int bits);
typedef void Sint2Fn(int64_t *r, const int64_t *a, const int64_t *b, int64_t n, int bits);
typedef void Uint1Fn(uint64_t *r, const uint64_t *a, int64_t n, int bits);
typedef void Uint2Fn(uint64_t *r, const uint64_t *a, const uint64_t *b, int64_t n, int bits);
typedef void Complex1Fn(double _Complex *r, const double _Complex *a, int64_t n, int bits);
typedef void Complex2Fn(
    double _Complex *r, const double _Complex *a, const double _Complex *b, int64_t n, int bits);
typedef void TestFn(uint64_t *r, const double *a, int64_t n);

static Real1Fn *const real1_table[OP_COUNT] = {
#define REAL1(op, e) [OP_##op] = real1_##op,
#include "ir/scalar/scalar_ops.def"
};
static Real2Fn *const real2_table[OP_COUNT] = {
#define REAL2(op, e) [OP_##op] = real2_##op,
#include "ir/scalar/scalar_ops.def"
};
static Sint1Fn *const sint1_table[OP_COUNT] = {
#define SINT1(op, e) [OP_##op] = sint1_##op,
#include "ir/scalar/scalar_ops.def"
};
static Sint2Fn *const sint2_table[OP_COUNT] = {
#define SINT2(op, e) [OP_##op] = sint2_##op,
#include "ir/scalar/scalar_ops.def"
};
static Uint1Fn *const uint1_table[OP_COUNT] = {
#define UINT1(op, e) [OP_##op] = uint1_##op,
#include "ir/scalar/scalar_ops.def"
};
static Uint2Fn *const uint2_table[OP_COUNT] = {
#define UINT2(op, e) [OP_##op] = uint2_##op,
#include "ir/scalar/scalar_ops.def"
};
static Uint1Fn *const bool1_table[OP_COUNT] = {
#define BOOL1(op, e) [OP_##op] = bool1_##op,
#include "ir/scalar/scalar_ops.def"
};
static Uint2Fn *const bool2_table[OP_COUNT] = {
#define BOOL2(op, e) [OP_##op] = bool2_##op,
#include "ir/scalar/scalar_ops.def"
};
static Complex1Fn *const complex1_table[OP_COUNT] = {
#define COMPLEX1(op, e) [OP_##op] = complex1_##op,
#include "ir/scalar/scalar_ops.def"
};
static Complex2Fn *const complex2_table[OP_COUNT] = {
#define COMPLEX2(op, e) [OP_##op] = complex2_##op,
#include "ir/scalar/scalar_ops.def"
};
static TestFn *const test_table[OP_COUNT] = {
#define TEST(op, e) [OP_##op] = test_##op,
#include "ir/scalar/scalar_ops.def"
};

// --- ops with operands of one class ---

static const char *arg_at(const ScalarArg *arg, int64_t i) {
    return (const char *)arg->data + (arg->is_splat ? 0 : (size_t)i * element_bytes(arg->element));
}

static void load_real(const ScalarArg *arg, int64_t start, int64_t count, double *out) {
    scalar_load_real(arg->element, arg_at(arg, start), arg->is_splat ? 0 : 1, count, out);
}

static void load_int(const ScalarArg *arg, int64_t start, int64_t count, int64_t *out) {
    scalar_load_int(arg->element, arg_at(arg, start), arg->is_splat ? 0 : 1, count, out);
}

static void load_complex(const ScalarArg *arg, int64_t start, int64_t count, double _Complex *out) {
    scalar_load_complex(arg->element, arg_at(arg, start), arg->is_splat ? 0 : 1, count, out);
}

static int64_t chunk_at(int64_t start, int64_t count) {
    return count - start < CHUNK ? count - start : CHUNK;
}

static bool apply_real(
    OpCode code, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    double a[CHUNK], b[CHUNK];
    size_t size = element_bytes(element);
    if (test_table[code]) {
        uint64_t r[CHUNK];
        for (int64_t start = 0, n; start < count; start += n) {
            n = chunk_at(start, count);
            load_real(&args[0], start, n, a);
            test_table[code](r, a, n);
            scalar_store_int(element, (const int64_t *)r, n, result + (size_t)start * size);
        }
        return true;
    }
    Real1Fn *unary = real1_table[code];
    Real2Fn *binary = real2_table[code];
    int bits = element_bits(args[0].element);
    if (!unary && !binary) return false;
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_real(&args[0], start, n, a);
        if (unary) {
            unary(a, a, n, bits);
        } else {
            load_real(&args[1], start, n, b);
            binary(a, a, b, n, bits);
        }
        scalar_store_real(element, a, n, result + (size_t)start * size);
    }
    return true;
}

static bool apply_int(
    OpCode code, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    ElementClass class = element_class(args[0].element);
    Uint1Fn *unary = class == CLASS_BOOL ? bool1_table[code] : uint1_table[code];
    Uint2Fn *binary = class == CLASS_BOOL ? bool2_table[code] : uint2_table[code];
    Sint1Fn *signed_unary = class == CLASS_SINT ? sint1_table[code] : NULL;
    Sint2Fn *signed_binary = class == CLASS_SINT ? sint2_table[code] : NULL;
    if (class == CLASS_SINT ? !signed_unary && !signed_binary : !unary && !binary) return false;
    int64_t a[CHUNK], b[CHUNK];
    int bits = element_bits(args[0].element);
    size_t size = element_bytes(element);
    bool has_two = class == CLASS_SINT ? !signed_unary : !unary;
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_int(&args[0], start, n, a);
        if (has_two) load_int(&args[1], start, n, b);
        if (signed_unary) {
            signed_unary(a, a, n, bits);
        } else if (signed_binary) {
            signed_binary(a, a, b, n, bits);
        } else if (!has_two) {
            unary((uint64_t *)a, (const uint64_t *)a, n, bits);
        } else {
            binary((uint64_t *)a, (const uint64_t *)a, (const uint64_t *)b, n, bits);
        }
        scalar_store_int(element, a, n, result + (size_t)start * size);
    }
    return true;
}

static bool apply_complex(
    OpCode code, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    Complex1Fn *unary = complex1_table[code];
    Complex2Fn *binary = complex2_table[code];
    if (!unary && !binary) return false;
    double _Complex a[CHUNK], b[CHUNK];
    size_t size = element_bytes(element);
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_complex(&args[0], start, n, a);
        if (unary) {
            unary(a, a, n, 0);
        } else {
            load_complex(&args[1], start, n, b);
            binary(a, a, b, n, 0);
        }
        scalar_store_complex(element, a, n, result + (size_t)start * size);
    }
    return true;
}

// --- ops that mix element types ---

// abs, real, imag of complex; of real numbers: x, x, 0.
static bool apply_complex_part(
    OpCode code, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    double _Complex a[CHUNK];
    double r[CHUNK];
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_complex(&args[0], start, n, a);
        for (int64_t i = 0; i < n; i++) {
            double re = creal(a[i]), im = cimag(a[i]);
            r[i] = code == OP_ABS ? hypot(re, im) : code == OP_REAL ? re : im;
        }
        scalar_store_real(element, r, n, result + (size_t)start * element_bytes(element));
    }
    return true;
}

static bool apply_make_complex(
    int64_t count, const ScalarArg *args, ElementType element, char *result) {
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

static bool apply_compare(const Op *op, int64_t count, const ScalarArg *args, char *result) {
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

static bool apply_select(int64_t count, const ScalarArg *args, ElementType element, char *result) {
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
static bool apply_clamp(int64_t count, const ScalarArg *args, ElementType element, char *result) {
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

// Rounds the pattern of a float to fewer exponent and mantissa bits, to nearest even; too large becomes infinite, below the
// smallest normal number becomes zero.
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

// reduce_precision and next_after work on the patterns of floats.
static bool apply_patterns(
    OpCode code, const Op *op, int64_t count, const ScalarArg *args, char *result) {
    const FloatFormat *format = element_float_format(args[0].element);
    if (!format) return false;
    size_t size = element_bytes(args[0].element);
    int exponent_bits = (int)op_int(op, NAME_EXPONENT_BITS, format->exponent_bits);
    int mantissa_bits = (int)op_int(op, NAME_MANTISSA_BITS, format->mantissa_bits);
    if (exponent_bits < 1 || exponent_bits > 64 || mantissa_bits < 0) return false;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = load_bits(arg_at(&args[0], i), size);
        uint64_t r = code == OP_REDUCE_PRECISION
                         ? reduce_precision(x, format, exponent_bits, mantissa_bits)
                         : next_after(x, load_bits(arg_at(&args[1], i), size), format);
        memcpy(result + (size_t)i * size, &r, size);
    }
    return true;
}

static bool apply_convert(int64_t count, const ScalarArg *arg, ElementType element, char *result) {
    if (!arg->is_splat) {
        scalar_convert(arg->element, arg->data, element, result, count);
        return true;
    }
    for (int64_t i = 0; i < count; i++)
        scalar_convert(
            arg->element, arg->data, element, result + (size_t)i * element_bytes(element), 1);
    return true;
}

bool scalar_apply(
    OpCode code, const Op *op, int64_t count, const ScalarArg *args, ElementType element,
    void *result) {
    ElementClass class = element_class(args[0].element);
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): the ops of one class follow
    case OP_COMPARE: return apply_compare(op, count, args, result);
    case OP_CONVERT: return apply_convert(count, args, element, result);
    case OP_SELECT: return apply_select(count, args, element, result);
    case OP_CLAMP: return apply_clamp(count, args, element, result);
    case OP_COMPLEX: return apply_make_complex(count, args, element, result);
    case OP_REAL:
    case OP_IMAG: return apply_complex_part(code, count, args, element, result);
    case OP_REDUCE_PRECISION:
    case OP_CHLO_NEXT_AFTER: return apply_patterns(code, op, count, args, result);
    default: break;
    }
    switch (class) {
    case CLASS_FLOAT: return apply_real(code, count, args, element, result);
    case CLASS_BOOL:
    case CLASS_SINT:
    case CLASS_UINT: return apply_int(code, count, args, element, result);
    case CLASS_COMPLEX:
        if (code == OP_ABS) return apply_complex_part(code, count, args, element, result);
        return apply_complex(code, count, args, element, result);
    }
    return false;
}

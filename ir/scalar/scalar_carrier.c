// Elements of every type to the carriers of scalar.h and back, and stablehlo.convert.
#include "ir/scalar/scalar.h"

#include <math.h>
#include <string.h>

#define LOAD_LOOP(T, expression)              \
    {                                         \
        const T *in = data;                   \
        for (int64_t i = 0; i < count; i++) { \
            T x = in[i * stride];             \
            out[i] = (expression);            \
        }                                     \
        return;                               \
    }

#define STORE_LOOP(T, expression)                                            \
    {                                                                        \
        T *out = data; /* NOLINT(bugprone-macro-parentheses): T is a type */ \
        for (int64_t i = 0; i < count; i++)                                  \
            out[i] = (expression);                                           \
        return;                                                              \
    }

static double bf16_to_double(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float x = 0;
    memcpy(&x, &word, sizeof x);
    return (double)x;
}

static uint16_t bf16_from_double(double number) {
    float x = (float)number;
    uint32_t word = 0;
    memcpy(&word, &x, sizeof word);
    if ((word & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)((word >> 16) | 0x40); // quiet NaN
    return (uint16_t)((word + 0x7FFF + ((word >> 16) & 1)) >> 16);
}

void scalar_load_real(
    ElementType element, const void *data, int64_t stride, int64_t count, double *out) {
    if (element == ELEMENT_F32) LOAD_LOOP(float, (double)x)
    if (element == ELEMENT_F64) LOAD_LOOP(double, x)
    if (element == ELEMENT_BF16) LOAD_LOOP(uint16_t, bf16_to_double(x))
    const FloatFormat *format = element_float_format(element);
    if (format && element_bytes(element) == 2) LOAD_LOOP(uint16_t, float_decode(format, x))
    if (format) LOAD_LOOP(uint8_t, float_decode(format, x))
    if (element_class(element) == CLASS_COMPLEX) {
        for (int64_t i = 0; i < count; i++) {
            double _Complex x = 0;
            scalar_load_complex(
                element, (const char *)data + i * stride * (int64_t)element_bytes(element), 0, 1,
                &x);
            out[i] = creal(x);
        }
        return;
    }
    bool is_signed = element_class(element) == CLASS_SINT;
    for (int64_t i = 0; i < count; i++) {
        int64_t x = 0;
        scalar_load_int(
            element, (const char *)data + i * stride * (int64_t)element_bytes(element), 0, 1, &x);
        out[i] = is_signed ? (double)x : (double)(uint64_t)x;
    }
}

static int64_t sign_extend(uint64_t x, int bits) {
    uint64_t sign = (uint64_t)1 << (bits - 1);
    x &= (sign << 1) - 1;
    return (int64_t)((x ^ sign) - sign);
}

void scalar_load_int(
    ElementType element, const void *data, int64_t stride, int64_t count, int64_t *out) {
    int bits = element_bits(element);
    ElementClass class = element_class(element);
    if (class == CLASS_BOOL) LOAD_LOOP(uint8_t, x & 1)
    bool is_signed = class == CLASS_SINT;
    switch (bits) {
    case 8:
        if (is_signed) LOAD_LOOP(int8_t, x)
        LOAD_LOOP(uint8_t, x)
    case 16:
        if (is_signed) LOAD_LOOP(int16_t, x)
        LOAD_LOOP(uint16_t, x)
    case 32:
        if (is_signed) LOAD_LOOP(int32_t, x)
        LOAD_LOOP(uint32_t, x)
    case 64: LOAD_LOOP(int64_t, x)
    default:
        if (is_signed) LOAD_LOOP(uint8_t, sign_extend(x, bits))
        LOAD_LOOP(uint8_t, x & ((1 << bits) - 1))
    }
}

void scalar_load_complex(
    ElementType element, const void *data, int64_t stride, int64_t count, double _Complex *out) {
    if (element == ELEMENT_C64) {
        const float *in = data;
        for (int64_t i = 0; i < count; i++)
            out[i] = complex_of((double)in[2 * i * stride], (double)in[2 * i * stride + 1]);
    } else if (element == ELEMENT_C128) {
        const double *in = data;
        for (int64_t i = 0; i < count; i++)
            out[i] = complex_of(in[2 * i * stride], in[2 * i * stride + 1]);
    } else {
        for (int64_t i = 0; i < count; i++) {
            double x = 0;
            scalar_load_real(
                element, (const char *)data + i * stride * (int64_t)element_bytes(element), 0, 1,
                &x);
            out[i] = complex_of(x, 0.0);
        }
    }
}

void scalar_store_real(ElementType element, const double *in, int64_t count, void *data) {
    if (element == ELEMENT_F32) STORE_LOOP(float, (float)in[i])
    if (element == ELEMENT_F64) STORE_LOOP(double, in[i])
    if (element == ELEMENT_BF16) STORE_LOOP(uint16_t, bf16_from_double(in[i]))
    const FloatFormat *format = element_float_format(element);
    if (format && element_bytes(element) == 2)
        STORE_LOOP(uint16_t, (uint16_t)float_encode(format, (double)(float)in[i]))
    if (format) STORE_LOOP(uint8_t, (uint8_t)float_encode(format, (double)(float)in[i]))
}

void scalar_store_int(ElementType element, const int64_t *in, int64_t count, void *data) {
    ElementClass class = element_class(element);
    int bits = element_bits(element);
    if (class == CLASS_BOOL) STORE_LOOP(uint8_t, (uint8_t)(in[i] & 1))
    switch (bits) {
    case 8: STORE_LOOP(uint8_t, (uint8_t)in[i])
    case 16: STORE_LOOP(uint16_t, (uint16_t)in[i])
    case 32: STORE_LOOP(uint32_t, (uint32_t)in[i])
    case 64: STORE_LOOP(int64_t, in[i])
    default:
        if (class == CLASS_SINT) STORE_LOOP(uint8_t, (uint8_t)sign_extend((uint64_t)in[i], bits))
        STORE_LOOP(uint8_t, (uint8_t)(in[i] & ((1 << bits) - 1)))
    }
}

void scalar_store_complex(
    ElementType element, const double _Complex *in, int64_t count, void *data) {
    if (element == ELEMENT_C64) {
        float *out = data;
        for (int64_t i = 0; i < count; i++) {
            out[2 * i] = (float)creal(in[i]);
            out[2 * i + 1] = (float)cimag(in[i]);
        }
    } else {
        double *out = data;
        for (int64_t i = 0; i < count; i++) {
            out[2 * i] = creal(in[i]);
            out[2 * i + 1] = cimag(in[i]);
        }
    }
}

// --- convert ---

// Truncates towards zero; NaN is 0, what does not fit is the nearest number that does.
static int64_t float_to_int(double x, bool is_signed, int bits) {
    if (isnan(x)) return 0;
    if (is_signed) {
        double limit = ldexp(1.0, bits - 1);
        int64_t top = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
        if (x >= limit) return top;
        if (x < -limit) return -top - 1;
        return (int64_t)x;
    }
    if (x >= ldexp(1.0, bits))
        return (int64_t)(bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1);
    if (x <= 0) return 0;
    return (int64_t)(uint64_t)x;
}

static void convert_from_float(
    ElementType from, const void *in, ElementType to, void *out, int64_t count) {
    double x[128];
    int64_t r[128];
    size_t from_size = element_bytes(from), to_size = element_bytes(to);
    ElementClass class = element_class(to);
    const FloatFormat *format = element_float_format(to);
    for (int64_t start = 0; start < count; start += 128) {
        int64_t n = count - start < 128 ? count - start : 128;
        char *result = (char *)out + (size_t)start * to_size;
        scalar_load_real(from, (const char *)in + (size_t)start * from_size, 1, n, x);
        if (class == CLASS_FLOAT && from == ELEMENT_F64 && to_size < 4 && to != ELEMENT_BF16) {
            for (int64_t i = 0; i < n; i++) { // rounds once
                uint64_t bits = float_encode(format, x[i]);
                memcpy(result + (size_t)i * to_size, &bits, to_size);
            }
        } else if (class == CLASS_FLOAT) {
            scalar_store_real(to, x, n, result);
        } else if (class == CLASS_COMPLEX) {
            for (int64_t i = 0; i < n; i++) {
                double _Complex z = complex_of(x[i], 0.0);
                scalar_store_complex(to, &z, 1, result + (size_t)i * to_size);
            }
        } else {
            for (int64_t i = 0; i < n; i++) {
                r[i] = class == CLASS_BOOL
                           ? x[i] != 0
                           : float_to_int(x[i], class == CLASS_SINT, element_bits(to));
            }
            scalar_store_int(to, r, n, result);
        }
    }
}

static void convert_from_int(
    ElementType from, const void *in, ElementType to, void *out, int64_t count) {
    int64_t x[128];
    double r[128];
    size_t from_size = element_bytes(from), to_size = element_bytes(to);
    ElementClass class = element_class(to);
    bool is_signed = element_class(from) == CLASS_SINT;
    bool through_float = class == CLASS_FLOAT && to != ELEMENT_F64; // rounds once to f32
    for (int64_t start = 0; start < count; start += 128) {
        int64_t n = count - start < 128 ? count - start : 128;
        char *result = (char *)out + (size_t)start * to_size;
        scalar_load_int(from, (const char *)in + (size_t)start * from_size, 1, n, x);
        if (class == CLASS_BOOL) {
            for (int64_t i = 0; i < n; i++)
                x[i] = x[i] != 0;
        }
        if (class != CLASS_FLOAT && class != CLASS_COMPLEX) {
            scalar_store_int(to, x, n, result);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            if (through_float)
                r[i] = (double)(is_signed ? (float)x[i] : (float)(uint64_t)x[i]);
            else
                r[i] = is_signed ? (double)x[i] : (double)(uint64_t)x[i];
        }
        if (class == CLASS_FLOAT) {
            scalar_store_real(to, r, n, result);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            double _Complex z = complex_of(r[i], 0.0);
            scalar_store_complex(to, &z, 1, result + (size_t)i * to_size);
        }
    }
}

void scalar_convert(ElementType from, const void *in, ElementType to, void *out, int64_t count) {
    ElementClass class = element_class(from);
    size_t from_size = element_bytes(from), to_size = element_bytes(to);
    if (from == to) {
        if (in != out && count) memcpy(out, in, (size_t)count * to_size);
    } else if (class == CLASS_FLOAT) {
        convert_from_float(from, in, to, out, count);
    } else if (class == CLASS_COMPLEX) {
        for (int64_t i = 0; i < count; i++) {
            double _Complex z = 0;
            char *result = (char *)out + (size_t)i * to_size;
            scalar_load_complex(from, (const char *)in + (size_t)i * from_size, 1, 1, &z);
            double x = creal(z);
            if (element_class(to) == CLASS_COMPLEX)
                scalar_store_complex(to, &z, 1, result);
            else
                convert_from_float(ELEMENT_F64, &x, to, result, 1);
        }
    } else {
        convert_from_int(from, in, to, out, count);
    }
}

// Pointwise ops on arrays: elements are widened in chunks to carriers, computed, and rounded back.
#include "ir/scalar/scalar.h"

#include "ir/dialects/traits.h"
#include "ir/dialects/value_classes.h"

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
            (void)x;                                            \
            r[i] = (e);                                         \
        }                                                       \
    }
#define LOOP2(name, T, e)                                                    \
    static void name(T r[], const T a[], const T b[], int64_t n, int bits) { \
        (void)bits;                                                          \
        for (int64_t i = 0; i < n; i++) {                                    \
            T x = a[i], y = b[i];                                            \
            (void)x;                                                         \
            (void)y;                                                         \
            r[i] = (e);                                                      \
        }                                                                    \
    }

#define LOOP_TEST(name, e)                                      \
    static void name(uint64_t *r, const double *a, int64_t n) { \
        for (int64_t i = 0; i < n; i++) {                       \
            double x = a[i];                                    \
            (void)x;                                            \
            r[i] = (e) ? 1 : 0;                                 \
        }                                                       \
    }
#define LOOP_PART(name, e)                                             \
    static void name(double *r, const double _Complex *a, int64_t n) { \
        for (int64_t i = 0; i < n; i++) {                              \
            double _Complex x = a[i];                                  \
            (void)x;                                                   \
            r[i] = (e);                                                \
        }                                                              \
    }

// Functions of libm, of f64 and complex numbers through long double.
#define WIDE(f)  (bits == 64 ? (double)f##l((long double)x) : f(x))
#define WIDE2(f) (bits == 64 ? (double)f##l((long double)x, (long double)y) : f(x, y))
#define CWIDE(f) ((double _Complex)f##l((long double _Complex)x))

// What a row does not define gets a loop that no table names: x.
#define REAL(e, f)                                        e
#define EXACT(e, f)                                       e
#define TEST(e, f)                                        x
#define NO                                                x
#define ABSENT                                            x
#define SCALAR1(name, floats, integers, bools, complexes) LOOP1(real_##name, double, floats)
#define SCALAR2(name, floats, integers, bools, complexes) LOOP2(real_##name, double, floats)
#include "ir/scalar/scalar_ops.def"
#define REAL(e, f)                                        0
#define EXACT(e, f)                                       0
#define TEST(e, f)                                        e
#define NO                                                0
#define ABSENT                                            0
#define SCALAR1(name, floats, integers, bools, complexes) LOOP_TEST(test_##name, floats)
#include "ir/scalar/scalar_ops.def"
#define INT(s, u, f)                                      s
#define NO                                                x
#define ABSENT                                            x
#define SCALAR1(name, floats, integers, bools, complexes) LOOP1(sint_##name, int64_t, integers)
#define SCALAR2(name, floats, integers, bools, complexes) LOOP2(sint_##name, int64_t, integers)
#include "ir/scalar/scalar_ops.def"
#define INT(s, u, f)                                      u
#define NO                                                x
#define ABSENT                                            x
#define SCALAR1(name, floats, integers, bools, complexes) LOOP1(uint_##name, uint64_t, integers)
#define SCALAR2(name, floats, integers, bools, complexes) LOOP2(uint_##name, uint64_t, integers)
#include "ir/scalar/scalar_ops.def"
#define BOOL(e, f)                                        e
#define NO                                                x
#define ABSENT                                            x
#define SCALAR1(name, floats, integers, bools, complexes) LOOP1(bool_##name, uint64_t, bools)
#define SCALAR2(name, floats, integers, bools, complexes) LOOP2(bool_##name, uint64_t, bools)
#include "ir/scalar/scalar_ops.def"
#define COMPLEX(e, f) e
#define OWN(e, f)     e
#define PART(e, f)    x
#define NO            x
#define ABSENT        x
#define SCALAR1(name, floats, integers, bools, complexes) \
    LOOP1(complex_##name, double _Complex, complexes)
#define SCALAR2(name, floats, integers, bools, complexes) \
    LOOP2(complex_##name, double _Complex, complexes)
#include "ir/scalar/scalar_ops.def"
#define COMPLEX(e, f)                                     0
#define OWN(e, f)                                         0
#define PART(e, f)                                        e
#define NO                                                0
#define ABSENT                                            0
#define SCALAR1(name, floats, integers, bools, complexes) LOOP_PART(part_##name, complexes)
#include "ir/scalar/scalar_ops.def"

typedef bool MixedFn(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result);
#define MIXED(name) static MixedFn scalar_mixed_##name;
#include "ir/scalar/scalar_ops.def"

// The loops of one row; NULL where it defines none.
typedef struct ScalarLoops {
    void (*real1)(double *r, const double *a, int64_t n, int bits);
    void (*real2)(double *r, const double *a, const double *b, int64_t n, int bits);
    void (*test)(uint64_t *r, const double *a, int64_t n);
    void (*sint1)(int64_t *r, const int64_t *a, int64_t n, int bits);
    void (*sint2)(int64_t *r, const int64_t *a, const int64_t *b, int64_t n, int bits);
    void (*uint1)(uint64_t *r, const uint64_t *a, int64_t n, int bits);
    void (*uint2)(uint64_t *r, const uint64_t *a, const uint64_t *b, int64_t n, int bits);
    void (*bool1)(uint64_t *r, const uint64_t *a, int64_t n, int bits);
    void (*bool2)(uint64_t *r, const uint64_t *a, const uint64_t *b, int64_t n, int bits);
    void (*complex1)(double _Complex *r, const double _Complex *a, int64_t n, int bits);
    void (*complex2)(
        double _Complex *r, const double _Complex *a, const double _Complex *b, int64_t n,
        int bits);
    void (*part)(double *r, const double _Complex *a, int64_t n);
    MixedFn *mixed;
} ScalarLoops;

// Which of the loops a column defines.
enum { IS_NONE, IS_LOOP, IS_TEST, IS_PART };
#define REAL(e, f)    IS_LOOP
#define EXACT(e, f)   IS_LOOP
#define TEST(e, f)    IS_TEST
#define INT(s, u, f)  IS_LOOP
#define BOOL(e, f)    IS_LOOP
#define COMPLEX(e, f) IS_LOOP
#define OWN(e, f)     IS_LOOP
#define PART(e, f)    IS_PART
#define NO            IS_NONE
#define ABSENT        IS_NONE
#define SCALAR1(name, floats, integers, bools, complexes)           \
    [SCALAR_##name] = {                                             \
        .real1 = (floats) == IS_LOOP ? real_##name : NULL,          \
        .test = (floats) == IS_TEST ? test_##name : NULL,           \
        .sint1 = (integers) == IS_LOOP ? sint_##name : NULL,        \
        .uint1 = (integers) == IS_LOOP ? uint_##name : NULL,        \
        .bool1 = (bools) == IS_LOOP ? bool_##name : NULL,           \
        .complex1 = (complexes) == IS_LOOP ? complex_##name : NULL, \
        .part = (complexes) == IS_PART ? part_##name : NULL},
#define SCALAR2(name, floats, integers, bools, complexes)    \
    [SCALAR_##name] = {                                      \
        .real2 = (floats) == IS_LOOP ? real_##name : NULL,   \
        .sint2 = (integers) == IS_LOOP ? sint_##name : NULL, \
        .uint2 = (integers) == IS_LOOP ? uint_##name : NULL, \
        .bool2 = (bools) == IS_LOOP ? bool_##name : NULL,    \
        .complex2 = (complexes) == IS_LOOP ? complex_##name : NULL},
#define MIXED(name) [SCALAR_##name] = {.mixed = scalar_mixed_##name},

static const ScalarLoops loops[SCALAR_COUNT] = {
#include "ir/scalar/scalar_ops.def"
};

// --- ops and their functions ---

#define IR(infer, eval, scalar, convert) SCALAR_##scalar

static const ScalarFn scalars[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) \
    [OP_##name] = ir,
#include "ir/dialects/ops.def"
};

// The classes of elements that a function takes, or refuses with a diagnostic.
#define REAL(e, f)    FLOAT
#define EXACT(e, f)   FLOAT
#define TEST(e, f)    FLOAT
#define INT(s, u, f)  (SINT | UINT)
#define BOOL(e, f)    PRED
#define COMPLEX(e, f) COMPLEX
#define OWN(e, f)     COMPLEX
#define PART(e, f)    COMPLEX
#define NO            0
#define ABSENT        PLAIN
#define SCALAR1(name, floats, integers, bools, complexes) \
    classes_##name =                                      \
        ((floats)&FLOAT) | ((integers) & (SINT | UINT)) | ((bools)&PRED) | ((complexes)&COMPLEX),
#define SCALAR2(name, floats, integers, bools, complexes) \
    SCALAR1(name, floats, integers, bools, complexes)
#define MIXED(name) classes_##name = PLAIN,

enum {
    classes_none = PLAIN, // the op's own functions say
#include "ir/scalar/scalar_ops.def"
};

#undef IR
#define IR(infer, eval, scalar, convert) classes_##scalar
#define FIRST_OF(first, ...)             (first)
#define OPERANDS(...)                    FIRST_OF(__VA_ARGS__, NONE)
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) \
    _Static_assert(                                                                            \
        !((traits)&TRAIT_POINTWISE) || ((operands)&PLAIN & ~(ir)) == 0,                        \
        text " has operands of a class that its row of scalar_ops.def does not define");
#include "ir/dialects/ops.def"

ScalarFn op_code_scalar(OpCode code) { return scalars[code]; }

OpCode scalar_op(ScalarFn scalar) {
    for (int code = 0; code < OP_COUNT; code++) {
        if (scalars[code] == scalar && op_code_has((OpCode)code, TRAIT_POINTWISE))
            return (OpCode)code;
    }
    return OP_COUNT;
}

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

static bool apply_test(
    ScalarFn scalar, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    double a[CHUNK];
    uint64_t r[CHUNK];
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_real(&args[0], start, n, a);
        loops[scalar].test(r, a, n);
        scalar_store_int(
            element, (const int64_t *)r, n, result + (size_t)start * element_bytes(element));
    }
    return true;
}

static bool apply_real(
    ScalarFn scalar, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    const ScalarLoops *of = &loops[scalar];
    double a[CHUNK], b[CHUNK];
    size_t size = element_bytes(element);
    if (of->test) return apply_test(scalar, count, args, element, result);
    int bits = element_bits(args[0].element);
    if (!of->real1 && !of->real2) return false;
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_real(&args[0], start, n, a);
        if (of->real1) {
            of->real1(a, a, n, bits);
        } else {
            load_real(&args[1], start, n, b);
            of->real2(a, a, b, n, bits);
        }
        scalar_store_real(element, a, n, result + (size_t)start * size);
    }
    return true;
}

static bool apply_int(
    ScalarFn scalar, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    const ScalarLoops *of = &loops[scalar];
    ElementClass class = element_class(args[0].element);
    bool is_signed = class == CLASS_SINT, is_bool = class == CLASS_BOOL;
    bool has_one = is_signed ? of->sint1 != NULL : is_bool ? of->bool1 != NULL : of->uint1 != NULL;
    bool has_two = is_signed ? of->sint2 != NULL : is_bool ? of->bool2 != NULL : of->uint2 != NULL;
    if (!has_one && !has_two) return false;
    int64_t a[CHUNK], b[CHUNK];
    uint64_t *x = (uint64_t *)a;
    const uint64_t *y = (const uint64_t *)b;
    int bits = element_bits(args[0].element);
    size_t size = element_bytes(element);
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_int(&args[0], start, n, a);
        if (has_two) load_int(&args[1], start, n, b);
        if (is_signed) {
            has_one ? of->sint1(a, a, n, bits) : of->sint2(a, a, b, n, bits);
        } else if (is_bool) {
            has_one ? of->bool1(x, x, n, bits) : of->bool2(x, x, y, n, bits);
        } else {
            has_one ? of->uint1(x, x, n, bits) : of->uint2(x, x, y, n, bits);
        }
        scalar_store_int(element, a, n, result + (size_t)start * size);
    }
    return true;
}

static bool apply_complex(
    ScalarFn scalar, int64_t count, const ScalarArg *args, ElementType element, char *result) {
    const ScalarLoops *of = &loops[scalar];
    if (!of->complex1 && !of->complex2 && !of->part) return false;
    double _Complex a[CHUNK], b[CHUNK];
    double r[CHUNK];
    size_t size = element_bytes(element);
    for (int64_t start = 0, n; start < count; start += n) {
        n = chunk_at(start, count);
        load_complex(&args[0], start, n, a);
        if (of->part) {
            of->part(r, a, n);
            scalar_store_real(element, r, n, result + (size_t)start * size);
            continue;
        }
        if (of->complex1) {
            of->complex1(a, a, n, 0);
        } else {
            load_complex(&args[1], start, n, b);
            of->complex2(a, a, b, n, 0);
        }
        scalar_store_complex(element, a, n, result + (size_t)start * size);
    }
    return true;
}

// --- ops that mix element types ---

static bool scalar_mixed_complex(
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

static bool scalar_mixed_compare(
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

static bool scalar_mixed_select(
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
static bool scalar_mixed_clamp(
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

static bool scalar_mixed_reduce_precision(
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

static bool scalar_mixed_next_after(
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

static bool scalar_mixed_convert(
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

bool scalar_apply(
    OpCode code, const Op *op, int64_t count, const ScalarArg *args, ElementType element,
    void *result) {
    ScalarFn scalar = scalars[code];
    if (loops[scalar].mixed) return loops[scalar].mixed(op, count, args, element, result);
    switch (element_class(args[0].element)) {
    case CLASS_FLOAT: return apply_real(scalar, count, args, element, result);
    case CLASS_BOOL:
    case CLASS_SINT:
    case CLASS_UINT: return apply_int(scalar, count, args, element, result);
    case CLASS_COMPLEX: return apply_complex(scalar, count, args, element, result);
    }
    return false;
}

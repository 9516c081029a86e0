// Pointwise ops on arrays: elements are widened in chunks to carriers, computed, and rounded back.

#include "ir/dialects/traits.h"
#include "ir/dialects/value_classes.h"
#include "ir/scalar/scalar_mixed.h"

#include <math.h>
#include <string.h>

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

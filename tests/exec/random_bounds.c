// random_bounds: element types, what is known of a value's elements, and arguments that fit it.
#include "ir/scalar/scalar.h"
#include "random_program.h"

#include <math.h>
#include <string.h>

// ---- element types

const char *kind_text(ElementType kind) {
    static const char *const texts[] = {
#define TYPE(name, text, class, bits, bytes) [ELEMENT_##name] = (text),
#include "ir/types.def"
    };
    return texts[kind];
}

bool kind_is_complex(ElementType kind) { return element_class(kind) == CLASS_COMPLEX; }
bool kind_is_real(ElementType kind) { return element_class(kind) == CLASS_FLOAT; }
bool kind_is_float(ElementType kind) { return kind_is_complex(kind) || kind_is_real(kind); }
bool kind_is_signed(ElementType kind) { return element_class(kind) == CLASS_SINT; }
bool kind_is_unsigned(ElementType kind) { return element_class(kind) == CLASS_UINT; }

double kind_most(ElementType kind) {
    static const double most[ELEMENT_COUNT] = {
        [ELEMENT_F4E2M1FN] = 6,
        [ELEMENT_F6E2M3FN] = 7.5,
        [ELEMENT_F6E3M2FN] = 28,
        [ELEMENT_F8E3M4] = 15.5,
        [ELEMENT_F8E4M3] = 240,
        [ELEMENT_F8E4M3FN] = 448,
        [ELEMENT_F8E4M3FNUZ] = 240,
        [ELEMENT_F8E4M3B11FNUZ] = 30,
        [ELEMENT_F8E5M2] = 57344,
        [ELEMENT_F8E5M2FNUZ] = 57344,
        [ELEMENT_F8E8M0FNU] = 0x1p127,
        [ELEMENT_BF16] = 0x1.fep127,
        [ELEMENT_F16] = 65504,
        [ELEMENT_F32] = 0x1.fffffep127,
        [ELEMENT_F64] = 0x1.fffffffffffffp1023};
    int bits = element_bits(kind);
    switch (element_class(kind)) {
    case CLASS_BOOL: return 1;
    case CLASS_SINT: return ldexp(1, bits - 1) - (bits < 64);
    case CLASS_UINT: return ldexp(1, bits) - (bits < 64);
    case CLASS_FLOAT:
    case CLASS_COMPLEX: break;
    }
    return most[element_real_part(kind)];
}

double kind_exact(ElementType kind) {
    if (!kind_is_float(kind)) return kind_most(kind);
    if (kind == ELEMENT_F8E8M0FNU) return 0;
    return fmin(
        ldexp(1, element_float_format(element_real_part(kind))->mantissa_bits + 1),
        kind_most(kind));
}

double kind_epsilon(ElementType kind) {
    if (!kind_is_float(kind)) return 0;
    int mantissa = element_float_format(element_real_part(kind))->mantissa_bits;
    return ldexp(kind_is_complex(kind) ? 2 : 1, mantissa >= 10 ? 1 - mantissa : -mantissa);
}

const char *compare_type(ElementType kind) {
    if (kind_is_float(kind)) return "FLOAT";
    return kind_is_signed(kind) ? "SIGNED" : "UNSIGNED";
}

// ---- shapes

int64_t shape_count(const Shape *shape) {
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++) {
        count *= shape->dims[d];
    }
    return count;
}

bool shape_equal(const Shape *a, const Shape *b) {
    if (a->kind != b->kind || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d]) return false;
    }
    return true;
}

// ---- bounds

bool is_anything(const RandomValue *value) { return isinf(value->bounds.bound); }
bool is_exact(const RandomValue *value) { return value->bounds.error == 0; }
bool is_calm(const RandomValue *value) { return !is_anything(value); }
bool has_rank(const RandomValue *value) { return value->shape.rank > 0; }
bool is_number(const RandomValue *value) { return value->shape.kind != ELEMENT_I1; }

bool can_add(const RandomValue *value) {
    return value->shape.kind != ELEMENT_I1 && value->shape.kind != ELEMENT_F8E8M0FNU &&
           (!kind_is_float(value->shape.kind) || is_calm(value));
}

ValueBounds bounds_either(const ValueBounds *a, const ValueBounds *b) {
    return (ValueBounds){
        .bound = fmax(a->bound, b->bound),
        .error = fmax(a->error, b->error),
        .grid = fmin(a->grid, b->grid),
        .loose_zero = a->loose_zero || b->loose_zero,
        .loose_nan = a->loose_nan || b->loose_nan};
}

ValueBounds bounds_rounded(ElementType kind, double bound, double error, double grid) {
    ValueBounds bounds = {.bound = bound, .grid = grid};
    if (!kind_is_float(kind)) return bounds;
    bool fits = grid > 0 && bound / grid <= kind_exact(kind);
    if (!fits) bounds.grid = 0;
    if (error > 0) bounds.error = error + kind_epsilon(kind) * bound;
    if (error == 0 && bound > fmin(1e4, kind_most(kind))) bounds.bound = (double)INFINITY;
    bounds.loose_nan = isinf(bounds.bound);
    return bounds;
}

ValueBounds bounds_summed(
    ElementType kind, double bound, double error, double grid, int64_t count) {
    ValueBounds bounds = {.bound = bound, .grid = grid, .loose_zero = kind_is_float(kind)};
    if (!kind_is_float(kind)) return bounds;
    if (error == 0 && grid > 0 && bound / grid <= kind_exact(kind)) return bounds;
    bounds.grid = 0;
    bounds.error = error + kind_epsilon(kind) * bound * (double)(count < 16 ? count + 1 : 16);
    return bounds;
}

ValueBounds bounds_of_products(
    ElementType kind, const RandomValue *x, const RandomValue *y, double terms) {
    ValueBounds a = x->bounds, b = y->bounds;
    if (kind_is_complex(kind)) terms *= 2;
    if (!kind_is_float(kind)) return (ValueBounds){.bound = kind_exact(kind), .grid = 1};
    return bounds_summed(
        kind, terms * a.bound * b.bound,
        terms * (a.bound * b.error + b.bound * a.error + a.error * b.error), a.grid * b.grid,
        (int64_t)terms);
}

bool bounds_are_good(ElementType kind, const ValueBounds *bounds) {
    if (!kind_is_float(kind)) return bounds->error == 0;
    if (isnan(bounds->error) || isinf(bounds->error)) return false;
    if (bounds->relative > 0) return true;
    if (isinf(bounds->bound)) return bounds->error == 0;
    if (bounds->bound + bounds->error > fmin(1e4, kind_most(kind))) return false;
    return bounds->error <= fmax(0.02, 2.5 * kind_epsilon(kind)) * fmax(bounds->bound, 1);
}

// ---- arguments

static uint64_t mix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Any bits, and often one of the numbers at the borders of the format.
static double any_real(ElementType kind, uint64_t *state) {
    static const double special[] = {
        0.0,      -0.0,    HUGE_VAL,   -HUGE_VAL, (double)NAN, 1,           -1,           0x1p-126,
        0x1p-149, 0x1p-14, 65504,      1e30,      -1e30,       2147483648., -2147483649., 0.5,
        1.5,      2.5,     0.49999997, 127.5,     -128.5,      255.5};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    uint64_t bits = mix(state);
    if (bits % 3 == 0) return special[(bits >> 8) % SPECIAL];
    if (bits % 3 == 1) return ((double)(bits >> 11) * 0x1p-52 - 1) * 10;
    int width = element_bits(kind);
    double number =
        float_decode(element_float_format(kind), mix(state) & (~(uint64_t)0 >> (64 - width)));
    return isnan(number) ? (double)NAN : number; // one NaN
}

static int64_t any_integer(ElementType kind, uint64_t *state) {
    uint64_t bits = mix(state);
    int width = element_bits(kind);
    switch (bits >> 8 & 7) {
    case 0: return INT64_MIN >> (64 - width);
    case 1: return INT64_MAX >> (64 - width);
    case 2: return -1;
    case 3: return 0;
    case 4: return (int64_t)(bits >> 12 & 63);
    default: return (int64_t)mix(state);
    }
}

void random_program_fill(const RandomProgram *program, int number, void *data) {
    const RandomValue *value = &program->values[number];
    const ValueBounds *bounds = &value->bounds;
    uint64_t state = program->seed * 977u + (uint64_t)number * 0x9e3779b97f4a7c15u;
    ElementType kind = value->shape.kind, part = element_real_part(kind);
    int64_t count = shape_count(&value->shape) * (kind_is_complex(kind) ? 2 : 1);
    bool is_unsigned = kind_is_unsigned(kind) || kind == ELEMENT_I1, is_any = is_anything(value);
    if (!kind_is_float(kind) && bounds->bound > 3) is_any = true;
    int64_t most = (int64_t)fmin(floor(bounds->bound), 3);
    for (int64_t i = 0; i < count; i++) {
        char *element = (char *)data + (size_t)i * element_bytes(part);
        if (is_any && !kind_is_float(kind)) {
            int64_t any = any_integer(kind, &state);
            scalar_store_int(kind, &any, 1, element);
            continue;
        }
        uint64_t bits = mix(&state);
        int64_t integer = (int64_t)(bits % (uint64_t)(is_unsigned ? most + 1 : 2 * most + 1)) -
                          (is_unsigned ? 0 : most);
        double real = (double)integer * (bounds->grid > 0 ? bounds->grid : 1);
        if (bounds->grid == 0) real = ((double)(bits >> 11) * 0x1p-52 - 1) * bounds->bound * 0.999;
        if (kind == ELEMENT_F8E8M0FNU) real = fabs(real) < 0.25 ? 0.25 : fabs(real);
        if (is_any) real = any_real(part, &state);
        if (kind_is_float(kind)) {
            scalar_store_real(part, &real, 1, element);
        } else {
            scalar_store_int(kind, &integer, 1, element);
        }
    }
}

// ---- text

const char *shape_text(Arena *arena, const Shape *shape) {
    StrBuf out = strbuf(arena);
    strbuf_puts(&out, "tensor<");
    for (int d = 0; d < shape->rank; d++) {
        strbuf_printf(&out, "%lldx", (long long)shape->dims[d]);
    }
    strbuf_printf(&out, "%s>", kind_text(shape->kind));
    return strbuf_cstring(&out);
}

const char *type_of(const Maker *maker, int value) {
    return shape_text(maker->arena, &value_at(maker, value)->shape);
}

static const char *list(
    Arena *arena, const char *open, const char *close, int count, const int64_t *numbers) {
    StrBuf out = strbuf(arena);
    strbuf_puts(&out, open);
    for (int i = 0; i < count; i++) {
        strbuf_printf(&out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    }
    strbuf_puts(&out, close);
    return strbuf_cstring(&out);
}

const char *text_list(Arena *arena, int count, const int64_t *numbers) {
    return list(arena, "[", "]", count, numbers);
}

const char *array_text(Arena *arena, int count, const int64_t *numbers) {
    return list(arena, count ? "array<i64: " : "array<i64", ">", count, numbers);
}

const char *scalar_text(Arena *arena, ElementType kind, int64_t number) {
    if (kind == ELEMENT_I1) return number ? "true" : "false";
    if (kind_is_complex(kind)) return arena_printf(arena, "(%lld.0, 0.0)", (long long)number);
    if (kind_is_float(kind)) return arena_printf(arena, "%lld.0", (long long)number);
    return arena_printf(arena, "%lld", (long long)number);
}

// The bits of the largest or smallest element; infinite where the format has that.
static const char *extreme_text(Arena *arena, ElementType kind, bool is_low) {
    int bits = element_bits(kind);
    if (kind == ELEMENT_I1) return is_low ? "false" : "true";
    if (kind_is_signed(kind))
        return arena_printf(
            arena, "%lld", (long long)((is_low ? INT64_MIN : INT64_MAX) >> (64 - bits)));
    if (kind_is_unsigned(kind))
        return arena_printf(
            arena, "%llu", is_low ? 0ull : (unsigned long long)(~(uint64_t)0 >> (64 - bits)));
    const FloatFormat *format = element_float_format(kind);
    double number = format->has_infinity ? (double)INFINITY : kind_most(kind);
    if (format->is_unsigned && is_low) number = 0x1p-127;
    uint64_t pattern = float_encode(format, is_low && !format->is_unsigned ? -number : number);
    int digits = (bits + 3) / 4;
    return arena_printf(arena, "0x%0*llX", digits, (unsigned long long)pattern);
}

const char *lowest_text(Arena *arena, ElementType kind) { return extreme_text(arena, kind, true); }
const char *highest_text(Arena *arena, ElementType kind) {
    return extreme_text(arena, kind, false);
}

const char *constant_before(Maker *maker, RandomValue *value, ElementType kind, const char *text) {
    const char *name = new_name(maker);
    value->before = arena_printf(
        maker->arena, "%s    %s = stablehlo.constant dense<%s> : tensor<%s>\n", value->before, name,
        text, kind_text(kind));
    return name;
}

const char *body_text(Maker *maker, const char *op, ElementType kind) {
    const char *k = kind_text(kind);
    return arena_printf(
        maker->arena,
        "({\n    ^bb0(%%l: tensor<%s>, %%r: tensor<%s>):\n      %%s = stablehlo.%s %%l, %%r : "
        "tensor<%s>\n"
        "      stablehlo.return %%s : tensor<%s>\n    })",
        k, k, op, k, k);
}

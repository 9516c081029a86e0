// hlo_literal: what stands in constant(...), as dense elements.
//
// Numbers are written in row-major order inside nested braces: { { 1, 2 }, { 3, 4 } }. Older text
// has the type in front. Floats are decimal, inf, nan or nan(0x7fc1) (the low bits are the
// payload), complex numbers (re, im), predicates true, false, 1 or 0.
#include "frontend/hlo/text/hlo_parser.h"
#include "ir/attr.h"
#include "ir/scalar/scalar.h"

typedef struct LiteralScan {
    HloLexer *lexer;
    ElementType element; // of a number: f32 for complex<f32>
    int part_count;      // numbers in an element: 2 for complex
    const Type *type;
    unsigned char *data;
    int64_t count, limit; // elements read, elements of the type
} LiteralScan;

// A number's text: its sign, digits, letters, and the payload of a nan.
static StrView number_text(HloLexer *lexer) {
    hlo_skip_blanks(lexer);
    const char *p = lexer->at;
    if (p < lexer->end && (*p == '-' || *p == '+')) p++;
    for (; p < lexer->end; p++) {
        bool is_exponent_sign = (*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E');
        bool is_part = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
                       (*p >= 'A' && *p <= 'Z') || *p == '.' || is_exponent_sign;
        if (!is_part) break;
    }
    return (StrView){lexer->at, (size_t)(p - lexer->at)};
}

// nan, -nan, nan(0x1): a quiet nan of the element's format; the payload takes the place of its low
// bits.
static bool read_nan(LiteralScan *scan, bool is_negative, unsigned char *out) {
    const FloatFormat *format = element_float_format(scan->element);
    HloLexer *lexer = scan->lexer;
    if (!format->has_nan) return hlo_error(lexer, "the type has no nan");
    uint64_t bits = float_encode(format, __builtin_nan(""));
    if (is_negative && !format->nan_is_minus_zero && !format->is_unsigned)
        bits |= (uint64_t)1 << (format->bits - 1);
    if (lexer->at < lexer->end && *lexer->at == '(') {
        HloLexer payload;
        uint64_t number = 0;
        if (!hlo_read_raw(lexer, &payload)) return false;
        for (const char *p = payload.at + 3; p + 1 < payload.end; p++) {
            unsigned digit =
                *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : (unsigned)((*p | 32) - 'a') + 10;
            if (digit > 15) return hlo_expected(&payload, "a hexadecimal number");
            number = number << 4 | digit;
        }
        uint64_t mask = ((uint64_t)1 << format->mantissa_bits) - 1;
        if (format->has_infinity && (number & mask)) bits = (bits & ~mask) | (number & mask);
    }
    memcpy(out, &bits, element_bytes(scan->element)); // little-endian, as all targets
    return true;
}

static bool read_float(LiteralScan *scan, unsigned char *out) {
    HloLexer *lexer = scan->lexer;
    HloLexer at = *lexer;
    StrView text = number_text(lexer);
    bool is_negative = text.size > 0 && text.data[0] == '-';
    bool is_signed = text.size > 0 && (is_negative || text.data[0] == '+');
    StrView size = {text.data + is_signed, text.size - is_signed};
    double number;
    lexer->at = text.data + text.size;
    if (strview_is(size, "nan")) return read_nan(scan, is_negative, out);
    if (strview_is(size, "inf")) {
        number = is_negative ? -__builtin_inf() : __builtin_inf();
    } else {
        bool is_number =
            size.size > 0 && (size.data[0] == '.' || (size.data[0] >= '0' && size.data[0] <= '9'));
        for (size_t i = 0; i < size.size; i++)
            is_number = is_number && (size.data[i] | 32) != 'x' && (size.data[i] | 32) != 'p';
        if (!is_number || !strview_to_double(size, &number)) return hlo_expected(&at, "a number");
        if (is_negative) number = -number;
    }
    scalar_store_real(scan->element, &number, 1, out);
    return true;
}

static bool read_integer(LiteralScan *scan, unsigned char *out) {
    HloLexer *lexer = scan->lexer;
    HloLexer at = *lexer;
    StrView text = number_text(lexer);
    bool is_bool = scan->element == ELEMENT_I1;
    int bits = element_bits(scan->element);
    int64_t number = 0;
    uint64_t magnitude = 0;
    bool fits = true;
    if (is_bool && (strview_is(text, "true") || strview_is(text, "false"))) {
        number = strview_is(text, "true");
    } else {
        bool is_negative = text.size > 0 && text.data[0] == '-';
        size_t i = text.size > 0 && (is_negative || text.data[0] == '+');
        if (i == text.size) return hlo_expected(&at, "an integer");
        for (; i < text.size; i++) {
            if (text.data[i] < '0' || text.data[i] > '9') return hlo_expected(&at, "an integer");
            fits = fits && !__builtin_mul_overflow(magnitude, (uint64_t)10, &magnitude) &&
                   !__builtin_add_overflow(magnitude, (uint64_t)(text.data[i] - '0'), &magnitude);
        }
        bool is_sint = element_class(scan->element) == CLASS_SINT;
        uint64_t most = UINT64_MAX >> (64 - (is_sint ? bits - 1 : bits));
        fits = fits && magnitude <= (is_negative ? (is_sint ? most + 1 : 0) : most);
        number = (int64_t)(is_negative ? 0 - magnitude : magnitude);
    }
    if (!fits) return hlo_error(&at, "the number does not fit its type");
    lexer->at = text.data + text.size;
    scalar_store_int(scan->element, &number, 1, out);
    return true;
}

static bool read_number(LiteralScan *scan, unsigned char *out) {
    return element_is_float(scan->element) ? read_float(scan, out) : read_integer(scan, out);
}

static bool read_element(LiteralScan *scan) {
    if (scan->count == scan->limit)
        return hlo_error(
            scan->lexer, "the literal has more elements than its type, which has %lld",
            (long long)scan->limit);
    size_t part = element_bytes(scan->element);
    unsigned char *out = scan->data + (size_t)scan->count++ * part * (size_t)scan->part_count;
    if (scan->part_count == 1) return read_number(scan, out);
    return hlo_expect(scan->lexer, "(") && read_number(scan, out) && hlo_expect(scan->lexer, ",") &&
           read_number(scan, out + part) && hlo_expect(scan->lexer, ")");
}

static bool elided(const HloLexer *lexer) {
    return hlo_error(
        lexer, "the constant's elements were left out when the program was printed: print it with "
               "--xla_dump_large_constants (print_large_constants in as_hlo_text's options), or "
               "give its protobuf (.hlo.pb), which has them");
}

// Elements, with braces around the lists of each dimension; depth: of the braces.
static bool read_elements(LiteralScan *scan) {
    HloLexer *lexer = scan->lexer;
    int depth = 0;
    bool needs_comma = false;
    while (!hlo_at_end(lexer)) {
        if (hlo_accept(lexer, "{")) {
            if (needs_comma) return hlo_expected(lexer, "','");
            if (hlo_looks_at(lexer, "...")) return elided(lexer);
            depth++;
        } else if (hlo_accept(lexer, "}")) {
            if (--depth < 0) return hlo_error(lexer, "'}' without '{'");
            needs_comma = true;
        } else if (needs_comma) {
            if (!hlo_expect(lexer, ",")) return false;
            needs_comma = false;
        } else {
            if (!read_element(scan)) return false;
            needs_comma = true;
        }
    }
    if (depth != 0) return hlo_expected(lexer, "'}'");
    if (scan->count == scan->limit) return true;
    return hlo_error(
        lexer, "the literal has %lld elements, its type has %lld", (long long)scan->count,
        (long long)scan->limit);
}

static const Attr *read_literal(HloLexer *lexer, const Type *type) {
    HloLexer typed = *lexer;
    StrView word = hlo_peek_word(&typed);
    ElementType element;
    HloShape shape;
    if (hlo_element_from_word(word, &element)) { // the type in front
        if (!hlo_read_shape(lexer, &shape)) return NULL;
        if (shape.type != type) {
            (void)hlo_error(&typed, "the literal has another type than the constant");
            return NULL;
        }
    }
    int64_t count = type_element_count(type);
    size_t size = element_bytes(type->element);
    if (count > lexer->end - lexer->at) { // every element takes a character at least
        if (hlo_accept(lexer, "{") && hlo_looks_at(lexer, "..."))
            (void)elided(lexer);
        else
            (void)hlo_error(
                lexer, "the literal has fewer elements than its type, which has %lld",
                (long long)count);
        return NULL;
    }
    LiteralScan scan = {.lexer = lexer, .type = type, .limit = count};
    scan.part_count = element_class(type->element) == CLASS_COMPLEX ? 2 : 1;
    scan.element = element_real_part(type->element);
    scan.data = arena_alloc(lexer->source->arena, (size_t)count * size + 1);
    if (!read_elements(&scan)) return NULL;
    return hlo_elements(lexer->source->context, type, scan.data);
}

// The literals of a tuple's parts: (1, {2, 3}).
static bool read_parts(HloLexer *lexer, const Type *type, const Attr ***next) {
    if (type->kind == TYPE_TENSOR) return (*(*next)++ = read_literal(lexer, type)) != NULL;
    if (type->kind != TYPE_TUPLE) return hlo_error(lexer, "a token cannot be a constant");
    if (!hlo_expect(lexer, "(")) return false;
    for (int i = 0; i < type->part_count; i++) {
        HloLexer part;
        if (i > 0 && !hlo_expect(lexer, ",")) return false;
        if (!hlo_read_raw(lexer, &part) || !read_parts(&part, type->parts[i], next)) return false;
    }
    return hlo_expect(lexer, ")");
}

bool hlo_read_literals(HloLexer *lexer, const Type *type, const Attr ***literals) {
    const Attr **next =
        ARENA_ARRAY(lexer->source->arena, const Attr *, (int64_t)hlo_leaf_count(type) + 1);
    *literals = next;
    return read_parts(lexer, type, &next);
}

// mlir_dense_reader: dense<...> constants. The type behind them is read first, then the
// numbers go straight into storage.
#include "base/checked.h"
#include "frontend/mlir/syntax/mlir_reader.h"

#include <stdlib.h>

static const Attr *dense_failed(bool ignored) {
    (void)ignored;
    return NULL;
}

// One pass over the numbers between the brackets.
typedef struct DenseScan {
    Reader *reader;
    const Type *type;
    ElementType element; // what a literal is: f32 for complex<f32>
    const FloatFormat *format;
    int part_count; // 2 for complex
    size_t part_bytes;
    int64_t count;       // elements read
    int64_t limit;       // elements of the type
    unsigned char *data; // of the reader's buffer
    int64_t shape[MAX_RANK];
    int rank; // of the nested lists; -1 = not known yet
} DenseScan;

// Memory for the bytes of a constant: of a large one in the context, where it stays without another
// copy.
static unsigned char *constant_room(Reader *reader, size_t size) {
    return arena_alloc(size < ATTR_OWN_BYTES ? reader->scratch : reader->context->arena, size + 1);
}

static const Attr *constant_of(
    Reader *reader, const Type *type, bool is_splat, const unsigned char *data, size_t size) {
    return (size < ATTR_OWN_BYTES ? attr_elements : attr_elements_of)(
        reader->context, type, is_splat, data, size);
}

static void give_back_constant(Reader *reader, unsigned char *data, size_t size) {
    if (size >= ATTR_OWN_BYTES) arena_give_back(reader->context->arena, data, size + 1);
}

// Room for `size` bytes in the reader's buffer, what is in it kept.
static void reserve(Reader *reader, size_t size) {
    if (size <= reader->dense_capacity) return;
    size_t capacity = reader->dense_capacity ? reader->dense_capacity : 4096;
    while (capacity < size)
        capacity = capacity > SIZE_MAX / 2 ? size : capacity * 2;
    reader->dense_buffer =
        arena_regrow(reader->scratch, reader->dense_buffer, reader->dense_capacity, capacity);
    reader->dense_capacity = capacity;
}

// Finds the > that closes `dense<`; moves the lexer behind it.
static bool skip_to_angle(Reader *reader) {
    Lexer *lexer = &reader->lexer;
    bool in_string = false;
    for (; lexer->at < lexer->end; lexer->at++) {
        char c = *lexer->at;
        if (c == '"') in_string = !in_string;
        if (c == '\n') {
            lexer->line++;
            lexer->line_start = lexer->at + 1;
        }
        if (c == '>' && !in_string) {
            lexer->at++;
            reader_advance(reader);
            return true;
        }
    }
    return false;
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Decimal text to the nearest double. Up to 19 digits whose value is below 2^53 and powers of ten
// up to 22 are exact, so that one multiplication or division rounds once (Clinger's fast path);
// everything else goes to strview_to_double.
static bool decimal_to_double(StrView text, double *number) {
    uint64_t mantissa = 0;
    int digits = 0;
    int exponent = 0;
    size_t i = 0;
    bool fraction = false;
    for (; i < text.size; i++) {
        char c = text.data[i];
        if (c == '.') {
            fraction = true;
        } else if (c >= '0' && c <= '9') {
            mantissa = mantissa * 10 + (uint64_t)(c - '0');
            if (mantissa > 0) digits++;
            if (fraction) exponent--;
            if (digits > 18) return strview_to_double(text, number);
        } else {
            break;
        }
    }
    if (i < text.size) { // e+NN
        int64_t written;
        StrView tail = {text.data + i + 1, text.size - i - 1};
        if (tail.size > 0 && tail.data[0] == '+') tail = (StrView){tail.data + 1, tail.size - 1};
        if (!strview_to_int64(tail, &written) || written < -400 || written > 400)
            return strview_to_double(text, number);
        exponent += (int)written;
    }
    if (mantissa >> 53 || exponent < -22 || exponent > 22) return strview_to_double(text, number);
    *number = exponent < 0 ? (double)mantissa / powers_of_ten[-exponent]
                           : (double)mantissa * powers_of_ten[exponent];
    return true;
}

static void store_bits(unsigned char *out, uint64_t bits, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(bits >> (8 * i));
}

static uint64_t float_bits(const DenseScan *scan, double number) {
    if (scan->element == ELEMENT_F64) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    if (scan->element == ELEMENT_F32) {
        float narrow = (float)number;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    return float_encode(scan->format, number);
}

// One literal: a number with its sign, true or false.
static bool read_literal(DenseScan *scan, unsigned char *out) {
    Reader *reader = scan->reader;
    Token at = reader->token;
    if (at_word(reader, "true") || at_word(reader, "false")) {
        if (element_class(scan->element) != CLASS_BOOL) {
            return reader_error_at(reader, &at, "expected i1 type for 'true' or 'false' values");
        }
        out[0] = at_word(reader, "true");
        reader_advance(reader);
        return true;
    }
    bool negative = accept_punctuation(reader, '-');
    StrView text = reader->token.text;
    bool is_integer = reader->token.kind == TOKEN_INTEGER;
    if (!is_integer && reader->token.kind != TOKEN_FLOAT) {
        return reader_expected(reader, "element literal of primitive type");
    }
    bool is_hex = text.size > 2 && text.data[0] == '0' && text.data[1] == 'x';
    int bits = element_bits(scan->element);
    if (scan->format) {
        uint64_t pattern;
        double number;
        if (is_integer && !is_hex) {
            return reader_error_at(
                reader, &at, "expected floating point elements, but parsed integer");
        }
        if (is_hex) {
            bool fits = token_to_uint64(text, &pattern) && !negative &&
                        (bits == 64 || pattern < (uint64_t)1 << bits);
            if (!fits)
                return reader_error_at(
                    reader, &at, "hexadecimal float constant out of range for type");
        } else {
            if (!decimal_to_double(text, &number))
                return reader_error_at(reader, &at, "floating point value too large");
            pattern = float_bits(scan, negative ? -number : number);
        }
        store_bits(out, pattern, scan->part_bytes);
        reader_advance(reader);
        return true;
    }
    uint64_t magnitude;
    if (!is_integer)
        return reader_error_at(reader, &at, "expected integer elements, but parsed floating-point");
    bool is_unsigned = element_class(scan->element) == CLASS_UINT;
    bool fits = token_to_uint64(text, &magnitude);
    if (fits && negative)
        fits = (!is_unsigned || magnitude == 0) && magnitude <= (uint64_t)1 << (bits - 1);
    if (fits && !negative && bits < 64) fits = magnitude < (uint64_t)1 << bits;
    if (!fits) return reader_error_at(reader, &at, "integer constant out of range for type");
    uint64_t number = negative ? 0 - magnitude : magnitude;
    if (bits < 64 && element_class(scan->element) == CLASS_SINT && number >> (bits - 1))
        number |= ~(uint64_t)0 << bits;
    if (element_class(scan->element) == CLASS_BOOL) number &= 1;
    store_bits(out, number, scan->part_bytes);
    reader_advance(reader);
    return true;
}

static bool read_dense_element(DenseScan *scan) {
    Reader *reader = scan->reader;
    if (scan->count == scan->limit && scan->count > 0) {
        return reader_error_at(
            reader, &reader->token, "the constant has more elements than its type");
    }
    size_t bytes = scan->part_bytes * (size_t)scan->part_count;
    reserve(reader, bytes * (size_t)(scan->count + 1));
    unsigned char *out = reader->dense_buffer + bytes * (size_t)scan->count;
    scan->count++;
    if (scan->part_count == 1) return read_literal(scan, out);
    return expect_punctuation(reader, '(') && read_literal(scan, out) &&
           expect_punctuation(reader, ',') && read_literal(scan, out + scan->part_bytes) &&
           expect_punctuation(reader, ')');
}

// [a, b, ...] at `depth`; notes the shape on the way down and compares it afterwards.
static bool read_dense_list(DenseScan *scan, int depth) {
    Reader *reader = scan->reader;
    Token at = reader->token;
    if (depth >= MAX_RANK)
        return reader_error_at(reader, &at, "nested lists are deeper than %d levels", MAX_RANK);
    reader_advance(reader);
    int64_t size = 0;
    while (!at_punctuation(reader, ']')) {
        bool is_list = at_punctuation(reader, '[');
        if (scan->rank >= 0 && is_list != (depth + 1 < scan->rank)) {
            return reader_error_at(
                reader, &reader->token,
                "tensor literal is invalid; ranks are not consistent between elements");
        }
        if (!is_list && scan->rank < 0) scan->rank = depth + 1;
        if (!(is_list ? read_dense_list(scan, depth + 1) : read_dense_element(scan))) return false;
        size++;
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return false;
    if (scan->rank < 0) scan->rank = depth + 1;
    if (scan->shape[depth] < 0) scan->shape[depth] = size;
    if (scan->shape[depth] != size) {
        return reader_error_at(
            reader, &at, "tensor literal is invalid; ranks are not consistent between elements");
    }
    return true;
}

// Does the shape of the lists agree with the type's?
static bool check_shape(DenseScan *scan, const Token *at) {
    const Type *type = scan->type;
    bool same = scan->rank == type->rank;
    for (int d = 0; d < type->rank && same; d++)
        same = scan->shape[d] == type->dims[d];
    if (same) return true;
    StrBuf lists = strbuf(scan->reader->scratch);
    for (int d = 0; d < scan->rank; d++) {
        strbuf_printf(
            &lists, "%s%lld", d ? ", " : "", (long long)(scan->shape[d] < 0 ? 0 : scan->shape[d]));
    }
    StrBuf dims = strbuf(scan->reader->scratch);
    for (int d = 0; d < type->rank; d++)
        strbuf_printf(&dims, "%s%lld", d ? ", " : "", (long long)type->dims[d]);
    return reader_error_at(
        scan->reader, at, "inferred shape of elements literal ([%s]) does not match type ([%s])",
        strbuf_cstring(&lists), strbuf_cstring(&dims));
}

// Two digits per byte; false when one is none. Without a branch per digit: constants are large.
static bool decode_hex(const char *text, size_t size, unsigned char *out) {
    unsigned char digits[256];
    memset(digits, 0xFF, sizeof digits);
    for (int i = 0; i < 10; i++)
        digits['0' + i] = (unsigned char)i;
    for (int i = 10; i < 16; i++)
        digits['a' + i - 10] = digits['A' + i - 10] = (unsigned char)i;
    unsigned char wrong = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char high = digits[(unsigned char)text[2 * i]];
        unsigned char low = digits[(unsigned char)text[2 * i + 1]];
        wrong |= high | low;
        out[i] = (unsigned char)(high << 4 | (low & 15));
    }
    return (wrong & 0xF0) == 0;
}

// Bits packed into bytes (how older versions of MLIR write i1 data) to one byte each.
static void unpack_bits(const unsigned char *packed, int64_t count, unsigned char *out) {
    for (int64_t i = 0; i < count; i++)
        out[i] = (packed[i / 8] >> (i % 8)) & 1;
}

// A whole byte holds one element of a narrow type; bits beyond the type must be zero or its sign.
static bool normalise_narrow(unsigned char *data, int64_t count, ElementType element) {
    int bits = element_bits(element);
    bool is_signed = element_class(element) == CLASS_SINT;
    unsigned mask = (1u << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        unsigned low = data[i] & mask;
        unsigned extended = is_signed && low >> (bits - 1) ? low | (0xFFu & ~mask) : low;
        if (data[i] != low && data[i] != extended) return false;
        data[i] = (unsigned char)extended;
    }
    return true;
}

const Attr *dense_from_bytes(
    Reader *reader, const Token *at, StrView bytes, const Type *type, bool is_packed) {
    int64_t count = type_element_count(type);
    size_t element = element_bytes(type->element);
    bool is_bool = element_class(type->element) == CLASS_BOOL;
    uint64_t expected = (uint64_t)count * element;
    bool fits_packed = is_bool && bytes.size == ((uint64_t)count + 7) / 8;
    bool is_uniform = bytes.size == 1 && (bytes.data[0] == 0 || bytes.data[0] == (char)0xFF);
    bool splat = bytes.size == element && count != 1 && (!is_packed || !fits_packed || is_uniform);
    is_packed = fits_packed && !splat && (is_packed || bytes.size != expected);
    if (bytes.size != expected && !splat && !is_packed) {
        return dense_failed(reader_error_at(
            reader, at,
            "elements hex data size is invalid for provided type: %zu bytes, expected %llu",
            bytes.size, (unsigned long long)expected));
    }
    int64_t stored = splat ? 1 : count;
    size_t size = (size_t)stored * element;
    if (!is_bool && element_bits(type->element) >= 8)
        return attr_elements(reader->context, type, splat, bytes.data, size);
    unsigned char *data = constant_room(reader, size);
    if (is_packed) {
        unpack_bits((const unsigned char *)bytes.data, stored, data);
    } else if (size > 0) {
        memcpy(data, bytes.data, size);
    }
    for (int64_t i = 0; i < stored && is_bool; i++)
        data[i] = data[i] != 0;
    if (!is_bool && !normalise_narrow(data, stored, type->element)) {
        give_back_constant(reader, data, size);
        return dense_failed(reader_error_at(
            reader, at, "elements hex data holds a number that is out of range for its type"));
    }
    return constant_of(reader, type, splat, data, size);
}

const Attr *dense_from_hex(Reader *reader, const Token *at, StrView hex, const Type *type) {
    bool ok = hex.size >= 2 && hex.data[0] == '0' && (hex.data[1] == 'x' || hex.data[1] == 'X') &&
              hex.size % 2 == 0;
    if (!ok)
        return dense_failed(reader_error_at(
            reader, at,
            "elements hex string should start with '0x' and have an even number of digits"));
    size_t size = hex.size / 2 - 1;
    unsigned char *data = constant_room(reader, size);
    if (!decode_hex(hex.data + 2, size, data)) {
        give_back_constant(reader, data, size);
        return dense_failed(
            reader_error_at(reader, at, "elements hex string only contains hex digits"));
    }
    bool is_whole = size >= ATTR_OWN_BYTES && element_bits(type->element) >= 8 &&
                    (uint64_t)type_element_count(type) * element_bytes(type->element) == size;
    if (is_whole) return attr_elements_of(reader->context, type, false, data, size);
    const Attr *attr =
        dense_from_bytes(reader, at, (StrView){(const char *)data, size}, type, false);
    give_back_constant(reader, data, size);
    return attr;
}

// What stands in the brackets; the current token is the first of it.
static const Attr *read_dense_data(Reader *reader, const Type *type, const Token *at) {
    if (reader->token.kind == TOKEN_STRING) {
        StrView quoted = reader->token.text;
        return dense_from_hex(reader, at, (StrView){quoted.data + 1, quoted.size - 2}, type);
    }
    DenseScan scan = {.reader = reader, .type = type, .rank = -1, .part_count = 1};
    bool is_complex = element_class(type->element) == CLASS_COMPLEX;
    scan.element = is_complex ? element_real_part(type->element) : type->element;
    scan.format = element_float_format(scan.element);
    scan.part_count = is_complex ? 2 : 1;
    scan.part_bytes = element_bytes(scan.element);
    scan.limit = type_element_count(type);
    for (int d = 0; d < MAX_RANK; d++)
        scan.shape[d] = -1;
    size_t bytes = element_bytes(type->element);
    if (at_punctuation(reader, '>')) { // dense<>
        if (scan.limit != 0) {
            return dense_failed(
                reader_error_at(reader, at, "expected zero elements in type of an empty constant"));
        }
        return attr_elements(reader->context, type, false, "", 0);
    }
    if (at_punctuation(reader, '[')) {
        // Every element takes a digit and a separator at least, so the text bounds
        // what a wrong type could ask for.
        int64_t room = (reader->lexer.end - reader->lexer.at) / 2 + 1;
        reserve(reader, bytes * (size_t)(scan.limit < room ? scan.limit : room));
        if (!read_dense_list(&scan, 0) || !check_shape(&scan, at)) return NULL;
        return attr_elements(
            reader->context, type, false, scan.count ? reader->dense_buffer : (const void *)"",
            bytes * (size_t)scan.count);
    }
    if (!read_dense_element(&scan)) return NULL;
    return attr_elements(reader->context, type, true, reader->dense_buffer, bytes);
}

// ": type" of a constant: a static tensor.
static const Type *read_dense_type(Reader *reader) {
    if (!expect_punctuation(reader, ':')) return NULL;
    Token at = reader->token;
    const Type *type = read_type(reader);
    if (!type) return NULL;
    if (type->kind != TYPE_TENSOR) {
        (void)reader_error_at(reader, &at, "elements literal must be a shaped type");
        return NULL;
    }
    if (!type_is_static(type)) {
        (void)reader_error_at(reader, &at, "elements literal type must have static shape");
        return NULL;
    }
    return type;
}

const Attr *read_dense(Reader *reader) {
    Token at = reader->token;
    reader_advance(reader);
    if (!at_punctuation(reader, '<'))
        return dense_failed(reader_expected(reader, "'<' after 'dense'"));
    Lexer data_lexer = reader->lexer;
    if (!skip_to_angle(reader))
        return dense_failed(reader_error_at(reader, &at, "dense<...> is never closed"));
    const Type *type = read_dense_type(reader);
    if (!type) return NULL;
    Lexer after_lexer = reader->lexer;
    Token after = reader->token;
    reader->lexer = data_lexer;
    reader_advance(reader);
    const Attr *attr = read_dense_data(reader, type, &at);
    if (!attr) return NULL;
    if (reader->token.kind == TOKEN_STRING) reader_advance(reader);
    if (!at_punctuation(reader, '>')) return dense_failed(reader_expected(reader, "'>'"));
    reader->lexer = after_lexer;
    reader->token = after;
    return attr;
}

// The section {-# dialect_resources: { builtin: { name: "0x..." } } #-} at the end of
// the text: names and hex texts.
static void find_resources(Reader *reader) {
    reader->resources_read = true;
    const char *begin = NULL;
    for (const char *p = reader->lexer.at; reader->lexer.end - p >= 3;) {
        p = memchr(p, '{', (size_t)(reader->lexer.end - p));
        if (!p || reader->lexer.end - p < 3) break;
        if (p[1] == '-' && p[2] == '#') begin = p;
        p++;
    }
    if (!begin) return;
    Lexer lexer = {begin, reader->lexer.end, begin, 1};
    Token before = {0};
    Token colon = {0};
    for (Token token = lexer_next(&lexer); token.kind != TOKEN_END; token = lexer_next(&lexer)) {
        bool is_pair = token.kind == TOKEN_STRING && colon.kind == TOKEN_PUNCTUATION &&
                       colon.punctuation == ':' &&
                       (before.kind == TOKEN_WORD || before.kind == TOKEN_STRING);
        if (is_pair) {
            StrView name = before.kind == TOKEN_WORD
                               ? before.text
                               : (StrView){before.text.data + 1, before.text.size - 2};
            StrView *text = ARENA_NEW(reader->scratch, StrView);
            *text = (StrView){token.text.data + 1, token.text.size - 2};
            str_map_set(&reader->resources, name, text);
        }
        before = colon;
        colon = token;
    }
}

// dense_resource<name> : type. The blob begins with its alignment in four bytes.
const Attr *read_dense_resource(Reader *reader) {
    reader_advance(reader);
    if (!expect_punctuation(reader, '<')) return NULL;
    Token at = reader->token;
    StrView name = at.text;
    if (at.kind == TOKEN_STRING) name = (StrView){name.data + 1, name.size - 2};
    if (at.kind != TOKEN_WORD && at.kind != TOKEN_STRING)
        return dense_failed(reader_expected(reader, "resource name"));
    reader_advance(reader);
    if (!expect_punctuation(reader, '>')) return NULL;
    const Type *type = read_dense_type(reader);
    if (!type) return NULL;
    if (!reader->resources_read) find_resources(reader);
    const StrView *hex = str_map_get(&reader->resources, name);
    if (!hex) {
        return dense_failed(reader_error_at(
            reader, &at, "the text has no resource '%.*s': its numbers were left out",
            SV_ARG(name)));
    }
    if (hex->size < 10)
        return dense_failed(
            reader_error_at(reader, &at, "resource '%.*s' is too short", SV_ARG(name)));
    StrBuf text = strbuf(reader->scratch);
    strbuf_puts(&text, "0x");
    strbuf_append(&text, (StrView){hex->data + 10, hex->size - 10});
    return dense_from_hex(reader, &at, strbuf_view(&text), type);
}

// mlir_attr_reader: builtin attributes, dictionaries, and what comes before a dialect's own
// attributes.
#include "frontend/mlir/syntax/mlir_reader.h"

static const Attr *attr_failed(bool ignored) {
    (void)ignored;
    return NULL;
}

// Does the number fit? Signless types take both the signed and the unsigned reading.
static bool int_fits(ElementType element, bool negative, uint64_t magnitude) {
    int bits = element_bits(element);
    bool is_unsigned = element_class(element) == CLASS_UINT;
    if (negative && magnitude == 0) return true;
    if (negative) return !is_unsigned && magnitude <= (uint64_t)1 << (bits - 1);
    return bits == 64 || magnitude < (uint64_t)1 << bits;
}

// The number with the bits of `magnitude`, as the type stores it: sign-extended
// unless it is unsigned or a bool.
static int64_t int_as(ElementType element, bool negative, uint64_t magnitude) {
    int bits = element_bits(element);
    uint64_t number = negative ? 0 - magnitude : magnitude;
    if (bits == 64) return (int64_t)number;
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    number &= mask;
    bool is_signed = element_class(element) == CLASS_SINT;
    if (is_signed && (number >> (bits - 1)) != 0) number |= ~mask;
    return (int64_t)number;
}

// A hexadecimal integer as the bits of a float.
static const Attr *float_from_bits(Reader *reader, const Token *at, ElementType element) {
    uint64_t bits;
    const FloatFormat *format = element_float_format(element);
    bool fits = token_to_uint64(at->text, &bits) && format &&
                (format->bits == 64 || bits < (uint64_t)1 << format->bits);
    if (!fits)
        return attr_failed(
            reader_error_at(reader, at, "hexadecimal float constant out of range for type"));
    return attr_float(reader->context, float_decode(format, bits), element);
}

// The number at the token (its sign is consumed) as an element of a scalar type.
static const Attr *number_attr(Reader *reader, bool negative, ElementType element) {
    Token at = reader->token;
    bool is_hex = at.text.size > 2 && at.text.data[0] == '0' && at.text.data[1] == 'x';
    if (element_is_float(element)) {
        if (at.kind == TOKEN_INTEGER && is_hex && !negative) {
            reader_advance(reader);
            return float_from_bits(reader, &at, element);
        }
        if (at.kind != TOKEN_FLOAT) {
            return attr_failed(reader_error_at(
                reader, &at, "unexpected decimal integer literal for a floating point value"));
        }
        double number;
        if (!read_double(reader, &number)) return NULL;
        return attr_float(reader->context, negative ? -number : number, element);
    }
    uint64_t magnitude;
    if (at.kind != TOKEN_INTEGER || element_class(element) == CLASS_COMPLEX) {
        return attr_failed(
            reader_error_at(reader, &at, "floating point value not valid for specified type"));
    }
    if (!token_to_uint64(at.text, &magnitude) || !int_fits(element, negative, magnitude)) {
        return attr_failed(
            reader_error_at(reader, &at, "integer constant out of range for attribute"));
    }
    reader_advance(reader);
    int64_t value = int_as(element, negative, magnitude);
    if (element == ELEMENT_I1) return attr_bool(reader->context, value != 0); // as `true`
    return attr_int(reader->context, value, element);
}

const Attr *read_attr_of_type(Reader *reader, ElementType element) {
    if (element == ELEMENT_I1 && (at_word(reader, "true") || at_word(reader, "false"))) {
        bool value = at_word(reader, "true");
        reader_advance(reader);
        return attr_bool(reader->context, value);
    }
    bool negative = accept_punctuation(reader, '-');
    if (reader->token.kind != TOKEN_INTEGER && reader->token.kind != TOKEN_FLOAT) {
        return attr_failed(reader_expected(
            reader, element_is_float(element) ? "floating point literal" : "integer value"));
    }
    return number_attr(reader, negative, element);
}

// 1 : i32, 1.0 : f64, 7 (i64), 1.0 (f64)
static const Attr *read_number(Reader *reader) {
    bool negative = accept_punctuation(reader, '-');
    if (reader->token.kind != TOKEN_INTEGER && reader->token.kind != TOKEN_FLOAT) {
        return attr_failed(reader_expected(reader, "constant integer or floating point value"));
    }
    Lexer number_lexer = reader->lexer;
    Token number = reader->token;
    ElementType element = number.kind == TOKEN_FLOAT ? ELEMENT_F64 : ELEMENT_I64;
    reader_advance(reader);
    if (!at_punctuation(reader, ':')) {
        reader->lexer = number_lexer;
        reader->token = number;
        return number_attr(reader, negative, element);
    }
    reader_advance(reader);
    Token type_token = reader->token;
    const Type *type = read_type(reader);
    if (!type) return NULL;
    if (type->kind != TYPE_ELEMENT) {
        return attr_failed(reader_error_at(
            reader, &type_token,
            number.kind == TOKEN_FLOAT ? "floating point value not valid for specified type"
                                       : "integer literal not valid for specified type"));
    }
    Lexer after_lexer = reader->lexer;
    Token after = reader->token;
    reader->lexer = number_lexer;
    reader->token = number;
    const Attr *attr = number_attr(reader, negative, type->element);
    reader->lexer = after_lexer;
    reader->token = after;
    return attr;
}

static const Attr *read_array_attr(Reader *reader) {
    int64_t base = reader->attr_items.count;
    reader_advance(reader);
    while (!at_punctuation(reader, ']')) {
        const Attr *item = read_attr(reader);
        if (!item) return NULL;
        vec_push(reader->scratch, &reader->attr_items, item);
        if (!accept_punctuation(reader, ',')) break;
        if (at_punctuation(reader, ']'))
            return attr_failed(reader_expected(reader, "attribute value"));
    }
    if (!expect_punctuation(reader, ']')) return NULL;
    const Attr *attr = attr_array(
        reader->context, (int)(reader->attr_items.count - base),
        reader->attr_items.data ? reader->attr_items.data + base : NULL);
    reader->attr_items.count = base;
    return attr;
}

bool read_attr_dict(Reader *reader) {
    if (!expect_punctuation(reader, '{')) return false;
    if (accept_punctuation(reader, '}')) return true;
    int64_t base = reader->attrs.count;
    do {
        Token at = reader->token;
        StrView name;
        if (at.kind == TOKEN_STRING) {
            name = string_unescape(reader, at.text);
        } else if (at.kind == TOKEN_WORD) {
            name = context_name(reader->context, at.text);
        } else {
            return reader_expected(reader, "attribute name");
        }
        if (name.size == 0) return reader_expected(reader, "valid attribute name");
        for (int64_t i = base; i < reader->attrs.count; i++) {
            if (reader->attrs.data[i].name.data == name.data) {
                return reader_error_at(
                    reader, &at, "duplicate key '%.*s' in dictionary attribute", SV_ARG(name));
            }
        }
        reader_advance(reader);
        const Attr *value = NULL;
        if (accept_punctuation(reader, '=')) {
            value = read_attr(reader);
            if (!value) return false;
        } else {
            value = attr_unit(reader->context);
        }
        ReadAttr attr = {name, value, at};
        vec_push(reader->scratch, &reader->attrs, attr);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, '}');
}

const Attr *read_dict_attr(Reader *reader) {
    int64_t base = reader->attrs.count;
    if (!read_attr_dict(reader)) return NULL;
    int count = (int)(reader->attrs.count - base);
    StrView *names = ARENA_ARRAY(reader->scratch, StrView, count);
    const Attr **items = ARENA_ARRAY(reader->scratch, const Attr *, count);
    for (int i = 0; i < count; i++) {
        names[i] = reader->attrs.data[base + i].name;
        items[i] = reader->attrs.data[base + i].value;
    }
    reader->attrs.count = base;
    return attr_dict(reader->context, count, names, items);
}

static const Attr *opaque_attr(Reader *reader, StrView head, StrView body) {
    StrBuf text = strbuf(reader->scratch);
    strbuf_append(&text, head);
    strbuf_append(&text, body);
    Attr attr = {.kind = ATTR_OPAQUE, .text = strbuf_view(&text)};
    return attr_intern(reader->context, &attr);
}

// array<i64: 1, 2>, array<i1: true, false>; arrays of floats are kept as text.
static const Attr *read_array_of(Reader *reader) {
    Token start = reader->token;
    reader_advance(reader);
    Token angle = reader->token;
    Lexer angle_lexer = reader->lexer;
    ElementType element;
    if (!expect_punctuation(reader, '<')) return NULL;
    if (reader->token.kind != TOKEN_WORD || !element_from_word(reader->token.text, &element)) {
        return attr_failed(reader_expected(reader, "element type of an array attribute"));
    }
    if (element_is_float(element)) {
        reader->token = angle;
        reader->lexer = angle_lexer;
        StrView body;
        return read_balanced(reader, &body) ? opaque_attr(reader, start.text, body) : NULL;
    }
    reader_advance(reader);
    int64_t base = reader->ints.count;
    if (accept_punctuation(reader, ':')) {
        do {
            const Attr *item = read_attr_of_type(reader, element);
            if (!item) return NULL;
            vec_push(reader->scratch, &reader->ints, item->integer);
        } while (accept_punctuation(reader, ','));
    }
    if (!expect_punctuation(reader, '>')) return NULL;
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    if (element == ELEMENT_I64) return attr_ints(reader->context, ints.count, ints.data);
    if (element == ELEMENT_I1) return attr_bools(reader->context, ints.count, ints.data);
    Attr attr = {
        .kind = ATTR_INTS,
        .type = type_element(reader->context, element),
        .count = ints.count,
        .ints = ints.data};
    return attr_intern(reader->context, &attr);
}

// @a, @a::@b
static const Attr *read_symbol_attr(Reader *reader) {
    StrView name;
    if (!read_symbol(reader, &name)) return NULL;
    if (reader->token.kind != TOKEN_COLON_COLON) return attr_symbol(reader->context, name);
    StrBuf text = strbuf(reader->scratch);
    strbuf_append(&text, name);
    while (reader->token.kind == TOKEN_COLON_COLON) {
        reader_advance(reader);
        if (!read_symbol(reader, &name)) return NULL;
        strbuf_puts(&text, "::@");
        strbuf_append(&text, name);
    }
    return attr_symbol(reader->context, strbuf_view(&text));
}

// #alias, #dialect.name<...>, #dialect<name ...>
static const Attr *read_hash_attr(Reader *reader) {
    Token token = reader->token;
    const Alias *alias = str_map_get(&reader->aliases, token.text);
    if (alias && alias->attr) {
        reader->weight += alias->weight;
        reader_advance(reader);
        return alias->attr;
    }
    const char *dot = memchr(token.text.data, '.', token.text.size);
    size_t dialect_size = dot ? (size_t)(dot - token.text.data) : token.text.size;
    StrView dialect = {token.text.data + 1, dialect_size - 1};
    StrView name = {"", 0};
    bool is_stablehlo = strview_is(dialect, "stablehlo");
    bool is_chlo = strview_is(dialect, "chlo");
    bool is_sdy = strview_is(dialect, "sdy");
    if (strview_is(dialect, "mesh")) dialect = SV("shard"); // its older name
    bool is_source = !dot && (strview_is(dialect, "shard") || strview_is(dialect, "arith"));
    reader_advance(reader);
    if (dot) {
        name = (StrView){dot + 1, token.text.size - dialect_size - 1};
    } else if (!at_punctuation(reader, '<')) {
        return attr_failed(
            reader_error_at(reader, &token, "undefined symbol alias id '%.*s'", SV_ARG(dialect)));
    } else if (is_stablehlo || is_chlo || is_sdy || is_source) {
        reader_advance(reader);
        if (reader->token.kind != TOKEN_WORD)
            return attr_failed(reader_expected(reader, "attribute name"));
        name = reader->token.text;
        reader_advance(reader);
    }
    if (is_stablehlo || is_chlo || is_sdy) {
        const Attr *attr = is_sdy ? reader->grammar->sdy_attr(reader, name)
                                  : reader->grammar->stablehlo_attr(reader, name, is_chlo);
        if (!attr) return NULL;
        return dot || expect_punctuation(reader, '>') ? attr : NULL;
    }
    if (is_source) {
        const Attr *attr = reader->grammar->source_attr(reader, dialect, name);
        return attr && expect_punctuation(reader, '>') ? attr : NULL;
    }
    if (dot && strview_is(dialect, "mpi") && accept_punctuation(reader, '<')) {
        const Attr *attr = reader->grammar->source_attr(reader, dialect, name);
        return attr && expect_punctuation(reader, '>') ? attr : NULL;
    }
    StrView body = {"", 0};
    if (at_punctuation(reader, '<') && !read_balanced(reader, &body)) return NULL;
    return opaque_attr(reader, token.text, body);
}

// affine_map<...>, strided<...>, loc(...) and the like: kept as text.
static const Attr *read_opaque_attr(Reader *reader) {
    StrView head = reader->token.text;
    reader_advance(reader);
    StrView body = {"", 0};
    if ((at_punctuation(reader, '<') || at_punctuation(reader, '(')) &&
        !read_balanced(reader, &body))
        return NULL;
    return opaque_attr(reader, head, body);
}

static bool is_opaque_word(StrView word) {
    static const char *const words[] = {"affine_map", "affine_set", "distinct",
                                        "strided",    "opaque",     "loc"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strview_is(word, words[i])) return true;
    }
    return false;
}

static const Attr *read_word_attr(Reader *reader) {
    StrView word = reader->token.text;
    bool is_true = strview_is(word, "true");
    if (is_true || strview_is(word, "false")) {
        reader_advance(reader);
        return attr_bool(reader->context, is_true);
    }
    if (accept_word(reader, "unit")) return attr_unit(reader->context);
    if (strview_is(word, "dense")) return read_dense(reader);
    if (strview_is(word, "dense_resource")) return read_dense_resource(reader);
    if (strview_is(word, "array")) return read_array_of(reader);
    if (strview_is(word, "sparse")) {
        return attr_failed(
            reader_unsupported(reader, &reader->token, "sparse<...> constants are not supported"));
    }
    if (is_opaque_word(word)) return read_opaque_attr(reader);
    ElementType ignored;
    bool is_type = element_from_word(word, &ignored) || strview_is(word, "tensor") ||
                   strview_is(word, "tuple") || strview_is(word, "none") ||
                   strview_is(word, "complex") || strview_is(word, "memref") ||
                   strview_is(word, "vector") || strview_is(word, "tf32");
    if (!is_type) return attr_failed(reader_expected(reader, "attribute value"));
    const Type *type = read_type(reader);
    return type ? attr_type(reader->context, type) : NULL;
}

static const Attr *read_attr_inner(Reader *reader) {
    switch (reader->token.kind) {
    case TOKEN_WORD: return read_word_attr(reader);
    case TOKEN_HASH: return read_hash_attr(reader);
    case TOKEN_AT: return read_symbol_attr(reader);
    case TOKEN_INTEGER:
    case TOKEN_FLOAT: return read_number(reader);
    case TOKEN_STRING: {
        StrView text;
        if (!read_string(reader, &text)) return NULL;
        if (accept_punctuation(reader, ':') && !read_type(reader)) return NULL;
        return attr_string(reader->context, text);
    }
    case TOKEN_EXCLAMATION: {
        const Type *type = read_type(reader);
        return type ? attr_type(reader->context, type) : NULL;
    }
    case TOKEN_PUNCTUATION:
        if (at_punctuation(reader, '-')) return read_number(reader);
        if (at_punctuation(reader, '[')) return read_array_attr(reader);
        if (at_punctuation(reader, '{')) return read_dict_attr(reader);
        if (at_punctuation(reader, '(')) {
            const Type *type = read_type(reader);
            return type ? attr_type(reader->context, type) : NULL;
        }
        break;
    case TOKEN_END:
    case TOKEN_ERROR:
    case TOKEN_PERCENT:
    case TOKEN_CARET:
    case TOKEN_ARROW:
    case TOKEN_COLON_COLON:
    case TOKEN_FILE_BEGIN:
    case TOKEN_FILE_END:
    case TOKEN_ELLIPSIS: break;
    }
    return attr_failed(reader_expected(reader, "attribute value"));
}

const Attr *read_attr(Reader *reader) {
    if (!reader_enter(reader)) return NULL;
    reader->weight++;
    const Attr *attr = read_attr_inner(reader);
    reader_leave(reader);
    return attr;
}

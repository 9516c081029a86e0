// mlir_type_reader: types: tensors with their encodings and quantisation, tuples, functions,
// element types, dialects' types.
#include "base/checked.h"
#include "frontend/mlir/syntax/mlir_reader.h"

#include <float.h>

bool element_from_word(StrView word, ElementType *element) {
    return element_from_text(word, element);
}

static const Type *type_failed(bool ignored) {
    (void)ignored;
    return NULL;
}

// f32 ... or complex<f32>; after it the token behind.
static bool read_element(Reader *reader, ElementType *element) {
    if (reader->token.kind != TOKEN_WORD) return reader_expected(reader, "non-function type");
    Token word = reader->token;
    if (strview_is(word.text, "complex")) {
        reader_advance(reader);
        ElementType part;
        if (!expect_punctuation(reader, '<') || !read_element(reader, &part)) return false;
        if (part != ELEMENT_F32 && part != ELEMENT_F64) {
            return reader_error_at(reader, &word, "invalid element type for complex");
        }
        *element = part == ELEMENT_F32 ? ELEMENT_C64 : ELEMENT_C128;
        return expect_punctuation(reader, '>');
    }
    if (!element_from_word(word.text, element)) {
        char c = word.text.data[0];
        bool looks_like_type =
            word.text.size <= 16 && (c == 'i' || c == 'f' || c == 's' || c == 'u' || c == 'b');
        if (looks_like_type && word.text.size > 1 && word.text.data[1] >= '0' &&
            word.text.data[1] <= '9') {
            return reader_error_at(
                reader, &word, "'%.*s' is no element type of StableHLO", SV_ARG(word.text));
        }
        return reader_expected(reader, "non-function type");
    }
    reader_advance(reader);
    return true;
}

// The value pair scale[:zero_point].
static bool read_scale(Reader *reader, double *scale, int64_t *zero_point) {
    *zero_point = 0;
    if (!read_double(reader, scale)) return false;
    return !accept_punctuation(reader, ':') || read_int64(reader, zero_point);
}

static bool read_quant_scales(Reader *reader, QuantParams *quant) {
    VEC(double) scales = {0};
    VEC(int64_t) zero_points = {0};
    bool is_list = quant->axis >= 0;
    if (is_list && !expect_punctuation(reader, '{')) return false;
    do {
        double scale;
        int64_t zero_point;
        if (!read_scale(reader, &scale, &zero_point)) return false;
        vec_push(reader->scratch, &scales, scale);
        vec_push(reader->scratch, &zero_points, zero_point);
    } while (is_list && accept_punctuation(reader, ','));
    if (is_list && !expect_punctuation(reader, '}')) return false;
    quant->count = (int)scales.count;
    quant->scales = scales.data;
    quant->zero_points = zero_points.data;
    return true;
}

// The expressed type can hold the scales.
bool check_scales(Reader *reader, const Token *at, const QuantParams *quant) {
    const FloatFormat *format = element_float_format(quant->expressed);
    if (!format) return reader_error_at(reader, at, "expressed type must be a floating-point type");
    for (int i = 0; i < quant->count; i++) {
        double scale = quant->scales[i];
        if (!(scale > 0) || scale > DBL_MAX)
            return reader_error_at(reader, at, "illegal scale: %f", scale);
        if (scale < float_smallest(format) || scale > float_largest(format))
            return reader_error_at(reader, at, "scale %e out of expressed type range", scale);
    }
    return true;
}

// i8, u8: the storage type of a quantised element
static bool read_storage(Reader *reader, ElementType *storage) {
    static const struct {
        const char *text;
        ElementType element;
    } unsigned_types[] = {
        {"u2", ELEMENT_UI2},
        {"u4", ELEMENT_UI4},
        {"u8", ELEMENT_UI8},
        {"u16", ELEMENT_UI16},
        {"u32", ELEMENT_UI32}};
    for (size_t i = 0; i < sizeof unsigned_types / sizeof unsigned_types[0]; i++) {
        if (!accept_word(reader, unsigned_types[i].text)) continue;
        *storage = unsigned_types[i].element;
        return true;
    }
    return read_element(reader, storage);
}

// <i8<-128:127>:f32:1, {0.5:2, ...}> behind !quant.uniform
static bool read_quant(Reader *reader, ElementType *storage, const QuantParams **result) {
    Token start = reader->token;
    QuantParams *quant = ARENA_NEW(reader->scratch, QuantParams);
    quant->axis = -1;
    if (!expect_punctuation(reader, '<') || !read_storage(reader, storage)) return false;
    if (!element_is_integer(*storage) || *storage == ELEMENT_INDEX) {
        return reader_error_at(reader, &start, "illegal storage type prefix");
    }
    int bits = element_bits(*storage);
    bool is_unsigned = element_class(*storage) == CLASS_UINT;
    quant->storage_min = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
    quant->storage_max = is_unsigned ? (bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1)
                                     : (bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1);
    if (accept_punctuation(reader, '<')) {
        int64_t low, high;
        if (!read_int64(reader, &low) || !expect_punctuation(reader, ':') ||
            !read_int64(reader, &high))
            return false;
        if (low < quant->storage_min || high > quant->storage_max || low > high) {
            return reader_error_at(
                reader, &start, "illegal storage range %lld:%lld", (long long)low, (long long)high);
        }
        quant->storage_min = low;
        quant->storage_max = high;
        if (!expect_punctuation(reader, '>')) return false;
    }
    if (!expect_punctuation(reader, ':') || !read_element(reader, &quant->expressed)) return false;
    if (accept_punctuation(reader, ':')) {
        int64_t axis;
        if (!read_int64(reader, &axis)) return false;
        if (axis < 0 || axis >= MAX_RANK)
            return reader_error_at(
                reader, &start, "illegal quantized dimension: %lld", (long long)axis);
        quant->axis = (int)axis;
    }
    if (!expect_punctuation(reader, ',') || !read_quant_scales(reader, quant) ||
        !check_scales(reader, &start, quant))
        return false;
    *result = quant;
    return expect_punctuation(reader, '>');
}

// Copies the dimension sizes on top of reader->ints to bounds.
static bool take_bounds(Reader *reader, int64_t base, const Token *at, Type *type) {
    int64_t count = reader->ints.count - base;
    reader->ints.count = base;
    if (count != type->rank) {
        return reader_error_at(
            reader, at, "Bounds length is %lld, expected to be equal to rank(%d) of the tensor",
            (long long)count, type->rank);
    }
    type->is_bounded = true;
    for (int d = 0; d < type->rank; d++) {
        int64_t bound = reader->ints.data[base + d];
        type->bounds[d] = bound < 0 ? DIM_DYNAMIC : bound; // -1: none, in older programs
        if (type->bounds[d] != DIM_DYNAMIC && type->dims[d] != DIM_DYNAMIC) {
            return reader_error_at(
                reader, at,
                "Static dimension %d cannot have a bound, use ShapedType::kDynamic to "
                "indicate a missing bound",
                d);
        }
    }
    return true;
}

// #stablehlo.bounds<?, 4>, or anything else, which is kept as text.
static bool read_encoding(Reader *reader, Type *type) {
    Token at = reader->token;
    int64_t base = reader->ints.count;
    if (at.kind == TOKEN_HASH && strview_is(at.text, "#stablehlo.bounds")) {
        reader_advance(reader);
        return read_int_list(reader, '<', '>', true) && take_bounds(reader, base, &at, type);
    }
    if (at.kind == TOKEN_HASH && strview_is(at.text, "#stablehlo.type_extensions")) {
        reader_advance(reader);
        return expect_punctuation(reader, '<') && expect_word(reader, "bounds") &&
               expect_punctuation(reader, '=') && read_int_list(reader, '[', ']', true) &&
               expect_punctuation(reader, '>') && take_bounds(reader, base, &at, type);
    }
    const Attr *encoding = reader->grammar->attr(reader);
    if (!encoding) return false;
    StrBuf text = strbuf(reader->scratch);
    attr_print(&text, encoding);
    type->encoding = context_name(reader->context, strbuf_view(&text));
    return true;
}

// The dimensions, from the raw text, because 4x8xf32 is no sequence of tokens. The current token is
// `<`.
static bool read_dims(Reader *reader, Type *type) {
    Lexer *lexer = &reader->lexer;
    if (!at_punctuation(reader, '<')) return reader_expected(reader, "'<'");
    for (;;) {
        Lexer before = *lexer;
        reader->token = lexer_next(lexer);
        bool is_star = at_punctuation(reader, '*');
        bool is_dynamic = at_punctuation(reader, '?');
        if (!is_star && !is_dynamic && reader->token.kind != TOKEN_INTEGER) return true;
        Token at = reader->token;
        const char *digits = at.text.data;
        uint64_t size = 0;
        if (is_star || is_dynamic) {
            *lexer = before;
            (void)lexer_next(lexer);
        } else {
            const char *end = digits;
            while (end < lexer->end && *end >= '0' && *end <= '9')
                end++;
            if (end - digits > 1 && *digits == '0')
                return reader_expected(reader, "a dimension without leading zeros");
            if (!token_to_uint64((StrView){digits, (size_t)(end - digits)}, &size) ||
                size > INT64_MAX) {
                return reader_error_at(reader, &at, "invalid dimension");
            }
            lexer->at = end;
        }
        if (lexer->at == lexer->end || *lexer->at != 'x') {
            reader_advance(reader);
            return reader_expected(reader, "'x' in dimension list");
        }
        lexer->at++;
        if (is_star) {
            type->unranked = true;
            reader_advance(reader);
            return true;
        }
        if (type->rank == MAX_RANK)
            return reader_unsupported(
                reader, &at, "tensors of more than %d dimensions are not supported", MAX_RANK);
        type->dims[type->rank++] = is_dynamic ? DIM_DYNAMIC : (int64_t)size;
    }
}

// Does the tensor's size in bytes fit?
static bool check_size(Reader *reader, const Token *at, const Type *type) {
    int64_t bytes = (int64_t)element_bytes(type->element);
    bool fits = true;
    for (int d = 0; d < type->rank && fits; d++) {
        int64_t size = type->dims[d];
        if (size == DIM_DYNAMIC)
            size = type->is_bounded && type->bounds[d] != DIM_DYNAMIC ? type->bounds[d] : 1;
        if (size == 0) continue; // 0 x huge is refused too
        fits = size > 0 && checked_mul(bytes, size, &bytes);
    }
    return fits || reader_error_at(
                       reader, at, "the tensor is too large: its size in bytes exceeds 64 bits");
}

const Type *finish_tensor(Reader *reader, const Token *at, const Type *type) {
    return check_size(reader, at, type) ? type_intern(reader->context, type) : NULL;
}

// Maps hold plain pointers; nothing changes the type through it.
static void *unconst_type(const Type *type) {
    union {
        const Type *type;
        void *pointer;
    } cast = {type};
    return cast.pointer;
}

// The text of a tensor type without parts in < >, from `tensor` to `>`; empty for others. Types
// repeat: their texts are looked up.
static StrView simple_tensor_text(const Reader *reader) {
    const char *start = reader->token.text.data;
    const char *limit = start + 64 < reader->lexer.end ? start + 64 : reader->lexer.end;
    for (const char *p = start + 7; p < limit && *p != '<' && *p != '\n' && *p != '!'; p++) {
        if (*p == '>') return (StrView){start, (size_t)(p + 1 - start)};
    }
    return (StrView){NULL, 0};
}

static const Type *read_tensor_type(Reader *reader);

static const Type *read_tensor(Reader *reader) {
    StrView text = simple_tensor_text(reader);
    const Type *known = text.size > 0 ? str_map_get(&reader->tensor_types, text) : NULL;
    if (known) {
        reader->lexer.at = text.data + text.size;
        reader_advance(reader);
        return known;
    }
    const Type *type = read_tensor_type(reader);
    if (type && text.size > 0) str_map_set(&reader->tensor_types, text, unconst_type(type));
    return type;
}

static const Type *read_tensor_type(Reader *reader) {
    Token at = reader->token;
    Type *type = &(Type){.kind = TYPE_TENSOR};
    reader_advance(reader);
    if (!read_dims(reader, type)) return NULL;
    if (reader->token.kind == TOKEN_EXCLAMATION &&
        strview_is(reader->token.text, "!quant.uniform")) {
        reader_advance(reader);
        if (!read_quant(reader, &type->element, &type->quant)) return NULL;
    } else if (reader->token.kind == TOKEN_EXCLAMATION) {
        const Alias *alias = str_map_get(&reader->aliases, reader->token.text);
        const Type *element = alias ? alias->type : NULL;
        if (!element || (element->kind != TYPE_ELEMENT)) {
            return type_failed(reader_unsupported(
                reader, &reader->token, "element type '%.*s' is not supported",
                SV_ARG(reader->token.text)));
        }
        type->element = element->element;
        type->quant = element->quant;
        reader_advance(reader);
    } else if (!read_element(reader, &type->element)) {
        return NULL;
    }
    if (accept_punctuation(reader, ',') && !read_encoding(reader, type)) return NULL;
    return expect_punctuation(reader, '>') ? finish_tensor(reader, &at, type) : NULL;
}

bool read_type_list(Reader *reader) {
    do {
        const Type *type = read_type(reader);
        if (!type) return false;
        vec_push(reader->scratch, &reader->types, type);
    } while (accept_punctuation(reader, ','));
    return true;
}

bool read_type_list_parens(Reader *reader) {
    if (!expect_punctuation(reader, '(')) return false;
    if (accept_punctuation(reader, ')')) return true;
    return read_type_list(reader) && expect_punctuation(reader, ')');
}

const Type *read_function_type(Reader *reader) {
    int64_t base = reader->types.count;
    if (!read_type_list_parens(reader)) return NULL;
    int64_t inputs = reader->types.count - base;
    if (reader->token.kind != TOKEN_ARROW) {
        return type_failed(reader_expected(reader, "'->' in function type"));
    }
    reader_advance(reader);
    if (at_punctuation(reader, '(')) {
        if (!read_type_list_parens(reader)) return NULL;
    } else {
        const Type *type = read_type(reader);
        if (!type) return NULL;
        vec_push(reader->scratch, &reader->types, type);
    }
    int64_t results = reader->types.count - base - inputs;
    const Type *const *types = reader->types.data ? reader->types.data + base : NULL;
    const Type *function = type_function(
        reader->context, (int)inputs, types, (int)results, types ? types + inputs : NULL);
    reader->types.count = base;
    return function;
}

const Type *reader_type_of_parts(Reader *reader, TypeKind kind, int64_t base) {
    Type type = {
        .kind = kind,
        .part_count = (int)(reader->types.count - base),
        .parts = reader->types.data ? reader->types.data + base : NULL};
    reader->types.count = base;
    return type_intern(reader->context, &type);
}

// tuple<T, ...>, !stablehlo.future<T, ...>: the current token is `<`.
static const Type *read_parts(Reader *reader, TypeKind kind) {
    int64_t base = reader->types.count;
    Token at = reader->token;
    if (!expect_punctuation(reader, '<')) return NULL;
    if (!accept_punctuation(reader, '>') &&
        (!read_type_list(reader) || !expect_punctuation(reader, '>'))) {
        return NULL;
    }
    for (int64_t i = base; i < reader->types.count && kind == TYPE_FUTURE; i++) {
        const Type *part = reader->types.data[i];
        if (part->kind == TYPE_TENSOR && !part->unranked) continue;
        StrBuf text = strbuf(reader->scratch);
        type_print(&text, part);
        return type_failed(reader_error_at(
            reader, &at, "future element type must be a ranked tensor, but got '%s'",
            strbuf_cstring(&text)));
    }
    return reader_type_of_parts(reader, kind, base);
}

static const Type *opaque_type(Reader *reader, StrView text) {
    Type type = {.kind = TYPE_OPAQUE, .encoding = context_name(reader->context, text)};
    return type_intern(reader->context, &type);
}

// !alias, !stablehlo.token, !quant.uniform<...>, !dialect.name<...>
static const Type *read_dialect_type(Reader *reader) {
    Token token = reader->token;
    const Alias *alias = str_map_get(&reader->aliases, token.text);
    if (alias && alias->type) {
        reader->weight += alias->weight;
        reader_advance(reader);
        return alias->type;
    }
    if (!memchr(token.text.data, '.', token.text.size)) {
        reader_advance(reader);
        if (!at_punctuation(reader, '<')) {
            return type_failed(reader_error_at(
                reader, &token, "undefined symbol alias id '%.*s'", (int)token.text.size - 1,
                token.text.data + 1));
        }
    } else {
        reader_advance(reader);
    }
    if (strview_is(token.text, "!stablehlo.token")) return type_token(reader->context);
    if (strview_is(token.text, "!stablehlo.future")) return read_parts(reader, TYPE_FUTURE);
    if (strview_is(token.text, "!quant.uniform")) {
        Type type = {.kind = TYPE_ELEMENT};
        if (!read_quant(reader, &type.element, &type.quant)) return NULL;
        return type_intern(reader->context, &type);
    }
    if (strview_starts_with(token.text, SV("!stablehlo."))) {
        return type_failed(reader_error_at(
            reader, &token, "unknown stablehlo type: %.*s", (int)token.text.size - 11,
            token.text.data + 11));
    }
    StrView body = {"", 0};
    if (at_punctuation(reader, '<') && !read_balanced(reader, &body)) return NULL;
    if (strview_is(token.text, "!mesh.sharding")) token.text = SV("!shard.sharding");
    StrBuf text = strbuf(reader->scratch);
    strbuf_append(&text, token.text);
    strbuf_append(&text, body);
    return opaque_type(reader, strbuf_view(&text));
}

static const Type *read_type_inner(Reader *reader) {
    Token token = reader->token;
    if (at_punctuation(reader, '(')) return read_function_type(reader);
    if (token.kind == TOKEN_EXCLAMATION) return read_dialect_type(reader);
    if (token.kind != TOKEN_WORD) return type_failed(reader_expected(reader, "non-function type"));
    if (strview_is(token.text, "tensor")) return read_tensor(reader);
    if (strview_is(token.text, "tuple")) {
        reader_advance(reader);
        return read_parts(reader, TYPE_TUPLE);
    }
    if (strview_is(token.text, "tf32")) { // of no tensor, but dot algorithms name it
        reader_advance(reader);
        return opaque_type(reader, token.text);
    }
    if (strview_is(token.text, "none")) {
        reader_advance(reader);
        return type_none(reader->context);
    }
    if (strview_is(token.text, "memref") || strview_is(token.text, "vector")) {
        reader_advance(reader);
        StrView body;
        if (!at_punctuation(reader, '<')) return type_failed(reader_expected(reader, "'<'"));
        if (!read_balanced(reader, &body)) return NULL;
        StrBuf text = strbuf(reader->scratch);
        strbuf_append(&text, token.text);
        strbuf_append(&text, body);
        const Type *type = opaque_type(reader, strbuf_view(&text));
        MemRef memref; // blanks mean nothing: equal buffers are one type
        return memref_of(type, &memref) ? type_memref(reader->context, &memref) : type;
    }
    ElementType element;
    if (!read_element(reader, &element)) return NULL;
    return type_element(reader->context, element);
}

const Type *read_type(Reader *reader) {
    if (!reader_enter(reader)) return NULL;
    reader->weight++;
    const Type *type = read_type_inner(reader);
    reader_leave(reader);
    return type;
}

// bytecode_attr_reader: attributes in the builtin dialect's encodings, which
// others have in common with it.
#include "frontend/bytecode/bytecode_reader.h"

const Attr *stream_array(Bytecode *file, ByteStream *stream) {
    Reader *reader = file->reader;
    int64_t base = reader->attr_items.count;
    if (!stream_attrs(file, stream)) return NULL;
    const Attr *const *items = reader->attr_items.data;
    int count = (int)(reader->attr_items.count - base);
    reader->attr_items.count = base;
    return attr_array(reader->context, count, items ? items + base : NULL);
}

const Attr *stream_dict(Bytecode *file, ByteStream *stream) {
    Reader *reader = file->reader;
    const unsigned char *at = stream->at;
    int count = stream_count(stream);
    StrView *names = ARENA_ARRAY(reader->scratch, StrView, count);
    const Attr **items = ARENA_ARRAY(reader->scratch, const Attr *, count);
    for (int i = 0; i < count; i++) {
        const Attr *name = stream_string_attr(file, stream);
        items[i] = name ? stream_attr(file, stream) : NULL;
        if (!items[i]) return NULL;
        names[i] = name->text;
    }
    if (stream->failed) return NULL;
    const Attr *dict = attr_dict(reader->context, count, names, items);
    for (int i = 0; i < dict->count; i++) {
        bool is_repeated = i > 0 && strview_equal(dict->names[i - 1], dict->names[i]);
        if (dict->names[i].size > 0 && !is_repeated) continue;
        (void)bytecode_error(file, at, "the dictionary has an empty name or one name twice");
        return NULL;
    }
    return dict;
}

const Attr *stream_number(Bytecode *file, ByteStream *stream, bool is_float) {
    Context *context = file->reader->context;
    const unsigned char *at = stream->at;
    const Type *type = stream_type(file, stream);
    if (!type) return NULL;
    if (type->kind != TYPE_ELEMENT || type->quant || element_is_float(type->element) != is_float ||
        element_class(type->element) == CLASS_COMPLEX) {
        Token token = bytecode_token(at);
        (void)reader_unsupported(
            file->reader, &token, "numbers of this type are not supported as an attribute");
        return NULL;
    }
    ElementType element = type->element;
    int width = element_bits(element);
    uint64_t bits = stream_bits(stream, width);
    if (is_float)
        return attr_float(context, float_decode(element_float_format(element), bits), element);
    if (width < 64) bits &= ((uint64_t)1 << width) - 1;
    if (element == ELEMENT_I1) return attr_bool(context, bits != 0);
    bool is_negative = element_class(element) == CLASS_SINT && width < 64 && bits >> (width - 1);
    if (is_negative) bits |= ~(uint64_t)0 << width;
    return attr_int(context, (int64_t)bits, element);
}

// Constants weigh more the larger they are, but one may be of any size.
static void add_weight(Bytecode *file, size_t bytes) {
    file->weight += (int64_t)(bytes < (1 << 19) ? bytes / 8 : 1 << 16);
}

// The type of a dense constant.
static const Type *elements_type(Bytecode *file, ByteStream *stream) {
    const unsigned char *at = stream->at;
    const Type *type = stream_type(file, stream);
    if (!type || (type->kind == TYPE_TENSOR && type_is_static(type))) return type;
    (void)bytecode_error(file, at, "a dense constant must be a tensor of static shape");
    return NULL;
}

const Attr *stream_elements(Bytecode *file, ByteStream *stream) {
    const unsigned char *at = stream->at;
    const Type *type = elements_type(file, stream);
    if (!type) return NULL;
    StrView bytes = stream_bytes(stream, stream_varint(stream));
    if (stream->failed) return NULL;
    Token token = bytecode_token(at);
    add_weight(file, bytes.size);
    return dense_from_bytes(file->reader, &token, bytes, type, true);
}

static const Attr *stream_resource(Bytecode *file, ByteStream *stream) {
    const unsigned char *at = stream->at;
    const Type *type = elements_type(file, stream);
    uint64_t index = stream_varint(stream);
    if (!type || stream->failed) return NULL;
    if (index >= (uint64_t)file->resource_count || !file->resources[index].is_blob) {
        (void)bytecode_error(file, at, "the numbers of a constant were left out of the file");
        return NULL;
    }
    Token token = bytecode_token(at);
    add_weight(file, file->resources[index].bytes.size);
    return dense_from_bytes(file->reader, &token, file->resources[index].bytes, type, false);
}

// array<i64: 1, 2>: the numbers little-endian, i1 in bytes.
static const Attr *stream_number_array(Bytecode *file, ByteStream *stream) {
    Reader *reader = file->reader;
    const Type *type = stream_type(file, stream);
    int count = stream_count(stream);
    StrView bytes = stream_bytes(stream, stream_varint(stream));
    if (!type || stream->failed || type->kind != TYPE_ELEMENT) return NULL;
    if (!element_is_integer(type->element) && type->element != ELEMENT_I1) return NULL;
    size_t size = element_bytes(type->element);
    if (bytes.size != size * (size_t)count) {
        stream->failed = true;
        return NULL;
    }
    int64_t *numbers = ARENA_ARRAY(reader->scratch, int64_t, count + 1);
    for (int i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, bytes.data + size * (size_t)i, size);
        bool is_negative =
            element_class(type->element) == CLASS_SINT && size < 8 && bits >> (8 * size - 1);
        numbers[i] = (int64_t)(is_negative ? bits | ~(uint64_t)0 << (8 * size) : bits);
        if (type->element == ELEMENT_I1) numbers[i] = bits != 0;
    }
    Attr attr = {.kind = ATTR_INTS, .type = type, .count = count, .ints = numbers};
    return attr_intern(reader->context, &attr);
}

// @a::@b: the root's name, then references to what is in it
static const Attr *stream_symbol(Bytecode *file, ByteStream *stream, bool is_nested) {
    Reader *reader = file->reader;
    const Attr *root = stream_string_attr(file, stream);
    if (!root) return NULL;
    StrBuf text = strbuf(reader->scratch);
    strbuf_append(&text, root->text);
    int64_t base = reader->attr_items.count;
    if (is_nested && !stream_attrs(file, stream)) return NULL;
    for (int64_t i = base; i < reader->attr_items.count; i++) {
        const Attr *part = reader->attr_items.data[i];
        if (part->kind != ATTR_SYMBOL) return NULL;
        strbuf_puts(&text, "::@");
        strbuf_append(&text, part->text);
    }
    reader->attr_items.count = base;
    return attr_symbol(reader->context, strbuf_view(&text));
}

static const Attr *opaque_text(Bytecode *file, const char *text) {
    Attr attr = {.kind = ATTR_OPAQUE, .text = strview(text)};
    return attr_intern(file->reader->context, &attr);
}

const Attr *builtin_attr(Bytecode *file, ByteStream *stream, uint64_t code) {
    Context *context = file->reader->context;
    switch (code) {
    case 0: return stream_array(file, stream);
    case 1: return stream_dict(file, stream);
    case 2: return attr_string(context, stream_string(file, stream));
    case 3: { // with a type, which says nothing
        StrView text = stream_string(file, stream);
        return stream_type(file, stream) ? attr_string(context, text) : NULL;
    }
    case 4: return stream_symbol(file, stream, false);
    case 5: return stream_symbol(file, stream, true);
    case 6: {
        const Type *type = stream_type(file, stream);
        return type ? attr_type(context, type) : NULL;
    }
    case 7: return attr_unit(context);
    case 8: return stream_number(file, stream, false);
    case 9: return stream_number(file, stream, true);
    case 15: return opaque_text(file, "loc(unknown)");
    case 16: return stream_resource(file, stream);
    case 17: return stream_number_array(file, stream);
    case 18: return stream_elements(file, stream);
    default: return NULL;
    }
}

// bytecode_attr_reader: the tables of attributes and types of MLIR bytecode, and the builtin dialect's encodings.
#include "frontend/bytecode/bytecode_reader.h"

// An attribute or type that is written out from so many parts is refused: a few shared ones could stand for any number.
enum { MAX_WEIGHT = 1 << 20 };

static const char *entry_what(bool is_type) { return is_type ? "type" : "attribute"; }

// A piece of MLIR text in the file; its diagnostics get the place of the piece.
static Reader *open_text(Bytecode *file, StrView text, Diags **diags) {
    Reader *reader = file->reader;
    *diags = diags_create(reader->scratch);
    Reader *piece =
        reader_open(reader->module, reader->arena, reader->scratch, text, reader->options, *diags);
    piece->nesting = reader->nesting;
    return piece;
}

// Reports what is wrong with a piece of text.
static bool close_text(Bytecode *file, Reader *piece, const Diags *diags, bool ok, StrView text) {
    if (ok && piece->token.kind == TOKEN_END) return true;
    StrView message = diags->first ? diags->first->message : SV("expected its end");
    const Token *at = &file->reader->token; // where the entry is
    if (diags->has_unsupported)
        return reader_unsupported(file->reader, at, "%.*s", SV_ARG(message));
    return reader_error_at(
        file->reader, at, "in the text '%.*s': %.*s", (int)(text.size < 80 ? text.size : 80),
        text.data, SV_ARG(message));
}

const Attr *attr_from_text(Bytecode *file, StrView text) {
    Diags *diags;
    Reader *piece = open_text(file, text, &diags);
    const Attr *attr = read_attr(piece);
    return close_text(file, piece, diags, attr != NULL, text) ? attr : NULL;
}

const Type *type_from_text(Bytecode *file, StrView text) {
    Diags *diags;
    Reader *piece = open_text(file, text, &diags);
    const Type *type = read_type(piece);
    return close_text(file, piece, diags, type != NULL, text) ? type : NULL;
}

// The text of an entry that its dialect did not encode.
static bool decode_text(Bytecode *file, BytecodeEntry *entry, bool is_type) {
    ByteStream stream = byte_stream(entry->bytes);
    StrView text = stream_cstring(&stream);
    if (stream.failed || !stream_at_end(&stream))
        return bytecode_error(
            file, entry->bytes.data, "the text of the %s does not end where it should",
            entry_what(is_type));
    if (is_type) {
        entry->type = type_from_text(file, text);
    } else {
        entry->attr = attr_from_text(file, text);
    }
    return entry->type || entry->attr;
}

static bool decode_custom(Bytecode *file, BytecodeEntry *entry, bool is_type) {
    ByteStream stream = byte_stream(entry->bytes);
    int errors = file->reader->diags->error_count;
    uint64_t code = stream_varint(&stream);
    bool is_builtin = strview_is(entry->dialect, "builtin");
    bool is_vhlo = strview_is(entry->dialect, "vhlo");
    bool is_sdy = strview_is(entry->dialect, "sdy");
    bool is_stablehlo = strview_is(entry->dialect, "stablehlo");
    if (is_type) {
        entry->type = is_builtin     ? builtin_type(file, &stream, code)
                      : is_vhlo      ? vhlo_type(file, &stream, code)
                      : is_stablehlo ? stablehlo_type(file, &stream, code)
                                     : NULL;
    } else {
        entry->attr = is_builtin     ? builtin_attr(file, &stream, code)
                      : is_vhlo      ? vhlo_attr(file, &stream, code)
                      : is_sdy       ? sdy_attr(file, &stream, code)
                      : is_stablehlo ? stablehlo_attr(file, &stream, code)
                                     : NULL;
    }
    if ((entry->attr || entry->type) && !stream.failed && stream_at_end(&stream)) return true;
    if (file->reader->diags->error_count > errors) return false;
    if (stream.failed || entry->attr || entry->type)
        return bytecode_error(
            file, stream.at,
            "the %s does not end where it should, or holds a number that is too large",
            entry_what(is_type));
    Token at = bytecode_token(entry->bytes.data);
    return reader_unsupported(
        file->reader, &at, "%s %llu of the dialect %.*s is not supported", entry_what(is_type),
        (unsigned long long)code, SV_ARG(entry->dialect));
}

// Decodes an entry, unless that has been done.
static bool decode(Bytecode *file, BytecodeEntry *entry, bool is_type) {
    Reader *reader = file->reader;
    if (!entry->attr && !entry->type) {
        Token before = reader->token;
        reader->token = bytecode_token(entry->bytes.data);
        if (entry->in_progress)
            return bytecode_error(
                file, entry->bytes.data, "the %s contains itself", entry_what(is_type));
        int64_t weight = file->weight;
        file->weight = 1;
        entry->in_progress = true;
        if (!reader_enter(reader)) return false;
        bool ok = entry->is_custom ? decode_custom(file, entry, is_type)
                                   : decode_text(file, entry, is_type);
        reader_leave(reader);
        if (!ok) return false;
        reader->token = before;
        entry->in_progress = false;
        entry->weight = file->weight;
        file->weight = weight;
        if (entry->weight > MAX_WEIGHT)
            return bytecode_error(
                file, entry->bytes.data, "the %s has more than %d parts", entry_what(is_type),
                MAX_WEIGHT);
    }
    file->weight += entry->weight;
    return true;
}

BytecodeEntry *stream_entry(Bytecode *file, ByteStream *stream, bool is_type) {
    const unsigned char *at = stream->at;
    uint64_t index = stream_varint(stream);
    if (stream->failed) {
        (void)bytecode_error(file, at, "expected an index of an %s", entry_what(is_type));
        return NULL;
    }
    if (index >= (uint64_t)(is_type ? file->type_count : file->attr_count)) {
        (void)bytecode_error(
            file, at, "there is no %s %llu", entry_what(is_type), (unsigned long long)index);
        return NULL;
    }
    return is_type ? &file->types[index] : &file->attrs[index];
}

const Attr *stream_attr(Bytecode *file, ByteStream *stream) {
    BytecodeEntry *entry = stream_entry(file, stream, false);
    return entry && decode(file, entry, false) ? entry->attr : NULL;
}

const Type *stream_type(Bytecode *file, ByteStream *stream) {
    BytecodeEntry *entry = stream_entry(file, stream, true);
    return entry && decode(file, entry, true) ? entry->type : NULL;
}

const Type *bytecode_type(Bytecode *file, uint64_t index) {
    BytecodeEntry *entry = &file->types[index];
    return decode(file, entry, true) ? entry->type : NULL;
}

bool stream_optional_attr(Bytecode *file, ByteStream *stream, const Attr **attr) {
    const unsigned char *at = stream->at;
    bool is_there;
    uint64_t index = stream_flagged(stream, &is_there);
    *attr = NULL;
    if (stream->failed || (!is_there && index > 0) ||
        (is_there && index >= (uint64_t)file->attr_count))
        return bytecode_error(file, at, "expected an index of an attribute, or none");
    if (!is_there) return true;
    BytecodeEntry *entry = &file->attrs[index];
    if (!decode(file, entry, false)) return false;
    *attr = entry->attr;
    return true;
}

const Attr *stream_string_attr(Bytecode *file, ByteStream *stream) {
    const unsigned char *at = stream->at;
    const Attr *attr = stream_attr(file, stream);
    if (!attr || attr->kind == ATTR_STRING) return attr;
    (void)bytecode_error(file, at, "expected a string attribute");
    return NULL;
}

bool stream_types(Bytecode *file, ByteStream *stream) {
    int count = stream_count(stream);
    for (int i = 0; i < count; i++) {
        const Type *type = stream_type(file, stream);
        if (!type) return false;
        vec_push(file->reader->scratch, &file->reader->types, type);
    }
    return !stream->failed;
}

bool stream_attrs(Bytecode *file, ByteStream *stream) {
    int count = stream_count(stream);
    for (int i = 0; i < count; i++) {
        const Attr *attr = stream_attr(file, stream);
        if (!attr) return false;
        vec_push(file->reader->scratch, &file->reader->attr_items, attr);
    }
    return !stream->failed;
}

bool stream_ints(Bytecode *file, ByteStream *stream) {
    int count = stream_count(stream);
    for (int i = 0; i < count; i++)
        vec_push(file->reader->scratch, &file->reader->ints, stream_svarint(stream));
    return !stream->failed;
}

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

// What a location says; the parts of a location are locations too.
static bool decode_loc(Bytecode *file, BytecodeEntry *entry, Loc *loc);

static bool entry_loc(Bytecode *file, BytecodeEntry *entry, Loc *loc) {
    Reader *reader = file->reader;
    if (!entry) return false;
    if (!entry->loc) {
        reader->token = bytecode_token(entry->bytes.data);
        if (entry->in_progress)
            return bytecode_error(file, entry->bytes.data, "the location contains itself");
        Loc *own = ARENA_NEW(reader->arena, Loc);
        entry->in_progress = true;
        if (!reader_enter(reader) || !decode_loc(file, entry, own)) return false;
        reader_leave(reader);
        entry->in_progress = false;
        entry->loc = own;
    }
    loc_merge(loc, entry->loc);
    return true;
}

bool stream_loc(Bytecode *file, ByteStream *stream, Loc *loc) {
    return entry_loc(file, stream_entry(file, stream, false), loc);
}

// "file":line:column; a range begins with the same numbers.
static bool decode_file_loc(Bytecode *file, ByteStream *stream, Loc *loc, bool is_range) {
    const Attr *name = stream_string_attr(file, stream);
    if (!name) return false;
    uint64_t count = is_range ? stream_varint(stream) : 2;
    uint64_t numbers[2] = {0, 0};
    for (uint64_t i = 0; i < count && !stream->failed; i++) {
        uint64_t number = stream_varint(stream);
        if (i < 2) numbers[i] = number > INT32_MAX ? INT32_MAX : number;
    }
    Loc part = {
        .model_file = name->text,
        .model_line = loc_number((int64_t)numbers[0]),
        .model_column = loc_number((int64_t)numbers[1])};
    loc_merge(loc, &part);
    return true;
}

static bool decode_loc(Bytecode *file, BytecodeEntry *entry, Loc *loc) {
    if (!entry->is_custom || !strview_is(entry->dialect, "builtin"))
        return true; // says nothing to us
    ByteStream stream = byte_stream(entry->bytes);
    uint64_t code = stream_varint(&stream);
    bool ok = true;
    Loc caller = {0};
    switch (code) {
    case 10: ok = stream_loc(file, &stream, loc) && stream_loc(file, &stream, &caller); break;
    case 11: ok = decode_file_loc(file, &stream, loc, false); break;
    case 12:
    case 13: {
        int count = stream_count(&stream);
        for (int i = 0; i < count && ok; i++)
            ok = stream_loc(file, &stream, loc);
        if (code == 13) (void)stream_varint(&stream);
        break;
    }
    case 14: {
        const Attr *name = stream_string_attr(file, &stream);
        if (name) loc_merge(loc, &(Loc){.name = name->text});
        ok = name && stream_loc(file, &stream, loc);
        break;
    }
    case 15: break;
    case 22: ok = decode_file_loc(file, &stream, loc, true); break;
    default: return bytecode_error(file, entry->bytes.data, "expected a location");
    }
    return ok && (!stream.failed || bytecode_error(file, stream.at, "the location ends too early"));
}

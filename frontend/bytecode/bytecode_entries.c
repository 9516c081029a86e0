// bytecode_entries: the tables of attributes and types of MLIR bytecode, and the locations among
// them. An entry is decoded when it is first asked for.
#include "frontend/bytecode/bytecode_reader.h"

// An attribute or type that is written out from so many parts is refused: a few shared
// ones could stand for any number.
enum { MAX_WEIGHT = 1 << 20 };

const char *entry_what(bool is_type) { return is_type ? "type" : "attribute"; }

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
        bool ok = entry->is_custom ? file->decode_custom(file, entry, is_type)
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

// What a location says; the parts of a location are locations too.
static bool decode_loc(Bytecode *file, BytecodeEntry *entry, LocTexts *texts);

static bool entry_loc(Bytecode *file, BytecodeEntry *entry, LocTexts *texts) {
    Reader *reader = file->reader;
    if (!entry) return false;
    if (!entry->loc) {
        reader->token = bytecode_token(entry->bytes.data);
        if (entry->in_progress)
            return bytecode_error(file, entry->bytes.data, "the location contains itself");
        LocTexts own = {0};
        entry->in_progress = true;
        if (!reader_enter(reader) || !decode_loc(file, entry, &own)) return false;
        reader_leave(reader);
        entry->in_progress = false;
        entry->loc = loc_texts_intern(reader->context->interner, &own);
    }
    loc_texts_add(texts, entry->loc);
    return true;
}

static bool stream_loc_texts(Bytecode *file, ByteStream *stream, LocTexts *texts) {
    return entry_loc(file, stream_entry(file, stream, false), texts);
}

bool stream_loc(Bytecode *file, ByteStream *stream, Loc *loc) {
    LocTexts texts = *loc_texts(loc);
    if (!stream_loc_texts(file, stream, &texts)) return false;
    reader_set_texts(file->reader, loc, &texts);
    return true;
}

// "file":line:column; a range begins with the same numbers.
static bool decode_file_loc(Bytecode *file, ByteStream *stream, LocTexts *texts, bool is_range) {
    const Attr *name = stream_string_attr(file, stream);
    if (!name) return false;
    uint64_t count = is_range ? stream_varint(stream) : 2;
    uint64_t numbers[2] = {0, 0};
    for (uint64_t i = 0; i < count && !stream->failed; i++) {
        uint64_t number = stream_varint(stream);
        if (i < 2) numbers[i] = number > INT32_MAX ? INT32_MAX : number;
    }
    const LocTexts part = {
        .model_file = name->text,
        .model_line = loc_number((int64_t)numbers[0]),
        .model_column = loc_number((int64_t)numbers[1])};
    loc_texts_add(texts, &part);
    return true;
}

static bool decode_loc(Bytecode *file, BytecodeEntry *entry, LocTexts *texts) {
    if (!entry->is_custom || !strview_is(entry->dialect, "builtin"))
        return true; // says nothing to us
    ByteStream stream = byte_stream(entry->bytes);
    uint64_t code = stream_varint(&stream);
    bool ok = true;
    LocTexts caller = {0};
    switch (code) {
    case 10:
        ok = stream_loc_texts(file, &stream, texts) && stream_loc_texts(file, &stream, &caller);
        break;
    case 11: ok = decode_file_loc(file, &stream, texts, false); break;
    case 12:
    case 13: {
        int count = stream_count(&stream);
        for (int i = 0; i < count && ok; i++)
            ok = stream_loc_texts(file, &stream, texts);
        if (code == 13) (void)stream_varint(&stream);
        break;
    }
    case 14: {
        const Attr *name = stream_string_attr(file, &stream);
        if (name) loc_texts_add(texts, &(LocTexts){.name = name->text});
        ok = name && stream_loc_texts(file, &stream, texts);
        break;
    }
    case 15: break;
    case 22: ok = decode_file_loc(file, &stream, texts, true); break;
    default: return bytecode_error(file, entry->bytes.data, "expected a location");
    }
    return ok && (!stream.failed || bytecode_error(file, stream.at, "the location ends too early"));
}

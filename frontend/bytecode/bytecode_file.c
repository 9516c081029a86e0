// bytecode_file: the container of MLIR bytecode: the header, the sections and their tables.
#include "frontend/bytecode/bytecode.h"
#include "frontend/bytecode/bytecode_reader.h"

#include <stdio.h>

enum {
    NEWEST_FORMAT = 6,
    SECTION_STRINGS = 0,
    SECTION_DIALECTS = 1,
    SECTION_ENTRIES = 2,
    SECTION_ENTRY_SIZES = 3,
    SECTION_IR = 4,
    SECTION_RESOURCES = 5,
    SECTION_RESOURCE_SIZES = 6,
    SECTION_PROPERTIES = 8,
    SECTION_COUNT = 9
};

static bool section_broken(Bytecode *file, const ByteStream *stream, const char *what) {
    return bytecode_error(
        file, stream->at, "the section of %s ends too early or holds a number that is too large",
        what);
}

static bool read_strings(Bytecode *file, StrView section) {
    ByteStream stream = byte_stream(section);
    file->string_count = stream_count(&stream);
    file->strings = ARENA_ARRAY(file->reader->scratch, StrView, file->string_count);
    for (int i = file->string_count - 1; i >= 0; i--)
        file->strings[i].size = (size_t)stream_varint(&stream);
    for (int i = 0; i < file->string_count; i++) {
        StrView text = stream_bytes(&stream, file->strings[i].size);
        if (stream.failed || text.size == 0 || text.data[text.size - 1] != 0)
            return section_broken(file, &stream, "strings");
        file->strings[i] = (StrView){text.data, text.size - 1};
    }
    return stream_at_end(&stream) || section_broken(file, &stream, "strings");
}

// Groups of op names, each with its dialect.
static bool read_op_names(Bytecode *file, ByteStream *stream) {
    Arena *arena = file->reader->scratch;
    VEC(BytecodeOpName) names = {0};
    if (file->version >= 4) (void)stream_varint(stream); // how many there are
    while (!stream->failed && !stream_at_end(stream)) {
        uint64_t dialect = stream_varint(stream);
        int count = stream_count(stream);
        if (dialect >= (uint64_t)file->dialect_count) break;
        for (int i = 0; i < count && !stream->failed; i++) {
            BytecodeOpName name = {.registered = true};
            uint64_t index = file->version >= 5 ? stream_flagged(stream, &name.registered)
                                                : stream_varint(stream);
            if (index >= (uint64_t)file->string_count)
                return section_broken(file, stream, "dialects");
            StrView prefix = file->dialects[dialect];
            StrView text = file->strings[index];
            char *full = arena_alloc(arena, prefix.size + text.size + 2);
            snprintf(full, prefix.size + text.size + 2, "%.*s.%.*s", SV_ARG(prefix), SV_ARG(text));
            name.text = context_name(file->reader->context, strview(full));
            vec_push(arena, &names, name);
        }
    }
    file->op_names = names.data;
    file->op_name_count = (int)names.count;
    return (!stream->failed && stream_at_end(stream)) || section_broken(file, stream, "dialects");
}

static bool read_dialects(Bytecode *file, StrView section) {
    ByteStream stream = byte_stream(section);
    file->dialect_count = stream_count(&stream);
    file->dialects = ARENA_ARRAY(file->reader->scratch, StrView, file->dialect_count);
    for (int i = 0; i < file->dialect_count; i++) {
        bool is_versioned = false;
        uint64_t index =
            file->version >= 1 ? stream_flagged(&stream, &is_versioned) : stream_varint(&stream);
        if (stream.failed || index >= (uint64_t)file->string_count)
            return section_broken(file, &stream, "dialects");
        file->dialects[i] = file->strings[index];
        int id;
        StrView version;
        if (is_versioned && !stream_section(file, &stream, &id, &version)) return false;
    }
    return read_op_names(file, &stream);
}

// The sizes say where in `data` each entry lies.
static bool read_entries(Bytecode *file, StrView sizes, StrView data) {
    ByteStream stream = byte_stream(sizes);
    ByteStream bytes = byte_stream(data);
    file->attr_count = stream_count(&stream);
    file->type_count = stream_count(&stream);
    file->attrs = ARENA_ARRAY(file->reader->scratch, BytecodeEntry, file->attr_count);
    file->types = ARENA_ARRAY(file->reader->scratch, BytecodeEntry, file->type_count);
    int64_t total = (int64_t)file->attr_count + file->type_count;
    for (int64_t next = 0; next < total && !stream.failed;) {
        uint64_t dialect = stream_varint(&stream);
        int count = stream_count(&stream);
        if (dialect >= (uint64_t)file->dialect_count || count == 0 || count > total - next) break;
        for (int i = 0; i < count; i++, next++) {
            bool is_type = next >= file->attr_count;
            BytecodeEntry *entry =
                is_type ? &file->types[next - file->attr_count] : &file->attrs[next];
            entry->dialect = file->dialects[dialect];
            uint64_t size = stream_flagged(&stream, &entry->is_custom);
            entry->bytes = stream_bytes(&bytes, size);
        }
        if (bytes.failed) return section_broken(file, &bytes, "attributes and types");
    }
    return (!stream.failed && stream_at_end(&stream)) ||
           section_broken(file, &stream, "the sizes of attributes and types");
}

static bool read_properties(Bytecode *file, StrView section) {
    ByteStream stream = byte_stream(section);
    file->properties_count = stream_count(&stream);
    file->properties = ARENA_ARRAY(file->reader->scratch, StrView, file->properties_count);
    for (int i = 0; i < file->properties_count; i++)
        file->properties[i] = stream_bytes(&stream, stream_varint(&stream));
    return !stream.failed || section_broken(file, &stream, "properties");
}

// A blob in the resources: alignment, size, padding, bytes.
static StrView read_blob(const Bytecode *file, StrView bytes) {
    ByteStream stream = byte_stream(bytes);
    uint64_t alignment = stream_varint(&stream);
    uint64_t size = stream_varint(&stream);
    if (alignment > 0 && (alignment & (alignment - 1)) == 0) {
        uint64_t offset = (uint64_t)((const char *)stream.at - file->bytes.data);
        (void)stream_bytes(&stream, (0 - offset) & (alignment - 1));
    }
    return stream_bytes(&stream, size);
}

// The dialects' resources are numbered through, behind those that belong to no dialect.
static bool read_resources(Bytecode *file, StrView sizes, StrView data) {
    ByteStream stream = byte_stream(sizes);
    ByteStream bytes = byte_stream(data);
    VEC(BytecodeResource) resources = {0};
    uint64_t external = stream_varint(&stream);
    for (uint64_t group = 0; !stream.failed && !stream_at_end(&stream); group++) {
        if (group < external) {
            (void)stream_string(file, &stream);
        } else {
            (void)stream_varint(&stream);
        }
        int count = stream_count(&stream);
        for (int i = 0; i < count && !stream.failed; i++) {
            BytecodeResource resource = {.name = stream_string(file, &stream)};
            bool is_declared = false;
            uint64_t size = stream_flagged(&stream, &is_declared);
            unsigned kind = stream_byte(&stream);
            StrView record = stream_bytes(&bytes, size);
            resource.is_blob = kind == 0 && !is_declared;
            if (resource.is_blob) resource.bytes = read_blob(file, record);
            if (group >= external) vec_push(file->reader->scratch, &resources, resource);
        }
    }
    file->resources = resources.data;
    file->resource_count = (int)resources.count;
    return (!stream.failed && !bytes.failed) || section_broken(file, &stream, "resources");
}

// StableHLO_v1.17.0: refused when it is newer than what this reader knows.
static bool check_producer(Bytecode *file) {
    StrView prefix = SV("StableHLO_v");
    if (!strview_starts_with(file->producer, prefix)) return true;
    int64_t numbers[2] = {0, 0};
    size_t at = prefix.size;
    for (int i = 0; i < 2; i++) {
        size_t end = at;
        while (end < file->producer.size && file->producer.data[end] != '.')
            end++;
        StrView digits = {file->producer.data + at, end - at};
        if (!strview_to_int64(digits, &numbers[i]) || numbers[i] < 0 || numbers[i] > 999)
            return bytecode_error(
                file, file->producer.data, "the version of '%.*s' is no version of StableHLO",
                SV_ARG(file->producer));
        at = end < file->producer.size ? end + 1 : end;
    }
    int64_t version = numbers[0] * 1000 + numbers[1];
    if (version >= VHLO_OLDEST && version <= VHLO_CURRENT) return true;
    return bytecode_error(
        file, file->producer.data,
        "the program was written for %.*s: versions from 0.%d.0 to %d.%d.0 can be read",
        SV_ARG(file->producer), VHLO_OLDEST, VHLO_CURRENT / 1000, VHLO_CURRENT % 1000);
}

static bool read_header(Bytecode *file, ByteStream *stream) {
    (void)stream_bytes(stream, 4); // the magic number
    file->version = stream_varint(stream);
    file->producer = stream_cstring(stream);
    if (stream->failed) return bytecode_error(file, stream->at, "the file ends in its header");
    if (file->version > NEWEST_FORMAT) {
        return bytecode_error(
            file, file->bytes.data + 4,
            "MLIR bytecode of version %llu (by %.*s): versions up to %d can be read",
            (unsigned long long)file->version, SV_ARG(file->producer), NEWEST_FORMAT);
    }
    return check_producer(file);
}

static bool read_sections(Bytecode *file, ByteStream *stream, StrView sections[SECTION_COUNT]) {
    while (!stream_at_end(stream)) {
        const unsigned char *at = stream->at;
        int id = 0;
        StrView contents;
        if (!stream_section(file, stream, &id, &contents)) return false;
        if (id >= SECTION_COUNT) continue;
        if (sections[id].data) return bytecode_error(file, at, "section %d is there twice", id);
        sections[id] = contents;
    }
    static const int needed[] = {
        SECTION_STRINGS, SECTION_DIALECTS, SECTION_ENTRIES, SECTION_ENTRY_SIZES, SECTION_IR};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!sections[needed[i]].data)
            return bytecode_error(file, stream->at, "section %d is missing", needed[i]);
    }
    return true;
}

static bool read_file(Bytecode *file) {
    ByteStream stream = byte_stream(file->bytes);
    StrView sections[SECTION_COUNT] = {0};
    return read_header(file, &stream) && read_sections(file, &stream, sections) &&
           read_strings(file, sections[SECTION_STRINGS]) &&
           read_dialects(file, sections[SECTION_DIALECTS]) &&
           read_entries(file, sections[SECTION_ENTRY_SIZES], sections[SECTION_ENTRIES]) &&
           (!sections[SECTION_PROPERTIES].data ||
            read_properties(file, sections[SECTION_PROPERTIES])) &&
           (!sections[SECTION_RESOURCE_SIZES].data ||
            read_resources(file, sections[SECTION_RESOURCE_SIZES], sections[SECTION_RESOURCES])) &&
           read_bytecode_module(file, sections[SECTION_IR]);
}

Module *read_bytecode(
    Context *context, Arena *arena, StrView whole, StrView bytes, const ReadOptions *options,
    Diags *diags) {
    Module *module = module_create(context, arena);
    Arena *scratch = arena_child(arena);
    Bytecode *file = ARENA_NEW(scratch, Bytecode);
    file->decode_custom = decode_custom;
    file->bytes = bytes;
    file->reader = reader_create(module, arena, scratch, whole, options, diags);
    Loc *loc = ARENA_NEW(arena, Loc);
    loc->texts = file->reader->file_texts;
    module->op->loc = loc;
    bool ok = read_file(file);
    arena_reset(scratch);
    return ok ? module : NULL;
}

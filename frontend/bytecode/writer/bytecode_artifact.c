// bytecode_artifact: the container of portable artifacts: the tables and the sections.
#include "frontend/bytecode/writer/bytecode_writer.h"

static void put_section(StrBuf *out, int id, StrView contents) {
    strbuf_putc(out, (char)id);
    put_varint(out, contents.size);
    strbuf_append(out, contents);
}

// The lengths in reverse order, then the texts.
static StrView string_section(BytecodeWriter *writer) {
    StrBuf out = strbuf(writer->arena);
    int64_t count = writer->string_list.count;
    put_varint(&out, (uint64_t)count);
    for (int64_t i = count - 1; i >= 0; i--)
        put_varint(&out, writer->string_list.data[i].size + 1);
    for (int64_t i = 0; i < count; i++) {
        strbuf_append(&out, writer->string_list.data[i]);
        strbuf_putc(&out, 0);
    }
    return strbuf_view(&out);
}

// "vhlo" of "vhlo.add_v1", and the rest
static StrView dialect_of(StrView name, StrView *rest) {
    const char *dot = memchr(name.data, '.', name.size);
    size_t size = dot ? (size_t)(dot - name.data) : 0;
    *rest = dot ? (StrView){dot + 1, name.size - size - 1} : name;
    return (StrView){name.data, size};
}

// The dialects, then the names of ops in runs of one dialect.
static StrView dialect_section(BytecodeWriter *writer) {
    StrBuf names = strbuf(writer->arena);
    if (writer->format >= 4) put_varint(&names, (uint64_t)writer->op_names.count);
    for (int64_t i = 0; i < writer->op_names.count;) {
        StrView rest;
        StrView dialect = dialect_of(writer->op_names.data[i], &rest);
        int64_t end = i;
        StrBuf run = strbuf(writer->arena);
        while (end < writer->op_names.count) {
            if (!strview_equal(dialect_of(writer->op_names.data[end], &rest), dialect)) break;
            uint64_t string = writer_string(writer, rest);
            if (writer->format >= 5) {
                put_flagged(&run, string, true);
            } else {
                put_varint(&run, string);
            }
            end++;
        }
        put_varint(&names, writer_dialect(writer, dialect));
        put_varint(&names, (uint64_t)(end - i));
        strbuf_append(&names, strbuf_view(&run));
        i = end;
    }
    StrBuf out = strbuf(writer->arena);
    put_varint(&out, (uint64_t)writer->dialects.count);
    for (int64_t i = 0; i < writer->dialects.count; i++) {
        uint64_t string = writer_string(writer, writer->dialects.data[i]);
        if (writer->format >= 1) {
            put_flagged(&out, string, false);
        } else {
            put_varint(&out, string);
        }
    }
    strbuf_append(&out, strbuf_view(&names));
    return strbuf_view(&out);
}

// The sizes of one table's entries in runs of one dialect; their bytes follow each other.
static void put_entries(
    BytecodeWriter *writer, StrBuf *sizes, StrBuf *bytes, const WrittenEntry *entries,
    int64_t count) {
    for (int64_t i = 0; i < count;) {
        int64_t end = i;
        while (end < count && strview_equal(entries[end].dialect, entries[i].dialect))
            end++;
        put_varint(sizes, writer_dialect(writer, entries[i].dialect));
        put_varint(sizes, (uint64_t)(end - i));
        for (; i < end; i++) {
            put_flagged(sizes, entries[i].bytes.size, entries[i].is_custom);
            strbuf_append(bytes, entries[i].bytes);
        }
    }
}

static StrView property_section(BytecodeWriter *writer) {
    StrBuf out = strbuf(writer->arena);
    put_varint(&out, (uint64_t)writer->properties.count);
    for (int64_t i = 0; i < writer->properties.count; i++) {
        put_varint(&out, writer->properties.data[i].size);
        strbuf_append(&out, writer->properties.data[i]);
    }
    return strbuf_view(&out);
}

// The container's version that each version of StableHLO is written in.
static int format_of(int target) {
    return target >= 15 ? 6 : target == 14 ? 4 : target >= 12 ? 3 : target >= 10 ? 1 : 0;
}

bool bytecode_target(StrView text, int *target) {
    if (strview_is(text, "current")) {
        *target = VHLO_CURRENT;
        return true;
    }
    int numbers[3] = {0};
    int part = 0, digits = 0;
    *target = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '.' && digits > 0 && part < 2) {
            part++;
            digits = 0;
        } else if (c >= '0' && c <= '9' && digits < 3) {
            numbers[part] = 10 * numbers[part] + (c - '0');
            digits++;
        } else {
            return false;
        }
    }
    if (part != 2 || digits == 0) return false;
    *target = numbers[0] * 1000 + numbers[1];
    return *target >= VHLO_OLDEST && *target <= VHLO_CURRENT;
}

bool write_bytecode(const Module *module, Arena *arena, int target, StrBuf *out, Diags *diags) {
    BytecodeWriter *writer = ARENA_NEW(arena, BytecodeWriter);
    *writer = (BytecodeWriter){
        .attr_number = vhlo_attr_number,
        .module = module,
        .arena = arena,
        .diags = diags,
        .target = target,
        .format = format_of(target),
        .strings = str_map(arena),
        .op_numbers = str_map(arena),
        .vhlo_attrs = ptr_map(arena),
        .builtin_attrs = ptr_map(arena),
        .vhlo_types = ptr_map(arena),
        .builtin_types = ptr_map(arena),
        .vhlo_bytes = str_map(arena),
        .loc_bytes = str_map(arena),
        .values = ptr_map(arena)};
    StrView ir = write_ir_section(writer);
    if (writer->failed) return false;
    StrBuf sizes = strbuf(arena);
    StrBuf bytes = strbuf(arena);
    put_varint(&sizes, (uint64_t)writer->attrs.count);
    put_varint(&sizes, (uint64_t)writer->types.count);
    put_entries(writer, &sizes, &bytes, writer->attrs.data, writer->attrs.count);
    put_entries(writer, &sizes, &bytes, writer->types.data, writer->types.count);
    StrView dialects = dialect_section(writer); // the last to name strings
    strbuf_puts(out, "ML\xefR");
    put_varint(out, (uint64_t)writer->format);
    strbuf_printf(out, "StableHLO_v%d.%d.0", target / 1000, target % 1000);
    strbuf_putc(out, 0);
    put_section(out, 1, dialects);
    put_section(out, 3, strbuf_view(&sizes));
    put_section(out, 2, strbuf_view(&bytes));
    put_section(out, 4, ir);
    put_section(out, 0, string_section(writer));
    if (writer->format >= 5) put_section(out, 8, property_section(writer));
    return true;
}

// bytecode_output: numbers in the file's encodings, and entries of its tables.
#include "frontend/bytecode/writer/bytecode_writer.h"

#include <stdarg.h>
#include <stdio.h>

void put_varint(StrBuf *out, uint64_t number) {
    int bytes = 1;
    while (bytes < 9 && number >> (7 * bytes))
        bytes++;
    if (bytes == 9) {
        strbuf_putc(out, 0);
        put_number(out, number, 8);
    } else {
        put_number(out, (number << 1 | 1) << (bytes - 1), bytes);
    }
}

void put_number(StrBuf *out, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++)
        strbuf_putc(out, (char)(number >> (8 * i)));
}

void put_svarint(StrBuf *out, int64_t number) {
    put_varint(out, (uint64_t)number << 1 ^ (number < 0 ? ~(uint64_t)0 : 0));
}

void put_flagged(StrBuf *out, uint64_t number, bool flag) { put_varint(out, number << 1 | flag); }

void put_bits(StrBuf *out, uint64_t bits, int width) {
    if (width <= 8) {
        strbuf_putc(out, (char)bits);
    } else {
        put_svarint(out, (int64_t)bits);
    }
}

void writer_failed(BytecodeWriter *writer, const char *format, ...) {
    if (writer->failed) return;
    writer->failed = true;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    StrView name = writer->op ? writer->op->name : SV("builtin.module");
    diag_unsupported(
        writer->diags, writer->op ? writer->op->loc : NULL,
        "'%.*s' op cannot be written for StableHLO %d.%d.0: %s", SV_ARG(name),
        writer->target / 1000, writer->target % 1000, text);
}

uint64_t writer_string(BytecodeWriter *writer, StrView text) {
    uintptr_t known = (uintptr_t)str_map_get(&writer->strings, text);
    if (known) return known - 1;
    vec_push(writer->arena, &writer->string_list, text);
    str_map_set(&writer->strings, text, (void *)(uintptr_t)writer->string_list.count);
    return (uint64_t)writer->string_list.count - 1;
}

uint64_t writer_dialect(BytecodeWriter *writer, StrView name) {
    for (int64_t i = 0; i < writer->dialects.count; i++) {
        if (strview_equal(writer->dialects.data[i], name)) return (uint64_t)i;
    }
    vec_push(writer->arena, &writer->dialects, name);
    return (uint64_t)writer->dialects.count - 1;
}

void *number_as_pointer(uint64_t number) { return (void *)(uintptr_t)(number + 1); }

bool writer_known_number(const PtrMap *map, const void *key, uint64_t *number) {
    uintptr_t known = (uintptr_t)ptr_map_get(map, key);
    *number = known - 1;
    return known != 0;
}

uint64_t writer_add_attr(
    BytecodeWriter *writer, StrView dialect, bool is_custom, const StrBuf *bytes) {
    WrittenEntry entry = {dialect, strbuf_view(bytes), is_custom};
    vec_push(writer->arena, &writer->attrs, entry);
    return (uint64_t)writer->attrs.count - 1;
}

uint64_t writer_add_once(
    BytecodeWriter *writer, StrMap *known_bytes, StrView dialect, const StrBuf *bytes) {
    enum { LONG = 4096 };
    StrView key = strbuf_view(bytes);
    uintptr_t known = key.size < LONG ? (uintptr_t)str_map_get(known_bytes, key) : 0;
    if (known) return known - 1;
    uint64_t number = writer_add_attr(writer, dialect, true, bytes);
    if (key.size < LONG) str_map_set(known_bytes, key, number_as_pointer(number));
    return number;
}

uint64_t writer_add_type(
    BytecodeWriter *writer, StrView dialect, bool is_custom, const StrBuf *bytes) {
    WrittenEntry entry = {dialect, strbuf_view(bytes), is_custom};
    vec_push(writer->arena, &writer->types, entry);
    return (uint64_t)writer->types.count - 1;
}

StrBuf writer_code(const BytecodeWriter *writer, uint64_t code) {
    StrBuf bytes = strbuf(writer->arena);
    put_varint(&bytes, code);
    return bytes;
}

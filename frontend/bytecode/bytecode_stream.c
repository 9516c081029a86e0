// bytecode_stream: errors at places of the file, its table of strings, and its sections one by one.
#include "frontend/bytecode/bytecode_reader.h"

#include <stdarg.h>
#include <stdio.h>

Token bytecode_token(const void *at) { return (Token){.text = {at, 0}}; }

bool bytecode_error(Bytecode *file, const void *at, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    Token token = bytecode_token(at);
    return reader_error_at(file->reader, &token, "%s", text);
}

StrView stream_string(Bytecode *file, ByteStream *stream) {
    uint64_t index = stream_varint(stream);
    if (!stream->failed && index < (uint64_t)file->string_count) return file->strings[index];
    stream->failed = true;
    return (StrView){"", 0};
}

bool stream_section(Bytecode *file, ByteStream *stream, int *id, StrView *contents) {
    const unsigned char *at = stream->at;
    unsigned head = stream_byte(stream);
    uint64_t size = stream_varint(stream);
    *id = head & 0x7F;
    if (head & 0x80) {
        uint64_t alignment = stream_varint(stream);
        if (stream->failed || alignment == 0 || (alignment & (alignment - 1)) != 0)
            return bytecode_error(file, at, "the alignment of a section is no power of two");
        uint64_t offset = (uint64_t)((const char *)stream->at - file->bytes.data);
        StrView padding = stream_bytes(stream, (0 - offset) & (alignment - 1));
        for (size_t i = 0; i < padding.size; i++) {
            if ((unsigned char)padding.data[i] != 0xCB)
                return bytecode_error(file, padding.data + i, "expected the padding byte 0xCB");
        }
    }
    *contents = stream_bytes(stream, size);
    return !stream->failed ||
           bytecode_error(file, at, "section %d goes beyond the end of the file", *id);
}

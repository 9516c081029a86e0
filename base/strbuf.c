// StrBuf: text that grows in an arena.
#include "base/strbuf.h"

#include <stdio.h>

StrBuf strbuf(Arena *arena) { return (StrBuf){.arena = arena}; }

void strbuf_reserve(StrBuf *buf, size_t more) {
    size_t needed = 0;
    if (__builtin_add_overflow(buf->size, more, &needed) || needed > SIZE_MAX / 4) {
        arena_out_of_memory(buf->arena);
    }
    if (needed < buf->capacity) return;
    size_t capacity = buf->capacity ? buf->capacity * 2 : 64;
    while (capacity <= needed)
        capacity *= 2;
    buf->data = arena_regrow(buf->arena, buf->data, buf->capacity, capacity);
    buf->capacity = capacity;
}

void strbuf_puts(StrBuf *buf, const char *text) { strbuf_append(buf, strview(text)); }

void strbuf_putc(StrBuf *buf, char c) { strbuf_append(buf, (StrView){&c, 1}); }

void strbuf_vprintf(StrBuf *buf, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    strbuf_reserve(buf, 32);
    size_t room = buf->capacity - buf->size;
    int size = vsnprintf(buf->data + buf->size, room, format, arguments);
    if (size >= 0 && (size_t)size >= room) {
        strbuf_reserve(buf, (size_t)size);
        size = vsnprintf(buf->data + buf->size, (size_t)size + 1, format, again);
    }
    va_end(again);
    if (size > 0) buf->size += (size_t)size;
    buf->data[buf->size] = '\0';
}

void strbuf_printf(StrBuf *buf, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(buf, format, arguments);
    va_end(arguments);
}

void strbuf_escaped(StrBuf *buf, StrView text) {
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\\') {
            strbuf_puts(buf, "\\\\");
        } else if (c >= 0x20 && c < 0x7f && c != '"') {
            strbuf_putc(buf, (char)c);
        } else {
            strbuf_printf(buf, "\\%02X", c);
        }
    }
}

void strbuf_indent(StrBuf *buf, int spaces) {
    for (int i = 0; i < spaces; i++)
        strbuf_putc(buf, ' ');
}

StrView strbuf_view(const StrBuf *buf) { return (StrView){buf->data, buf->size}; }

const char *strbuf_cstring(StrBuf *buf) { return buf->data ? buf->data : ""; }

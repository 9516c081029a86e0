// StrBuf: text that grows in an arena.
#ifndef SHARDC_BASE_STRBUF_H
#define SHARDC_BASE_STRBUF_H

#include "base/arena.h"

#include <stdarg.h>

typedef struct StrBuf {
    Arena *arena; // borrowed
    char *data;   // NUL-terminated once something was appended
    size_t size, capacity;
} StrBuf;

StrBuf strbuf(Arena *arena);
void strbuf_reserve(StrBuf *buf, size_t more); // room for so many bytes more and a NUL
void strbuf_puts(StrBuf *buf, const char *text);
void strbuf_putc(StrBuf *buf, char c);
void strbuf_printf(StrBuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(StrBuf *buf, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void strbuf_escaped(StrBuf *buf, StrView text); // as in MLIR's strings, without quotes: \\ and \XX
void strbuf_indent(StrBuf *buf, int spaces);
StrView strbuf_view(const StrBuf *buf);  // borrowed until the next append
const char *strbuf_cstring(StrBuf *buf); // NUL-terminated, "" when empty

// Here for the compiler to see: the keys of types, attributes and shardings are numbers one by one.
static inline void strbuf_append(StrBuf *buf, StrView text) {
    if (text.size >= buf->capacity - buf->size) strbuf_reserve(buf, text.size);
    if (text.size) memcpy(buf->data + buf->size, text.data, text.size);
    buf->size += text.size;
    buf->data[buf->size] = '\0';
}

#endif

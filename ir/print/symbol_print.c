// Names and strings as MLIR prints them.
#include "ir/print/symbol_print.h"

bool is_word(StrView text) {
    if (text.size == 0 || (text.data[0] >= '0' && text.data[0] <= '9') || text.data[0] == '.' ||
        text.data[0] == '$')
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '$' || c == '.';
        if (!plain) return false;
    }
    return true;
}

void print_symbol(StrBuf *out, StrView text) {
    strbuf_putc(out, '@');
    // Nested symbols keep their "::@" inside the text.
    bool plain = true;
    for (size_t begin = 0; begin <= text.size;) {
        size_t end = begin;
        while (end < text.size && text.data[end] != ':')
            end++;
        plain = plain && is_word((StrView){text.data + begin, end - begin});
        bool nested = end + 3 <= text.size && memcmp(text.data + end, "::@", 3) == 0;
        if (end < text.size && !nested) plain = false;
        begin = end + (nested ? 3 : 1);
    }
    if (plain) {
        strbuf_append(out, text);
    } else {
        strbuf_putc(out, '"');
        strbuf_escaped(out, text);
        strbuf_putc(out, '"');
    }
}

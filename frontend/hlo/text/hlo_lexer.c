// hlo_lexer: see hlo_lexer.h.
#include "frontend/hlo/text/hlo_lexer.h"

#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_BRACKETS = 256 }; // nested in a value

HloLexer hlo_lexer(const HloSource *source, StrView text) {
    const char *start = text.data ? text.data : "";
    return (HloLexer){source, start, start + text.size, start, 1};
}

Loc *hlo_loc(const HloLexer *lexer) {
    Loc *loc = ARENA_NEW(lexer->source->arena, Loc);
    int64_t column = lexer->at - lexer->line_start + 1;
    loc->texts = lexer->source->texts;
    loc->line = lexer->line + lexer->source->first_line;
    loc->column = column > INT32_MAX ? INT32_MAX : (int32_t)column;
    return loc;
}

__attribute__((format(printf, 2, 0))) static const char *format_message(
    const HloLexer *lexer, const char *format, va_list arguments) {
    StrBuf text = strbuf(lexer->source->arena);
    strbuf_vprintf(&text, format, arguments);
    return strbuf_cstring(&text);
}

bool hlo_error(const HloLexer *lexer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_message(lexer, format, arguments);
    va_end(arguments);
    diag_error(lexer->source->diags, hlo_loc(lexer), "%s", message);
    return false;
}

bool hlo_unsupported(const HloLexer *lexer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *message = format_message(lexer, format, arguments);
    va_end(arguments);
    diag_unsupported(lexer->source->diags, hlo_loc(lexer), "%s", message);
    return false;
}

bool hlo_expected(const HloLexer *lexer, const char *what) {
    HloLexer found = *lexer;
    hlo_skip_blanks(&found);
    if (found.at == found.end) return hlo_error(&found, "expected %s, found the end", what);
    StrView word = hlo_peek_word(&found);
    if (word.size == 0) {
        size_t size = strview_utf8(hlo_text(&found));
        word = (StrView){found.at, size ? size : 1};
    }
    int shown = word.size > 40 ? 40 : (int)word.size;
    return hlo_error(&found, "expected %s, found '%.*s'", what, shown, word.data);
}

static bool starts_with(const HloLexer *lexer, const char *text) {
    size_t size = strlen(text);
    return (size_t)(lexer->end - lexer->at) >= size && memcmp(lexer->at, text, size) == 0;
}

static void step(HloLexer *lexer) {
    if (*lexer->at++ != '\n') return;
    lexer->line++;
    lexer->line_start = lexer->at;
}

// Comments are /* */ and // to the end of the line.
static bool skip_comment(HloLexer *lexer) {
    if (starts_with(lexer, "//")) {
        while (lexer->at < lexer->end && *lexer->at != '\n')
            lexer->at++;
        return true;
    }
    if (!starts_with(lexer, "/*")) return false;
    lexer->at += 2;
    while (lexer->at < lexer->end && !starts_with(lexer, "*/"))
        step(lexer);
    lexer->at += lexer->at < lexer->end ? 2 : 0;
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void hlo_skip_blanks(HloLexer *lexer) {
    while (lexer->at < lexer->end) {
        if (is_blank(*lexer->at)) {
            step(lexer);
        } else if (*lexer->at != '/' || !skip_comment(lexer)) {
            return;
        }
    }
}

bool hlo_at_end(HloLexer *lexer) {
    hlo_skip_blanks(lexer);
    return lexer->at == lexer->end;
}

bool hlo_looks_at(HloLexer *lexer, const char *text) {
    hlo_skip_blanks(lexer);
    return starts_with(lexer, text);
}

bool hlo_accept(HloLexer *lexer, const char *text) {
    if (!hlo_looks_at(lexer, text)) return false;
    lexer->at += strlen(text);
    return true;
}

bool hlo_expect(HloLexer *lexer, const char *text) {
    if (hlo_accept(lexer, text)) return true;
    char what[16];
    (void)snprintf(what, sizeof what, "'%s'", text);
    return hlo_expected(lexer, what);
}

static bool is_word_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

StrView hlo_peek_word(HloLexer *lexer) {
    hlo_skip_blanks(lexer);
    const char *p = lexer->at;
    while (p < lexer->end && is_word_part(*p) && !(*p == '-' && lexer->end - p > 1 && p[1] == '>'))
        p++;
    return (StrView){lexer->at, (size_t)(p - lexer->at)};
}

bool hlo_read_word(HloLexer *lexer, StrView *word, const char *what) {
    *word = hlo_peek_word(lexer);
    if (word->size == 0) return hlo_expected(lexer, what);
    lexer->at += word->size;
    return true;
}

bool hlo_accept_word(HloLexer *lexer, const char *word) {
    StrView found = hlo_peek_word(lexer);
    if (!strview_is(found, word)) return false;
    lexer->at += found.size;
    return true;
}

bool hlo_read_name(HloLexer *lexer, StrView *name, const char *what) {
    (void)hlo_accept(lexer, "%");
    return hlo_read_word(lexer, name, what);
}

bool hlo_read_int(HloLexer *lexer, int64_t *number) {
    hlo_skip_blanks(lexer);
    const char *p = lexer->at;
    if (p < lexer->end && *p == '-') p++;
    while (p < lexer->end && *p >= '0' && *p <= '9')
        p++;
    StrView text = {lexer->at, (size_t)(p - lexer->at)};
    if (!strview_to_int64(text, number)) return hlo_expected(lexer, "an integer");
    lexer->at = p;
    return true;
}

// The character behind a backslash; octal and hexadecimal numbers too.
static char unescape(const char **p, const char *end) {
    char c = *(*p)++;
    unsigned number = 0;
    int digits = 0;
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'x':
        for (; digits < 2 && *p < end; digits++, (*p)++) {
            char h = **p;
            bool is_digit = h >= '0' && h <= '9';
            bool is_letter = (h | 32) >= 'a' && (h | 32) <= 'f';
            if (!is_digit && !is_letter) break;
            number = number * 16 + (unsigned)(is_digit ? h - '0' : (h | 32) - 'a' + 10);
        }
        return (char)number;
    default: break;
    }
    if (c < '0' || c > '7') return c;
    number = (unsigned)(c - '0');
    for (digits = 1; digits < 3 && *p < end && **p >= '0' && **p <= '7'; digits++, (*p)++)
        number = number * 8 + (unsigned)(**p - '0');
    return (char)number;
}

// Behind the closing quote of the string that begins here; NULL when it does not end on its line.
static const char *string_end(const HloLexer *lexer) {
    for (const char *p = lexer->at + 1; p < lexer->end && *p != '\n'; p++) {
        if (*p == '"') return p + 1;
        if (*p == '\\' && lexer->end - p > 1) p++;
    }
    return NULL;
}

bool hlo_read_string(HloLexer *lexer, StrView *text) {
    if (!hlo_looks_at(lexer, "\"")) return hlo_expected(lexer, "a string in quotes");
    const char *end = string_end(lexer);
    if (!end) return hlo_error(lexer, "the string does not end on its line");
    char *out = arena_alloc(lexer->source->arena, (size_t)(end - lexer->at));
    size_t size = 0;
    for (const char *p = lexer->at + 1; p < end - 1;) {
        char c = *p++;
        out[size++] = c == '\\' ? unescape(&p, end - 1) : c;
    }
    *text = (StrView){out, size};
    lexer->at = end;
    return true;
}

static char closing(char c) { return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0; }

bool hlo_read_raw(HloLexer *lexer, HloLexer *value) {
    hlo_skip_blanks(lexer);
    *value = *lexer;
    char open[MAX_BRACKETS];
    int depth = 0;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '/' && skip_comment(lexer)) continue;
        if (c == '"') {
            const char *end = string_end(lexer);
            if (!end) return hlo_error(lexer, "the string does not end on its line");
            lexer->at = end;
            continue;
        }
        bool closes = c == ')' || c == ']' || c == '}';
        if (depth == 0 && (closes || c == ',' || is_blank(c))) break;
        if (closing(c)) {
            if (depth == MAX_BRACKETS)
                return hlo_error(lexer, "nesting is deeper than %d levels", MAX_BRACKETS);
            open[depth++] = closing(c);
        } else if (closes && open[--depth] != c) {
            return hlo_error(lexer, "expected '%c', found '%c'", open[depth], c);
        }
        step(lexer);
    }
    if (depth > 0) return hlo_error(value, "the brackets of this value do not close");
    value->end = lexer->at;
    return true;
}

bool hlo_skip_line(HloLexer *lexer) {
    while (lexer->at < lexer->end && *lexer->at != '\n')
        lexer->at++;
    if (lexer->at == lexer->end) return false;
    step(lexer);
    return true;
}

StrView hlo_text(const HloLexer *lexer) {
    return (StrView){lexer->at, (size_t)(lexer->end - lexer->at)};
}

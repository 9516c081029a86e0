// mlir_tokens: what every part of the reader does with tokens: errors, expected
// punctuation, numbers, strings, names.
#include "base/checked.h"
#include "frontend/mlir/syntax/mlir_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void reader_advance(Reader *reader) { reader->token = lexer_next(&reader->lexer); }

Loc *reader_loc(Reader *reader, const Token *token) {
    Loc *loc = ARENA_NEW(reader->arena, Loc);
    loc->texts = reader->file_texts;
    loc->line = token->line;
    loc->column = token->column;
    uintptr_t offset = (uintptr_t)token->text.data - (uintptr_t)reader->text.data;
    if (token->line == 0 && token->text.data && offset <= reader->text.size)
        loc->offset = (uint32_t)offset;
    return loc;
}

void reader_set_texts(Reader *reader, Loc *loc, const LocTexts *texts) {
    loc->texts = loc_texts_intern(reader->context->interner, texts);
}

__attribute__((format(printf, 5, 0))) static void report(
    Reader *reader, const Token *at, bool custom, bool unsupported, const char *format,
    va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    const Loc *loc = reader_loc(reader, at);
    const char *prefix = custom && reader->custom_op.size > 0 ? "custom op '" : "";
    StrView op = prefix[0] ? reader->custom_op : (StrView){"", 0};
    const char *suffix = prefix[0] ? "' " : "";
    if (unsupported) {
        diag_unsupported(reader->diags, loc, "%s%.*s%s%s", prefix, SV_ARG(op), suffix, text);
    } else {
        diag_error(reader->diags, loc, "%s%.*s%s%s", prefix, SV_ARG(op), suffix, text);
    }
}

bool reader_error_at(Reader *reader, const Token *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(reader, at, false, false, format, arguments);
    va_end(arguments);
    return false;
}

bool reader_custom_error(Reader *reader, const Token *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(reader, at, true, false, format, arguments);
    va_end(arguments);
    return false;
}

bool reader_unsupported(Reader *reader, const Token *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(reader, at, false, true, format, arguments);
    va_end(arguments);
    return false;
}

// What stands at the token, for "found ...": at most 40 characters, without control characters.
static const char *found(const Reader *reader, char *buffer, size_t size) {
    const Token *token = &reader->token;
    if (token->kind == TOKEN_END) return "the end of the text";
    StrView text = token->text;
    if (token->kind == TOKEN_ERROR) {
        const char *end = reader->text.data + reader->text.size;
        text = (StrView){
            reader->lexer.at - 1, reader->lexer.at > reader->text.data && reader->lexer.at <= end};
        if (text.size == 0 || (unsigned char)text.data[0] < 32 ||
            (unsigned char)text.data[0] > 126) {
            return "something that is no token";
        }
    }
    if (text.size > 40) text.size = 40;
    snprintf(buffer, size, "'%.*s'", SV_ARG(text));
    return buffer;
}

// Where something is missing: the token, or, when it begins a line, the end of the line with text
// before it.
static Token missing_at(const Reader *reader) {
    Token at = reader->token;
    const char *text = reader->text.data;
    const char *end = at.kind == TOKEN_END ? reader->lexer.at : at.text.data;
    for (;;) {
        while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
            end--;
        bool begins_line = end > text && end[-1] == '\n';
        if (end == text || (!begins_line && at.line == reader->token.line)) return reader->token;
        const char *line = end - begins_line;
        while (line > text && line[-1] != '\n')
            line--;
        if (!begins_line) {
            at.column = (int32_t)(end - line) + 1;
            return at;
        }
        end--;
        at.line--;
        for (const char *p = line; p + 1 < end; p++) { // a comment is no text
            if (p[0] == '/' && p[1] == '/') end = p;
        }
    }
}

bool reader_expected(Reader *reader, const char *what) {
    char buffer[64];
    Token missing = reader->token.kind == TOKEN_ERROR ? reader->token : missing_at(reader);
    const Token *at = &missing;
    if (at->kind == TOKEN_ERROR) {
        return reader_error_at(reader, at, "expected %s, or else %.*s", what, SV_ARG(at->text));
    }
    return reader_error_at(
        reader, at, "expected %s, found %s", what, found(reader, buffer, sizeof buffer));
}

bool reader_enter(Reader *reader) {
    if (reader->nesting >= MAX_NESTING) {
        return reader_error_at(
            reader, &reader->token, "nesting is deeper than %d levels", MAX_NESTING);
    }
    reader->nesting++;
    return true;
}

void reader_leave(Reader *reader) { reader->nesting--; }

bool accept_punctuation(Reader *reader, char c) {
    if (!at_punctuation(reader, c)) return false;
    reader_advance(reader);
    return true;
}

bool accept_word(Reader *reader, const char *word) {
    if (!at_word(reader, word)) return false;
    reader_advance(reader);
    return true;
}

bool expect_punctuation(Reader *reader, char c) {
    if (accept_punctuation(reader, c)) return true;
    char what[4] = {'\'', c, '\'', 0};
    return reader_expected(reader, what);
}

bool expect_word(Reader *reader, const char *word) {
    if (accept_word(reader, word)) return true;
    char buffer[64];
    return reader_custom_error(
        reader, &reader->token, "expected '%s', found %s", word,
        found(reader, buffer, sizeof buffer));
}

bool expect_arrow(Reader *reader) {
    if (reader->token.kind != TOKEN_ARROW) return reader_expected(reader, "'->'");
    reader_advance(reader);
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool token_to_uint64(StrView text, uint64_t *number) {
    uint64_t value = 0;
    bool is_hex = text.size > 2 && text.data[0] == '0' && text.data[1] == 'x';
    uint64_t base = is_hex ? 16 : 10;
    for (size_t i = is_hex ? 2 : 0; i < text.size; i++) {
        int digit = hex_digit(text.data[i]);
        if (digit < 0 || (uint64_t)digit >= base) return false;
        if (__builtin_mul_overflow(value, base, &value)) return false;
        if (__builtin_add_overflow(value, (uint64_t)digit, &value)) return false;
    }
    *number = value;
    return text.size > 0;
}

bool read_int64(Reader *reader, int64_t *number) {
    bool negative = accept_punctuation(reader, '-');
    if (reader->token.kind != TOKEN_INTEGER) {
        char buffer[64];
        return reader_custom_error(
            reader, &reader->token, "expected integer value, found %s",
            found(reader, buffer, sizeof buffer));
    }
    uint64_t magnitude;
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    if (!token_to_uint64(reader->token.text, &magnitude) || magnitude > limit) {
        return reader_custom_error(reader, &reader->token, "integer value too large");
    }
    *number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    reader_advance(reader);
    return true;
}

bool read_double(Reader *reader, double *number) {
    bool negative = accept_punctuation(reader, '-');
    bool is_number = reader->token.kind == TOKEN_INTEGER || reader->token.kind == TOKEN_FLOAT;
    if (!is_number) return reader_expected(reader, "floating point literal");
    if (!strview_to_double(reader->token.text, number)) {
        return reader_error_at(reader, &reader->token, "floating point value too large");
    }
    if (negative) *number = -*number;
    reader_advance(reader);
    return true;
}

bool read_int_list(Reader *reader, char open, char close, bool dynamic) {
    if (!expect_punctuation(reader, open)) return false;
    if (accept_punctuation(reader, close)) return true;
    do {
        int64_t number = 0;
        if (dynamic && accept_punctuation(reader, '?')) {
            number = DIM_DYNAMIC;
        } else if (!read_int64(reader, &number)) {
            return false;
        }
        vec_push(reader->scratch, &reader->ints, number);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, close);
}

IntSpan ints_from(const Reader *reader, int64_t base) {
    return (IntSpan){
        reader->ints.data ? reader->ints.data + base : NULL, (int)(reader->ints.count - base)};
}

StrView string_unescape(Reader *reader, StrView quoted) {
    StrView raw = {quoted.data + 1, quoted.size - 2};
    if (raw.size == 0 || !memchr(raw.data, '\\', raw.size))
        return context_name(reader->context, raw);
    char *text = arena_alloc(reader->scratch, raw.size);
    size_t size = 0;
    for (size_t i = 0; i < raw.size; i++) {
        if (raw.data[i] != '\\' || i + 1 == raw.size) {
            text[size++] = raw.data[i];
            continue;
        }
        char next = raw.data[i + 1];
        int high = hex_digit(next);
        int low = i + 2 < raw.size ? hex_digit(raw.data[i + 2]) : -1;
        if (next == 'n' || next == 't' || next == '"' || next == '\\') {
            text[size++] = next == 'n' ? '\n' : next == 't' ? '\t' : next;
            i += 1;
        } else if (high >= 0 && low >= 0) {
            text[size++] = (char)(high * 16 + low);
            i += 2;
        } else {
            text[size++] = '\\';
        }
    }
    return context_name(reader->context, (StrView){text, size});
}

bool read_string(Reader *reader, StrView *text) {
    if (reader->token.kind != TOKEN_STRING) return reader_expected(reader, "string");
    *text = string_unescape(reader, reader->token.text);
    reader_advance(reader);
    return true;
}

bool read_symbol(Reader *reader, StrView *name) {
    if (reader->token.kind != TOKEN_AT) {
        return reader_custom_error(
            reader, &reader->token, "expected valid '@'-identifier for symbol name");
    }
    StrView text = {reader->token.text.data + 1, reader->token.text.size - 1};
    *name =
        text.data[0] == '"' ? string_unescape(reader, text) : context_name(reader->context, text);
    reader_advance(reader);
    return true;
}

bool read_balanced(Reader *reader, StrView *text) {
    const char *start = reader->token.text.data;
    const char *end;
    Token open = reader->token;
    int depth = 0;
    do {
        const Token *token = &reader->token;
        if (token->kind == TOKEN_END)
            return reader_error_at(reader, &open, "this bracket is never closed");
        char c = token->kind == TOKEN_PUNCTUATION ? token->punctuation : 0;
        if (c == '(' || c == '[' || c == '{' || c == '<') depth++;
        if (c == ')' || c == ']' || c == '}' || c == '>') depth--;
        end = token->kind == TOKEN_ERROR ? reader->lexer.at : token->text.data + token->text.size;
        reader_advance(reader);
    } while (depth > 0);
    *text = context_name(reader->context, (StrView){start, (size_t)(end - start)});
    return true;
}

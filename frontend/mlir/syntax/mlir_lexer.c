// mlir_lexer: text to tokens, one at a time, nothing copied.
#include "frontend/mlir/syntax/mlir_lexer.h"

Lexer lexer_at_start(StrView text) {
    const char *start = text.data ? text.data : "";
    return (Lexer){start, start + text.size, start, 1};
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static bool is_word_part(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }
static bool is_name_part(char c) { return is_word_part(c) || c == '-'; }

static void skip_blanks(Lexer *lexer) {
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->at++;
            lexer->line++;
            lexer->line_start = lexer->at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lexer->at++;
        } else if (c == '/' && lexer->end - lexer->at > 1 && lexer->at[1] == '/') {
            const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = newline ? newline : lexer->end;
        } else {
            return;
        }
    }
}

static Token token_error(Token token, const char *message) {
    token.kind = TOKEN_ERROR;
    token.text = strview(message);
    return token;
}

// 12, 0x1F, 1.5, 1.5e-3. As in MLIR `0x` with a hex digit is hexadecimal, and
// `8x16` begins with the integer 8.
static Token number(Lexer *lexer, Token token) {
    const char *p = lexer->at;
    const char *end = lexer->end;
    token.kind = TOKEN_INTEGER;
    if (*p == '0' && end - p > 2 && p[1] == 'x' && is_hex_digit(p[2])) {
        p += 2;
        while (p < end && is_hex_digit(*p))
            p++;
    } else {
        while (p < end && is_digit(*p))
            p++;
        if (p < end && *p == '.') {
            token.kind = TOKEN_FLOAT;
            p++;
            while (p < end && is_digit(*p))
                p++;
            const char *e = p;
            if (e < end && (*e == 'e' || *e == 'E')) {
                e++;
                if (e < end && (*e == '+' || *e == '-')) e++;
                if (e < end && is_digit(*e)) {
                    while (e < end && is_digit(*e))
                        e++;
                    p = e;
                }
            }
        }
    }
    token.text = (StrView){lexer->at, (size_t)(p - lexer->at)};
    lexer->at = p;
    return token;
}

// Moves past a string in quotes; false when it does not end on its line.
static bool skip_string(Lexer *lexer) {
    const char *p = lexer->at + 1;
    while (p < lexer->end) {
        if (*p == '"') {
            lexer->at = p + 1;
            return true;
        }
        if (*p == '\n') return false;
        p += *p == '\\' && lexer->end - p > 1 && p[1] != '\n' ? 2 : 1;
    }
    return false;
}

// %name, #name, !name, ^name, @name: the character in front, then digits or a name.
static Token prefixed(Lexer *lexer, Token token, TokenKind kind) {
    const char *start = lexer->at;
    const char *p = start + 1;
    token.kind = kind;
    if (p < lexer->end && kind == TOKEN_AT && *p == '"') {
        lexer->at = p;
        if (!skip_string(lexer)) {
            lexer->at = lexer->end;
            return token_error(token, "a string that ends on its line");
        }
        token.text = (StrView){start, (size_t)(lexer->at - start)};
        return token;
    }
    if (p < lexer->end && is_digit(*p) && kind != TOKEN_AT) {
        while (p < lexer->end && is_digit(*p))
            p++;
    } else if (p < lexer->end && kind == TOKEN_AT && is_letter(*p)) {
        while (p < lexer->end && is_word_part(*p))
            p++;
    } else if (p < lexer->end && kind != TOKEN_AT && is_name_part(*p)) {
        // A `-` that begins an arrow is no part of the name.
        while (p < lexer->end && is_name_part(*p) &&
               !(*p == '-' && lexer->end - p > 1 && p[1] == '>')) {
            p++;
        }
    } else {
        lexer->at++;
        return token_error(token, "a name after this character");
    }
    token.text = (StrView){start, (size_t)(p - start)};
    lexer->at = p;
    return token;
}

static Token fixed(Lexer *lexer, Token token, TokenKind kind, size_t size) {
    token.kind = kind;
    token.punctuation = kind == TOKEN_PUNCTUATION ? *lexer->at : 0;
    token.text = (StrView){lexer->at, size};
    lexer->at += size;
    return token;
}

static bool looks_at(const Lexer *lexer, const char *text) {
    size_t size = strlen(text);
    return (size_t)(lexer->end - lexer->at) >= size && memcmp(lexer->at, text, size) == 0;
}

Token lexer_next(Lexer *lexer) {
    skip_blanks(lexer);
    int64_t column = lexer->at - lexer->line_start + 1;
    Token token = {
        .kind = TOKEN_END,
        .text = {lexer->at, 0},
        .line = lexer->line,
        .column = column > INT32_MAX ? INT32_MAX : (int32_t)column};
    if (lexer->at == lexer->end) return token;
    char c = *lexer->at;
    if (is_letter(c)) {
        const char *p = lexer->at + 1;
        while (p < lexer->end && is_word_part(*p))
            p++;
        return fixed(lexer, token, TOKEN_WORD, (size_t)(p - lexer->at));
    }
    if (is_digit(c)) return number(lexer, token);
    switch (c) {
    case '%': return prefixed(lexer, token, TOKEN_PERCENT);
    case '@': return prefixed(lexer, token, TOKEN_AT);
    case '!': return prefixed(lexer, token, TOKEN_EXCLAMATION);
    case '^': return prefixed(lexer, token, TOKEN_CARET);
    case '#':
        if (looks_at(lexer, "#-}")) return fixed(lexer, token, TOKEN_FILE_END, 3);
        return prefixed(lexer, token, TOKEN_HASH);
    case '"': {
        const char *start = lexer->at;
        if (!skip_string(lexer)) {
            lexer->at = lexer->end;
            return token_error(token, "a string that ends on its line");
        }
        token.kind = TOKEN_STRING;
        token.text = (StrView){start, (size_t)(lexer->at - start)};
        return token;
    }
    case '-':
        if (looks_at(lexer, "->")) return fixed(lexer, token, TOKEN_ARROW, 2);
        return fixed(lexer, token, TOKEN_PUNCTUATION, 1);
    case ':':
        if (looks_at(lexer, "::")) return fixed(lexer, token, TOKEN_COLON_COLON, 2);
        return fixed(lexer, token, TOKEN_PUNCTUATION, 1);
    case '{':
        if (looks_at(lexer, "{-#")) return fixed(lexer, token, TOKEN_FILE_BEGIN, 3);
        return fixed(lexer, token, TOKEN_PUNCTUATION, 1);
    case '.':
        if (looks_at(lexer, "...")) return fixed(lexer, token, TOKEN_ELLIPSIS, 3);
        break;
    default:
        if (strchr("(){}[]<>,=?*+/|", c) && c) return fixed(lexer, token, TOKEN_PUNCTUATION, 1);
        break;
    }
    lexer->at++;
    return token_error(token, "a character of MLIR's syntax");
}

// Tokens of MLIR's text form.
#ifndef SHARDC_FRONTEND_MLIR_LEXER_H
#define SHARDC_FRONTEND_MLIR_LEXER_H

#include "base/strview.h"

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_ERROR,       // a character or a piece of text that is no token; text: what is wrong
    TOKEN_WORD,        // module, func.func, dense, x, f32 (bare identifiers)
    TOKEN_AT,          // @name, @"name" (text with the @)
    TOKEN_PERCENT,     // %name
    TOKEN_HASH,        // #name
    TOKEN_EXCLAMATION, // !name
    TOKEN_CARET,       // ^name
    TOKEN_INTEGER,     // 12, 0xFF (no sign)
    TOKEN_FLOAT,       // 1.0, 1.0e-3 (no sign)
    TOKEN_STRING,      // "..." (text with the quotes, escapes as written)
    TOKEN_ARROW,       // ->
    TOKEN_COLON_COLON, // ::
    TOKEN_FILE_BEGIN,  // {-#
    TOKEN_FILE_END,    // #-}
    TOKEN_ELLIPSIS,    // ...
    TOKEN_PUNCTUATION  // one of ( ) { } [ ] < > , : = ? * + - / |
} TokenKind;

typedef struct Token {
    TokenKind kind;
    char punctuation;     // TOKEN_PUNCTUATION
    StrView text;         // in the program text
    int32_t line, column; // from 1
} Token;

// Where the next token begins.
typedef struct Lexer {
    const char *at, *end;
    const char *line_start;
    int32_t line;
} Lexer;

Lexer lexer_at_start(StrView text);
Token lexer_next(Lexer *lexer);

#endif

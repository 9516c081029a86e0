// Reading HLO's text without tokens: a place in the text, and functions that
// move it over one piece of syntax.
//
// An attribute's value is a piece of text (hlo_read_raw): a copy of the lexer whose end is the end
// of the piece reads it, with the right places for diagnostics.
#ifndef SHARDC_FRONTEND_HLO_LEXER_H
#define SHARDC_FRONTEND_HLO_LEXER_H

#include "frontend/hlo/module/hlo_module.h"

typedef struct HloLexer {
    const HloSource *source;
    const char *at, *end;
    const char *line_start;
    int32_t line; // from 1, in the text
} HloLexer;

HloLexer hlo_lexer(const HloSource *source, StrView text);
Loc *hlo_loc(const HloLexer *lexer); // in the source's arena

// Diagnostics at the lexer's place; always false.
bool hlo_error(const HloLexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool hlo_unsupported(const HloLexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool hlo_expected(const HloLexer *lexer, const char *what); // "expected WHAT, found ..."

// All of these skip blanks and comments first.
void hlo_skip_blanks(HloLexer *lexer);
bool hlo_at_end(HloLexer *lexer);
bool hlo_looks_at(HloLexer *lexer, const char *text);
bool hlo_accept(HloLexer *lexer, const char *text);
bool hlo_expect(HloLexer *lexer, const char *text);
// Letters, digits and `_ . -`, but no `-` that begins an arrow; empty when there is
// none. hlo_peek_word does not move.
StrView hlo_peek_word(HloLexer *lexer);
bool hlo_read_word(HloLexer *lexer, StrView *word, const char *what);
bool hlo_accept_word(HloLexer *lexer, const char *word); // the whole word
// a word, with or without % in front
bool hlo_read_name(HloLexer *lexer, StrView *name, const char *what);
bool hlo_read_int(HloLexer *lexer, int64_t *number); // decimal, with an optional sign
// "..." with C's escapes, unescaped, in the arena
bool hlo_read_string(HloLexer *lexer, StrView *text);
// Up to the comma, blank or closing bracket that ends a value; brackets in it are balanced,
// strings and comments are skipped.
bool hlo_read_raw(HloLexer *lexer, HloLexer *value);
bool hlo_skip_line(HloLexer *lexer);     // up to the end of the line; false at the end of the text
StrView hlo_text(const HloLexer *lexer); // what is left

#endif

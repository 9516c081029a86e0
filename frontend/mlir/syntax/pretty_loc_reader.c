// pretty_loc_reader: what stands behind an op: loc(...), or the location as MLIR prints it for
// people (mlir-print-pretty-debuginfo; PyTorch/XLA's StableHLO with XLA_HLO_DEBUG=1): without
// `loc(...)`, files without quotes. MLIR itself does not read them again.
//
//   #loc1 = model.py:12:0                     #loc3 = #loc2
//   #loc2 = "forward"(#loc1)                   at #loc1
//   %0 = stablehlo.add %a, %b : tensor<4xf32> "aten__add"(#loc3)
//   } [unknown]
#include "frontend/mlir/syntax/mlir_reader.h"

static bool read_pretty_loc(Reader *reader, LocDraft *draft);

static const char *token_start(const Reader *reader) {
    return reader->lexer.line_start + (reader->token.column - 1);
}

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

// The end of `:12:0` at this place; NULL when something else is there.
static const char *line_and_column(const char *at, const char *end) {
    for (int i = 0; i < 2; i++) {
        if (at == end || *at != ':') return NULL;
        const char *digits = skip_digits(at + 1, end);
        if (digits == at + 1) return NULL;
        at = digits;
    }
    bool ends = at == end || memchr("\n\r,)] ", *at, 6);
    return ends ? at : NULL;
}

// The colon behind the path of a file at the next token; NULL when that begins none.
static const char *find_path_end(const Reader *reader) {
    const char *end = reader->text.data + reader->text.size;
    const char *start = token_start(reader);
    for (const char *at = start; at < end && !memchr("\n\"%(){}[],=", *at, 11); at++) {
        if (at > start && line_and_column(at, end)) return at;
    }
    return NULL;
}

// model.py:12:0, and what `to :5` or `to 13:5` says of its end.
static bool read_path(Reader *reader, const char *path_end, LocDraft *draft) {
    const char *start = token_start(reader);
    StrView path = {start, (size_t)(path_end - start)};
    reader->lexer.at = path_end;
    reader_advance(reader);
    int64_t line = 0;
    int64_t column = 0;
    if (!expect_punctuation(reader, ':') || !read_int64(reader, &line) ||
        !expect_punctuation(reader, ':') || !read_int64(reader, &column)) {
        return false;
    }
    if (accept_word(reader, "to")) {
        int64_t ignored;
        if (reader->token.kind == TOKEN_INTEGER && !read_int64(reader, &ignored)) return false;
        if (!expect_punctuation(reader, ':') || !read_int64(reader, &ignored)) return false;
    }
    const LocTexts part = {
        .model_file = context_name(reader->context, path),
        .model_line = loc_number(line),
        .model_column = loc_number(column)};
    loc_texts_add(&draft->texts, &part);
    return true;
}

static bool read_name(Reader *reader, LocDraft *draft) {
    LocTexts part = {0};
    if (!read_string(reader, &part.name)) return false;
    loc_texts_add(&draft->texts, &part);
    if (!accept_punctuation(reader, '(')) return true;
    return read_pretty_loc(reader, draft) && expect_punctuation(reader, ')');
}

// [unknown], or the parts of a fused location with or without <metadata>.
static bool read_parts(Reader *reader, LocDraft *draft) {
    if (accept_punctuation(reader, '<')) {
        if (!read_attr(reader) || !expect_punctuation(reader, '>')) return false;
    }
    if (!expect_punctuation(reader, '[')) return false;
    if (accept_word(reader, "unknown")) return expect_punctuation(reader, ']');
    if (accept_punctuation(reader, ']')) return true;
    do {
        if (!read_pretty_loc(reader, draft)) return false;
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ']');
}

static bool read_one(Reader *reader, LocDraft *draft) {
    if (reader->token.kind == TOKEN_STRING) return read_name(reader, draft);
    if (reader->token.kind == TOKEN_HASH) return read_loc(reader, draft);
    const char *path_end = find_path_end(reader);
    if (path_end) return read_path(reader, path_end, draft);
    return read_parts(reader, draft);
}

static bool read_pretty_loc(Reader *reader, LocDraft *draft) {
    if (!reader_enter(reader)) return false;
    bool ok = read_one(reader, draft);
    if (ok && accept_word(reader, "at")) {
        LocDraft caller = {0};
        ok = read_pretty_loc(reader, &caller);
    }
    reader_leave(reader);
    return ok;
}

// Is the next token on the line of the one before it?
static bool is_on_same_line(const Reader *reader) {
    const char *at = token_start(reader);
    while (at > reader->text.data && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at > reader->text.data && at[-1] != '\n' && at[-1] != '\r';
}

// An op in the generic form begins with a name as well; what stands in its parentheses are values.
static bool is_name_of_op(const Reader *reader) {
    Lexer ahead = reader->lexer;
    Token next = lexer_next(&ahead);
    if (next.kind != TOKEN_PUNCTUATION || next.punctuation != '(') return false;
    next = lexer_next(&ahead);
    return next.kind == TOKEN_PERCENT ||
           (next.kind == TOKEN_PUNCTUATION && next.punctuation == ')');
}

static bool at_pretty_loc(const Reader *reader) {
    if (reader->token.line == 0 || !is_on_same_line(reader)) return false;
    switch (reader->token.kind) {
    case TOKEN_STRING: return !is_name_of_op(reader);
    case TOKEN_HASH: return true;
    case TOKEN_PUNCTUATION:
        return reader->token.punctuation == '[' ||
               (!strchr(",(){}", reader->token.punctuation) && find_path_end(reader));
    case TOKEN_WORD:
    case TOKEN_INTEGER:
    case TOKEN_FLOAT:
    case TOKEN_ELLIPSIS:
    case TOKEN_ERROR: return find_path_end(reader) != NULL;
    default: return false;
    }
}

bool read_loc_trailer(Reader *reader, Loc *loc) {
    bool is_pretty = !at_word(reader, "loc");
    if (is_pretty && !at_pretty_loc(reader)) return true;
    LocDraft draft = {loc, *loc_texts(loc)};
    if (!is_pretty) reader_advance(reader);
    bool ok = is_pretty ? read_pretty_loc(reader, &draft)
                        : expect_punctuation(reader, '(') && read_loc(reader, &draft) &&
                              expect_punctuation(reader, ')');
    if (ok) reader_set_texts(reader, loc, &draft.texts);
    return ok;
}

// #loc, #loc12: the names that MLIR gives to locations.
static bool names_loc(StrView alias) {
    const char *end = alias.data + alias.size;
    return strview_starts_with(alias, SV("#loc")) && skip_digits(alias.data + 4, end) == end;
}

bool read_pretty_loc_alias(Reader *reader, StrView name, Alias *alias, bool *found) {
    *found = names_loc(name) && !at_word(reader, "loc") && at_pretty_loc(reader);
    if (!*found) return true;
    // A text alone may be an attribute that somebody called so.
    if (reader->token.kind == TOKEN_STRING)
        alias->attr = attr_string(reader->context, string_unescape(reader, reader->token.text));
    Loc *loc = ARENA_NEW(reader->arena, Loc);
    LocDraft draft = {.loc = loc};
    alias->loc = loc;
    if (!read_pretty_loc(reader, &draft)) return false;
    reader_set_texts(reader, loc, &draft.texts);
    return true;
}

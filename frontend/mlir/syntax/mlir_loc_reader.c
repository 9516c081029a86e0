// mlir_loc_reader: loc(...): where the model's author wrote an op. Of a location with several parts
// the first with a file is kept, and the first name.
#include "frontend/mlir/syntax/mlir_reader.h"

int32_t loc_number(int64_t number) {
    return number < 0 ? 0 : number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

// "file":3:4, "file":3:4 to 5:6, or "name", "name"(loc)
static bool read_name_or_file(Reader *reader, LocDraft *draft) {
    StrView text;
    if (!read_string(reader, &text)) return false;
    if (accept_punctuation(reader, ':')) {
        int64_t line = 0;
        int64_t column = 0;
        if (!read_int64(reader, &line) || !expect_punctuation(reader, ':') ||
            !read_int64(reader, &column)) {
            return false;
        }
        if (accept_word(reader, "to")) {
            int64_t ignored;
            if (reader->token.kind == TOKEN_INTEGER && !read_int64(reader, &ignored)) return false;
            if (!expect_punctuation(reader, ':') || !read_int64(reader, &ignored)) return false;
        }
        const LocTexts part = {
            .model_file = text, .model_line = loc_number(line), .model_column = loc_number(column)};
        loc_texts_add(&draft->texts, &part);
        return true;
    }
    const LocTexts part = {.name = text};
    loc_texts_add(&draft->texts, &part);
    if (!accept_punctuation(reader, '(')) return true;
    return read_loc(reader, draft) && expect_punctuation(reader, ')');
}

static bool read_fused(Reader *reader, LocDraft *draft) {
    if (accept_punctuation(reader, '<')) {
        if (!read_attr(reader) || !expect_punctuation(reader, '>')) return false;
    }
    if (!expect_punctuation(reader, '[')) return false;
    if (accept_punctuation(reader, ']')) return true;
    do {
        if (!read_loc(reader, draft)) return false;
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ']');
}

static bool read_loc_inner(Reader *reader, LocDraft *draft) {
    if (reader->token.kind == TOKEN_STRING) return read_name_or_file(reader, draft);
    if (accept_word(reader, "unknown")) return true;
    if (accept_word(reader, "fused")) return read_fused(reader, draft);
    if (accept_word(reader, "loc")) {
        return expect_punctuation(reader, '(') && read_loc(reader, draft) &&
               expect_punctuation(reader, ')');
    }
    if (accept_word(reader, "callsite")) {
        LocDraft caller = {0};
        return expect_punctuation(reader, '(') && read_loc(reader, draft) &&
               expect_word(reader, "at") && read_loc(reader, &caller) &&
               expect_punctuation(reader, ')');
    }
    if (reader->token.kind == TOKEN_HASH) {
        const Alias *alias = str_map_get(&reader->aliases, reader->token.text);
        if (alias && alias->loc) {
            loc_texts_add(&draft->texts, loc_texts(alias->loc));
        } else {
            PendingLoc pending = {draft->loc, reader->token};
            vec_push(reader->scratch, &reader->pending_locs, pending);
        }
        reader_advance(reader);
        return true;
    }
    return reader_expected(reader, "location instance");
}

bool read_loc(Reader *reader, LocDraft *draft) {
    if (!reader_enter(reader)) return false;
    bool ok = read_loc_inner(reader, draft);
    reader_leave(reader);
    return ok;
}

bool resolve_pending_locs(Reader *reader) {
    // Aliases may refer to later aliases: two rounds see through a chain whose links are in reverse
    // order.
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < reader->pending_locs.count; i++) {
            const PendingLoc *pending = &reader->pending_locs.data[i];
            const Alias *alias = str_map_get(&reader->aliases, pending->token.text);
            if (!alias || !alias->loc) {
                return reader_error_at(
                    reader, &pending->token, "operation location alias was never defined: '%.*s'",
                    SV_ARG(pending->token.text));
            }
            if (!pending->loc) continue;
            LocTexts texts = *loc_texts(pending->loc);
            loc_texts_add(&texts, loc_texts(alias->loc));
            reader_set_texts(reader, pending->loc, &texts);
        }
    }
    return true;
}

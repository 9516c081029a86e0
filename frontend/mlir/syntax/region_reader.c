// region_reader: regions, their arguments and the ops in them.
#include "frontend/mlir/syntax/mlir_reader.h"

Region *region_detached(Reader *reader) { return ARENA_NEW(reader->arena, Region); }

// %x : T [{...}] [loc]
static bool read_block_arg(Reader *reader, Region *region, Scope *scope, bool with_attrs) {
    Token name = reader->token;
    if (name.kind != TOKEN_PERCENT) return reader_expected(reader, "region argument");
    reader_advance(reader);
    if (!expect_punctuation(reader, ':')) return false;
    const Type *type = read_type(reader);
    if (!type) return false;
    Loc *loc = reader_loc(reader, &name);
    Value *value = region_add_arg(reader->module, region, type, loc);
    if (with_attrs && at_punctuation(reader, '{')) {
        int64_t base = reader->attrs.count;
        if (!read_attr_dict(reader)) return false;
        reader->attrs.count = base;
    }
    return read_loc_trailer(reader, loc) && bind_value(reader, scope, &name, value, 1);
}

// (%a: T, ...), or nothing
static bool read_block_args(Reader *reader, Region *region, Scope *scope, bool with_attrs) {
    if (!accept_punctuation(reader, '(') || accept_punctuation(reader, ')')) return true;
    do {
        if (!read_block_arg(reader, region, scope, with_attrs)) return false;
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ')');
}

// ^bb0(%a: T, ...):
static bool read_block_label(Reader *reader, Region *region, Scope *scope) {
    reader_advance(reader);
    return read_block_args(reader, region, scope, false) && expect_punctuation(reader, ':');
}

bool read_region_body(Reader *reader, Region *region, Scope *scope) {
    if (!reader_enter(reader)) return false;
    StrView custom_op = reader->custom_op;
    reader->custom_op = (StrView){NULL, 0};
    if (!expect_punctuation(reader, '{')) return false;
    if (reader->token.kind == TOKEN_CARET && region->arg_count == 0 &&
        !read_block_label(reader, region, scope)) {
        return false;
    }
    while (!at_punctuation(reader, '}')) {
        if (reader->token.kind == TOKEN_CARET) {
            return reader_unsupported(
                reader, &reader->token, "regions of more than one block are not supported");
        }
        if (reader->token.kind == TOKEN_END)
            return reader_expected(reader, "operation name in quotes");
        if (!reader->grammar->op(reader, region, scope)) return false;
    }
    reader_advance(reader);
    reader->custom_op = custom_op;
    reader_leave(reader);
    return true;
}

bool read_region(Reader *reader, Region *region, bool isolated) {
    Scope scope = scope_open(reader, isolated);
    bool ok = read_region_body(reader, region, &scope);
    scope_close(reader, &scope);
    return ok;
}

bool read_region_with_args(Reader *reader) {
    Region *region = region_detached(reader);
    Scope scope = scope_open(reader, false);
    bool ok =
        read_block_args(reader, region, &scope, true) && read_region_body(reader, region, &scope);
    scope_close(reader, &scope);
    vec_push(reader->scratch, &reader->regions, region);
    return ok;
}

bool read_generic_regions(Reader *reader) {
    if (!accept_punctuation(reader, '(')) return true;
    do {
        if (!at_punctuation(reader, '{')) return reader_expected(reader, "'{' to begin a region");
        Region *region = region_detached(reader);
        if (!read_region(reader, region, false)) return false;
        vec_push(reader->scratch, &reader->regions, region);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ')');
}

// fragment_reader: pieces of MLIR text, for programs that are built in memory.
#include "frontend/mlir/forms/sdy_attrs.h"
#include "frontend/mlir/mlir_module_reader.h"
#include "frontend/mlir/op_reader.h"

// A reader of the piece; diagnostics show the piece as their source.
static Reader *open_piece(
    Module *module, Arena *arena, const char *what, StrView text, ReadOptions *options,
    Diags *diags) {
    *options = (ReadOptions){.file = strview(what)};
    diags->file = options->file;
    diags->text = text;
    return reader_open(module, arena, arena, text, options, diags);
}

static bool at_end(Reader *reader) {
    return reader->token.kind == TOKEN_END || reader_expected(reader, "the end of the text");
}

const Type *frontend_read_type(Module *module, Arena *scratch, StrView text, Diags *diags) {
    ReadOptions options;
    Reader *reader = open_piece(module, scratch, "<type>", text, &options, diags);
    const Type *type = read_type(reader);
    return type && at_end(reader) ? type : NULL;
}

const Sharding *frontend_read_sharding(Module *module, Arena *scratch, StrView text, Diags *diags) {
    ReadOptions options;
    Reader *reader = open_piece(module, scratch, "<sharding>", text, &options, diags);
    if (reader->token.kind != TOKEN_HASH) {
        const Sharding *sharding = read_sharding(reader);
        return sharding && at_end(reader) ? sharding : NULL;
    }
    Token at = reader->token;
    const Attr *attr = read_attr(reader);
    if (!attr || !at_end(reader)) return NULL;
    if (attr->kind == ATTR_SHARDING) return attr->sharding;
    (void)reader_error_at(reader, &at, "expected a sharding: <@mesh, [{\"x\"}, {}]>");
    return NULL;
}

const Attr *frontend_read_attr(Module *module, Arena *scratch, StrView text, Diags *diags) {
    ReadOptions options;
    Reader *reader = open_piece(module, scratch, "<attribute>", text, &options, diags);
    const Attr *attr = read_attr(reader);
    return attr && at_end(reader) ? attr : NULL;
}

bool frontend_read_attrs(Op *op, Module *module, Arena *scratch, StrView text, Diags *diags) {
    StrBuf braced = strbuf(scratch);
    strbuf_putc(&braced, '{');
    strbuf_append(&braced, text);
    strbuf_putc(&braced, '}');
    ReadOptions options;
    Reader *reader =
        open_piece(module, scratch, "<attributes>", strbuf_view(&braced), &options, diags);
    return read_attr_dict(reader) && at_end(reader) && op_set_attrs(reader, op, 0);
}

static bool read_ops(
    Module *module, Arena *scratch, Region *region, StrView file, StrView text, int nesting,
    Diags *diags) {
    ReadOptions options = {.file = file};
    diags->file = file;
    diags->text = text;
    Reader *reader = reader_open(module, module->arena, scratch, text, &options, diags);
    reader->nesting = nesting;
    Scope scope = scope_open(reader, true);
    for (int i = 0; i < region->arg_count; i++) {
        Token name = {.kind = TOKEN_PERCENT};
        name.text = strview(arena_printf(scratch, "%%operand%d", i));
        if (!bind_value(reader, &scope, &name, region->args[i], 1)) return false;
    }
    while (reader->token.kind != TOKEN_END) {
        if (reader->token.kind == TOKEN_CARET)
            return reader_expected(reader, "an op: the text is one block without a label");
        if (!read_op(reader, region, &scope)) return false;
    }
    scope_close(reader, &scope);
    return resolve_pending_locs(reader);
}

bool frontend_read_ops(
    Module *module, Region *region, StrView file, StrView text, int nesting, Diags *diags) {
    Arena *scratch = arena_child(module->arena);
    bool ok = read_ops(module, scratch, region, file, text, nesting, diags);
    arena_reset(scratch);
    return ok;
}

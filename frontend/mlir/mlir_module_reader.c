// mlir_module_reader: the top level of MLIR's text form: aliases, the module and what stands in it.
// After an error in a function the reader goes on with the next one.
#include "frontend/mlir/mlir_module_reader.h"

#include "frontend/mlir/forms/forms.h"
#include "frontend/mlir/op_reader.h"

// Aliases of aliases multiply: a few lines of text could stand for more than any memory holds.
enum { MAX_ALIAS_WEIGHT = 1 << 20 };

// #name = attribute or loc(...), !name = type
static bool read_alias_definition(Reader *reader) {
    Token name = reader->token;
    reader_advance(reader);
    if (!expect_punctuation(reader, '=')) return false;
    Alias *alias = ARENA_NEW(reader->scratch, Alias);
    const Alias *known = str_map_get(&reader->aliases, name.text);
    if (known)
        return reader_error_at(reader, &name, "redefinition of alias '%.*s'", SV_ARG(name.text));
    reader->weight = 0;
    if (name.kind == TOKEN_EXCLAMATION) {
        alias->type = read_type(reader);
        if (!alias->type) return false;
    } else if (at_word(reader, "loc")) {
        Loc *loc = ARENA_NEW(reader->arena, Loc);
        if (!read_loc_trailer(reader, loc)) return false;
        alias->loc = loc;
    } else {
        bool is_pretty;
        if (!read_pretty_loc_alias(reader, name.text, alias, &is_pretty)) return false;
        if (!is_pretty) alias->attr = read_attr(reader);
        if (!is_pretty && !alias->attr) return false;
    }
    alias->weight = reader->weight;
    if (alias->weight > MAX_ALIAS_WEIGHT)
        return reader_error_at(
            reader, &name, "alias '%.*s' stands for more than %d types and attributes",
            SV_ARG(name.text), MAX_ALIAS_WEIGHT);
    str_map_set(&reader->aliases, name.text, alias);
    return true;
}

// Moves to the next line that begins a function or a mesh; false when there is none.
static bool skip_to_next(Reader *reader) {
    static const char *const starts[] = {"func.func", "\"func.func\"", "sdy.mesh"};
    Lexer *lexer = &reader->lexer;
    while (lexer->at < lexer->end) {
        const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
        if (!newline) return false;
        lexer->at = newline + 1;
        lexer->line++;
        lexer->line_start = lexer->at;
        const char *p = lexer->at;
        while (p < lexer->end && (*p == ' ' || *p == '\t'))
            p++;
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
            StrView rest = {p, (size_t)(lexer->end - p)};
            if (!strview_starts_with(rest, strview(starts[i]))) continue;
            reader_advance(reader);
            return true;
        }
    }
    return false;
}

// Forgets everything that an op which could not be read has left behind.
static void reset(Reader *reader) {
    reader->operands.count = 0;
    reader->types.count = 0;
    reader->attrs.count = 0;
    reader->ints.count = 0;
    reader->regions.count = 0;
    reader->results.count = 0;
    reader->attr_items.count = 0;
    reader->nesting = 0;
    reader->depth = 0;
    reader->visible_depth = 0;
    reader->custom_op = (StrView){NULL, 0};
    reader->names = (Names){0};
}

void module_set_attrs(Reader *reader) {
    Module *module = reader->module;
    for (int64_t i = 0; i < reader->attrs.count; i++) {
        const ReadAttr *attr = &reader->attrs.data[i];
        AttrName inherent;
        if (op_inherent_attr(OP_MODULE, attr->name, &inherent)) {
            op_set_attr(module, module->op, inherent, attr->value);
        } else {
            op_set_extra(module, module->op, attr->name, attr->value);
        }
    }
    reader->attrs.count = 0;
}

// `module @name attributes {..} {`: the rest is read as the top level is.
static bool read_module_head(Reader *reader) {
    reader_advance(reader);
    Op *op = reader->module->op;
    StrView name;
    if (reader->token.kind == TOKEN_AT) {
        if (!read_symbol(reader, &name)) return false;
        op_set_attr(reader->module, op, NAME_SYM_NAME, attr_string(reader->context, name));
    }
    if (accept_word(reader, "attributes")) {
        if (!read_attr_dict(reader)) return false;
        module_set_attrs(reader);
    }
    return expect_punctuation(reader, '{');
}

// "builtin.module"() <{..}> ({ ... }) {..} : () -> ()
static bool read_generic_module(Reader *reader) {
    Module *module = reader->module;
    reader_advance(reader);
    bool ok = expect_punctuation(reader, '(') && expect_punctuation(reader, ')');
    if (ok && accept_punctuation(reader, '<'))
        ok = read_attr_dict(reader) && expect_punctuation(reader, '>');
    ok = ok && expect_punctuation(reader, '(') && read_region(reader, module->body, true) &&
         expect_punctuation(reader, ')');
    if (ok && at_punctuation(reader, '{')) ok = read_attr_dict(reader);
    if (!ok) return false;
    module_set_attrs(reader);
    if (!expect_punctuation(reader, ':')) return false;
    Loc *loc = reader_loc(reader, &reader->token);
    return read_function_type(reader) && read_loc_trailer(reader, loc);
}

// The resources at the end of the text: {-# ... #-}
static bool skip_file_metadata(Reader *reader) {
    while (reader->token.kind != TOKEN_FILE_END) {
        if (reader->token.kind == TOKEN_END) return reader_expected(reader, "'#-}'");
        reader_advance(reader);
    }
    reader_advance(reader);
    return true;
}

// One op, alias or piece of punctuation of the top level. *inside: 0 before
// `module {`, 1 in it, 2 behind it.
static bool read_top_item(Reader *reader, Scope *scope, int *inside) {
    const Token token = reader->token;
    if (token.kind == TOKEN_HASH || token.kind == TOKEN_EXCLAMATION)
        return read_alias_definition(reader);
    if (token.kind == TOKEN_FILE_BEGIN) return skip_file_metadata(reader);
    if (*inside == 1 && at_punctuation(reader, '}')) {
        *inside = 2;
        reader_advance(reader);
        return read_loc_trailer(reader, reader_loc(reader, &token));
    }
    if (*inside == 2) return reader_expected(reader, "the end of the text after the module");
    bool empty = !reader->module->body->first && *inside == 0;
    if (empty && (at_word(reader, "module") || at_word(reader, "builtin.module"))) {
        *inside = 1;
        return read_module_head(reader);
    }
    if (empty && token.kind == TOKEN_STRING && strview_is(token.text, "\"builtin.module\"")) {
        *inside = 2;
        return read_generic_module(reader);
    }
    return read_op(reader, reader->module->body, scope);
}

static bool read_top_level(Reader *reader) {
    Scope scope = scope_open(reader, true);
    int inside = 0;
    bool ok = true;
    while (reader->token.kind != TOKEN_END) {
        if (read_top_item(reader, &scope, &inside)) continue;
        ok = false;
        reset(reader);
        if (reader->diags->error_count >= DIAG_LIMIT || inside == 2 || !skip_to_next(reader))
            return false;
        scope = scope_open(reader, true);
    }
    if (ok && inside == 1) return reader_expected(reader, "'}' at the end of the module");
    scope_close(reader, &scope);
    return ok && resolve_pending_locs(reader);
}

static const Grammar grammar = {
    read_attr, read_sdy_attr, read_stablehlo_attr, read_source_attr, read_op};

Reader *reader_create(
    Module *module, Arena *arena, Arena *scratch, StrView text, const ReadOptions *options,
    Diags *diags) {
    Reader *reader = ARENA_NEW(scratch, Reader);
    reader->grammar = &grammar;
    reader->context = module->context;
    reader->arena = arena;
    reader->scratch = scratch;
    reader->module = module;
    reader->diags = diags;
    reader->options = options;
    const LocTexts texts = {.file = options->file};
    reader->file_texts = loc_texts_intern(module->context->interner, &texts);
    reader->file = reader->file_texts->file;
    reader->text = text;
    reader->aliases = str_map(reader->scratch);
    reader->tensor_types = str_map(reader->scratch);
    reader->resources = str_map(reader->scratch);
    return reader;
}

Reader *reader_open(
    Module *module, Arena *arena, Arena *scratch, StrView text, const ReadOptions *options,
    Diags *diags) {
    if (!text.data) text = SV(""); // so that tokens lie in the text
    Reader *reader = reader_create(module, arena, scratch, text, options, diags);
    reader->lexer = lexer_at_start(text);
    reader->lexer.line += options->first_line;
    reader_advance(reader);
    return reader;
}

Module *read_mlir_text(
    Context *context, Arena *arena, StrView text, const ReadOptions *options, Diags *diags) {
    Module *module = module_create(context, arena);
    Arena *scratch = arena_child(arena);
    Reader *reader = reader_open(module, arena, scratch, text, options, diags);
    Loc *loc = ARENA_NEW(arena, Loc);
    loc->texts = reader->file_texts;
    loc->line = 1;
    loc->column = 1;
    module->op->loc = loc;
    bool ok = read_top_level(reader);
    arena_reset(scratch);
    return ok ? module : NULL;
}

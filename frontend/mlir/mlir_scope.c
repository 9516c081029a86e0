// mlir_scope: names of values: where %x means what.
#include "frontend/mlir/mlir_reader.h"

Scope scope_open(Reader *reader, bool isolated) {
    Scope scope = {.visible_depth = reader->visible_depth};
    reader->depth++;
    if (isolated) reader->visible_depth = reader->depth;
    return scope;
}

void scope_close(Reader *reader, Scope *scope) {
    for (Binding *binding = scope->bindings; binding; binding = binding->next) {
        str_map_set(&reader->names, binding->name, binding->shadowed);
    }
    reader->visible_depth = scope->visible_depth;
    reader->depth--;
}

static Binding *find_binding(const Reader *reader, StrView name) {
    Binding *binding = str_map_get(&reader->names, name);
    return binding && binding->depth >= reader->visible_depth ? binding : NULL;
}

bool bind_value(Reader *reader, Scope *scope, const Token *name, Value *first, int count) {
    Binding *shadowed = str_map_get(&reader->names, name->text);
    if (shadowed && shadowed->depth >= reader->visible_depth) {
        return reader_error_at(
            reader, name, "redefinition of SSA value '%.*s'", SV_ARG(name->text));
    }
    Binding *binding = ARENA_NEW(reader->scratch, Binding);
    binding->name = name->text;
    binding->first = first;
    binding->count = count;
    binding->depth = reader->depth;
    binding->shadowed = shadowed;
    binding->next = scope->bindings;
    scope->bindings = binding;
    str_map_set(&reader->names, name->text, binding);
    return true;
}

bool read_operand(Reader *reader) {
    Token at = reader->token;
    if (at.kind != TOKEN_PERCENT) return reader_expected(reader, "SSA operand");
    reader_advance(reader);
    int64_t number = 0;
    if (reader->token.kind == TOKEN_HASH && reader->token.text.size > 1 &&
        reader->token.text.data[1] >= '0' && reader->token.text.data[1] <= '9') {
        StrView digits = {reader->token.text.data + 1, reader->token.text.size - 1};
        if (!strview_to_int64(digits, &number)) {
            return reader_error_at(reader, &reader->token, "invalid SSA value result number");
        }
        reader_advance(reader);
    }
    const Binding *binding = find_binding(reader, at.text);
    if (!binding) {
        return reader_error_at(
            reader, &at, "use of undeclared SSA value name '%.*s'", SV_ARG(at.text));
    }
    if (number >= binding->count) {
        return reader_error_at(
            reader, &at, "reference to invalid result number %lld of '%.*s', which has %d",
            (long long)number, SV_ARG(at.text), binding->count);
    }
    Operand operand = {binding->first + number, at};
    vec_push(reader->scratch, &reader->operands, operand);
    return true;
}

bool read_operand_list(Reader *reader) {
    if (reader->token.kind != TOKEN_PERCENT) return true;
    do {
        if (!read_operand(reader)) return false;
    } while (accept_punctuation(reader, ','));
    return true;
}

bool read_operands_parens(Reader *reader) {
    return expect_punctuation(reader, '(') && read_operand_list(reader) &&
           expect_punctuation(reader, ')');
}

bool check_operand_type(Reader *reader, int64_t operand, const Type *type) {
    const Operand *found = &reader->operands.data[operand];
    if (found->value->type == type) return true;
    StrBuf expected = strbuf(reader->scratch);
    StrBuf actual = strbuf(reader->scratch);
    type_print(&expected, type);
    type_print(&actual, found->value->type);
    return reader_error_at(
        reader, &found->token,
        "use of value '%.*s' expects different type than prior uses: '%s' vs '%s'",
        SV_ARG(found->token.text), strbuf_cstring(&expected), strbuf_cstring(&actual));
}

bool check_operand_types(Reader *reader, int64_t first, int count, const Type *const *types) {
    for (int i = 0; i < count; i++) {
        if (!check_operand_type(reader, first + i, types[i])) return false;
    }
    return true;
}

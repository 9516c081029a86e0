// mlir_scope: names of values: where %x means what.
#include "frontend/mlir/syntax/mlir_reader.h"

Scope scope_open(Reader *reader, bool isolated) {
    Scope scope = {.visible_depth = reader->visible_depth};
    reader->depth++;
    if (isolated) reader->visible_depth = reader->depth;
    return scope;
}

// The slot of the name, or the free one where it belongs. The table has a free slot.
static Binding **find_slot(const Names *names, StrView name, uint32_t hash) {
    uint64_t mask = (uint64_t)names->capacity - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        Binding **slot = &names->slots[i];
        if (!*slot || ((*slot)->hash == hash && (*slot)->size == name.size &&
                       memcmp((*slot)->name, name.data, name.size) == 0))
            return slot;
    }
}

static void grow(Arena *arena, Names *names) {
    enum { FIRST_CAPACITY = 64 };
    const Names old = *names;
    names->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    names->slots = ARENA_ARRAY(arena, Binding *, names->capacity);
    for (int64_t i = 0; i < old.capacity; i++) {
        Binding *binding = old.slots[i];
        if (!binding) continue;
        *find_slot(names, (StrView){binding->name, binding->size}, binding->hash) = binding;
    }
    arena_give_back(arena, old.slots, (size_t)old.capacity * sizeof *old.slots);
}

static uint32_t hash_name(StrView name) { return (uint32_t)hash_bytes(name.data, name.size, 0); }

// The binding that the name has; NULL when it has none.
static Binding *latest_binding(const Names *names, StrView name) {
    if (names->count == 0) return NULL;
    Binding *binding = *find_slot(names, name, hash_name(name));
    return binding && binding->first ? binding : NULL;
}

void scope_close(Reader *reader, Scope *scope) {
    for (Binding *binding = scope->bindings; binding; binding = binding->next) {
        Binding **slot =
            find_slot(&reader->names, (StrView){binding->name, binding->size}, binding->hash);
        if (binding->shadowed)
            *slot = binding->shadowed;
        else
            binding->first = NULL; // keeps its place in the table
    }
    reader->visible_depth = scope->visible_depth;
    reader->depth--;
}

static Binding *find_binding(const Reader *reader, StrView name) {
    Binding *binding = latest_binding(&reader->names, name);
    return binding && binding->depth >= reader->visible_depth ? binding : NULL;
}

bool bind_value(Reader *reader, Scope *scope, const Token *name, Value *first, int count) {
    Names *names = &reader->names;
    Binding *shadowed = latest_binding(names, name->text);
    if (shadowed && shadowed->depth >= reader->visible_depth) {
        return reader_error_at(
            reader, name, "redefinition of SSA value '%.*s'", SV_ARG(name->text));
    }
    if (names->count >= names->capacity - names->capacity / 4) grow(reader->scratch, names);
    Binding *binding = ARENA_NEW(reader->scratch, Binding);
    *binding = (Binding){
        .name = name->text.data,
        .size = (uint32_t)name->text.size,
        .hash = hash_name(name->text),
        .first = first,
        .count = count,
        .depth = reader->depth,
        .shadowed = shadowed,
        .next = scope->bindings};
    scope->bindings = binding;
    Binding **slot = find_slot(names, name->text, binding->hash);
    if (!*slot) names->count++;
    *slot = binding;
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

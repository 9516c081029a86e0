// func_reader: func.func.
#include "frontend/mlir/forms/forms.h"

// One dictionary of a value: pushed on attr_items (an empty one when there is none).
static bool read_value_dict(Reader *reader) {
    const Attr *dict = NULL;
    if (at_punctuation(reader, '{')) {
        dict = read_dict_attr(reader);
    } else {
        dict = attr_dict(reader->context, 0, NULL, NULL);
    }
    if (dict) vec_push(reader->scratch, &reader->attr_items, dict);
    return dict != NULL;
}

// (%a: T {..} loc(..), ...) or, of a declaration, (T {..}, ...)
static bool read_func_args(Reader *reader, Region *body, Scope *scope) {
    if (!expect_punctuation(reader, '(')) return false;
    if (accept_punctuation(reader, ')')) return true;
    bool named = reader->token.kind == TOKEN_PERCENT;
    do {
        Token name = reader->token;
        if (named && name.kind != TOKEN_PERCENT) return reader_expected(reader, "SSA identifier");
        if (named) {
            reader_advance(reader);
            if (!expect_punctuation(reader, ':')) return false;
        }
        Loc *loc = reader_loc(reader, &name);
        if (named) {
            LocTexts texts = *loc->texts;
            texts.value_name = (StrView){name.text.data + 1, name.text.size - 1};
            reader_set_texts(reader, loc, &texts);
        }
        const Type *type = read_type(reader);
        if (!type || !read_value_dict(reader) || !read_loc_trailer(reader, loc)) return false;
        Value *value = region_add_arg(reader->module, body, type, loc);
        if (named && !bind_value(reader, scope, &name, value, 1)) return false;
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ')');
}

// -> T or -> (T {..}, ...): types pushed on types, dictionaries on attr_items.
static bool read_func_results(Reader *reader) {
    if (reader->token.kind != TOKEN_ARROW) return true;
    reader_advance(reader);
    bool parens = accept_punctuation(reader, '(');
    if (parens && accept_punctuation(reader, ')')) return true;
    do {
        const Type *type = read_type(reader);
        if (!type) return false;
        vec_push(reader->scratch, &reader->types, type);
        if (!parens) {
            vec_push(
                reader->scratch, &reader->attr_items, attr_dict(reader->context, 0, NULL, NULL));
        } else if (!read_value_dict(reader)) {
            return false;
        }
    } while (parens && accept_punctuation(reader, ','));
    return !parens || expect_punctuation(reader, ')');
}

static void push_attr(Reader *reader, const Token *at, AttrName name, const Attr *value) {
    ReadAttr attr = {attr_name_text(name), value, *at};
    vec_push(reader->scratch, &reader->attrs, attr);
}

// The signature and what follows up to the body, as the attributes of the generic form.
static bool read_signature(Reader *reader, const Token *token, Region *body, Scope *scope) {
    const char *visibility = NULL;
    static const char *const words[] = {"public", "private", "nested"};
    for (int i = 0; i < 3 && !visibility; i++) {
        if (accept_word(reader, words[i])) visibility = words[i];
    }
    StrView name;
    if (!read_symbol(reader, &name)) return false;
    int64_t types = reader->types.count;
    int64_t dicts = reader->attr_items.count;
    if (!read_func_args(reader, body, scope)) return false;
    int64_t result_dicts = reader->attr_items.count;
    int inputs = body->arg_count;
    for (int i = 0; i < inputs; i++)
        vec_push(reader->scratch, &reader->types, body->args[i]->type);
    if (!read_func_results(reader)) return false;
    const Type *const *all = reader->types.data ? reader->types.data + types : NULL;
    int results = (int)(reader->types.count - types) - inputs;
    const Type *type =
        type_function(reader->context, inputs, all, results, all ? all + inputs : NULL);
    reader->types.count = types;
    const Attr *const *items = reader->attr_items.data;
    push_attr(reader, token, NAME_SYM_NAME, attr_string(reader->context, name));
    push_attr(reader, token, NAME_FUNCTION_TYPE, attr_type(reader->context, type));
    if (inputs)
        push_attr(
            reader, token, NAME_ARG_ATTRS, attr_array(reader->context, inputs, items + dicts));
    if (results)
        push_attr(
            reader, token, NAME_RES_ATTRS,
            attr_array(reader->context, results, items + result_dicts));
    if (visibility)
        push_attr(
            reader, token, NAME_SYM_VISIBILITY, attr_string(reader->context, strview(visibility)));
    reader->attr_items.count = dicts;
    return !accept_word(reader, "attributes") || read_attr_dict(reader);
}

static bool read_func_parts(Reader *reader, const Token *token, Region *body, Scope *scope) {
    if (!read_signature(reader, token, body, scope)) return false;
    return !at_punctuation(reader, '{') || read_region_body(reader, body, scope);
}

bool read_func_op(Reader *reader, Region *region, const Token *token) {
    Draft draft = draft_begin(reader, OP_FUNC, SV("func.func"), token);
    Loc *loc = reader_loc(reader, token);
    Region *body = region_detached(reader);
    reader->custom_op = SV("func.func");
    Scope scope = scope_open(reader, true);
    bool ok = read_func_parts(reader, token, body, &scope);
    scope_close(reader, &scope);
    reader->custom_op = (StrView){NULL, 0};
    if (!ok || !read_loc_trailer(reader, loc)) return false;
    vec_push(reader->scratch, &reader->regions, body);
    return draft_build(reader, &draft, region, loc) != NULL;
}

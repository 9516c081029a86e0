// func_reader: func.func and the module around the functions.
#include "frontend/mlir/mlir_reader.h"

// Takes sdy.sharding out of the attributes from `base` on and makes a dictionary of the rest; NULL when nothing is left.
// *sharding stays as it is when there is none.
static void take_value_attrs(
    Reader *reader, int64_t base, const Sharding **sharding, const Attr **dict) {
    int count = 0;
    int64_t total = reader->attrs.count - base;
    StrView *names = ARENA_ARRAY(reader->scratch, StrView, total);
    const Attr **items = ARENA_ARRAY(reader->scratch, const Attr *, total);
    for (int64_t i = base; i < reader->attrs.count; i++) {
        const ReadAttr *attr = &reader->attrs.data[i];
        // What is no sharding stays in the dictionary, where the verifier finds it.
        if (strview_is(attr->name, "sdy.sharding") && attr->value->kind == ATTR_SHARDING) {
            *sharding = attr->value->sharding;
        } else {
            names[count] = attr->name;
            items[count++] = attr->value;
        }
    }
    reader->attrs.count = base;
    *dict = count > 0 ? attr_dict(reader->context, count, names, items) : NULL;
}

// The same from a dictionary of arg_attrs or res_attrs.
static bool take_dict_attrs(
    Reader *reader, const Token *at, const Attr *all, const Sharding **sharding,
    const Attr **dict) {
    if (all->kind != ATTR_DICT)
        return reader_error_at(reader, at, "expected a dictionary for every argument and result");
    int64_t base = reader->attrs.count;
    for (int i = 0; i < all->count; i++) {
        ReadAttr attr = {all->names[i], all->items[i], *at};
        vec_push(reader->scratch, &reader->attrs, attr);
    }
    take_value_attrs(reader, base, sharding, dict);
    return true;
}

// An array of dictionaries; NULL when all are empty.
static const Attr *dict_array(Reader *reader, int count, const Attr **dicts) {
    bool any = false;
    const Attr *empty = attr_dict(reader->context, 0, NULL, NULL);
    for (int i = 0; i < count; i++) {
        any = any || dicts[i];
        if (!dicts[i]) dicts[i] = empty;
    }
    return any ? attr_array(reader->context, count, dicts) : NULL;
}

// arg_attrs or res_attrs of the generic form.
static bool set_value_attrs(
    Reader *reader, Op *func, const ReadAttr *attr, bool are_args, int count) {
    if (attr->value->kind != ATTR_ARRAY || attr->value->count != count) {
        return reader_error_at(
            reader, &attr->token,
            "'func.func' op expects %.*s to have one dictionary for each of %d values",
            SV_ARG(attr->name), count);
    }
    const Attr **dicts = ARENA_ARRAY(reader->scratch, const Attr *, count);
    for (int i = 0; i < count; i++) {
        const Sharding **sharding =
            are_args ? &func_body(func)->args[i]->sharding : &func->result_shardings[i];
        if (!take_dict_attrs(reader, &attr->token, attr->value->items[i], sharding, &dicts[i]))
            return false;
    }
    op_set_attr(
        reader->module, func, are_args ? NAME_ARG_ATTRS : NAME_RES_ATTRS,
        dict_array(reader, count, dicts));
    return true;
}

// The function's type: from its attribute, compared with the body's arguments. A declaration gets arguments too, so that they can
// have shardings.
static bool set_function_type(Reader *reader, Op *func, const ReadAttr *attr) {
    const Type *type = attr->value->kind == ATTR_TYPE ? attr->value->type : NULL;
    if (!type || type->kind != TYPE_FUNCTION) {
        return reader_error_at(
            reader, &attr->token, "'func.func' op function_type must be a function type");
    }
    Region *body = func_body(func);
    if (body->arg_count == 0 && !body->first) {
        for (int i = 0; i < type->input_count; i++) {
            region_add_arg(reader->module, body, type->parts[i], func->loc);
        }
    }
    bool same = body->arg_count == type->input_count;
    for (int i = 0; i < type->input_count && same; i++)
        same = body->args[i]->type == type->parts[i];
    if (!same) {
        return reader_error_at(
            reader, &attr->token,
            "'func.func' op entry block must have %d arguments to match function signature",
            type->input_count);
    }
    op_set_attr(reader->module, func, NAME_FUNCTION_TYPE, attr->value);
    int results = type->part_count - type->input_count;
    func->result_shardings = ARENA_ARRAY(reader->arena, const Sharding *, results);
    return true;
}

// A place that was read before, for a diagnostic.
static Token token_at(const Reader *reader, const Loc *loc) {
    Token token = {.line = loc->line, .column = loc->column};
    if (loc->offset > 0) token.text.data = reader->text.data + loc->offset;
    return token;
}

// JAX ends the bodies of comparators and reducers with a stablehlo.return, which MLIR takes as well.
static void set_terminator(Op *func) {
    Op *end = func_body(func)->last;
    if (!end || end->code != OP_RETURN) return;
    end->code = OP_FUNC_RETURN;
    end->name = op_code_text(OP_FUNC_RETURN);
}

bool func_set_attrs(Reader *reader, Op *func, int64_t attrs) {
    set_terminator(func);
    const ReadAttr *type_attr = NULL;
    for (int64_t i = attrs; i < reader->attrs.count; i++) {
        if (strview_is(reader->attrs.data[i].name, "function_type"))
            type_attr = &reader->attrs.data[i];
    }
    if (!type_attr) {
        Token at = token_at(reader, func->loc);
        return reader_error_at(reader, &at, "'func.func' op requires attribute 'function_type'");
    }
    if (!set_function_type(reader, func, type_attr)) return false;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    int64_t end = reader->attrs.count;
    for (int64_t i = attrs; i < end; i++) {
        ReadAttr attr = reader->attrs.data[i];
        AttrName name;
        bool known = op_inherent_attr(OP_FUNC, attr.name, &name);
        if (!known) {
            op_set_extra(reader->module, func, attr.name, attr.value);
        } else if (name == NAME_ARG_ATTRS) {
            if (!set_value_attrs(reader, func, &attr, true, type->input_count)) return false;
        } else if (name == NAME_RES_ATTRS) {
            if (!set_value_attrs(reader, func, &attr, false, type->part_count - type->input_count))
                return false;
        } else if (name != NAME_FUNCTION_TYPE) {
            if (attr.value->kind != ATTR_STRING && name != NAME_SHARDING_RULE) {
                return reader_error_at(
                    reader, &attr.token, "'func.func' op attribute '%.*s' must be a string",
                    SV_ARG(attr.name));
            }
            op_set_attr(reader->module, func, name, attr.value);
        }
    }
    if (!op_attr(func, NAME_SYM_NAME)) {
        Token at = token_at(reader, func->loc);
        return reader_error_at(reader, &at, "'func.func' op requires attribute 'sym_name'");
    }
    return true;
}

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
        if (named) loc->value_name = (StrView){name.text.data + 1, name.text.size - 1};
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

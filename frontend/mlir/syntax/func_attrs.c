// func_attrs: a function's attributes, those of its arguments and results among them.
#include "frontend/mlir/syntax/mlir_reader.h"
#include "ir/builder.h"

// Takes sdy.sharding out of the attributes from `base` on and makes a dictionary of the rest; NULL
// when nothing is left. *sharding stays as it is when there is none.
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

// The function's type: from its attribute, compared with the body's arguments. A declaration gets
// arguments too, so that they can have shardings.
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

// JAX ends the bodies of comparators and reducers with a stablehlo.return, which MLIR takes as
// well.
static void set_terminator(Op *func) {
    const Op *end = func_body(func)->last;
    if (end && end->code == OP_RETURN) region_set_return(func_body(func), OP_FUNC_RETURN);
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

// op_dict: the attributes of an op as sorted dictionaries.
#include "ir/print/op_dict.h"

#include "ir/module.h"
#include "ir/print/arith_predicate.h"

OpDict op_dict(Arena *arena) { return (OpDict){.arena = arena}; }

static void make_room(OpDict *dict) {
    int capacity = dict->capacity ? 2 * dict->capacity : 4;
    StrView *names = ARENA_ARRAY(dict->arena, StrView, capacity);
    const Attr **items = ARENA_ARRAY(dict->arena, const Attr *, capacity);
    for (int i = 0; i < dict->count; i++) {
        names[i] = dict->names[i];
        items[i] = dict->items[i];
    }
    dict->names = names;
    dict->items = items;
    dict->capacity = capacity;
}

void op_dict_add(OpDict *dict, StrView name, const Attr *value) {
    if (dict->count == dict->capacity) make_room(dict);
    int place = dict->count++;
    while (place > 0 && strview_compare(dict->names[place - 1], name) > 0) {
        dict->names[place] = dict->names[place - 1];
        dict->items[place] = dict->items[place - 1];
        place--;
    }
    dict->names[place] = name;
    dict->items[place] = value;
}

Attr op_dict_attr(const OpDict *dict) {
    return (Attr){
        .kind = ATTR_DICT, .count = dict->count, .names = dict->names, .items = dict->items};
}

static void add_all(OpDict *dict, const Attr *from) {
    for (int i = 0; from && i < from->count; i++)
        op_dict_add(dict, from->names[i], from->items[i]);
}

static void add_sharding(OpDict *dict, StrView name, const Sharding *sharding) {
    Attr *attr = ARENA_NEW(dict->arena, Attr);
    attr->kind = ATTR_SHARDING;
    attr->sharding = sharding;
    op_dict_add(dict, name, attr);
}

// Fully open on the mesh of `like`, for a result without sharding beside one that has one.
static const Sharding *open_sharding(Arena *arena, const Sharding *like, const Type *type) {
    Sharding *sharding = ARENA_NEW(arena, Sharding);
    sharding->mesh_name = like->mesh_name;
    sharding->mesh = like->mesh;
    sharding->rank = type->kind == TYPE_TENSOR ? type->rank : 0;
    DimSharding *dims = ARENA_ARRAY(arena, DimSharding, sharding->rank);
    for (int d = 0; d < sharding->rank; d++)
        dims[d] = (DimSharding){.is_open = true, .priority = PRIORITY_NONE};
    sharding->dims = dims;
    return sharding;
}

// sdy.sharding of an op whose results have shardings (or of one without results that has its own).
static void add_shardings(OpDict *dict, const Op *op) {
    const Sharding *any = op->result_count == 0 ? op->own_sharding : NULL;
    for (int i = 0; i < op->result_count && !any; i++)
        any = op_result(op, i)->sharding;
    if (!any || op_own_sharding_text(op->code).size > 0) return;
    int count = op->result_count ? op->result_count : 1;
    const Sharding **shardings = ARENA_ARRAY(dict->arena, const Sharding *, count);
    shardings[0] = any;
    for (int i = 0; i < op->result_count; i++) {
        const Sharding *own = op_result(op, i)->sharding;
        shardings[i] = own ? own : open_sharding(dict->arena, any, op_result_type(op, i));
    }
    Attr *attr = ARENA_NEW(dict->arena, Attr);
    *attr = (Attr){.kind = ATTR_SHARDINGS, .count = count, .shardings = shardings};
    op_dict_add(dict, SV("sdy.sharding"), attr);
}

OpDict op_discardable_dict(Arena *arena, const Op *op) {
    OpDict dict = op_dict(arena);
    add_all(&dict, op->extra);
    const Attr *rule = op_attr(op, NAME_SHARDING_RULE);
    if (rule) op_dict_add(&dict, attr_name_text(NAME_SHARDING_RULE), rule);
    add_shardings(&dict, op);
    return dict;
}

static bool is_axis_sets(const Attr *attr) {
    for (int i = 0; attr->kind == ATTR_ARRAY && i < attr->count; i++) {
        if (attr->items[i]->kind != ATTR_INTS) return false;
    }
    return attr->kind == ATTR_ARRAY;
}

// #shard<axisarray[[0], [1, 2]]>
static void axis_sets_print(StrBuf *text, const Attr *sets) {
    strbuf_puts(text, "#shard<axisarray[");
    for (int i = 0; i < sets->count; i++) {
        strbuf_puts(text, i ? ", [" : "[");
        for (int k = 0; k < sets->items[i]->count; k++)
            strbuf_printf(text, "%s%lld", k ? ", " : "", (long long)sets->items[i]->ints[k]);
        strbuf_putc(text, ']');
    }
    strbuf_puts(text, "]>");
}

const Attr *op_shown_attr(Arena *arena, const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    StrBuf text = strbuf(arena);
    bool is_chlo = op_dialect(op) == DIALECT_CHLO;
    if (attr->kind == ATTR_AXES &&
        name == NAME_AXES) { // of a collective, not of a manual computation
        strbuf_puts(&text, "#sdy<axis_ref_list");
        axis_list_print(&text, attr->axes, attr->count);
        strbuf_putc(&text, '>');
    } else if (attr->kind == ATTR_ENUM && attr->enum_kind == ENUM_PROPAGATION) {
        strbuf_printf(&text, "%lld : i32", (long long)attr->integer);
    } else if (attr->kind == ATTR_ENUM && attr->enum_kind == ENUM_ARITH_PREDICATE) {
        int64_t number = arith_predicate_number(op->code, attr->integer);
        strbuf_printf(&text, "%lld : i64", (long long)number);
    } else if (name == NAME_SPLIT_AXES && is_axis_sets(attr)) {
        axis_sets_print(&text, attr);
    } else if (name == NAME_PRECISION_CONFIG && is_chlo && attr->kind == ATTR_ARRAY) {
        strbuf_putc(&text, '[');
        for (int i = 0; i < attr->count; i++) {
            StrView keyword = enum_keyword(ENUM_PRECISION, (int)attr->items[i]->integer);
            strbuf_printf(&text, "%s#chlo<precision %.*s>", i ? ", " : "", SV_ARG(keyword));
        }
        strbuf_putc(&text, ']');
    } else {
        return attr;
    }
    Attr *shown = ARENA_NEW(arena, Attr);
    shown->kind = ATTR_OPAQUE;
    shown->text = strbuf_view(&text);
    return shown;
}

OpDict func_arg_dict(Arena *arena, const Op *func, int i) {
    OpDict dict = op_dict(arena);
    add_all(&dict, func_arg_attrs(func, i));
    const Sharding *sharding = func_body(func)->args[i]->sharding;
    if (sharding) add_sharding(&dict, SV("sdy.sharding"), sharding);
    return dict;
}

OpDict func_result_dict(Arena *arena, const Op *func, int i) {
    OpDict dict = op_dict(arena);
    add_all(&dict, func_result_attrs(func, i));
    const Sharding *sharding = func->result_shardings ? func->result_shardings[i] : NULL;
    if (sharding) add_sharding(&dict, SV("sdy.sharding"), sharding);
    return dict;
}

// The dictionaries of a function's arguments or results, unless all are empty.
static void add_value_dicts(OpDict *dict, const Op *func, bool are_args) {
    const Attr *type = op_attr(func, NAME_FUNCTION_TYPE);
    int count = are_args ? func_body(func)->arg_count
                : type   ? type->type->part_count - type->type->input_count
                         : 0;
    const Attr **items = ARENA_ARRAY(dict->arena, const Attr *, count);
    bool any = false;
    for (int i = 0; i < count; i++) {
        OpDict values =
            are_args ? func_arg_dict(dict->arena, func, i) : func_result_dict(dict->arena, func, i);
        Attr *item = ARENA_NEW(dict->arena, Attr);
        *item = op_dict_attr(&values);
        items[i] = item;
        any = any || values.count > 0;
    }
    if (!any) return;
    Attr *array = ARENA_NEW(dict->arena, Attr);
    *array = (Attr){.kind = ATTR_ARRAY, .count = count, .items = items};
    op_dict_add(dict, attr_name_text(are_args ? NAME_ARG_ATTRS : NAME_RES_ATTRS), array);
}

OpDict op_inherent_dict(Arena *arena, const Op *op) {
    OpDict dict = op_dict(arena);
    for (int i = 0; i < op->attr_count; i++) {
        AttrName name = op->attrs[i].name;
        bool is_dicts = op->code == OP_FUNC && (name == NAME_ARG_ATTRS || name == NAME_RES_ATTRS);
        if (name != NAME_SHARDING_RULE && !is_dicts)
            op_dict_add(&dict, op_attr_text(op->code, name), op_shown_attr(arena, op, name));
    }
    StrView own = op_own_sharding_text(op->code);
    if (own.size > 0 && op_result(op, 0)->sharding)
        add_sharding(&dict, own, op_result(op, 0)->sharding);
    for (int i = 0; i < 2 && op->code == OP_FUNC; i++)
        add_value_dicts(&dict, op, i == 0);
    return dict;
}

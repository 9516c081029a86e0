// Making and copying modules, and setting what their functions say of arguments and results.
#include "ir/builder.h"
#include "ir/module.h"

Module *module_create(Context *context, Arena *arena) {
    Module *module = ARENA_NEW(arena, Module);
    module->context = context;
    module->arena = arena;
    Builder builder = {.module = module};
    module->op = build_op(&builder, OP_MODULE, 0, NULL, 0, NULL, 1);
    module->body = module->op->regions[0];
    return module;
}

FuncDicts func_dicts_open(Module *module, Op *func, bool is_arg, Arena *scratch) {
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    FuncDicts dicts = {
        .module = module,
        .func = func,
        .name = is_arg ? NAME_ARG_ATTRS : NAME_RES_ATTRS,
        .count = is_arg ? type->input_count : type->part_count - type->input_count,
    };
    const Attr *empty = attr_dict(module->context, 0, NULL, NULL);
    dicts.dicts = ARENA_ARRAY(scratch, const Attr *, dicts.count);
    for (int i = 0; i < dicts.count; i++) {
        const Attr *dict = is_arg ? func_arg_attrs(func, i) : func_result_attrs(func, i);
        dicts.dicts[i] = dict ? dict : empty;
    }
    return dicts;
}

void func_dicts_set(FuncDicts *dicts, int i, StrView name, const Attr *value) {
    Context *context = dicts->module->context;
    if (!value && !attr_dict_get(dicts->dicts[i], name)) return;
    const Attr *dict = attr_dict_set(context, dicts->dicts[i], name, value);
    dicts->dicts[i] = dict ? dict : attr_dict(context, 0, NULL, NULL);
    dicts->changed = true;
}

void func_dicts_close(FuncDicts *dicts) {
    if (!dicts->changed) return;
    const Attr *list = attr_array(dicts->module->context, dicts->count, dicts->dicts);
    op_set_attr(dicts->module, dicts->func, dicts->name, list);
}

void func_set_dict_entry(
    Module *module, Op *func, bool is_arg, int i, StrView name, const Attr *value) {
    FuncDicts dicts = func_dicts_open(module, func, is_arg, module->arena);
    func_dicts_set(&dicts, i, name, value);
    func_dicts_close(&dicts);
}

Module *module_clone(const Module *module, Arena *arena) {
    Module *clone = module_create(module->context, arena);
    for (int i = 0; i < module->op->attr_count; i++) {
        const NamedAttr *attr = &module->op->attrs[i];
        op_set_attr(clone, clone->op, attr->name, attr->value);
    }
    clone->op->extra = module->op->extra;
    clone->op->loc = module->op->loc;
    Arena *scratch = arena_child(arena);
    PtrMap values = ptr_map(scratch);
    region_clone_into(clone, clone->body, module->body, &values);
    arena_reset(scratch);
    return clone;
}

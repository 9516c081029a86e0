// The module: its body, symbols, function attributes, walking and copying.
#include "ir/module.h"

#include "base/checked.h"
#include "ir/builder.h"

Module *module_create(Context *context, Arena *arena) {
    Module *module = ARENA_NEW(arena, Module);
    module->context = context;
    module->arena = arena;
    Builder builder = {.module = module};
    module->op = build_op(&builder, OP_MODULE, 0, NULL, 0, NULL, 1);
    module->body = module->op->regions[0];
    return module;
}

Op *module_find_func(const Module *module, StrView name) {
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && strview_equal(op_text(op, NAME_SYM_NAME), name)) return op;
    }
    return NULL;
}

const Mesh *module_find_mesh(const Module *module, StrView name) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH || !strview_equal(op_text(op, NAME_SYM_NAME), name)) continue;
        const Attr *mesh = op_attr(op, NAME_MESH);
        return mesh ? mesh->mesh : NULL;
    }
    return NULL;
}

StrView func_name(const Op *func) { return op_text(func, NAME_SYM_NAME); }

bool func_is_private(const Op *func) {
    return strview_is(op_text(func, NAME_SYM_VISIBILITY), "private");
}

Op *module_entry(const Module *module, StrView name) {
    if (name.size) return module_find_func(module, name);
    Op *main = module_find_func(module, SV("main"));
    if (main) return main;
    Op *only = NULL;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_FUNC || func_is_private(op)) continue;
        if (only) return NULL;
        only = op;
    }
    return only;
}

static const Attr *nth_dict(const Op *func, AttrName name, int i) {
    const Attr *dicts = op_attr(func, name);
    if (!dicts || dicts->kind != ATTR_ARRAY || i < 0 || i >= dicts->count) return NULL;
    const Attr *dict = dicts->items[i];
    return dict->kind == ATTR_DICT && dict->count ? dict : NULL;
}

const Attr *func_arg_attrs(const Op *func, int i) { return nth_dict(func, NAME_ARG_ATTRS, i); }
const Attr *func_result_attrs(const Op *func, int i) { return nth_dict(func, NAME_RES_ATTRS, i); }

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
        const Attr *dict = nth_dict(func, dicts.name, i);
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

static int64_t module_number(const Module *module, const char *name) {
    const Attr *attr = op_extra(module->op, name);
    return attr && attr->kind == ATTR_INT && attr->integer > 0 ? attr->integer : 1;
}

int64_t module_device_count(const Module *module) {
    int64_t count = 1;
    if (!checked_mul(
            module_number(module, "mhlo.num_partitions"),
            module_number(module, "mhlo.num_replicas"), &count))
        return INT64_MAX;
    if (count > 1) return count;
    for (const Op *op = module->body->first; op; op = op->next) {
        const Attr *mesh = op->code == OP_SDY_MESH ? op_attr(op, NAME_MESH) : NULL;
        if (!mesh || !mesh->mesh) continue;
        int64_t devices = mesh_device_count(mesh->mesh);
        if (devices > count) count = devices;
    }
    return count;
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

// The op after `op` in pre-order without entering its regions; NULL at the end of root.
static Op *next_outside(Op *op, const Region *root) {
    while (!op->next) {
        const Region *region = op->parent;
        if (region == root) return NULL;
        // The first op of the owner's following regions, else what follows the owner.
        op = region->owner;
        int i = 0;
        while (op->regions[i] != region)
            i++;
        for (i++; i < op->region_count; i++) {
            if (op->regions[i]->first) return op->regions[i]->first;
        }
    }
    return op->next;
}

static Op *next_in_pre_order(Op *op, const Region *root) {
    for (int i = 0; i < op->region_count; i++) {
        if (op->regions[i]->first) return op->regions[i]->first;
    }
    return next_outside(op, root);
}

bool region_walk(Region *region, bool (*visit)(Op *op, void *user), void *user) {
    Op *op = region->first;
    while (op) {
        Op *after = next_outside(op, region); // where to go on if op is erased
        if (!visit(op, user)) return false;
        op = op->parent ? next_in_pre_order(op, region) : after;
    }
    return true;
}

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

void func_set_dict_entry(
    Module *module, Op *func, bool is_arg, int i, StrView name, const Attr *value) {
    const Attr *old = is_arg ? func_arg_attrs(func, i) : func_result_attrs(func, i);
    if (!value && !attr_dict_get(old, name)) return;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    int count = is_arg ? type->input_count : type->part_count - type->input_count;
    const Attr *empty = attr_dict(module->context, 0, NULL, NULL);
    const Attr **dicts = ARENA_ARRAY(module->arena, const Attr *, count);
    for (int k = 0; k < count; k++) {
        dicts[k] = is_arg ? func_arg_attrs(func, k) : func_result_attrs(func, k);
        if (k == i) dicts[k] = attr_dict_set(module->context, dicts[k], name, value);
        if (!dicts[k]) dicts[k] = empty;
    }
    op_set_attr(
        module, func, is_arg ? NAME_ARG_ATTRS : NAME_RES_ATTRS,
        attr_array(module->context, count, dicts));
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
    PtrMap values = ptr_map(arena);
    region_clone_into(clone, clone->body, module->body, &values);
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

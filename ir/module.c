// The module: its body, symbols, function attributes, walking and copying.
#include "ir/module.h"

#include "base/checked.h"

Op *module_find_func(const Module *module, StrView name) {
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && strview_equal(op_text(op, NAME_SYM_NAME), name)) return op;
    }
    return NULL;
}

const Mesh *module_find_mesh(const Module *module, StrView name) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH || !strview_equal(op_text(op, NAME_SYM_NAME), name)) continue;
        return op_mesh(op);
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

StrView call_callee(const Op *call) {
    return op_text(call, call->code == OP_CALL ? NAME_CALLEE : NAME_DECOMPOSITION);
}

bool check_callee(const Op *call, const Op *callee, Diags *diags) {
    if (callee && func_body(callee)->first) return true;
    diag_unsupported(
        diags, call->loc, "'%.*s' op calls '%.*s', which has no body", SV_ARG(call->name),
        SV_ARG(call_callee(call)));
    return false;
}

static bool holds_arrays(const Type *type) {
    if (type->kind != TYPE_TUPLE) return type->kind == TYPE_TENSOR || type->kind == TYPE_TOKEN;
    for (int i = 0; i < type->part_count; i++) {
        if (!holds_arrays(type->parts[i])) return false;
    }
    return true;
}

static bool check_entry_type(
    const Op *entry, const char *what, int i, const Value *value, Diags *diags) {
    if (holds_arrays(value->type)) return true;
    StrBuf type = strbuf(diags->arena);
    type_print(&type, value->type);
    diag_unsupported(
        diags, value->loc ? value->loc : entry->loc,
        "%s %d of the function to run has type '%s': only tensors, tokens and tuples of them are "
        "supported",
        what, i, strbuf_cstring(&type));
    return false;
}

bool check_entry_types(const Op *entry, Diags *diags) {
    const Region *body = func_body(entry);
    for (int i = 0; i < body->arg_count; i++) {
        if (!check_entry_type(entry, "argument", i, body->args[i], diags)) return false;
    }
    const Op *last = region_terminator(body);
    for (int i = 0; last && i < last->operand_count; i++) {
        if (!check_entry_type(entry, "result", i, op_operand(last, i), diags)) return false;
    }
    return true;
}

const Attr *func_arg_attrs(const Op *func, int i) { return nth_dict(func, NAME_ARG_ATTRS, i); }
const Attr *func_result_attrs(const Op *func, int i) { return nth_dict(func, NAME_RES_ATTRS, i); }

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
        const Mesh *mesh = op_mesh(op);
        int64_t devices = mesh ? mesh_device_count(mesh) : 1;
        if (devices > count) count = devices;
    }
    return count;
}

// The op after `op` in pre-order without entering its regions; NULL at the end of root.
static Op *next_outside(Op *op, const Region *root) {
    while (!op->next) {
        const Region *region = op->parent;
        if (region == root) return NULL;
        // The first op of the owner's following regions, else what follows the owner.
        op = region->owner;
        for (int i = region->index + 1; i < op->region_count; i++) {
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

const Mesh *sharding_mesh(const Module *module, const Sharding *sharding) {
    if (sharding->mesh) return sharding->mesh;
    return module_find_mesh(module, sharding->mesh_name);
}

static bool same_axes(int count_a, const AxisRef *a, int count_b, const AxisRef *b) {
    if (count_a != count_b) return false;
    for (int i = 0; i < count_a; i++) {
        if (!axis_ref_equal(&a[i], &b[i])) return false;
    }
    return true;
}

bool sharding_same_placement(const Module *module, const Sharding *a, const Sharding *b) {
    if (a == b) return true;
    if (!a || !b) {
        const Sharding *given = a ? a : b;
        const Mesh *mesh = sharding_mesh(module, given);
        return sharding_is_fully_replicated(given) && given->unreduced_count == 0 &&
               !(mesh && mesh_is_maximal(mesh));
    }
    if (a->rank != b->rank) return false;
    if (sharding_mesh(module, a) != sharding_mesh(module, b)) return false;
    for (int d = 0; d < a->rank; d++) {
        if (!same_axes(
                a->dims[d].axis_count, a->dims[d].axes, b->dims[d].axis_count, b->dims[d].axes))
            return false;
    }
    return a->reduction == b->reduction &&
           same_axes(a->unreduced_count, a->unreduced, b->unreduced_count, b->unreduced);
}

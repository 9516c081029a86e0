// The walk over a region's ops, and the map from global values to local ones.
#include "partition/local/local.h"

#include <assert.h>

Value *local_value(Local *local, const Value *global) {
    Value *value = ptr_map_get(&local->values, global);
    assert(value && "an operand is defined before its use");
    return value;
}

void local_set(Local *local, const Value *global, Value *value) {
    assert(value->type == local_type(local, global->type, local_sharding(global)));
    ptr_map_set(&local->values, global, value);
}

Op *local_clone(
    Local *local, const Op *op, int operand_count, Value *const *operands,
    const Type *const *types) {
    Op *clone = build_op(
        &local->builder, op->code, operand_count, operands, op->result_count, types,
        op->region_count);
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name == NAME_SHARDING_RULE) continue; // of whole arrays
        op_set_attr(local->module, clone, op->attrs[i].name, op->attrs[i].value);
    }
    clone->extra = op->extra;
    for (int r = 0; r < op->region_count; r++) {
        if (!local_region(local, op->regions[r], clone->regions[r])) return NULL;
    }
    return clone;
}

bool local_op(Local *local, const Op *op) {
    local->builder.loc = op->loc;
    return local->functions[op->code](local, op);
}

bool local_region(Local *local, const Region *from, Region *to) {
    Builder outer = local->builder;
    local->builder = builder_at_end(local->module, to);
    for (int i = 0; i < from->arg_count; i++) {
        const Value *arg = from->args[i];
        const Type *type = local_type(local, arg->type, local_sharding(arg));
        ptr_map_set(&local->values, arg, region_add_arg(local->module, to, type, arg->loc));
    }
    bool ok = true;
    for (const Op *op = from->first; ok && op; op = op->next)
        ok = local_op(local, op);
    local->builder = outer;
    return ok;
}

bool local_none(Local *local, const Op *op) {
    (void)local;
    (void)op;
    return true;
}

bool local_absent(Local *local, const Op *op) {
    diag_unsupported(
        local->diags, op->loc, "'%.*s' op is not supported in a sharded program", SV_ARG(op->name));
    return false;
}

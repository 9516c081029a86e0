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
        op_set_attr(local->module, clone, op->attrs[i].name, op->attrs[i].value);
    }
    clone->extra = op->extra;
    for (int r = 0; r < op->region_count; r++) {
        if (!local_region(local, op->regions[r], clone->regions[r])) return NULL;
    }
    return clone;
}

void local_keep_shardings(Local *local, const Op *op, Op *made) {
    for (int i = 0; local->keeps_form && i < op->result_count; i++)
        op_result(made, i)->sharding = op->results[i].sharding;
}

// Ops whose tiles Shardy's pass makes anew: only where nothing is sharded do they stay what they are.
static bool is_made_anew(const Op *op) {
    return op->code == OP_CONVOLUTION || op->code == OP_SLICE || op->code == OP_IOTA ||
           op->code == OP_PAD;
}

// In Shardy's form an op that is the same op on tiles keeps its shardings.
static void keep_form(Local *local, const Op *op) {
    const Value *result = op->result_count ? ptr_map_get(&local->values, op_result(op, 0)) : NULL;
    Op *made = result ? result->def : NULL;
    if (!made || made->code != op->code || made->result_count != op->result_count) return;
    if (is_made_anew(op) && result->type != op_result_type(op, 0)) return;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(made, i)->sharding) return;
    }
    local_keep_shardings(local, op, made);
}

bool local_op(Local *local, const Op *op) {
    local->builder.loc = op->loc;
    if (!local->functions[op->code](local, op)) return false;
    if (local->keeps_form) keep_form(local, op);
    return true;
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

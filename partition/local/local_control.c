// local_control: control flow, manual computations, and ops that are what they are on every device.
#include "ir/analysis/data_flow.h"
#include "partition/local/local.h"

// ---- terminators ----

// How the parent wants operand i of a region's terminator.
static const Sharding *wanted_by_parent(const Op *op, int i) {
    const Region *region = op->parent;
    const Op *parent = region->owner;
    if (parent->code == OP_FUNC)
        return parent->result_shardings ? parent->result_shardings[i] : NULL;
    if (parent->code == OP_SDY_NAMED) return region_out_sharding(parent, i);
    bool gives_results = parent->code == OP_IF || parent->code == OP_CASE ||
                         (parent->code == OP_WHILE && region != parent->regions[0]);
    return gives_results ? parent->results[i].sharding : NULL; // in other bodies: scalars
}

bool local_return(Local *local, const Op *op) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = local_value_as(local, op_operand(op, i), wanted_by_parent(op, i));
    }
    build_return(&local->builder, op->code, op->operand_count, operands);
    return true;
}

// ---- while, if, case ----

static bool local_control(Local *local, const Op *op, const Sharding *const *operand_shardings) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        const Sharding *sharding = operand_shardings ? operand_shardings[i] : NULL;
        operands[i] = local_value_as(local, op_operand(op, i), sharding);
    }
    for (int i = 0; i < op->result_count; i++) {
        types[i] = local_type(local, op_result_type(op, i), op->results[i].sharding);
    }
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    for (int i = 0; i < op->result_count; i++) {
        local_set(local, op_result(op, i), op_result(made, i));
    }
    return true;
}

bool local_while(Local *local, const Op *op) {
    const Sharding **shardings = ARENA_ARRAY(local->scratch, const Sharding *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        shardings[i] = op->results[i].sharding;
    return local_control(local, op, shardings);
}

bool local_branches(Local *local, const Op *op) { return local_control(local, op, NULL); }

// ---- regions that melt into their surroundings ----

// Ops of the body but its terminator, in the place of the op.
bool local_inline(Local *local, const Region *body) {
    for (const Op *op = body->first; op && op != region_terminator(body); op = op->next) {
        if (!local_op(local, op)) return false;
    }
    return true;
}

// In the body a value's type is local over the manual axes already, so the tiles of
// both sides are the same arrays.
bool local_manual_computation(Local *local, const Op *op) {
    const Region *body = op->regions[0];
    for (int i = 0; i < op->operand_count; i++) {
        const Sharding *in = region_in_sharding(op, i);
        const Value *arg = body->args[i];
        Value *x = local_value_as(local, op_operand(op, i), in);
        local_set_as(local, arg, x, sharding_without_manual_axes(local->global, op, in));
    }
    if (!local_inline(local, body)) return false;
    const Op *end = region_terminator(body);
    for (int i = 0; i < op->result_count; i++) {
        const Sharding *out = region_out_sharding(op, i);
        Value *x = local_value_as(
            local, op_operand(end, i), sharding_without_manual_axes(local->global, op, out));
        const Type *type = local_type(local, op_result_type(op, i), out);
        if (x->type != type) {
            diag_unsupported(
                local->diags, op->loc,
                "result %d of a manual computation is sharded unevenly over manual axes", i);
            return false;
        }
        local_set_as(local, op_result(op, i), x, out);
    }
    return true;
}

bool local_named_computation(Local *local, const Op *op) {
    const Region *body = op->regions[0];
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        local_set_as(local, body->args[i], local_value(local, operand), local_sharding(operand));
    }
    if (!local_inline(local, body)) return false;
    const Op *end = region_terminator(body);
    for (int i = 0; i < op->result_count; i++) {
        const Value *returned = op_operand(end, i);
        local_set_as(
            local, op_result(op, i), local_value(local, returned), local_sharding(returned));
    }
    return true;
}

// ---- the same on every device ----

bool local_barrier(Local *local, const Op *op) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = local_value_as(local, op_operand(op, i), local_sharding(op_result(op, i)));
        types[i] = operands[i]->type;
    }
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    for (int i = 0; i < op->result_count; i++) {
        local_set(local, op_result(op, i), op_result(made, i));
    }
    return true;
}

bool local_token(Local *local, const Op *op) { return local_replicate(local, op); }

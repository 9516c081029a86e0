// reshard_replace: the ops of a plan in place of an sdy.reshard.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/plan/reshard_plan.h"

Value *value_behind_barriers(Value *value) {
    while (value->def && value->def->code == OP_SDY_BARRIER)
        value = op_operand(value->def, 0);
    return value;
}

// Collectives stay on the mesh of their operand: one over another mesh than `value` is on
// keeps the reshard between them.
static bool feeds_other_mesh(const Module *module, const Value *value, const Value *result) {
    const Sharding *from = value_sharding(module, value), *to = result->sharding;
    if (!from || sharding_mesh(module, from) == sharding_mesh(module, to)) return false;
    for (const Use *use = result->uses; use; use = use->next) {
        if (op_is_sdy_collective(use->owner)) return true;
    }
    return false;
}

bool reshard_replace(
    Module *module, Op *reshard, Value *value, const ReshardPlan *plan, ReshardMadeFn *made,
    void *user) {
    // Collectives carry on from their operand's own sharding: an argument of a loop gets its
    // edge's.
    if (plan->count > 0 && value->region && !value->sharding)
        value->sharding = value_sharding(module, value);
    Builder builder = builder_before(module, reshard);
    for (int i = 0; i < plan->count; i++) {
        const ReshardStep *step = &plan->steps[i];
        Op *op = build_op(&builder, step->code, 1, &value, 1, &value->type, 0);
        if (step->attr) op_set_attr(module, op, step->attr_name, step->attr);
        value = op_result(op, 0);
        value->sharding = step->sharding;
        if (made) made(value, user);
    }
    Value *result = op_result(reshard, 0);
    if (feeds_other_mesh(module, value, result)) {
        bool changed = value != op_operand(reshard, 0);
        op_set_operand(reshard, 0, value);
        if (made) made(result, user);
        return changed;
    }
    value_replace_uses(result, value);
    op_erase(reshard);
    return true;
}

bool reshard_write_replicated(const Module *module, const Op *replicated_to_unreduced) {
    Value *operand = op_operand(replicated_to_unreduced, 0);
    const Sharding *sharding = op_result(replicated_to_unreduced, 0)->sharding;
    if (!sharding || value_sharding(module, operand)) return false;
    operand->sharding =
        sharding_replicated(module->context, sharding->mesh_name, operand->type->rank);
    return true;
}

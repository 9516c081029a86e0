// remove_ag_rs_for_cmv1: products whose gathers and scatters a later compiler computes together
// with them (collective matmul).
//
//   In      sdy collectives
//   Out     a dot takes the sharded operand of an all_gather that it alone uses; a dot without
//           such an operand whose only user is a reduce_scatter, and which has no unreduced
//           axes, gives the scattered result
//   Keeps   all else. Cannot fail.
//
//   before  %0 = sdy.all_gather [{"x"}, {}] %a    %1 = stablehlo.dot %b, %0
//   after   %1 = stablehlo.dot %b, %a
#include "ir/builder.h"
#include "partition/passes.h"

static bool take_gathered_operands(Op *dot) {
    bool any = false;
    for (int i = 0; i < dot->operand_count; i++) {
        Op *gather = op_operand(dot, i)->def;
        if (!gather || gather->code != OP_SDY_ALL_GATHER) continue;
        if (!value_has_one_use(op_result(gather, 0))) continue;
        op_set_operand(dot, i, op_operand(gather, 0));
        op_erase(gather);
        any = true;
    }
    return any;
}

static bool give_scattered_result(Op *dot) {
    Value *result = op_result(dot, 0);
    if (!value_has_one_use(result) || !result->sharding) return false;
    Op *scatter = result->uses->owner;
    if (scatter->code != OP_SDY_REDUCE_SCATTER || result->sharding->unreduced_count > 0)
        return false;
    result->sharding = op_result(scatter, 0)->sharding;
    value_replace_uses(op_result(scatter, 0), result);
    op_erase(scatter);
    return true;
}

static bool visit(Op *op, void *user) {
    bool *changed = user;
    if (op->code != OP_DOT && op->code != OP_DOT_GENERAL) return true;
    if (take_gathered_operands(op) || give_scattered_result(op)) *changed = true;
    return true;
}

PassResult pass_remove_ag_rs_for_cmv1(Module *module, PassContext *pass) {
    (void)pass;
    bool changed = false;
    region_walk(module->body, visit, &changed);
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

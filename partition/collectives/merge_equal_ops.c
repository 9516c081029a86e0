// merge_equal_ops: equal ops become one, Shardy's constants, reshards and collectives
// and simple reductions included.
//
//   In      a module whose shardings are final
//   Out     sdy.constant is stablehlo.constant; no two equal ops of which one sees the other
//   Keeps   ops with effects, and ops with regions but for reductions with a body of one op
//
//   before  %1 = sdy.reshard %0 [{}]      %2 = sdy.reshard %0 [{}]
//   after   %1 = sdy.reshard %0 [{}]
#include "ir/analysis/effects.h"
#include "ir/simplify/merge_ops.h"
#include "partition/passes.h"

static bool may_merge(const Op *op) {
    if (op->result_count == 0 || op_has(op, TRAIT_EFFECT) || op_has_own_effect(op)) return false;
    if (op->code == OP_REDUCE)
        return op->result_count == 1 && region_reduction_op(op->regions[0]) != OP_COUNT;
    return op->region_count == 0;
}

static bool unsplit_constant(Op *op, void *user) {
    bool *changed = user;
    if (op->code != OP_SDY_CONSTANT) return true;
    op->code = OP_CONSTANT;
    op->name = op_code_text(OP_CONSTANT);
    *changed = true;
    return true;
}

PassResult pass_merge_equal_ops(Module *module, PassContext *pass) {
    bool changed = false;
    region_walk(module->body, unsplit_constant, &changed);
    changed |= merge_ops(module->body, pass->scratch, may_merge);
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

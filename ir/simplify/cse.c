// cse: equal pure ops become one, the first.
//
//   In      any verified module.
//   Out     no two ops of the same code, operands, attributes, types and shardings where one sees
//           the other. Ops with regions, with effects, and Shardy's own (constants that were split
//           on purpose, edges, reshards) stay.
//   Keeps   the first op's location. Cannot fail.
//
//   before  %0 = stablehlo.add %a, %b      %1 = stablehlo.add %b, %a
//   after   %0 = stablehlo.add %a, %b
#include "ir/analysis/effects.h"
#include "ir/pass/passes.h"
#include "ir/simplify/merge_ops.h"

static bool may_merge(const Op *op) {
    return op->result_count > 0 && op->region_count == 0 && op_dialect(op) != DIALECT_SDY &&
           !op_has_own_effect(op) && op->code != OP_CUSTOM_CALL && op->code != OP_UNREGISTERED;
}

PassResult pass_cse(Module *module, PassContext *pass) {
    return merge_ops(module->body, pass->scratch, may_merge) ? PASS_CHANGED : PASS_UNCHANGED;
}

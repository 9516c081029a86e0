// erase_barriers: optimization_barriers have done their part.
//
//   In      a device program in which equal values are computed once.
//   Out     no optimization_barrier: its results are its operands.
//   Keeps   what the program computes. What a program computes again behind a barrier, so as not to
//           keep it (jax.checkpoint), stays a computation of its own.
#include "ir/builder.h"
#include "ir/pass/passes.h"

static bool erase_in(Region *region) {
    bool changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int r = 0; r < op->region_count; r++)
            changed = erase_in(op->regions[r]) || changed;
        if (op->code != OP_OPTIMIZATION_BARRIER) continue;
        for (int i = 0; i < op->result_count; i++)
            value_replace_uses(op_result(op, i), op_operand(op, i));
        op_erase(op);
        changed = true;
    }
    return changed;
}

PassResult pass_erase_barriers(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    return main && erase_in(func_body(main)) ? PASS_CHANGED : PASS_UNCHANGED;
}

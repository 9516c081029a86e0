// erase_barriers: optimization_barriers have done their part.
//
//   In      a device program in which equal values are computed once.
//   Out     no optimization_barrier: its results are its operands.
//   Keeps   what the program computes. What a program computes again behind a barrier, so as not to
//           keep it (jax.checkpoint), stays a computation of its own.
#include "ir/builder.h"
#include "ir/pass/passes.h"

static bool erase_barrier(Op *op, void *user) {
    (void)user;
    if (op->code != OP_OPTIMIZATION_BARRIER) return false;
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), op_operand(op, i));
    op_erase(op);
    return true;
}

PassResult pass_erase_barriers(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, erase_barrier, NULL);
}

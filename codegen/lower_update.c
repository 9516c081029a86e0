// lower_update: dynamic_update_slice in place: the slice is written, the rest of the operand is there already.
#include "codegen/lower.h"
#include "codegen/reduction.h"

void update_grid(Kernel *kernel, const Target *target) {
    (void)target;
    const Type *update = op_operand_type(kernel->root, 1);
    kernel->bytes = 2 * (int64_t)type_bytes(update);
    kernel->flops = 0;
    kernel->grid = grid_of_bytes(kernel->bytes);
    kernel->scratch_bytes = 0;
}

static void store_update(Emit *e, void *user, const IndexExpr *const *index) {
    const Op *op = user;
    const Type *type = op_result_type(op, 0), *update = op_operand_type(op, 1);
    const Value *output = e->kernel->outputs[0].value;
    const IndexExpr *at[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        int64_t last = type->dims[d] - update->dims[d];
        at[d] = index_add(
            e->index, emit_runtime_number(e, op_operand(op, 2 + d), 0, NULL, 0, last), index[d]);
    }
    Scalar x = emit_element(e, op_operand(op, 1), index);
    if (!e->failed) emit_store(e, output, emit_address(e, output, at, NULL), x);
}

bool update_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *update = op_operand_type(op, 1);
    Space *space = ARENA_NEW(e->arena, Space);
    if (!space_plan(e, space, update->rank, update->dims, store_update, (void *)(uintptr_t)op))
        return false;
    space_emit(e, space);
    return !e->failed;
}

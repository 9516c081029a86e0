// lower_reduce: stored reductions. Sums over devices and reductions along contiguous memory are loop nests whose elements fold in place;
// reductions across contiguous memory run by columns.
#include "codegen/lower.h"
#include "codegen/reduction.h"

void reduce_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 0;
    for (int i = 0; i < kernel->root->operand_count; i++)
        kernel->flops += type_element_count(op_operand_type(kernel->root, i));
    int64_t grid = grid_of_bytes(kernel->bytes),
            results = type_element_count(kernel->outputs[0].value->type);
    kernel->grid = results < grid ? (results > 0 ? results : 1) : grid;
    kernel->scratch_bytes = row_cache_bytes(kernel);
}

// The trial's body: results by rows, whatever the outputs are made of.
static void rows_body(Emit *e, void *user, const IndexExpr *const *index) {
    const Op *op = user;
    store_outputs_of(e, op_result(op, 0), index);
}

bool reduce_emit(Emit *e) {
    const Op *op = e->kernel->root;
    if (op->code != OP_REDUCE) return loop_emit(e);
    const Type *type = op_result_type(op, 0);
    Space *space = ARENA_NEW(e->arena, Space);
    if (!space_plan(e, space, type->rank, type->dims, rows_body, (void *)(uintptr_t)op))
        return false;
    if (!fold_prefers_columns(space)) {
        space_emit(e, space);
        return !e->failed;
    }
    Fold *fold = ARENA_NEW(e->arena, Fold);
    if (!reduce_fold(e, op, fold)) return false;
    const Value **results =
        (const Value **)arena_alloc_array(e->arena, op->result_count, sizeof(Value *));
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result(op, i);
    fold_emit_columns(e, fold, space, results);
    return !e->failed;
}

// lower_loop: out[index] = expression, for one or several outputs of one shape.
#include "codegen/lower.h"
#include "codegen/reduction.h"

enum { CHUNK_BYTES = 32 << 10 };

int64_t grid_of_bytes(int64_t bytes) {
    int64_t grid = bytes / CHUNK_BYTES;
    return grid < 1 ? 1 : grid > (1 << 16) ? 1 << 16 : grid;
}

int64_t operands_bytes(const Kernel *kernel) {
    int64_t bytes = 0;
    for (int i = 0; i < kernel->output_count; i++)
        bytes += (int64_t)type_bytes(kernel->outputs[i].value->type);
    for (int i = 0; i < kernel->input_count; i++)
        bytes += (int64_t)type_bytes(kernel->inputs[i].value->type);
    return bytes;
}

void loop_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = type_element_count(kernel->outputs[0].value->type);
    kernel->grid = grid_of_bytes(kernel->bytes);
    kernel->scratch_bytes = row_cache_bytes(kernel);
}

void store_outputs(Emit *e, void *user, const IndexExpr *const *index) {
    (void)user;
    Scalar *values = ARENA_ARRAY(e->arena, Scalar, e->kernel->output_count);
    for (int i = 0; i < e->kernel->output_count; i++)
        values[i] = emit_element(e, e->kernel->outputs[i].value, index);
    for (int i = 0; i < e->kernel->output_count && !e->failed; i++) {
        const Value *output = e->kernel->outputs[i].value;
        emit_store(e, output, emit_address(e, output, index, NULL), values[i]);
    }
}

void store_outputs_of(Emit *e, const Value *result, const IndexExpr *const *index) {
    const Type *type = result->type;
    Scalar *values = ARENA_ARRAY(e->arena, Scalar, e->kernel->output_count);
    const IndexExpr *at[MAX_RANK], *const *place = index;
    const IndexExpr *number = index_linear(e->index, type->rank, type->dims, index);
    for (int pass = 0; pass < 2; pass++) { // all are computed before the first is stored
        for (int i = 0; i < e->kernel->output_count && !e->failed; i++) {
            const Value *output = e->kernel->outputs[i].value;
            bool is_reshaped = !type_same_shape(output->type, type);
            if (is_reshaped)
                index_delinear(e->index, number, output->type->rank, output->type->dims, at);
            place = is_reshaped ? at : index;
            if (pass == 0)
                values[i] = emit_element(e, output, place);
            else
                emit_store(e, output, emit_address(e, output, place, NULL), values[i]);
        }
    }
}

bool loop_emit(Emit *e) {
    const Type *type = e->kernel->outputs[0].value->type;
    Space *space = ARENA_NEW(e->arena, Space);
    if (!space_plan(e, space, type->rank, type->dims, store_outputs, NULL)) return false;
    space_emit(e, space);
    return !e->failed;
}

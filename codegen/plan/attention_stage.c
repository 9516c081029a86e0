// attention_stage: the stage of a KERNEL_ATTENTION.
#include "codegen/element/element.h"
#include "codegen/plan/attention.h"

#include <string.h>

Kernel *kernel_with_input(Arena *arena, const Kernel *kernel, const Value *input) {
    Kernel *copy = ARENA_NEW(arena, Kernel);
    *copy = *kernel;
    KernelOperand *inputs = ARENA_ARRAY(arena, KernelOperand, kernel->input_count + 1);
    if (kernel->input_count)
        memcpy(inputs, kernel->inputs, (size_t)kernel->input_count * sizeof inputs[0]);
    Buffer *buffer = ARENA_NEW(arena, Buffer);
    buffer->rank = input->type->rank;
    int64_t stride = 1;
    for (int d = buffer->rank - 1; d >= 0; d--) {
        buffer->dims[d] = input->type->dims[d];
        buffer->strides[d] = stride;
        stride *= buffer->dims[d] > 0 ? buffer->dims[d] : 1;
    }
    inputs[copy->input_count++] = (KernelOperand){.value = input, .buffer = buffer};
    copy->inputs = inputs;
    return copy;
}

bool attention_add_stores(Stage *stage, Attention *a) {
    ExprBuilder *b = stage->exprs;
    stage_add_stores(b, stage, op_result(a->product, 0), a->result_index);
    for (int i = 0; i < stage->store_count && !b->failed; i++) {
        stage->stores[i].value = attention_resolve(a, stage->stores[i].value);
        if (!stage->stores[i].value) return false;
    }
    if (!a->summand) a->summand = a->e; // of nothing
    return !b->failed;
}

// The builder's kernel has the scores among its inputs while expressions are found.
static Stage *find_stage(ExprBuilder *b) {
    const Kernel *kernel = b->kernel;
    Attention *a = NULL;
    b->kernel = kernel_with_input(b->arena, kernel, op_result(kernel->scores, 0));
    for (int i = 0; i < 2 && !a; i++)
        a = attention_of(b, kernel->root, i, kernel->scores);
    Stage *stage = a ? stage_create(b, STAGE_ATTENTION, kernel->output_count) : NULL;
    if (stage && !attention_add_stores(stage, a)) stage = NULL;
    b->kernel = kernel;
    if (!stage) return NULL;
    const Axis axes[3] = {a->outer, a->query, a->column};
    stage->attention = a;
    stage->axis_count = 3;
    memcpy(stage->axes, axes, sizeof axes);
    return stage;
}

Stage *attention_stage(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, int64_t only_device,
    Diags *diags) {
    ExprBuilder *b = expr_builder_create(arena, program, kernel, only_device, diags);
    Stage *stage = find_stage(b);
    if (!stage && !b->failed)
        diag_error(diags, kernel->loc, "internal error: a kernel of attention lost its form");
    return b->failed ? NULL : stage;
}

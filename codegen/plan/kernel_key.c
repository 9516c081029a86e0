// kernel_key: kernels that compute the same from different buffers share one function.
//
// The key spells the kernel out: its stage, and its operands with their types and strides. Offsets
// of buffers are no part of it: they are given at the call.
#include "codegen/plan/kernel_key.h"

#include "codegen/plan/blocks/row_blocks.h"
#include "codegen/plan/stage.h"

static void key_int(StrBuf *out, int64_t number) {
    strbuf_append(out, (StrView){(const char *)&number, sizeof number});
}

static void key_operand(StrBuf *out, const KernelOperand *operand, int64_t device_count) {
    const Buffer *buffer = operand->buffer;
    type_print(out, operand->value->type);
    key_int(out, buffer->kind == BUFFER_CONSTANT);
    key_int(out, buffer->kind == BUFFER_ARENA || buffer->kind == BUFFER_CONSTANT); // aligned
    for (int d = 0; d < buffer->rank; d++)
        key_int(out, buffer->strides[d]);
    for (int64_t i = 0; buffer->extents && i < device_count * buffer->rank; i++)
        key_int(out, buffer->extents[i]);
    key_int(out, operand->is_remote);
    key_int(out, operand->shares);
    key_int(out, operand->same_index);
}

// What two operands have in common: a base address, the memory.
static void key_memory(StrBuf *out, const Buffer *x, const Buffer *y) {
    bool same = buffer_memory(x) == buffer_memory(y);
    key_int(out, (x == y) + 2 * same + 4 * (x->may_alias == y->number + 1));
}

// The functions that it calls, in which order and on which operands.
static void key_blocks(StrBuf *out, const RowBlocks *blocks) {
    key_int(out, blocks->outer);
    key_int(out, blocks->count);
    key_int(out, blocks->rows);
    for (int p = 0; p < blocks->part_count; p++) {
        const BlockPart *part = &blocks->parts[p];
        strbuf_printf(out, "%s;", part->kernel->symbol);
        key_int(out, part->scratch_at);
        for (int i = 0; i < part->kernel->output_count + part->kernel->input_count; i++)
            key_int(out, part->operands[i]);
    }
    for (int i = 0; i < blocks->local_count; i++) {
        key_int(out, blocks->locals[i].row_bytes);
        key_int(out, blocks->locals[i].at);
    }
}

StrView kernel_key(Arena *arena, const Kernel *kernel) {
    StrBuf out = strbuf(arena);
    int64_t devices = kernel->stage->exprs->program->device_count;
    key_int(&out, (int64_t)kernel->kind);
    key_int(&out, kernel->grid);
    key_int(&out, kernel->has_epilogue);
    key_int(&out, kernel->block.rows);
    key_int(&out, kernel->block.count);
    key_int(
        &out, kernel->block.is_depth + 2 * kernel->block.is_turned + 4 * kernel->block.skips_zeros);
    if (kernel->blocks) key_blocks(&out, kernel->blocks);
    key_int(&out, kernel->output_count);
    key_int(&out, kernel->input_count);
    for (int i = 0; i < kernel->input_count; i++) {
        const KernelOperand *input = &kernel->inputs[i];
        key_operand(&out, input, devices);
        for (int o = 0; o < kernel->output_count; o++)
            key_memory(&out, kernel->outputs[o].buffer, input->buffer);
        for (int j = 0; j < i; j++)
            key_memory(&out, kernel->inputs[j].buffer, input->buffer);
    }
    for (int i = 0; i < kernel->output_count; i++) {
        key_operand(&out, &kernel->outputs[i], devices);
        key_int(&out, kernel->outputs[i].value->def == kernel->root);
    }
    if (kernel->kind == KERNEL_CUSTOM)
        key_int(&out, kernel->custom_call); // each has its own number
    stage_key(&out, kernel->stage);
    return strbuf_view(&out);
}

// Look-ups in kernels; buffers inside of others; names in texts.
#include "codegen/kernel/kernel.h"

int plan_share(const Plan *plan, int once_for) {
    int share = 0;
    while (plan->once.data[share] != once_for)
        share++;
    return share;
}

int kernel_operand(const Kernel *kernel, const Value *value) {
    for (int i = 0; i < kernel->output_count; i++) {
        if (kernel->outputs[i].value == value) return i;
    }
    for (int i = 0; i < kernel->input_count; i++) {
        if (kernel->inputs[i].value == value) return kernel->output_count + i;
    }
    return -1;
}

const bool *constant_arguments_of(Arena *arena, const Op *main) {
    const Attr *numbers = op_extra(main, CONSTANT_ARGUMENTS);
    int count = func_body(main)->arg_count;
    if (!numbers || numbers->kind != ATTR_INTS || numbers->count == 0) return NULL;
    bool *constant = ARENA_ARRAY(arena, bool, count + 1);
    for (int i = 0; i < numbers->count; i++) {
        int64_t number = numbers->ints[i];
        if (number >= 0 && number < count) constant[number] = true;
    }
    return constant;
}

const Buffer *buffer_donated_memory(const Plan *plan, const Buffer *buffer) {
    buffer = buffer_memory(buffer);
    bool is_donated = buffer->kind == BUFFER_RESULT && buffer->may_alias;
    return is_donated ? plan->all_buffers.data[buffer->may_alias - 1] : buffer;
}

bool buffer_is_like_slice(const Buffer *buffer) {
    const Type *slice = op_operand_type(buffer->part, 1);
    return dims_same_but_ones(slice->rank, slice->dims, buffer->rank, buffer->dims);
}

static void place_stacked(Buffer *buffer) {
    const Buffer *base = buffer->base;
    const Type *slice = op_operand_type(buffer->part, 1);
    bool is_like = buffer_is_like_slice(buffer); // else the base has no gaps, nor has the slice
    int64_t dense = 1;
    int of = slice->rank;
    buffer->is_dense = true;
    for (int d = buffer->rank - 1; d >= 0; d--) {
        buffer->strides[d] = dense;
        if (buffer->dims[d] == 1) continue;
        do {
            of--;
        } while (is_like && slice->dims[of] == 1);
        if (is_like) buffer->strides[d] = base->strides[of];
        if (buffer->strides[d] != dense) buffer->is_dense = false;
        dense *= buffer->dims[d];
    }
    buffer->slot = base->slot;
    buffer->offset = base->offset;
}

void buffer_place_part(Buffer *buffer) {
    const Buffer *base = buffer->base;
    if (buffer_is_stacked(buffer)) {
        place_stacked(buffer);
        return;
    }
    IntSpan starts = op_ints(buffer->part, NAME_START_INDICES),
            steps = op_ints(buffer->part, NAME_STRIDES);
    int64_t elements = 0, dense = 1;
    buffer->is_dense = true;
    for (int d = buffer->rank - 1; d >= 0; d--) {
        int64_t step = d < steps.count ? steps.data[d] : 1;
        elements += (d < starts.count ? starts.data[d] : 0) * base->strides[d];
        buffer->strides[d] = base->strides[d] * step;
        if (buffer->dims[d] > 1 && buffer->strides[d] != dense) buffer->is_dense = false;
        dense *= buffer->dims[d];
    }
    buffer->slot = base->slot;
    buffer->offset = base->offset + elements * (int64_t)element_bytes(buffer->element);
}

const char *kernel_kind_text(KernelKind kind) {
    switch (kind) {
    case KERNEL_LOOP: return "loop";
    case KERNEL_REDUCE: return "reduce";
    case KERNEL_CONTRACT: return "contract";
    case KERNEL_ATTENTION: return "attention";
    case KERNEL_CONV: return "conv";
    case KERNEL_WINDOW: return "window";
    case KERNEL_SELECT_SCATTER: return "select_and_scatter";
    case KERNEL_SCATTER: return "scatter";
    case KERNEL_UPDATE: return "update";
    case KERNEL_SORT: return "sort";
    case KERNEL_FFT: return "fft";
    case KERNEL_CHOLESKY: return "cholesky";
    case KERNEL_SOLVE: return "triangular_solve";
    case KERNEL_RANDOM: return "random";
    case KERNEL_CUSTOM: return "custom_call";
    case KERNEL_TILE_IN: return "tile_in";
    case KERNEL_TILE_OUT: return "tile_out";
    case KERNEL_BLOCKS: return "blocks";
    }
    return "?";
}

void buffer_print_name(StrBuf *out, const Buffer *buffer) {
    if (buffer_is_stacked(buffer)) buffer = buffer_memory(buffer);
    switch (buffer->kind) {
    case BUFFER_ARENA: strbuf_printf(out, "b%d", buffer->number); break;
    case BUFFER_CONSTANT: strbuf_printf(out, "c%d", buffer->number); break;
    case BUFFER_ARGUMENT: strbuf_printf(out, "arg%d", buffer->index); break;
    case BUFFER_RESULT: strbuf_printf(out, "result%d", buffer->index); break;
    case BUFFER_LOCAL: strbuf_printf(out, "block%d", buffer->number); break;
    }
}

// The plan as text: steps, kernels with their buffers and loop nests.
#include "codegen/plan/blocks/row_blocks.h"
#include "codegen/plan/print/print.h"

static void print_buffer(StrBuf *out, const Plan *plan, const Buffer *buffer) {
    buffer_print_name(out, buffer);
    for (int d = 0; d < buffer->rank; d++) {
        strbuf_printf(out, d ? ",%lld" : "[%lld", (long long)buffer->dims[d]);
    }
    strbuf_printf(out, "%s%.*s", buffer->rank ? "]" : ":", SV_ARG(element_text(buffer->element)));
    if (plan->is_placed && buffer->kind == BUFFER_ARENA)
        strbuf_printf(out, "@%lld", (long long)buffer->offset);
}

static void print_kernel(StrBuf *out, const Plan *plan, const Kernel *kernel, int indent);

static void print_blocks(StrBuf *out, const Plan *plan, const RowBlocks *blocks, int indent) {
    strbuf_indent(out, indent);
    strbuf_printf(
        out, "for %lld x %lld blocks of %lld rows\n", (long long)blocks->outer,
        (long long)blocks->count, (long long)blocks->rows);
    for (int p = 0; p < blocks->part_count; p++) {
        const Kernel *part = blocks->parts[p].kernel;
        strbuf_indent(out, indent + 2);
        if (part->block.is_depth) strbuf_puts(out, "sum of ");
        print_kernel(out, plan, part, indent + 2);
    }
}

static void print_kernel(StrBuf *out, const Plan *plan, const Kernel *kernel, int indent) {
    for (int i = 0; i < kernel->output_count; i++) {
        if (i) strbuf_puts(out, ", ");
        print_buffer(out, plan, kernel->outputs[i].buffer);
    }
    strbuf_printf(
        out, " = %s %s%s(", kernel_kind_text(kernel->kind), kernel->name,
        kernel->has_epilogue ? " with epilogue" : "");
    for (int i = 0; i < kernel->input_count; i++) {
        const KernelOperand *input = &kernel->inputs[i];
        if (i) strbuf_puts(out, ", ");
        print_buffer(out, plan, input->buffer);
        if (input->is_remote) strbuf_printf(out, " of group %d", input->groups);
        if (input->shares) strbuf_puts(out, " in place");
    }
    strbuf_printf(out, ")  // kernel %d, grid %lld", kernel->number, (long long)kernel->grid);
    if (plan->is_placed) strbuf_printf(out, ", function %d", kernel->function);
    if (kernel->once_for) strbuf_printf(out, ", once for group %d", kernel->once_for);
    if (kernel->collective_bytes) {
        strbuf_printf(out, ", %lld bytes of collectives", (long long)kernel->collective_bytes);
    }
    strbuf_putc(out, '\n');
    if (kernel->blocks)
        print_blocks(out, plan, kernel->blocks, indent + 4);
    else if (kernel->stage)
        stage_print(out, kernel->stage, indent + 4);
}

static void print_steps(StrBuf *out, const Plan *plan, const StepList *list, int indent) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        strbuf_indent(out, indent);
        if (step->is_kept) strbuf_puts(out, "once: ");
        switch (step->kind) {
        case STEP_KERNEL: print_kernel(out, plan, step->kernel, indent); break;
        case STEP_BARRIER: strbuf_printf(out, "barrier %d\n", step->barrier); break;
        case STEP_WHILE:
            strbuf_puts(out, "while {\n");
            print_steps(out, plan, step->bodies[0], indent + 4);
            strbuf_indent(out, indent);
            strbuf_puts(out, "} test ");
            print_buffer(out, plan, step->test);
            strbuf_puts(out, " do {\n");
            print_steps(out, plan, step->bodies[1], indent + 4);
            strbuf_indent(out, indent);
            strbuf_puts(out, "}\n");
            break;
        case STEP_BRANCH:
            strbuf_puts(out, "branch ");
            print_buffer(out, plan, step->test);
            for (int b = 0; b < step->branch_count; b++) {
                strbuf_puts(out, " {\n");
                print_steps(out, plan, step->bodies[b], indent + 4);
                strbuf_indent(out, indent);
                strbuf_putc(out, '}');
            }
            strbuf_putc(out, '\n');
            break;
        }
    }
}

void plan_print(StrBuf *out, const Plan *plan) {
    strbuf_printf(out, "// %lld devices", (long long)plan->program->device_count);
    if (plan->is_placed) {
        strbuf_printf(out, ", arena %zu bytes", plan->arena_bytes);
        if (plan->alive_bytes + 64 <= (int64_t)plan->arena_bytes)
            strbuf_printf(out, " (%lld in use at once)", (long long)plan->alive_bytes);
        if (plan->kept_bytes) strbuf_printf(out, " (%zu kept)", plan->kept_bytes);
        strbuf_printf(
            out, ", constants %zu bytes, scratch %zu bytes", plan->constants_bytes,
            plan->scratch_bytes);
    }
    strbuf_putc(out, '\n');
    for (int64_t i = 1; i < plan->barriers.count; i++) {
        strbuf_printf(out, "// group %lld:", (long long)i);
        for (int64_t d = 0; d < plan->program->device_count && d < 64; d++) {
            strbuf_printf(out, " %d", plan->barriers.data[i].group[d]);
        }
        strbuf_putc(out, '\n');
    }
    print_steps(out, plan, plan->steps, 0);
}

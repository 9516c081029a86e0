// keep_values: what constant arguments alone decide is computed once for many executions.
//
//   In      steps in order, without barriers; ops that are marked as KEPT, and the arguments that
//           @main says are constant.
//   Out     the kernels that store marked values, and those that they need, are the first steps
//           (Step.is_kept), which an execution skips if one before it has run them. What the
//           others read of them is kept (Buffer.is_kept): nothing else ever lies there.
//
// Such kernels read constant arguments, constants, and what such kernels store. They are steps of
// @main itself, so each lane of each device runs all of them or none. What is marked but needs
// anything else stays where it is, and is computed in every execution.
#include "codegen/fuse/fuse.h"

typedef struct Writer {
    const Kernel *kernel; // the only one that writes the buffer's memory; NULL = none, or several
    int count;
} Writer;

typedef struct Keep {
    Plan *plan;
    Arena *arena;
    const bool *constant; // [arguments]
    Writer *writers;      // by buffer number
    bool *may_stay;       // by kernel number: constant arguments alone decide it
    bool *is_needed;      // and kept values need it
} Keep;

static void find_writers(Keep *keep) {
    for (int64_t i = 0; i < keep->plan->kernels.count; i++) {
        const Kernel *kernel = keep->plan->kernels.data[i];
        for (int o = 0; o < kernel->output_count; o++) {
            Writer *writer = &keep->writers[buffer_memory(kernel->outputs[o].buffer)->number];
            writer->kernel = writer->count++ == 0 ? kernel : NULL;
        }
    }
}

// Does the kernel store in the device's own memory alone, which nobody else writes?
static bool stores_alone(const Keep *keep, const Kernel *kernel) {
    if (kernel->kind == KERNEL_CUSTOM || kernel->kind == KERNEL_RANDOM) return false;
    for (int o = 0; o < kernel->output_count; o++) {
        const Buffer *buffer = buffer_memory(kernel->outputs[o].buffer);
        if (buffer->kind != BUFFER_ARENA || keep->writers[buffer->number].kernel != kernel)
            return false;
    }
    return true;
}

static bool reads_constants(const Keep *keep, const Kernel *kernel) {
    for (int k = 0; k < kernel->input_count; k++) {
        const Buffer *buffer = buffer_memory(kernel->inputs[k].buffer);
        const Kernel *writer = keep->writers[buffer->number].kernel;
        switch (buffer->kind) {
        case BUFFER_CONSTANT: break;
        case BUFFER_ARGUMENT:
            if (!keep->constant[buffer->index]) return false;
            break;
        case BUFFER_ARENA:
            if (!writer || !keep->may_stay[writer->number]) return false;
            break;
        case BUFFER_LOCAL:
        case BUFFER_RESULT: return false;
        }
    }
    return true;
}

// The kernels of @main's own steps that constant arguments alone decide: all that could be, less
// those that read something else, until nothing changes. Writers stand before readers, so one pass
// and one that finds nothing are the rule.
static void find_constant(Keep *keep) {
    const StepList *list = keep->plan->steps;
    bool changed = true;
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        if (step->kind == STEP_KERNEL)
            keep->may_stay[step->kernel->number] = stores_alone(keep, step->kernel);
    }
    while (changed) {
        changed = false;
        for (int64_t i = 0; i < list->steps.count; i++) {
            const Step *step = list->steps.data[i];
            if (step->kind != STEP_KERNEL || !keep->may_stay[step->kernel->number]) continue;
            if (reads_constants(keep, step->kernel)) continue;
            keep->may_stay[step->kernel->number] = false;
            changed = true;
        }
    }
}

static bool is_marked(const Kernel *kernel) {
    for (int o = 0; o < kernel->output_count; o++) {
        const Op *op = kernel->outputs[o].value->def;
        if (op && op_extra(op, KEPT)) return true;
    }
    return false;
}

static void need(Keep *keep, const Kernel *kernel) {
    keep->is_needed[kernel->number] = true;
    for (int k = 0; k < kernel->input_count; k++) {
        const Writer *writer = &keep->writers[buffer_memory(kernel->inputs[k].buffer)->number];
        if (writer->kernel) keep->is_needed[writer->kernel->number] = true;
    }
}

// From the last to the first: those who need a kernel stand behind it.
static bool find_needed(Keep *keep) {
    const StepList *list = keep->plan->steps;
    bool found = false;
    for (int64_t i = list->steps.count - 1; i >= 0; i--) {
        const Step *step = list->steps.data[i];
        if (step->kind != STEP_KERNEL || !keep->may_stay[step->kernel->number]) continue;
        if (!is_marked(step->kernel) && !keep->is_needed[step->kernel->number]) continue;
        need(keep, step->kernel);
        found = true;
    }
    return found;
}

static void move_to_front(Keep *keep) {
    StepList *list = keep->plan->steps;
    int64_t count = list->steps.count, next = 0;
    Step **steps = ARENA_ARRAY(keep->arena, Step *, count + 1);
    for (int64_t i = 0; i < count; i++) {
        Step *step = list->steps.data[i];
        step->is_kept = step->kind == STEP_KERNEL && keep->is_needed[step->kernel->number];
        if (step->is_kept) steps[next++] = step;
    }
    for (int64_t i = 0; i < count; i++) {
        Step *step = list->steps.data[i];
        if (!step->is_kept) steps[next++] = step;
    }
    memcpy(list->steps.data, steps, (size_t)count * sizeof *steps);
}

static void keep_buffer(Keep *keep, const Buffer *buffer) {
    Buffer *memory = keep->plan->all_buffers.data[buffer_memory(buffer)->number];
    const Kernel *writer = keep->writers[memory->number].kernel;
    if (writer && keep->is_needed[writer->number]) memory->is_kept = true;
}

// What is read outside of the kept steps.
static void keep_read(Keep *keep, const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        if (step->test) keep_buffer(keep, step->test);
        for (int b = 0; b < step_body_count(step); b++)
            keep_read(keep, step->bodies[b]);
        if (step->kind != STEP_KERNEL || step->is_kept) continue;
        for (int k = 0; k < step->kernel->input_count; k++)
            keep_buffer(keep, step->kernel->inputs[k].buffer);
    }
}

void keep_values(Plan *plan) {
    const bool *constant = constant_arguments_of(plan->arena, plan->program->main);
    if (!constant) return;
    Arena *arena = arena_child(plan->arena);
    int64_t kernels = plan->kernels.count;
    Keep keep = {
        .plan = plan,
        .arena = arena,
        .constant = constant,
        .writers = ARENA_ARRAY(arena, Writer, plan->all_buffers.count + 1),
        .may_stay = ARENA_ARRAY(arena, bool, kernels + 1),
        .is_needed = ARENA_ARRAY(arena, bool, kernels + 1),
    };
    find_writers(&keep);
    find_constant(&keep);
    if (!find_needed(&keep)) return;
    move_to_front(&keep);
    keep_read(&keep, plan->steps);
}

// make_once: what several devices would compute alike, their lanes compute together, once.
//
//   In      steps in order, without barriers.
//   Out     of kernels whose results are equal on the devices of a class (fuse/replicas.c):
//           Kernel.once_for, the classes as a row of Plan.barriers. All lanes of a class take parts
//           of the kernel's grid, run it as the first device of the class, and store in that
//           device's memory (Buffer.once_for), where all of the class read it.
//           KernelOperand.once_for: who writes or reads the operand's memory beside its device.
//   Keeps   what is stored, bit for bit.
//
// A mesh axis that an op is not sharded over makes such classes: all devices along it hold the
// same. On CPUs they would repeat each other's work. Kernels that write the same memory (carries of
// loops, updates in place) are made once together, for what all of their classes have in common, or
// not at all. A kernel in a loop is, if all devices of a class go around the loop alike. It has to
// take longer than the barriers that come with it.
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"
#include "codegen/target/target.h"

// Estimated speed of one lane; shorter work is repeated rather than waited for.
enum { BYTES_PER_NS = 8, FLOPS_PER_NS = 64, LEAST_NS = 4000 };

// Kernels that write the same memory, by the number of the first one.
typedef struct Group {
    int parent; // kernel number; its own: the first one
    const int32_t *classes;
    int64_t longest_ns; // of its kernels
} Group;

typedef struct MakeOnce {
    Plan *plan;
    Replicas replicas;
    Group *groups;  // by kernel number
    bool *is_known; // by kernel number: it is a step
    int *writer;    // by buffer number: 1 + kernel number of one that writes it
} MakeOnce;

static int first_of(const MakeOnce *once, int kernel) {
    while (once->groups[kernel].parent != kernel)
        kernel = once->groups[kernel].parent;
    return kernel;
}

static void join_groups(MakeOnce *once, int a, int b) {
    a = first_of(once, a);
    b = first_of(once, b);
    if (a == b) return;
    Group *kept = &once->groups[a < b ? a : b], *gone = &once->groups[a < b ? b : a];
    gone->parent = kept->parent;
    kept->classes = replicas_meet(&once->replicas, kept->classes, gone->classes);
    if (gone->longest_ns > kept->longest_ns) kept->longest_ns = gone->longest_ns;
}

// May another device's lane run the kernel, and store its output where only one device does?
static bool may_move(const MakeOnce *once, const Kernel *kernel) {
    bool is_tiled = once->plan->program->is_tiled;
    if (kernel->kind == KERNEL_CUSTOM || kernel->kind == KERNEL_TILE_OUT) return false;
    for (int i = 0; i < kernel->output_count; i++) {
        const KernelOperand *output = &kernel->outputs[i];
        const Buffer *memory = buffer_memory(output->buffer);
        if (output->is_remote || output->made) return false;
        bool is_plain = memory->kind == BUFFER_RESULT && !memory->may_alias && !memory->extents;
        if (memory->kind != BUFFER_ARENA && (!is_plain || is_tiled)) return false;
    }
    return kernel->output_count > 0;
}

static const int32_t *classes_of(MakeOnce *once, const Kernel *kernel, const int32_t *here) {
    if (!may_move(once, kernel)) return once->replicas.apart;
    for (int i = 0; i < kernel->output_count; i++) {
        const int32_t *of = replicas_of(&once->replicas, kernel->outputs[i].value);
        here = replicas_meet(&once->replicas, here, of);
        const Buffer *memory = buffer_memory(kernel->outputs[i].buffer);
        if (memory->kind != BUFFER_RESULT) continue;
        const GlobalLayout *tiles = &once->plan->program->results[memory->index];
        here = replicas_meet(&once->replicas, here, replicas_of_tiles(&once->replicas, tiles));
    }
    return here;
}

static void add_kernel(MakeOnce *once, const Kernel *kernel, const int32_t *here) {
    if (kernel->grid == 0) return; // stores nothing
    int number = kernel->number;
    int64_t ns = kernel->bytes / BYTES_PER_NS + kernel->flops / FLOPS_PER_NS;
    once->is_known[number] = true;
    once->groups[number] = (Group){
        .parent = number,
        .classes = classes_of(once, kernel, here),
        .longest_ns = ns};
    for (int i = 0; i < kernel->output_count; i++) {
        int *writer = &once->writer[buffer_memory(kernel->outputs[i].buffer)->number];
        if (*writer > 0) join_groups(once, *writer - 1, number);
        *writer = number + 1;
    }
}

// here: the devices that come to these steps together.
static void add_steps(MakeOnce *once, const StepList *list, const int32_t *here) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        if (step->kind == STEP_KERNEL) add_kernel(once, step->kernel, here);
        if (step_body_count(step) == 0) continue;
        const Value *choice = step->kind == STEP_WHILE
                                  ? op_operand(region_terminator(step->op->regions[0]), 0)
                                  : op_operand(step->op, 0);
        const int32_t *inside =
            replicas_meet(&once->replicas, here, replicas_of(&once->replicas, choice));
        for (int b = 0; b < step_body_count(step); b++)
            add_steps(once, step->bodies[b], inside);
    }
}

static void note_groups(Plan *plan, int groups) {
    for (int64_t i = 0; i < plan->once.count; i++)
        if (plan->once.data[i] == groups) return;
    if (groups) vec_push(plan->arena, &plan->once, groups);
}

static void set_outputs(MakeOnce *once, Kernel *kernel) {
    const Group *group = &once->groups[first_of(once, kernel->number)];
    if (group->longest_ns < LEAST_NS) return;
    kernel->once_for = barrier_groups_intern(once->plan, group->classes);
    note_groups(once->plan, kernel->once_for);
    for (int i = 0; i < kernel->output_count; i++) {
        for (Buffer *buffer = kernel->outputs[i].buffer; buffer; buffer = buffer->base)
            buffer->once_for = kernel->once_for;
        kernel->outputs[i].once_for = kernel->once_for;
    }
}

// Whoever reads what was made once reads another device's memory, and so does a kernel that is.
static void set_inputs(MakeOnce *once, Kernel *kernel) {
    for (int i = 0; i < kernel->input_count; i++) {
        KernelOperand *input = &kernel->inputs[i];
        const Buffer *memory = buffer_memory(input->buffer);
        if (memory->kind == BUFFER_CONSTANT || memory->kind == BUFFER_LOCAL) continue;
        input->once_for = barrier_groups_join(once->plan, kernel->once_for, memory->once_for);
    }
}

void make_once(Plan *plan) {
    int64_t devices = plan->program->device_count, kernels = plan->kernels.count, numbers = 0;
    if (devices < 2 || plan->target->only_device >= 0) return;
    Arena *scratch = arena_child(plan->arena);
    MakeOnce once = {.plan = plan, .replicas = replicas_find(plan->program, scratch)};
    for (int64_t i = 0; i < kernels; i++)
        if (plan->kernels.data[i]->number >= numbers) numbers = plan->kernels.data[i]->number + 1;
    once.groups = ARENA_ARRAY(scratch, Group, numbers);
    once.is_known = ARENA_ARRAY(scratch, bool, numbers);
    once.writer = ARENA_ARRAY(scratch, int, plan->all_buffers.count);
    add_steps(&once, plan->steps, once.replicas.uniform);
    for (int64_t i = 0; i < kernels; i++)
        if (once.is_known[plan->kernels.data[i]->number]) set_outputs(&once, plan->kernels.data[i]);
    for (int64_t i = 0; i < plan->all_buffers.count; i++) { // parts of what others write
        Buffer *buffer = plan->all_buffers.data[i];
        buffer->once_for = buffer_memory(buffer)->once_for;
    }
    for (int64_t i = 0; i < kernels; i++)
        if (once.is_known[plan->kernels.data[i]->number]) set_inputs(&once, plan->kernels.data[i]);
    arena_reset(scratch);
}

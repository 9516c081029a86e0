// share_results: what several devices would store alike is stored by parts.
//
//   In      kernels with their buffers.
//   Out     a kernel whose outputs are results of the program that several devices hold alike, that nobody reads again, and that are computed from equal numbers
//           (replicas.c): each of these devices makes one part, in the memory of the device whose copy the caller gets (Kernel.parts).
//
// The others' copies would be written into private memory, for nobody.
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"

enum { LEAST_BYTES = 64 << 10, CACHE_LINE = 64 };

typedef struct Sharer {
    Plan *plan;
    Arena *arena;
    int64_t *touches; // by Buffer.number: kernels that read or write that memory
    Replicas replicas;
    bool has_replicas;
} Sharer;

static void count_touches(Sharer *sharer) {
    const Plan *plan = sharer->plan;
    sharer->touches = ARENA_ARRAY(sharer->arena, int64_t, plan->all_buffers.count);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        const Kernel *kernel = plan->kernels.data[i];
        for (int k = 0; k < kernel->input_count; k++)
            sharer->touches[buffer_memory(kernel->inputs[k].buffer)->number]++;
        for (int k = 0; k < kernel->output_count; k++)
            sharer->touches[buffer_memory(kernel->outputs[k].buffer)->number]++;
    }
}

// Its stage is a map over the outputs' elements.
static bool is_map(const Kernel *kernel) {
    if (kernel->has_rows) return false;
    return kernel->kind == KERNEL_LOOP ||
           (kernel->kind == KERNEL_REDUCE && kernel->root->code != OP_REDUCE);
}

static bool is_plain_result(const Sharer *sharer, const Kernel *kernel, int i) {
    const KernelOperand *output = &kernel->outputs[i];
    const Buffer *buffer = output->buffer;
    return buffer->kind == BUFFER_RESULT && !buffer->base && !buffer->may_alias &&
           !buffer->extents && !output->made && sharer->touches[buffer->number] == 1 &&
           type_same_shape(output->value->type, kernel->outputs[0].value->type);
}

// The devices that hold the outputs alike; NULL = they cannot be shared.
static const int32_t *holders_of(Sharer *sharer, const Kernel *kernel) {
    const DeviceProgram *program = sharer->plan->program;
    const int32_t *holders = NULL;
    for (int i = 0; i < kernel->output_count; i++) {
        const KernelOperand *output = &kernel->outputs[i];
        if (!is_plain_result(sharer, kernel, i)) return NULL;
        if (!sharer->has_replicas) sharer->replicas = replicas_find(program, sharer->arena);
        sharer->has_replicas = true;
        Replicas *r = &sharer->replicas;
        const int32_t *of_result = replicas_of_layout(r, &program->results[output->buffer->index]);
        if (holders && holders != of_result) return NULL;
        holders = of_result;
        if (!replicas_within(r, holders, replicas_of(r, output->value))) return NULL;
    }
    return holders;
}

// How many devices each class has; 0 = not all the same number.
static int64_t class_size(Sharer *sharer, const int32_t *classes) {
    int64_t devices = sharer->replicas.devices, size = 0;
    for (int64_t d = 0; d < devices; d++)
        size += classes[d] == classes[0];
    for (int64_t first = 0; first < devices; first++) {
        int64_t count = 0;
        if (classes[first] != first) continue;
        for (int64_t d = first; d < devices; d++)
            count += classes[d] == first;
        if (count != size) return 0;
    }
    return size;
}

// The outermost dimension that can be cut, into parts whose rows are whole cache lines; -1 = none.
static int part_dim(const Type *type, int64_t count) {
    int64_t row = (int64_t)type_bytes(type);
    for (int d = 0; d < type->rank; d++) {
        row /= type->dims[d]; // not empty
        if (type->dims[d] % count == 0 && type->dims[d] / count * row >= CACHE_LINE) return d;
    }
    return -1;
}

static void share_outputs(Sharer *sharer, Kernel *kernel) {
    const Plan *plan = sharer->plan;
    const Type *type = kernel->outputs[0].value->type;
    int64_t bytes = 0;
    for (int i = 0; i < kernel->output_count; i++)
        bytes += (int64_t)type_bytes(kernel->outputs[i].value->type);
    const int32_t *holders = bytes >= LEAST_BYTES ? holders_of(sharer, kernel) : NULL;
    int64_t count = holders ? class_size(sharer, holders) : 0;
    if (count < 2) return;
    int dim = part_dim(type, count);
    if (dim < 0) return;
    KernelParts *parts = ARENA_NEW(plan->arena, KernelParts);
    int64_t devices = plan->program->device_count;
    *parts = (KernelParts){
        .dim = dim,
        .count = count,
        .place = ARENA_ARRAY(plan->arena, int64_t, devices),
        .owner = ARENA_ARRAY(plan->arena, int64_t, devices)};
    int64_t *next = ARENA_ARRAY(sharer->arena, int64_t, devices);
    for (int64_t d = 0; d < devices; d++) {
        parts->owner[d] = holders[d];
        parts->place[d] = next[holders[d]]++;
    }
    kernel->parts = parts;
    for (int i = 0; i < kernel->output_count; i++) {
        kernel->outputs[i].is_remote = true;
        kernel->outputs[i].groups = barrier_groups_intern(sharer->plan, holders);
    }
}

void share_results(Plan *plan) {
    const DeviceProgram *program = plan->program;
    if (program->is_tiled || program->device_count < 2) return;
    Sharer sharer = {.plan = plan, .arena = arena_child(plan->arena)};
    count_touches(&sharer);
    for (int64_t i = 0; i < plan->steps->steps.count; i++) {
        const Step *step = plan->steps->steps.data[i];
        if (step->kind == STEP_KERNEL && step->kernel->output_count > 0 && is_map(step->kernel))
            share_outputs(&sharer, step->kernel);
    }
    arena_reset(sharer.arena);
}

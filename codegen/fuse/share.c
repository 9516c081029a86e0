// share: copies that need not be made, and results that may take the place of donated arguments.
//
//   In      kernels in order; every carry, result and operand that is updated in place is reached
//           through a copy where fuse_values.c needed one.
//   Out     a copy goes where source and destination can be one buffer:
//             forward   the source is touched nowhere after the copy, the
//                       destination nowhere before it;
//             carry     what a body yields is written where nobody reads the carry any more (but
//                       the writer itself, at the same element).
//           Until the destination is changed, both hold the same: the source may be read that
//           long, and by the update that changes it (update_reads_apart says where).
//           Buffer.may_alias stays on those results whose memory may be the donated argument's:
//           nothing reads the argument once the result is written, and no other device holds the
//           same tile of either.
//
// Places are numbered along the program; a loop's condition and body lie between its ends.
#include "codegen/fuse/fuse.h"
#include "codegen/plan/kernel_stage.h"

typedef struct LoopSpan {
    int64_t begin, end;
    const struct LoopSpan *outer;
} LoopSpan;

// One step on the line.
typedef struct Place {
    Step *step;
    StepList *list;
    const LoopSpan *loop; // innermost around it; NULL = none
    const LoopSpan *body; // the branch or loop that it is a step of; NULL = main
} Place;

typedef struct Access {
    int64_t place;
    bool is_write, is_test;
    const KernelOperand *operand; // NULL for tests
} Access;

typedef struct Share {
    Plan *plan;
    Arena *arena;
    VEC(Place) places;
    struct Touches {
        VEC(Access) list;
    } * accesses; // by buffer number, in order of places
} Share;

// ---- the line

static void access(
    Share *share, const Buffer *buffer, bool is_write, bool is_test, const KernelOperand *operand) {
    Access touched = {share->places.count - 1, is_write, is_test, operand};
    vec_push(share->arena, &share->accesses[buffer_memory(buffer)->number].list, touched);
}

static void walk(Share *share, StepList *list, const LoopSpan *loop, const LoopSpan *body);

static void walk_control(Share *share, Step *step, const LoopSpan *loop) {
    if (step->kind == STEP_BRANCH) access(share, step->test, false, true, NULL);
    if (step->kind == STEP_BRANCH) {
        for (int b = 0; b < step->branch_count; b++) {
            LoopSpan *branch = ARENA_NEW(share->arena, LoopSpan);
            *branch = (LoopSpan){share->places.count, INT64_MAX, loop};
            walk(share, step->bodies[b], loop, branch);
            branch->end = share->places.count;
        }
        return;
    }
    LoopSpan *span = ARENA_NEW(share->arena, LoopSpan);
    *span = (LoopSpan){share->places.count, INT64_MAX, loop};
    for (int b = 0; b < 2; b++) {
        walk(share, step->bodies[b], span, span);
        if (b > 0) continue;
        Place place = {step, step->bodies[0], span, span};
        vec_push(share->arena, &share->places, place);
        access(share, step->test, false, true, NULL);
    }
    span->end = share->places.count;
}

static void walk(Share *share, StepList *list, const LoopSpan *loop, const LoopSpan *body) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        Place place = {step, list, loop, body};
        vec_push(share->arena, &share->places, place);
        if (step->kind != STEP_KERNEL) {
            walk_control(share, step, loop);
            continue;
        }
        Kernel *kernel = step->kernel;
        for (int k = 0; k < kernel->input_count; k++) {
            access(share, kernel->inputs[k].buffer, false, false, &kernel->inputs[k]);
        }
        for (int k = 0; k < kernel->output_count; k++) {
            access(share, kernel->outputs[k].buffer, true, false, &kernel->outputs[k]);
        }
    }
}

static void lay_out(Share *share) {
    arena_reset(share->arena);
    *share = (Share){.plan = share->plan, .arena = share->arena};
    share->accesses =
        arena_alloc_array(share->arena, share->plan->all_buffers.count, sizeof *share->accesses);
    walk(share, share->plan->steps, NULL, NULL);
}

static bool is_inside(int64_t place, const LoopSpan *loop) {
    return !loop || (place >= loop->begin && place < loop->end);
}

static const struct Touches *touches_of(const Share *share, const Buffer *buffer) {
    return &share->accesses[buffer->number];
}

static int64_t first_write(const Share *share, const Buffer *buffer) {
    const struct Touches *accesses = touches_of(share, buffer);
    for (int64_t i = 0; i < accesses->list.count; i++) {
        if (accesses->list.data[i].is_write) return accesses->list.data[i].place;
    }
    return INT64_MAX;
}

// All accesses lie in [low, high] and in the loop.
static bool lies_within(
    const Share *share, const Buffer *buffer, int64_t low, int64_t high, const LoopSpan *loop) {
    const struct Touches *accesses = touches_of(share, buffer);
    for (int64_t i = 0; i < accesses->list.count; i++) {
        int64_t place = accesses->list.data[i].place;
        if (place < low || place > high || !is_inside(place, loop)) return false;
    }
    return true;
}

// ---- copies

static bool is_copy(const Step *step) {
    if (step->kind != STEP_KERNEL) return false;
    const Kernel *kernel = step->kernel;
    if (kernel->kind != KERNEL_LOOP || kernel->output_count != 1 || kernel->input_count != 1)
        return false;
    const Op *op = kernel->outputs[0].value->def;
    return op->code == OP_RESHAPE && op_operand_type(op, 0) == op_result_type(op, 0) &&
           kernel->inputs[0].value == op_operand(op, 0) && !kernel->inputs[0].is_remote;
}

static const KernelOperand *output_in(const Kernel *kernel, const Buffer *buffer) {
    for (int i = 0; i < kernel->output_count; i++) {
        if (kernel->outputs[i].buffer == buffer) return &kernel->outputs[i];
    }
    return NULL;
}

// May the kernel at the place read the operand in the memory where it writes what is in `written`?
// It reads each element before it writes it, and no other.
static bool may_overwrite_input(const Share *share, const Access *read, const Buffer *written) {
    const Kernel *kernel = share->places.data[read->place].step->kernel;
    if (!read->operand || read->operand->is_remote || read->operand->buffer->base) return false;
    if (kernel->kind == KERNEL_UPDATE)
        return update_reads_apart(share->plan, kernel, read->operand->buffer);
    const KernelOperand *output = output_in(kernel, written);
    if (kernel->has_rows && output && !output->is_remote &&
        rows_read_apart(share->plan, kernel, read->operand->buffer, output->value))
        return true;
    if (kernel->kind != KERNEL_LOOP) return false;
    return read->operand->same_index ||
           (kernel->output_count == 1 && type_element_count(kernel->outputs[0].value->type) == 1);
}

// Nobody reads the buffer after `place` (within the loop), where `written` is written, and there
// only element by element.
static bool is_read_until(
    const Share *share, const Buffer *buffer, const Buffer *written, int64_t place, int64_t copy,
    const LoopSpan *loop) {
    const struct Touches *accesses = touches_of(share, buffer);
    for (int64_t i = 0; i < accesses->list.count; i++) {
        const Access *touched = &accesses->list.data[i];
        if (!is_inside(touched->place, loop) || touched->place == copy || touched->place < place)
            continue;
        if (touched->place > place || touched->is_write ||
            !may_overwrite_input(share, touched, written))
            return false;
    }
    return true;
}

// A donated argument is read no more once the result is written; see the top.
static bool may_take_argument(const Share *share, const Buffer *result, int64_t written) {
    const Buffer *argument = share->plan->all_buffers.data[result->may_alias - 1];
    if (share->places.data[written].loop) return false;
    return is_read_until(share, argument, result, written, -1, NULL);
}

static bool is_written_after(const Share *share, const Buffer *buffer, int64_t place) {
    const struct Touches *accesses = touches_of(share, buffer);
    for (int64_t i = 0; i < accesses->list.count; i++) {
        if (accesses->list.data[i].is_write && accesses->list.data[i].place > place) return true;
    }
    return false;
}

// The place at which the buffer is written next after `place`, in the same loop; INT64_MAX = none.
static int64_t next_write(const Share *share, const Buffer *buffer, int64_t place) {
    const struct Touches *accesses = touches_of(share, buffer);
    for (int64_t i = 0; i < accesses->list.count; i++) {
        const Access *touched = &accesses->list.data[i];
        if (!touched->is_write || touched->place <= place) continue;
        bool is_beside = share->places.data[touched->place].loop == share->places.data[place].loop;
        return is_beside ? touched->place : INT64_MAX;
    }
    return INT64_MAX;
}

// Both may be read after the copy as long as neither is written: they hold the same.
static bool may_share_forward(
    const Share *share, const Buffer *from, const Buffer *to, int64_t place) {
    const LoopSpan *loop = share->places.data[place].loop;
    bool stays = !is_written_after(share, from, place);
    int64_t changed = stays ? next_write(share, to, place) : INT64_MAX, last = place;
    if (changed < INT64_MAX)
        last = changed;
    else if (stays && !is_written_after(share, to, place))
        last = INT64_MAX;
    if (!lies_within(share, from, 0, last, loop)) return false;
    if (changed < INT64_MAX && !is_read_until(share, from, to, changed, -1, loop)) return false;
    if (!lies_within(share, to, place, INT64_MAX, loop)) return false;
    if (to->kind == BUFFER_RESULT && to->may_alias)
        return may_take_argument(share, to, first_write(share, from));
    return true;
}

// Where `from` no longer holds what `to` does: its first write, or the second, if that is a copy.
static int64_t first_change(const Share *share, const Buffer *from, const Buffer *to) {
    int64_t written = first_write(share, from);
    const Step *step = written < INT64_MAX ? share->places.data[written].step : NULL;
    if (!step || !is_copy(step) || step->kernel->inputs[0].buffer != to) return written;
    int64_t changed = next_write(share, from, written);
    return changed < INT64_MAX ? changed : written;
}

static bool may_share_carry(
    const Share *share, const Buffer *from, const Buffer *to, int64_t place) {
    const LoopSpan *loop = share->places.data[place].loop;
    if (!loop || !lies_within(share, from, 0, place, loop)) return false;
    int64_t written = first_write(share, from);
    // in a branch of its own the copy is not made in every round: the carry stays what it is then
    if (!is_inside(written, share->places.data[place].body)) return false;
    return written < INT64_MAX && share->places.data[written].loop == loop &&
           is_read_until(share, to, from, first_change(share, from, to), place, loop);
}

static void replace_buffer(Share *share, const Buffer *from, Buffer *to) {
    Plan *plan = share->plan;
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        Buffer *part = plan->all_buffers.data[i];
        if (part->base == from) part->base = to;
    }
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        for (int k = 0; k < kernel->input_count; k++) {
            if (kernel->inputs[k].buffer == from) kernel->inputs[k].buffer = to;
        }
        for (int k = 0; k < kernel->output_count; k++) {
            if (kernel->outputs[k].buffer == from) kernel->outputs[k].buffer = to;
        }
    }
    for (int64_t i = 0; i < share->places.count; i++) {
        Step *step = share->places.data[i].step;
        if (step->test == from) step->test = to;
    }
}

static void remove_step(StepList *list, const Step *step) {
    int64_t kept = 0;
    for (int64_t i = 0; i < list->steps.count; i++) {
        if (list->steps.data[i] != step) list->steps.data[kept++] = list->steps.data[i];
    }
    list->steps.count = kept;
}

static void remove_kernel(Plan *plan, const Kernel *kernel) {
    int64_t kept = 0;
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        if (plan->kernels.data[i] == kernel) continue;
        plan->kernels.data[kept] = plan->kernels.data[i];
        plan->kernels.data[kept]->number = (int)kept;
        kept++;
    }
    plan->kernels.count = kept;
}

static bool is_same_memory_type(const Buffer *a, const Buffer *b) {
    if (a->element != b->element || a->rank != b->rank || a->extents || b->extents) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d]) return false;
    }
    return true;
}

// Is a part of the buffer a run of its elements in another shape?
static bool has_runs(const Plan *plan, const Buffer *buffer) {
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        const Buffer *part = plan->all_buffers.data[i];
        if (part->base == buffer && buffer_is_stacked(part) && !buffer_is_like_slice(part))
            return true;
    }
    return false;
}

// One copy fewer, if some can go.
static bool share_one(Share *share, int64_t *next) {
    for (int64_t i = *next; i < share->places.count; i++) {
        const Place *place = &share->places.data[i];
        if (place->step->kind != STEP_KERNEL || !is_copy(place->step)) continue;
        const Kernel *copy = place->step->kernel;
        Buffer *from = copy->inputs[0].buffer, *to = copy->outputs[0].buffer;
        if (from->base || to->base) continue;
        if (from != to) {
            if (from->kind != BUFFER_ARENA || !is_same_memory_type(from, to)) continue;
            if (!to->is_dense && has_runs(share->plan, from)) continue;
            bool shared =
                may_share_forward(share, from, to, i) || may_share_carry(share, from, to, i);
            if (!shared) continue;
            replace_buffer(share, from, to);
        }
        remove_step(place->list, place->step);
        remove_kernel(share->plan, copy);
        *next = 0;
        return true;
    }
    return false;
}

// ---- in place

// Do devices share the memory of the result, or of the argument that it would replace?
static bool is_replicated(const Plan *plan, int result) {
    if (plan->program->is_tiled) return false;
    for (int64_t device = 0; device < plan->program->device_count; device++) {
        if (!layout_is_owner(&plan->program->results[result], device)) return true;
    }
    return false;
}

// Does some device's part of the result lie where another device's part of the argument does?
static bool is_moved(const Plan *plan, const Buffer *result, const Buffer *argument) {
    if (plan->program->is_tiled) return false;
    const GlobalLayout *to = &plan->program->results[result->index],
                       *from = &plan->program->args[argument->index];
    for (int64_t device = 0; device < plan->program->device_count; device++) {
        for (int d = 0; d < to->global->rank; d++) {
            if (layout_offset(to, device, d) != layout_offset(from, device, d)) return true;
        }
    }
    return false;
}

static void settle_aliases(Share *share) {
    Plan *plan = share->plan;
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        Buffer *buffer = plan->all_buffers.data[i];
        if (buffer->kind != BUFFER_RESULT || !buffer->may_alias) continue;
        Buffer *argument = plan->all_buffers.data[buffer->may_alias - 1];
        int64_t written = first_write(share, buffer);
        bool safe = is_same_memory_type(buffer, argument) && !is_replicated(plan, buffer->index) &&
                    !is_moved(plan, buffer, argument);
        for (int d = 0; safe && d < buffer->rank; d++) {
            safe = buffer->strides[d] == argument->strides[d];
        }
        if (written < INT64_MAX) safe = safe && may_take_argument(share, buffer, written);
        if (safe) continue;
        buffer->may_alias = argument->may_alias = 0;
    }
}

// Inputs that lie in the memory of an output: said to the emitter, which must not
// declare them free of aliasing.
static void mark_shared_inputs(Plan *plan) {
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        for (int k = 0; k < kernel->input_count; k++) {
            for (int o = 0; o < kernel->output_count; o++) {
                if (kernel->inputs[k].buffer == kernel->outputs[o].buffer)
                    kernel->inputs[k].shares = o + 1;
            }
        }
    }
}

void share_buffers(Plan *plan) {
    Share share = {.plan = plan, .arena = arena_child(plan->arena)};
    lay_out(&share);
    int64_t next = 0;
    while (share_one(&share, &next)) {
        lay_out(&share);
    }
    for (int64_t i = 0; i < plan->all_buffers.count; i++) { // a base comes before its parts
        Buffer *part = plan->all_buffers.data[i];
        if (!part->base) continue;
        part->kind = part->base->kind;
        part->index = part->base->index;
        buffer_place_part(part);
    }
    settle_aliases(&share);
    mark_shared_inputs(plan);
    arena_reset(share.arena);
}

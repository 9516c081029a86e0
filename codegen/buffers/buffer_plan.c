// buffer_plan: where every buffer lies.
//
//   In      steps with their barriers.
//   Out     slot and offset of each buffer, arena_bytes, the block of constants.
//
// A buffer is live from its first write to the barrier after its last use that orders all lanes
// which may still use it: its team's, or, if other devices read it, one over their groups. Two
// buffers may overlap if one is live no more when the other is first written. Kernels of one chunk
// run on the same lane, one after the other: between them no barrier is needed. What is used inside
// and outside of a loop lives as long as the loop; what lives from iteration to iteration was
// written before it. An elementwise kernel whose input dies there writes in its place. What is kept
// between executions is live all the time.
// Places: offsets.c.
#include "codegen/fuse/fuse.h"
#include "codegen/kernel/offsets.h"

#include <assert.h>

enum { BUFFER_ALIGNMENT = 64 };

typedef struct BarrierPoint {
    int64_t position;
    int groups;
} BarrierPoint;

// A list of steps on the timeline of all steps.
typedef struct StepScope {
    struct StepScope *outer; // NULL for @main
    bool in_loop;            // condition or body of a while
    int64_t begin, end;      // of the control step that it belongs to
    VEC(BarrierPoint) barriers;
} StepScope;

typedef struct LaneAccess {
    int64_t position;
    bool is_single; // by a kernel of one chunk
} LaneAccess;

typedef struct Lifetime {
    Buffer *buffer;
    int64_t begin,
        end;          // first write; the barrier after which it is free; begin < 0: never accessed
    StepScope *scope; // of the access that comes last; outermost of all accesses
    VEC(BarrierPoint) remote;  // positions of reads from other devices, and of writes for several
    VEC(LaneAccess) accesses;  // in order
    bool begins_single;        // a kernel of one chunk is the first that writes it
    int64_t single_end;        // <= end: from here on free for what begins so
    struct Lifetime *taken_by; // lies in the place of that buffer (in place); NULL = has its own
} Lifetime;

// A kernel of the program's outermost list or of a body.
typedef struct KernelPoint {
    Kernel *kernel;
    StepScope *scope;
    int64_t position;
} KernelPoint;

typedef struct Timeline {
    Plan *plan;
    Arena *arena;
    int64_t position;
    Lifetime *lifetimes; // by buffer number
    VEC(KernelPoint) kernels;
} Timeline;

// ---- lifetimes

static bool encloses(const StepScope *outer, const StepScope *inner) {
    while (inner && inner != outer) {
        inner = inner->outer;
    }
    return inner == outer;
}

static void widen_begin(Lifetime *lifetime, const StepScope *scope) {
    if (!scope->in_loop || lifetime->begin <= scope->begin) return;
    lifetime->begin = scope->begin;
    lifetime->begins_single = false;
}

// Leaves the scope: what is accessed there and further out lives as long as the step.
static void widen(Lifetime *lifetime, const StepScope *scope) {
    assert(scope); // the outermost encloses all
    if (!scope->in_loop) return;
    widen_begin(lifetime, scope);
    if (lifetime->end < scope->end) lifetime->end = scope->end;
}

static void access(Timeline *timeline, const Buffer *buffer, StepScope *scope, bool is_single) {
    Lifetime *lifetime = &timeline->lifetimes[buffer_memory(buffer)->number];
    int64_t position = timeline->position;
    LaneAccess by = {position, is_single};
    vec_push(timeline->arena, &lifetime->accesses, by);
    if (lifetime->begin < 0) {
        lifetime->begin = lifetime->end = position;
        lifetime->begins_single = is_single;
        lifetime->scope = scope;
        return;
    }
    lifetime->end = position > lifetime->end ? position : lifetime->end;
    // Widened when the loops that it is used in and out of are closed: see widen.
    StepScope *common = lifetime->scope;
    while (!encloses(common, scope)) {
        widen_begin(lifetime, common); // what a loop filled lives in all of its iterations
        common = common->outer;
    }
    if (common != lifetime->scope) lifetime->begins_single = false; // may begin in another branch
    lifetime->scope = common;
}

// What other devices write must be free there: it is live from the last
// barrier on that they have met at.
static void begin_early(Timeline *timeline, const KernelOperand *output, const StepScope *scope) {
    Lifetime *lifetime = &timeline->lifetimes[buffer_memory(output->buffer)->number];
    int64_t begin = 0;
    for (int64_t i = 0; i < scope->barriers.count; i++) {
        const BarrierPoint *barrier = &scope->barriers.data[i];
        if (barrier_groups_cover(
                timeline->plan, barrier->groups, operand_groups(timeline->plan, output)))
            begin = barrier->position + 1;
    }
    if (lifetime->begin > begin) lifetime->begin = begin;
    lifetime->begins_single = false;
}

static void access_remotely(Timeline *timeline, const KernelOperand *operand) {
    BarrierPoint point = {timeline->position, operand_groups(timeline->plan, operand)};
    Lifetime *lifetime = &timeline->lifetimes[buffer_memory(operand->buffer)->number];
    if (point.groups) vec_push(timeline->arena, &lifetime->remote, point);
}

static void access_kernel(Timeline *timeline, Kernel *kernel, StepScope *scope) {
    KernelPoint point = {kernel, scope, timeline->position};
    bool is_single = kernel->grid <= 1;
    vec_push(timeline->arena, &timeline->kernels, point);
    for (int i = 0; i < kernel->output_count; i++) {
        const KernelOperand *output = &kernel->outputs[i];
        access(timeline, output->buffer, scope, is_single);
        if (output->is_remote || output->once_for) begin_early(timeline, output, scope);
        if (output->once_for) access_remotely(timeline, output);
    }
    for (int i = 0; i < kernel->input_count; i++) {
        const KernelOperand *input = &kernel->inputs[i];
        access(timeline, input->buffer, scope, is_single);
        access_remotely(timeline, input);
    }
}

static void walk(Timeline *timeline, const StepList *list, StepScope *scope);

// A second pass over the accesses, once the common scope of each buffer is known: what is accessed
// deeper inside lives as long as the loops between.
typedef struct Accesses {
    VEC(const Buffer *) buffers;
} Accesses;

static void collect(Timeline *timeline, const StepList *list, Accesses *accesses) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        if (step->kind == STEP_KERNEL) {
            for (int o = 0; o < step->kernel->output_count; o++) {
                vec_push(timeline->arena, &accesses->buffers, step->kernel->outputs[o].buffer);
            }
            for (int k = 0; k < step->kernel->input_count; k++) {
                vec_push(timeline->arena, &accesses->buffers, step->kernel->inputs[k].buffer);
            }
        } else if (step->kind != STEP_BARRIER) {
            vec_push(timeline->arena, &accesses->buffers, step->test);
            for (int b = 0; b < step_body_count(step); b++) {
                collect(timeline, step->bodies[b], accesses);
            }
        }
    }
}

static void walk_control(Timeline *timeline, const Step *step, StepScope *scope) {
    int64_t begin = ++timeline->position;
    if (step->kind == STEP_BRANCH) access(timeline, step->test, scope, step->is_single);
    StepScope *inner[2] = {NULL, NULL};
    for (int b = 0; b < step_body_count(step); b++) {
        StepScope *body = ARENA_NEW(timeline->arena, StepScope);
        *body = (StepScope){
            .outer = scope, .in_loop = step->kind == STEP_WHILE, .begin = begin, .end = INT64_MAX};
        walk(timeline, step->bodies[b], body);
        timeline->position++;
        if (step->kind == STEP_WHILE && b == 0) access(timeline, step->test, body, step->is_single);
        if (b < 2) inner[b] = body;
        body->end = timeline->position;
    }
    int64_t end = ++timeline->position;
    if (step->kind != STEP_WHILE) return;
    for (int b = 0; b < 2; b++) {
        if (inner[b]) inner[b]->end = end;
    }
    // Carries and what comes from outside: accessed in the loop, but not by one of its lists alone.
    Accesses accesses = {{0}};
    for (int b = 0; b < 2; b++) {
        collect(timeline, step->bodies[b], &accesses);
    }
    vec_push(timeline->arena, &accesses.buffers, step->test);
    for (int64_t i = 0; i < accesses.buffers.count; i++) {
        Lifetime *lifetime = &timeline->lifetimes[buffer_memory(accesses.buffers.data[i])->number];
        if (encloses(lifetime->scope, scope)) widen(lifetime, inner[0]);
    }
}

static void walk(Timeline *timeline, const StepList *list, StepScope *scope) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        timeline->position++;
        if (step->kind == STEP_KERNEL) {
            access_kernel(timeline, step->kernel, scope);
        } else if (step->kind == STEP_BARRIER) {
            BarrierPoint point = {timeline->position, step->barrier};
            vec_push(timeline->arena, &scope->barriers, point);
        } else {
            walk_control(timeline, step, scope);
        }
    }
}

// The barrier after `position` in the scope (or further out) that covers the groups; the lifetime
// is widened by the loops that are left.
static int64_t next_barrier(
    const Plan *plan, Lifetime *lifetime, const StepScope *scope, int64_t position, int groups) {
    for (; scope; scope = scope->outer) {
        for (int64_t i = 0; i < scope->barriers.count; i++) {
            const BarrierPoint *point = &scope->barriers.data[i];
            if (point->position > position && barrier_groups_cover(plan, point->groups, groups)) {
                return point->position;
            }
        }
        widen(lifetime, scope);
        if (scope->outer && scope->end > position) position = scope->end;
    }
    return INT64_MAX;
}

// The last position at which somebody but the lane of single kernels may still use the buffer.
static int64_t last_of_others(Timeline *timeline, Lifetime *lifetime) {
    int64_t last = 0;
    for (int64_t i = 0; i < lifetime->accesses.count; i++) {
        const LaneAccess *by = &lifetime->accesses.data[i];
        if (by->is_single) continue;
        int64_t covered = next_barrier(timeline->plan, lifetime, lifetime->scope, by->position, 0);
        if (covered > last) last = covered;
    }
    for (int64_t i = 0; i < lifetime->remote.count; i++) {
        const BarrierPoint *read = &lifetime->remote.data[i];
        int64_t covered =
            next_barrier(timeline->plan, lifetime, lifetime->scope, read->position, read->groups);
        if (covered > last) last = covered;
    }
    return last;
}

static void extend_to_barriers(Timeline *timeline, Lifetime *lifetime) {
    int64_t others = last_of_others(timeline, lifetime);
    int64_t end = next_barrier(timeline->plan, lifetime, lifetime->scope, lifetime->end, 0);
    lifetime->single_end = others > lifetime->end ? others : lifetime->end;
    if (others > end) end = others;
    if (end > lifetime->end) lifetime->end = end;
}

static void live_for_ever(Lifetime *lifetime) {
    lifetime->begin = 0;
    lifetime->end = lifetime->single_end = INT64_MAX;
    lifetime->begins_single = false;
}

// ---- in place

// Is there a barrier in the scope between the two positions?
static bool is_barred(const StepScope *scope, int64_t before, int64_t after) {
    for (int64_t i = 0; i < scope->barriers.count; i++) {
        int64_t position = scope->barriers.data[i].position;
        if (position > before && position < after) return true;
    }
    return false;
}

static bool is_same_shape(const Buffer *a, const Buffer *b) {
    if (a->kind != BUFFER_ARENA || b->kind != BUFFER_ARENA || a->base || b->base) return false;
    if (element_bytes(a->element) != element_bytes(b->element) || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d]) return false;
    }
    return true;
}

// May the output take the place of the input, which the kernel reads last, each element just before
// it writes it there? Everybody else who accessed the input has passed a barrier.
static bool may_replace(
    const Timeline *timeline, const KernelPoint *point, const KernelOperand *input,
    const KernelOperand *output) {
    const Lifetime *from = &timeline->lifetimes[input->buffer->number],
                   *to = &timeline->lifetimes[output->buffer->number];
    if (!input->same_index || input->is_remote || output->is_remote || input->once_for ||
        output->once_for || !is_same_shape(input->buffer, output->buffer))
        return false;
    for (int i = 0; i < point->kernel->input_count; i++) {
        const KernelOperand *other = &point->kernel->inputs[i];
        if (other != input && buffer_memory(other->buffer) == input->buffer)
            return false; // a part of it
    }
    if (input->buffer->is_kept || output->buffer->is_kept) return false;
    if (from->remote.count > 0 || from->taken_by || to->begin != point->position) return false;
    if (from->end != point->position || from->scope != point->scope || to->scope != point->scope)
        return false;
    bool is_single = point->kernel->grid <= 1;
    for (int64_t i = from->accesses.count - 1; i >= 0; i--) {
        const LaneAccess *by = &from->accesses.data[i];
        if (by->position == point->position) continue;
        if (is_barred(point->scope, by->position, point->position)) return true;
        if (!is_single || !by->is_single) return false;
    }
    return from->begin < point->position;
}

// Elementwise kernels write where their last input lay: the lifetimes become one.
static void join_in_place(Timeline *timeline) {
    for (int64_t i = 0; i < timeline->kernels.count; i++) {
        const KernelPoint *point = &timeline->kernels.data[i];
        Kernel *kernel = point->kernel;
        if (kernel->kind != KERNEL_LOOP) continue;
        for (int o = 0; o < kernel->output_count; o++) {
            for (int k = 0; k < kernel->input_count; k++) {
                KernelOperand *input = &kernel->inputs[k];
                if (input->shares || !may_replace(timeline, point, input, &kernel->outputs[o]))
                    continue;
                Lifetime *to = &timeline->lifetimes[kernel->outputs[o].buffer->number];
                Lifetime *from = &timeline->lifetimes[input->buffer->number];
                from->taken_by = to;
                to->begin = from->begin;
                to->begins_single = from->begins_single;
                input->shares = o + 1;
                break;
            }
        }
    }
}

// ---- offsets

// Whole lines of memory, so that lanes do not share one; what is smaller is made by one lane, and
// takes a power of two.
static int64_t aligned(size_t bytes) {
    int64_t small = 4;
    while (small < (int64_t)bytes && small < BUFFER_ALIGNMENT)
        small *= 2;
    if (small >= (int64_t)bytes) return bytes ? small : 0;
    return (int64_t)((bytes + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT);
}

static bool place_arena(Plan *plan) {
    Timeline timeline = {.plan = plan, .arena = arena_child(plan->arena)};
    int64_t buffer_count = plan->all_buffers.count;
    timeline.lifetimes = ARENA_ARRAY(timeline.arena, Lifetime, buffer_count);
    for (int64_t i = 0; i < buffer_count; i++) {
        timeline.lifetimes[i] = (Lifetime){.buffer = plan->all_buffers.data[i], .begin = -1};
    }
    StepScope main = {.end = INT64_MAX};
    walk(&timeline, plan->steps, &main);
    PlacedArray *arrays = ARENA_ARRAY(timeline.arena, PlacedArray, buffer_count + 1);
    int64_t count = 0;
    join_in_place(&timeline);
    for (int64_t i = 0; i < buffer_count; i++) {
        Lifetime *lifetime = &timeline.lifetimes[i];
        if (lifetime->buffer->kind != BUFFER_ARENA || lifetime->begin < 0 || lifetime->taken_by)
            continue;
        extend_to_barriers(&timeline, lifetime);
        if (lifetime->buffer->is_kept) {
            live_for_ever(lifetime);
            plan->kept_bytes += (size_t)aligned(lifetime->buffer->bytes);
        }
        arrays[count++] = (PlacedArray){
            .number = (int)i,
            .begin = lifetime->begin,
            .end = lifetime->end,
            .single_end = lifetime->single_end,
            .begins_single = lifetime->begins_single,
            .size = aligned(lifetime->buffer->bytes),
        };
    }
    int64_t total;
    if (!place_arrays(timeline.arena, arrays, count, &total, &plan->alive_bytes)) {
        diag_error(
            plan->diags, plan->program->main->loc,
            "the program's temporaries exceed the address space");
        return false;
    }
    plan->arena_bytes =
        ((size_t)total + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
    for (int64_t i = 0; i < count; i++)
        timeline.lifetimes[arrays[i].number].buffer->offset = arrays[i].offset;
    for (int64_t i = 0; i < buffer_count; i++) {
        Lifetime *lifetime = &timeline.lifetimes[i], *place_of = lifetime;
        while (place_of->taken_by) {
            place_of = place_of->taken_by;
        }
        if (lifetime->taken_by) lifetime->buffer->offset = place_of->buffer->offset;
    }
    return true;
}

// ---- constants

static size_t constant_bytes(const Buffer *buffer) { return buffer->bytes; }

static void place_constants(Plan *plan) {
    StrBuf block = strbuf(plan->arena);
    StrMap offsets = str_map(plan->arena);
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        Buffer *buffer = plan->all_buffers.data[i];
        if (buffer->kind != BUFFER_CONSTANT || buffer->base) continue;
        StrView bytes = {buffer->constant, constant_bytes(buffer)};
        void *known = str_map_get(&offsets, bytes);
        if (known) {
            buffer->offset = (int64_t)(intptr_t)known - 1;
            continue;
        }
        while (block.size % BUFFER_ALIGNMENT) {
            strbuf_putc(&block, '\0');
        }
        buffer->offset = (int64_t)block.size;
        strbuf_append(&block, bytes);
        str_map_set(&offsets, bytes, (void *)(intptr_t)(buffer->offset + 1));
    }
    plan->constants = block.data;
    plan->constants_bytes = block.size;
}

static void set_slots(Plan *plan) {
    int results = 2 + plan->program->arg_count, shares = results + plan->program->result_count;
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        Buffer *buffer = plan->all_buffers.data[i];
        switch (buffer->kind) {
        case BUFFER_LOCAL: // lower_blocks.c says where a block of it begins
        case BUFFER_ARENA:
            buffer->slot = buffer->once_for ? shares + plan_share(plan, buffer->once_for) : 0;
            break;
        case BUFFER_CONSTANT: buffer->slot = 1; break;
        case BUFFER_ARGUMENT: buffer->slot = 2 + buffer->index; break;
        case BUFFER_RESULT: buffer->slot = results + buffer->index; break;
        }
    }
}

bool plan_buffers(Plan *plan) {
    set_slots(plan);
    place_constants(plan);
    if (!place_arena(plan)) return false;
    for (int64_t i = 0; i < plan->all_buffers.count; i++) { // a base comes before its parts
        if (plan->all_buffers.data[i]->base) buffer_place_part(plan->all_buffers.data[i]);
    }
    return true;
}

// buffer_plan: where every buffer lies.
//
//   In      steps with their barriers.
//   Out     slot and offset of each buffer, arena_bytes, the block of constants.
//
// A buffer is live from its first write to the barrier after its last use that orders all lanes which may still use it: its team's, or, if other
// devices read it, one over their groups. Two buffers may overlap if one is live no more when the other is first written. What is used inside and
// outside of a loop lives as long as the loop; what lives from iteration to iteration was written before it.
// An elementwise kernel whose input dies there writes in its place.
// Offsets: largest first, each at the lowest place that is free for its whole life (Sekiyama et al., "Profile-guided memory optimization for deep
// neural networks", 2018, call it best-fit by size).
#include "base/checked.h"
#include "codegen/fuse/fuse.h"

#include <assert.h>
#include <stdlib.h>

enum { BUFFER_ALIGNMENT = 64 };

typedef struct Mark {
    int64_t position;
    int groups;
} Mark;

// A list of steps on the line of all steps.
typedef struct Stretch {
    struct Stretch *outer; // NULL for @main
    bool in_loop;          // condition or body of a while
    int64_t begin, end;    // of the control step that it belongs to
    VEC(Mark) barriers;
} Stretch;

typedef struct Life {
    Buffer *buffer;
    int64_t begin, end; // first write; the barrier after which it is free; begin < 0: never touched
    Stretch *stretch;   // of the touch that comes last; outermost of all touches
    VEC(Mark) remote;   // positions of reads from other devices
    VEC(int64_t) touches;  // positions, in order
    struct Life *taken_by; // lies in the place of that buffer (in place); NULL = has its own
    int64_t offset, size;
} Life;

// A kernel of the program's outermost list or of a body.
typedef struct Spot {
    Kernel *kernel;
    Stretch *stretch;
    int64_t position;
} Spot;

typedef struct Line {
    Plan *plan;
    Arena *arena;
    int64_t position;
    Life *lives; // by buffer number
    VEC(Spot) spots;
} Line;

// ---- lives

static bool encloses(const Stretch *outer, const Stretch *inner) {
    while (inner && inner != outer) {
        inner = inner->outer;
    }
    return inner == outer;
}

// Leaves the stretch: what is touched there and further out lives as long as the step.
static void widen(Life *life, const Stretch *stretch) {
    assert(stretch); // the outermost encloses all
    if (!stretch->in_loop) return;
    if (life->begin > stretch->begin) life->begin = stretch->begin;
    if (life->end < stretch->end) life->end = stretch->end;
}

static void touch(Line *line, const Buffer *buffer, Stretch *stretch) {
    Life *life = &line->lives[buffer_memory(buffer)->number];
    int64_t position = line->position;
    vec_push(line->arena, &life->touches, position);
    if (life->begin < 0) {
        life->begin = life->end = position;
        life->stretch = stretch;
        return;
    }
    life->end = position > life->end ? position : life->end;
    // Widened when the loops that it is used in and out of are closed: see close_stretches.
    Stretch *common = life->stretch;
    while (!encloses(common, stretch)) {
        common = common->outer;
    }
    life->stretch = common;
}

static void touch_kernel(Line *line, Kernel *kernel, Stretch *stretch) {
    Spot spot = {kernel, stretch, line->position};
    vec_push(line->arena, &line->spots, spot);
    for (int i = 0; i < kernel->output_count; i++) {
        touch(line, kernel->outputs[i].buffer, stretch);
    }
    for (int i = 0; i < kernel->input_count; i++) {
        const KernelOperand *input = &kernel->inputs[i];
        touch(line, input->buffer, stretch);
        if (!input->is_remote || input->groups == 0) continue;
        Mark mark = {line->position, input->groups};
        vec_push(line->arena, &line->lives[buffer_memory(input->buffer)->number].remote, mark);
    }
}

static void walk(Line *line, const StepList *list, Stretch *stretch);

static int body_count(const Step *step) {
    return step->kind == STEP_WHILE ? 2 : step->branch_count;
}

// A second pass over the touches, once the common stretch of each buffer is known: what is touched deeper inside lives as long as the loops between.
typedef struct Touches {
    VEC(const Buffer *) buffers;
} Touches;

static void collect(Line *line, const StepList *list, Touches *touches) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        if (step->kind == STEP_KERNEL) {
            for (int o = 0; o < step->kernel->output_count; o++) {
                vec_push(line->arena, &touches->buffers, step->kernel->outputs[o].buffer);
            }
            for (int k = 0; k < step->kernel->input_count; k++) {
                vec_push(line->arena, &touches->buffers, step->kernel->inputs[k].buffer);
            }
        } else if (step->kind != STEP_BARRIER) {
            vec_push(line->arena, &touches->buffers, step->test);
            for (int b = 0; b < body_count(step); b++) {
                collect(line, step->bodies[b], touches);
            }
        }
    }
}

static void walk_control(Line *line, const Step *step, Stretch *stretch) {
    int64_t begin = ++line->position;
    if (step->kind == STEP_BRANCH) touch(line, step->test, stretch);
    Stretch *inner[2] = {NULL, NULL};
    for (int b = 0; b < body_count(step); b++) {
        Stretch *body = ARENA_NEW(line->arena, Stretch);
        *body = (Stretch){
            .outer = stretch,
            .in_loop = step->kind == STEP_WHILE,
            .begin = begin,
            .end = INT64_MAX};
        walk(line, step->bodies[b], body);
        line->position++;
        if (step->kind == STEP_WHILE && b == 0) touch(line, step->test, body);
        if (b < 2) inner[b] = body;
        body->end = line->position;
    }
    int64_t end = ++line->position;
    if (step->kind != STEP_WHILE) return;
    for (int b = 0; b < 2; b++) {
        if (inner[b]) inner[b]->end = end;
    }
    // Carries and what comes from outside: touched in the loop, but not by one of its lists alone.
    Touches touches = {{0}};
    for (int b = 0; b < 2; b++) {
        collect(line, step->bodies[b], &touches);
    }
    vec_push(line->arena, &touches.buffers, step->test);
    for (int64_t i = 0; i < touches.buffers.count; i++) {
        Life *life = &line->lives[buffer_memory(touches.buffers.data[i])->number];
        if (encloses(life->stretch, stretch)) widen(life, inner[0]);
    }
}

static void walk(Line *line, const StepList *list, Stretch *stretch) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        line->position++;
        if (step->kind == STEP_KERNEL) {
            touch_kernel(line, step->kernel, stretch);
        } else if (step->kind == STEP_BARRIER) {
            Mark mark = {line->position, step->barrier};
            vec_push(line->arena, &stretch->barriers, mark);
        } else {
            walk_control(line, step, stretch);
        }
    }
}

// The barrier after `position` in the stretch (or further out) that covers the groups; the life is widened by the loops that are left.
static int64_t next_barrier(
    const Plan *plan, Life *life, const Stretch *stretch, int64_t position, int groups) {
    for (; stretch; stretch = stretch->outer) {
        for (int64_t i = 0; i < stretch->barriers.count; i++) {
            const Mark *mark = &stretch->barriers.data[i];
            if (mark->position > position && barrier_groups_cover(plan, mark->groups, groups)) {
                return mark->position;
            }
        }
        widen(life, stretch);
        if (stretch->outer && stretch->end > position) position = stretch->end;
    }
    return INT64_MAX;
}

static void extend_to_barriers(Line *line, Life *life) {
    int64_t end = next_barrier(line->plan, life, life->stretch, life->end, 0);
    for (int64_t i = 0; i < life->remote.count; i++) {
        const Mark *read = &life->remote.data[i];
        int64_t position = read->position;
        int64_t covered = next_barrier(line->plan, life, life->stretch, position, read->groups);
        if (covered > end) end = covered;
    }
    if (end > life->end) life->end = end;
}

// ---- in place

// Is there a barrier in the stretch between the two positions?
static bool is_ordered(const Stretch *stretch, int64_t before, int64_t after) {
    for (int64_t i = 0; i < stretch->barriers.count; i++) {
        int64_t position = stretch->barriers.data[i].position;
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

// May the output take the place of the input, which the kernel reads last, each element just before it writes it there? Everybody else who
// touched the input has passed a barrier.
static bool may_replace(
    const Line *line, const Spot *spot, const KernelOperand *input, const KernelOperand *output) {
    const Life *from = &line->lives[input->buffer->number],
               *to = &line->lives[output->buffer->number];
    if (!input->same_index || input->is_remote || !is_same_shape(input->buffer, output->buffer))
        return false;
    for (int i = 0; i < spot->kernel->input_count; i++) {
        const KernelOperand *other = &spot->kernel->inputs[i];
        if (other != input && buffer_memory(other->buffer) == input->buffer)
            return false; // a part of it
    }
    if (from->remote.count > 0 || from->taken_by || to->begin != spot->position) return false;
    if (from->end != spot->position || from->stretch != spot->stretch ||
        to->stretch != spot->stretch)
        return false;
    for (int64_t i = from->touches.count - 1; i >= 0; i--) {
        int64_t touched = from->touches.data[i];
        if (touched < spot->position) return is_ordered(spot->stretch, touched, spot->position);
    }
    return false;
}

// Elementwise kernels write where their last input lay: the lives become one.
static void join_in_place(Line *line) {
    for (int64_t i = 0; i < line->spots.count; i++) {
        const Spot *spot = &line->spots.data[i];
        Kernel *kernel = spot->kernel;
        if (kernel->kind != KERNEL_LOOP) continue;
        for (int o = 0; o < kernel->output_count; o++) {
            for (int k = 0; k < kernel->input_count; k++) {
                KernelOperand *input = &kernel->inputs[k];
                if (input->shares || !may_replace(line, spot, input, &kernel->outputs[o])) continue;
                Life *to = &line->lives[kernel->outputs[o].buffer->number];
                Life *from = &line->lives[input->buffer->number];
                from->taken_by = to;
                to->begin = from->begin;
                input->shares = o + 1;
                break;
            }
        }
    }
}

// ---- offsets

static int compare_size(const void *a, const void *b) {
    const Life *x = *(Life *const *)a, *y = *(Life *const *)b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->buffer->number - y->buffer->number;
}

static bool overlaps(const Life *a, const Life *b) {
    return a->begin <= b->end && b->begin <= a->end;
}

// The lowest offset at which the life fits among those that have a place (in order of offset).
static int64_t lowest_gap(Life *const *placed, int64_t count, const Life *life) {
    int64_t offset = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!overlaps(placed[i], life)) continue;
        if (placed[i]->offset - offset >= life->size) break;
        int64_t end = placed[i]->offset + placed[i]->size;
        if (end > offset) offset = end;
    }
    return offset;
}

// Adds the life to those that have a place.
static void insert_placed(Life **placed, int64_t count, Life *life) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (placed[middle]->offset <= life->offset)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&placed[low + 1], &placed[low], (size_t)(count - low) * sizeof *placed);
    placed[low] = life;
}

static bool place(Line *line, Life **lives, int64_t count) {
    Plan *plan = line->plan;
    qsort(lives, (size_t)count, sizeof *lives, compare_size);
    Life **placed = ARENA_ARRAY(line->arena, Life *, count + 1);
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) {
        lives[i]->offset = lowest_gap(placed, i, lives[i]);
        insert_placed(placed, i, lives[i]);
        lives[i]->buffer->offset = lives[i]->offset;
        int64_t end;
        if (!checked_add(lives[i]->offset, lives[i]->size, &end)) {
            diag_error(
                plan->diags, plan->program->main->loc,
                "the program's temporaries exceed the address space");
            return false;
        }
        if (end > total) total = end;
    }
    plan->arena_bytes = (size_t)total;
    return true;
}

static int64_t aligned(size_t bytes) {
    return (int64_t)((bytes + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT);
}

static bool place_arena(Plan *plan) {
    Line line = {.plan = plan, .arena = arena_child(plan->arena)};
    int64_t buffer_count = plan->all_buffers.count;
    line.lives = ARENA_ARRAY(line.arena, Life, buffer_count);
    for (int64_t i = 0; i < buffer_count; i++) {
        line.lives[i] = (Life){.buffer = plan->all_buffers.data[i], .begin = -1};
    }
    Stretch main = {.end = INT64_MAX};
    walk(&line, plan->steps, &main);
    Life **lives = ARENA_ARRAY(line.arena, Life *, buffer_count);
    int64_t count = 0;
    join_in_place(&line);
    for (int64_t i = 0; i < buffer_count; i++) {
        Life *life = &line.lives[i];
        if (life->buffer->kind != BUFFER_ARENA || life->begin < 0 || life->taken_by) continue;
        extend_to_barriers(&line, life);
        life->size = aligned(life->buffer->bytes);
        lives[count++] = life;
    }
    if (!place(&line, lives, count)) return false;
    for (int64_t i = 0; i < buffer_count; i++) {
        Life *life = &line.lives[i], *place_of = life;
        while (place_of->taken_by) {
            place_of = place_of->taken_by;
        }
        if (life->taken_by) life->buffer->offset = place_of->buffer->offset;
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
    for (int64_t i = 0; i < plan->all_buffers.count; i++) {
        Buffer *buffer = plan->all_buffers.data[i];
        switch (buffer->kind) {
        case BUFFER_ARENA: buffer->slot = 0; break;
        case BUFFER_CONSTANT: buffer->slot = 1; break;
        case BUFFER_ARGUMENT: buffer->slot = 2 + buffer->index; break;
        case BUFFER_RESULT: buffer->slot = 2 + plan->program->arg_count + buffer->index; break;
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

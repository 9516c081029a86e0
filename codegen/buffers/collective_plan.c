// collective_plan: the barriers that order the kernels of a team and of the devices
// that read each other's memory.
//
//   In      kernels in order, each with the buffers that it reads and writes, and their grids.
//   Out     STEP_BARRIER steps. Between a write and a read of a buffer, a read and the next
//           write, and two writes there is a barrier of the device's team, unless both kernels
//           are one chunk (which the same lane runs); if the read is from another device, a
//           barrier over the groups of its collective.
//
// One walk in order of execution; every kernel is an event. For each buffer the last events that
// accessed it are kept, for each set of groups the last barrier; a conflict puts a barrier right
// before the kernel, so that one barrier orders as many kernels as possible.
//
// Loops and branches. Other devices may go around a loop another number of times, or into another
// branch, unless they meet in collectives inside. So what earlier collectives still need is settled
// before the step, and after the step everything inside counts as just done. A body of a while ends
// in a barrier of the team, and over the groups that read what the body writes. Where all kernels
// of a step are of one chunk, and read no other device's memory, it is as one such kernel: the lane
// that runs it goes around the loop alone.
//
// The first steps may be kept ones (keep_values.c), which most executions skip, their barriers
// with them: what these order is skipped, too.
#include "codegen/fuse/fuse.h"

typedef struct RemoteAccess {
    int buffer, groups;
    int64_t event;
} RemoteAccess;

typedef VEC(RemoteAccess) RemoteAccesses;

// Last events by buffer; "single" ones ran as one chunk.
typedef struct LastAccesses {
    int64_t write, write_single, read, read_single;
} LastAccesses;

typedef struct Order {
    Plan *plan;
    Arena *arena;
    int64_t event;
    LastAccesses *accesses;       // [buffers]
    RemoteAccesses reads, writes; // from other devices, the last of each (buffer, groups)
    VEC(int64_t) barriers;        // by groups: the last barrier's event
} Order;

static int memory_of(const Order *order, const Buffer *buffer) {
    return buffer_donated_memory(order->plan, buffer)->number;
}

static int64_t last_barrier(const Order *order, int groups) {
    int64_t last = 0;
    for (int64_t i = 0; i < order->barriers.count; i++) {
        bool later = order->barriers.data[i] > last;
        if (later && barrier_groups_cover(order->plan, (int)i, groups))
            last = order->barriers.data[i];
    }
    return last;
}

static void pass_barrier(Order *order, int groups) {
    while (order->barriers.count <= groups) {
        vec_push(order->arena, &order->barriers, 0);
    }
    order->barriers.data[groups] = ++order->event;
}

// What a kernel must wait for.
typedef struct Need {
    bool team;
    int groups; // 0 = no other device
} Need;

static void need_groups(Order *order, Need *need, int groups, int64_t since) {
    if (groups == 0) return;
    if (last_barrier(order, groups) < since)
        need->groups = barrier_groups_join(order->plan, need->groups, groups);
}

static int64_t latest(int64_t a, int64_t b) { return a > b ? a : b; }

// After what other devices did with the operand's memory.
static void need_remote(
    Order *order, Need *need, const RemoteAccesses *accesses, const KernelOperand *operand) {
    int memory = memory_of(order, operand->buffer);
    for (int64_t i = 0; i < accesses->count; i++) {
        const RemoteAccess *access = &accesses->data[i];
        if (access->buffer != memory) continue;
        int own = operand_groups(order->plan, operand);
        int groups = barrier_groups_join(order->plan, access->groups, own);
        need_groups(order, need, groups, access->event);
    }
}

static void need_for_read(Order *order, Need *need, const KernelOperand *input, bool single) {
    const LastAccesses *of = &order->accesses[memory_of(order, input->buffer)];
    int64_t written = latest(of->write, single ? 0 : of->write_single);
    if (written > last_barrier(order, 0)) need->team = true;
    need_groups(
        order, need, operand_groups(order->plan, input), latest(of->write, of->write_single));
    need_remote(order, need, &order->writes, input);
}

static void need_for_write(Order *order, Need *need, const KernelOperand *output, bool single) {
    const LastAccesses *of = &order->accesses[memory_of(order, output->buffer)];
    int64_t last = latest(of->write, of->read),
            any = latest(last, latest(of->write_single, of->read_single));
    if ((single ? last : any) > last_barrier(order, 0)) need->team = true;
    if (any > 0) need_groups(order, need, operand_groups(order->plan, output), any);
    need_remote(order, need, &order->reads, output);
    need_remote(order, need, &order->writes, output);
}

static void record_remote(Order *order, RemoteAccesses *accesses, const KernelOperand *operand) {
    int memory = memory_of(order, operand->buffer), groups = operand_groups(order->plan, operand);
    if (groups == 0) return;
    for (int64_t i = 0; i < accesses->count; i++) {
        RemoteAccess *access = &accesses->data[i];
        if (access->buffer == memory && access->groups == groups) {
            access->event = order->event;
            return;
        }
    }
    RemoteAccess access = {memory, groups, order->event};
    vec_push(order->arena, accesses, access);
}

static void record_read(Order *order, const KernelOperand *input, bool single) {
    LastAccesses *of = &order->accesses[memory_of(order, input->buffer)];
    *(single ? &of->read_single : &of->read) = order->event;
    record_remote(order, &order->reads, input);
}

static void record_kernel(Order *order, const Kernel *kernel) {
    bool single = kernel->grid <= 1;
    for (int i = 0; i < kernel->input_count; i++) {
        record_read(order, &kernel->inputs[i], single);
    }
    for (int i = 0; i < kernel->output_count; i++) {
        LastAccesses *of = &order->accesses[memory_of(order, kernel->outputs[i].buffer)];
        *(single ? &of->write_single : &of->write) = order->event;
        record_remote(order, &order->writes, &kernel->outputs[i]);
    }
}

static void need_for_kernel(Order *order, Need *need, const Kernel *kernel) {
    bool single = kernel->grid <= 1;
    for (int i = 0; i < kernel->input_count; i++) {
        need_for_read(order, need, &kernel->inputs[i], single);
    }
    for (int i = 0; i < kernel->output_count; i++) {
        need_for_write(order, need, &kernel->outputs[i], single);
    }
}

// Steps of a list with the barriers among them.
typedef struct NewSteps {
    VEC(Step *) steps;
} NewSteps;

static void add_barrier(Order *order, NewSteps *out, Need need, const Op *op) {
    if (!need.team && need.groups == 0) return;
    Step *step = ARENA_NEW(order->arena, Step);
    step->kind = STEP_BARRIER;
    step->barrier = need.groups;
    step->op = op;
    vec_push(order->arena, &out->steps, step);
    pass_barrier(order, need.groups);
}

// ---- everything inside a step at once

static void record_step(Order *order, const Step *step);

static void record_list(Order *order, const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        record_step(order, list->steps.data[i]);
    }
}

static void record_test(Order *order, const Step *step) {
    LastAccesses *of = &order->accesses[memory_of(order, step->test)];
    *(step->is_single ? &of->read_single : &of->read) = order->event;
}

static void record_step(Order *order, const Step *step) {
    if (step->kind == STEP_KERNEL) record_kernel(order, step->kernel);
    if (step->kind != STEP_WHILE && step->kind != STEP_BRANCH) return;
    record_test(order, step);
    for (int b = 0; b < step_body_count(step); b++) {
        record_list(order, step->bodies[b]);
    }
}

// What the kernels inside need from the state before the step: one barrier before it
// instead of one in each iteration.
static void need_for_list(Order *order, Need *need, const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        for (int b = 0; b < step_body_count(step); b++) {
            need_for_list(order, need, step->bodies[b]);
        }
        if (step->kind != STEP_KERNEL) continue;
        for (int o = 0; o < step->kernel->output_count; o++) {
            need_for_write(order, need, &step->kernel->outputs[o], false);
        }
        for (int k = 0; k < step->kernel->input_count; k++) {
            need_for_read(order, need, &step->kernel->inputs[k], false);
        }
    }
}

static Order fresh_order(Order *order) {
    Order fresh = {.plan = order->plan, .arena = order->arena, .event = 1};
    fresh.accesses = ARENA_ARRAY(order->arena, LastAccesses, order->plan->all_buffers.count);
    return fresh;
}

static RemoteAccesses copy_accesses(Arena *arena, const RemoteAccesses *accesses) {
    RemoteAccesses copy = {0};
    for (int64_t i = 0; i < accesses->count; i++)
        vec_push(arena, &copy, accesses->data[i]);
    return copy;
}

static Order copy_order(const Order *order) {
    Order copy = *order;
    size_t buffers = (size_t)order->plan->all_buffers.count;
    copy.accesses = arena_copy(order->arena, order->accesses, buffers * sizeof *order->accesses);
    copy.barriers.data = NULL;
    copy.barriers.count = copy.barriers.capacity = 0;
    copy.reads = copy_accesses(order->arena, &order->reads);
    copy.writes = copy_accesses(order->arena, &order->writes);
    for (int64_t i = 0; i < order->barriers.count; i++) {
        vec_push(order->arena, &copy.barriers, order->barriers.data[i]);
    }
    return copy;
}

static void order_list(Order *order, StepList *list, NewSteps *out);

static void finish_list(StepList *list, const NewSteps *out) {
    list->steps.data = out->steps.data;
    list->steps.count = out->steps.count;
    list->steps.capacity = out->steps.capacity;
}

static void need_for_test(Order *order, Need *need, Step *step) {
    KernelOperand test = {.buffer = step->test, .once_for = buffer_memory(step->test)->once_for};
    need_for_read(order, need, &test, step->is_single);
}

// What other devices read or wrote of memory that the body writes.
static void need_for_others(
    Order *order, const Order *inside, const RemoteAccesses *accesses, Need *need) {
    for (int64_t i = 0; i < accesses->count; i++) {
        const RemoteAccess *access = &accesses->data[i];
        const LastAccesses *written = &inside->accesses[access->buffer];
        if (written->write == 0 && written->write_single == 0) continue;
        const LastAccesses *of = &order->accesses[access->buffer];
        int64_t since =
            latest(latest(of->write, of->write_single), latest(of->read, of->read_single));
        need_groups(order, need, access->groups, since);
    }
}

// The end of a body: the next iteration may read and write everything again.
static Need need_for_next_iteration(Order *order, const Order *inside) {
    Need need = {true, 0};
    need_for_others(order, inside, &inside->reads, &need);
    need_for_others(order, inside, &inside->writes, &need);
    return need;
}

static void order_while(Order *order, Step *step, const Order *inside) {
    NewSteps condition = {{0}}, body = {{0}};
    order_list(order, step->bodies[0], &condition);
    Need need = {false, 0};
    need_for_test(order, &need, step);
    add_barrier(order, &condition, need, step->op);
    order->event++;
    record_test(order, step);
    finish_list(step->bodies[0], &condition);
    order_list(order, step->bodies[1], &body);
    add_barrier(order, &body, need_for_next_iteration(order, inside), step->op);
    finish_list(step->bodies[1], &body);
}

// ---- steps of one lane

static bool is_of_one_lane(const Step *step) {
    for (int b = 0; b < step_body_count(step); b++) {
        for (int64_t i = 0; i < step->bodies[b]->steps.count; i++) {
            if (!is_of_one_lane(step->bodies[b]->steps.data[i])) return false;
        }
    }
    if (step->kind != STEP_KERNEL) return true;
    const Kernel *kernel = step->kernel;
    bool is_remote = kernel->kind == KERNEL_CUSTOM || kernel->grid > 1 || kernel->once_for;
    for (int i = 0; i < kernel->input_count; i++)
        is_remote = is_remote || kernel->inputs[i].is_remote || kernel->inputs[i].once_for;
    for (int i = 0; i < kernel->output_count; i++)
        is_remote = is_remote || kernel->outputs[i].is_remote;
    return !is_remote;
}

static void need_for_single(Order *order, Need *need, Step *step) {
    step->is_single = step->kind != STEP_KERNEL;
    if (step->kind == STEP_KERNEL) need_for_kernel(order, need, step->kernel);
    if (step->test) need_for_test(order, need, step);
    for (int b = 0; b < step_body_count(step); b++) {
        for (int64_t i = 0; i < step->bodies[b]->steps.count; i++)
            need_for_single(order, need, step->bodies[b]->steps.data[i]);
    }
}

static void order_single(Order *order, Step *step, NewSteps *out) {
    Need need = {false, 0};
    need_for_single(order, &need, step);
    add_barrier(order, out, need, step->op);
    order->event++;
    record_step(order, step);
    vec_push(order->arena, &out->steps, step);
}

// ---- the walk

static void order_control(Order *order, Step *step, NewSteps *out) {
    Order inside = fresh_order(order);
    record_step(&inside, step);
    Need need = {false, 0};
    if (step->kind == STEP_BRANCH) need_for_test(order, &need, step);
    for (int b = 0; b < step_body_count(step); b++) {
        need_for_list(order, &need, step->bodies[b]);
    }
    add_barrier(order, out, need, step->op);
    order->event++;
    if (step->kind == STEP_WHILE) {
        Order within = copy_order(order);
        order_while(&within, step, &inside);
        order->event = within.event;
    }
    for (int b = 0; step->kind == STEP_BRANCH && b < step->branch_count; b++) {
        Order within = copy_order(order);
        record_test(&within, step);
        NewSteps body = {{0}};
        order_list(&within, step->bodies[b], &body);
        finish_list(step->bodies[b], &body);
        order->event = within.event;
    }
    order->event++;
    record_step(order, step);
    vec_push(order->arena, &out->steps, step);
}

static void order_list(Order *order, StepList *list, NewSteps *out) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        if (step->kind != STEP_KERNEL) {
            if (is_of_one_lane(step))
                order_single(order, step, out);
            else
                order_control(order, step, out);
            continue;
        }
        Need need = {false, 0};
        need_for_kernel(order, &need, step->kernel);
        add_barrier(order, out, need, step->kernel->root);
        order->event++;
        record_kernel(order, step->kernel);
        vec_push(order->arena, &out->steps, step);
    }
}

// ---- kept values

static void need_for_kept(Order *order, Need *need, const StepList *list, int64_t first) {
    for (int64_t i = first; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        for (int b = 0; b < step_body_count(step); b++)
            need_for_kept(order, need, step->bodies[b], 0);
        if (step->test && buffer_memory(step->test)->is_kept) need->team = true;
        for (int k = 0; step->kind == STEP_KERNEL && k < step->kernel->input_count; k++) {
            const KernelOperand *input = &step->kernel->inputs[k];
            if (buffer_memory(input->buffer)->is_kept) need_for_read(order, need, input, false);
        }
    }
}

// Steps that are run once for many executions end in a barrier for all who read what they store:
// none that is passed every time is needed.
static void order_kept(Order *order, StepList *list, NewSteps *out) {
    StepList kept = {{0}};
    int64_t count = 0;
    for (; count < list->steps.count && list->steps.data[count]->is_kept; count++)
        vec_push(order->arena, &kept.steps, list->steps.data[count]);
    if (count == 0) return;
    order_list(order, &kept, out);
    Need need = {false, 0};
    need_for_kept(order, &need, list, count);
    add_barrier(order, out, need, list->steps.data[count - 1]->op);
    for (int64_t i = 0; i < out->steps.count; i++)
        out->steps.data[i]->is_kept = true;
    list->steps.data += count;
    list->steps.count -= count;
    list->steps.capacity -= count;
}

bool plan_collectives(Plan *plan) {
    Order order = {.plan = plan, .arena = plan->arena};
    order.accesses = ARENA_ARRAY(plan->arena, LastAccesses, plan->all_buffers.count);
    NewSteps out = {{0}};
    order_kept(&order, plan->steps, &out);
    order_list(&order, plan->steps, &out);
    finish_list(plan->steps, &out);
    return true;
}

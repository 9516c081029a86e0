// Lanes: what a worker does in an execution.
//
// Each worker has a block of lanes, which it runs in turn until all of them have finished. One
// that has nothing to run spins for some microseconds and then sleeps. It gives its block up for
// that time, and a worker that is awake and has waited longer than a sleeper takes to wake up
// runs the block's lanes. So an execution never waits for a thread that has no core: on a busy
// machine the caller goes on alone.
#include "runtime/float_env.h"
#include "runtime/instance.h"

enum {
    MICROSECOND = 1000,
    PAUSES_PER_LOOK = 8,           // pauses between two looks at the clock
    SPIN = 200 * MICROSECOND,      // before a worker sleeps
    HELP_AFTER = 20 * MICROSECOND, // before it takes a sleeper's block
    SPIN_WHEN_SHORT = 2 * MICROSECOND,
    HELP_AFTER_WHEN_SHORT = 1 * MICROSECOND,
    ARRIVE_PAUSES = 200,
    ARRIVE_PAUSES_WHEN_SHORT = 20
};

static bool has_failed(const shardc_model_instance *instance) {
    return atomic_load_explicit(&instance->has_failed, memory_order_relaxed);
}

static bool is_over(shardc_model_instance *instance) {
    return has_failed(instance) || atomic_load(&instance->unfinished) == 0;
}

// ---- blocks

// Of a class's lanes the first one of each block takes the part of the block's: counts them.
static void share_block(shardc_model_instance *instance, const RtBlock *block, int32_t k) {
    const shardc_model *model = instance->model;
    const int32_t *leaders = model->leaders + (int64_t)k * model->device_count;
    for (int32_t i = block->first; i < block->last; i++) {
        int32_t leader = leaders[instance->slots[i].lane.device], first = i;
        for (int32_t j = block->first; j < i && first == i; j++)
            if (leaders[instance->slots[j].lane.device] == leader) first = j;
        instance->shares[(int64_t)first * model->share_count + k].after++;
    }
}

static void divide_shares(shardc_model_instance *instance, int32_t k) {
    const shardc_model *model = instance->model;
    const int32_t *leaders = model->leaders + (int64_t)k * model->device_count;
    for (int32_t i = 0; i < instance->lane_count; i++)
        instance->shares[(int64_t)i * model->share_count + k] =
            (RtShare){.leader = leaders[instance->slots[i].lane.device]};
    for (int32_t w = 0; w < instance->worker_count; w++)
        share_block(instance, &instance->blocks[w], k);
    for (int32_t i = 0; i < instance->lane_count; i++) { // counts become ranges
        RtShare *share = &instance->shares[(int64_t)i * model->share_count + k];
        for (int32_t j = 0; j < instance->lane_count; j++) {
            if (leaders[instance->slots[j].lane.device] != share->leader) continue;
            share->all++;
        }
        for (int32_t j = i - 1; j >= 0 && share->before == 0; j--) {
            const RtShare *earlier = &instance->shares[(int64_t)j * model->share_count + k];
            if (earlier->leader == share->leader) share->before = earlier->after;
        }
        share->after += share->before;
    }
}

void rt_divide_lanes(shardc_model_instance *instance) {
    int64_t lanes = instance->lane_count, workers = instance->worker_count;
    bool is_divided = instance->divided_for == workers;
    for (int64_t w = 0; w < workers; w++) {
        RtBlock *block = &instance->blocks[w];
        if (!is_divided) {
            block->first = (int32_t)(lanes * w / workers);
            block->last = (int32_t)(lanes * (w + 1) / workers);
        }
        block->unfinished = block->last - block->first;
        block->slept_since = block->idle_ns = block->watched_begin = block->watched_ns = 0;
        atomic_store_explicit(&block->is_wanted, false, memory_order_relaxed);
        atomic_store_explicit(&block->is_fresh, true, memory_order_relaxed);
        atomic_store_explicit(&block->owner, RT_NO_OWNER, memory_order_relaxed);
    }
    for (int32_t k = 0; !is_divided && k < instance->model->share_count; k++)
        divide_shares(instance, k);
    instance->divided_for = (int32_t)workers;
    atomic_store_explicit(&instance->unfinished, instance->lane_count, memory_order_relaxed);
}

// The block's lanes begin anew. Done by the first worker that claims it: their memory
// stays near the core that runs them.
static void rewind_block(shardc_model_instance *instance, RtBlock *block) {
    const memory_order plain = memory_order_relaxed;
    for (int32_t i = block->first; i < block->last; i++) {
        RtLane *lane = &instance->slots[i].lane;
        RtWait *wait = &instance->slots[i].wait;
        lane->pc = 0;
        lane->collective_bytes = lane->moved_bytes = 0;
        lane->profiling = instance->profile;
        lane->is_bound = instance->is_bound;
        atomic_store_explicit(&wait->group_barrier, NULL, plain);
        atomic_store_explicit(&wait->step, -1, plain);
        atomic_store_explicit(&wait->custom, -1, plain);
        atomic_store_explicit(&wait->finished, false, plain);
        wait->events.count = 0;
    }
    atomic_store_explicit(&block->is_fresh, false, plain);
}

void rt_rewind_rest(shardc_model_instance *instance) {
    for (int32_t b = 0; b < instance->worker_count; b++) {
        RtBlock *block = &instance->blocks[b];
        if (atomic_load_explicit(&block->is_fresh, memory_order_relaxed))
            rewind_block(instance, block);
    }
}

// A worker that helps keeps the block of a sleeper between two turns, so that it need not look for
// it again; whoever wants it may take it then.
static int borrowed_by(int32_t worker) { return RT_NO_OWNER - 1 - worker; }

static bool replace_owner(RtBlock *block, int expected, int owner) {
    return atomic_compare_exchange_strong(&block->owner, &expected, owner);
}

bool rt_claim(shardc_model_instance *instance, int32_t block, int32_t worker) {
    RtBlock *claimed = &instance->blocks[block];
    int owner = atomic_load_explicit(&claimed->owner, memory_order_relaxed);
    if (owner > RT_NO_OWNER || !replace_owner(claimed, owner, worker)) return false;
    if (atomic_load_explicit(&claimed->is_fresh, memory_order_relaxed))
        rewind_block(instance, claimed);
    for (int32_t i = claimed->first; i < claimed->last; i++) {
        instance->slots[i].lane.scratch = instance->scratch[worker].data;
        instance->slots[i].wait.worker = worker;
    }
    return true;
}

static bool holds(const RtBlock *block, int32_t worker) {
    return atomic_load_explicit(&block->owner, memory_order_relaxed) == worker;
}

// ---- running

// The lane's wait is over: its time goes into the profile.
static void end_wait(shardc_model_instance *instance, RtLane *lane, RtWait *wait) {
    if (!atomic_load_explicit(&wait->group_barrier, memory_order_relaxed)) return;
    atomic_store_explicit(&wait->group_barrier, NULL, memory_order_relaxed);
    if (!lane->profiling) return;
    int64_t step = atomic_load_explicit(&wait->step, memory_order_relaxed);
    rt_record(lane, step, true, wait->wait_begin, rt_now() - instance->started);
}

// Runs every lane of the block that can go on up to its next wait; as long as there are any if
// the worker holds no other block.
static bool run_block(shardc_model_instance *instance, RtBlock *block, bool is_all) {
    bool has_run = false, is_alone = instance->worker_count == 1, goes_on = true;
    int32_t finished = 0;
    while (goes_on) {
        goes_on = false;
        for (int32_t i = block->first; i < block->last; i++) {
            RtLane *lane = &instance->slots[i].lane;
            RtWait *wait = &instance->slots[i].wait;
            if (atomic_load_explicit(&wait->finished, memory_order_relaxed)) continue;
            if (!rt_wait_is_over(wait)) continue;
            if (has_failed(instance)) break;
            end_wait(instance, lane, wait);
            wait->may_block = is_all && !is_alone && block->unfinished - finished == 1;
            goes_on = is_all;
            has_run = true;
            if (instance->model->programs[lane->device](lane) == 0) continue;
            atomic_store_explicit(&wait->finished, true, memory_order_relaxed);
            finished++;
        }
        goes_on = goes_on && finished < block->unfinished && !has_failed(instance);
    }
    block->unfinished -= finished;
    if (is_alone)
        atomic_store_explicit(&instance->unfinished, block->unfinished, memory_order_relaxed);
    else if (finished && atomic_fetch_sub(&instance->unfinished, finished) == finished)
        rt_team_signal(instance->team);
    return has_run;
}

void rt_run_alone(shardc_model_instance *instance) {
    uint64_t settings = rt_float_begin();
    if (rt_claim(instance, 0, 0)) (void)run_block(instance, &instance->blocks[0], true);
    rt_float_end(settings);
    atomic_store_explicit(&instance->blocks[0].owner, RT_NO_OWNER, memory_order_relaxed);
}

typedef struct Worker {
    shardc_model_instance *instance;
    RtBlock *own;
    int32_t number;
    // blocks of other workers that it has borrowed, or more if some were taken since
    int32_t others;
    int32_t next;       // block that it looked at last for something to do
    int64_t busy_since; // when it came or waited last
} Worker;

static void give_up_all(Worker *worker) {
    shardc_model_instance *instance = worker->instance;
    if (holds(worker->own, worker->number))
        atomic_store_explicit(&worker->own->owner, RT_NO_OWNER, memory_order_release);
    for (int32_t b = 0; worker->others > 0 && b < instance->worker_count; b++) {
        if (!replace_owner(&instance->blocks[b], borrowed_by(worker->number), RT_NO_OWNER))
            continue;
        worker->others--;
    }
    worker->others = 0;
}

// The block goes back to its worker if that is awake, else it stays borrowed.
static void end_turn(Worker *worker, RtBlock *block) {
    if (!atomic_load(&block->is_wanted)) {
        atomic_store_explicit(&block->owner, borrowed_by(worker->number), memory_order_release);
        worker->others++;
        return;
    }
    atomic_store(&block->owner, RT_NO_OWNER);
    // Its worker fell asleep meanwhile, before it could see that the block is free.
    if (!atomic_load(&block->is_wanted)) rt_team_signal(worker->instance->team);
}

// Runs the blocks that this worker has borrowed and nobody took since.
static bool run_others(Worker *worker) {
    shardc_model_instance *instance = worker->instance;
    bool has_run = false;
    int32_t left = worker->others;
    worker->others = 0;
    for (int32_t b = 0; left > 0 && b < instance->worker_count; b++) {
        RtBlock *block = &instance->blocks[b];
        if (!replace_owner(block, borrowed_by(worker->number), worker->number)) continue;
        left--;
        has_run |= run_block(instance, block, false);
        end_turn(worker, block);
    }
    return has_run;
}

static bool run_held(Worker *worker) {
    bool has_run = false;
    if (!holds(worker->own, worker->number)) {
        int32_t own = (int32_t)(worker->own - worker->instance->blocks);
        bool is_free = rt_claim(worker->instance, own, worker->number);
        atomic_store(&worker->own->is_wanted, !is_free);
        has_run = is_free;
    }
    if (holds(worker->own, worker->number))
        has_run |= run_block(worker->instance, worker->own, worker->others == 0);
    if (worker->others > 0) has_run |= run_others(worker);
    return has_run;
}

// ---- waiting

static bool own_can_go_on(const Worker *worker) {
    int owner = atomic_load_explicit(&worker->own->owner, memory_order_relaxed);
    if (owner == worker->number) return rt_block_can_go_on(worker->instance, worker->own);
    return owner <= RT_NO_OWNER;
}

// A block that can go on and that this worker has borrowed, or nobody holds; -1: there
// is none. Of many blocks it looks at some, each time at others: whoever a block
// belongs to will wake up in any case.
static int32_t find_another(Worker *worker) {
    enum { MOST = 16 };
    const shardc_model_instance *instance = worker->instance;
    int32_t count = instance->worker_count;
    for (int32_t i = 0; i < count && i < MOST; i++) {
        worker->next = worker->next + 1 < count ? worker->next + 1 : 0;
        const RtBlock *block = &instance->blocks[worker->next];
        int owner = atomic_load_explicit(&block->owner, memory_order_relaxed);
        if (owner != RT_NO_OWNER && owner != borrowed_by(worker->number)) continue;
        if (rt_block_can_go_on(instance, block)) return worker->next;
    }
    return -1;
}

// Borrows the block, unless it is this worker's own or has been borrowed already.
static bool take(Worker *worker, int32_t b) {
    RtBlock *block = &worker->instance->blocks[b];
    if (block == worker->own ||
        atomic_load_explicit(&block->owner, memory_order_relaxed) == borrowed_by(worker->number))
        return true;
    if (!rt_claim(worker->instance, b, worker->number)) return false;
    end_turn(worker, block);
    return true;
}

// How long a worker that had something to do for so long waits before it takes a sleeper's block:
// as long as the block may take itself, for then it is done at most half as late as if the sleeper
// had come at the right moment; and no longer than it takes to wake up on a free core.
static int64_t patience(int64_t busy_ns) {
    if (busy_ns < HELP_AFTER_WHEN_SHORT) return HELP_AFTER_WHEN_SHORT;
    return busy_ns < HELP_AFTER ? busy_ns : HELP_AFTER;
}

// Spins until there may be something to do. False: nothing came.
static bool spin(Worker *worker) {
    shardc_model_instance *instance = worker->instance;
    for (int i = 0; i < PAUSES_PER_LOOK; i++) {
        if (is_over(instance) || own_can_go_on(worker)) return true;
        rt_pause();
    }
    int64_t began = rt_now(), last = began, most = SPIN;
    int64_t help_after = patience(began - worker->busy_since);
    bool is_short = rt_cores_are_short(instance->team, began);
    do {
        if (is_short) {
            most = SPIN_WHEN_SHORT;
            help_after = HELP_AFTER_WHEN_SHORT;
        }
        for (int i = 0; i < PAUSES_PER_LOOK; i++) {
            if (is_over(instance) || own_can_go_on(worker)) return true;
            rt_pause();
        }
        int64_t now = rt_now();
        rt_note_gap(now, now - last);
        is_short = rt_cores_are_short(instance->team, now);
        last = worker->busy_since = now;
        int32_t another = find_another(worker);
        if (another >= 0 && now - began >= help_after && take(worker, another)) return true;
        if (another >= 0) most = help_after * 2; // its worker is about to wake up
    } while (last - began < most);
    int pauses = is_short ? ARRIVE_PAUSES_WHEN_SHORT : ARRIVE_PAUSES;
    atomic_store_explicit(&instance->spins, pauses, memory_order_relaxed);
    return false;
}

// Announces that the worker will sleep. False: there is something to do after all.
static bool may_sleep(Worker *worker, unsigned *signal) {
    *signal = rt_team_announce(worker->instance->team);
    give_up_all(worker);
    atomic_store(&worker->own->is_wanted, false);
    if (is_over(worker->instance) || find_another(worker) >= 0) return false;
    int owner = atomic_load(&worker->own->owner);
    return owner > RT_NO_OWNER || !rt_block_can_go_on(worker->instance, worker->own);
}

// A member whose lanes have all finished leaves; the caller stays to the end.
static bool is_done(const Worker *worker) {
    return worker->number > 0 && worker->others == 0 && holds(worker->own, worker->number) &&
           worker->own->unfinished == 0;
}

static RtTaskResult run_lanes(shardc_model_instance *instance, int32_t number, unsigned *signal) {
    if (number >= instance->worker_count) return RT_DONE;
    Worker worker = {
        .instance = instance,
        .own = &instance->blocks[number],
        .number = number,
        .next = number,
        .busy_since = instance->started};
    if (worker.own->slept_since) {
        worker.busy_since = rt_now();
        rt_watch(instance, number, worker.busy_since - worker.own->slept_since);
        worker.own->slept_since = 0;
    }
    for (;;) {
        bool has_run = run_held(&worker);
        if (is_over(instance) || is_done(&worker)) {
            give_up_all(&worker);
            return RT_DONE;
        }
        if (has_run || (instance->worker_count > 1 && spin(&worker))) continue;
        if (!may_sleep(&worker, signal)) continue;
        worker.own->slept_since = rt_now();
        return RT_IDLE;
    }
}

RtTaskResult rt_run_lanes(shardc_model_instance *instance, int32_t number, unsigned *signal) {
    uint64_t settings = rt_float_begin();
    RtTaskResult result = run_lanes(instance, number, signal);
    rt_float_end(settings);
    return result;
}

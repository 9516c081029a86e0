// A created model: its lanes, memory and barriers. Private to runtime/.
#ifndef SHARDC_RUNTIME_INSTANCE_H
#define SHARDC_RUNTIME_INSTANCE_H

#include "runtime/abi.h"
#include "runtime/team/team.h"

enum { RT_CACHE_LINE = 64, RT_THREAD_LIMIT = 1024, RT_MESSAGE_SIZE = 4096 };

// Where the lanes of one group meet at one barrier. Lanes pass a barrier equally often, so two
// counts that only grow tell the passes apart: a pass is complete when `arrived` reaches
// `released` + expected; who completes it moves `released` there. Nobody of the next pass can come
// before.
typedef struct RtGroupBarrier {
    alignas(RT_CACHE_LINE) atomic_int_fast64_t arrived;
    atomic_int_fast64_t released;
    int64_t expected; // lanes of the group
} RtGroupBarrier;

// Events of one lane, in the order they happened. Grows while profiling;
// without memory events are dropped.
typedef struct RtEvents {
    shardc_model_event *data;
    int64_t count, capacity;
} RtEvents;

// What the runtime keeps for a lane. Whoever runs the lane's block writes it;
// what others look at is atomic.
typedef struct RtWait {
    _Atomic(RtGroupBarrier *) group_barrier; // where the lane waits; NULL = it runs or has finished
    _Atomic int64_t target;       // the wait is over when group_barrier->released is at least this
    _Atomic int64_t step;         // of the barrier that it arrived at last; -1 = none yet
    _Atomic int64_t custom;       // the custom call that it makes now; -1 = none
    _Atomic int64_t custom_begin; // when it began, ns
    int32_t worker;               // that runs this lane
    // the worker has nothing else to run: it may wait a little inside shardc_rt_arrive
    bool may_block;
    atomic_bool finished;
    int64_t wait_begin, step_begin; // ns since the execution began
    RtEvents events;
} RtWait;

typedef struct RtSlot {
    alignas(RT_CACHE_LINE) RtLane lane; // one cache line apart: each is written by its worker
    RtWait wait;
} RtSlot;

// A region of memory and how to give it back.
typedef struct RtMemory {
    char *data;  // what is used
    void *start; // what was taken
    size_t size; // that was taken
    bool is_mapped;
} RtMemory;

// The lanes of one worker. The worker holds its block while it is awake; while it is not (its core
// does something else), another worker that has nothing to run may take the block, and gives it
// back when its worker wants it.
typedef struct RtBlock {
    // the worker that holds it; RT_NO_OWNER; less: a worker borrows it (lanes.c)
    alignas(RT_CACHE_LINE) atomic_int owner;
    atomic_bool is_wanted; // its own worker found it taken
    atomic_bool is_fresh;  // its lanes have not begun in this execution
    int32_t first, last;   // lanes
    int32_t unfinished;    // of them; the owner's
    // Of its own worker, for the watchdog (watchdog.c).
    int64_t slept_since; // when it went to sleep in this execution; 0 = it did not
    int64_t idle_ns;     // time in which nothing could run
    // the custom call that ran longest when it looked last, and for how long it has seen it
    int64_t watched_begin, watched_ns;
} RtBlock;

enum { RT_NO_OWNER = -1 };

struct shardc_model_instance {
    const shardc_model *model; // borrowed
    int32_t threads, lanes_per_device, lane_count;
    int32_t profile;
    // of this execution or the last one: the caller and the members of its team
    int32_t worker_count;
    RtCores cores;     // rt_allowed_cores where the instance was created
    atomic_uint forks; // rt_fork_count when it was created or used last
    // it was executing when this process was forked from another: nobody will finish that
    atomic_bool is_lost;
    atomic_int spins;            // pauses that an arriving lane waits for before it returns
    RtTeam *team;                // of the execution: taken or &alone
    RtTeam *last_team;           // taken last; NULL = none yet
    RtTeam alone;                // without members
    RtBlock *blocks;             // [threads], worker_count in use
    int32_t divided_for;         // workers that the lanes are divided among
    double watchdog_seconds;     // < 0: never
    shardc_model_custom *custom; // calls functions outside of the model; NULL = none
    void *custom_user;
    RtSlot *slots;   // [lane_count], device-major
    RtShare *shares; // [lane_count * share_count]
    char **bases;  // [device_count * slot_count]
    // [device_count * slot_count] bytes from the caller's array to the device's tile
    int64_t *offsets;
    // [arg_count + result_count] of the last execution; unused where the model is tiled
    const void **arrays;
    void **staged;     // [result_count] see stage_results; entries NULL until they are needed
    void **outputs;    // [result_count] where this execution writes
    RtMemory *arenas;  // [device_count]
    RtMemory *copies;  // [device_count] tiles of replicated results that another device owns
    RtMemory *scratch; // [threads]
    RtGroupBarrier *group_barriers;
    int64_t group_barrier_count;
    int64_t *first_group_barrier; // [barrier_count] the RtGroupBarrier of the barrier's group 0
    int64_t started;              // ns, of the execution
    int64_t executions;
    // an execution that did not fail stored what is kept for those that follow
    bool is_bound;
    pthread_mutex_t mutex;                        // one execution at a time
    pthread_mutex_t failing;                      // guards message while workers run
    alignas(RT_CACHE_LINE) atomic_int unfinished; // lanes
    alignas(RT_CACHE_LINE) atomic_bool has_failed;
    char message[RT_MESSAGE_SIZE];
};

// join.c. The status, with a message in error.
int rt_refuse(int status, char *error, uint64_t error_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int rt_check_abi(const shardc_model *model, char *error, uint64_t error_size);

// buffer.c. On failure data is NULL.
RtMemory rt_memory_take(size_t size);
void rt_memory_release(RtMemory *memory);

// barrier.c
bool rt_wait_is_over(const RtWait *wait);
// Is there a lane of the block that is not finished and need not wait?
static inline bool rt_block_can_go_on(const shardc_model_instance *instance, const RtBlock *block) {
    if (atomic_load_explicit(&block->is_fresh, memory_order_relaxed)) return true;
    for (int32_t i = block->first; i < block->last; i++) {
        const RtWait *wait = &instance->slots[i].wait;
        if (!atomic_load_explicit(&wait->finished, memory_order_relaxed) && rt_wait_is_over(wait))
            return true;
    }
    return false;
}
// Only the first failure of an execution is kept.
void rt_fail(shardc_model_instance *instance, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Appends to a message, as much as fits; the second: "step 3, name (place)".
void rt_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rt_append_step(const shardc_model *model, char *text, size_t size, int64_t step);

// lanes.c: what a worker does in an execution.
RtTask rt_run_lanes;
// Divides the lanes among the instance's workers, all blocks free.
void rt_divide_lanes(shardc_model_instance *instance);
// The caller without a team, up to the end or to where nothing can go on.
void rt_run_alone(shardc_model_instance *instance);
// Lanes that nobody began, in an execution that failed: nothing of the one before shall be left of
// them.
void rt_rewind_rest(shardc_model_instance *instance);
bool rt_claim(shardc_model_instance *instance, int32_t block, int32_t worker);

// watchdog.c: called by a worker that slept for so long during an execution. Fails the
// execution when its time is up.
void rt_watch(shardc_model_instance *instance, int32_t worker, int64_t slept_ns);
int64_t rt_watch_period(const shardc_model_instance *instance); // ns

// launch.c: every lane touches its share of its device's memory, so that pages
// are near the core that uses them.
void rt_first_touch(shardc_model_instance *instance);

// profile.c
void rt_record(RtLane *lane, int64_t step, bool is_wait, int64_t begin, int64_t end);

#endif

// A created model: its lanes, memory and barriers. Private to runtime/.
#ifndef SHARDC_RUNTIME_INSTANCE_H
#define SHARDC_RUNTIME_INSTANCE_H

#include "runtime/abi.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { RT_CACHE_LINE = 64, RT_THREAD_LIMIT = 1024, RT_MESSAGE_SIZE = 512 };

// Where the lanes of one group meet at one barrier. Lanes pass a barrier equally often, so a count that only grows tells
// the passes apart: a lane that arrives as number k waits until arrived >= expected * (1 + (k - 1) / expected).
typedef struct RtMeeting {
    alignas(RT_CACHE_LINE) atomic_int_fast64_t arrived;
    int64_t expected; // lanes of the group
} RtMeeting;

// Events of one lane, in the order they happened. Grows while profiling; without memory events are dropped.
typedef struct RtEvents {
    shardc_model_event *data;
    int64_t count, capacity;
} RtEvents;

// What the runtime keeps for a lane.
typedef struct RtWait {
    _Atomic(RtMeeting *) meeting; // where the lane waits; NULL = it runs or has finished
    int64_t target;               // the wait is over when meeting->arrived is at least this
    _Atomic int64_t step;         // of the barrier that it arrived at last; -1 = none yet
    int32_t worker;               // that runs this lane
    bool may_block; // the worker has nothing else to run: wait inside shardc_rt_arrive
    bool finished;
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

struct shardc_model_instance {
    const shardc_model *model; // borrowed
    int32_t threads, lanes_per_device, lane_count;
    int32_t profile;
    int32_t spins;               // pauses before a waiting worker sleeps
    double watchdog_seconds;     // < 0: never
    shardc_model_custom *custom; // calls functions outside of the model; NULL = none
    void *custom_user;
    RtSlot *slots; // [lane_count], device-major
    char **bases;  // [device_count * slot_count]
    int64_t
        *offsets; // [device_count * slot_count] bytes from the caller's array to the device's tile
    const void **arrays; // [arg_count + result_count] of the last execution
    void **staged;       // [result_count] see stage_results; entries NULL until they are needed
    void **outputs;      // [result_count] where this execution writes
    RtMemory *arenas;    // [device_count]
    RtMemory *copies;    // [device_count] tiles of replicated results that another device owns
    RtMemory *scratch;   // [threads]
    RtMeeting *meetings;
    int64_t meeting_count;
    int64_t *first_meeting; // [barrier_count] the meeting of the barrier's group 0
    int64_t started;        // ns, of the execution
    int64_t executions;
    pthread_mutex_t mutex;                      // one execution at a time
    pthread_mutex_t failing;                    // guards message while workers run
    alignas(RT_CACHE_LINE) atomic_int sleepers; // workers that sleep on `wakeups`
    atomic_uint wakeups;
    alignas(RT_CACHE_LINE) atomic_bool has_failed;
    char message[RT_MESSAGE_SIZE];
};

int64_t rt_now(void); // ns

// join.c. The status, with a message in error.
int rt_refuse(int status, char *error, uint64_t error_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int rt_check_abi(const shardc_model *model, char *error, uint64_t error_size);

// buffer.c. On failure data is NULL.
RtMemory rt_memory_take(size_t size);
void rt_memory_release(RtMemory *memory);

// barrier.c
bool rt_wait_is_over(const RtWait *wait);
// Waits until one of the slots may go on or the execution has failed.
void rt_wait_for_any(shardc_model_instance *instance, RtSlot *slots, int32_t count);
// Only the first failure of an execution is kept.
void rt_fail(shardc_model_instance *instance, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// launch.c: every lane touches its share of its device's memory, so that pages are near the core that uses them.
void rt_first_touch(shardc_model_instance *instance);

// profile.c
void rt_record(RtLane *lane, int64_t step, bool is_wait, int64_t begin, int64_t end);

#endif

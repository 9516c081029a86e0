// Barriers: arriving and waiting; failures.
//
// A lane that arrives at a barrier where others are missing leaves its program (after some pauses
// if its worker has nothing else to run), and its worker runs the next lane (lanes.c). The last to
// arrive signals those who sleep.
#include "runtime/instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rt_fail(shardc_model_instance *instance, const char *format, ...) {
    pthread_mutex_lock(&instance->failing);
    if (!atomic_load(&instance->has_failed)) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(instance->message, sizeof instance->message, format, arguments);
        va_end(arguments);
        atomic_store(&instance->has_failed, true);
    }
    pthread_mutex_unlock(&instance->failing);
    rt_team_signal(instance->team);
}

bool rt_wait_is_over(const RtWait *wait) {
    RtGroupBarrier *group_barrier =
        atomic_load_explicit(&wait->group_barrier, memory_order_relaxed);
    return !group_barrier || atomic_load(&group_barrier->released) >=
                                 atomic_load_explicit(&wait->target, memory_order_relaxed);
}

void rt_append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void rt_append_step(const shardc_model *model, char *text, size_t size, int64_t step) {
    if (step < 0 || step >= model->step_count) {
        rt_append(text, size, "the start");
        return;
    }
    const shardc_model_step *s = &model->steps[step];
    rt_append(
        text, size, "step %lld, %s (%s)", (long long)step, s->name ? s->name : s->kind,
        s->location ? s->location : "");
}

static RtGroupBarrier *find_group_barrier(const RtLane *lane, int64_t barrier) {
    const shardc_model_instance *instance = lane->instance;
    const shardc_model_barrier *row = &instance->model->barriers[barrier];
    int64_t group = row->group ? row->group[lane->device] : lane->device;
    return &instance->group_barriers[instance->first_group_barrier[barrier] + group];
}

// How many came before.
static int64_t count_in(const shardc_model_instance *instance, RtGroupBarrier *group_barrier) {
    if (instance->worker_count > 1) return atomic_fetch_add(&group_barrier->arrived, 1);
    int64_t before = atomic_load_explicit(&group_barrier->arrived, memory_order_relaxed);
    atomic_store_explicit(&group_barrier->arrived, before + 1, memory_order_relaxed);
    return before;
}

int32_t shardc_rt_arrive(RtLane *lane, int64_t barrier, int64_t step) {
    shardc_model_instance *instance = lane->instance;
    RtWait *wait = lane->wait;
    RtGroupBarrier *group_barrier = find_group_barrier(lane, barrier);
    atomic_store_explicit(&wait->step, step, memory_order_relaxed);
    int64_t expected = group_barrier->expected;
    if (expected == 1) return 1;
    int64_t target =
        atomic_load_explicit(&group_barrier->released, memory_order_relaxed) + expected;
    if (count_in(instance, group_barrier) + 1 == target) {
        atomic_store(&group_barrier->released, target);
        rt_team_signal(instance->team);
        return !atomic_load_explicit(&instance->has_failed, memory_order_relaxed);
    }
    if (lane->profiling) wait->wait_begin = rt_now() - instance->started;
    atomic_store_explicit(&wait->target, target, memory_order_relaxed);
    atomic_store_explicit(&wait->group_barrier, group_barrier, memory_order_release);
    if (!wait->may_block) return 0;
    bool is_over = false;
    int spins = atomic_load_explicit(&instance->spins, memory_order_relaxed);
    for (int i = 0; i < spins && !is_over; i++) {
        is_over = atomic_load_explicit(&group_barrier->released, memory_order_acquire) >= target;
        if (!is_over) rt_pause();
    }
    if (!is_over || atomic_load_explicit(&instance->has_failed, memory_order_relaxed)) return 0;
    atomic_store_explicit(&wait->group_barrier, NULL, memory_order_relaxed);
    if (lane->profiling) {
        rt_record(lane, step, true, wait->wait_begin, rt_now() - instance->started);
    }
    return 1;
}

void shardc_rt_fail(RtLane *lane, int64_t step) {
    const shardc_model *model = lane->instance->model;
    char place[RT_MESSAGE_SIZE / 2] = "";
    rt_append_step(model, place, sizeof place, step);
    rt_fail(
        lane->instance, "device %lld came to an impossible state at %s", (long long)lane->device,
        place);
}

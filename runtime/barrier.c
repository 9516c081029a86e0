// Barriers: arriving, waiting, giving up.
//
// A worker that has several lanes leaves the waiting one and runs the next. One that has nothing to run spins for some
// microseconds and then sleeps on instance->wakeups until some barrier is complete. The order of the two counters makes a wake-up
// impossible to miss: the last to arrive counts itself in, then looks for sleepers; a sleeper counts itself among them, then
// looks at its barriers again (both sequentially consistent).
#define _GNU_SOURCE
#include "runtime/instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#    include <linux/futex.h>
#    include <sys/syscall.h>
#    include <unistd.h>
#else
#    include <sched.h>
#endif

int64_t rt_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void pause_core(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

// Sleeps until the word is no longer `value`, somebody wakes it, or 0.2 s have passed.
static void sleep_on(atomic_uint *word, unsigned value) {
#ifdef __linux__
    const struct timespec most = {0, 200000000};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &most, NULL, 0);
#else
    if (atomic_load(word) == value) (void)sched_yield();
#endif
}

static void wake_sleepers(shardc_model_instance *instance) {
    if (atomic_load(&instance->sleepers) == 0) return;
    atomic_fetch_add(&instance->wakeups, 1);
#ifdef __linux__
    (void)syscall(SYS_futex, &instance->wakeups, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
#endif
}

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
    wake_sleepers(instance);
}

bool rt_wait_is_over(const RtWait *wait) {
    RtMeeting *meeting = atomic_load_explicit(&wait->meeting, memory_order_relaxed);
    return !meeting || atomic_load(&meeting->arrived) >= wait->target;
}

static bool may_go_on(shardc_model_instance *instance, const RtSlot *slots, int32_t count) {
    if (atomic_load_explicit(&instance->has_failed, memory_order_relaxed)) return true;
    for (int32_t i = 0; i < count; i++) {
        if (!slots[i].wait.finished && rt_wait_is_over(&slots[i].wait)) return true;
    }
    return false;
}

// Appends to a message, as much as fits.
__attribute__((format(printf, 3, 4))) static void append(
    char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_step(const shardc_model *model, char *text, size_t size, int64_t step) {
    if (step < 0 || step >= model->step_count) {
        append(text, size, "the start");
        return;
    }
    const shardc_model_step *s = &model->steps[step];
    append(
        text, size, "step %lld, %s (%s)", (long long)step, s->name ? s->name : s->kind,
        s->location ? s->location : "");
}

// Says who waits where, and for whom. Other lanes may go on meanwhile; the text is a best effort.
static void report_timeout(shardc_model_instance *instance, const RtSlot *waiting, double seconds) {
    enum { NAMED = 4 };
    const shardc_model *model = instance->model;
    RtMeeting *meeting = atomic_load(&waiting->wait.meeting);
    char text[RT_MESSAGE_SIZE] = "";
    append(
        text, sizeof text, "device %lld has waited for %.1f s at ", (long long)waiting->lane.device,
        seconds);
    append_step(model, text, sizeof text, atomic_load(&waiting->wait.step));
    append(text, sizeof text, ";");
    int named = 0;
    for (int32_t i = 0; i < instance->lane_count && named < NAMED; i++) {
        const RtSlot *other = &instance->slots[i];
        if (other->lane.rank != 0 || atomic_load(&other->wait.meeting) == meeting) continue;
        append(text, sizeof text, " device %lld is beyond ", (long long)other->lane.device);
        append_step(model, text, sizeof text, atomic_load(&other->wait.step));
        append(text, sizeof text, ";");
        named++;
    }
    rt_fail(instance, "%s", text);
}

static const RtSlot *first_waiting(const RtSlot *slots, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (!slots[i].wait.finished) return &slots[i];
    }
    return slots;
}

void rt_wait_for_any(shardc_model_instance *instance, RtSlot *slots, int32_t count) {
    for (int32_t i = 0; i < instance->spins; i++) {
        if (may_go_on(instance, slots, count)) return;
        pause_core();
    }
    int64_t began = rt_now();
    atomic_fetch_add(&instance->sleepers, 1);
    for (;;) {
        unsigned wakeups = atomic_load(&instance->wakeups);
        if (may_go_on(instance, slots, count)) break;
        sleep_on(&instance->wakeups, wakeups);
        double seconds = (double)(rt_now() - began) * 1e-9;
        if (instance->watchdog_seconds >= 0 && seconds > instance->watchdog_seconds &&
            !may_go_on(instance, slots, count)) {
            report_timeout(instance, first_waiting(slots, count), seconds);
        }
    }
    atomic_fetch_sub(&instance->sleepers, 1);
}

// The meeting of the lane's group at a barrier.
static RtMeeting *find_meeting(const RtLane *lane, int64_t barrier) {
    const shardc_model_instance *instance = lane->instance;
    const shardc_model_barrier *row = &instance->model->barriers[barrier];
    int64_t group = row->group ? row->group[lane->device] : lane->device;
    return &instance->meetings[instance->first_meeting[barrier] + group];
}

static RtSlot *slot_of(const RtLane *lane) {
    const shardc_model_instance *instance = lane->instance;
    int64_t device = lane->device - instance->model->first_device;
    return &instance->slots[device * instance->lanes_per_device + lane->rank];
}

int32_t shardc_rt_arrive(RtLane *lane, int64_t barrier, int64_t step) {
    shardc_model_instance *instance = lane->instance;
    RtWait *wait = lane->wait;
    RtMeeting *meeting = find_meeting(lane, barrier);
    atomic_store_explicit(&wait->step, step, memory_order_relaxed);
    int64_t expected = meeting->expected;
    if (expected == 1) return 1;
    int64_t before = atomic_fetch_add(&meeting->arrived, 1);
    if ((before + 1) % expected == 0) {
        wake_sleepers(instance);
        return !atomic_load_explicit(&instance->has_failed, memory_order_relaxed);
    }
    wait->target = (before / expected + 1) * expected;
    if (lane->profiling) wait->wait_begin = rt_now() - instance->started;
    atomic_store_explicit(&wait->meeting, meeting, memory_order_relaxed);
    if (!wait->may_block) return 0;
    rt_wait_for_any(instance, slot_of(lane), 1);
    if (atomic_load_explicit(&instance->has_failed, memory_order_relaxed)) return 0;
    atomic_store_explicit(&wait->meeting, NULL, memory_order_relaxed);
    if (lane->profiling) {
        rt_record(lane, step, true, wait->wait_begin, rt_now() - instance->started);
    }
    return 1;
}

void shardc_rt_fail(RtLane *lane, int64_t step) {
    const shardc_model *model = lane->instance->model;
    char place[RT_MESSAGE_SIZE / 2] = "";
    append_step(model, place, sizeof place, step);
    rt_fail(
        lane->instance, "device %lld came to an impossible state at %s", (long long)lane->device,
        place);
}

// The watchdog: ends executions in which nothing can happen any more, and says why.
//
// A program that is only slow is left alone. What it ends: devices that all wait at barriers where
// somebody will never come, and a custom function that does not return while others wait for its
// device (the execution then fails as soon as the function does return). Time is counted in periods
// of sleeping, each as long as it was meant to be at most: a process that was stopped, or a machine
// that was suspended, has not waited.
#include "runtime/instance.h"

int64_t rt_watch_period(const shardc_model_instance *instance) {
    enum { LEAST_NS = 1000000, MOST_NS = 200000000 };
    double seconds = instance->watchdog_seconds;
    if (seconds < 0 || seconds * 1e9 > 4.0 * MOST_NS) return MOST_NS;
    int64_t period = (int64_t)(seconds * 1e9 / 4);
    return period < LEAST_NS ? LEAST_NS : period;
}

static const RtSlot *first_waiting(const shardc_model_instance *instance) {
    for (int32_t i = 0; i < instance->lane_count; i++) {
        const RtSlot *slot = &instance->slots[i];
        if (atomic_load(&slot->wait.group_barrier) && !atomic_load(&slot->wait.finished))
            return slot;
    }
    return NULL;
}

// Says who waits where, and for whom.
static void report_deadlock(shardc_model_instance *instance, double seconds) {
    enum { NAMED = 4 };
    const shardc_model *model = instance->model;
    const RtSlot *waiting = first_waiting(instance);
    if (!waiting) return;
    RtGroupBarrier *group_barrier = atomic_load(&waiting->wait.group_barrier);
    char text[RT_MESSAGE_SIZE] = "";
    rt_append(
        text, sizeof text, "device %lld has waited for %.1f s at ", (long long)waiting->lane.device,
        seconds);
    rt_append_step(model, text, sizeof text, atomic_load(&waiting->wait.step));
    rt_append(text, sizeof text, ";");
    int named = 0;
    for (int32_t i = 0; i < instance->lane_count && named < NAMED; i++) {
        const RtSlot *other = &instance->slots[i];
        if (other->lane.rank != 0 || atomic_load(&other->wait.group_barrier) == group_barrier)
            continue;
        rt_append(text, sizeof text, " device %lld is beyond ", (long long)other->lane.device);
        rt_append_step(model, text, sizeof text, atomic_load(&other->wait.step));
        rt_append(text, sizeof text, ";");
        named++;
    }
    rt_fail(instance, "%s", text);
}

// The lane whose custom call has run longest; NULL = none makes one.
static const RtSlot *longest_custom(const shardc_model_instance *instance) {
    const RtSlot *longest = NULL;
    for (int32_t i = 0; i < instance->lane_count; i++) {
        const RtSlot *slot = &instance->slots[i];
        if (atomic_load(&slot->wait.custom) < 0) continue;
        if (!longest ||
            atomic_load(&slot->wait.custom_begin) < atomic_load(&longest->wait.custom_begin))
            longest = slot;
    }
    return longest;
}

static void report_custom(
    shardc_model_instance *instance, const RtSlot *slot, const RtSlot *waiting, double seconds) {
    const shardc_model *model = instance->model;
    int64_t call = atomic_load(&slot->wait.custom);
    if (call < 0 || call >= model->custom_count) return;
    char text[RT_MESSAGE_SIZE] = "";
    rt_append(
        text, sizeof text,
        "the custom function '%s' (%s) has run for %.1f s on device %lld; device %lld waits for it "
        "at ",
        model->custom_calls[call].name, model->custom_calls[call].location, seconds,
        (long long)slot->lane.device, (long long)waiting->lane.device);
    rt_append_step(model, text, sizeof text, atomic_load(&waiting->wait.step));
    rt_fail(instance, "%s", text);
}

static void watch_custom(
    shardc_model_instance *instance, RtBlock *own, const RtSlot *slot, int64_t slept_ns) {
    int64_t begin = atomic_load(&slot->wait.custom_begin);
    own->watched_ns = own->watched_begin == begin ? own->watched_ns + slept_ns : 0;
    own->watched_begin = begin;
    double seconds = (double)own->watched_ns * 1e-9;
    const RtSlot *waiting = first_waiting(instance);
    if (waiting && seconds > instance->watchdog_seconds)
        report_custom(instance, slot, waiting, seconds);
}

// Nobody runs a lane, and no lane can go on.
static bool is_stuck(const shardc_model_instance *instance) {
    for (int32_t b = 0; b < instance->worker_count; b++) {
        const RtBlock *block = &instance->blocks[b];
        if (atomic_load(&block->owner) != RT_NO_OWNER) return false;
        if (rt_block_can_go_on(instance, block)) return false;
    }
    return true;
}

void rt_watch(shardc_model_instance *instance, int32_t worker, int64_t slept_ns) {
    if (instance->watchdog_seconds < 0) return;
    int64_t period = rt_watch_period(instance);
    if (slept_ns > period * 2) slept_ns = period * 2;
    RtBlock *own = &instance->blocks[worker];
    const RtSlot *custom = longest_custom(instance);
    if (custom) {
        watch_custom(instance, own, custom, slept_ns);
        return;
    }
    own->idle_ns = is_stuck(instance) ? own->idle_ns + slept_ns : 0;
    double seconds = (double)own->idle_ns * 1e-9;
    if (seconds > instance->watchdog_seconds) report_deadlock(instance, seconds);
}

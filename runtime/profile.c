// Profiles: the events of each lane's last execution.
#include "runtime/instance.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1024, EVENT_LIMIT = 1 << 22 }; // per lane; what is beyond is dropped

void rt_record(RtLane *lane, int64_t step, bool is_wait, int64_t begin, int64_t end) {
    RtEvents *events = &lane->wait->events;
    if (events->count == events->capacity) {
        int64_t capacity = events->capacity ? events->capacity * 2 : FIRST_CAPACITY;
        if (capacity > EVENT_LIMIT) return;
        shardc_model_event *grown = realloc(events->data, (size_t)capacity * sizeof *grown);
        if (!grown) return;
        events->data = grown;
        events->capacity = capacity;
    }
    events->data[events->count++] = (shardc_model_event){
        .device = (int32_t)lane->device,
        .thread = lane->wait->worker,
        .step = (int32_t)step,
        .is_wait = is_wait,
        .begin_ns = begin,
        .end_ns = end};
}

void shardc_rt_step_begin(RtLane *lane, int64_t step) {
    (void)step;
    lane->wait->step_begin = rt_now() - lane->instance->started;
}

void shardc_rt_step_end(RtLane *lane, int64_t step) {
    rt_record(lane, step, false, lane->wait->step_begin, rt_now() - lane->instance->started);
}

int64_t shardc_rt_events(
    const shardc_model_instance *instance, shardc_model_event *events, int64_t capacity) {
    int64_t count = 0;
    for (int32_t i = 0; i < instance->lane_count; i++) {
        const RtEvents *lane = &instance->slots[i].wait.events;
        for (int64_t e = 0; e < lane->count; e++, count++) {
            if (count < capacity) events[count] = lane->data[e];
        }
    }
    return count;
}

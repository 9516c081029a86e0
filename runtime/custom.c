// Custom calls: from generated code to the function of the program that created the instance.
#include "runtime/instance.h"

void shardc_rt_custom(RtLane *lane, int64_t call, void *const *buffers) {
    shardc_model_instance *instance = lane->instance;
    const shardc_model *model = instance->model;
    if (!instance->custom) {
        bool is_known = call >= 0 && call < model->custom_count;
        rt_fail(
            instance,
            "the program calls the custom function '%s', and the instance was created without the "
            "option custom",
            is_known ? model->custom_calls[call].name : "?");
        return;
    }
    char error[RT_MESSAGE_SIZE] = "";
    RtWait *wait = lane->wait;
    atomic_store(&wait->custom_begin, rt_now());
    atomic_store(&wait->custom, call);
    bool failed = instance->custom(
                      instance->custom_user, call, lane->device, buffers, error, sizeof error) != 0;
    atomic_store(&wait->custom, -1);
    if (failed) rt_fail(instance, "%s", error);
}

int32_t shardc_rt_may_go_on(const RtLane *lane) {
    return !atomic_load_explicit(&lane->instance->has_failed, memory_order_relaxed);
}

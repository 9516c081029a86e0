// Executions: the caller's arrays become slots, then one parallel region in which each worker runs its lanes in turn.
#include "runtime/instance.h"

#include <omp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Runs the lanes that belong to this worker until all of them have finished.
static void run_worker(shardc_model_instance *instance, int32_t worker, int32_t worker_count) {
    int64_t lanes = instance->lane_count;
    int32_t first = (int32_t)(lanes * worker / worker_count);
    int32_t last = (int32_t)(lanes * (worker + 1) / worker_count);
    int32_t unfinished = last - first;
    for (int32_t i = first; i < last; i++) {
        instance->slots[i].lane.scratch = instance->scratch[worker].data;
        instance->slots[i].wait.worker = worker;
    }
    while (unfinished > 0) {
        bool has_run = false;
        for (int32_t i = first; i < last; i++) {
            RtLane *lane = &instance->slots[i].lane;
            RtWait *wait = &instance->slots[i].wait;
            if (wait->finished || !rt_wait_is_over(wait)) continue;
            if (atomic_load_explicit(&instance->has_failed, memory_order_relaxed)) return;
            if (atomic_load_explicit(&wait->meeting, memory_order_relaxed)) {
                atomic_store_explicit(&wait->meeting, NULL, memory_order_relaxed);
                if (lane->profiling) {
                    int64_t step = atomic_load_explicit(&wait->step, memory_order_relaxed);
                    rt_record(lane, step, true, wait->wait_begin, rt_now() - instance->started);
                }
            }
            wait->may_block = unfinished == 1;
            wait->finished = instance->model->programs[lane->device](lane) != 0;
            unfinished -= wait->finished;
            has_run = true;
        }
        if (atomic_load_explicit(&instance->has_failed, memory_order_relaxed)) return;
        if (!has_run && unfinished > 0) {
            rt_wait_for_any(instance, &instance->slots[first], last - first);
        }
    }
}

static void touch(const RtMemory *memory, int64_t rank, int64_t team_size) {
    if (!memory->is_mapped) return; // small ones were zeroed
    size_t size = memory->size - (size_t)(memory->data - (char *)memory->start);
    size_t begin = size * (size_t)rank / (size_t)team_size;
    size_t end = size * (size_t)(rank + 1) / (size_t)team_size;
    for (size_t i = begin; i < end; i += 4096)
        ((volatile char *)memory->data)[i] = 0;
}

static void touch_lanes(shardc_model_instance *instance, int32_t worker, int32_t worker_count) {
    int64_t lanes = instance->lane_count;
    for (int64_t i = lanes * worker / worker_count; i < lanes * (worker + 1) / worker_count; i++) {
        const RtLane *lane = &instance->slots[i].lane;
        touch(&instance->arenas[lane->device], lane->rank, lane->team_size);
    }
    touch(&instance->scratch[worker], 0, 1);
}

// An OpenMP runtime may give fewer threads than asked for; any number does.
void rt_first_touch(shardc_model_instance *instance) {
    if (instance->threads == 1) {
        touch_lanes(instance, 0, 1);
        return;
    }
#pragma omp parallel num_threads(instance->threads) default(none) shared(instance)
    touch_lanes(instance, omp_get_thread_num(), omp_get_num_threads());
}

static int reject(
    shardc_model_instance *instance, const char *what, const shardc_model_array *array,
    const char *why) {
    (void)snprintf(
        instance->message, sizeof instance->message, "%s '%s' %s", what,
        array->name ? array->name : "?", why);
    return SHARDC_MODEL_INVALID;
}

static bool overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    if (a_bytes == 0 || b_bytes == 0) return false;
    uintptr_t a_begin = (uintptr_t)a, b_begin = (uintptr_t)b;
    return a_begin < b_begin + (uintptr_t)b_bytes && b_begin < a_begin + (uintptr_t)a_bytes;
}

// Every array is there; a result overlaps no other array but the argument that it may replace.
static int check_arrays(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    const shardc_model *model = instance->model;
    for (int32_t a = 0; a < model->arg_count; a++) {
        if (!inputs[a] && model->args[a].bytes)
            return reject(instance, "input", &model->args[a], "is NULL");
    }
    for (int32_t r = 0; r < model->result_count; r++) {
        const shardc_model_array *result = &model->results[r];
        if (!outputs[r] && result->bytes) return reject(instance, "output", result, "is NULL");
        for (int32_t a = 0; a < model->arg_count; a++) {
            if (!overlap(outputs[r], result->bytes, inputs[a], model->args[a].bytes)) continue;
            if (model->args[a].alias == r && outputs[r] == inputs[a]) continue;
            return reject(instance, "output", result, "overlaps an input that it may not replace");
        }
        for (int32_t other = 0; other < r; other++) {
            if (overlap(outputs[r], result->bytes, outputs[other], model->results[other].bytes)) {
                return reject(instance, "output", result, "overlaps another output");
            }
        }
    }
    return SHARDC_MODEL_OK;
}

// In integers: a device whose tile is all padding has an offset beyond the array, and never uses it.
static char *place(const void *array, int64_t offset) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): drops const as well, which inputs have
    return (char *)((uintptr_t)array + (uintptr_t)offset);
}

static void point(shardc_model_instance *instance, int64_t slot, const void *array) {
    const shardc_model *model = instance->model;
    int32_t first = model->first_device;
    for (int64_t d = first; d < first + model->shard_count; d++) {
        int64_t i = d * model->slot_count + slot;
        instance->bases[i] = place(array, instance->offsets[i]);
    }
}

static void point_result(shardc_model_instance *instance, int32_t r, void *array) {
    const shardc_model *model = instance->model;
    int64_t slot = RT_SLOT_FIRST_ARGUMENT + model->arg_count + r;
    int32_t first = model->first_device;
    const uint8_t *owner = model->results[r].owner;
    for (int64_t d = first; d < first + model->shard_count; d++) {
        int64_t i = d * model->slot_count + slot;
        const void *start = owner && !owner[d] ? instance->copies[d].data : array;
        instance->bases[i] = place(start, instance->offsets[i]);
    }
}

// Fills in the slots of the arrays that are not those of the last execution.
static int bind_arrays(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    const shardc_model *model = instance->model;
    bool same = instance->executions > 0;
    for (int32_t a = 0; a < model->arg_count && same; a++)
        same = instance->arrays[a] == inputs[a];
    for (int32_t r = 0; r < model->result_count && same; r++) {
        same = instance->arrays[model->arg_count + r] == outputs[r];
    }
    if (same) return SHARDC_MODEL_OK;
    int status = check_arrays(instance, inputs, outputs);
    if (status) return status;
    for (int32_t a = 0; a < model->arg_count; a++) {
        point(instance, RT_SLOT_FIRST_ARGUMENT + a, inputs[a]);
        instance->arrays[a] = inputs[a];
    }
    for (int32_t r = 0; r < model->result_count; r++) {
        point_result(instance, r, outputs[r]);
        instance->arrays[model->arg_count + r] = outputs[r];
    }
    return SHARDC_MODEL_OK;
}

static void rewind_lanes(shardc_model_instance *instance) {
    bool has_failed = atomic_load(&instance->has_failed);
    for (int64_t m = 0; m < instance->meeting_count && has_failed; m++) {
        atomic_store(&instance->meetings[m].arrived, 0); // a run to the end leaves whole rounds
    }
    atomic_store(&instance->has_failed, false);
    for (int32_t i = 0; i < instance->lane_count; i++) {
        RtLane *lane = &instance->slots[i].lane;
        RtWait *wait = &instance->slots[i].wait;
        lane->pc = 0;
        lane->collective_bytes = lane->moved_bytes = 0;
        lane->profiling = instance->profile;
        atomic_store(&wait->meeting, NULL);
        atomic_store(&wait->step, -1);
        wait->finished = false;
        wait->events.count = 0;
    }
    instance->message[0] = '\0';
    instance->started = rt_now();
}

// Did the caller put the result where its argument lies, though the program may read the argument after it wrote the result?
static bool is_staged(
    const shardc_model *model, int32_t r, const void *const *inputs, void *const *outputs) {
    const shardc_model_array *result = &model->results[r];
    bool replaces = result->alias >= 0 && result->alias < model->arg_count;
    return replaces && !result->in_place && result->bytes > 0 &&
           outputs[r] == inputs[result->alias];
}

// Where this execution writes: such results into memory of their own, which is taken when it is first needed.
static int stage_results(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    const shardc_model *model = instance->model;
    for (int32_t r = 0; r < model->result_count; r++) {
        instance->outputs[r] = outputs[r];
        if (!is_staged(model, r, inputs, outputs)) continue;
        if (!instance->staged[r]) instance->staged[r] = malloc((size_t)model->results[r].bytes);
        if (!instance->staged[r])
            return reject(
                instance, "output", &model->results[r], "cannot be staged: out of memory");
        instance->outputs[r] = instance->staged[r];
    }
    return SHARDC_MODEL_OK;
}

static void copy_staged(shardc_model_instance *instance, void *const *outputs) {
    const shardc_model *model = instance->model;
    for (int32_t r = 0; r < model->result_count; r++) {
        if (instance->outputs[r] == outputs[r]) continue;
        memcpy(outputs[r], instance->outputs[r], (size_t)model->results[r].bytes);
    }
}

static int execute_locked(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    int status = stage_results(instance, inputs, outputs);
    if (!status) status = bind_arrays(instance, inputs, instance->outputs);
    if (status) return status;
    rewind_lanes(instance);
    if (instance->threads == 1) {
        run_worker(instance, 0, 1);
    } else {
#pragma omp parallel num_threads(instance->threads) default(none) shared(instance)
        run_worker(instance, omp_get_thread_num(), omp_get_num_threads());
    }
    copy_staged(instance, outputs);
    instance->executions++;
    return atomic_load(&instance->has_failed) ? SHARDC_MODEL_FAILED : SHARDC_MODEL_OK;
}

int shardc_rt_execute(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    pthread_mutex_lock(&instance->mutex);
    int status = execute_locked(instance, inputs, outputs);
    pthread_mutex_unlock(&instance->mutex);
    return status;
}

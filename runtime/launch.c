// Executions: the caller's arrays become slots, then the caller and the
// members of a team run the lanes.
#include "runtime/instance.h"
#include "runtime/team/fork.h"
#include "runtime/team/pool.h"

#include <omp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void touch(const RtMemory *memory, int64_t rank, int64_t team_size) {
    if (!memory->is_mapped) return; // small ones were zeroed
    size_t size = memory->size - (size_t)(memory->data - (char *)memory->start);
    size_t begin = size * (size_t)rank / (size_t)team_size;
    size_t end = size * (size_t)(rank + 1) / (size_t)team_size;
    for (size_t i = begin; i < end; i += 4096)
        ((volatile char *)memory->data)[i] = 0;
}

static void touch_block(shardc_model_instance *instance, int32_t worker) {
    const RtBlock *block = &instance->blocks[worker];
    for (int64_t i = block->first; i < block->last; i++) {
        const RtLane *lane = &instance->slots[i].lane;
        touch(&instance->arenas[lane->device], lane->rank, lane->team_size);
    }
    touch(&instance->scratch[worker], 0, 1);
}

static RtTaskResult touch_own(shardc_model_instance *instance, int32_t worker, unsigned *signal) {
    (void)signal;
    if (worker < instance->worker_count && rt_claim(instance, worker, worker))
        touch_block(instance, worker);
    return RT_DONE;
}

// The caller and a team of the instance's other threads, or as many as there are. A caller inside
// of parallel regions of its own gets a team where OpenMP would make it one: if regions may be
// nested so deep (OMP_MAX_ACTIVE_LEVELS).
static void take_team(shardc_model_instance *instance) {
    instance->worker_count = 1;
    instance->team = &instance->alone;
    if (instance->threads == 1) return;
    if (omp_in_parallel() && omp_get_active_level() >= omp_get_max_active_levels()) return;
    RtTeam *team = rt_team_take(instance->last_team, instance->threads - 1, &instance->cores);
    if (!team) return;
    instance->worker_count += atomic_load_explicit(&team->member_count, memory_order_relaxed);
    instance->team = instance->last_team = team;
}

static void give_team_back(shardc_model_instance *instance) {
    if (instance->team != &instance->alone) rt_team_give_back(instance->team);
}

static bool has_pages(const shardc_model_instance *instance) {
    const shardc_model *model = instance->model;
    bool found = instance->scratch[0].is_mapped;
    for (int32_t d = model->first_device; d < model->first_device + model->shard_count; d++)
        found = found || instance->arenas[d].is_mapped;
    return found;
}

static void touch_all(shardc_model_instance *instance) {
    enum { LATE_NS = 2000000, PERIOD_NS = 100000 };
    RtTeam *team = instance->team;
    int64_t began = rt_now();
    rt_team_open(team, touch_own, instance, rt_watch_period(instance));
    (void)touch_own(instance, 0, NULL);
    for (int32_t w = 1; w < instance->worker_count; w++) {
        // Who does not come soon has no core: its memory is near this one then.
        while (atomic_load(&instance->blocks[w].owner) == RT_NO_OWNER) {
            if (rt_now() - began < LATE_NS)
                rt_team_sleep(team, rt_team_announce(team), PERIOD_NS);
            else
                (void)touch_own(instance, w, NULL);
        }
    }
    rt_team_close(team);
}

void rt_first_touch(shardc_model_instance *instance) {
    take_team(instance); // also makes it, so that the first execution need not
    rt_divide_lanes(instance);
    if (has_pages(instance)) touch_all(instance);
    give_team_back(instance);
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

// In integers: a device whose tile is all padding has an offset beyond the array, and never uses
// it.
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
    int32_t share = model->result_shares ? model->result_shares[r] : -1;
    for (int64_t d = first; d < first + model->shard_count; d++) {
        int64_t maker = share < 0 ? d : model->leaders[share * (int64_t)model->device_count + d];
        const void *start = owner && !owner[maker] ? instance->copies[maker].data : array;
        int64_t offset = instance->offsets[maker * model->slot_count + slot];
        instance->bases[d * model->slot_count + slot] = place(start, offset);
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

// Nobody else works for the instance now: the team sees all of this when its call is opened. Lanes
// begin anew when their block is claimed.
static void rewind_instance(shardc_model_instance *instance) {
    bool has_failed = atomic_load_explicit(&instance->has_failed, memory_order_relaxed);
    for (int64_t m = 0; m < instance->group_barrier_count && has_failed; m++) {
        // a run to the end leaves whole passes
        atomic_store(&instance->group_barriers[m].arrived, 0);
        atomic_store(&instance->group_barriers[m].released, 0);
    }
    atomic_store_explicit(&instance->has_failed, false, memory_order_relaxed);
    instance->message[0] = '\0';
    instance->started = rt_now();
}

// Did the caller put the result where its argument lies, though the program may read the
// argument after it wrote the result?
static bool is_staged(
    const shardc_model *model, int32_t r, const void *const *inputs, void *const *outputs) {
    const shardc_model_array *result = &model->results[r];
    bool replaces = result->alias >= 0 && result->alias < model->arg_count;
    return replaces && !result->in_place && result->bytes > 0 &&
           outputs[r] == inputs[result->alias];
}

// Where this execution writes: such results into memory of their own, which is
// taken when it is first needed.
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

// The caller is worker 0.
static void run(shardc_model_instance *instance) {
    RtTeam *team = instance->team;
    unsigned signal = 0;
    if (instance->worker_count == 1) {
        rt_run_alone(instance);
        if (atomic_load(&instance->unfinished) == 0 || atomic_load(&instance->has_failed)) return;
    }
    rt_team_open(team, rt_run_lanes, instance, rt_watch_period(instance));
    while (rt_run_lanes(instance, 0, &signal) == RT_IDLE)
        rt_team_sleep(team, signal, rt_watch_period(instance));
    rt_team_close(team);
}

static int run_bound(shardc_model_instance *instance) {
    rewind_instance(instance);
    take_team(instance);
    rt_divide_lanes(instance);
    run(instance);
    give_team_back(instance);
    rt_rewind_rest(instance);
    instance->executions++;
    if (atomic_load(&instance->has_failed)) return SHARDC_MODEL_FAILED;
    instance->is_bound = true;
    return SHARDC_MODEL_OK;
}

static int execute_whole(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    int status = stage_results(instance, inputs, outputs);
    if (!status) status = bind_arrays(instance, inputs, instance->outputs);
    if (status) return status;
    status = run_bound(instance);
    copy_staged(instance, outputs);
    return status;
}

// ---- tiles

static bool has_elements(const shardc_model_array *array) {
    for (int32_t d = 0; d < array->rank; d++) {
        if (array->tile_dims[d] == 0) return false;
    }
    return array->bytes > 0;
}

static int bind_tiles(
    shardc_model_instance *instance, const char *what, const shardc_model_array *arrays,
    int32_t count, int64_t first_slot, const void *const *tiles) {
    const shardc_model *model = instance->model;
    for (int32_t a = 0; a < count; a++) {
        for (int64_t d = 0; d < model->device_count; d++) {
            const void *tile = tiles[a * model->device_count + d];
            if (!tile && has_elements(&arrays[a]))
                return reject(instance, what, &arrays[a], "is NULL");
            instance->bases[d * model->slot_count + first_slot + a] = place(tile, 0);
        }
    }
    return SHARDC_MODEL_OK;
}

static int execute_tiled(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    const shardc_model *model = instance->model;
    for (int32_t r = 0; r < model->result_count; r++) {
        const shardc_model_array *result = &model->results[r];
        if (result->alias < 0 || result->in_place || !has_elements(result)) continue;
        for (int64_t d = 0; d < model->device_count; d++) {
            int64_t input = result->alias * (int64_t)model->device_count + d;
            if (outputs[r * (int64_t)model->device_count + d] != inputs[input]) continue;
            return reject(instance, "output", result, "cannot be computed in place of its input");
        }
    }
    int64_t slot = RT_SLOT_FIRST_ARGUMENT;
    int status = bind_tiles(instance, "input", model->args, model->arg_count, slot, inputs);
    if (!status) {
        slot += model->arg_count;
        status = bind_tiles(
            instance, "output", model->results, model->result_count, slot,
            (const void *const *)outputs);
    }
    return status ? status : run_bound(instance);
}

// In a child: an instance that was executing when the process was forked can never be used
// again, others are as good as new.
static void notice_fork(shardc_model_instance *instance) {
    unsigned forks = rt_fork_count();
    if (atomic_load_explicit(&instance->forks, memory_order_relaxed) == forks) return;
    rt_pool_lock();
    if (atomic_load(&instance->forks) != forks) {
        if (pthread_mutex_trylock(&instance->mutex) == 0)
            pthread_mutex_unlock(&instance->mutex);
        else
            atomic_store(&instance->is_lost, true);
        instance->last_team = NULL;
        atomic_store(&instance->forks, forks);
    }
    rt_pool_unlock();
}

// Waits for the execution that runs.
static int lock(shardc_model_instance *instance) {
    notice_fork(instance);
    if (atomic_load_explicit(&instance->is_lost, memory_order_relaxed)) {
        (void)snprintf(
            instance->message, sizeof instance->message,
            "the instance was executing when the process was forked: create another one in the "
            "child");
        return SHARDC_MODEL_FAILED;
    }
    pthread_mutex_lock(&instance->mutex);
    return SHARDC_MODEL_OK;
}

static int execute(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs,
    bool is_tiled) {
    int locked = lock(instance);
    if (locked) return locked;
    int status = is_tiled ? execute_tiled(instance, inputs, outputs)
                          : execute_whole(instance, inputs, outputs);
    pthread_mutex_unlock(&instance->mutex);
    return status;
}

// The model is called in the form that it was compiled for.
static int check_form(shardc_model_instance *instance, bool is_tiled) {
    if (!instance) return SHARDC_MODEL_INVALID;
    if (instance->model->is_tiled == is_tiled) return SHARDC_MODEL_OK;
    (void)snprintf(
        instance->message, sizeof instance->message, "the model was compiled for %s",
        is_tiled ? "whole arrays: call execute" : "tiles: call execute_tiles");
    return SHARDC_MODEL_INVALID;
}

int shardc_rt_execute(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    int status = check_form(instance, false);
    return status ? status : execute(instance, inputs, outputs, false);
}

int shardc_rt_execute_tiles(
    shardc_model_instance *instance, const void *const *inputs, void *const *outputs) {
    int status = check_form(instance, true);
    return status ? status : execute(instance, inputs, outputs, true);
}

int shardc_rt_rebind(shardc_model_instance *instance) {
    if (!instance) return SHARDC_MODEL_INVALID;
    int status = lock(instance);
    if (status) return status;
    instance->is_bound = false;
    pthread_mutex_unlock(&instance->mutex);
    return SHARDC_MODEL_OK;
}

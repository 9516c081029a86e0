// Models: creating an instance with all of its memory, and what it says about itself.
#include "runtime/cpu.h"
#include "runtime/instance.h"
#include "runtime/team/fork.h"

#include <omp.h>

#include <stdlib.h>
#include <string.h>

enum { STAGGER = 4096 + 256 }; // bytes between the arenas' places in the cache sets

static int64_t greatest_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int32_t choose_threads(int32_t asked) {
    int threads = asked > 0 ? asked : omp_get_max_threads();
    return threads < 1 ? 1 : threads > RT_THREAD_LIMIT ? RT_THREAD_LIMIT : (int32_t)threads;
}

static bool add_product(int64_t *sum, int64_t a, int64_t b) {
    int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

// Bytes from the first to behind the last element of a tile inside the whole array's strides.
static bool tile_span(const shardc_model_array *array, int64_t *bytes) {
    int64_t stride = array->element_bytes;
    *bytes = array->element_bytes;
    for (int32_t i = array->rank - 1; i >= 0; i--) {
        if (array->tile_dims[i] == 0) {
            *bytes = 0;
            return true;
        }
        if (!add_product(bytes, array->tile_dims[i] - 1, stride)) return false;
        if (__builtin_mul_overflow(stride, array->dims[i], &stride)) return false;
    }
    return true;
}

static int64_t tile_offset(
    const shardc_model *model, const shardc_model_array *array, int64_t device) {
    if (model->is_tiled) return 0;
    int64_t stride = array->element_bytes, offset = 0;
    for (int32_t i = array->rank - 1; i >= 0; i--) {
        offset += array->offsets[device * array->rank + i] * stride;
        stride *= array->dims[i];
    }
    return offset;
}

static int64_t round_to_line(int64_t bytes) {
    return (bytes + RT_CACHE_LINE - 1) & ~(int64_t)(RT_CACHE_LINE - 1);
}

// Bytes of the replicated results that a device computes and another owns; -1 on overflow.
static int64_t copies_bytes(const shardc_model *model, int64_t device) {
    int64_t sum = 0;
    for (int32_t r = 0; r < model->result_count; r++) {
        const shardc_model_array *result = &model->results[r];
        int64_t span = 0;
        if (!result->owner || result->owner[device]) continue;
        if (!tile_span(result, &span) || span > INT64_MAX / 4) return -1;
        if (!add_product(&sum, round_to_line(span), 1)) return -1;
    }
    return sum;
}

int64_t shardc_rt_workspace_bytes(const shardc_model *model, int32_t threads) {
    int64_t sum = 0;
    if (!add_product(&sum, model->arena_bytes, model->shard_count)) return INT64_MAX;
    if (!add_product(&sum, model->scratch_bytes, choose_threads(threads))) return INT64_MAX;
    for (int64_t d = model->first_device; d < model->first_device + model->shard_count; d++) {
        int64_t copies = copies_bytes(model, d);
        if (copies < 0 || !add_product(&sum, copies, 1)) return INT64_MAX;
    }
    return sum;
}

static void *take_array(int64_t count, size_t size) { return calloc((size_t)count + 1, size); }

static bool take_memory(shardc_model_instance *instance) {
    const shardc_model *model = instance->model;
    int64_t cells = (int64_t)model->device_count * model->slot_count;
    instance->bases = take_array(cells, sizeof *instance->bases);
    instance->offsets = take_array(cells, sizeof *instance->offsets);
    instance->arrays = take_array(model->arg_count + model->result_count, sizeof *instance->arrays);
    instance->staged = take_array(model->result_count, sizeof *instance->staged);
    instance->outputs = take_array(model->result_count, sizeof *instance->outputs);
    instance->arenas = take_array(model->device_count, sizeof *instance->arenas);
    instance->copies = take_array(model->device_count, sizeof *instance->copies);
    instance->scratch = take_array(instance->threads, sizeof *instance->scratch);
    instance->shares =
        take_array((int64_t)instance->lane_count * model->share_count, sizeof *instance->shares);
    size_t slots_size = (size_t)instance->lane_count * sizeof(RtSlot);
    instance->slots = aligned_alloc(RT_CACHE_LINE, slots_size);
    if (instance->slots) memset(instance->slots, 0, slots_size);
    size_t blocks_size = (size_t)instance->threads * sizeof(RtBlock);
    instance->blocks = aligned_alloc(RT_CACHE_LINE, blocks_size);
    if (instance->blocks) memset(instance->blocks, 0, blocks_size);
    if (!instance->bases || !instance->offsets || !instance->arrays || !instance->staged ||
        !instance->outputs || !instance->arenas || !instance->copies || !instance->scratch ||
        !instance->shares || !instance->slots || !instance->blocks) {
        return false;
    }
    for (int64_t d = model->first_device; d < model->first_device + model->shard_count; d++) {
        size_t stagger = (size_t)(d % 16) * STAGGER;
        int64_t copies = copies_bytes(model, d);
        if (copies < 0) return false;
        instance->arenas[d] = rt_memory_take((size_t)model->arena_bytes + stagger);
        instance->copies[d] = rt_memory_take((size_t)copies);
        if (!instance->arenas[d].data || !instance->copies[d].data) return false;
        instance->arenas[d].data += stagger;
    }
    for (int32_t t = 0; t < instance->threads; t++) {
        instance->scratch[t] = rt_memory_take((size_t)model->scratch_bytes);
        if (!instance->scratch[t].data) return false;
    }
    return true;
}

// One RtGroupBarrier for each group of each barrier.
static bool make_group_barriers(shardc_model_instance *instance) {
    const shardc_model *model = instance->model;
    instance->first_group_barrier =
        take_array(model->barrier_count, sizeof *instance->first_group_barrier);
    if (!instance->first_group_barrier) return false;
    for (int32_t b = 0; b < model->barrier_count; b++) {
        instance->first_group_barrier[b] = instance->group_barrier_count;
        const shardc_model_barrier *barrier = &model->barriers[b];
        instance->group_barrier_count +=
            barrier->group ? barrier->group_count : model->device_count;
    }
    size_t size = (size_t)(instance->group_barrier_count + 1) * sizeof *instance->group_barriers;
    instance->group_barriers = aligned_alloc(RT_CACHE_LINE, size);
    if (!instance->group_barriers) return false;
    memset(instance->group_barriers, 0, size);
    for (int32_t b = 0; b < model->barrier_count; b++) {
        const int32_t *group = model->barriers[b].group;
        for (int32_t d = 0; d < model->device_count; d++) {
            int64_t group_barrier = instance->first_group_barrier[b] + (group ? group[d] : d);
            instance->group_barriers[group_barrier].expected += instance->lanes_per_device;
        }
    }
    return true;
}

static void fill_lanes(shardc_model_instance *instance) {
    const shardc_model *model = instance->model;
    for (int32_t i = 0; i < instance->lane_count; i++) {
        RtSlot *slot = &instance->slots[i];
        slot->lane = (RtLane){
            .bases = instance->bases,
            .device = model->first_device + i / instance->lanes_per_device,
            .rank = i % instance->lanes_per_device,
            .team_size = instance->lanes_per_device,
            .slot_count = model->slot_count,
            .shares = &instance->shares[(int64_t)i * model->share_count],
            .wait = &slot->wait,
            .instance = instance};
    }
}

static void fill_slots(shardc_model_instance *instance) {
    const shardc_model *model = instance->model;
    for (int64_t d = model->first_device; d < model->first_device + model->shard_count; d++) {
        char **bases = &instance->bases[d * model->slot_count];
        int64_t *offsets = &instance->offsets[d * model->slot_count];
        bases[RT_SLOT_ARENA] = instance->arenas[d].data;
        const void *constants =
            model->shard_constants ? model->shard_constants[d] : model->constants;
        bases[RT_SLOT_CONSTANTS] =
            (char *)(uintptr_t)constants; // NOLINT(performance-no-int-to-ptr): drops const
        int64_t slot = RT_SLOT_FIRST_ARGUMENT, place = 0;
        for (int32_t a = 0; a < model->arg_count; a++)
            offsets[slot++] = tile_offset(model, &model->args[a], d);
        for (int32_t r = 0; r < model->result_count; r++, slot++) {
            const shardc_model_array *result = &model->results[r];
            if (!result->owner || result->owner[d]) {
                offsets[slot] = tile_offset(model, result, d);
                continue;
            }
            int64_t span = 0;
            (void)tile_span(result, &span); // did not overflow in copies_bytes
            offsets[slot] = place;
            place += round_to_line(span);
        }
        for (int32_t k = 0; k < model->share_count; k++)
            bases[slot++] = instance->arenas[model->leaders[k * model->device_count + d]].data;
    }
}

static int check_model(const shardc_model *model, char *error, uint64_t error_size) {
    int status = rt_check_abi(model, error, error_size);
    if (status) return status;
    char missing[256];
    if (!rt_cpu_has(model->cpu_features, missing, sizeof missing)) {
        return rt_refuse(
            SHARDC_MODEL_CPU, error, error_size,
            "this CPU lacks '%s', which the model was compiled for", missing);
    }
    int32_t first = model->first_device, last = first + model->shard_count;
    for (int32_t b = 0; b < model->barrier_count; b++) {
        const int32_t *group = model->barriers[b].group;
        for (int32_t d = 0; group && d < model->device_count; d++) {
            if ((d >= first && d < last) || group[d] != group[first]) continue;
            return rt_refuse(
                SHARDC_MODEL_INVALID, error, error_size,
                "the model holds %d of %d devices, and device %d, which they communicate with, is "
                "not among them: join the files of all devices",
                model->shard_count, model->device_count, d);
        }
    }
    return SHARDC_MODEL_OK;
}

static void read_options(shardc_model_instance *instance, const shardc_model_options *options) {
    shardc_model_options chosen = {0};
    if (options && options->struct_size) {
        size_t size =
            options->struct_size < sizeof chosen ? (size_t)options->struct_size : sizeof chosen;
        memcpy(&chosen, options, size);
    }
    instance->threads = choose_threads(chosen.threads);
    instance->profile = chosen.profile;
    instance->watchdog_seconds =
        chosen.watchdog_seconds == 0 ? 60 : chosen.watchdog_seconds; // NOLINT: 0 is the default
    instance->custom = chosen.custom;
    instance->custom_user = chosen.custom_user;
}

int shardc_rt_create(
    const shardc_model *model, const shardc_model_options *options,
    shardc_model_instance **instance, char *error, uint64_t error_size) {
    *instance = NULL;
    int status = check_model(model, error, error_size);
    if (status) return status;
    size_t size = (sizeof **instance + RT_CACHE_LINE - 1) & ~(size_t)(RT_CACHE_LINE - 1);
    shardc_model_instance *created = aligned_alloc(RT_CACHE_LINE, size);
    if (!created) return rt_refuse(SHARDC_MODEL_OUT_OF_MEMORY, error, error_size, "out of memory");
    memset(created, 0, size);
    created->model = model;
    pthread_mutex_init(&created->mutex, NULL);
    pthread_mutex_init(&created->failing, NULL);
    read_options(created, options);
    int64_t common = greatest_common_divisor(model->shard_count, created->threads);
    created->lanes_per_device = (int32_t)(created->threads / common);
    created->lane_count = created->lanes_per_device * model->shard_count;
    created->cores = rt_allowed_cores();
    atomic_store(&created->forks, rt_fork_count());
    if (!take_memory(created) || !make_group_barriers(created)) {
        shardc_rt_destroy(created);
        return rt_refuse(
            SHARDC_MODEL_OUT_OF_MEMORY, error, error_size,
            "out of memory: the model needs %lld bytes",
            (long long)shardc_rt_workspace_bytes(model, options ? options->threads : 0));
    }
    fill_lanes(created);
    fill_slots(created);
    rt_first_touch(created);
    *instance = created;
    return SHARDC_MODEL_OK;
}

void shardc_rt_destroy(shardc_model_instance *instance) {
    if (!instance) return;
    for (int32_t d = 0; d < instance->model->device_count; d++) {
        if (instance->arenas) rt_memory_release(&instance->arenas[d]);
        if (instance->copies) rt_memory_release(&instance->copies[d]);
    }
    for (int32_t t = 0; t < instance->threads && instance->scratch; t++)
        rt_memory_release(&instance->scratch[t]);
    for (int32_t i = 0; i < instance->lane_count && instance->slots; i++)
        free(instance->slots[i].wait.events.data);
    for (int32_t r = 0; r < instance->model->result_count && instance->staged; r++)
        free(instance->staged[r]);
    free(instance->slots);
    free(instance->shares);
    free(instance->blocks);
    free(instance->bases);
    free(instance->offsets);
    free(instance->arrays);
    free(instance->staged);
    free(instance->outputs);
    free(instance->arenas);
    free(instance->copies);
    free(instance->scratch);
    free(instance->group_barriers);
    free(instance->first_group_barrier);
    pthread_mutex_destroy(&instance->mutex);
    pthread_mutex_destroy(&instance->failing);
    free(instance);
}

const char *shardc_rt_message(const shardc_model_instance *instance) {
    return instance ? instance->message : "there is no instance";
}

void shardc_rt_counters(const shardc_model_instance *instance, shardc_model_counters *counters) {
    const RtLane *lane = &instance->slots[0].lane; // every lane counts its whole device's bytes
    const shardc_model_counters now = {
        .struct_size = counters->struct_size,
        .executions = instance->executions,
        .collective_bytes = lane->collective_bytes,
        .moved_bytes = lane->moved_bytes,
        .threads = instance->worker_count,
        .lanes_per_device = instance->lanes_per_device};
    size_t size = counters->struct_size < sizeof now ? (size_t)counters->struct_size : sizeof now;
    memcpy(counters, &now, size);
}

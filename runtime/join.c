// Joins per-shard files: one model whose devices run each its own file's
// program and read each other's memory.
#include "runtime/instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rt_refuse(int status, char *error, uint64_t error_size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (error && error_size) (void)vsnprintf(error, error_size, format, arguments);
    va_end(arguments);
    return status;
}

int rt_check_abi(const shardc_model *model, char *error, uint64_t error_size) {
    if (model->abi_version == SHARDC_MODEL_ABI && model->struct_size >= SHARDC_MODEL_LEAST_SIZE)
        return SHARDC_MODEL_OK;
    return rt_refuse(
        SHARDC_MODEL_INVALID, error, error_size, "the model has ABI version %u, this runtime %d",
        model->abi_version, SHARDC_MODEL_ABI);
}

// The runtime's functions of one file run the other files' devices: producers must
// be the same, not only the ABI.
static bool made_together(const shardc_model *a, const shardc_model *b) {
    return a->plan_id == b->plan_id && a->device_count == b->device_count &&
           a->slot_count == b->slot_count && a->arena_bytes == b->arena_bytes &&
           a->step_count == b->step_count && a->barrier_count == b->barrier_count &&
           strcmp(a->producer, b->producer) == 0 && strcmp(a->name, b->name) == 0;
}

static int check_shards(
    const shardc_model *const *shards, int32_t count, char *error, uint64_t error_size) {
    if (count < 1) {
        return rt_refuse(SHARDC_MODEL_INVALID, error, error_size, "there are no files to join");
    }
    for (int32_t i = 0; i < count; i++) {
        int status = rt_check_abi(shards[i], error, error_size);
        if (status) return status;
        if (made_together(shards[i], shards[0])) continue;
        return rt_refuse(
            SHARDC_MODEL_INVALID, error, error_size,
            "the files of devices %d and %d were not made by one compilation",
            shards[0]->first_device, shards[i]->first_device);
    }
    return SHARDC_MODEL_OK;
}

// The descriptor and its two tables are one block of memory.
typedef struct Joined {
    shardc_model model; // first: it is what callers see
    const void **constants;
    int32_t (**programs)(struct shardc_rt_lane *);
} Joined;

static Joined *take_joined(const shardc_model *first) {
    size_t devices = (size_t)first->device_count;
    Joined *joined = calloc(1, sizeof *joined);
    if (!joined) return NULL;
    joined->constants = calloc(devices, sizeof *joined->constants);
    joined->programs = calloc(devices, sizeof *joined->programs);
    size_t size = first->struct_size < sizeof *first ? first->struct_size : sizeof *first;
    memcpy(&joined->model, first, size);
    joined->model.programs = joined->programs;
    joined->model.shard_constants = joined->constants;
    if (joined->constants && joined->programs) return joined;
    shardc_rt_release(&joined->model);
    return NULL;
}

static int add_shard(Joined *joined, const shardc_model *shard, char *error, uint64_t error_size) {
    int32_t first = shard->first_device;
    for (int32_t d = first; d < first + shard->shard_count; d++) {
        if (joined->programs[d]) {
            return rt_refuse(
                SHARDC_MODEL_INVALID, error, error_size, "device %d is there twice", d);
        }
        joined->programs[d] = shard->programs[d];
        joined->constants[d] =
            shard->shard_constants ? shard->shard_constants[d] : shard->constants;
    }
    if (first < joined->model.first_device) joined->model.first_device = first;
    if (shard->scratch_bytes > joined->model.scratch_bytes)
        joined->model.scratch_bytes = shard->scratch_bytes;
    return SHARDC_MODEL_OK;
}

int shardc_rt_join(
    const shardc_model *const *shards, int32_t count, shardc_model **joined, char *error,
    uint64_t error_size) {
    *joined = NULL;
    int status = check_shards(shards, count, error, error_size);
    if (status) return status;
    Joined *made = take_joined(shards[0]);
    if (!made) return rt_refuse(SHARDC_MODEL_OUT_OF_MEMORY, error, error_size, "out of memory");
    shardc_model *model = &made->model;
    model->shard_count = 0;
    for (int32_t i = 0; i < count && !status; i++) {
        status = add_shard(made, shards[i], error, error_size);
        model->shard_count += shards[i]->shard_count;
    }
    for (int32_t d = 0; d < model->shard_count && !status; d++) {
        int32_t device = model->first_device + d;
        if (made->programs[device]) continue;
        status = rt_refuse(
            SHARDC_MODEL_INVALID, error, error_size, "the file of device %d is missing", device);
    }
    if (status) {
        shardc_rt_release(model);
        return status;
    }
    *joined = model;
    return SHARDC_MODEL_OK;
}

void shardc_rt_release(shardc_model *joined) {
    Joined *owned = (Joined *)joined;
    if (!owned) return;
    free(owned->constants);
    free(owned->programs);
    free(owned);
}

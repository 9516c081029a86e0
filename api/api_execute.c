// api_execute: executables, their execution, and what can be asked of them.
#include "api/api_internal.h"
#include "ir/type.h"

#include <stdlib.h>
#include <string.h>

shardc_status *executable_start(shardc_executable *executable, const shardc_options *options) {
    const shardc_model *model = executable->model;
    shardc_model_options model_options = {
        .struct_size = sizeof model_options,
        .threads = options->threads,
        .profile = options->profile,
        .watchdog_seconds = options->watchdog_seconds,
        .custom = executable->custom ? custom_dispatch : NULL,
        .custom_user = executable->custom,
    };
    char error[512] = "";
    int code = model->create(model, &model_options, &executable->instance, error, sizeof error);
    switch (code) {
    case SHARDC_MODEL_OK: return NULL;
    case SHARDC_MODEL_OUT_OF_MEMORY: return status_out_of_memory();
    case SHARDC_MODEL_FAILED: return status_create(SHARDC_INTERNAL, "%s", error);
    default: return status_create(SHARDC_INVALID_INPUT, "%s", error);
    }
}

const shardc_model *shardc_executable_model(const shardc_executable *executable) {
    return executable->model;
}

const char *shardc_executable_printed(const shardc_executable *executable) {
    return executable->printed ? executable->printed : "";
}

shardc_status *shardc_execute(
    shardc_executable *executable, const void *const *inputs, void *const *outputs) {
    if (!executable) return status_create(SHARDC_INVALID_INPUT, "there is no executable");
    const shardc_model *model = executable->model;
    for (int32_t i = 0; i < model->arg_count; i++) {
        if (!inputs || (!inputs[i] && model->args[i].bytes > 0)) {
            return status_create(SHARDC_INVALID_INPUT, "input %d is missing", i);
        }
    }
    for (int32_t i = 0; i < model->result_count; i++) {
        if (!outputs || (!outputs[i] && model->results[i].bytes > 0)) {
            return status_create(SHARDC_INVALID_INPUT, "there is no memory for output %d", i);
        }
    }
    if (model->custom_count > 0 && !executable->custom) {
        return status_create(
            SHARDC_INVALID_INPUT,
            "the model calls custom functions ('%s' first): load it with a context that has them",
            model->custom_calls[0].name);
    }
    pthread_mutex_lock(&executable->turn);
    int code = model->execute(executable->instance, inputs, outputs);
    shardc_status *status = NULL;
    if (code == SHARDC_MODEL_OUT_OF_MEMORY) {
        status = status_out_of_memory();
    } else if (code != SHARDC_MODEL_OK) {
        shardc_code kind = code == SHARDC_MODEL_INVALID ? SHARDC_INVALID_INPUT : SHARDC_INTERNAL;
        if (executable->custom && custom_take_failure(executable->custom)) kind = SHARDC_FAILED;
        status = status_create(kind, "%s", model->message(executable->instance));
    }
    pthread_mutex_unlock(&executable->turn);
    return status;
}

struct shardc_event {
    pthread_t thread;
    shardc_executable *executable;
    const void *const *inputs;
    void *const *outputs;
    shardc_status *status;
    int done; // atomic
};

static void *event_run(void *argument) {
    shardc_event *event = argument;
    event->status = shardc_execute(event->executable, event->inputs, event->outputs);
    __atomic_store_n(&event->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

shardc_status *shardc_execute_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    shardc_event **event) {
    *event = NULL;
    shardc_event *made = calloc(1, sizeof *made);
    if (!made) return status_out_of_memory();
    *made = (shardc_event){.executable = executable, .inputs = inputs, .outputs = outputs};
    if (pthread_create(&made->thread, NULL, event_run, made) != 0) {
        free(made);
        return status_create(SHARDC_OUT_OF_MEMORY, "cannot start a thread for the execution");
    }
    *event = made;
    return NULL;
}

int shardc_event_is_done(const shardc_event *event) {
    return __atomic_load_n(&event->done, __ATOMIC_ACQUIRE);
}

shardc_status *shardc_event_wait(shardc_event *owned) {
    pthread_join(owned->thread, NULL);
    shardc_status *status = owned->status;
    free(owned);
    return status;
}

void shardc_executable_counters(
    const shardc_executable *executable, shardc_model_counters *counters) {
    executable->model->counters(executable->instance, counters);
}

int64_t shardc_executable_device_bytes(const shardc_executable *executable) {
    const shardc_model *model = executable->model;
    int64_t bytes = model->arena_bytes;
    for (int32_t i = 0; i < model->result_count; i++) {
        int64_t tile = model->results[i].element_bytes;
        for (int32_t d = 0; d < model->results[i].rank; d++) {
            tile *= model->results[i].tile_dims[d];
        }
        bytes += tile;
    }
    return bytes;
}

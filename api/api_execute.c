// api_execute: executables, their execution, and what can be asked of them.
#include "api/api_internal.h"
#include "api/model_file.h"
#include "base/file.h"
#include "ir/type.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

shardc_status *executable_start(shardc_executable *executable, const shardc_options *options) {
    const shardc_model *model = executable->model;
    if (model->abi_version != SHARDC_MODEL_ABI) {
        return status_create(
            SHARDC_INVALID_INPUT, "the model has ABI version %u, this shardc runs version %d",
            model->abi_version, SHARDC_MODEL_ABI);
    }
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

// Reads and checks a file, then lets the dynamic linker map it.
static shardc_status *open_library(shardc_executable *executable, const char *path) {
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    if (setjmp(guard.jump)) {
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(NULL, &guard);
    if (!arena) return status_out_of_memory();
    StrView contents = {0};
    const char *error = NULL;
    shardc_status *status = NULL;
    if (!file_read(arena, path, &contents, &error)) {
        status = status_create(SHARDC_IO, "%s", error);
    } else if ((error = model_file_problem(contents))) {
        status = status_create(SHARDC_INVALID_INPUT, "%s: %s", path, error);
    } else {
        const char *name = strchr(path, '/') ? path : arena_printf(arena, "./%s", path);
        executable->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!executable->library) {
            status = status_create(SHARDC_INVALID_INPUT, "cannot load the model: %s", dlerror()); // NOLINT(concurrency-mt-unsafe): glibc's dlerror is per thread
        }
    }
    arena_free(arena);
    return status;
}

shardc_status *shardc_executable_load(
    const char *path, const shardc_options *options, shardc_executable **executable) {
    *executable = NULL;
    if (!path) return status_create(SHARDC_INVALID_INPUT, "there is no path to load from");
    shardc_executable *made = calloc(1, sizeof *made);
    if (!made) return status_out_of_memory();
    pthread_mutex_init(&made->turn, NULL);
    shardc_options all = options_of(options);
    shardc_status *status = open_library(made, path);
    if (!status) {
        const shardc_model *(*entry)(void) = NULL;
        void *symbol = dlsym(made->library, "shardc_model_entry");
        memcpy(&entry, &symbol, sizeof entry);
        if (entry) {
            made->model = entry();
            status = executable_start(made, &all);
        } else {
            status = status_create(
                SHARDC_INVALID_INPUT, "%s is a shared library, but not a shardc model", path);
        }
    }
    if (status) {
        shardc_executable_free(made);
    } else {
        *executable = made;
    }
    return status;
}

void shardc_executable_free(shardc_executable *owned) {
    if (!owned) return;
    if (owned->instance) owned->model->destroy(owned->instance);
    if (owned->library) dlclose(owned->library);
    arena_free(owned->arena);
    free(owned->printed);
    pthread_mutex_destroy(&owned->turn);
    free(owned);
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

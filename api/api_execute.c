// api_execute: executables, their execution, and what can be asked of them.
#include "api/api_internal.h"
#include "ir/type.h"
#include "runtime/fork.h"
#include "runtime/pool.h"

#include <stdlib.h>
#include <string.h>

shardc_executable *executable_create(void) {
    shardc_executable *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    pthread_mutex_init(&made->turn, NULL);
    atomic_store(&made->references, 1);
    atomic_store(&made->forks, rt_fork_count());
    return made;
}

// In a child whose parent was executing when it was forked nobody gives the turn back; the instance knows whether it is still good.
static void notice_fork(shardc_executable *executable) {
    unsigned forks = rt_fork_count();
    if (atomic_load(&executable->forks) == forks) return;
    rt_pool_lock();
    if (atomic_load(&executable->forks) != forks) {
        (void)pthread_mutex_init(&executable->turn, NULL);
        atomic_store(&executable->forks, forks);
    }
    rt_pool_unlock();
}

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
    case SHARDC_MODEL_OK:
        if (options->profile) executable->profile = profile_create(model);
        return options->profile && !executable->profile ? status_out_of_memory() : NULL;
    case SHARDC_MODEL_OUT_OF_MEMORY: return status_out_of_memory();
    case SHARDC_MODEL_FAILED: return status_create(SHARDC_INTERNAL, "%s", error);
    default: return status_create(SHARDC_INVALID_INPUT, "%s", error);
    }
}

static pthread_mutex_t *turn_of(const shardc_executable *executable) {
    const union {
        const pthread_mutex_t *given;
        pthread_mutex_t *turn;
    } pointer = {&executable->turn}; // queries take turns, too, though they change nothing
    return pointer.turn;
}

void executable_lock(const shardc_executable *executable) {
    pthread_mutex_lock(turn_of(executable));
}

void executable_unlock(const shardc_executable *executable) {
    pthread_mutex_unlock(turn_of(executable));
}

const shardc_model *shardc_executable_model(const shardc_executable *executable) {
    return executable ? executable->model : NULL;
}

const char *shardc_executable_printed(const shardc_executable *executable) {
    return executable && executable->printed ? executable->printed : "";
}

// Every array that has elements needs memory.
static shardc_status *check_list(
    const char *call, const char *name, const void *const *list, const shardc_model_array *arrays,
    int32_t count) {
    if (count > 0 && !list) return status_null(call, name);
    for (int32_t i = 0; i < count; i++) {
        if (list[i] || arrays[i].bytes == 0) continue;
        return status_create(SHARDC_INVALID_INPUT, "%s: %s[%d] is NULL", call, name, i);
    }
    return NULL;
}

static shardc_status *check_execution(
    const char *call, const shardc_executable *executable, const void *const *inputs,
    void *const *outputs) {
    if (!executable) return status_null(call, "executable");
    const shardc_model *model = executable->model;
    shardc_status *status = check_list(call, "inputs", inputs, model->args, model->arg_count);
    if (!status) {
        status = check_list(
            call, "outputs", (const void *const *)outputs, model->results, model->result_count);
    }
    if (status || model->custom_count == 0 || executable->custom) return status;
    return status_create(
        SHARDC_INVALID_INPUT,
        "the model calls custom functions ('%s' first): load it with a context that has them",
        model->custom_calls[0].name);
}

shardc_status *shardc_execute(
    shardc_executable *executable, const void *const *inputs, void *const *outputs) {
    shardc_status *refused = check_execution(__func__, executable, inputs, outputs);
    if (refused) return refused;
    const shardc_model *model = executable->model;
    notice_fork(executable);
    atomic_fetch_add(&executable->references, 1);
    pthread_mutex_lock(&executable->turn);
    int code = model->execute(executable->instance, inputs, outputs);
    shardc_status *status = NULL;
    if (code == SHARDC_MODEL_OUT_OF_MEMORY) {
        status = status_out_of_memory();
    } else if (code != SHARDC_MODEL_OK) {
        shardc_code kind = code == SHARDC_MODEL_INVALID ? SHARDC_INVALID_INPUT : SHARDC_INTERNAL;
        if (executable->custom && custom_take_failure(executable->custom)) kind = SHARDC_FAILED;
        status = status_create(kind, "%s", model->message(executable->instance));
    } else if (executable->profile && !profile_add(executable)) {
        status = status_out_of_memory();
    }
    pthread_mutex_unlock(&executable->turn);
    shardc_executable_free(executable);
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
    shardc_executable_free(event->executable);
    __atomic_store_n(&event->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

// The thread works as any other that executes: it needs a stack for that, whatever the limit for stacks is.
static int start_thread(shardc_event *event) {
    enum { STACK = 8 << 20 };
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return -1;
    (void)pthread_attr_setstacksize(&attributes, STACK);
    int failed = pthread_create(&event->thread, &attributes, event_run, event);
    pthread_attr_destroy(&attributes);
    return failed;
}

shardc_status *shardc_execute_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    shardc_event **event) {
    if (!event) return status_null(__func__, "event");
    *event = NULL;
    shardc_status *refused = check_execution(__func__, executable, inputs, outputs);
    if (refused) return refused;
    shardc_event *made = calloc(1, sizeof *made);
    if (!made) return status_out_of_memory();
    *made = (shardc_event){.executable = executable, .inputs = inputs, .outputs = outputs};
    atomic_fetch_add(&executable->references, 1);
    if (start_thread(made) != 0) {
        shardc_executable_free(executable);
        free(made);
        return status_create(SHARDC_OUT_OF_MEMORY, "cannot start a thread for the execution");
    }
    *event = made;
    return NULL;
}

int shardc_event_is_done(const shardc_event *event) {
    return event ? __atomic_load_n(&event->done, __ATOMIC_ACQUIRE) : 0;
}

shardc_status *shardc_event_wait(shardc_event *event) {
    if (!event) return status_null(__func__, "event");
    pthread_join(event->thread, NULL);
    shardc_status *status = event->status;
    free(event);
    return status;
}

void shardc_executable_counters(
    const shardc_executable *executable, shardc_model_counters *counters) {
    if (!counters) return;
    size_t size =
        counters->struct_size < sizeof *counters ? (size_t)counters->struct_size : sizeof *counters;
    size_t first = sizeof counters->struct_size;
    if (size > first) memset((char *)counters + first, 0, size - first);
    if (!executable) return;
    executable_lock(executable);
    executable->model->counters(executable->instance, counters);
    executable_unlock(executable);
}

int64_t shardc_executable_device_bytes(const shardc_executable *executable) {
    if (!executable) return 0;
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

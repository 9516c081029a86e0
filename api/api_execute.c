// api_execute: executing, and what can be asked of executables.
#define _POSIX_C_SOURCE 200809L

#include "api/api_internal.h"
#include "ir/type.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- queries

const shardc_model *shardc_executable_model(const shardc_executable *executable) {
    return executable ? executable->model : NULL;
}

const char *shardc_executable_printed(const shardc_executable *executable) {
    return executable && executable->printed ? executable->printed : "";
}

void shardc_executable_counters(
    const shardc_executable *executable, shardc_model_counters *counters) {
    if (!counters) return;
    shardc_model_counters totals = {0};
    if (executable) {
        executable_lock(executable);
        totals = executable->totals;
        executable_unlock(executable);
    }
    size_t size =
        counters->struct_size < sizeof totals ? (size_t)counters->struct_size : sizeof totals;
    size_t first = sizeof counters->struct_size;
    if (size > first) memcpy((char *)counters + first, (char *)&totals + first, size - first);
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

// ---- executing

// Every array that has elements needs memory: `each` pointers.
static shardc_status *check_list(
    const char *call, const char *name, const void *const *list, const shardc_model_array *arrays,
    int32_t count, int32_t each) {
    if (count > 0 && !list) return status_null(call, name);
    for (int64_t i = 0; i < (int64_t)count * each; i++) {
        if (list[i] || arrays[i / each].bytes == 0) continue;
        return status_create(
            SHARDC_INVALID_INPUT, "%s: %s[%lld] is NULL", call, name, (long long)i);
    }
    return NULL;
}

static shardc_status *check_execution(
    const char *call, const shardc_executable *executable, bool is_tiled, const void *const *inputs,
    void *const *outputs) {
    if (!executable) return status_null(call, "executable");
    const shardc_model *model = executable->model;
    if (model->is_tiled != is_tiled) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: the executable was compiled for %s", call,
            is_tiled ? "whole arrays (options->tiled is 0): shardc_execute"
                     : "tiles (options->tiled is 1): shardc_execute_tiles");
    }
    int32_t each = is_tiled ? model->device_count : 1;
    shardc_status *status = check_list(call, "inputs", inputs, model->args, model->arg_count, each);
    if (!status) {
        status = check_list(
            call, "outputs", (const void *const *)outputs, model->results, model->result_count,
            each);
    }
    if (status || model->custom_count == 0 || executable->custom) return status;
    return status_create(
        SHARDC_INVALID_INPUT,
        "the model calls custom functions ('%s' first): load it with a context that has them",
        model->custom_calls[0].name);
}

static shardc_status *status_of(
    const shardc_executable *executable, const shardc_model_instance *instance, int code) {
    if (code == SHARDC_MODEL_OK) return NULL;
    if (code == SHARDC_MODEL_OUT_OF_MEMORY) return status_out_of_memory();
    shardc_code kind = code == SHARDC_MODEL_INVALID ? SHARDC_INVALID_INPUT : SHARDC_INTERNAL;
    if (executable->custom && custom_take_failure(executable->custom)) kind = SHARDC_FAILED;
    return status_create(kind, "%s", executable->model->message(instance));
}

static shardc_status *count_execution(
    shardc_executable *executable, const shardc_model_instance *instance) {
    executable_lock(executable);
    int64_t executions = executable->totals.executions + 1;
    executable->model->counters(instance, &executable->totals);
    executable->totals.executions = executions;
    bool is_recorded = !executable->profile || profile_add(executable, instance);
    executable_unlock(executable);
    return is_recorded ? NULL : status_out_of_memory();
}

// Who sees an execution: handlers of custom calls, and an observer, which may be NULL.
typedef struct Watch {
    void *user;
    shardc_observe_fn *observe;
    void *observe_user;
} Watch;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static shardc_status *tell_observer(
    const shardc_model *model, const shardc_model_instance *instance, const Watch *watch,
    int64_t begin_ns) {
    int64_t count = model->events(instance, NULL, 0);
    shardc_model_event *events = calloc((size_t)count + 1, sizeof *events);
    if (!events) return status_out_of_memory();
    if (count > 0) count = model->events(instance, events, count);
    watch->observe(watch->observe_user, model, begin_ns, events, count);
    free(events);
    return NULL;
}

// Arrays were checked.
static shardc_status *execute(
    shardc_executable *executable, const void *const *inputs, void *const *outputs, Watch watch) {
    const shardc_model *model = executable->model;
    ExecutionContext *context = NULL;
    atomic_fetch_add(&executable->references, 1);
    shardc_status *status = execution_context_take(executable, watch.observe != NULL, &context);
    if (!status) {
        context->user = watch.user;
        int64_t begin_ns = watch.observe ? now_ns() : 0;
        int code = model->is_tiled ? model->execute_tiles(context->instance, inputs, outputs)
                                   : model->execute(context->instance, inputs, outputs);
        status = status_of(executable, context->instance, code);
        shardc_status *other = count_execution(executable, context->instance);
        if (!other && watch.observe)
            other = tell_observer(model, context->instance, &watch, begin_ns);
        if (!status)
            status = other;
        else
            shardc_status_free(other);
        execution_context_give_back(executable, context);
    }
    shardc_executable_free(executable);
    return status;
}

shardc_status *shardc_execute(
    shardc_executable *executable, const void *const *inputs, void *const *outputs) {
    shardc_status *refused = check_execution(__func__, executable, false, inputs, outputs);
    return refused ? refused : execute(executable, inputs, outputs, (Watch){0});
}

// *all: what the caller gave, or the defaults.
static shardc_status *read_execute_options(
    const char *call, const shardc_execute_options *options, shardc_execute_options *all) {
    *all = (shardc_execute_options){.struct_size = sizeof *all};
    if (!options) return NULL;
    shardc_status *status = read_struct(call, "options", options, sizeof *all, all);
    if (status) return status;
    if (!all->dependencies && all->dependency_count)
        return status_null(call, "options->dependencies");
    for (size_t i = 0; i < all->dependency_count; i++) {
        if (all->dependencies[i]) continue;
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->dependencies[%zu] is NULL", call, i);
    }
    return NULL;
}

static Watch watch_of(const shardc_execute_options *options) {
    return (Watch){options->custom_user, options->observe, options->observe_user};
}

shardc_status *shardc_execute_tiles(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    const shardc_execute_options *options) {
    shardc_execute_options all;
    shardc_status *refused = check_execution(__func__, executable, true, inputs, outputs);
    if (!refused) refused = read_execute_options(__func__, options, &all);
    if (refused) return refused;
    for (size_t i = 0; i < all.dependency_count; i++) {
        const shardc_status *failed = shardc_event_await(all.dependencies[i]);
        if (failed) return status_share(failed);
    }
    return execute(executable, inputs, outputs, watch_of(&all));
}

// ---- asynchronous executions

typedef struct Execution {
    Task task; // first
    shardc_executable *executable;
    Watch watch;
    shardc_event *event;       // set when it is over
    shardc_status *poison;     // of the first dependency that failed
    atomic_bool is_poisoned;   // poison is set
    atomic_size_t outstanding; // dependencies, and one for the caller
    void **outputs;
    void *arrays[]; // inputs, then outputs
} Execution;

static void execution_end(Execution *execution, shardc_status *status) {
    shardc_event_set(execution->event, status);
    shardc_event_free(execution->event);
    shardc_executable_free(execution->executable);
    free(execution);
}

static void execution_run(Task *task) {
    Execution *execution = (Execution *)task;
    execution_end(
        execution, execute(
                       execution->executable, (const void *const *)execution->arrays,
                       execution->outputs, execution->watch));
}

// So many of what the execution waits for are there; it runs when all are.
static void execution_advance(Execution *execution, size_t count) {
    if (atomic_fetch_sub(&execution->outstanding, count) > count) return;
    if (execution->poison) {
        execution_end(execution, execution->poison);
    } else if (!executor_submit(&execution->task)) {
        execution_end(
            execution,
            status_create(SHARDC_OUT_OF_MEMORY, "cannot start a thread for the execution"));
    }
}

static void execution_poison(Execution *execution, const shardc_status *status) {
    if (status && !atomic_exchange(&execution->is_poisoned, true))
        execution->poison = status_share(status);
}

static void dependency_is_done(void *user, const shardc_status *status) {
    Execution *execution = user;
    execution_poison(execution, status);
    execution_advance(execution, 1);
}

// Copies the lists of pointers.
static Execution *execution_create(
    shardc_executable *executable, const void *const *inputs, void *const *outputs) {
    const shardc_model *model = executable->model;
    size_t each = model->is_tiled ? (size_t)model->device_count : 1;
    size_t input_count = (size_t)model->arg_count * each;
    size_t output_count = (size_t)model->result_count * each;
    Execution *made = calloc(1, sizeof *made + (input_count + output_count) * sizeof *made->arrays);
    if (!made) return NULL;
    made->task = (Task){.run = execution_run, .may_wait = model->custom_count > 0};
    made->executable = executable;
    made->outputs = made->arrays + input_count;
    if (input_count) memcpy(made->arrays, inputs, input_count * sizeof *inputs);
    if (output_count) memcpy(made->outputs, outputs, output_count * sizeof *outputs);
    return made;
}

// Arrays were checked.
static shardc_status *execute_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    const shardc_execute_options *options, shardc_event **event) {
    Execution *execution = execution_create(executable, inputs, outputs);
    if (!execution) return status_out_of_memory();
    execution->watch = watch_of(options);
    shardc_status *status = shardc_event_create(&execution->event);
    if (status) {
        free(execution);
        return status;
    }
    *event = shardc_event_retain(execution->event);
    atomic_fetch_add(&executable->references, 1);
    atomic_store(&execution->outstanding, options->dependency_count + 1);
    size_t over = 1; // the caller, and dependencies that cannot be waited for: the execution fails
    for (size_t i = 0; i < options->dependency_count; i++) {
        status = shardc_event_on_done(options->dependencies[i], dependency_is_done, execution);
        if (!status) continue;
        execution_poison(execution, status);
        shardc_status_free(status);
        over++;
    }
    execution_advance(execution, over);
    return NULL;
}

shardc_status *shardc_execute_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    shardc_event **event) {
    if (!event) return status_null(__func__, "event");
    *event = NULL;
    const shardc_execute_options none = {0};
    shardc_status *refused = check_execution(__func__, executable, false, inputs, outputs);
    return refused ? refused : execute_async(executable, inputs, outputs, &none, event);
}

shardc_status *shardc_execute_tiles_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    const shardc_execute_options *options, shardc_event **event) {
    if (!event) return status_null(__func__, "event");
    *event = NULL;
    shardc_execute_options all;
    shardc_status *refused = check_execution(__func__, executable, true, inputs, outputs);
    if (!refused) refused = read_execute_options(__func__, options, &all);
    return refused ? refused : execute_async(executable, inputs, outputs, &all, event);
}

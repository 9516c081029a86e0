// execute: executions, with donation. Short programs whose arguments are there run in the caller's
// thread; others are asynchronous.
#include "plugin/ffi/ffi.h"
#include "plugin/plugin.h"
#include "plugin/profiler/profiler.h"

#include <stdlib.h>
#include <string.h>

// What an execution keeps until it ends.
typedef struct Run {
    PJRT_Executable *executable; // an owner
    PJRT_Device **devices;       // borrowed
    size_t held_count;
    Storage **held;  // [arguments * devices] of the arguments
    void **pointers; // arguments, then outputs
    PJRT_Buffer **outputs;
    size_t written_count;
    Storage **written; // of the outputs, which their owners may free before they are written
    shardc_event **dependencies;
    size_t dependency_count;
    shardc_event *event;          // NULL: it is over
    PJRT_ExecuteContext *context; // an owner; may be NULL
} Run;

static size_t device_count_of(const PJRT_Executable *executable) {
    return executable->is_independent ? 1 : (size_t)executable->device_count;
}

static void release_memory(Run *run) {
    for (size_t i = 0; i < run->held_count; i++)
        storage_release(run->held[i]);
    for (size_t i = 0; i < run->written_count; i++)
        storage_release(run->written[i]);
    run->held_count = run->written_count = 0;
}

static void run_free(Run *run) {
    release_memory(run);
    shardc_event_free(run->event);
    context_release(run->context);
    executable_release(run->executable);
    free(run);
}

// One allocation.
static Run *run_create(PJRT_Executable *executable, PJRT_Device **devices_of_run) {
    size_t devices = device_count_of(executable);
    size_t arguments = executable->parameters.count * devices;
    size_t outputs = executable->outputs.count * devices;
    size_t pointers = arguments + (arguments + outputs) + outputs + arguments + outputs;
    Run *made = calloc(1, sizeof *made + pointers * sizeof(void *));
    if (!made) return NULL;
    void **at = (void **)(made + 1);
    made->held = (Storage **)at;
    made->pointers = at + arguments;
    made->outputs = (PJRT_Buffer **)(made->pointers + arguments + outputs);
    made->dependencies = (shardc_event **)(made->outputs + outputs);
    made->written = (Storage **)(made->dependencies + arguments);
    made->executable = executable;
    made->devices = devices_of_run;
    atomic_fetch_add(&executable->owners, 1);
    return made;
}

// ---- arguments

static bool may_donate(const PJRT_ExecuteOptions *options, size_t argument) {
    if (!options) return true;
    for (size_t i = 0; i < options->num_non_donatable_input_indices; i++) {
        if (options->non_donatable_input_indices[i] == (int64_t)argument) return false;
    }
    return true;
}

static PJRT_Error *check_argument(const Run *run, const PJRT_Buffer *buffer, size_t a, size_t d) {
    const PJRT_Executable *executable = run->executable;
    const shardc_model_array *array = &executable->model->args[a];
    if (is_token(array) && buffer->bytes == 0) return NULL;
    bool same =
        buffer->type == executable->parameters.types[a] && buffer->rank == (size_t)array->rank;
    for (size_t i = 0; same && i < buffer->rank; i++)
        same = buffer->dims[i] == array->tile_dims[i];
    if (!same) {
        return error_create(
            PJRT_INVALID_ARGUMENT,
            "Executable expected parameter %zu of type %s with %lld bytes but got a buffer of type "
            "%s with %zu bytes",
            a, array->type, (long long)array->bytes, type_name(buffer->type), buffer->bytes);
    }
    Layout *layout = executable->parameters.layouts[a];
    if (buffer->layout != layout) {
        return error_create(
            PJRT_INVALID_ARGUMENT,
            "Executable expected parameter %zu in the layout %.*s but got %.*s", a,
            (int)layout->size, layout->text, (int)buffer->layout->size, buffer->layout->text);
    }
    if (buffer->memory->device == run->devices[d]) return NULL;
    return error_create(
        PJRT_INVALID_ARGUMENT,
        "Buffer passed to Execute() as argument %zu to replica %zu is on device %s, but replica is "
        "assigned to device %s",
        a, d, buffer->memory->device->description.text, run->devices[d]->description.text);
}

static PJRT_Error *hold_argument(Run *run, PJRT_Buffer *buffer, size_t a, size_t d) {
    PJRT_Error *error = check_argument(run, buffer, a, d);
    if (error) return error;
    Storage *storage = buffer_hold(buffer);
    if (!storage) {
        return error_create(
            PJRT_INVALID_ARGUMENT,
            "Invalid buffer passed to Execute() as argument %zu to replica "
            "%zu: it was deleted or donated",
            a, d);
    }
    run->held[run->held_count] = storage;
    run->pointers[run->held_count++] = storage->data;
    if (!buffer->ready) return NULL;
    if (!shardc_event_is_done(buffer->ready)) {
        run->dependencies[run->dependency_count++] = buffer->ready;
        return NULL;
    }
    return error_of(shardc_event_status(buffer->ready));
}

static PJRT_Error *hold_arguments(Run *run, PJRT_Buffer *const *const *lists) {
    const PJRT_Executable *executable = run->executable;
    PJRT_Error *error = NULL;
    for (size_t a = 0; a < executable->parameters.count; a++) {
        for (size_t d = 0; d < device_count_of(executable) && !error; d++)
            error = hold_argument(run, lists[d][a], a, d);
    }
    return error;
}

// Where the argument's buffer is in the set of those seen before, or the free place for it.
static size_t *find_seen(
    size_t *seen, size_t size, PJRT_Buffer *const *arguments, const PJRT_Buffer *buffer) {
    size_t at = ((uintptr_t)buffer >> 4) * 0x9e3779b97f4a7c15u % size;
    while (seen[at] && arguments[seen[at] - 1] != buffer)
        at = (at + 1) % size;
    return &seen[at];
}

// A buffer that is donated is no other argument of the same call.
static PJRT_Error *check_donated(
    const PJRT_Executable *executable, PJRT_Buffer *const *arguments,
    const PJRT_ExecuteOptions *options) {
    size_t count = executable->parameters.count, size = 2 * count + 1;
    size_t *seen = calloc(size, sizeof *seen); // 1 + the argument
    if (!seen) return error_out_of_memory();
    PJRT_Error *error = NULL;
    for (size_t a = 0; a < count && !error; a++) {
        size_t *place = find_seen(seen, size, arguments, arguments[a]);
        size_t other = *place - 1;
        bool is_donated = (executable->donated[a] && may_donate(options, a)) ||
                          (*place && executable->donated[other] && may_donate(options, other));
        if (*place && is_donated) {
            error = error_create(
                PJRT_INVALID_ARGUMENT,
                "Attempt to donate a buffer which is also used by the same call to Execute(): "
                "arguments %zu and %zu",
                other, a);
        }
        if (!*place) *place = a + 1;
    }
    free(seen);
    return error;
}

// ---- outputs

// The memory of the argument that the output replaces, if nobody else has it; else new memory.
static Storage *output_storage(
    const Run *run, size_t r, size_t d, PJRT_Buffer *const *const *lists,
    const PJRT_ExecuteOptions *options) {
    const PJRT_Executable *executable = run->executable;
    const shardc_model_array *result = &executable->model->results[r];
    if (result->alias >= 0 && result->in_place && may_donate(options, (size_t)result->alias)) {
        size_t a = (size_t)result->alias;
        Storage *storage = run->held[a * device_count_of(executable) + d];
        bool is_ours = storage->is_writable && !storage->release &&
                       atomic_load(&storage->owners) == 2 && !lists[d][a]->pins;
        if (is_ours) return storage_retain(storage); // the buffer's and ours
    }
    return storage_create(executable->output_bytes[r]);
}

static PJRT_Error *make_outputs(
    Run *run, PJRT_Buffer *const *const *lists, const PJRT_ExecuteOptions *options) {
    const PJRT_Executable *executable = run->executable;
    size_t devices = device_count_of(executable), at = 0;
    const ArrayList *outputs = &executable->outputs;
    const int64_t *dims = outputs->dims;
    for (size_t r = 0; r < outputs->count; dims += outputs->ranks[r++]) {
        for (size_t d = 0; d < devices; d++, at++) {
            Storage *storage = output_storage(run, r, d, lists, options);
            if (!storage) {
                return error_create(
                    PJRT_RESOURCE_EXHAUSTED, "Out of memory allocating %zu bytes.",
                    executable->output_bytes[r]);
            }
            run->pointers[run->held_count + at] = storage->data;
            run->written[run->written_count++] = storage_retain(storage);
            run->outputs[at] = buffer_create(
                run->devices[d]->memory_list[0], outputs->types[r], dims, outputs->ranks[r],
                outputs->layouts[r], storage, run->event);
            if (!run->outputs[at]) return error_out_of_memory();
        }
    }
    return NULL;
}

static void free_outputs(Run *run) {
    size_t count = run->executable->outputs.count * device_count_of(run->executable);
    for (size_t i = 0; i < count; i++)
        buffer_free(run->outputs[i]);
}

static void delete_donated(
    const PJRT_Executable *executable, PJRT_Buffer *const *const *lists,
    const PJRT_ExecuteOptions *options) {
    for (size_t a = 0; a < executable->parameters.count; a++) {
        if (!executable->donated[a] || !may_donate(options, a)) continue;
        for (size_t d = 0; d < device_count_of(executable); d++)
            buffer_delete(lists[d][a]);
    }
}

static void give_outputs(const Run *run, PJRT_Buffer **const *lists, PJRT_Event **complete) {
    const PJRT_Executable *executable = run->executable;
    size_t devices = device_count_of(executable);
    for (size_t d = 0; d < devices; d++) {
        for (size_t r = 0; r < executable->outputs.count; r++)
            lists[d][r] = run->outputs[r * devices + d];
        if (!complete) continue;
        shardc_event *event = run->event ? run->event : executable->client->done;
        complete[d] = event_of(shardc_event_retain(event));
    }
}

// ---- running

static void count_running(PJRT_Client *client, int change) {
    pthread_mutex_lock(&client->lock);
    client->running += change;
    if (client->running == 0) pthread_cond_broadcast(&client->changed);
    pthread_mutex_unlock(&client->lock);
}

// The arguments' memory is given back before those who wait for the outputs see them.
static void run_is_over(void *user, const shardc_status *status) {
    Run *run = user;
    PJRT_Client *client = run->executable->client;
    release_memory(run);
    shardc_status *copy =
        status ? shardc_status_create(shardc_status_code(status), shardc_status_message(status))
               : NULL;
    shardc_event_set(run->event, copy);
    run_free(run);
    count_running(client, -1);
}

// The values that handlers of foreign functions find are those of the caller's context.
static shardc_execute_options options_of(const Run *run) {
    shardc_execute_options options = {
        .struct_size = sizeof options,
        .dependencies = run->dependencies,
        .dependency_count = run->dependency_count,
        .custom_user = run->context};
    profiler_observe(run->executable, &options);
    return options;
}

static PJRT_Error *run_now(Run *run, PJRT_LoadedExecutable_Execute_Args *args) {
    size_t arguments = run->held_count;
    const shardc_execute_options options = options_of(run);
    PJRT_Error *error = make_outputs(run, args->argument_lists, args->options);
    if (!error) {
        error = error_take(shardc_execute_tiles(
            run->executable->code, (const void *const *)run->pointers, run->pointers + arguments,
            &options));
    }
    if (error) {
        free_outputs(run);
    } else {
        give_outputs(run, args->output_lists, args->device_complete_events);
    }
    delete_donated(run->executable, args->argument_lists, args->options);
    run_free(run);
    return error;
}

static PJRT_Error *run_later(Run *run, PJRT_LoadedExecutable_Execute_Args *args) {
    size_t arguments = run->held_count;
    const shardc_execute_options options = options_of(run);
    shardc_event *over = NULL;
    PJRT_Error *error = error_take(shardc_event_create(&run->event));
    if (!error) error = make_outputs(run, args->argument_lists, args->options);
    if (!error) {
        count_running(run->executable->client, 1);
        error = error_take(shardc_execute_tiles_async(
            run->executable->code, (const void *const *)run->pointers, run->pointers + arguments,
            &options, &over));
        if (error) count_running(run->executable->client, -1);
    }
    if (error) {
        free_outputs(run);
        run_free(run);
        return error;
    }
    give_outputs(run, args->output_lists, args->device_complete_events);
    delete_donated(run->executable, args->argument_lists, args->options);
    error = error_take(shardc_event_on_done(over, run_is_over, run));
    if (error) (void)shardc_event_await(over), run_is_over(run, shardc_event_status(over));
    shardc_event_free(over);
    return NULL;
}

static PJRT_Error *check_call(const PJRT_LoadedExecutable_Execute_Args *args) {
    const PJRT_LoadedExecutable *loaded = args->executable;
    const PJRT_Executable *executable = loaded->executable;
    if (atomic_load(&loaded->is_deleted))
        return error_create(PJRT_INVALID_ARGUMENT, "the executable was deleted");
    bool runs_anywhere = executable->device_count == 1 || executable->is_independent;
    if (args->execute_device && args->execute_device != loaded->devices[0] && !runs_anywhere) {
        return error_create(
            PJRT_UNIMPLEMENTED,
            "shardc: programs of several devices run on the devices that they are compiled for, "
            "not on one");
    }
    size_t count = args->execute_device ? 1 : (size_t)executable->device_count;
    if (args->num_devices != count || (count != device_count_of(executable) && !runs_anywhere)) {
        return error_create(
            PJRT_INVALID_ARGUMENT, "Attempted to execute with %zu devices; the program is for %d",
            args->num_devices, executable->device_count);
    }
    if (args->num_args != executable->parameters.count) {
        return error_create(
            PJRT_INVALID_ARGUMENT,
            "Execution supplied %zu buffers but compiled program expected "
            "%zu buffers",
            args->num_args, executable->parameters.count);
    }
    return NULL;
}

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *args, PJRT_Device **devices) {
    Run *run = run_create(args->executable->executable, devices);
    if (!run) return error_out_of_memory();
    if (args->options && PJRT_HAS(args->options, context))
        run->context = context_retain(args->options->context);
    PJRT_Error *error = NULL;
    if (run->executable->donates && args->num_args > 1)
        error = check_donated(run->executable, args->argument_lists[0], args->options);
    if (!error) error = hold_arguments(run, args->argument_lists);
    if (error) {
        run_free(run);
        return error;
    }
    bool is_short = run->executable->is_short && run->dependency_count == 0;
    return is_short ? run_now(run, args) : run_later(run, args);
}

// What the first `count` devices have given: nobody else sees it.
static void take_back(const PJRT_LoadedExecutable_Execute_Args *args, size_t count) {
    for (size_t d = 0; d < count; d++) {
        for (size_t r = 0; r < args->executable->executable->outputs.count; r++)
            buffer_free(args->output_lists[d][r]);
        if (args->device_complete_events)
            shardc_event_free(event_in(args->device_complete_events[d]));
    }
}

static PJRT_Error *execute_each(const PJRT_LoadedExecutable_Execute_Args *args) {
    PJRT_Error *error = NULL;
    for (size_t d = 0; d < args->num_devices && !error; d++) {
        PJRT_LoadedExecutable_Execute_Args one = *args;
        one.num_devices = 1;
        one.argument_lists += d;
        one.output_lists += d;
        if (one.device_complete_events) one.device_complete_events += d;
        error = execute(&one, &args->executable->devices[d]);
        if (error) take_back(args, d);
    }
    return error;
}

ENTRY(LoadedExecutable_Execute) {
    PJRT_Error *error = check_call(args);
    if (error) return error;
    if (args->execute_device) return execute(args, &args->execute_device->self);
    return args->executable->executable->is_independent ? execute_each(args)
                                                        : execute(args, args->executable->devices);
}

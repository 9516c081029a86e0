// The life of an executable: its contexts, and what is freed with it.
#include "api/api_internal.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { KEPT_CONTEXTS = 4 }; // that wait for the next executions; more are freed

static shardc_status *create_context(
    shardc_executable *executable, bool is_recording, ExecutionContext **context) {
    const shardc_model *model = executable->model;
    ExecutionContext *made = calloc(1, sizeof *made);
    if (!made) return status_out_of_memory();
    char error[512] = "";
    shardc_model_options options = executable->context_options;
    made->custom = executable->custom;
    made->is_recording = is_recording;
    options.profile = is_recording;
    options.custom = made->custom ? custom_dispatch : NULL;
    options.custom_user = made;
    int code = model->create(model, &options, &made->instance, error, sizeof error);
    if (code == SHARDC_MODEL_OK) {
        *context = made;
        return NULL;
    }
    free(made);
    if (code == SHARDC_MODEL_OUT_OF_MEMORY) return status_out_of_memory();
    return status_create(
        code == SHARDC_MODEL_FAILED ? SHARDC_INTERNAL : SHARDC_INVALID_INPUT, "%s", error);
}

static void free_context(const shardc_executable *executable, ExecutionContext *context) {
    executable->model->destroy(context->instance);
    free(context);
}

// What the context keeps of constant arguments counts no more. A file that was made before there
// were any has no such function.
static void rebind_context(const shardc_model *model, const ExecutionContext *context) {
    if (model->struct_size > offsetof(shardc_model, rebind)) (void)model->rebind(context->instance);
}

shardc_status *execution_context_take(
    shardc_executable *executable, bool is_recording, ExecutionContext **context) {
    is_recording = is_recording || executable->profile;
    executable_lock(executable);
    int64_t rebinds = executable->rebinds;
    *context = executable->idle[is_recording];
    if (*context) {
        executable->idle[is_recording] = (*context)->next;
        executable->idle_count[is_recording]--;
    }
    executable_unlock(executable);
    shardc_status *status = *context ? NULL : create_context(executable, is_recording, context);
    if (status) return status;
    if ((*context)->rebinds != rebinds) rebind_context(executable->model, *context);
    (*context)->rebinds = rebinds;
    return NULL;
}

void shardc_executable_rebind(shardc_executable *executable) {
    if (!executable) return;
    executable_lock(executable);
    executable->rebinds++;
    executable_unlock(executable);
}

void execution_context_give_back(shardc_executable *executable, ExecutionContext *context) {
    executable_lock(executable);
    bool is_kept = executable->idle_count[context->is_recording] < KEPT_CONTEXTS;
    if (is_kept) {
        context->next = executable->idle[context->is_recording];
        executable->idle[context->is_recording] = context;
        executable->idle_count[context->is_recording]++;
    }
    executable_unlock(executable);
    if (!is_kept) free_context(executable, context);
}

shardc_status *executable_start(shardc_executable *executable, const shardc_options *options) {
    executable->context_options = (shardc_model_options){
        .struct_size = sizeof executable->context_options,
        .threads = options->threads,
        .watchdog_seconds = options->watchdog_seconds,
    };
    executable->totals.struct_size = sizeof executable->totals;
    if (options->profile) {
        executable->profile = profile_create(executable->model);
        if (!executable->profile) return status_out_of_memory();
    }
    ExecutionContext *first = NULL;
    shardc_status *status = create_context(executable, options->profile != 0, &first);
    if (first) execution_context_give_back(executable, first);
    return status;
}

void executable_end(shardc_executable *executable) {
    for (int i = 0; i < 2; i++) {
        while (executable->idle[i]) {
            ExecutionContext *context = executable->idle[i];
            executable->idle[i] = context->next;
            free_context(executable, context);
        }
    }
}

void shardc_executable_free(shardc_executable *owned) {
    if (!owned || atomic_fetch_sub(&owned->references, 1) > 1) return;
    executable_end(owned);
    if (owned->joined) owned->model->release(owned->joined);
    for (int i = owned->library_count - 1; i >= 0; i--)
        dlclose(owned->libraries[i]);
    free(owned->libraries);
    arena_free(owned->arena);
    free(owned->printed);
    profile_free(owned->profile);
    pthread_mutex_destroy(&owned->lock);
    free(owned);
}

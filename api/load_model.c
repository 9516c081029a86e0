// load_model: executables from files. A per-shard file (model.2.so) brings the files of the other
// devices that lie beside it (model.0.so, model.1.so, ...): they are joined to one model.
#include "api/api_internal.h"
#include "api/model_file.h"
#include "base/file.h"
#include "ir/type.h"
#include "runtime/abi.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reads and checks a file, then lets the dynamic linker map it.
static shardc_status *open_library(Arena *arena, const char *path, void **library) {
    StrView contents = {0};
    const char *error = NULL;
    if (!file_read_limited(arena, path, MODEL_FILE_LIMIT, &contents, &error))
        return status_create(SHARDC_IO, "%s", error);
    if ((error = model_file_problem(contents)))
        return status_create(SHARDC_INVALID_INPUT, "%s: %s", path, error);
    const char *name = strchr(path, '/') ? path : arena_printf(arena, "./%s", path);
    *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (*library) return NULL;
    return status_create(
        SHARDC_INVALID_INPUT, "cannot load the model: %s",
        dlerror()); // NOLINT(concurrency-mt-unsafe): glibc's dlerror is per thread
}

// Opens one more file of the executable.
static shardc_status *open_model(
    shardc_executable *executable, Arena *arena, const char *path, const shardc_model **model) {
    void *library = NULL;
    shardc_status *status = open_library(arena, path, &library);
    if (status) return status;
    assert(library);
    executable->libraries[executable->library_count++] = library;
    const shardc_model *(*entry)(void) = NULL;
    void *symbol = dlsym(library, "shardc_model_entry");
    memcpy(&entry, &symbol, sizeof entry);
    if (!entry) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s is a shared library, but not a shardc model", path);
    }
    *model = entry();
    bool is_whole = (*model)->struct_size >= SHARDC_MODEL_LEAST_SIZE;
    if ((*model)->abi_version == SHARDC_MODEL_ABI && is_whole) return NULL;
    return status_create(
        SHARDC_INVALID_INPUT, "%s has ABI version %u, this shardc runs version %d", path,
        (*model)->abi_version, SHARDC_MODEL_ABI);
}

// The file of another device of the same compilation, as its name says; NULL when this file's name
// does not end with its device and a suffix.
static const char *sibling_path(
    Arena *arena, const char *path, const shardc_model *model, int32_t device) {
    const char *suffix = strrchr(path, '.');
    const char *number = arena_printf(arena, ".%d", model->first_device);
    size_t size = strlen(number);
    if (!suffix || (size_t)(suffix - path) < size) return NULL;
    if (memcmp(suffix - size, number, size) != 0) return NULL;
    return arena_printf(
        arena, "%.*s.%d%s", (int)(suffix - path - (ptrdiff_t)size), path, device, suffix);
}

// Every device in one file of its own; without one of them the file stays alone, which is
// right if it communicates with none.
static shardc_status *join_siblings(shardc_executable *executable, Arena *arena, const char *path) {
    const shardc_model *own = executable->model;
    const shardc_model **shards = ARENA_ARRAY(arena, const shardc_model *, own->device_count);
    const char **siblings = ARENA_ARRAY(arena, const char *, own->device_count);
    for (int32_t d = 0; d < own->device_count; d++) {
        siblings[d] = sibling_path(arena, path, own, d);
        if (!siblings[d] || access(siblings[d], F_OK) != 0) return NULL;
    }
    size_t size = (size_t)own->device_count * sizeof *executable->libraries;
    void **libraries = realloc(executable->libraries, size);
    if (!libraries) return status_out_of_memory();
    executable->libraries = libraries;
    shardc_status *status = NULL;
    for (int32_t d = 0; d < own->device_count && !status; d++) {
        shards[d] = own;
        if (d == own->first_device) continue;
        status = open_model(executable, arena, siblings[d], &shards[d]);
    }
    if (status) return status;
    char error[512] = "";
    int code = own->join(shards, own->device_count, &executable->joined, error, sizeof error);
    if (code == SHARDC_MODEL_OUT_OF_MEMORY) return status_out_of_memory();
    if (code) return status_create(SHARDC_INVALID_INPUT, "%s: %s", path, error);
    executable->model = executable->joined;
    return NULL;
}

static shardc_status *open_files(shardc_executable *executable, const char *path) {
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    if (setjmp(guard.jump)) {
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(NULL, &guard);
    if (!arena) return status_out_of_memory();
    shardc_status *status = NULL;
    executable->libraries = calloc(1, sizeof *executable->libraries);
    if (!executable->libraries) {
        status = status_out_of_memory();
    } else {
        status = open_model(executable, arena, path, &executable->model);
    }
    if (!status && executable->model->shard_count < executable->model->device_count)
        status = join_siblings(executable, arena, path);
    arena_free(arena);
    return status;
}

// The functions that the model calls.
static shardc_status *bind_custom(shardc_executable *executable, const shardc_context *context) {
    ArenaGuard guard;
    Diags *volatile diags = NULL;
    if (setjmp(guard.jump)) return status_out_of_memory();
    executable->arena = arena_create(&context->allocator, &guard);
    if (!executable->arena) return status_out_of_memory();
    diags = diags_create(executable->arena);
    executable->custom =
        custom_calls_create(executable->arena, context, executable->model, NULL, diags);
    arena_set_guard(executable->arena, NULL);
    return executable->custom ? NULL : status_from_diags(diags);
}

static shardc_status *load(
    const char *call, const shardc_context *context, const char *path,
    const shardc_options *options, shardc_executable **executable) {
    if (!path) return status_null(call, "path");
    shardc_options all;
    shardc_status *status = read_options(call, options, &all);
    if (status) return status;
    shardc_executable *made = executable_create();
    if (!made) return status_out_of_memory();
    status = open_files(made, path);
    if (!status && context && made->model->custom_count > 0) status = bind_custom(made, context);
    if (!status) status = executable_start(made, &all);
    if (status) {
        shardc_executable_free(made);
    } else {
        *executable = made;
    }
    return status;
}

shardc_status *shardc_executable_load(
    const char *path, const shardc_options *options, shardc_executable **executable) {
    if (!executable) return status_null(__func__, "executable");
    *executable = NULL;
    return load(__func__, NULL, path, options, executable);
}

shardc_status *shardc_executable_load_custom(
    shardc_context *context, const char *path, const shardc_options *options,
    shardc_executable **executable) {
    if (!executable) return status_null(__func__, "executable");
    *executable = NULL;
    if (!context) return status_null(__func__, "context");
    return load(__func__, context, path, options, executable);
}

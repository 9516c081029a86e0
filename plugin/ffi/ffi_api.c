// ffi_api: what handlers of foreign functions may call.
#include "plugin/ffi/ffi_internal.h"

#include <stdlib.h>
#include <string.h>

#define ARGS(fields)        \
    struct {                \
        size_t struct_size; \
        void *extension;    \
        fields              \
    }

// Without memory for its text an error is this one.
static FfiError out_of_memory = {.code = PJRT_RESOURCE_EXHAUSTED};

static FfiError *make_error(int32_t code, const char *message) {
    size_t size = message ? strlen(message) : 0;
    FfiError *error = malloc(sizeof *error + size + 1);
    if (!error) return &out_of_memory;
    error->code = code;
    if (size) memcpy(error->message, message, size);
    error->message[size] = 0;
    return error;
}

void ffi_error_free(FfiError *error) {
    if (error != &out_of_memory) free(error);
}

static FfiError *absent(const char *what) { return make_error(PJRT_UNIMPLEMENTED, what); }

static FfiError *ffi_error_create(void *arguments) {
    const ARGS(const char *message; int32_t code;) *args = arguments;
    return make_error(args->code, args->message);
}

static void ffi_error_message(void *arguments) {
    ARGS(const FfiError *error; const char *message;) *args = arguments;
    args->message = args->error->message;
}

static void ffi_error_destroy(void *arguments) {
    const ARGS(FfiError * error;) *args = arguments;
    ffi_error_free(args->error);
}

static FfiError *handler_register(void *arguments) {
    (void)arguments;
    return absent("shardc: handlers are registered from Python, with jax.ffi");
}

static FfiError *stream_get(void *arguments) {
    (void)arguments;
    return absent("shardc has no streams");
}

// Numbers above those that the caller of PJRT gives itself.
static FfiError *type_register(void *arguments) {
    const ARGS(FfiSpan name; FfiTypeId * type; const void *info;) *args = arguments;
    static atomic_int_fast64_t next = 1 << 20;
    if (args->type->id == 0) args->type->id = atomic_fetch_add(&next, 1);
    return NULL;
}

static FfiError *context_get(void *arguments) {
    ARGS(const FfiContext *context; const FfiTypeId *type; void *data;) *args = arguments;
    PJRT_ExecuteContext *user = args->context->user;
    args->data = NULL;
    if (user) {
        pthread_mutex_lock(&user->lock);
        for (const UserValue *value = user->values; value && !args->data; value = value->next) {
            if (value->type == args->type->id) args->data = value->data;
        }
        pthread_mutex_unlock(&user->lock);
    }
    return args->data ? NULL
                      : make_error(PJRT_NOT_FOUND, "the execution has no value of this type");
}

static FfiError *state_set(void *arguments) {
    (void)arguments;
    return absent("shardc: handlers with state are not provided");
}

static FfiError *memory_allocate(void *arguments) {
    ARGS(FfiContext * context; size_t size; size_t alignment; void *data;) *args = arguments;
    size_t alignment = args->alignment < 64 ? 64 : args->alignment;
    args->data = aligned_alloc(alignment, (args->size + alignment) / alignment * alignment);
    return args->data ? NULL : make_error(PJRT_RESOURCE_EXHAUSTED, "out of memory");
}

static FfiError *memory_free(void *arguments) {
    const ARGS(FfiContext * context; size_t size; void *data;) *args = arguments;
    free(args->data);
    return NULL;
}

// In the handler's thread: devices have theirs already.
static FfiError *pool_schedule(void *arguments) {
    const ARGS(FfiContext * context; void (*task)(void *data); void *data;) *args = arguments;
    args->task(args->data);
    return NULL;
}

static FfiError *pool_size(void *arguments) {
    const ARGS(FfiContext * context; int64_t * count;) *args = arguments;
    *args->count = 1;
    return NULL;
}

static FfiError *future_create(void *arguments) {
    ARGS(FfiFuture * future;) *args = arguments;
    args->future = calloc(1, sizeof *args->future);
    if (!args->future) return make_error(PJRT_RESOURCE_EXHAUSTED, "out of memory");
    shardc_status_free(shardc_event_create(&args->future->event));
    if (args->future->event) return NULL;
    free(args->future);
    return make_error(PJRT_RESOURCE_EXHAUSTED, "out of memory");
}

static FfiError *future_set(void *arguments) {
    const ARGS(FfiFuture * future;) *args = arguments;
    shardc_event_set(args->future->event, NULL);
    return NULL;
}

static FfiError *future_fail(void *arguments) {
    const ARGS(FfiFuture * future; FfiError * error;) *args = arguments;
    shardc_event_set(
        args->future->event, shardc_status_create(SHARDC_FAILED, args->error->message));
    ffi_error_free(args->error);
    return NULL;
}

static FfiError *run_id(void *arguments) {
    ARGS(FfiContext * context; int64_t id;) *args = arguments;
    args->id = 0;
    return NULL;
}

static FfiError *device_ordinal(void *arguments) {
    ARGS(const FfiContext *context; int32_t ordinal;) *args = arguments;
    args->ordinal = (int32_t)args->context->device;
    return NULL;
}

const FfiApi ffi_api = {
    .struct_size = sizeof ffi_api,
    .version = {.struct_size = sizeof ffi_api.version, .major = FFI_MAJOR, .minor = FFI_MINOR},
    .error_create = ffi_error_create,
    .error_message = ffi_error_message,
    .error_destroy = ffi_error_destroy,
    .handler_register = handler_register,
    .stream_get = stream_get,
    .type_register = type_register,
    .context_get = context_get,
    .state_set = state_set,
    .state_get = state_set,
    .memory_allocate = memory_allocate,
    .memory_free = memory_free,
    .pool_schedule = pool_schedule,
    .pool_size = pool_size,
    .future_create = future_create,
    .future_set = future_set,
    .future_fail = future_fail,
    .run_id = run_id,
    .device_ordinal = device_ordinal,
};

// ffi: custom calls of a program to handlers of XLA's foreign function interface.
#include "plugin/ffi/ffi.h"

#include "plugin/ffi/ffi_internal.h"
#include "plugin/pjrt_extensions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values of an execution

ENTRY(ExecuteContext_Create) {
    args->context = calloc(1, sizeof *args->context);
    if (!args->context) return error_out_of_memory();
    atomic_store(&args->context->owners, 1);
    pthread_mutex_init(&args->context->lock, NULL);
    return NULL;
}

PJRT_ExecuteContext *context_retain(PJRT_ExecuteContext *context) {
    if (context) atomic_fetch_add(&context->owners, 1);
    return context;
}

void context_release(PJRT_ExecuteContext *context) {
    if (!context || atomic_fetch_sub(&context->owners, 1) > 1) return;
    while (context->values) {
        UserValue *value = context->values;
        context->values = value->next;
        free(value);
    }
    pthread_mutex_destroy(&context->lock);
    free(context);
}

ENTRY(ExecuteContext_Destroy) {
    context_release(args->context);
    return NULL;
}

// ---- handlers: those that a host registered, and those that it knows when asked

typedef struct Handler {
    char *name;
    FfiHandler *function;
    struct Handler *next;
} Handler;

static struct {
    pthread_mutex_t lock;
    Handler *first;
    void *(*find)(const char *name);
} handlers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool add_handler(const char *name, size_t size, FfiHandler *function) {
    Handler *made = calloc(1, sizeof *made);
    char *copy = made ? calloc(1, size + 1) : NULL;
    if (!copy) {
        free(made);
        return false;
    }
    memcpy(copy, name, size);
    *made = (Handler){.name = copy, .function = function};
    pthread_mutex_lock(&handlers.lock);
    made->next = handlers.first;
    handlers.first = made;
    pthread_mutex_unlock(&handlers.lock);
    return true;
}

static FfiHandler *known_handler(const char *name) {
    pthread_mutex_lock(&handlers.lock);
    const Handler *handler = handlers.first;
    while (handler && strcmp(handler->name, name) != 0)
        handler = handler->next;
    FfiHandler *function = handler ? handler->function : NULL;
    pthread_mutex_unlock(&handlers.lock);
    return function;
}

// The host may take its own locks to answer (Python's): none of ours is held then.
static FfiHandler *find_handler(const char *name) {
    FfiHandler *function = known_handler(name);
    if (function || !handlers.find) return function;
    void *found = handlers.find(name);
    if (!found) return NULL;
    memcpy(&function, &found, sizeof function);
    return add_handler(name, strlen(name), function) ? function : NULL;
}

// For hosts: asked for the handlers of names that nobody registered; returns the address of
// a handler's function, or NULL.
SHARDC_API void shardc_pjrt_find_handlers(void *(*find)(const char *name));

void shardc_pjrt_find_handlers(void *(*find)(const char *name)) { handlers.find = find; }

// ---- calls

typedef struct Call {
    const shardc_model_custom_call *model;
    FfiRegion region;
    bool hides_tokens; // Python's callbacks know none
    void *const *buffers;
} Call;

// The handler's view of array i.
static FfiBuffer *buffer_for(Call *call, int i) {
    const shardc_model_custom_array *array = &call->model->arrays[i];
    FfiBuffer *made = ffi_take(&call->region, sizeof *made);
    int64_t *dims = ffi_take(&call->region, (size_t)array->rank * sizeof *dims);
    *made = (FfiBuffer){
        .struct_size = sizeof *made,
        .type = ffi_type(array->type),
        .data = call->buffers[i],
        .rank = array->rank,
        .dims = dims};
    if (array->rank && dims) memcpy(dims, array->dims, (size_t)array->rank * sizeof *dims);
    return made;
}

static bool is_hidden(const Call *call, int i) {
    return call->hides_tokens && strcmp(call->model->arrays[i].type, "token") == 0;
}

static void fill_buffers(Call *call, int first, int count, FfiBuffers *list) {
    *list = (FfiBuffers){.struct_size = sizeof *list};
    list->kinds = ffi_take(&call->region, (size_t)count * sizeof *list->kinds);
    list->items = ffi_take(&call->region, (size_t)count * sizeof *list->items);
    for (int i = 0; i < count && list->kinds && list->items; i++) {
        if (is_hidden(call, first + i)) continue;
        list->kinds[list->size] = FFI_BUFFER;
        list->items[list->size++] = buffer_for(call, first + i);
    }
}

static int64_t integer_after(FfiSpan text, const char *name) {
    FfiSpan found = {NULL, 0};
    for (size_t i = 0; i + strlen(name) < text.size && !found.data; i++) {
        if (memcmp(text.data + i, name, strlen(name)) == 0)
            found = (FfiSpan){text.data + i + strlen(name), text.size - i - strlen(name)};
    }
    return found.data ? strtoll(found.data, NULL, 10) : -1;
}

// Results in the memory of operands begin with the operands' contents, and the
// handler finds both in one place.
static void copy_aliases(Call *call, FfiFrame *frame) {
    FfiSpan dictionary = {call->model->dictionary, strlen(call->model->dictionary)};
    FfiSpan rest = ffi_find(dictionary, "output_operand_aliases");
    for (;;) {
        int64_t operand = integer_after(rest, "operand_index = ");
        int64_t result = integer_after(rest, "output_tuple_indices = [");
        if (operand < 0 || operand >= call->model->operand_count) return;
        if (result < 0) result = 0; // the only one
        if (result < call->model->result_count) {
            FfiBuffer *from = frame->arguments.items[operand];
            const FfiBuffer *to = frame->results.items[result];
            int64_t bytes = call->model->arrays[operand].bytes;
            if (bytes == call->model->arrays[call->model->operand_count + result].bytes) {
                memcpy(to->data, from->data, (size_t)bytes);
                from->data = to->data;
            }
        }
        const char *next = NULL;
        for (size_t i = 1; i + 7 < rest.size && !next; i++) {
            if (memcmp(rest.data + i, "#stable", 7) == 0) next = rest.data + i;
        }
        if (!next) return;
        if (next == rest.data) return;
        rest = (FfiSpan){next, rest.size - (size_t)(next - rest.data)};
    }
}

// As much as fits: the beginning and the end, where a traceback has what went wrong.
static void give_message(char *error, uint64_t error_size, const char *text) {
    static const char gap[] = "\n...\n";
    size_t size = strlen(text), room = (size_t)error_size;
    if (size < room || room < 4 * sizeof gap) {
        (void)snprintf(error, room, "%s", text);
        return;
    }
    size_t head = room / 4;
    (void)snprintf(error, room, "%.*s%s", (int)head, text, gap);
    size_t used = strlen(error), tail = room - used - 1;
    memcpy(error + used, text + size - tail, tail + 1);
}

static int32_t fail(char *error, uint64_t error_size, const char *name, const char *why) {
    (void)snprintf(error, (size_t)error_size, "%s: %s", name, why);
    return 1;
}

// Waits for handlers that end later.
static bool await_future(FfiFuture *future, char *error, uint64_t error_size) {
    if (!future) return true;
    const shardc_status *status = shardc_event_await(future->event);
    if (status) give_message(error, error_size, shardc_status_message(status));
    bool good = !status;
    shardc_event_free(future->event);
    free(future);
    return good;
}

static int32_t make_call(
    Call *call, FfiHandler *handler, FfiFrame *frame, char *error, uint64_t error_size) {
    const char *name = call->model->name;
    FfiSpan dictionary = {call->model->dictionary, strlen(call->model->dictionary)};
    FfiSpan config = ffi_find(dictionary, "backend_config");
    if (config.size == 0 || config.data[0] != '{') config = (FfiSpan){"{}", 2};
    if (!ffi_attributes(&call->region, config, &frame->attributes))
        return fail(error, error_size, name, "shardc cannot hand its attributes to the handler");
    fill_buffers(call, 0, call->model->operand_count, &frame->arguments);
    fill_buffers(call, call->model->operand_count, call->model->result_count, &frame->results);
    if (call->region.has_failed) return fail(error, error_size, name, "out of memory");
    copy_aliases(call, frame);
    FfiError *failed = handler(frame);
    if (failed) {
        give_message(error, error_size, failed->message);
        ffi_error_free(failed);
        return 1;
    }
    return await_future(frame->future, error, error_size) ? 0 : 1;
}

static int32_t call_handler(
    void *user, void *execution, const shardc_model_custom_call *model, int64_t device,
    void *const *buffers, char *error, uint64_t error_size) {
    (void)user;
    FfiHandler *handler = find_handler(model->name);
    if (!handler) return fail(error, error_size, model->name, "it has no handler any more");
    FfiContext context = {.user = execution, .device = device};
    Call call = {
        .model = model,
        .buffers = buffers,
        .hides_tokens = strstr(model->name, "_python_cpu_callback") != NULL};
    FfiFrame frame = {
        .struct_size = offsetof(FfiFrame, future),
        .api = &ffi_api,
        .context = &context,
        .stage = FFI_EXECUTE};
    int32_t failed = make_call(&call, handler, &frame, error, error_size);
    ffi_release(&call.region);
    return failed;
}

static int knows(void *user, const char *name) {
    (void)user;
    return find_handler(name) != NULL;
}

shardc_status *ffi_attach(shardc_context *context) {
    const shardc_custom_resolver resolver = {
        .struct_size = sizeof resolver, .knows = knows, .call = call_handler};
    return shardc_set_custom_resolver(context, &resolver);
}

// ---- the extension

static PJRT_Error *FFI_Type_Register(PJRT_FFI_Type_Register_Args *args) {
    static atomic_int_fast64_t next = 1;
    if (args->type_id == 0) args->type_id = atomic_fetch_add(&next, 1);
    return NULL;
}

static PJRT_Error *FFI_UserData_Add(PJRT_FFI_UserData_Add_Args *args) {
    UserValue *made = calloc(1, sizeof *made);
    if (!args->context || !made) {
        free(made);
        return args->context ? error_out_of_memory()
                             : error_create(PJRT_INVALID_ARGUMENT, "the context is NULL");
    }
    pthread_mutex_lock(&args->context->lock);
    *made = (UserValue){args->user_data.type_id, args->user_data.data, args->context->values};
    args->context->values = made;
    pthread_mutex_unlock(&args->context->lock);
    return NULL;
}

static PJRT_Error *FFI_Register_Handler(PJRT_FFI_Register_Handler_Args *args) {
    FfiHandler *function = NULL;
    memcpy(&function, &args->handler, sizeof function);
    return add_handler(args->target_name, args->target_name_size, function) ? NULL
                                                                            : error_out_of_memory();
}

PJRT_FFI_Extension ffi_extension = {
    .base = {sizeof ffi_extension, PJRT_EXTENSION_FFI, NULL},
    .FFI_Type_Register = FFI_Type_Register,
    .FFI_UserData_Add = FFI_UserData_Add,
    .FFI_Register_Handler = FFI_Register_Handler,
};

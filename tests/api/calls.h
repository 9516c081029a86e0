// A call of every public function with right arguments, of which any pointer can be left out: for
// test_arguments.c, which has the table.
#ifndef SHARDC_TESTS_API_CALLS_H
#define SHARDC_TESTS_API_CALLS_H

#include "api_test.h"

#include <stdbool.h>

typedef struct Fixture {
    shardc_context *context;
    shardc_module *module;
    shardc_func *func;
    shardc_value x; // of type tensor<4xf32>
    shardc_executable *executable, *tiled;
    shardc_buffer *buffer;
    float array[4];
    const char *library; // a model.so
    int count;           // of the functions and meshes that were made: their names differ
} Fixture;

// Calls the function with its pointer number `missing` NULL and all else right. NULL after success
// and for functions without a status; what the others answer is checked in it.
typedef shardc_status *Caller(Fixture *fixture, int missing);

#define CALLER(function) static shardc_status *call_##function(Fixture *f, int missing)
#define GIVE(i, pointer) ((missing) == (i) ? NULL : (pointer))
#define NOWHERE          ((void *)f) // what no function may leave in a pointer that it returns

static const char identity[] = "module @identity {\n"
                               "  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                               "    %0 = stablehlo.abs %a : tensor<4xf32>\n"
                               "    return %0 : tensor<4xf32>\n"
                               "  }\n"
                               "}\n";
static const char *fresh_name(Fixture *f) {
    static char name[32];
    snprintf(name, sizeof name, "name%d", f->count++);
    return name;
}

static const int64_t four[] = {4}, two_by_two[] = {2, 2}, zero[] = {0};

// status.h, types.h, shardc.h

CALLER(shardc_status_code) {
    (void)f;
    (void)missing;
    assert_int_equal(shardc_status_code(NULL), SHARDC_OK);
    return NULL;
}

CALLER(shardc_status_create) {
    (void)f;
    shardc_status *status = shardc_status_create(SHARDC_FAILED, GIVE(0, "why"));
    assert_int_equal(shardc_status_code(status), SHARDC_FAILED);
    assert_string_equal(shardc_status_message(status), missing == 0 ? "" : "why");
    shardc_status_free(status);
    return NULL;
}

CALLER(shardc_status_message) {
    (void)f;
    (void)missing;
    assert_string_equal(shardc_status_message(NULL), "");
    return NULL;
}

CALLER(shardc_status_report) {
    (void)f;
    (void)missing;
    assert_string_equal(shardc_status_report(NULL), "");
    return NULL;
}

static shardc_status *some_error(const Fixture *f) {
    shardc_module *module = NULL;
    return shardc_module_parse(f->context, "t", "\n oops", 6, &module);
}

CALLER(shardc_status_line) {
    shardc_status *status = some_error(f);
    int column = -1;
    int line = shardc_status_line(GIVE(0, status), GIVE(1, &column));
    assert_int_equal(line, missing == 0 ? 0 : 2);
    assert_int_equal(column, missing == 0 ? 0 : missing == 1 ? -1 : 2);
    shardc_status_free(status);
    return NULL;
}

CALLER(shardc_status_diagnostics) {
    shardc_status *status = some_error(f);
    size_t count = 77;
    const shardc_diagnostic *list = shardc_status_diagnostics(GIVE(0, status), GIVE(1, &count));
    assert_true((list == NULL) == (missing >= 0));
    assert_int_equal(count, missing == 0 ? 0 : missing == 1 ? 77 : 1);
    shardc_status_free(status);
    return NULL;
}

CALLER(shardc_status_free) {
    shardc_status_free(GIVE(0, some_error(f)));
    return NULL;
}

CALLER(shardc_dtype_size) {
    (void)f;
    (void)missing;
    assert_int_equal(shardc_dtype_size((shardc_dtype)-1), 0);
    return NULL;
}

CALLER(shardc_dtype_name) {
    (void)f;
    (void)missing;
    assert_string_equal(shardc_dtype_name((shardc_dtype)-1), "");
    return NULL;
}

CALLER(shardc_version) {
    (void)f;
    (void)missing;
    assert_string_equal(shardc_version(), SHARDC_VERSION);
    return NULL;
}

// module.h

static void *allocate(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

CALLER(shardc_context_create) {
    const shardc_allocator allocator = {allocate, release, NULL};
    shardc_context *context = NOWHERE;
    shardc_status *status = shardc_context_create(GIVE(0, &allocator), GIVE(1, &context));
    if (!status) shardc_context_free(context);
    return status;
}

CALLER(shardc_context_free) {
    shardc_context *context = NULL;
    if (missing < 0) succeeds(shardc_context_create(NULL, &context));
    shardc_context_free(context);
    (void)f;
    return NULL;
}

CALLER(shardc_module_parse) {
    shardc_module *module = NOWHERE;
    shardc_status *status = shardc_module_parse(
        GIVE(0, f->context), GIVE(1, "name"), GIVE(2, identity), sizeof identity - 1,
        GIVE(3, &module));
    if (status && missing != 3) assert_null(module);
    if (!status) shardc_module_free(module);
    return status;
}

CALLER(shardc_module_parse_with) {
    const shardc_read_options options = {.struct_size = sizeof options, .name = "name"};
    shardc_module *module = NOWHERE;
    shardc_status *status = shardc_module_parse_with(
        GIVE(0, f->context), GIVE(1, &options), GIVE(2, identity), sizeof identity - 1,
        GIVE(3, &module));
    if (status && missing != 3) assert_null(module);
    if (!status) shardc_module_free(module);
    return status;
}

CALLER(shardc_module_parse_file) {
    char path[64] = "/tmp/shardc-program-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, identity, sizeof identity - 1), sizeof identity - 1);
    close(file);
    shardc_module *module = NOWHERE;
    shardc_status *status =
        shardc_module_parse_file(GIVE(0, f->context), GIVE(1, path), GIVE(2, &module));
    if (status && missing != 2) assert_null(module);
    if (!status) shardc_module_free(module);
    unlink(path);
    return status;
}

CALLER(shardc_module_free) {
    shardc_module *module = NULL;
    if (missing < 0) succeeds(shardc_module_create(f->context, NULL, &module));
    shardc_module_free(module);
    return NULL;
}

CALLER(shardc_module_diagnostics) {
    size_t count = 77;
    assert_null(shardc_module_diagnostics(GIVE(0, f->module), GIVE(1, &count)));
    assert_int_equal(count, missing == 1 ? 77 : 0);
    return NULL;
}

CALLER(shardc_module_text) {
    const char *text = NOWHERE;
    shardc_status *status = shardc_module_text(GIVE(0, f->module), GIVE(1, &text));
    if (status && missing != 1) assert_null(text);
    return status;
}

// buffer.h

CALLER(shardc_buffer_create) {
    shardc_buffer *buffer = NOWHERE;
    shardc_status *status = shardc_buffer_create(SHARDC_F32, 1, GIVE(0, four), GIVE(1, &buffer));
    if (status && missing != 1) assert_null(buffer);
    if (!status) shardc_buffer_free(buffer);
    return status;
}

CALLER(shardc_buffer_wrap) {
    shardc_buffer *buffer = NOWHERE;
    shardc_status *status = shardc_buffer_wrap(
        SHARDC_F32, 1, GIVE(0, four), GIVE(1, four), GIVE(2, (void *)f->array), GIVE(3, &buffer));
    if (status && missing != 3) assert_null(buffer);
    if (!status) shardc_buffer_free(buffer);
    return status;
}

CALLER(shardc_buffer_free) {
    shardc_buffer *buffer = NULL;
    if (missing < 0) succeeds(shardc_buffer_create(SHARDC_F32, 1, four, &buffer));
    shardc_buffer_free(buffer);
    (void)f;
    return NULL;
}

CALLER(shardc_buffer_data) {
    assert_ptr_equal(shardc_buffer_data(GIVE(0, f->buffer)), GIVE(0, (void *)f->array));
    return NULL;
}

CALLER(shardc_buffer_dtype) {
    assert_int_equal(shardc_buffer_dtype(GIVE(0, f->buffer)), missing ? SHARDC_F32 : 0);
    return NULL;
}

CALLER(shardc_buffer_rank) {
    assert_int_equal(shardc_buffer_rank(GIVE(0, f->buffer)), missing ? 1 : 0);
    return NULL;
}

CALLER(shardc_buffer_dims) {
    assert_true((shardc_buffer_dims(GIVE(0, f->buffer)) == NULL) == (missing == 0));
    return NULL;
}

CALLER(shardc_buffer_bytes) {
    assert_int_equal(shardc_buffer_bytes(GIVE(0, f->buffer)), missing ? 16 : 0);
    return NULL;
}

// options.h, executable.h

CALLER(shardc_options_init) {
    (void)f;
    shardc_options options = {0};
    shardc_options_init(GIVE(0, &options));
    assert_int_equal(options.struct_size, missing ? sizeof options : 0);
    return NULL;
}

static shardc_module *read_identity(const Fixture *f) {
    shardc_module *module = NULL;
    succeeds(shardc_module_parse(f->context, "t", identity, sizeof identity - 1, &module));
    return module;
}

CALLER(shardc_compile) {
    shardc_options options;
    shardc_options_init(&options);
    shardc_module *module = read_identity(f);
    shardc_executable *executable = NOWHERE;
    shardc_status *status =
        shardc_compile(GIVE(0, module), GIVE(1, &options), GIVE(2, &executable));
    if (status && missing != 2) assert_null(executable);
    if (!status) shardc_executable_free(executable);
    shardc_module_free(module);
    return status;
}

CALLER(shardc_compile_to_file) {
    shardc_options options;
    shardc_options_init(&options);
    shardc_module *module = read_identity(f);
    shardc_status *status = shardc_compile_to_file(
        GIVE(0, module), GIVE(1, &options), SHARDC_EMIT_PROPAGATED, GIVE(2, scratch("out.mlir")));
    shardc_module_free(module);
    return status;
}

CALLER(shardc_executable_load) {
    shardc_options options;
    shardc_options_init(&options);
    shardc_executable *executable = NOWHERE;
    shardc_status *status =
        shardc_executable_load(GIVE(0, f->library), GIVE(1, &options), GIVE(2, &executable));
    if (status && missing != 2) assert_null(executable);
    if (!status) shardc_executable_free(executable);
    return status;
}

CALLER(shardc_executable_free) {
    (void)f;
    shardc_executable_free(GIVE(0, compiled(identity, NULL)));
    return NULL;
}

CALLER(shardc_executable_model) {
    assert_true((shardc_executable_model(GIVE(0, f->executable)) == NULL) == (missing == 0));
    return NULL;
}

CALLER(shardc_executable_printed) {
    assert_string_equal(shardc_executable_printed(GIVE(0, f->executable)), "");
    return NULL;
}

CALLER(shardc_array_dtype) {
    const shardc_model_array *array = shardc_executable_model(f->executable)->args;
    assert_int_equal(shardc_array_dtype(GIVE(0, array)), missing ? SHARDC_F32 : 0);
    return NULL;
}

CALLER(shardc_execute) {
    const void *const inputs[] = {f->array};
    float out[4];
    void *const outputs[] = {out};
    return shardc_execute(GIVE(0, f->executable), GIVE(1, inputs), GIVE(2, outputs));
}

CALLER(shardc_execute_buffers) {
    shardc_buffer *out = NULL;
    succeeds(shardc_buffer_create(SHARDC_F32, 1, four, &out));
    shardc_status *status =
        shardc_execute_buffers(GIVE(0, f->executable), GIVE(1, &f->buffer), 1, GIVE(2, &out), 1);
    shardc_buffer_free(out);
    return status;
}

CALLER(shardc_execute_async) {
    const void *const inputs[] = {f->array};
    float out[4];
    void *const outputs[] = {out};
    shardc_event *event = NOWHERE;
    shardc_status *status = shardc_execute_async(
        GIVE(0, f->executable), GIVE(1, inputs), GIVE(2, outputs), GIVE(3, &event));
    if (status && missing != 3) assert_null(event);
    if (!status) succeeds(shardc_event_wait(event));
    return status;
}

CALLER(shardc_execute_tiles) {
    float result[4];
    const void *inputs[] = {f->array};
    void *outputs[] = {result};
    return shardc_execute_tiles(GIVE(0, f->tiled), GIVE(1, inputs), GIVE(2, outputs), NULL);
}

CALLER(shardc_execute_tiles_async) {
    float result[4];
    const void *inputs[] = {f->array};
    void *outputs[] = {result};
    shardc_event *event = NOWHERE;
    shardc_status *status = shardc_execute_tiles_async(
        GIVE(0, f->tiled), GIVE(1, inputs), GIVE(2, outputs), NULL, GIVE(4, &event));
    if (status && missing != 4) assert_null(event);
    if (!status) succeeds(shardc_event_wait(event));
    return status;
}

CALLER(shardc_compile_to_text) {
    shardc_module *module = read_identity(f);
    shardc_options options = {.struct_size = sizeof options};
    char *text = NOWHERE;
    shardc_status *status = shardc_compile_to_text(
        GIVE(0, module), GIVE(1, &options), SHARDC_EMIT_PARTITIONED, GIVE(2, &text));
    if (missing == 2) text = NULL;
    if (!status) assert_non_null(strstr(text, "stablehlo.abs"));
    shardc_bytes_free(text);
    shardc_module_free(module);
    return status;
}

CALLER(shardc_executable_serialize) {
    char *bytes = NULL;
    size_t size = 0;
    shardc_status *status =
        shardc_executable_serialize(GIVE(0, f->tiled), GIVE(1, &bytes), GIVE(2, &size));
    if (status) assert_null(bytes);
    shardc_bytes_free(bytes);
    return status;
}

CALLER(shardc_executable_deserialize) {
    char *bytes = NULL;
    size_t size = 0;
    shardc_executable *executable = NULL;
    succeeds(shardc_executable_serialize(f->tiled, &bytes, &size));
    shardc_status *status = shardc_executable_deserialize(
        GIVE(0, f->context), GIVE(1, bytes), size, NULL, GIVE(3, &executable));
    shardc_bytes_free(bytes);
    shardc_executable_free(executable);
    return status;
}

CALLER(shardc_bytes_free) {
    (void)f;
    (void)missing;
    shardc_bytes_free(NULL);
    return NULL;
}

CALLER(shardc_executable_rebind) {
    shardc_executable_rebind(GIVE(0, f->executable));
    return NULL;
}

CALLER(shardc_executable_counters) {
    shardc_model_counters counters = {.struct_size = sizeof counters, .executions = -1};
    shardc_executable_counters(GIVE(0, f->executable), GIVE(1, &counters));
    assert_true(counters.executions == (missing == 1 ? -1 : 0) || missing == -1);
    return NULL;
}

CALLER(shardc_executable_device_bytes) {
    assert_true((shardc_executable_device_bytes(GIVE(0, f->executable)) == 0) == (missing == 0));
    return NULL;
}

// custom.h, explain.h, profile.h

static int knows_nothing(void *user, const char *name) {
    (void)user;
    return *name == 0;
}

static int32_t refuse_call(
    void *user, void *execution, const shardc_model_custom_call *call, int64_t device,
    void *const *buffers, char *error, uint64_t error_size) {
    (void)user;
    (void)execution;
    (void)buffers;
    snprintf(error, error_size, "%s refused on %d", call->name, (int)device);
    return 1;
}

CALLER(shardc_set_custom_resolver) {
    const shardc_custom_resolver resolver = {
        .struct_size = sizeof resolver, .knows = knows_nothing, .call = refuse_call};
    shardc_status *status = shardc_set_custom_resolver(GIVE(0, f->context), GIVE(1, &resolver));
    succeeds(shardc_set_custom_resolver(f->context, NULL));
    return status;
}

static int partition_nothing(
    void *user, const shardc_partition_request *request, shardc_partition_reply *reply, char *error,
    size_t error_size) {
    (void)user;
    (void)request;
    (void)reply;
    snprintf(error, error_size, "refused");
    return 1;
}

static void release_nothing(void *user, shardc_partition_reply *reply) {
    (void)user;
    (void)reply;
}

CALLER(shardc_set_partitioner) {
    const shardc_partitioner partitioner = {
        .struct_size = sizeof partitioner,
        .knows = knows_nothing,
        .partition = partition_nothing,
        .release = release_nothing};
    shardc_status *status = shardc_set_partitioner(GIVE(0, f->context), GIVE(1, &partitioner));
    succeeds(shardc_set_partitioner(f->context, NULL));
    return status;
}

static void nothing(void) {}

CALLER(shardc_register_custom) {
    const shardc_custom_parameter parameters[] = {{.kind = SHARDC_CUSTOM_DEVICE}};
    return shardc_register_custom(
        GIVE(0, f->context), GIVE(1, fresh_name(f)), GIVE(2, nothing), GIVE(3, parameters), 1,
        SHARDC_CUSTOM_VOID, GIVE(4, (void *)f));
}

CALLER(shardc_executable_load_custom) {
    shardc_options options;
    shardc_options_init(&options);
    shardc_executable *executable = NOWHERE;
    shardc_status *status = shardc_executable_load_custom(
        GIVE(0, f->context), GIVE(1, f->library), GIVE(2, &options), GIVE(3, &executable));
    if (status && missing != 3) assert_null(executable);
    if (!status) shardc_executable_free(executable);
    return status;
}

CALLER(shardc_explain_options_init) {
    (void)f;
    shardc_explain_options options = {0};
    shardc_explain_options_init(GIVE(0, &options));
    assert_int_equal(options.struct_size, missing ? sizeof options : 0);
    return NULL;
}

CALLER(shardc_explain) {
    shardc_options options;
    shardc_explain_options explain;
    shardc_options_init(&options);
    shardc_explain_options_init(&explain);
    shardc_module *module = read_identity(f);
    shardc_explanation *explanation = NOWHERE;
    shardc_status *status = shardc_explain(
        GIVE(0, module), GIVE(1, &options), GIVE(2, &explain), GIVE(3, &explanation));
    if (status && missing != 3) assert_null(explanation);
    if (!status) shardc_explanation_free(explanation);
    shardc_module_free(module);
    return status;
}

CALLER(shardc_explanation_free) {
    (void)f;
    (void)missing;
    shardc_explanation_free(NULL);
    return NULL;
}

CALLER(shardc_profile_text) {
    char *text = NOWHERE;
    shardc_status *status =
        shardc_profile_text(GIVE(0, f->executable), SHARDC_PROFILE_TABLE, GIVE(1, &text));
    if (status && missing != 1) assert_null(text);
    if (!status) shardc_profile_free(text);
    return status;
}

CALLER(shardc_profile_reset) {
    shardc_profile_reset(GIVE(0, f->executable));
    return call_shardc_execute(f, -1); // the profile has an execution again
}

CALLER(shardc_profile_free) {
    (void)f;
    (void)missing;
    shardc_profile_free(NULL);
    return NULL;
}

#endif

// Custom functions of models in files: who loads them brings the functions.
#define _GNU_SOURCE
#include "custom_test.h"

#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

static shardc_status *compile_to(
    shardc_context *context, const char *text, const char *custom, shardc_emit emit,
    const char *path) {
    shardc_module *module = NULL;
    shardc_options options = {.struct_size = sizeof options, .custom = custom};
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    shardc_status *status = shardc_compile_to_file(module, &options, emit, path);
    shardc_module_free(module);
    return status;
}

static void check_scaled(shardc_executable *executable) {
    float a[24], result[24];
    for (int i = 0; i < 24; i++)
        a[i] = (float)(i - 7);
    const void *inputs[] = {a};
    void *outputs[] = {result};
    succeeds(shardc_execute(executable, inputs, outputs));
    for (int i = 0; i < 24; i++)
        assert_true(result[i] == (6 * a[i] + 5) * a[i]);
}

// The functions need not exist where a file is made; who loads it brings them.
static void files_call_functions_of_who_loads_them(void **state) {
    (void)state;
    atomic_int calls = 0;
    shardc_context *context = NULL;
    const char *path = scratch("model.so");
    succeeds(shardc_context_create(NULL, &context));
    fails_with(
        compile_to(context, on_four_devices, "other", SHARDC_EMIT_SO, path), SHARDC_UNSUPPORTED,
        "@scale");
    assert_int_not_equal(access(path, F_OK), 0);
    succeeds(compile_to(context, on_four_devices, "other,scale", SHARDC_EMIT_SO, path));
    succeeds(compile_to(context, on_four_devices, "scale", SHARDC_EMIT_PER_SHARD, path));
    shardc_executable *executable = NULL;
    fails_with(
        shardc_executable_load_custom(context, path, NULL, &executable), SHARDC_INVALID_INPUT,
        "'scale' is not registered");
    shardc_context_free(context);

    context = context_with_functions(&calls);
    succeeds(shardc_executable_load_custom(context, path, NULL, &executable));
    check_scaled(executable);
    shardc_executable_free(executable);
    succeeds(shardc_executable_load_custom(context, scratch("model.2.so"), NULL, &executable));
    shardc_context_free(context);
    check_scaled(executable);
    assert_int_equal(atomic_load(&calls), 8);
    shardc_executable_free(executable);

    float a[24] = {0}, result[24];
    const void *inputs[] = {a};
    void *outputs[] = {result};
    succeeds(shardc_executable_load(path, NULL, &executable));
    fails_with(shardc_execute(executable, inputs, outputs), SHARDC_INVALID_INPUT, "'scale'");
    shardc_executable_free(executable);
}

static void a_call_in_a_file_that_does_not_fit_is_refused(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %0 = stablehlo.custom_call @scale(%a) : (tensor<2xi32>) -> tensor<2xi32>\n"
        "  return %0 : tensor<2xi32>\n"
        "}\n";
    atomic_int calls = 0;
    const char *path = scratch("unfit.so");
    shardc_context *context = context_with_functions(&calls);
    succeeds(
        compile_to(context, text, NULL, SHARDC_EMIT_SO, path)); // registered: no need to name it
    shardc_executable *executable = NULL;
    shardc_status *status = shardc_executable_load_custom(context, path, NULL, &executable);
    assert_non_null(strstr(shardc_status_report(status), "test.mlir:2:8"));
    fails_with(status, SHARDC_INVALID_INPUT, "wants operand 0 of type f32, it has i32");
    assert_null(executable);
    shardc_context_free(context);
}

#define FIND(library, symbol, function)            \
    do {                                           \
        void *found = dlsym(library, symbol);      \
        assert_non_null(found);                    \
        memcpy(&(function), &found, sizeof found); \
    } while (0)

// A model on four devices whose functions the caller must supply, as a program sees it that has
// nothing of shardc but model.h.
static const shardc_model *open_model(const char *name, void **library) {
    shardc_context *context = NULL;
    const char *path = scratch(name);
    succeeds(shardc_context_create(NULL, &context));
    succeeds(compile_to(context, on_four_devices, "scale", SHARDC_EMIT_SO, path));
    shardc_context_free(context);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(*library);
    const shardc_model *(*entry)(void) = NULL;
    FIND(*library, "shardc_model_entry", entry);
    return entry();
}

// What such a program does: one function for all calls.
typedef struct Caller {
    const shardc_model *model;
    atomic_int calls;
} Caller;

static int32_t call_by_number(
    void *user, int64_t number, int64_t device, void *const *buffers, char *error,
    uint64_t error_size) {
    Caller *caller = user;
    const shardc_model_custom_call *call = &caller->model->custom_calls[number];
    atomic_fetch_add(&caller->calls, 1);
    if (strcmp(call->name, "scale") != 0 || call->operand_count != 1 || device > 3) {
        snprintf(error, (size_t)error_size, "no function %s", call->name);
        return 1;
    }
    double factor = 0, offset = 0;
    for (int32_t i = 0; i < call->attribute_count; i++) {
        if (strcmp(call->attributes[i].name, "factor") == 0) factor = call->attributes[i].number;
        if (strcmp(call->attributes[i].name, "offset") == 0) offset = call->attributes[i].number;
    }
    const float *x = buffers[0];
    float *y = buffers[1];
    for (int64_t i = 0; i < call->arrays[1].bytes / (int64_t)sizeof *y; i++)
        y[i] = (float)(factor * (double)x[i] + offset);
    return 0;
}

static void files_call_through_their_uniform_entry(void **state) {
    (void)state;
    void *library = NULL;
    const shardc_model *model = open_model("uniform.so", &library);
    Caller caller = {.model = model};
    assert_int_equal(caller.model->custom_count, 1);
    assert_string_equal(caller.model->custom_calls[0].location, "test.mlir:6:10");
    assert_int_equal(caller.model->custom_calls[0].arrays[1].dims[1], 6);
    shardc_model_options options = {
        .struct_size = sizeof options, .custom = call_by_number, .custom_user = &caller};
    for (int has_function = 0; has_function < 2; has_function++) {
        if (!has_function) options.custom = NULL;
        shardc_model_instance *instance = NULL;
        char error[256] = "";
        float a[24] = {1, 2, 3}, result[24];
        const void *inputs[] = {a};
        void *outputs[] = {result};
        assert_int_equal(
            caller.model->create(caller.model, &options, &instance, error, sizeof error), 0);
        int status = caller.model->execute(instance, inputs, outputs);
        if (has_function) {
            assert_int_equal(status, SHARDC_MODEL_OK);
            assert_true(result[2] == (6 * 3 + 5) * 3);
        } else {
            assert_int_equal(status, SHARDC_MODEL_FAILED);
            assert_non_null(strstr(caller.model->message(instance), "custom function 'scale'"));
        }
        caller.model->destroy(instance);
        options.custom = call_by_number;
    }
    assert_int_equal(atomic_load(&caller.calls), 4);
    dlclose(library);
}

// Bytes that a function which forgets to write something would find on its stack.
static void dirty_stack(void) {
    volatile unsigned char garbage[8192];
    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = 0x5a;
}

typedef int TypedRun(const float *a, float *result);
typedef int TypedCreate(void **instance, int threads);
typedef int TypedExecute(void *instance, const float *a, float *result);
typedef const char *TypedMessage(const void *instance);
typedef void TypedDestroy(void *instance);

// The functions of the generated header hand over options of their own: a model with
// custom calls has none to call then.
static void typed_functions_of_a_model_with_calls_fail_with_a_message(void **state) {
    (void)state;
    void *library = NULL;
    const shardc_model *model = open_model("typed.so", &library);
    TypedRun *run_once = NULL;
    FIND(library, "four_run", run_once);
    TypedCreate *create = NULL;
    FIND(library, "four_create", create);
    TypedExecute *execute = NULL;
    FIND(library, "four_execute", execute);
    TypedMessage *message = NULL;
    FIND(library, "four_message", message);
    TypedDestroy *destroy = NULL;
    FIND(library, "four_destroy", destroy);
    float a[24] = {1, 2, 3}, result[24];
    dirty_stack();
    assert_int_equal(run_once(a, result), SHARDC_MODEL_FAILED);
    for (int threads = 0; threads < 4; threads++) {
        void *instance = NULL;
        dirty_stack();
        assert_int_equal(create(&instance, threads), SHARDC_MODEL_OK);
        dirty_stack();
        assert_int_equal(execute(instance, a, result), SHARDC_MODEL_FAILED);
        assert_non_null(strstr(message(instance), "'scale'"));
        destroy(instance);
    }
    // An instance of the model's own create has them, and the typed functions run it.
    Caller caller = {.model = model};
    shardc_model_options options = {
        .struct_size = sizeof options, .custom = call_by_number, .custom_user = &caller};
    shardc_model_instance *instance = NULL;
    assert_int_equal(caller.model->create(caller.model, &options, &instance, NULL, 0), 0);
    assert_int_equal(execute(instance, a, result), SHARDC_MODEL_OK);
    assert_true(result[2] == (6 * 3 + 5) * 3);
    destroy(instance);
    dlclose(library);
}

// A caller that was compiled before options had `custom` hands over fewer bytes:
// what lies behind them is not read.
static void shorter_options_are_read_as_far_as_they_go(void **state) {
    (void)state;
    void *library = NULL;
    const shardc_model *model = open_model("older.so", &library);
    shardc_model_options options;
    memset(&options, 0x5a, sizeof options);
    options.struct_size = offsetof(shardc_model_options, custom);
    options.threads = 2;
    options.profile = 0;
    options.watchdog_seconds = 20;
    shardc_model_instance *instance = NULL;
    float a[24] = {0}, result[24];
    const void *inputs[] = {a};
    void *outputs[] = {result};
    assert_int_equal(model->create(model, &options, &instance, NULL, 0), 0);
    assert_int_equal(model->execute(instance, inputs, outputs), SHARDC_MODEL_FAILED);
    shardc_model_counters counters = {.struct_size = offsetof(shardc_model_counters, threads)};
    model->counters(instance, &counters);
    assert_int_equal(counters.executions, 1);
    assert_int_equal(counters.threads, 0); // beyond what the caller knows
    model->destroy(instance);
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_call_functions_of_who_loads_them),
        cmocka_unit_test(a_call_in_a_file_that_does_not_fit_is_refused),
        cmocka_unit_test(files_call_through_their_uniform_entry),
        cmocka_unit_test(typed_functions_of_a_model_with_calls_fail_with_a_message),
        cmocka_unit_test(shorter_options_are_read_as_far_as_they_go),
    };
    return cmocka_run_group_tests_name("custom files", tests, NULL, remove_folder);
}

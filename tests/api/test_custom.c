// Custom functions: programs that call functions of this file.
#define _GNU_SOURCE
#include "api_test.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

// y = factor * x + offset; counts its calls in `user`.
static int scale(
    const float *x, float *y, int64_t count, double factor, int64_t offset, int64_t device,
    void *user) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = (float)factor * x[i] + (float)offset;
    }
    atomic_fetch_add((atomic_int *)user, 1);
    return device >= 0 ? 0 : 1;
}

static const shardc_custom_parameter scale_parameters[] = {
    {.kind = SHARDC_CUSTOM_OPERAND, .dtype = SHARDC_F32},
    {.kind = SHARDC_CUSTOM_RESULT, .dtype = SHARDC_F32},
    {.kind = SHARDC_CUSTOM_RESULT_COUNT},
    {.kind = SHARDC_CUSTOM_F64, .name = "factor"},
    {.kind = SHARDC_CUSTOM_I64, .name = "offset"},
    {.kind = SHARDC_CUSTOM_DEVICE},
    {.kind = SHARDC_CUSTOM_USER},
};

static int fail_with_7(void) { return 7; }

// Registers all functions of this file in a new context.
static shardc_context *context_with_functions(atomic_int *calls) {
    shardc_context *context = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_register_custom(
        context, "scale", (shardc_custom_function *)scale, scale_parameters, 7,
        SHARDC_CUSTOM_STATUS, calls));
    succeeds(shardc_register_custom(
        context, "fail", (shardc_custom_function *)fail_with_7, NULL, 0, SHARDC_CUSTOM_STATUS,
        NULL));
    return context;
}

// Compiles; the context and the module are gone when this returns.
static shardc_status *compile_with(
    shardc_context *context, const char *text, const shardc_options *options,
    shardc_executable **executable) {
    shardc_module *module = NULL;
    *executable = NULL;
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    shardc_status *status = shardc_compile(module, options, executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

#define SCALE(type)                                                                              \
    "stablehlo.custom_call @scale(%0) {api_version = 4 : i32, backend_config = {factor = 3.0 : " \
    "f64, offset = 5 : i64}}"                                                                    \
    " : (" type ") -> " type "\n"

// result = scale(a + a) * a
static const char on_one_device[] =
    "module @one {\n"
    "  func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {\n"
    "    %0 = stablehlo.add %a, %a : tensor<4x6xf32>\n"
    "    %1 = " SCALE("tensor<4x6xf32>") "    %2 = stablehlo.multiply %1, %a : tensor<4x6xf32>\n"
                                         "    return %2 : tensor<4x6xf32>\n"
                                         "  }\n"
                                         "}\n";

static const char on_four_devices[] =
    "module @four {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{\"y\"}]>})\n"
    "      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) {\n"
    "    %0 = stablehlo.add %a, %a : tensor<4x6xf32>\n"
    "    %1 = " SCALE("tensor<4x6xf32>") "    %2 = stablehlo.multiply %1, %a : tensor<4x6xf32>\n"
                                         "    return %2 : tensor<4x6xf32>\n"
                                         "  }\n"
                                         "}\n";

// The device that its sharding names calls the function, in Shardy's notation and in GSPMD's, and gives the others the result.
#define ON_DEVICE_2(sharding)                                                                     \
    "module @one_of_four attributes {mhlo.num_partitions = 4 : i32} {\n"                          \
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"                                                            \
    "  sdy.mesh @device_2 = <[], device_ids=[2]>\n"                                               \
    "  func.func @main(%0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})" \
    "\n      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"       \
    "    %1 = stablehlo.custom_call @scale(%0) {api_version = 4 : i32, backend_config = "         \
    "{factor = 3.0 : f64, offset = 5 : i64}, has_side_effect = true, " sharding                   \
    "} : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"                                                  \
    "    %2 = stablehlo.multiply %1, %0 : tensor<4x6xf32>\n"                                      \
    "    return %2 : tensor<4x6xf32>\n"                                                           \
    "  }\n"                                                                                       \
    "}\n"

static const char *const on_one_of_four[] = {
    ON_DEVICE_2("sdy.sharding = #sdy.sharding_per_value<[<@device_2, []>]>"),
    ON_DEVICE_2("mhlo.sharding = \"{maximal device=2}\"")};

// Each device calls the function with its own columns, straight from the argument and into the result.
static const char on_tiles[] =
    "module @tiles {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>})\n"
    "      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) {\n"
    "    %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {\"x\"}]>] "
    "out_shardings=[<@mesh, [{}, {\"x\"}]>]\n"
    "        manual_axes={\"x\"} (%0: tensor<4x3xf32>) {\n"
    "      %1 = " SCALE("tensor<4x3xf32>") "      sdy.return %1 : tensor<4x3xf32>\n"
                                           "    } : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
                                           "    return %r : tensor<4x6xf32>\n"
                                           "  }\n"
                                           "}\n";

// Runs a program on 24 numbers; returns the calls that were made.
static int run(const char *text, int threads, float *a, float *result) {
    atomic_int calls = 0;
    shardc_executable *executable = NULL;
    shardc_options options = {.struct_size = sizeof options, .threads = threads};
    succeeds(compile_with(context_with_functions(&calls), text, &options, &executable));
    for (int i = 0; i < 24; i++) {
        a[i] = (float)(i - 7);
        result[i] = -1;
    }
    const void *inputs[] = {a};
    void *outputs[] = {result};
    succeeds(shardc_execute(executable, inputs, outputs));
    shardc_executable_free(executable);
    return atomic_load(&calls);
}

static void a_function_is_called_by_name(void **state) {
    (void)state;
    float a[24], result[24];
    for (int threads = 1; threads <= 3; threads++) { // one call, however many lanes the device has
        assert_int_equal(run(on_one_device, threads, a, result), 1);
        for (int i = 0; i < 24; i++) {
            assert_true(result[i] == (6 * a[i] + 5) * a[i]);
        }
    }
}

static void every_device_calls_it_with_whole_arrays(void **state) {
    (void)state;
    float a[24], result[24];
    for (int threads = 1; threads <= 8; threads *= 2) {
        assert_int_equal(run(on_four_devices, threads, a, result), 4);
        for (int i = 0; i < 24; i++) {
            assert_true(result[i] == (6 * a[i] + 5) * a[i]);
        }
    }
}

static void one_device_calls_it_where_the_sharding_says_so(void **state) {
    (void)state;
    float a[24], result[24];
    for (int notation = 0; notation < 2; notation++) {
        for (int threads = 1; threads <= 8; threads *= 2) {
            assert_int_equal(run(on_one_of_four[notation], threads, a, result), 1);
            for (int i = 0; i < 24; i++)
                assert_true(result[i] == (3 * a[i] + 5) * a[i]);
        }
    }
}

static void tiles_are_handed_over_dense(void **state) {
    (void)state;
    float a[24], result[24];
    assert_int_equal(run(on_tiles, 2, a, result), 2);
    for (int i = 0; i < 24; i++) {
        assert_true(result[i] == 3 * a[i] + 5);
    }
}

// A result that the function leaves column by column, of an operand that it finds row by row.
static const char with_layouts[] =
    "func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {\n"
    "  %0 = stablehlo.custom_call @scale(%a) {api_version = 4 : i32, backend_config = {factor = "
    "1.0 "
    ": f64, offset = 0 : i64}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>],"
    " result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
    "  return %0 : tensor<4x6xf32>\n"
    "}\n";

static void layouts_say_where_elements_lie(void **state) {
    (void)state;
    float a[24], result[24];
    assert_int_equal(run(with_layouts, 1, a, result), 1);
    for (int i = 0; i < 24; i++)
        assert_true(result[i] == a[i % 6 * 4 + i / 6]);
}

// In a loop that ends when the function's result says so: a failure ends it.
static const char failing[] =
    "module @failing {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func @main(%a: tensor<i32>) -> tensor<i32> {\n"
    "    %r = stablehlo.while(%i = %a) : tensor<i32> cond {\n"
    "      %t = stablehlo.constant dense<true> : tensor<i1>\n"
    "      stablehlo.return %t : tensor<i1>\n"
    "    } do {\n"
    "      %n = stablehlo.custom_call @fail(%i) : (tensor<i32>) -> tensor<i32>\n"
    "      stablehlo.return %n : tensor<i32>\n"
    "    }\n"
    "    return %r : tensor<i32>\n"
    "  }\n"
    "}\n";

static void a_failing_function_fails_the_execution(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads *= 2) {
        atomic_int calls = 0;
        shardc_executable *executable = NULL;
        shardc_options options = {.struct_size = sizeof options, .threads = threads};
        succeeds(compile_with(context_with_functions(&calls), failing, &options, &executable));
        int32_t a = 1, result = 0;
        const void *inputs[] = {&a};
        void *outputs[] = {&result};
        for (int i = 0; i < 2; i++) {
            fails_with(
                shardc_execute(executable, inputs, outputs), SHARDC_FAILED, "'fail' failed with 7");
        }
        fails_with(shardc_execute(executable, inputs, outputs), SHARDC_FAILED, "test.mlir:8:");
        shardc_executable_free(executable);
    }
}

static const char unknown[] =
    "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0 = stablehlo.custom_call @nobody(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n"
    "}\n";

static void an_unknown_name_is_unsupported(void **state) {
    (void)state;
    atomic_int calls = 0;
    shardc_executable *executable = NULL;
    shardc_status *status =
        compile_with(context_with_functions(&calls), unknown, NULL, &executable);
    assert_int_equal(shardc_status_line(status, NULL), 2);
    fails_with(status, SHARDC_UNSUPPORTED, "@nobody");
}

// Results that nobody reads: only for its effect. Texts are handed over as they are.
static void note(const char *text, const int64_t *dims, int64_t rank, void *user) {
    snprintf(user, 64, "%s %d %d", text, (int)rank, (int)dims[1]);
}

static void a_call_may_be_made_for_its_effect(void **state) {
    (void)state;
    static const char text[] = "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                               "  stablehlo.custom_call @note(%a) {backend_config = \"hello\", "
                               "has_side_effect = true} : (tensor<2x3xf32>) -> ()\n"
                               "  return %a : tensor<2x3xf32>\n"
                               "}\n";
    const shardc_custom_parameter parameters[] = {
        {.kind = SHARDC_CUSTOM_CONFIG},
        {.kind = SHARDC_CUSTOM_OPERAND_DIMS},
        {.kind = SHARDC_CUSTOM_OPERAND_RANK},
        {.kind = SHARDC_CUSTOM_USER},
    };
    char noted[64] = "";
    atomic_int calls = 0;
    shardc_context *context = context_with_functions(&calls);
    succeeds(shardc_register_custom(
        context, "note", (shardc_custom_function *)note, parameters, 4, SHARDC_CUSTOM_VOID, noted));
    shardc_executable *executable = NULL;
    succeeds(compile_with(context, text, NULL, &executable));
    float a[6] = {1, 2, 3, 4, 5, 6}, result[6] = {0};
    const void *inputs[] = {a};
    void *outputs[] = {result};
    succeeds(shardc_execute(executable, inputs, outputs));
    assert_string_equal(noted, "hello 2 3");
    assert_memory_equal(a, result, sizeof a);
    shardc_executable_free(executable);
}

static void a_bad_signature_is_refused(void **state) {
    (void)state;
    atomic_int calls = 0;
    shardc_context *context = context_with_functions(&calls);
    shardc_custom_function *function = (shardc_custom_function *)scale;
    shardc_custom_parameter bad = {.kind = (shardc_custom_kind)99};
    fails_with(
        shardc_register_custom(context, "bad", function, &bad, 1, SHARDC_CUSTOM_VOID, NULL),
        SHARDC_INVALID_INPUT, "unknown kind");
    bad = (shardc_custom_parameter){.kind = SHARDC_CUSTOM_I64};
    fails_with(
        shardc_register_custom(context, "bad", function, &bad, 1, SHARDC_CUSTOM_VOID, NULL),
        SHARDC_INVALID_INPUT, "name of an attribute");
    bad = (shardc_custom_parameter){.kind = SHARDC_CUSTOM_OPERAND, .index = -1};
    fails_with(
        shardc_register_custom(context, "bad", function, &bad, 1, SHARDC_CUSTOM_VOID, NULL),
        SHARDC_INVALID_INPUT, "negative index");
    fails_with(
        shardc_register_custom(context, "scale", function, NULL, 0, SHARDC_CUSTOM_VOID, NULL),
        SHARDC_INVALID_INPUT, "known already");
    fails_with(
        shardc_register_custom(context, "bad", NULL, NULL, 0, SHARDC_CUSTOM_VOID, NULL),
        SHARDC_INVALID_INPUT, "function is NULL");
    fails_with(
        shardc_register_custom(
            context, "bad", function, scale_parameters, 65, SHARDC_CUSTOM_VOID, NULL),
        SHARDC_INVALID_INPUT, "at most 64");
    shardc_context_free(context);
}

// One call of @scale that does not fit it, and why.
static void refuses_call(const char *types, const char *config, const char *why) {
    char text[512];
    atomic_int calls = 0;
    shardc_executable *executable = NULL;
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<2xf32>) -> tensor<2xi32> {\n"
        "  %%0 = stablehlo.custom_call @scale(%%a) {api_version = 4 : i32, backend_config = {%s}} "
        ": %s\n"
        "  %%1 = stablehlo.convert %%0 : (%s) -> tensor<2xi32>\n"
        "  return %%1 : tensor<2xi32>\n"
        "}\n",
        config, types, strstr(types, "-> ") + 3);
    shardc_status *status = compile_with(context_with_functions(&calls), text, NULL, &executable);
    assert_int_equal(shardc_status_line(status, NULL), 2);
    fails_with(status, SHARDC_INVALID_INPUT, why);
    assert_null(executable);
}

static void a_call_that_does_not_fit_is_refused(void **state) {
    (void)state;
    refuses_call(
        "(tensor<2xf32>) -> tensor<2xi64>", "factor = 1.0 : f64, offset = 1 : i64",
        "type f32, it has i64");
    refuses_call(
        "(tensor<2xf32>) -> tensor<2xf32>", "offset = 1 : i64",
        "'factor', which backend_config lacks");
    refuses_call(
        "(tensor<2xf32>) -> tensor<2xf32>", "factor = 1.0 : f64, offset = 1.5 : f64",
        "'offset', which is no integer");
}

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

// What a program does that has nothing of shardc but model.h: one function for all calls.
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
    shardc_context *context = NULL;
    const char *path = scratch("uniform.so");
    succeeds(shardc_context_create(NULL, &context));
    succeeds(compile_to(context, on_four_devices, "scale", SHARDC_EMIT_SO, path));
    shardc_context_free(context);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    const shardc_model *(*entry)(void) = NULL;
    void *symbol = dlsym(library, "shardc_model_entry");
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof entry);
    Caller caller = {.model = entry()};
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

#define FIND(library, symbol, function)            \
    do {                                           \
        void *found = dlsym(library, symbol);      \
        assert_non_null(found);                    \
        memcpy(&(function), &found, sizeof found); \
    } while (0)

// The functions of the generated header hand over options of their own: a model with custom calls has none to call then.
static void typed_functions_of_a_model_with_calls_fail_with_a_message(void **state) {
    (void)state;
    shardc_context *context = NULL;
    const char *path = scratch("typed.so");
    succeeds(shardc_context_create(NULL, &context));
    succeeds(compile_to(context, on_four_devices, "scale", SHARDC_EMIT_SO, path));
    shardc_context_free(context);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
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
    const shardc_model *(*entry)(void) = NULL;
    void *symbol = dlsym(library, "shardc_model_entry");
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof entry);
    Caller caller = {.model = entry()};
    shardc_model_options options = {
        .struct_size = sizeof options, .custom = call_by_number, .custom_user = &caller};
    shardc_model_instance *instance = NULL;
    assert_int_equal(caller.model->create(caller.model, &options, &instance, NULL, 0), 0);
    assert_int_equal(execute(instance, a, result), SHARDC_MODEL_OK);
    assert_true(result[2] == (6 * 3 + 5) * 3);
    destroy(instance);
    dlclose(library);
}

// A caller that was compiled before options had `custom` hands over fewer bytes: what lies behind them is not read.
static void shorter_options_are_read_as_far_as_they_go(void **state) {
    (void)state;
    shardc_context *context = NULL;
    const char *path = scratch("older.so");
    succeeds(shardc_context_create(NULL, &context));
    succeeds(compile_to(context, on_four_devices, "scale", SHARDC_EMIT_SO, path));
    shardc_context_free(context);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    const shardc_model *(*entry)(void) = NULL;
    void *symbol = dlsym(library, "shardc_model_entry");
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof entry);
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
    assert_int_equal(entry()->create(entry(), &options, &instance, NULL, 0), 0);
    assert_int_equal(entry()->execute(instance, inputs, outputs), SHARDC_MODEL_FAILED);
    shardc_model_counters counters = {.struct_size = offsetof(shardc_model_counters, threads)};
    entry()->counters(instance, &counters);
    assert_int_equal(counters.executions, 1);
    assert_int_equal(counters.threads, 0); // beyond what the caller knows
    entry()->destroy(instance);
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_called_by_name),
        cmocka_unit_test(every_device_calls_it_with_whole_arrays),
        cmocka_unit_test(one_device_calls_it_where_the_sharding_says_so),
        cmocka_unit_test(tiles_are_handed_over_dense),
        cmocka_unit_test(layouts_say_where_elements_lie),
        cmocka_unit_test(a_failing_function_fails_the_execution),
        cmocka_unit_test(an_unknown_name_is_unsupported),
        cmocka_unit_test(a_call_may_be_made_for_its_effect),
        cmocka_unit_test(a_bad_signature_is_refused),
        cmocka_unit_test(a_call_that_does_not_fit_is_refused),
        cmocka_unit_test(files_call_functions_of_who_loads_them),
        cmocka_unit_test(a_call_in_a_file_that_does_not_fit_is_refused),
        cmocka_unit_test(files_call_through_their_uniform_entry),
        cmocka_unit_test(typed_functions_of_a_model_with_calls_fail_with_a_message),
        cmocka_unit_test(shorter_options_are_read_as_far_as_they_go),
    };
    return cmocka_run_group_tests_name("custom", tests, NULL, remove_folder);
}

// Custom functions: programs that call functions of this file and of custom_test.h.
#define _GNU_SOURCE
#include "custom_test.h"

#include <unistd.h>

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

// result = scale(a + a) * a
static const char on_one_device[] =
    "module @one {\n"
    "  func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {\n"
    "    %0 = stablehlo.add %a, %a : tensor<4x6xf32>\n"
    "    %1 = " SCALE("tensor<4x6xf32>") "    %2 = stablehlo.multiply %1, %a : tensor<4x6xf32>\n"
                                         "    return %2 : tensor<4x6xf32>\n"
                                         "  }\n"
                                         "}\n";

// The device that its sharding names calls the function, in Shardy's notation and in GSPMD's,
// and gives the others the result.
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

// Each device calls the function with its own columns, straight from the argument and into the
// result.
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
    };
    return cmocka_run_group_tests_name("custom", tests, NULL, remove_folder);
}

// Ops of the caller's own, registered with their gradients; modules in every notation;
// functions that know where they run.
#define _GNU_SOURCE
#include "tests/api/api_test.h"

static const char *const vector[] = {"tensor<4xf32>"};

// x * x * scale, the scale being the text of its attributes.
static shardc_status *square(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results) {
    assert_int_equal(operand_count, 1);
    assert_int_equal(result_count, 1);
    ++*(int *)user;
    shardc_value squared = 0, scale = 0;
    shardc_status *status =
        shardc_build_binary(func, "stablehlo.multiply", operands[0], operands[0], &squared);
    if (!status)
        status = shardc_build_splat(func, vector[0], attributes ? atof(attributes) : 1, &scale);
    if (!status) status = shardc_build_binary(func, "stablehlo.multiply", squared, scale, results);
    return status;
}

// x, y, dy: 2 y / x dy
static shardc_status *square_gradient(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results) {
    (void)user;
    (void)attributes;
    assert_int_equal(operand_count, 3);
    assert_int_equal(result_count, 1);
    shardc_value ratio = 0, twice = 0;
    shardc_status *status =
        shardc_build_binary(func, "stablehlo.divide", operands[1], operands[0], &ratio);
    if (!status) status = shardc_build_binary(func, "stablehlo.add", ratio, ratio, &twice);
    if (!status)
        status = shardc_build_binary(func, "stablehlo.multiply", twice, operands[2], results);
    return status;
}

static shardc_status *leaves_a_region(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results) {
    (void)user;
    (void)attributes;
    (void)operand_count;
    (void)result_count;
    results[0] = operands[0];
    return shardc_region_begin(func, 0, NULL, NULL);
}

static shardc_status *sets_nothing(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results) {
    (void)user;
    (void)func;
    (void)attributes;
    (void)operand_count;
    (void)operands;
    (void)result_count;
    (void)results;
    return NULL;
}

static shardc_status *is_built_of_itself(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results) {
    return shardc_build_op(
        func, user, operand_count, operands, attributes, result_count, NULL, results);
}

typedef struct Build {
    shardc_context *context;
    shardc_module *module;
    shardc_func *func;
    int uses;
} Build;

static void put(Build *build, const char *name, shardc_op_function *forward, void *user) {
    const shardc_op_definition definition = {sizeof definition, forward, NULL, user};
    succeeds(shardc_register_op(build->context, name, &definition));
}

static void begin(Build *build) {
    const char *const axes[] = {"x"}, *const sharding[] = {"<@mesh, [{\"x\"}]>"};
    const int64_t sizes[] = {2};
    *build = (Build){0};
    succeeds(shardc_context_create(NULL, &build->context));
    const shardc_op_definition definition = {
        sizeof definition, square, square_gradient, &build->uses};
    succeeds(shardc_register_op(build->context, "mine.square", &definition));
    succeeds(shardc_module_create(build->context, "built", &build->module));
    succeeds(shardc_build_mesh(build->module, "mesh", 1, axes, sizes));
    succeeds(shardc_func_begin(build->module, "main", 1, vector, sharding, NULL, &build->func));
}

static void finish(Build *build) {
    shardc_module_free(build->module);
    shardc_context_free(build->context);
}

// y = 3 x^2 and its gradient: 6 x, through a program on two devices.
static void a_registered_op_is_used_and_differentiated(void **state) {
    (void)state;
    Build build;
    begin(&build);
    shardc_value x = shardc_func_argument(build.func, 0), y = 0, one = 0, dx = 0;
    succeeds(shardc_build_op(build.func, "mine.square", 1, &x, "3.0", 1, vector, &y));
    succeeds(shardc_build_splat(build.func, vector[0], 1, &one));
    succeeds(shardc_build_gradient(build.func, "mine.square", 1, &x, "3.0", 1, &y, &one, &dx));
    assert_int_equal(build.uses, 1);
    succeeds(shardc_func_finish(build.func, 2, (shardc_value[]){y, dx}, NULL));
    shardc_executable *executable = NULL;
    succeeds(shardc_compile(build.module, NULL, &executable));
    finish(&build);
    const float data[] = {1, 2, -3, 0.5F};
    float square_of[4], gradient[4];
    succeeds(shardc_execute(executable, (const void *[]){data}, (void *[]){square_of, gradient}));
    shardc_executable_free(executable);
    for (int i = 0; i < 4; i++) {
        assert_true(square_of[i] == 3 * data[i] * data[i]);
        assert_true(gradient[i] == 6 * data[i]);
    }
}

static void wrong_uses_of_registered_ops_are_refused(void **state) {
    (void)state;
    Build build;
    begin(&build);
    put(&build, "mine.open", leaves_a_region, NULL);
    put(&build, "mine.nothing", sets_nothing, NULL);
    put(&build, "mine.self", is_built_of_itself, (void *)(uintptr_t) "mine.self");
    const shardc_op_definition again = {sizeof again, square, NULL, NULL};
    fails_with(
        shardc_register_op(build.context, "mine.open", &again), SHARDC_INVALID_INPUT, "already");
    fails_with(
        shardc_register_op(build.context, "stablehlo.add", &again), SHARDC_INVALID_INPUT,
        "already");
    fails_with(shardc_register_op(build.context, "", &again), SHARDC_INVALID_INPUT, "empty");
    const shardc_op_definition empty = {.struct_size = sizeof empty};
    fails_with(
        shardc_register_op(build.context, "mine.empty", &empty), SHARDC_INVALID_INPUT,
        "definition->forward is NULL");

    shardc_func *func = build.func;
    const char *const other[] = {"tensor<4xf64>"};
    shardc_value x = shardc_func_argument(func, 0), y = 0, small = 0, dx = 0;
    fails_with(
        shardc_build_op(func, "mine.square", 1, &x, NULL, 1, other, &y), SHARDC_INVALID_INPUT,
        "result 0 has another type than it should");
    assert_true(y == 0);
    fails_with(
        shardc_build_op(func, "mine.nothing", 1, &x, NULL, 1, NULL, &y), SHARDC_INVALID_INPUT,
        "result 0 is no value");
    fails_with(
        shardc_build_op(func, "mine.self", 1, &x, NULL, 1, NULL, &y), SHARDC_INVALID_INPUT,
        "built of itself");
    fails_with(
        shardc_build_gradient(func, "mine.self", 1, &x, NULL, 1, &x, &x, &dx), SHARDC_INVALID_INPUT,
        "'mine.self' has no gradient");
    fails_with(
        shardc_build_gradient(func, "mine.other", 1, &x, NULL, 1, &x, &x, &dx),
        SHARDC_INVALID_INPUT, "there is no registered op 'mine.other'");
    succeeds(shardc_build_op(func, "mine.square", 1, &x, NULL, 1, NULL, &y));
    succeeds(shardc_build_splat(func, "tensor<f32>", 1, &small));
    fails_with(
        shardc_build_gradient(func, "mine.square", 1, &x, NULL, 1, &y, &small, &dx),
        SHARDC_INVALID_INPUT, "gradient 0 has another type than it should");
    fails_with(
        shardc_build_op(func, "mine.open", 1, &x, NULL, 1, NULL, &y), SHARDC_INVALID_INPUT,
        "has not ended what it began");
    finish(&build);
}

static void a_module_is_written_in_every_notation(void **state) {
    (void)state;
    static const shardc_notation notations[] = {
        SHARDC_NOTATION_MLIR, SHARDC_NOTATION_BYTECODE, SHARDC_NOTATION_HLO};
    static const char *const begins[] = {"module @built", "ML\xefR", "HloModule built"};
    Build build;
    begin(&build);
    shardc_value x = shardc_func_argument(build.func, 0), y = 0;
    succeeds(shardc_build_op(build.func, "mine.square", 1, &x, "3.0", 1, NULL, &y));
    succeeds(shardc_func_finish(build.func, 1, &y, NULL));
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        char *bytes = NULL;
        size_t size = 0;
        succeeds(shardc_module_write(build.module, notations[i], &bytes, &size));
        assert_true(size > 100);
        assert_int_equal(bytes[size], 0);
        assert_memory_equal(bytes, begins[i], strlen(begins[i]));
        shardc_module *again = NULL;
        shardc_executable *executable = NULL;
        succeeds(shardc_module_parse(build.context, "again", bytes, size, &again));
        succeeds(shardc_compile(again, NULL, &executable));
        const float data[] = {1, 2, -3, 0.5F};
        float result[4];
        succeeds(shardc_execute(executable, (const void *[]){data}, (void *[]){result}));
        for (int k = 0; k < 4; k++)
            assert_true(result[k] == 3 * data[k] * data[k]);
        shardc_executable_free(executable);
        shardc_module_free(again);
        shardc_bytes_free(bytes);
    }
    char *bytes = NULL;
    size_t size = 1;
    fails_with(
        shardc_module_write(build.module, (shardc_notation)17, &bytes, &size), SHARDC_INVALID_INPUT,
        "notation is none: 17");
    assert_null(bytes);
    assert_int_equal(size, 0);
    finish(&build);
}

// y = x + 10 row + column, of a mesh whose devices are in another order.
static void locate(const float *x, float *y, int64_t count, int64_t row, int64_t column) {
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] + (float)(10 * row + column);
}

static const char located[] =
    "module @located {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>\n"
    "  func.func @main(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{\"y\"}]>})\n"
    "      -> (tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) {\n"
    "    %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>] "
    "out_shardings=[<@mesh, [{\"x\"}, {\"y\"}]>]\n"
    "        manual_axes={\"x\", \"y\"} (%0: tensor<1x1xf32>) {\n"
    "      %1 = stablehlo.custom_call @locate(%0) {api_version = 4 : i32, backend_config = {}} : "
    "(tensor<1x1xf32>) -> tensor<1x1xf32>\n"
    "      sdy.return %1 : tensor<1x1xf32>\n"
    "    } : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "    return %r : tensor<2x3xf32>\n"
    "  }\n"
    "}\n";

static shardc_status *compile_located(const char *axis, shardc_executable **executable) {
    const shardc_custom_parameter parameters[] = {
        {.kind = SHARDC_CUSTOM_OPERAND, .dtype = SHARDC_F32},
        {.kind = SHARDC_CUSTOM_RESULT, .dtype = SHARDC_F32},
        {.kind = SHARDC_CUSTOM_RESULT_COUNT},
        {.kind = SHARDC_CUSTOM_COORDINATE, .name = "x"},
        {.kind = SHARDC_CUSTOM_COORDINATE, .name = axis},
    };
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_register_custom(
        context, "locate", (shardc_custom_function *)locate, parameters, 5, SHARDC_CUSTOM_VOID,
        NULL));
    succeeds(shardc_module_parse(context, "test.mlir", located, strlen(located), &module));
    shardc_status *status = shardc_compile(module, NULL, executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static void a_custom_function_knows_its_coordinates(void **state) {
    (void)state;
    shardc_executable *executable = NULL;
    succeeds(compile_located("y", &executable));
    const float a[6] = {0};
    float result[6];
    succeeds(shardc_execute(executable, (const void *[]){a}, (void *[]){result}));
    shardc_executable_free(executable);
    for (int i = 0; i < 6; i++)
        assert_true(result[i] == (float)(10 * (i / 3) + i % 3));
    fails_with(
        compile_located("z", &executable), SHARDC_INVALID_INPUT,
        "parameter 4 is a coordinate on the mesh axis 'z', which the program lacks");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_op_is_used_and_differentiated),
        cmocka_unit_test(wrong_uses_of_registered_ops_are_refused),
        cmocka_unit_test(a_module_is_written_in_every_notation),
        cmocka_unit_test(a_custom_function_knows_its_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

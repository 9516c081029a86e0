// Custom calls that their host partitions: what it is asked, what is made of its
// answers, and answers that do not fit.
#define _GNU_SOURCE
#include "api_test.h"

enum { ROWS = 8, COLUMNS = 4, COUNT = ROWS * COLUMNS };

// %1 = (%a + %a, the sums of its rows); the rows lie on four devices, twice.
static const char program[] =
    "module @calls {\n"
    "  sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n"
    "  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})\n"
    "      -> (tensor<8x4xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) {\n"
    "    %0 = stablehlo.negate %a : tensor<8x4xf32>\n"
    "    %1:2 = stablehlo.custom_call @twice(%0) {backend_config = \"key\"}\n"
    "        : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>)\n"
    "    return %1#0, %1#1 : tensor<8x4xf32>, tensor<8xf32>\n"
    "  }\n"
    "}\n";

// One device's: four of the rows, whatever the arrays were like before.
static const char body[] =
    "module {\n"
    "  func.func private @double(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "    %0 = stablehlo.add %a, %a : tensor<4x4xf32>\n"
    "    return %0 : tensor<4x4xf32>\n"
    "  }\n"
    "  func.func public @main(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {\n"
    "    %0 = func.call @double(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1]\n"
    "        : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "    return %0, %1 : tensor<4x4xf32>, tensor<4xf32>\n"
    "  }\n"
    "}\n";

static const char rows_on_two[] = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}";
static const char both_on_two[] = "{{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}, "
                                  "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}}";

// What the host answers, and what it was asked.
typedef struct Host {
    const char *operand, *results, *program, *error;
    int asked, released;
} Host;

static int knows(void *user, const char *name) {
    (void)user;
    return strcmp(name, "twice") == 0;
}

static void check_request(const shardc_partition_request *request) {
    assert_string_equal(request->name, "twice");
    assert_string_equal(request->config, "key");
    assert_int_equal(request->config_size, 3);
    assert_int_equal(request->device_count, 8);
    assert_int_equal(request->operand_count, 1);
    assert_int_equal(request->result_count, 2);
    const shardc_partition_array *array = &request->operands[0];
    assert_int_equal(array->dtype, SHARDC_F32);
    assert_int_equal(array->rank, 2);
    assert_int_equal(array->dims[0], ROWS);
    assert_int_equal(array->tiles[0], 4);
    assert_int_equal(array->tiles[1], 1);
    assert_int_equal(array->copies, 2);
    for (int i = 0; i < 8; i++)
        assert_int_equal(array->devices[i], i);
    assert_int_equal(request->results[1].rank, 1);
    assert_int_equal(request->results[1].tiles[0], 4);
}

static int partition(
    void *user, const shardc_partition_request *request, shardc_partition_reply *reply, char *error,
    size_t error_size) {
    Host *host = user;
    host->asked++;
    check_request(request);
    if (host->error) {
        snprintf(error, error_size, "%s", host->error);
        return 1;
    }
    static const char *operands[1];
    static size_t sizes[1];
    operands[0] = host->operand;
    sizes[0] = strlen(host->operand);
    *reply = (shardc_partition_reply){
        .operand_shardings = operands,
        .operand_sharding_sizes = sizes,
        .result_sharding = host->results,
        .result_sharding_size = strlen(host->results),
        .program = host->program,
        .program_size = strlen(host->program),
        .owner = host};
    return 0;
}

static void release(void *user, shardc_partition_reply *reply) {
    Host *host = user;
    assert_ptr_equal(reply->owner, host);
    host->released++;
}

static shardc_status *compile_with(Host *host, const char *text, shardc_executable **executable) {
    const shardc_partitioner partitioner = {
        .struct_size = sizeof partitioner,
        .knows = knows,
        .partition = partition,
        .release = release,
        .user = host};
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    *executable = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_set_partitioner(context, &partitioner));
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    shardc_status *status = shardc_compile(module, NULL, executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static void a_call_is_what_its_host_says(void **state) {
    (void)state;
    Host host = {.operand = rows_on_two, .results = both_on_two, .program = body};
    shardc_executable *executable = NULL;
    succeeds(compile_with(&host, program, &executable));
    assert_int_equal(host.asked, 1);
    assert_int_equal(host.released, 1);
    float a[COUNT], twice[COUNT], sums[ROWS];
    for (int i = 0; i < COUNT; i++)
        a[i] = (float)(i % 7 - 3);
    const void *inputs[] = {a};
    void *outputs[] = {twice, sums};
    succeeds(shardc_execute(executable, inputs, outputs));
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
        for (int i = row * COLUMNS; i < (row + 1) * COLUMNS; i++) {
            assert_true(twice[i] == -2 * a[i]);
            sum -= a[i];
        }
        assert_true(sums[row] == sum);
    }
    shardc_executable_free(executable);
}

static void wrong_answers_are_errors_at_the_call(void **state) {
    (void)state;
    const struct {
        Host host;
        shardc_code code;
        const char *message;
    } cases[] = {
        {{.error = "cannot\nbe done"}, SHARDC_INVALID_INPUT, "@twice: cannot be done"},
        {{rows_on_two, both_on_two, "not a program", NULL, 0, 0},
         SHARDC_INVALID_INPUT,
         "its program cannot be read"},
        {{"{devices=[2", both_on_two, body, NULL, 0, 0},
         SHARDC_INVALID_INPUT,
         "sharding is damaged"},
        {{"{devices=[2,1]<=[2]}", both_on_two, body, NULL, 0, 0},
         SHARDC_INVALID_INPUT,
         "does not fit the array or the mesh"},
        {{rows_on_two, "{{replicated}}", body, NULL, 0, 0},
         SHARDC_INVALID_INPUT,
         "not a sharding for each result"},
        {{"{manual}", both_on_two, body, NULL, 0, 0}, SHARDC_INVALID_INPUT, "neither tiled"},
        {{"{replicated}", both_on_two, body, NULL, 0, 0},
         SHARDC_UNSUPPORTED,
         "takes or gives other parts than its shardings say"},
        {{"{devices=[1,8]<=[8]}", both_on_two, body, NULL, 0, 0},
         SHARDC_UNSUPPORTED,
         "do not divide an array evenly"},
        {{rows_on_two, both_on_two, "func.func @main() { return }", NULL, 0, 0},
         SHARDC_UNSUPPORTED,
         "other numbers of arguments or results"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Host host = cases[i].host;
        shardc_executable *executable = NULL;
        fails_with(compile_with(&host, program, &executable), cases[i].code, cases[i].message);
        assert_int_equal(host.asked, 1);
        assert_int_equal(host.released, host.error ? 0 : 1);
    }
}

// Inside a manual computation arrays are parts already.
static void calls_of_parts_are_refused(void **state) {
    (void)state;
    static const char text[] =
        "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n"
        "func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
        "  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}, {}]>] "
        "out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%b: tensor<2x4xf32>) {\n"
        "    %1 = stablehlo.custom_call @twice(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32>\n"
        "    sdy.return %1 : tensor<2x4xf32>\n"
        "  } : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  return %0 : tensor<8x4xf32>\n"
        "}\n";
    Host host = {.operand = rows_on_two, .results = both_on_two, .program = body};
    shardc_executable *executable = NULL;
    fails_with(
        compile_with(&host, text, &executable), SHARDC_UNSUPPORTED, "in a manual computation");
    assert_int_equal(host.asked, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_what_its_host_says),
        cmocka_unit_test(wrong_answers_are_errors_at_the_call),
        cmocka_unit_test(calls_of_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

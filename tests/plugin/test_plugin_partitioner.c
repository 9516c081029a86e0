// The PJRT plugin: custom calls that callers partition by functions which they register, as
// JAX's custom_partitioning does.
#define _GNU_SOURCE
#include "plugin/ffi/partitioner.h"
#include "plugin_test.h"

// %1 = rows of %x turned round, where they lie.
static const char program[] =
    "module @jit_f attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func @main(%x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})\n"
    "      -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "    %1 = stablehlo.custom_call @turn(%x) {api_version = 2 : i32, backend_config = \"42\",\n"
    "        sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=3}, custom>}\n"
    "        : (tensor<4x3xf32>) -> tensor<4x3xf32>\n"
    "    return %1 : tensor<4x3xf32>\n"
    "  }\n"
    "}\n";

static const char body[] = "func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                           "  %0 = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>\n"
                           "  return %0 : tensor<2x3xf32>\n"
                           "}\n";

// xla.ShapeProto of f32[4,3]; xla.OpSharding of {devices=[2,1]0,1}.
static const char shape[] = {0x10, 11, 0x1a, 2, 4, 3};
static const char sharding[] = {0x08, 3, 0x1a, 2, 2, 1, 0x22, 2, 0, 1};

static struct {
    int calls, cleanups;
    const char *error;
    PJRT_CallPartitioner_String shardings[1];
} host;

static void clean_up(void *data) {
    assert_ptr_equal(data, &host);
    host.cleanups++;
}

static bool is_text(PJRT_CallPartitioner_String given, const char *text, size_t size) {
    return given.size == size && memcmp(given.data, text, size) == 0;
}

static void partition(
    PJRT_CallPartitioner_Callbacks *callbacks, PJRT_CallPartitioner_Partition_Args *args) {
    assert_ptr_equal(callbacks->private_data, &host);
    host.calls++;
    assert_int_equal(args->header.api_version, 0);
    assert_int_equal(args->num_args, 1);
    assert_true(is_text(args->op_args[0].shape, shape, sizeof shape));
    assert_true(args->op_args[0].has_sharding);
    assert_true(is_text(args->op_args[0].sharding, sharding, sizeof sharding));
    assert_true(is_text(args->op_result.shape, shape, sizeof shape));
    assert_true(is_text(args->op_result.sharding, sharding, sizeof sharding));
    assert_true(is_text(args->backend_config, "42", 2));
    args->header.data = &host;
    args->header.cleanup_fn = clean_up;
    if (host.error) {
        args->header.has_error = true;
        args->header.code = PJRT_INTERNAL;
        args->header.error_msg = (PJRT_CallPartitioner_String){host.error, strlen(host.error)};
        return;
    }
    host.shardings[0] = (PJRT_CallPartitioner_String){sharding, sizeof sharding};
    args->args_sharding = host.shardings;
    args->result_sharding = host.shardings[0];
    args->mlir_module = (PJRT_CallPartitioner_String){body, strlen(body)};
}

static PJRT_CallPartitioner_Callbacks callbacks = {.private_data = &host, .partition = partition};

static const PJRT_Custom_Partitioner_Extension *extension(void) {
    const PJRT_Extension_Base *found = api->extension_start;
    while (found->type != PJRT_EXTENSION_CUSTOM_PARTITIONER)
        found = found->next;
    return (const PJRT_Custom_Partitioner_Extension *)found;
}

static PJRT_Error *register_turn(PJRT_CallPartitioner_Callbacks *functions) {
    PJRT_Register_Custom_Partitioner_Args args = {
        .struct_size = sizeof args, .name = "turned", .name_size = 4, .callbacks = functions};
    return extension()->Register_Custom_Partitioner(&args);
}

static const int ids[] = {0, 1};

static void a_registered_call_is_partitioned_by_its_caller(void **state) {
    (void)state;
    static const int64_t dims[] = {2, 3};
    static const float rows[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    memset(&host, 0, sizeof host);
    succeeds(register_turn(&callbacks), "Register_Custom_Partitioner");
    PJRT_Client *client = create_client(2);
    PJRT_LoadedExecutable *executable = compiled(client, program, ids, 2);
    assert_int_equal(host.calls, 1);
    assert_int_equal(host.cleanups, 1);
    PJRT_Buffer *inputs[MOST_DEVICES][MOST_ARRAYS], *outputs[MOST_DEVICES][MOST_ARRAYS];
    for (int d = 0; d < 2; d++)
        inputs[d][0] = put(client, d, rows[d], 2, dims);
    succeeds(execute(executable, 2, 1, inputs, outputs), "Execute");
    for (int d = 0; d < 2; d++) {
        float result[6];
        get(outputs[d][0], result, 6);
        for (int i = 0; i < 6; i++)
            assert_true(result[i] == rows[d][i / 3 * 3 + 2 - i % 3]);
        destroy_buffer(inputs[d][0]);
        destroy_buffer(outputs[d][0]);
    }
    destroy_executable(executable);
    destroy_client(client);
}

static void errors_of_the_caller_come_back(void **state) {
    (void)state;
    memset(&host, 0, sizeof host);
    host.error = "ValueError: no such rows";
    succeeds(register_turn(&callbacks), "Register_Custom_Partitioner");
    PJRT_Client *client = create_client(2);
    PJRT_LoadedExecutable *executable = NULL;
    fails_with(
        try_compile(client, program, ids, 2, &executable), PJRT_INVALID_ARGUMENT, host.error);
    assert_int_equal(host.cleanups, 1);
    destroy_client(client);
    PJRT_CallPartitioner_Callbacks newer = callbacks;
    newer.version = 1;
    fails_with(register_turn(&newer), PJRT_INVALID_ARGUMENT, "not known");
}

// ---- InspectSharding

static struct {
    int calls, freed;
    const char *error;
} inspector;

static void free_inspection(PJRT_SeenSharding *seen) {
    assert_ptr_equal(seen->error_owner, &inspector);
    inspector.freed++;
}

static void see(void *data, PJRT_SeenSharding *seen) {
    assert_ptr_equal(data, &inspector);
    inspector.calls++;
    assert_int_equal(seen->sharding_size, sizeof sharding);
    assert_memory_equal(seen->sharding, sharding, sizeof sharding);
    if (!inspector.error) return;
    seen->error = inspector.error;
    seen->error_owner = &inspector;
    seen->free_error = free_inspection;
}

// The function's place is in the program, as bytes.
static PJRT_Error *compile_inspection(
    PJRT_Client *client, size_t size, PJRT_LoadedExecutable **executable) {
    const PJRT_ShardingInspector function = {see, &inspector};
    const unsigned char *bytes = (const unsigned char *)&function;
    char config[4 * sizeof function] = "", text[1024];
    for (size_t i = 0; i < size; i++)
        snprintf(config + 3 * i, 4, "\\%02X", bytes[i]);
    snprintf(
        text, sizeof text,
        "sdy.mesh @mesh = <[\"x\"=2]>\n"
        "func.func @main(%%x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
        "{}]>})\n    -> tensor<4x3xf32> {\n"
        "  %%0 = stablehlo.negate %%x : tensor<4x3xf32>\n"
        "  %%1 = stablehlo.custom_call @InspectSharding(%%0) {api_version = 1 : i32,"
        " backend_config = \"%s\", has_side_effect = true} : (tensor<4x3xf32>) ->"
        " tensor<4x3xf32>\n"
        "  return %%0 : tensor<4x3xf32>\n}\n",
        config);
    return try_compile(client, text, ids, 2, executable);
}

static void shardings_are_shown(void **state) {
    (void)state;
    PJRT_Client *client = create_client(2);
    PJRT_LoadedExecutable *executable = NULL;
    succeeds(
        compile_inspection(client, sizeof(PJRT_ShardingInspector), &executable), "Client_Compile");
    assert_int_equal(inspector.calls, 1);
    destroy_executable(executable);
    inspector.error = "ValueError: not so";
    fails_with(
        compile_inspection(client, sizeof(PJRT_ShardingInspector), &executable),
        PJRT_INVALID_ARGUMENT, inspector.error);
    assert_int_equal(inspector.freed, 1);
    fails_with(
        compile_inspection(client, 3, &executable), PJRT_INVALID_ARGUMENT, "names no function");
    destroy_client(client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_call_is_partitioned_by_its_caller),
        cmocka_unit_test(errors_of_the_caller_come_back),
        cmocka_unit_test(shardings_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

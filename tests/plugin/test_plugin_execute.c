// The PJRT plugin: compiling and executing on several devices, donation, asynchronous
// executions, failures, foreign functions.
#define _GNU_SOURCE
#include "plugin_test.h"

#include <pthread.h>

static const int64_t two_by_three[] = {2, 3}, one[] = {1};

// a is split over x and y; a * 2 in its memory, and the sum of all elements everywhere.
static const char program[] =
    "module @scale {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(\n"
    "      %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>, "
    "tf.aliasing_output = 0 : i32})\n"
    "      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>},\n"
    "          tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {\n"
    "    %two = stablehlo.constant dense<2.0> : tensor<4x6xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.multiply %a, %two : tensor<4x6xf32>\n"
    "    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1]\n"
    "        : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %0, %1 : tensor<4x6xf32>, tensor<f32>\n"
    "  }\n"
    "}\n";

static void put_tiles(PJRT_Client *client, const int *ids, PJRT_Buffer *inputs[8][4]) {
    for (int p = 0; p < 4; p++) {
        float tile[6];
        for (int i = 0; i < 6; i++)
            tile[i] = (float)((p / 2 * 2 + i / 3) * 6 + p % 2 * 3 + i % 3);
        inputs[p][0] = put(client, ids[p], tile, 2, two_by_three);
    }
}

static void check_tiles(PJRT_Buffer *outputs[8][4]) {
    for (int p = 0; p < 4; p++) {
        float tile[6], sum = 0;
        get(outputs[p][0], tile, 6);
        get(outputs[p][1], &sum, 1);
        for (int i = 0; i < 6; i++)
            assert_true(tile[i] == 2 * (float)((p / 2 * 2 + i / 3) * 6 + p % 2 * 3 + i % 3));
        assert_true(sum == 276);
        destroy_buffer(outputs[p][0]);
        destroy_buffer(outputs[p][1]);
    }
}

static void a_program_runs_on_the_devices_that_it_is_for(void **state) {
    (void)state;
    PJRT_Client *client = create_client(8);
    const int ids[] = {6, 1, 7, 2};
    PJRT_LoadedExecutable *executable = compiled(client, program, ids, 4);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    for (int round = 0; round < 3; round++) {
        put_tiles(client, ids, inputs);
        succeeds(execute(executable, 4, 1, inputs, outputs), "Execute");
        for (int p = 0; p < 4; p++) {
            CALL(Buffer_Device, at, .buffer = outputs[p][0]);
            assert_ptr_equal(at.device, device(client, ids[p]));
            assert_true(is_deleted(inputs[p][0])); // donated
            destroy_buffer(inputs[p][0]);
        }
        check_tiles(outputs);
    }
    put_tiles(client, ids, inputs);
    PJRT_Buffer *first = inputs[0][0];
    inputs[0][0] = inputs[1][0];
    fails_with(execute(executable, 4, 1, inputs, outputs), PJRT_INVALID_ARGUMENT, "is on device");
    inputs[0][0] = first;
    CALL(Buffer_Delete, delete, .buffer = inputs[2][0]);
    fails_with(execute(executable, 4, 1, inputs, outputs), PJRT_INVALID_ARGUMENT, "deleted");
    fails_with(execute(executable, 3, 1, inputs, outputs), PJRT_INVALID_ARGUMENT, "3 devices");
    for (int p = 0; p < 4; p++)
        destroy_buffer(inputs[p][0]);
    destroy_executable(executable);
    destroy_client(client);
}

static void memory_that_others_see_is_not_overwritten(void **state) {
    (void)state;
    PJRT_Client *client = create_client(4);
    const int ids[] = {0, 1, 2, 3};
    PJRT_LoadedExecutable *executable = compiled(client, program, ids, 4);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    put_tiles(client, ids, inputs);
    CALL(Buffer_IncreaseExternalReferenceCount, pin, .buffer = inputs[3][0]);
    CALL(Buffer_OpaqueDeviceMemoryDataPointer, view, .buffer = inputs[3][0]);
    succeeds(execute(executable, 4, 1, inputs, outputs), "Execute");
    assert_true(((const float *)view.device_memory_ptr)[0] == 15);
    assert_true(is_deleted(inputs[3][0]));
    CALL(Buffer_DecreaseExternalReferenceCount, unpin, .buffer = inputs[3][0]);
    check_tiles(outputs);
    for (int p = 0; p < 4; p++)
        destroy_buffer(inputs[p][0]);
    destroy_executable(executable);
    destroy_client(client);
}

// The first argument's memory may become the result's, which has another shape.
static const char donating[] = "func.func @main(%a: tensor<2x3xf32> {jax.buffer_donor = true}, %b: "
                               "tensor<2x3xf32>) -> tensor<6xf32> {\n"
                               "  %0 = stablehlo.add %a, %b : tensor<2x3xf32>\n"
                               "  %1 = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<6xf32>\n"
                               "  return %1 : tensor<6xf32>\n"
                               "}\n";

static void a_donated_buffer_is_no_other_argument(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *executable = compiled(client, donating, (const int[]){0}, 1);
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    PJRT_Buffer *a = put(client, 0, numbers, 2, two_by_three);
    PJRT_Buffer *b = put(client, 0, numbers, 2, two_by_three);
    PJRT_Buffer *inputs[8][4] = {{a, a}}, *outputs[8][4];
    fails_with(
        execute(executable, 1, 2, inputs, outputs), PJRT_INVALID_ARGUMENT,
        "Attempt to donate a buffer which is also used by the same call to Execute()");
    assert_false(is_deleted(a));
    inputs[0][1] = b;
    succeeds(execute(executable, 1, 2, inputs, outputs), "Execute");
    assert_true(is_deleted(a));
    assert_false(is_deleted(b));
    float result[6];
    get(outputs[0][0], result, 6);
    for (int i = 0; i < 6; i++)
        assert_true(result[i] == 2 * numbers[i]);
    destroy_buffer(a);
    destroy_buffer(b);
    destroy_buffer(outputs[0][0]);
    destroy_executable(executable);
    destroy_client(client);
}

static void what_was_compiled_is_described(void **state) {
    (void)state;
    PJRT_Client *client = create_client(8);
    const int ids[] = {4, 5, 6, 7};
    PJRT_LoadedExecutable *loaded = compiled(client, program, ids, 4);
    PJRT_Executable *executable = described(loaded);
    CALL(Executable_Name, name, .executable = executable);
    assert_string_equal(name.executable_name, "scale");
    CALL(Executable_NumPartitions, partitions, .executable = executable);
    assert_int_equal(partitions.num_partitions, 4);
    CALL(Executable_OutputDimensions, dims, .executable = executable);
    assert_int_equal(dims.num_outputs, 2);
    assert_true(
        dims.dim_sizes[0] == 2 && dims.dims[0] == 2 && dims.dims[1] == 3 && dims.dim_sizes[1] == 0);
    CALL(Executable_OutputElementTypes, types, .executable = executable);
    assert_true(types.num_output_types == 2 && types.output_types[0] == PJRT_F32);
    CALL(Executable_GetCostAnalysis, costs, .executable = executable);
    assert_true(costs.num_properties == 2 && costs.properties[1].float_value > 0);
    CALL(Executable_GetCompiledMemoryStats, stats, .executable = executable);
    assert_int_equal(stats.argument_size_in_bytes, 24);
    assert_int_equal(stats.output_size_in_bytes, 28);
    CALL(LoadedExecutable_AddressableDevices, devices, .executable = loaded);
    assert_true(
        devices.num_addressable_devices == 4 &&
        devices.addressable_devices[1] == device(client, 5));
    PJRT_Program text = {.struct_size = sizeof text};
    CALL(Executable_OptimizedProgram, size, .executable = executable, .program = &text);
    text.code = calloc(text.code_size + 1, 1);
    CALL(Executable_OptimizedProgram, copy, .executable = executable, .program = &text);
    assert_non_null(strstr(text.code, "tensor<2x3xf32>")); // one device's
    free(text.code);
    const PJRT_Extension_Base *extension = api->extension_start;
    while (extension->type != PJRT_EXTENSION_SHARDINGS)
        extension = extension->next;
    const PJRT_Shardings_Extension *shardings = (const PJRT_Shardings_Extension *)extension;
    PJRT_Shardings_Executable_OutputShardings_Args args = {
        .struct_size = sizeof args, .executable = executable};
    assert_null(shardings->Shardings_Executable_OutputShardings(&args));
    static const char tiled[] = {0x08, 3, 0x1a, 2, 2, 2, 0x22, 4, 0, 1, 2, 3};
    assert_int_equal(args.num_outputs, 2);
    assert_int_equal(args.sharding_sizes[0], sizeof tiled);
    assert_memory_equal(args.shardings[0], tiled, sizeof tiled);
    static const char replicated[] = {0x08, 0};
    assert_int_equal(args.sharding_sizes[1], sizeof replicated);
    assert_memory_equal(args.shardings[1], replicated, sizeof replicated);
    CALL(Executable_Destroy, destroy, .executable = executable);
    destroy_executable(loaded);
    destroy_client(client);
}

// What XLA's readers do not know is written in what they know.
static void the_optimized_program_is_in_words_of_xla(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%a: tensor<4xf32>, %b: tensor<4xcomplex<f32>>)\n"
        "    -> (tensor<2xf32>, tensor<2xi32>, tensor<4xf32>, tensor<4xcomplex<f32>>) {\n"
        "  %0:2 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)\n"
        "  %1 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>\n"
        "  %2 = chlo.conj %1 : tensor<4xf32> -> tensor<4xf32>\n"
        "  %3 = chlo.conj %b : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>\n"
        "  return %0#0, %0#1, %2, %3 : tensor<2xf32>, tensor<2xi32>, tensor<4xf32>, "
        "tensor<4xcomplex<f32>>\n"
        "}\n";
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *loaded = compiled(client, text, (const int[]){0}, 1);
    PJRT_Executable *executable = described(loaded);
    PJRT_Program written = {.struct_size = sizeof written};
    CALL(Executable_OptimizedProgram, size, .executable = executable, .program = &written);
    written.code = calloc(written.code_size + 1, 1);
    CALL(Executable_OptimizedProgram, copy, .executable = executable, .program = &written);
    assert_null(strstr(written.code, "chlo."));
    assert_non_null(strstr(written.code, "@mhlo.topk"));
    assert_non_null(strstr(written.code, "k = 2 : i64, largest = true"));
    assert_non_null(strstr(written.code, "@mhlo.erf"));
    free(written.code);
    CALL(Executable_Destroy, destroy, .executable = executable);
    destroy_executable(loaded);
    destroy_client(client);
}

static void serialized_executables_run(void **state) {
    (void)state;
    PJRT_Client *client = create_client(4);
    const int ids[] = {3, 2, 1, 0};
    PJRT_LoadedExecutable *loaded = compiled(client, program, ids, 4);
    PJRT_Executable *executable = described(loaded);
    CALL(Executable_Serialize, bytes, .executable = executable);
    CALL(Executable_Destroy, destroy, .executable = executable);
    destroy_executable(loaded);
    CALL(
        Executable_DeserializeAndLoad, again, .client = client,
        .serialized_executable = bytes.serialized_bytes,
        .serialized_executable_size = bytes.serialized_bytes_size);
    for (size_t cut = 0; cut < bytes.serialized_bytes_size;
         cut += bytes.serialized_bytes_size / 9) {
        FAIL_CALL(
            Executable_DeserializeAndLoad, PJRT_INVALID_ARGUMENT, "", .client = client,
            .serialized_executable = bytes.serialized_bytes, .serialized_executable_size = cut);
    }
    bytes.serialized_executable_deleter(bytes.serialized_executable);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    put_tiles(client, ids, inputs);
    succeeds(execute(again.loaded_executable, 4, 1, inputs, outputs), "Execute");
    check_tiles(outputs);
    for (int p = 0; p < 4; p++)
        destroy_buffer(inputs[p][0]);
    destroy_executable(again.loaded_executable);
    destroy_client(client);
}

static void programs_that_cannot_be_compiled_are_refused(void **state) {
    (void)state;
    PJRT_Client *client = create_client(4);
    const int ids[] = {0, 1, 2, 9};
    PJRT_LoadedExecutable *executable = NULL;
    fails_with(
        try_compile(client, program, ids, 4, &executable), PJRT_INVALID_ARGUMENT, "device 9");
    fails_with(
        try_compile(client, program, ids, 2, &executable), PJRT_UNIMPLEMENTED, "has 4 devices");
    fails_with(
        try_compile(client, "func.func @main( oops", ids, 1, &executable), PJRT_INVALID_ARGUMENT,
        "expected");
    const PJRT_Program other = {
        .struct_size = sizeof other, .format = "stablehlo_text", .format_size = 14};
    FAIL_CALL(
        Client_Compile, PJRT_UNIMPLEMENTED, "stablehlo_text", .client = client, .program = &other);
    destroy_client(client);
}

// ---- asynchronous

// Long enough that it does not run in the caller's thread.
static const char long_program[] =
    "module @long {\n"
    "  func.func @main(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {\n"
    "    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]\n"
    "        : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>\n"
    "    return %0 : tensor<512x512xf32>\n"
    "  }\n"
    "}\n";

static void executions_follow_each_other(void **state) {
    (void)state;
    enum { N = 512, STEPS = 6 };
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *executable = compiled(client, long_program, (const int[]){0}, 1);
    float *identity = calloc((size_t)N * N, sizeof *identity);
    for (int i = 0; i < N; i++)
        identity[i * N + i] = i % 2 ? -1 : 1;
    const int64_t dims[] = {N, N};
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    inputs[0][0] = put(client, 0, identity, 2, dims);
    for (int step = 0; step < STEPS; step++) { // nobody waits in between
        succeeds(execute(executable, 1, 1, inputs, outputs), "Execute");
        destroy_buffer(inputs[0][0]);
        inputs[0][0] = outputs[0][0];
    }
    succeeds(execute(executable, 1, 1, inputs, outputs), "Execute");
    destroy_buffer(outputs[0][0]); // nobody wants it
    destroy_executable(executable);
    float *result = calloc((size_t)N * N, sizeof *result);
    get(inputs[0][0], result, (size_t)N * N);
    for (int i = 0; i < N; i++)
        assert_true(result[i * N + i] == 1);
    destroy_buffer(inputs[0][0]);
    free(identity);
    free(result);
    destroy_client(client);
}

static void errors_reach_what_depends_on_them(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *executable = compiled(client, long_program, (const int[]){0}, 1);
    const int64_t dims[] = {512, 512};
    CALL(
        Client_CreateErrorBuffer, args, .client = client, .error_code = PJRT_INTERNAL,
        .error_message = "poison", .error_message_size = 6, .shape_dims = dims, .shape_num_dims = 2,
        .shape_element_type = PJRT_F32, .memory = memory(client, 0));
    PJRT_Buffer *inputs[8][4] = {{args.buffer}}, *outputs[8][4];
    fails_with(execute(executable, 1, 1, inputs, outputs), PJRT_INTERNAL, "poison");
    CALL(Buffer_ReadyEvent, ready, .buffer = args.buffer);
    FAIL_CALL(Event_Await, PJRT_INTERNAL, "poison", .event = ready.event);
    CALL(Event_Destroy, destroy, .event = ready.event);
    destroy_buffer(args.buffer);
    destroy_executable(executable);
    destroy_client(client);
}

typedef struct Caller {
    PJRT_Client *client;
    PJRT_LoadedExecutable *executable;
} Caller;

static void *call_often(void *argument) {
    Caller *caller = argument;
    const int ids[] = {0, 1, 2, 3};
    for (int round = 0; round < 50; round++) {
        PJRT_Buffer *inputs[8][4], *outputs[8][4];
        put_tiles(caller->client, ids, inputs);
        succeeds(execute(caller->executable, 4, 1, inputs, outputs), "Execute");
        for (int p = 0; p < 4; p++)
            destroy_buffer(inputs[p][0]);
        check_tiles(outputs);
    }
    return NULL;
}

static void any_thread_may_execute(void **state) {
    (void)state;
    enum { CALLERS = 4 };
    PJRT_Client *client = create_client(4);
    Caller caller = {client, compiled(client, program, (const int[]){0, 1, 2, 3}, 4)};
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &caller), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    destroy_executable(caller.executable);
    destroy_client(client);
}

// ---- foreign functions, through the interface's structs as handlers see them

#include "plugin/ffi/ffi_abi.h"

static FfiError *add_factor(FfiFrame *frame) {
    const FfiBuffer *in = frame->arguments.items[0], *out = frame->results.items[0];
    const FfiScalar *factor = frame->attributes.items[0];
    const FfiSpan *name = frame->attributes.items[1];
    bool right = frame->stage == FFI_EXECUTE && in->rank == 1 && in->dims[0] == 1 &&
                 in->type == 11 && frame->attributes.size == 2 &&
                 frame->attributes.names[0]->size == 6 && factor->type == 4 && name->size == 3 &&
                 memcmp(name->data, "x\"y", 3) == 0;
    struct {
        size_t struct_size;
        void *extension;
        const char *message;
        int32_t code;
    } args = {sizeof args, NULL, "as it was told", 13};
    int32_t number = *(const int32_t *)factor->value;
    if (!right || number < 0) return frame->api->error_create(&args);
    *(float *)out->data = *(const float *)in->data + (float)number;
    return NULL;
}

static void register_handler(const char *name, FfiHandler *handler) {
    const PJRT_Extension_Base *extension = api->extension_start;
    while (extension->type != PJRT_EXTENSION_FFI)
        extension = extension->next;
    const PJRT_FFI_Extension *ffi = (const PJRT_FFI_Extension *)extension;
    PJRT_FFI_Register_Handler_Args args = {
        .struct_size = sizeof args, .target_name = name, .target_name_size = strlen(name)};
    memcpy(&args.handler, &handler, sizeof handler);
    assert_null(ffi->FFI_Register_Handler(&args));
}

static FfiError *double_in_place(FfiFrame *frame) {
    const FfiBuffer *in = frame->arguments.items[0], *out = frame->results.items[0];
    if (in->data == out->data) *(float *)out->data *= 2;
    return NULL;
}

// The argument, which is not donated, stays.
static void results_may_lie_where_operands_do(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n"
        "  %0 = stablehlo.custom_call @test_double(%a) {api_version = 4 : i32, backend_config = "
        "{},\n"
        "      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = "
        "[],\n"
        "          operand_index = 0, operand_tuple_indices = []>]} : (tensor<1xf32>) -> "
        "tensor<1xf32>\n"
        "  return %0 : tensor<1xf32>\n"
        "}\n";
    register_handler("test_double", double_in_place);
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *executable = compiled(client, text, (const int[]){0}, 1);
    float value = 21;
    PJRT_Buffer *inputs[8][4] = {{put(client, 0, &value, 1, one)}}, *outputs[8][4];
    succeeds(execute(executable, 1, 1, inputs, outputs), "Execute");
    get(outputs[0][0], &value, 1);
    assert_true(value == 42);
    get(inputs[0][0], &value, 1);
    assert_true(value == 21);
    destroy_buffer(inputs[0][0]);
    destroy_buffer(outputs[0][0]);
    destroy_executable(executable);
    destroy_client(client);
}

static void foreign_functions_are_called(void **state) {
    (void)state;
    static const char format[] =
        "func.func @main(%%a: tensor<1xf32>) -> tensor<1xf32> {\n"
        "  %%0 = stablehlo.custom_call @test_add(%%a) {api_version = 4 : i32,\n"
        "      backend_config = {name = \"x\\22y\", factor = %d : i32}} : (tensor<1xf32>) -> "
        "tensor<1xf32>\n"
        "  return %%0 : tensor<1xf32>\n"
        "}\n";
    char text[512];
    snprintf(text, sizeof text, format, 5);
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *executable = NULL;
    fails_with(
        try_compile(client, text, (const int[]){0}, 1, &executable), PJRT_UNIMPLEMENTED,
        "test_add");
    register_handler("test_add", add_factor);
    executable = compiled(client, text, (const int[]){0}, 1);
    float value = 2;
    PJRT_Buffer *inputs[8][4] = {{put(client, 0, &value, 1, one)}}, *outputs[8][4];
    succeeds(execute(executable, 1, 1, inputs, outputs), "Execute");
    get(outputs[0][0], &value, 1);
    assert_true(value == 7);
    destroy_buffer(outputs[0][0]);
    destroy_executable(executable);
    snprintf(text, sizeof text, format, -1);
    executable = compiled(client, text, (const int[]){0}, 1);
    fails_with(execute(executable, 1, 1, inputs, outputs), PJRT_INTERNAL, "as it was told");
    destroy_buffer(inputs[0][0]);
    destroy_executable(executable);
    destroy_client(client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_runs_on_the_devices_that_it_is_for),
        cmocka_unit_test(memory_that_others_see_is_not_overwritten),
        cmocka_unit_test(a_donated_buffer_is_no_other_argument),
        cmocka_unit_test(what_was_compiled_is_described),
        cmocka_unit_test(the_optimized_program_is_in_words_of_xla),
        cmocka_unit_test(serialized_executables_run),
        cmocka_unit_test(programs_that_cannot_be_compiled_are_refused),
        cmocka_unit_test(executions_follow_each_other),
        cmocka_unit_test(errors_reach_what_depends_on_them),
        cmocka_unit_test(any_thread_may_execute),
        cmocka_unit_test(results_may_lie_where_operands_do),
        cmocka_unit_test(foreign_functions_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

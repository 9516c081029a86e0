// Programs as PyTorch/XLA gives them: HLO that says nothing of devices, and compile options that
// do.
#define _GNU_SOURCE
#include "tests/plugin/plugin_test.h"

// The fields that CompileOptionsProto has beside the devices.
typedef struct Wish {
    int replicas, partitions;
    bool are_arguments_whole, are_results_open;
} Wish;

static size_t write_wish(const Wish *wish, char *bytes) {
    char build[32];
    size_t b = 0, n = 0;
    put_field(build, &b, 0x20, wish->replicas);
    put_field(build, &b, 0x28, wish->partitions);
    put_field(build, &b, 0x62, 1); // field 12, packed
    build[b++] = (char)wish->are_results_open;
    if (wish->are_arguments_whole) {
        build[b++] = (char)0x92; // field 18, packed
        put_field(build, &b, 0x01, 1);
        build[b++] = 0;
    }
    put_field(bytes, &n, 0x1a, (int)b);
    memcpy(bytes + n, build, b);
    return n + b;
}

static PJRT_LoadedExecutable *compiled_hlo(
    PJRT_Client *client, const char *text, const char *format, const Wish *wish) {
    char options[64];
    size_t size = write_wish(wish, options);
    char *code = strdup(text);
    const PJRT_Program program = {
        .struct_size = sizeof program,
        .code = code,
        .code_size = strlen(text),
        .format = format,
        .format_size = strlen(format)};
    CALL(
        Client_Compile, args, .client = client, .program = &program, .compile_options = options,
        .compile_options_size = size);
    free(code);
    return args.executable;
}

static const char doubled[] =
    "HloModule doubled\n"
    "ENTRY main { x = f32[3] parameter(0) s = f32[3] add(x, x) ROOT t = (f32[3]) tuple(s) }\n";
static const int64_t three[] = {3};

static void put_three(PJRT_Client *client, int id, PJRT_Buffer **buffer) {
    const float data[] = {(float)id, 1, 2};
    *buffer = put(client, id, data, 1, three);
}

static void check_doubled(PJRT_Buffer *buffer, int id) {
    float data[3];
    get(buffer, data, 3);
    assert_true(data[0] == (float)(2 * id) && data[1] == 2 && data[2] == 4);
    destroy_buffer(buffer);
}

// Compiled for as many replicas as there are devices; executed on any one of them, or on all.
static void a_program_that_does_not_communicate_runs_on_each_device(void **state) {
    (void)state;
    PJRT_Client *client = create_client(4);
    const Wish wish = {.replicas = 4, .partitions = 1};
    PJRT_LoadedExecutable *executable = compiled_hlo(client, doubled, "hlo", &wish);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    for (int d = 0; d < 4; d++)
        put_three(client, d, &inputs[d][0]);
    for (int d = 3; d >= 0; d--) {
        PJRT_Buffer *const *input_lists[] = {inputs[d]};
        PJRT_Buffer **output_lists[] = {outputs[d]};
        PJRT_ExecuteOptions options = {.struct_size = sizeof options};
        CALL(
            LoadedExecutable_Execute, args, .executable = executable, .options = &options,
            .argument_lists = input_lists, .num_devices = 1, .num_args = 1,
            .output_lists = output_lists, .execute_device = device(client, d));
        CALL(Buffer_Device, at, .buffer = outputs[d][0]);
        assert_ptr_equal(at.device, device(client, d));
        check_doubled(outputs[d][0], d);
    }
    succeeds(execute(executable, 4, 1, inputs, outputs), "Execute");
    for (int d = 0; d < 4; d++)
        check_doubled(outputs[d][0], d);
    PJRT_Buffer *last = inputs[3][0];
    inputs[3][0] = inputs[2][0]; // three devices have executed when the fourth cannot
    fails_with(execute(executable, 4, 1, inputs, outputs), PJRT_INVALID_ARGUMENT, "is on device");
    fails_with(execute(executable, 2, 1, inputs, outputs), PJRT_INVALID_ARGUMENT, "2 devices");
    inputs[3][0] = last;
    for (int d = 0; d < 4; d++)
        destroy_buffer(inputs[d][0]);
    destroy_executable(executable);
    destroy_client(client);
}

static void replicas_that_communicate_run_together(void **state) {
    (void)state;
    PJRT_Client *client = create_client(4);
    const Wish wish = {.replicas = 4, .partitions = 1};
    PJRT_LoadedExecutable *executable = compiled_hlo(
        client,
        "HloModule summed\n"
        "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n"
        "ENTRY main { x = f32[3] parameter(0)\n"
        "  ROOT s = f32[3] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=sum }\n",
        "hlo", &wish);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    for (int d = 0; d < 4; d++)
        put_three(client, d, &inputs[d][0]);
    succeeds(execute(executable, 4, 1, inputs, outputs), "Execute");
    for (int d = 0; d < 4; d++) {
        float data[3];
        get(outputs[d][0], data, 3);
        assert_true(data[0] == (d < 2 ? 1 : 5) && data[1] == 2 && data[2] == 4);
        destroy_buffer(outputs[d][0]);
        destroy_buffer(inputs[d][0]);
    }
    destroy_executable(executable);
    destroy_client(client);
}

static char *optimized(PJRT_LoadedExecutable *loaded) {
    PJRT_Executable *executable = described(loaded);
    PJRT_Program text = {.struct_size = sizeof text};
    CALL(Executable_OptimizedProgram, size, .executable = executable, .program = &text);
    text.code = calloc(text.code_size + 1, 1);
    CALL(Executable_OptimizedProgram, copy, .executable = executable, .program = &text);
    CALL(Executable_Destroy, destroy, .executable = executable);
    return text.code;
}

// 5 rows on 4 devices: tiles of two rows, the last ones partly or wholly beyond the array.
static void tiles_are_what_the_program_says_even_where_they_do_not_divide(void **state) {
    (void)state;
    PJRT_Client *client = create_client(4);
    const Wish wish = {
        .replicas = 1, .partitions = 4, .are_arguments_whole = true, .are_results_open = true};
    PJRT_LoadedExecutable *executable = compiled_hlo(
        client,
        "HloModule uneven\n"
        "ENTRY main { x = f32[5] parameter(0), sharding={devices=[4]0,1,2,3}\n"
        "  y = f32[5] parameter(1)\n"
        "  s = f32[5] add(x, y)\n"
        "  ROOT t = (f32[5], f32[5]) tuple(s, y), sharding={{devices=[4]0,1,2,3},{replicated}} }\n",
        "hlo", &wish);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    const int64_t tile[] = {2}, whole[] = {5};
    const float ones[] = {1, 1, 1, 1, 1};
    for (int d = 0; d < 4; d++) {
        const float data[] = {(float)(2 * d), (float)(2 * d + 1)};
        inputs[d][0] = put(client, d, data, 1, tile);
        inputs[d][1] = put(client, d, ones, 1, whole); // nothing is said of it: it is whole
    }
    succeeds(execute(executable, 4, 2, inputs, outputs), "Execute");
    for (int d = 0; d < 3; d++) {
        float data[2];
        get(outputs[d][0], data, 2);
        assert_true(data[0] == (float)(2 * d + 1));
        assert_true(d == 2 || data[1] == (float)(2 * d + 2));
    }
    for (int d = 0; d < 4; d++) {
        for (int i = 0; i < 2; i++) {
            destroy_buffer(inputs[d][i]);
            destroy_buffer(outputs[d][i]);
        }
    }
    char *text = optimized(executable);
    assert_non_null(
        strstr(text, "mhlo.spmd_output_sharding = \"{{devices=[4]0,1,2,3}, {replicated}}\""));
    assert_non_null(strstr(
        text, "mhlo.spmd_parameters_shardings = [\"{devices=[4]0,1,2,3}\", \"{replicated}\"]"));
    free(text);
    destroy_executable(executable);
    destroy_client(client);
}

// Shardings that propagation found, of what the options leave open.
static void options_say_what_shardings_propagate_to(void **state) {
    (void)state;
    static const char text[] =
        "HloModule open\n"
        "ENTRY main { x = f32[8] parameter(0), sharding={devices=[4]0,1,2,3}\n"
        "  y = f32[8] parameter(1)\n"
        "  ROOT s = f32[8] add(x, y) }\n";
    static const char *const expected[2][2] = {
        {"[\"{devices=[4]0,1,2,3}\", \"{devices=[4]0,1,2,3}\"]", "= \"{replicated}\""},
        {"[\"{devices=[4]0,1,2,3}\", \"{replicated}\"]", "= \"{devices=[4]0,1,2,3}\""}};
    PJRT_Client *client = create_client(4);
    for (int i = 0; i < 2; i++) {
        const Wish wish = {
            .replicas = 1, .partitions = 4, .are_arguments_whole = i, .are_results_open = i};
        PJRT_LoadedExecutable *executable = compiled_hlo(client, text, "hlo", &wish);
        char *program = optimized(executable);
        assert_non_null(strstr(program, expected[i][0]));
        assert_non_null(strstr(program, expected[i][1]));
        free(program);
        destroy_executable(executable);
    }
    destroy_client(client);
}

static int count(const char *text, const char *word) {
    int times = 0;
    for (text = strstr(text, word); text; text = strstr(text + 1, word))
        times++;
    return times;
}

// What MLIR's conversion to HLO does not take: CHLO's functions, an all_to_all of several operands,
// an all_gather of several types.
static void the_optimized_program_is_one_that_xla_reads(void **state) {
    (void)state;
    static const char format[] =
        "HloModule words\n"
        "ENTRY main { x = f32[8,8] parameter(0), sharding={devices=[4,1]0,1,2,3}\n"
        "  y = %s[8,8] parameter(1), sharding={devices=[4,1]0,1,2,3}\n"
        "  e = f32[8,8] erf(x) t = %s[8,8] negate(y)\n"
        "  ROOT r = (f32[8,8], %s[8,8]) tuple(e, t), sharding={%s,%s} }\n";
    PJRT_Client *client = create_client(4);
    const Wish wish = {.replicas = 1, .partitions = 4, .are_results_open = true};
    static const char *const types[] = {"f32", "s32"};
    static const char *const results[] = {"{devices=[1,4]0,1,2,3}", "{replicated}"};
    static const char *const words[] = {"stablehlo.all_to_all\"(", "stablehlo.all_gather\"("};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, format, types[i], types[i], types[i], results[i], results[i]);
        PJRT_LoadedExecutable *executable = compiled_hlo(client, text, "hlo", &wish);
        char *program = optimized(executable);
        assert_null(strstr(program, "chlo."));
        assert_non_null(strstr(program, "stablehlo.custom_call @mhlo.erf("));
        assert_int_equal(count(program, words[i]), 2);
        free(program);
        destroy_executable(executable);
    }
    destroy_client(client);
}

// Of calls that compute nothing: what keeps a value, and what asks for an order of values, one of
// which comes later.
static void values_are_kept_and_ordered(void **state) {
    (void)state;
    PJRT_Client *client = create_client(2);
    PJRT_LoadedExecutable *executable = compiled(
        client,
        "func.func @main(%a: tensor<2xf32> {mhlo.sharding = \"{devices=[2]0,1}\"})"
        " -> (tensor<2xf32> {mhlo.sharding = \"{replicated}\"}) {\n"
        "  %0 = stablehlo.multiply %a, %a : tensor<2xf32>\n"
        "  stablehlo.custom_call @dce_sink(%0) {has_side_effect = true} : (tensor<2xf32>) -> ()\n"
        "  %1 = \"stablehlo.async_start\"(%a) ({\n  ^bb0(%b: tensor<2xf32>):\n"
        "    %3 = stablehlo.slice %b [0:2] : (tensor<2xf32>) -> tensor<2xf32>\n    "
        "stablehlo.return %3 : tensor<2xf32>\n"
        "  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>\n"
        "  stablehlo.custom_call @control_dep(%1, %a) {has_side_effect = true}"
        " : (!stablehlo.future<tensor<2xf32>>, tensor<2xf32>) -> ()\n"
        "  %2 = \"stablehlo.async_done\"(%1)"
        " : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>\n"
        "  return %2 : tensor<2xf32>\n}\n",
        (const int[]){0, 1}, 2);
    char *text = optimized(executable);
    assert_non_null(strstr(text, "multiply"));
    assert_non_null(strstr(text, "dce_sink"));
    free(text);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    for (int d = 0; d < 2; d++)
        inputs[d][0] = put(client, d, (const float[]){(float)(d + 1)}, 1, (const int64_t[]){1});
    succeeds(execute(executable, 2, 1, inputs, outputs), "Execute");
    for (int d = 0; d < 2; d++) {
        float data[2];
        get(outputs[d][0], data, 2);
        assert_true(data[0] == 1 && data[1] == 2);
        destroy_buffer(outputs[d][0]);
        destroy_buffer(inputs[d][0]);
    }
    destroy_executable(executable);
    destroy_client(client);
}

// Two matrices on each of two devices: no device asks another one.
static void batches_of_factorisations_do_not_communicate(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%%a: tensor<4x2x2xf32> {mhlo.sharding = \"{devices=[2,1,1]0,1}\"})\n"
        "    -> (tensor<4x2x2xf32> {mhlo.sharding = \"{devices=[2,1,1]0,1}\"}) {\n"
        "  %%0:3 = stablehlo.custom_call @lapack_s%s_ffi(%%a) {mhlo.backend_config = {mode = 86 :"
        " ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = \"1\"},"
        " operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts ="
        " [dense<[1, 2, 0]> : tensor<3xindex>, %s, dense<0> : tensor<1xindex>]}\n"
        "    : (tensor<4x2x2xf32>) -> (tensor<4x2x2xf32>, %s, tensor<4xi32>)\n"
        "  return %%0#0 : tensor<4x2x2xf32>\n}\n";
    static const char matrix[] = "dense<[1, 0]> : tensor<2xindex>";
    static const struct {
        const char *name, *type;
        float first; // the first element of the result for [[4, 2], [2, 1]] d
    } calls[] = {{"getrf", "tensor<4x2xi32>", 4}, {"syevd", "tensor<4x2xf32>", 0.44721f}};
    PJRT_Client *client = create_client(2);
    for (int i = 0; i < 2; i++) {
        char program[2048];
        snprintf(program, sizeof program, text, calls[i].name, matrix, calls[i].type);
        PJRT_LoadedExecutable *executable = compiled(client, program, (const int[]){0, 1}, 2);
        char *written = optimized(executable);
        assert_null(strstr(written, "all_"));
        assert_null(strstr(written, "collective"));
        free(written);
        PJRT_Buffer *inputs[8][4], *outputs[8][4];
        for (int d = 0; d < 2; d++) {
            const float data[] = {4, 2, 2, 1, 8, 4, 4, 2};
            inputs[d][0] = put(client, d, data, 3, (const int64_t[]){2, 2, 2});
        }
        succeeds(execute(executable, 2, 1, inputs, outputs), "Execute");
        for (int d = 0; d < 2; d++) {
            float data[8];
            get(outputs[d][0], data, 8);
            assert_float_equal(data[0] < 0 ? -data[0] : data[0], calls[i].first, 1e-4);
            destroy_buffer(outputs[d][0]);
            destroy_buffer(inputs[d][0]);
        }
        destroy_executable(executable);
    }
    destroy_client(client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_does_not_communicate_runs_on_each_device),
        cmocka_unit_test(replicas_that_communicate_run_together),
        cmocka_unit_test(tiles_are_what_the_program_says_even_where_they_do_not_divide),
        cmocka_unit_test(options_say_what_shardings_propagate_to),
        cmocka_unit_test(the_optimized_program_is_one_that_xla_reads),
        cmocka_unit_test(values_are_kept_and_ordered),
        cmocka_unit_test(batches_of_factorisations_do_not_communicate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

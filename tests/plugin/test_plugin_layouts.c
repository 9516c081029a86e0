// The PJRT plugin: buffers, arguments and results whose dimensions lie in another
// order in memory than row-major.
#define _GNU_SOURCE
#include "plugin_test.h"

enum { ROWS = 2, COLUMNS = 3, COUNT = ROWS * COLUMNS };
static const int64_t dims[] = {ROWS, COLUMNS};
static const int64_t column_major[] = {0, 1}, row_major[] = {1, 0}; // the fastest first
static const float by_rows[COUNT] = {1, 2, 3, 4, 5, 6}, by_columns[COUNT] = {1, 4, 2, 5, 3, 6};

static PJRT_Buffer_MemoryLayout order(const int64_t *minor_to_major) {
    return (PJRT_Buffer_MemoryLayout){
        .struct_size = sizeof(PJRT_Buffer_MemoryLayout),
        .tiled =
            {.struct_size = sizeof((PJRT_Buffer_MemoryLayout *)0)->tiled,
             .minor_to_major = minor_to_major,
             .minor_to_major_size = 2},
        .type = PJRT_TILED};
}

static PJRT_Buffer *put_ordered(
    PJRT_Client *client, int id, const float *data, const int64_t *minor_to_major) {
    PJRT_Buffer_MemoryLayout layout = order(minor_to_major);
    CALL(
        Client_BufferFromHostBuffer, args, .client = client, .data = data, .type = PJRT_F32,
        .dims = dims, .num_dims = 2, .host_buffer_semantics = PJRT_ONLY_DURING_CALL,
        .memory = memory(client, id), .device_layout = &layout);
    await(args.done_with_host_buffer);
    return args.buffer;
}

static const float *memory_of(PJRT_Buffer *buffer) {
    CALL(Buffer_ReadyEvent, ready, .buffer = buffer);
    await(ready.event);
    CALL(Buffer_OpaqueDeviceMemoryDataPointer, args, .buffer = buffer);
    return args.device_memory_ptr;
}

static const PJRT_Layouts_Extension *layouts_extension(void) {
    const PJRT_Extension_Base *extension = api->extension_start;
    while (extension->type != PJRT_EXTENSION_LAYOUTS)
        extension = extension->next;
    return (const PJRT_Layouts_Extension *)extension;
}

static void check_text(PJRT_Layouts_MemoryLayout *layout, const char *text) {
    PJRT_Layouts_MemoryLayout_Serialize_Args args = {.struct_size = sizeof args, .layout = layout};
    assert_null(layouts_extension()->Layouts_MemoryLayout_Serialize(&args));
    assert_int_equal(args.serialized_bytes_size, strlen(text));
    assert_memory_equal(args.serialized_bytes, text, strlen(text));
    args.serialized_layout_deleter(args.serialized_layout);
}

static void check_layout(PJRT_Buffer *buffer, const char *text) {
    PJRT_Layouts_Buffer_MemoryLayout_Args args = {.struct_size = sizeof args, .buffer = buffer};
    assert_null(layouts_extension()->Layouts_Buffer_MemoryLayout(&args));
    check_text(args.layout, text);
}

// ---- buffers

static void buffers_lie_in_the_order_that_is_asked_for(void **state) {
    (void)state;
    PJRT_Client *client = create_client(2);
    PJRT_Buffer *buffer = put_ordered(client, 0, by_rows, column_major);
    check_layout(buffer, "{0,1}");
    CALL(Buffer_GetMemoryLayout, layout, .buffer = buffer);
    assert_memory_equal(layout.layout.tiled.minor_to_major, column_major, sizeof column_major);
    assert_memory_equal(memory_of(buffer), by_columns, sizeof by_columns);
    float copied[COUNT];
    get(buffer, copied, COUNT); // as it lies
    assert_memory_equal(copied, by_columns, sizeof copied);
    PJRT_Buffer_MemoryLayout rows = order(row_major);
    CALL(
        Buffer_ToHostBuffer, args, .src = buffer, .host_layout = &rows, .dst = copied,
        .dst_size = sizeof copied);
    await(args.event);
    assert_memory_equal(copied, by_rows, sizeof copied);
    CALL(Buffer_CopyToDevice, copy, .buffer = buffer, .dst_device = device(client, 1));
    check_layout(copy.dst_buffer, "{0,1}");
    assert_memory_equal(memory_of(copy.dst_buffer), by_columns, sizeof by_columns);
    destroy_buffer(copy.dst_buffer);
    destroy_buffer(buffer);
    destroy_client(client);
}

static void wrong_layouts_are_refused(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    const struct {
        int64_t minor_to_major[2];
        size_t rank, tiles;
        PJRT_Error_Code code;
        const char *message;
    } cases[] = {
        {{0, 0}, 2, 0, PJRT_INVALID_ARGUMENT, "dimension 0 twice"},
        {{0, 2}, 2, 0, PJRT_INVALID_ARGUMENT, "no dimension 2"},
        {{0, -1}, 2, 0, PJRT_INVALID_ARGUMENT, "no dimension -1"},
        {{0, 1}, 1, 0, PJRT_INVALID_ARGUMENT, "another rank"},
        {{0, 1}, 2, 1, PJRT_UNIMPLEMENTED, "tiles"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PJRT_Buffer_MemoryLayout layout = order(cases[i].minor_to_major);
        layout.tiled.minor_to_major_size = cases[i].rank;
        layout.tiled.num_tiles = cases[i].tiles;
        FAIL_CALL(
            Client_BufferFromHostBuffer, cases[i].code, cases[i].message, .client = client,
            .data = by_rows, .type = PJRT_F32, .dims = dims, .num_dims = 2,
            .memory = memory(client, 0), .device_layout = &layout);
    }
    destroy_client(client);
}

// ---- programs

// The first argument is column-major, so is the sum; the transposed sum lies as the sum would
// row-major.
static const char program[] =
    "module @sum {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(\n"
    "      %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>, "
    "mhlo.layout_mode = \"{0,1}\"},\n"
    "      %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>, "
    "mhlo.layout_mode = \"default\"})\n"
    "      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>, "
    "mhlo.layout_mode = \"{0,1}\"},\n"
    "          tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\"}, {\"x\"}]>, "
    "mhlo.layout_mode = \"auto\"}) {\n"
    "    %0 = stablehlo.add %a, %b : tensor<4x6xf32>\n"
    "    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
    "    return %0, %1 : tensor<4x6xf32>, tensor<6x4xf32>\n"
    "  }\n"
    "}\n";

static void check_layouts_of(PJRT_LoadedExecutable *loaded) {
    PJRT_Executable *executable = described(loaded);
    PJRT_Layouts_Executable_GetParameterLayouts_Args in = {
        .struct_size = sizeof in, .executable = executable};
    PJRT_Layouts_Executable_GetOutputLayouts_Args out = {
        .struct_size = sizeof out, .executable = executable};
    assert_null(layouts_extension()->Layouts_Executable_GetParameterLayouts(&in));
    assert_null(layouts_extension()->Layouts_Executable_GetOutputLayouts(&out));
    assert_true(in.num_parameters == 2 && out.num_outputs == 2);
    check_text(in.layouts[0], "{0,1}");
    check_text(in.layouts[1], "{1,0}");
    check_text(out.layouts[0], "{0,1}");
    check_text(out.layouts[1], "{0,1}");
    CALL(Executable_OutputDimensions, shapes, .executable = executable);
    assert_true(shapes.dims[0] == 2 && shapes.dims[1] == 3 && shapes.dims[2] == 3);
    CALL(Executable_Destroy, destroy, .executable = executable);
}

static void arguments_and_results_lie_as_the_program_says(void **state) {
    (void)state;
    enum { DEVICES = 4 };
    PJRT_Client *client = create_client(DEVICES);
    PJRT_LoadedExecutable *executable = compiled(client, program, (const int[]){0, 1, 2, 3}, 4);
    check_layouts_of(executable);
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    for (int d = 0; d < DEVICES; d++) {
        float own[COUNT];
        for (int i = 0; i < COUNT; i++)
            own[i] = (float)(100 * d + 10 * i);
        inputs[d][0] = put_ordered(client, d, by_rows, column_major);
        inputs[d][1] = put(client, d, own, 2, dims);
    }
    succeeds(execute(executable, DEVICES, 2, inputs, outputs), "Execute");
    for (int d = 0; d < DEVICES; d++) {
        const float *sum = memory_of(outputs[d][0]), *turned = memory_of(outputs[d][1]);
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < COLUMNS; column++) {
                int i = row * COLUMNS + column;
                float expected = by_rows[i] + (float)(100 * d + 10 * i);
                assert_true(sum[column * ROWS + row] == expected);
                assert_true(turned[i] == expected); // [column][row], the column the fastest
            }
        }
        check_layout(outputs[d][0], "{0,1}");
        destroy_buffer(outputs[d][0]);
        destroy_buffer(outputs[d][1]);
    }
    destroy_buffer(inputs[1][0]);
    inputs[1][0] = put(client, 1, by_rows, 2, dims);
    fails_with(
        execute(executable, DEVICES, 2, inputs, outputs), PJRT_INVALID_ARGUMENT,
        "parameter 0 in the layout {0,1} but got {1,0}");
    for (int d = 0; d < DEVICES; d++) {
        destroy_buffer(inputs[d][0]);
        destroy_buffer(inputs[d][1]);
    }
    destroy_executable(executable);
    destroy_client(client);
}

// %s: the layouts of the donated argument and of the result.
static const char donating[] =
    "func.func @main(%%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32, mhlo.layout_mode = "
    "%s})\n"
    "    -> (tensor<2x3xf32> {mhlo.layout_mode = %s}) {\n"
    "  %%0 = stablehlo.add %%a, %%a : tensor<2x3xf32>\n"
    "  return %%0 : tensor<2x3xf32>\n"
    "}\n";

static void donated_arguments_in_any_order_are_gone(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    for (int same = 0; same < 2; same++) {
        char text[512];
        snprintf(text, sizeof text, donating, "\"{0,1}\"", same ? "\"{0,1}\"" : "\"{1,0}\"");
        PJRT_LoadedExecutable *executable = compiled(client, text, (const int[]){0}, 1);
        PJRT_Buffer *inputs[8][4] = {{put_ordered(client, 0, by_rows, column_major)}};
        PJRT_Buffer *outputs[8][4];
        const float *memory = memory_of(inputs[0][0]);
        succeeds(execute(executable, 1, 1, inputs, outputs), "Execute");
        assert_true(is_deleted(inputs[0][0]));
        const float *result = memory_of(outputs[0][0]);
        assert_true(same || result != memory);
        for (int i = 0; i < COUNT; i++)
            assert_true(result[i] == 2 * (same ? by_columns : by_rows)[i]);
        destroy_buffer(inputs[0][0]);
        destroy_buffer(outputs[0][0]);
        destroy_executable(executable);
    }
    destroy_client(client);
}

static void wrong_layouts_of_programs_are_refused(void **state) {
    (void)state;
    const struct {
        const char *mode;
        PJRT_Error_Code code;
        const char *message;
    } cases[] = {
        {"\"{0,0}\"", PJRT_INVALID_ARGUMENT, "name each of the 2 dimensions once"},
        {"\"{0}\"", PJRT_INVALID_ARGUMENT, "name each of the 2 dimensions once"},
        {"\"{0,1,2}\"", PJRT_INVALID_ARGUMENT, "name each of the 2 dimensions once"},
        {"\"{0,}\"", PJRT_INVALID_ARGUMENT, "name each of the 2 dimensions once"},
        {"\"\"", PJRT_INVALID_ARGUMENT, "name each of the 2 dimensions once"},
        {"\"{1,0:T(8,128)}\"", PJRT_UNIMPLEMENTED, "layouts of tiles"},
        {"1 : i32", PJRT_INVALID_ARGUMENT, "must be a text"},
    };
    PJRT_Client *client = create_client(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PJRT_LoadedExecutable *executable = NULL;
        char text[512];
        snprintf(text, sizeof text, donating, cases[i].mode, "\"auto\"");
        fails_with(
            try_compile(client, text, (const int[]){0}, 1, &executable), cases[i].code,
            cases[i].message);
        snprintf(text, sizeof text, donating, "\"auto\"", cases[i].mode);
        fails_with(
            try_compile(client, text, (const int[]){0}, 1, &executable), cases[i].code, "result 0");
    }
    destroy_client(client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_lie_in_the_order_that_is_asked_for),
        cmocka_unit_test(wrong_layouts_are_refused),
        cmocka_unit_test(arguments_and_results_lie_as_the_program_says),
        cmocka_unit_test(donated_arguments_in_any_order_are_gone),
        cmocka_unit_test(wrong_layouts_of_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

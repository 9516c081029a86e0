// The PJRT plugin: what a profiler is given of the executions while it runs.
#define _GNU_SOURCE
#include "plugin/plugin.h"
#include "plugin/profiler/profiler.h"
#include "plugin_test.h"

// Each row's sum on two devices, which need nothing of each other; then the
// sum of all, which they exchange.
static const char program[] =
    "module @jit_sums attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func @main(%x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})\n"
    "      -> tensor<f32> {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]\n"
    "        : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %0 : tensor<f32>\n"
    "  }\n"
    "}\n";

static const PLUGIN_Profiler_Api *profiler_api(void) {
    const PJRT_Extension_Base *found = api->extension_start;
    while (found->type != PJRT_EXTENSION_PROFILER)
        found = found->next;
    return ((const PJRT_Profiler_Extension *)found)->profiler_api;
}

static PLUGIN_Profiler *create_profiler(void) {
    PLUGIN_Profiler_Create_Args args = {.struct_size = sizeof args};
    assert_null(profiler_api()->create(&args));
    assert_non_null(args.profiler);
    return args.profiler;
}

#define DO(function, profiler_)                                   \
    do {                                                          \
        PLUGIN_Profiler_Args args_ = {sizeof args_, (profiler_)}; \
        assert_null(profiler_api()->function(&args_));            \
    } while (0)

static void run_once(PJRT_Client *client, PJRT_LoadedExecutable *executable) {
    static const int64_t dims[] = {2, 3};
    static const float rows[] = {1, 2, 3, 4, 5, 6};
    PJRT_Buffer *inputs[MOST_DEVICES][MOST_ARRAYS], *outputs[MOST_DEVICES][MOST_ARRAYS];
    for (int d = 0; d < 2; d++)
        inputs[d][0] = put(client, d, rows, 2, dims);
    succeeds(execute(executable, 2, 1, inputs, outputs), "Execute");
    for (int d = 0; d < 2; d++) {
        float sum = 0;
        get(outputs[d][0], &sum, 1);
        assert_true(sum == 42);
        destroy_buffer(inputs[d][0]);
        destroy_buffer(outputs[d][0]);
    }
}

// Whole messages from front to back: how many fields of the number there are; the first in *found.
static int count_fields(Proto proto, int number, Proto *found) {
    Field field;
    int count = 0;
    while (proto.at < proto.end) { // tags and sizes here are small numbers of one or two bytes
        uint64_t tag = 0, value = 0;
        for (int shift = 0;; shift += 7) {
            tag |= (uint64_t)(*proto.at & 0x7f) << shift;
            if (!(*proto.at++ & 0x80)) break;
        }
        for (int shift = 0;; shift += 7) {
            value |= (uint64_t)(*proto.at & 0x7f) << shift;
            if (!(*proto.at++ & 0x80)) break;
        }
        field = (Field){.number = (int)(tag >> 3), .wire = (int)(tag & 7)};
        assert_true(field.wire == 0 || field.wire == 2);
        Proto bytes = {proto.at, proto.at};
        if (field.wire == 2) {
            assert_true(value <= (uint64_t)(proto.end - proto.at));
            bytes.end = proto.at = proto.at + value;
        }
        if (field.number != number) continue;
        if (count++ == 0 && found) *found = bytes;
    }
    assert_ptr_equal(proto.at, proto.end);
    return count;
}

static size_t collect(PLUGIN_Profiler *profiler, unsigned char *buffer, size_t room) {
    PLUGIN_Profiler_CollectData_Args args = {.struct_size = sizeof args, .profiler = profiler};
    assert_null(profiler_api()->collect_data(&args));
    assert_true(args.buffer_size_in_bytes <= room);
    size_t size = args.buffer_size_in_bytes;
    const unsigned char *own = args.buffer;
    assert_true(size == 0 || own);
    args.buffer = buffer;
    assert_null(profiler_api()->collect_data(&args));
    assert_int_equal(args.buffer_size_in_bytes, size);
    if (size) assert_memory_equal(own, buffer, size);
    return size;
}

static void executions_are_recorded_while_it_runs(void **state) {
    (void)state;
    static unsigned char buffer[1 << 16];
    PJRT_Client *client = create_client(2);
    PJRT_LoadedExecutable *executable = compiled(client, program, (const int[]){0, 1}, 2);
    PLUGIN_Profiler *profiler = create_profiler();
    run_once(client, executable); // before: nobody looks
    DO(start, profiler);
    run_once(client, executable);
    run_once(client, executable);
    DO(stop, profiler);
    run_once(client, executable); // after
    size_t size = collect(profiler, buffer, sizeof buffer);
    Proto plane, line, event, name;
    const Proto space = {buffer, buffer + size};
    assert_int_equal(count_fields(space, 1, &plane), 2); // a plane for each device
    assert_int_equal(count_fields(plane, 2, &name), 1);
    assert_memory_equal(name.at, "/device:CUSTOM:shardc:0", strlen("/device:CUSTOM:shardc:0"));
    assert_true(count_fields(plane, 3, &line) >= 1);
    assert_true(count_fields(line, 4, &event) >= 2); // each execution's
    assert_int_equal(count_fields(event, 1, NULL), 1);
    assert_int_equal(count_fields(event, 3, NULL), 1);
    assert_int_equal(count_fields(event, 4, NULL), 1);
    assert_non_null(memmem(buffer, size, "reduce", 6));
    assert_non_null(memmem(buffer, size, "jit_sums", 8));
    DO(destroy, profiler);
    destroy_executable(executable);
    destroy_client(client);
}

static void a_trace_without_executions_is_empty(void **state) {
    (void)state;
    unsigned char buffer[16];
    PLUGIN_Profiler *profiler = create_profiler();
    assert_int_equal(collect(profiler, buffer, sizeof buffer), 0);
    DO(start, profiler);
    DO(stop, profiler);
    assert_int_equal(collect(profiler, buffer, sizeof buffer), 0);
    DO(start, profiler);
    DO(destroy, profiler); // while it runs
    DO(stop, NULL);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executions_are_recorded_while_it_runs),
        cmocka_unit_test(a_trace_without_executions_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

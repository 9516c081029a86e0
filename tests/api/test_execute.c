// Compiling and executing through the public API: results, options, donation, events, threads.
#define _GNU_SOURCE
#include "api_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

static void fill(float *a, float *b, int count, int seed) {
    for (int i = 0; i < count; i++) {
        a[i] = (float)((i * 7 + seed) % 11);
        b[i] = (float)((i * 5 + seed) % 13);
    }
}

// Executes `affine` once and checks its results.
static void run_affine(shardc_executable *executable, int seed) {
    float a[24], b[24], sums[24], total = -1, expected = 0;
    fill(a, b, 24, seed);
    const void *inputs[] = {a, b};
    void *outputs[] = {sums, &total};
    succeeds(shardc_execute(executable, inputs, outputs));
    for (int i = 0; i < 24; i++) {
        assert_true(sums[i] == a[i] * 2 + b[i]);
        expected += a[i];
    }
    assert_true(total == expected);
}

static void a_program_computes_what_it_says(void **state) {
    (void)state;
    shardc_executable *executable = compiled(affine, NULL);
    const shardc_model *model = shardc_executable_model(executable);
    assert_int_equal(model->device_count, 4);
    assert_int_equal(model->arg_count, 2);
    assert_int_equal(model->result_count, 2);
    assert_string_equal(model->name, "affine");
    assert_int_equal(shardc_array_dtype(&model->args[0]), SHARDC_F32);
    assert_int_equal(model->args[0].tile_dims[0], 2);
    assert_int_equal(model->args[0].tile_dims[1], 3);
    assert_int_equal(model->results[1].rank, 0);
    assert_int_equal(model->results[1].bytes, 4);
    assert_string_equal(shardc_executable_printed(executable), "");
    for (int seed = 0; seed < 5; seed++) {
        run_affine(executable, seed);
    }
    shardc_model_counters counters = {.struct_size = sizeof counters};
    shardc_executable_counters(executable, &counters);
    assert_int_equal(counters.executions, 5);
    assert_true(counters.threads >= 1);
    assert_true(shardc_executable_device_bytes(executable) >= 6 * 4 + 4);
    shardc_executable_free(executable);
}

static char *reserve(size_t size) {
    void *data = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(data != MAP_FAILED);
    return data;
}

// As in a process with much memory: above a wall of addresses there is one hole of so many pages,
// and below it nothing that an instruction's offset reaches.
static void run_around_a_hole(size_t pages) {
    enum { PAGE = 4096, MOST = 4096 };
    static struct {
        char *data;
        size_t size;
    } taken[MOST];
    const size_t size = (size_t)6 << 30;
    char *wall = reserve(size), *hole = wall + size - pages * PAGE;
    int count = 0;
    for (size_t part = (size_t)1 << 30; part >= PAGE; part /= 4) {
        for (bool is_above = true; is_above && count < MOST; count += is_above) {
            taken[count].data = reserve(part);
            taken[count].size = part;
            is_above = taken[count].data > wall;
            if (!is_above) munmap(taken[count].data, part);
        }
    }
    munmap(hole, pages * PAGE);
    shardc_executable *executable = compiled(affine, NULL);
    run_affine(executable, 1);
    shardc_executable_free(executable);
    munmap(wall, size - pages * PAGE);
    while (count-- > 0)
        munmap(taken[count].data, taken[count].size);
}

static void code_may_lie_far_apart(void **state) {
    (void)state;
    for (size_t pages = 1; pages <= 16; pages++)
        run_around_a_hole(pages);
}

// Results larger than the caches are stored by whole vectors where they can be.
static void arrays_may_lie_anywhere(void **state) {
    (void)state;
    enum { ROWS = 1031, COLUMNS = 8195, COUNT = ROWS * COLUMNS };
    shardc_executable *executable = compiled(
        "func.func @main(%a: tensor<1031x8195xf32>) -> tensor<1031x8195xf32> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<1031x8195xf32>\n"
        "  return %0 : tensor<1031x8195xf32>\n"
        "}\n",
        NULL);
    char *from = malloc(COUNT * sizeof(float) + 64), *to = malloc(COUNT * sizeof(float) + 64);
    assert_true(from && to);
    for (int offset = 0; offset < 7; offset += 2) {
        for (int i = 0; i < COUNT; i++) {
            float number = (float)(i % 1000);
            memcpy(from + offset + i * sizeof number, &number, sizeof number);
        }
        const void *inputs[] = {from + offset};
        void *outputs[] = {to + offset};
        succeeds(shardc_execute(executable, inputs, outputs));
        int wrong = 0;
        for (int i = 0; i < COUNT; i++) {
            float number;
            memcpy(&number, to + offset + i * sizeof number, sizeof number);
            wrong += number != (float)(2 * (i % 1000));
        }
        assert_int_equal(wrong, 0);
    }
    free(from);
    free(to);
    shardc_executable_free(executable);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    float a[128], b[64], first[32], other[32];
    for (int i = 0; i < 128; i++)
        a[i] = (float)(i % 17) / 3;
    for (int i = 0; i < 64; i++)
        b[i] = (float)(i % 13) / 7;
    const void *inputs[] = {a, b};
    for (int threads = 1; threads <= 5; threads++) {
        shardc_options options;
        shardc_options_init(&options);
        options.threads = threads;
        shardc_executable *executable = compiled(product, &options);
        void *outputs[] = {threads == 1 ? first : other};
        succeeds(shardc_execute(executable, inputs, outputs));
        if (threads > 1) assert_memory_equal(first, other, sizeof first);
        shardc_executable_free(executable);
    }
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 4; j++) {
            double sum = 0;
            for (int k = 0; k < 16; k++)
                sum += (double)a[i * 16 + k] * (double)b[k * 4 + j];
            assert_true(
                first[i * 4 + j] - (float)sum < 1e-4f && (float)sum - first[i * 4 + j] < 1e-4f);
        }
    }
}

// What -ffast-math sets when a library that was built with it is loaded: subnormal numbers are
// zeros, and rounding is another.
static unsigned set_thread(unsigned settings) {
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(settings);
    return before;
#else
    return settings;
#endif
}

static void the_threads_float_settings_do_not_matter(void **state) {
    (void)state;
    static const char text[] = "sdy.mesh @m = <[\"x\"=2]>\n"
                               "func.func @main(%a: tensor<4xf32> {sdy.sharding = "
                               "#sdy.sharding<@m, [{\"x\"}]>}) -> tensor<4xf32> {\n"
                               "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
                               "  return %0 : tensor<4xf32>\n"
                               "}\n";
    enum { FLUSHES_ROUNDS_UP = 0x1f80 | 0x8040 | 0x4000 };
    for (int threads = 1; threads <= 2; threads++) {
        shardc_executable *executable = compiled(
            text, &(shardc_options){.struct_size = sizeof(shardc_options), .threads = threads});
        const float a[] = {1e-40F, -1e-44F, 0.1F, 3};
        float result[4];
        const void *inputs[] = {a};
        void *outputs[] = {result};
        unsigned usual = set_thread(FLUSHES_ROUNDS_UP);
        shardc_status *status = shardc_execute(executable, inputs, outputs);
        unsigned after = set_thread(usual);
        succeeds(status);
        assert_int_equal(after & 0xffc0, FLUSHES_ROUNDS_UP & 0xffc0);
        for (int i = 0; i < 4; i++)
            assert_true(result[i] == a[i] + a[i]);
        shardc_executable_free(executable);
    }
}

static void donated_memory_is_updated_in_place(void **state) {
    (void)state;
    shardc_executable *executable = compiled(donated, NULL);
    const shardc_model *model = shardc_executable_model(executable);
    assert_int_equal(model->args[0].alias, 0);
    assert_int_equal(model->results[0].alias, 0);
    float data[4] = {1, 2, 3, 4}, apart[4] = {0};
    const void *inputs[] = {data};
    void *outputs[] = {apart};
    succeeds(shardc_execute(executable, inputs, outputs));
    assert_true(data[0] == 1 && data[3] == 4); // only read
    assert_true(apart[0] == 5 && apart[1] == 5 && apart[2] == 5 && apart[3] == 5);
    outputs[0] = data;
    succeeds(shardc_execute(executable, inputs, outputs));
    assert_true(data[0] == 5 && data[1] == 5 && data[2] == 5 && data[3] == 5);
    shardc_executable_free(executable);
}

// A device would write its part of the result over what another device's part of the argument is.
static void donated_memory_is_not_taken_by_other_parts(void **state) {
    (void)state;
    static const char text[] =
        "sdy.mesh @m = <[\"x\"=2, \"y\"=3]>\n"
        "func.func @main(\n"
        "    %a: tensor<6xi32> {sdy.sharding = #sdy.sharding<@m, [{\"x\", \"y\"}]>,\n"
        "                       tf.aliasing_output = 0 : i32},\n"
        "    %b: tensor<6xi32> {sdy.sharding = #sdy.sharding<@m, [{\"y\", \"x\"}]>}) -> (\n"
        "    tensor<6xi32> {sdy.sharding = #sdy.sharding<@m, [{\"y\", \"x\"}]>},\n"
        "    tensor<6xi32> {sdy.sharding = #sdy.sharding<@m, [{\"x\", \"y\"}]>}) {\n"
        "  %0 = stablehlo.negate %b : tensor<6xi32>\n"
        "  %1 = stablehlo.negate %a : tensor<6xi32>\n"
        "  return %0, %1 : tensor<6xi32>, tensor<6xi32>\n"
        "}\n";
    shardc_executable *executable = compiled(text, NULL);
    const shardc_model *model = shardc_executable_model(executable);
    assert_int_equal(model->results[0].alias, 0);
    assert_int_equal(model->results[0].in_place, 0);
    int32_t a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12}, of_a[6];
    const void *inputs[] = {a, b};
    void *outputs[] = {a, of_a};
    succeeds(shardc_execute(executable, inputs, outputs));
    for (int i = 0; i < 6; i++) {
        assert_int_equal(of_a[i], -(i + 1));
        assert_int_equal(a[i], -b[i]);
    }
    shardc_executable_free(executable);
}

static void missing_arrays_are_refused(void **state) {
    (void)state;
    shardc_executable *executable = compiled(affine, NULL);
    float a[24] = {0}, total = 0;
    const void *inputs[] = {a, NULL};
    void *outputs[] = {a, &total};
    fails_with(
        shardc_execute(executable, inputs, outputs), SHARDC_INVALID_INPUT, "inputs[1] is NULL");
    const void *good[] = {a, a};
    void *none[] = {NULL, &total};
    fails_with(shardc_execute(executable, good, none), SHARDC_INVALID_INPUT, "outputs[0] is NULL");
    fails_with(shardc_execute(executable, NULL, outputs), SHARDC_INVALID_INPUT, "inputs is NULL");
    shardc_executable_free(executable);
}

static shardc_status *compile_with(
    const char *text, const shardc_options *options, shardc_executable **executable) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    shardc_status *status = shardc_compile(module, options, executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    shardc_executable *executable = NULL;
    shardc_options options;
    shardc_options_init(&options);
    options.name = "not a name";
    fails_with(compile_with(affine, &options, &executable), SHARDC_INVALID_INPUT, "identifier");
    shardc_options_init(&options);
    options.optimize = 7;
    fails_with(compile_with(affine, &options, &executable), SHARDC_INVALID_INPUT, "optimize");
    shardc_options_init(&options);
    options.entry = "nothing";
    fails_with(compile_with(affine, &options, &executable), SHARDC_INVALID_INPUT, "nothing");
    shardc_options_init(&options);
    options.mesh = "z=3";
    fails_with(compile_with(affine, &options, &executable), SHARDC_INVALID_INPUT, "z");
    assert_null(executable);
}

static void the_mesh_can_have_other_sizes(void **state) {
    (void)state;
    shardc_options options;
    shardc_options_init(&options);
    options.mesh = "x=4,y=1";
    shardc_executable *executable = compiled(affine, &options);
    assert_int_equal(shardc_executable_model(executable)->args[0].tile_dims[0], 1);
    run_affine(executable, 3);
    shardc_executable_free(executable);
}

// A caller that was compiled when the struct was shorter: what lies behind it must not be read.
static void an_older_options_struct_is_understood(void **state) {
    (void)state;
    struct {
        shardc_options options;
    } memory;
    memset(&memory, 0xff, sizeof memory);
    size_t size = offsetof(shardc_options, optimize);
    memset(&memory, 0, size);
    memory.options.struct_size = size;
    shardc_executable *executable = compiled(affine, &memory.options);
    run_affine(executable, 1);
    shardc_executable_free(executable);
    // and a newer one, which is longer
    struct {
        shardc_options options;
        char more[64];
    } longer;
    memset(&longer, 0, sizeof longer);
    longer.options.struct_size = sizeof longer;
    executable = compiled(affine, &longer.options);
    run_affine(executable, 2);
    shardc_executable_free(executable);
}

static void an_executable_outlives_module_and_context_and_the_module_stays_as_it_was(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *first = NULL, *second = NULL;
    const char *text = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", affine, strlen(affine), &module));
    succeeds(shardc_module_text(module, &text));
    char *before = strdup(text);
    succeeds(shardc_compile(module, NULL, &first));
    succeeds(shardc_compile(module, NULL, &second));
    succeeds(shardc_module_text(module, &text));
    assert_string_equal(before, text);
    free(before);
    shardc_module_free(module);
    shardc_context_free(context);
    run_affine(first, 1);
    shardc_executable_free(first);
    run_affine(second, 2);
    shardc_executable_free(second);
}

static void an_event_says_when_it_is_done(void **state) {
    (void)state;
    shardc_executable *executable = compiled(affine, NULL);
    enum { EVENTS = 8 };
    static float a[EVENTS][24], b[EVENTS][24], sums[EVENTS][24], totals[EVENTS];
    const void *inputs[EVENTS][2];
    void *outputs[EVENTS][2];
    shardc_event *events[EVENTS];
    for (int i = 0; i < EVENTS; i++) {
        fill(a[i], b[i], 24, i);
        inputs[i][0] = a[i];
        inputs[i][1] = b[i];
        outputs[i][0] = sums[i];
        outputs[i][1] = &totals[i];
        succeeds(shardc_execute_async(executable, inputs[i], outputs[i], &events[i]));
    }
    for (int i = 0; i < EVENTS; i++) {
        while (!shardc_event_is_done(events[i])) {}
        succeeds(shardc_event_wait(events[i]));
        for (int k = 0; k < 24; k++) {
            assert_true(sums[i][k] == a[i][k] * 2 + b[i][k]);
        }
    }
    // what is missing is refused at once
    const void *const missing[] = {a[0], NULL};
    shardc_event *event = NULL;
    fails_with(
        shardc_execute_async(executable, missing, outputs[0], &event), SHARDC_INVALID_INPUT,
        "inputs[1] is NULL");
    assert_null(event);
    shardc_executable_free(executable);
}

// Replicas that are not partitioned are devices.
static void replicas_communicate(void **state) {
    (void)state;
    static const char program[] =
        "module attributes {mhlo.num_replicas = 3 : i32, mhlo.num_partitions = 1 : i32} {\n"
        "  func.func @main(%a: tensor<2xi32>) -> (tensor<2xi32>, tensor<ui32>) {\n"
        "    %id = stablehlo.replica_id : tensor<ui32>\n"
        "    %p = stablehlo.partition_id : tensor<ui32>\n"
        "    %sum = stablehlo.add %id, %p : tensor<ui32>\n"
        "    %0 = \"stablehlo.all_reduce\"(%a) ({\n"
        "    ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
        "      %s = stablehlo.add %x, %y : tensor<i32>\n"
        "      stablehlo.return %s : tensor<i32>\n"
        "    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}\n"
        "        : (tensor<2xi32>) -> tensor<2xi32>\n"
        "    %1 = \"stablehlo.all_reduce\"(%sum) ({\n"
        "    ^bb0(%x: tensor<ui32>, %y: tensor<ui32>):\n"
        "      %s = stablehlo.add %x, %y : tensor<ui32>\n"
        "      stablehlo.return %s : tensor<ui32>\n"
        "    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}\n"
        "        : (tensor<ui32>) -> tensor<ui32>\n"
        "    return %0, %1 : tensor<2xi32>, tensor<ui32>\n"
        "  }\n"
        "}\n";
    shardc_executable *executable = compiled(program, NULL);
    const int32_t in[] = {5, -7};
    int32_t out[2];
    uint32_t ids = 0;
    succeeds(shardc_execute(executable, (const void *const[]){in}, (void *const[]){out, &ids}));
    assert_int_equal(shardc_executable_model(executable)->device_count, 3);
    assert_true(out[0] == 15 && out[1] == -21 && ids == 3);
    shardc_executable_free(executable);
    char *both = strdup(program), *one = strstr(both, "partitions = 1");
    one[strlen("partitions = ")] = '2';
    fails_with(compile_with(both, NULL, &executable), SHARDC_UNSUPPORTED, "3 replicas of 2");
    free(both);
}

// ---- several threads

typedef struct Worker {
    shardc_executable *shared;
    shardc_options options;
    int seed, is_own, wrong;
} Worker;

static void *work(void *argument) {
    Worker *worker = argument;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = worker->shared;
    shardc_status *status = NULL;
    if (worker->is_own) { // compiles its own while the others run
        status = shardc_context_create(NULL, &context);
        if (!status)
            status = shardc_module_parse(context, "test.mlir", affine, strlen(affine), &module);
        if (!status) status = shardc_compile(module, &worker->options, &executable);
    }
    for (int round = 0; !status && round < 20; round++) {
        float a[24], b[24], sums[24], total = 0;
        fill(a, b, 24, worker->seed + round);
        const void *inputs[] = {a, b};
        void *outputs[] = {sums, &total};
        status = shardc_execute(executable, inputs, outputs);
        shardc_model_counters counters = {.struct_size = sizeof counters};
        char *profile = NULL;
        shardc_executable_counters(executable, &counters);
        worker->wrong += counters.executions <= 0;
        if (!status) status = shardc_profile_text(executable, SHARDC_PROFILE_JSON, &profile);
        shardc_profile_free(profile);
        for (int i = 0; i < 24; i++) {
            worker->wrong += sums[i] != a[i] * 2 + b[i];
        }
    }
    worker->wrong += status != NULL;
    shardc_status_free(status);
    if (worker->is_own) shardc_executable_free(executable);
    shardc_module_free(module);
    shardc_context_free(context);
    return NULL;
}

static void two_models_run_from_several_threads(void **state) {
    (void)state;
    enum { WORKERS = 6 };
    shardc_options options;
    shardc_options_init(&options);
    options.profile = 1;
    shardc_executable *first = compiled(affine, &options), *second = compiled(affine, &options);
    Worker workers[WORKERS];
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (Worker){
            .shared = i % 2 ? first : second, .options = options, .seed = i, .is_own = i >= 4};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    shardc_executable_free(first);
    shardc_executable_free(second);
}

static void dynamic_dimensions_are_given_by_the_caller(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%a: tensor<?xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {\n"
        "  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n"
        "  %1 = stablehlo.add %a, %0 : tensor<?xf32>\n"
        "  return %1 : tensor<?xf32>\n}\n";
    shardc_options options;
    shardc_options_init(&options);
    options.input_types = "tensor<3xf32>, dense<3> : tensor<1xi32>";
    shardc_executable *executable = compiled(text, &options);
    assert_int_equal(shardc_executable_model(executable)->results[0].dims[0], 3);
    float a[3] = {10, 20, 30}, sum[3];
    int32_t n = 3;
    succeeds(shardc_execute(executable, (const void *[]){a, &n}, (void *[]){sum}));
    for (int i = 0; i < 3; i++)
        assert_true(sum[i] == a[i] + (float)i);
    shardc_executable_free(executable);
}

// The caller gives the executable up at once; every execution ends as if it were still there.
static void an_executable_may_be_freed_while_it_executes(void **state) {
    (void)state;
    enum { EVENTS = 6, ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++) {
        shardc_options options = {.struct_size = sizeof options, .threads = 1 + round % 3};
        shardc_executable *executable = compiled(affine, &options);
        float a[24], b[24], sums[EVENTS][24], totals[EVENTS];
        for (int i = 0; i < 24; i++) {
            a[i] = (float)i;
            b[i] = 1;
        }
        const void *inputs[] = {a, b};
        void *outputs[EVENTS][2];
        shardc_event *events[EVENTS];
        for (int e = 0; e < EVENTS; e++) {
            outputs[e][0] = sums[e];
            outputs[e][1] = &totals[e];
            succeeds(shardc_execute_async(executable, inputs, outputs[e], &events[e]));
        }
        shardc_executable_free(executable);
        for (int e = 0; e < EVENTS; e++) {
            succeeds(shardc_event_wait(events[e]));
            assert_true(sums[e][23] == 47 && totals[e] == 276);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_computes_what_it_says),
        cmocka_unit_test(arrays_may_lie_anywhere),
        cmocka_unit_test(code_may_lie_far_apart),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(the_threads_float_settings_do_not_matter),
        cmocka_unit_test(donated_memory_is_updated_in_place),
        cmocka_unit_test(donated_memory_is_not_taken_by_other_parts),
        cmocka_unit_test(missing_arrays_are_refused),
        cmocka_unit_test(replicas_communicate),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(the_mesh_can_have_other_sizes),
        cmocka_unit_test(dynamic_dimensions_are_given_by_the_caller),
        cmocka_unit_test(an_older_options_struct_is_understood),
        cmocka_unit_test(an_executable_outlives_module_and_context_and_the_module_stays_as_it_was),
        cmocka_unit_test(an_event_says_when_it_is_done),
        cmocka_unit_test(an_executable_may_be_freed_while_it_executes),
        cmocka_unit_test(two_models_run_from_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

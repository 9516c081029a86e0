// The PJRT plugin under many calls: nothing leaks, and threads that execute several programs at
// once get right results. Short by default;
//
//   SHARDC_TEST_CALLS    calls of each program whose memory is watched (1000000 to be sure)
//   SHARDC_TEST_SECONDS  how long the threads execute (600 to be sure)
#define _GNU_SOURCE
#include "plugin_test.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static long from_environment(const char *name, long otherwise) {
    const char *text = getenv(name); // NOLINT(concurrency-mt-unsafe): no thread changes it
    return text ? strtol(text, NULL, 10) : otherwise;
}

// ---- programs: each is x + 1 on every device

typedef struct Kind {
    const char *text;
    int devices;
    size_t count; // elements of one device
    int64_t dims[2];
    size_t rank;
    bool is_donating;
} Kind;

static const Kind kinds[] = {
    {"func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
     "  %one = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
     "  %0 = stablehlo.add %a, %one : tensor<8xf32>\n"
     "  return %0 : tensor<8xf32>\n"
     "}\n",
     1,
     8,
     {8},
     1,
     false},
    {"func.func @main(%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8xf32> {\n"
     "  %one = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
     "  %0 = stablehlo.add %a, %one : tensor<8xf32>\n"
     "  return %0 : tensor<8xf32>\n"
     "}\n",
     1,
     8,
     {8},
     1,
     true},
    // 1 is the mean of n ones, which all devices sum.
    {"module @mean {\n"
     "  sdy.mesh @mesh = <[\"x\"=4]>\n"
     "  func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})\n"
     "      -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) {\n"
     "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "    %n = stablehlo.constant dense<16.0> : tensor<f32>\n"
     "    %0 = stablehlo.subtract %a, %a : tensor<16xf32>\n"
     "    %1 = stablehlo.exponential %0 : tensor<16xf32>\n"
     "    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]\n"
     "        : (tensor<16xf32>, tensor<f32>) -> tensor<f32>\n"
     "    %3 = stablehlo.divide %2, %n : tensor<f32>\n"
     "    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16xf32>\n"
     "    %5 = stablehlo.add %a, %4 : tensor<16xf32>\n"
     "    return %5 : tensor<16xf32>\n"
     "  }\n"
     "}\n",
     4,
     4,
     {4},
     1,
     false},
    // Long enough that it does not run in the caller's thread: the product with the identity
    // matrix.
    {"func.func @main(%a: tensor<192x192xf32>) -> tensor<192x192xf32> {\n"
     "  %one = stablehlo.constant dense<1.0> : tensor<192x192xf32>\n"
     "  %i = stablehlo.iota dim = 0 : tensor<192x192xi32>\n"
     "  %j = stablehlo.iota dim = 1 : tensor<192x192xi32>\n"
     "  %same = stablehlo.compare EQ, %i, %j : (tensor<192x192xi32>, tensor<192x192xi32>) -> "
     "tensor<192x192xi1>\n"
     "  %eye = stablehlo.convert %same : (tensor<192x192xi1>) -> tensor<192x192xf32>\n"
     "  %0 = stablehlo.dot_general %a, %eye, contracting_dims = [1] x [0]\n"
     "      : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>\n"
     "  %1 = stablehlo.add %0, %one : tensor<192x192xf32>\n"
     "  return %1 : tensor<192x192xf32>\n"
     "}\n",
     1,
     192L * 192,
     {192, 192},
     2,
     false},
};

enum { KINDS = sizeof kinds / sizeof *kinds, MOST_ELEMENTS = 192 * 192 };

static PJRT_LoadedExecutable *compile_kind(PJRT_Client *client, const Kind *kind) {
    return compiled(client, kind->text, (const int[]){0, 1, 2, 3}, kind->devices);
}

static void put_kind(
    PJRT_Client *client, const Kind *kind, float value, float *room, PJRT_Buffer *inputs[8][4]) {
    for (size_t i = 0; i < kind->count; i++)
        room[i] = value;
    for (int d = 0; d < kind->devices; d++)
        inputs[d][0] = put(client, d, room, kind->rank, kind->dims);
}

static void call_once(
    PJRT_Client *client, PJRT_LoadedExecutable *executable, const Kind *kind, float value,
    float *room) {
    PJRT_Buffer *inputs[8][4], *outputs[8][4];
    put_kind(client, kind, value, room, inputs);
    succeeds(execute(executable, kind->devices, 1, inputs, outputs), "Execute");
    for (int d = 0; d < kind->devices; d++) {
        assert_int_equal(is_deleted(inputs[d][0]), kind->is_donating);
        destroy_buffer(inputs[d][0]);
        get(outputs[d][0], room, kind->count);
        destroy_buffer(outputs[d][0]);
        for (size_t i = 0; i < kind->count; i++)
            assert_true(room[i] == value + 1);
    }
}

// ---- memory

typedef struct Memory {
    long used, resident; // KiB: what malloc has given away; pages of the process
} Memory;

static Memory measure(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    (void)fclose(file);
    return (Memory){(long)(mallinfo2().uordblks / 1024), resident * (sysconf(_SC_PAGESIZE) / 1024)};
}

// The sanitizers' own memory grows.
#if defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define HAS_SANITIZER
#    endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define HAS_SANITIZER
#endif

static bool has_grown(Memory before, Memory after) {
#ifdef HAS_SANITIZER
    (void)before, (void)after;
    return false;
#else
    enum { USED = 64, RESIDENT = 8192 };
    return after.used - before.used > USED || after.resident - before.resident > RESIDENT;
#endif
}

// What a call would leave behind adds up: 24 bytes are 24 MB in a million calls.
static void calls_leak_nothing(void **state) {
    (void)state;
    enum { WARM = 2000 };
    const long calls = from_environment("SHARDC_TEST_CALLS", 5000);
    float *room = calloc(MOST_ELEMENTS, sizeof *room);
    PJRT_Client *client = create_client(4);
    for (int k = 0; k < KINDS; k++) {
        PJRT_LoadedExecutable *executable = compile_kind(client, &kinds[k]);
        const long count = kinds[k].count > 1000 ? (calls + 9) / 10 : calls; // the long one
        for (long i = 0; i < (count < WARM ? count : WARM); i++)
            call_once(client, executable, &kinds[k], (float)(i % 100), room);
        const Memory before = measure();
        for (long i = 0; i < count; i++)
            call_once(client, executable, &kinds[k], (float)(i % 100), room);
        const Memory after = measure();
        if (has_grown(before, after)) {
            print_error(
                "program %d, %ld calls: %ld KiB used before, %ld after; %ld KiB resident before, "
                "%ld after\n",
                k, count, before.used, after.used, before.resident, after.resident);
            fail();
        }
        if (count >= 100000) {
            print_message(
                "program %d, %ld calls: %+ld KiB used, %+ld KiB resident\n", k, count,
                after.used - before.used, after.resident - before.resident);
        }
        destroy_executable(executable);
    }
    destroy_client(client);
    free(room);
}

// ---- threads

typedef struct Crowd {
    PJRT_Client *client;
    PJRT_LoadedExecutable *executables[KINDS];
    double end;        // seconds
    atomic_long calls; // that were right
    atomic_int next;   // number of the next thread
} Crowd;

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *execute_all(void *argument) {
    Crowd *crowd = argument;
    float *room = calloc(MOST_ELEMENTS, sizeof *room);
    const int thread = atomic_fetch_add(&crowd->next, 1);
    for (int i = thread; i < thread + KINDS || now() < crowd->end; i++) {
        const int k = i % KINDS;
        call_once(crowd->client, crowd->executables[k], &kinds[k], (float)(i % 100), room);
        atomic_fetch_add(&crowd->calls, 1);
    }
    free(room);
    return NULL;
}

static void many_threads_execute_several_programs(void **state) {
    (void)state;
    enum { THREADS = 16 };
    const long seconds = from_environment("SHARDC_TEST_SECONDS", 1);
    Crowd crowd = {.client = create_client(4), .end = now() + (double)seconds};
    for (int k = 0; k < KINDS; k++)
        crowd.executables[k] = compile_kind(crowd.client, &kinds[k]);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, execute_all, &crowd), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(atomic_load(&crowd.calls) >= (long)THREADS * KINDS);
    if (seconds > 10)
        print_message("%ld calls in %ld seconds\n", atomic_load(&crowd.calls), seconds);
    for (int k = 0; k < KINDS; k++)
        destroy_executable(crowd.executables[k]);
    destroy_client(crowd.client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_leak_nothing),
        cmocka_unit_test(many_threads_execute_several_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

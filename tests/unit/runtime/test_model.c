// runtime/: models with hand-written device programs, on all kinds of numbers of devices and
// threads.
#define _POSIX_C_SOURCE 200809L
#include "tests/unit/runtime/model_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#    if __has_feature(thread_sanitizer)
// LLVM's OpenMP runtime is not instrumented: what it does to its own mutexes looks like races.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "called_from_lib:libomp.so\n"; }
#    endif
#endif

static void any_number_of_threads_gives_the_same(void **state) {
    (void)state;
    const int threads[] = {1, 2, 3, 4, 5, 8, 12, 16};
    for (int i = 0; i < 8; i++) {
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            Fixture f;
            make_fixture(&f, by_rows ? sum_rows : sum_all);
            shardc_model_instance *instance = create(&f, threads[i], 0, 20);
            for (int run = 0; run < 3; run++) {
                memset(f.out, 0, sizeof f.out);
                memset(f.total, 0, sizeof f.total);
                assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
                assert_true(is_right(&f, by_rows));
            }
            shardc_model_counters counters = {.struct_size = sizeof counters};
            shardc_rt_counters(instance, &counters);
            assert_int_equal(counters.executions, 3);
            assert_int_equal(counters.threads, threads[i]);
            assert_int_equal(counters.collective_bytes, 64 * ROUNDS);
            assert_int_equal(counters.moved_bytes, 56 * ROUNDS);
            shardc_rt_destroy(instance);
        }
    }
}

static void copies_of_a_result_stay_private(void **state) {
    (void)state;
    Fixture f;
    make_fixture(&f, sum_rows); // device 4 computes another total than device 0
    shardc_model_instance *instance = create(&f, 2, 0, 20);
    int64_t total[TILE] = {0};
    const void *inputs[] = {f.in};
    void *outputs[] = {f.out, total};
    assert_int_equal(shardc_rt_execute(instance, inputs, outputs), SHARDC_MODEL_OK);
    assert_int_equal(total[TILE - 1], (1 + 2 + 3 + 4) * 1000 * ROUNDS);
    assert_true(
        shardc_rt_workspace_bytes(&f.model, 2) >=
        DEVICES * (int64_t)sizeof(Arena) + (DEVICES - 1) * (int64_t)sizeof total + 2 * 256);
    shardc_rt_destroy(instance);
}

// Of two partitions, into halves and into every other device: each lane marks its chunks in the
// memory of its class's first device, and the lanes of each device store what they find there.
static int32_t mark_shares(RtLane *lane) {
    enum { PARTITIONS = 2 };
    if (lane->pc == 0) {
        for (int k = 0; k < PARTITIONS; k++) {
            const RtShare *share = &lane->shares[k];
            int64_t *marks =
                k ? arena_of(lane, share->leader)->sums : arena_of(lane, share->leader)->values;
            int64_t begin = CHUNKS * share->before / share->all,
                    end = CHUNKS * share->after / share->all;
            for (int64_t i = begin; i < end; i++)
                marks[i] = marks[i] * 10 + k + 1;
        }
        lane->pc = 1;
        if (!shardc_rt_arrive(lane, BARRIER_ALL, 1)) return 0;
    }
    char *const *slots = &lane->bases[lane->device * lane->slot_count];
    int64_t *output = (void *)slots[RT_SLOT_FIRST_ARGUMENT + 1];
    const Arena *halves = (const void *)slots[RT_SLOT_FIRST_ARGUMENT + 3],
                *others = (const void *)slots[RT_SLOT_FIRST_ARGUMENT + 4];
    for (int64_t i = share(lane, lane->rank); i < share(lane, lane->rank + 1); i++)
        output[i] = halves->values[i] * 100 + others->sums[i];
    return 1;
}

static void make_sharing(
    Fixture *f, Program *program, int32_t count, const int32_t *leaders, const int32_t *results) {
    make_fixture(f, program);
    f->model.slot_count += count;
    f->model.share_count = count;
    f->model.leaders = leaders;
    f->model.result_shares = results;
}

static void classes_of_devices_share_work(void **state) {
    (void)state;
    static const int32_t leaders[] = {0, 0, 0, 0, 4, 4, 4, 4, 0, 1, 0, 1, 0, 1, 0, 1};
    static const int32_t none[] = {-1, -1};
    const int threads[] = {1, 2, 3, 4, 5, 8, 12, 16};
    for (int i = 0; i < 8; i++) {
        Fixture f;
        make_sharing(&f, mark_shares, 2, leaders, none);
        shardc_model_instance *instance = create(&f, threads[i], 0, 20);
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        for (int k = 0; k < DEVICES * TILE; k++)
            assert_int_equal(f.out[k], 1 * 100 + 2); // each chunk once
        shardc_rt_destroy(instance);
    }
}

// A result that is made once for all devices has one memory; else a device that does not own it
// writes, and reads, its own.
static int32_t write_as_first(RtLane *lane) {
    int64_t device = lane->shares[0].leader;
    int64_t *total =
        (void *)lane->bases[lane->device * lane->slot_count + RT_SLOT_FIRST_ARGUMENT + 2];
    int64_t *first = (void *)lane->bases[device * lane->slot_count + RT_SLOT_FIRST_ARGUMENT + 2];
    if (total != first) shardc_rt_fail(lane, 0);
    if (lane->rank == 0 && lane->device == device)
        for (int64_t i = 0; i < TILE; i++)
            total[i] = 5;
    return 1;
}

static void a_result_made_once_has_one_memory(void **state) {
    (void)state;
    static const int32_t leaders[DEVICES] = {0}, shares[] = {-1, 0};
    Fixture f;
    make_sharing(&f, write_as_first, 1, leaders, shares);
    shardc_model_instance *instance = create(&f, 3, 0, 20);
    assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
    assert_int_equal(f.total[TILE - 1], 5);
    shardc_rt_destroy(instance);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void a_missing_device_is_named(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads *= 2) {
        Fixture f;
        make_fixture(&f, sum_all);
        for (int d = 0; d < DEVICES; d++)
            f.programs[d] = deserting;
        shardc_model_instance *instance = create(&f, threads, 0, 0.1);
        double began = seconds();
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_FAILED);
        assert_true(seconds() - began < 5);
        const char *message = shardc_rt_message(instance);
        assert_non_null(strstr(message, "has waited for"));
        assert_non_null(strstr(message, "step 1, sum (m.mlir:2:1)"));
        assert_non_null(strstr(message, "device 1 is beyond the start"));
        for (int d = 0; d < DEVICES; d++)
            f.programs[d] = sum_all; // the instance is as good as new
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        assert_true(is_right(&f, false));
        assert_string_equal(shardc_rt_message(instance), "");
        shardc_rt_destroy(instance);
    }
}

static void nap(double seconds) {
    const struct timespec time = {(time_t)seconds, (long)((seconds - (int)seconds) * 1e9)};
    (void)nanosleep(&time, NULL);
}

// Device 1 takes its time before it joins the others.
static int32_t slow(RtLane *lane) {
    if (lane->pc) return 1;
    if (lane->device == 1) nap(0.5);
    lane->pc = 1;
    return shardc_rt_arrive(lane, BARRIER_ALL, 1);
}

static void slow_devices_are_waited_for(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads *= 2) {
        Fixture f;
        make_fixture(&f, slow);
        shardc_model_instance *instance = create(&f, threads, 0, 0.1);
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        shardc_rt_destroy(instance);
    }
}

// A custom function that takes its time on device 1.
static int32_t calling(RtLane *lane) {
    if (lane->pc) return 1;
    shardc_rt_custom(lane, 0, NULL);
    if (!shardc_rt_may_go_on(lane)) return 0;
    lane->pc = 1;
    return shardc_rt_arrive(lane, BARRIER_ALL, 1);
}

static int32_t take_time(
    void *user, int64_t call, int64_t device, void *const *buffers, char *error,
    uint64_t error_size) {
    (void)call, (void)buffers, (void)error, (void)error_size;
    if (device == 1) nap(*(double *)user);
    return 0;
}

static shardc_model_instance *create_calling(
    Fixture *f, int threads, double watchdog, double *seconds_of_call) {
    static const shardc_model_custom_call calls[] = {
        {.name = "lookup", .location = "m.mlir:3:1", .config = ""}};
    make_fixture(f, calling);
    f->model.custom_count = 1;
    f->model.custom_calls = calls;
    shardc_model_options options = {
        .struct_size = sizeof options,
        .threads = threads,
        .watchdog_seconds = watchdog,
        .custom = take_time,
        .custom_user = seconds_of_call};
    shardc_model_instance *instance = NULL;
    assert_int_equal(shardc_rt_create(&f->model, &options, &instance, NULL, 0), 0);
    return instance;
}

static void a_slow_custom_function_is_named(void **state) {
    (void)state;
    for (int threads = 2; threads <= 8; threads *= 2) {
        Fixture f;
        double duration = 1.5;
        shardc_model_instance *instance = create_calling(&f, threads, 0.1, &duration);
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_FAILED);
        const char *message = shardc_rt_message(instance);
        assert_non_null(strstr(message, "the custom function 'lookup' (m.mlir:3:1) has run for "));
        assert_non_null(strstr(message, "s on device 1; device "));
        assert_non_null(strstr(message, "waits for it at step 1, sum (m.mlir:2:1)"));
        duration = 0.01; // the instance is as good as new
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        shardc_rt_destroy(instance);
    }
}

// Custom functions of all devices that wait for each other, between barriers: with a thread for
// each device they all run at the same time.
static int32_t wait_often(RtLane *lane) {
    while (lane->pc < 2 * ROUNDS) {
        if (lane->pc % 2 == 0) {
            shardc_rt_custom(lane, 0, NULL);
            if (!shardc_rt_may_go_on(lane)) return 0;
        }
        lane->pc++;
        if (lane->pc % 2 == 1 && !shardc_rt_arrive(lane, BARRIER_ALL, 1)) return 0;
    }
    return 1;
}

static int32_t meet(
    void *user, int64_t call, int64_t device, void *const *buffers, char *error,
    uint64_t error_size) {
    (void)call, (void)device, (void)buffers;
    atomic_int *arrived = user;
    int target = (atomic_fetch_add(arrived, 1) / DEVICES + 1) * DEVICES;
    for (int i = 0; i < 20000; i++) {
        if (atomic_load(arrived) >= target) return 0;
        nap(0.001);
    }
    (void)snprintf(error, (size_t)error_size, "the others did not come");
    return 1;
}

static void functions_of_all_devices_may_wait_for_each_other(void **state) {
    (void)state;
    Fixture f;
    atomic_int arrived = 0;
    shardc_model_instance *unused = create_calling(&f, 1, 20, NULL);
    shardc_rt_destroy(unused);
    for (int d = 0; d < DEVICES; d++)
        f.programs[d] = wait_often;
    shardc_model_options options = {
        .struct_size = sizeof options,
        .threads = DEVICES,
        .watchdog_seconds = 60,
        .custom = meet,
        .custom_user = &arrived};
    shardc_model_instance *instance = NULL;
    assert_int_equal(shardc_rt_create(&f.model, &options, &instance, NULL, 0), 0);
    for (int run = 0; run < 3; run++) {
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        assert_int_equal(atomic_load(&arrived), (run + 1) * ROUNDS * DEVICES);
    }
    shardc_rt_destroy(instance);
}

// Time in which the whole process stands still is not time in which it waited.
static void a_stopped_process_has_not_waited(void **state) {
    (void)state;
    Fixture f;
    double duration = 0.3;
    shardc_model_instance *instance = create_calling(&f, 2, 0.8, &duration);
    pid_t stopped = getpid(), child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        nap(0.1);
        kill(stopped, SIGSTOP);
        nap(2);
        kill(stopped, SIGCONT);
        _exit(0);
    }
    assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
    assert_int_equal(waitpid(child, NULL, 0), child);
    shardc_rt_destroy(instance);
}

static void a_failed_device_ends_the_execution(void **state) {
    (void)state;
    for (int threads = 1; threads <= 8; threads *= 2) {
        Fixture f;
        make_fixture(&f, failing);
        shardc_model_instance *instance = create(&f, threads, 0, 20);
        double began = seconds();
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_FAILED);
        assert_true(seconds() - began < 5);
        assert_non_null(
            strstr(shardc_rt_message(instance), "device 2 came to an impossible state"));
        shardc_rt_destroy(instance);
    }
}

static void arrays_are_checked(void **state) {
    (void)state;
    Fixture f;
    make_fixture(&f, sum_all);
    shardc_model_instance *instance = create(&f, 1, 0, 20);
    const void *no_input[] = {NULL}, *inputs[] = {f.in}, *inside[] = {(char *)f.out + 16};
    void *outputs[] = {f.out, f.total}, *no_output[] = {f.out, NULL}, *twice[] = {f.out, f.out + 1};
    assert_int_equal(shardc_rt_execute(instance, no_input, outputs), SHARDC_MODEL_INVALID);
    assert_string_equal(shardc_rt_message(instance), "input 'x' is NULL");
    assert_int_equal(shardc_rt_execute(instance, inputs, no_output), SHARDC_MODEL_INVALID);
    assert_int_equal(shardc_rt_execute(instance, inside, outputs), SHARDC_MODEL_INVALID);
    assert_non_null(strstr(shardc_rt_message(instance), "output 'y' overlaps an input"));
    assert_int_equal(shardc_rt_execute(instance, inputs, twice), SHARDC_MODEL_INVALID);
    assert_int_equal(shardc_rt_execute(instance, inputs, outputs), SHARDC_MODEL_OK);
    assert_true(is_right(&f, false));
    shardc_rt_destroy(instance);
}

static void create_refuses_with_a_reason(void **state) {
    (void)state;
    Fixture f;
    shardc_model_instance *instance = NULL;
    char error[200] = "";
    make_fixture(&f, sum_all);
    f.model.abi_version = 99;
    assert_int_equal(
        shardc_rt_create(&f.model, NULL, &instance, error, sizeof error), SHARDC_MODEL_INVALID);
    assert_non_null(strstr(error, "ABI version 99"));
    make_fixture(&f, sum_all);
    f.model.shard_count = 1;
    f.model.first_device = 3;
    assert_int_equal(
        shardc_rt_create(&f.model, NULL, &instance, error, sizeof error), SHARDC_MODEL_INVALID);
    assert_non_null(strstr(error, "device 0, which they communicate with"));
    make_fixture(&f, sum_all);
    f.model.arena_bytes = INT64_MAX / 16;
    assert_int_equal(
        shardc_rt_create(&f.model, NULL, &instance, error, sizeof error),
        SHARDC_MODEL_OUT_OF_MEMORY);
    assert_null(instance);
    shardc_rt_destroy(NULL);
#if defined(__x86_64__)
    make_fixture(&f, sum_all);
    // no CPU has both of AMD's oldest and Intel's newest
    f.model.cpu_features = "sse2,xop,fma4,avxneconvert";
    assert_int_equal(
        shardc_rt_create(&f.model, NULL, &instance, error, sizeof error), SHARDC_MODEL_CPU);
    assert_non_null(strstr(error, "this CPU lacks '"));
    // all that are missing are named
    f.model.cpu_features = "sse2,amx-complex,xop,fma4,avxneconvert";
    assert_int_equal(
        shardc_rt_create(&f.model, NULL, &instance, error, sizeof error), SHARDC_MODEL_CPU);
    assert_true(strstr(error, "fma4") || strstr(error, "avxneconvert"));
    assert_true(strchr(error, ',') < strstr(error, "which"));
    f.model.cpu_features = "cmov,-xop,+sse2,prefer-256-bit";
    assert_int_equal(shardc_rt_create(&f.model, NULL, &instance, NULL, 0), SHARDC_MODEL_OK);
    shardc_rt_destroy(instance);
#endif
}

static void a_shard_alone_runs_without_collectives(void **state) {
    (void)state;
    static const int32_t alone[DEVICES] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const shardc_model_barrier local[BARRIER_COUNT] = {
        {alone, DEVICES, 0}, {alone, DEVICES, 0}, {NULL, 0, 0}};
    Fixture f;
    make_fixture(&f, deserting);
    f.model.barriers = local;
    f.model.shard_count = 1;
    f.model.first_device = 3;
    for (int threads = 1; threads <= 4; threads++) {
        shardc_model_instance *instance = create(&f, threads, 0, 20);
        assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        shardc_rt_destroy(instance);
    }
}

static void profiles_hold_steps_and_waits(void **state) {
    (void)state;
    for (int threads = 1; threads <= 16; threads *= 4) {
        Fixture f;
        make_fixture(&f, sum_all);
        shardc_model_instance *instance = create(&f, threads, 1, 20);
        for (int run = 0; run < 2; run++)
            assert_int_equal(execute(&f, instance), SHARDC_MODEL_OK);
        assert_true(is_right(&f, false));
        static shardc_model_event events[64 * 1024];
        int64_t count = shardc_rt_events(instance, events, 64 * 1024);
        int64_t ran = 0;
        for (int64_t i = 0; i < count; i++) {
            assert_true(events[i].begin_ns >= 0 && events[i].end_ns >= events[i].begin_ns);
            assert_in_range(events[i].device, 0, DEVICES - 1);
            assert_in_range(events[i].thread, 0, threads - 1);
            ran += !events[i].is_wait;
        }
        int lanes = threads <= DEVICES ? DEVICES : threads;
        assert_int_equal(ran, lanes * ROUNDS);
        assert_true(count > ran); // somebody waited
        assert_int_equal(shardc_rt_events(instance, events, 1), count);
        shardc_rt_destroy(instance);
    }
}

typedef struct Caller {
    Fixture fixture;
    shardc_model_instance *instance;
    bool is_right;
} Caller;

static void *call_often(void *argument) {
    Caller *caller = argument;
    caller->is_right = true;
    for (int i = 0; i < 20; i++) {
        caller->is_right &= execute(&caller->fixture, caller->instance) == SHARDC_MODEL_OK;
        caller->is_right &= is_right(&caller->fixture, false);
    }
    return NULL;
}

static void instances_may_be_called_from_many_threads(void **state) {
    (void)state;
    enum { CALLERS = 4 };
    static Caller callers[CALLERS];
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        make_fixture(&callers[i].fixture, sum_all);
    // Two share an instance, two have one each.
    for (int i = 1; i < CALLERS; i++)
        callers[i].instance = create(&callers[i].fixture, 2, 0, 20);
    callers[0].instance = callers[1].instance;
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < CALLERS; i++)
        assert_true(callers[i].is_right);
    for (int i = 1; i < CALLERS; i++)
        shardc_rt_destroy(callers[i].instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(copies_of_a_result_stay_private),
        cmocka_unit_test(classes_of_devices_share_work),
        cmocka_unit_test(a_result_made_once_has_one_memory),
        cmocka_unit_test(a_missing_device_is_named),
        cmocka_unit_test(slow_devices_are_waited_for),
        cmocka_unit_test(a_slow_custom_function_is_named),
        cmocka_unit_test(functions_of_all_devices_may_wait_for_each_other),
        cmocka_unit_test(a_stopped_process_has_not_waited),
        cmocka_unit_test(a_failed_device_ends_the_execution),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(create_refuses_with_a_reason),
        cmocka_unit_test(a_shard_alone_runs_without_collectives),
        cmocka_unit_test(profiles_hold_steps_and_waits),
        cmocka_unit_test(instances_may_be_called_from_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Executions on tiles: arrays of each device's own, at the same time, with dependencies and
// events; serialized executables.
#define _GNU_SOURCE
#include "api_test.h"

#include <pthread.h>
#include <stdbool.h>

// Rows over x, columns over y; the product is needed everywhere, the sum is replicated; the scaled
// argument may be updated in place.
static const char program[] =
    "module @tiles {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(\n"
    "      %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>, "
    "tf.aliasing_output = 0 : i32},\n"
    "      %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})\n"
    "      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>},\n"
    "          tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
    "    %two = stablehlo.constant dense<2.0> : tensor<4x6xf32>\n"
    "    %0 = stablehlo.multiply %a, %two : tensor<4x6xf32>\n"
    "    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "        : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32>\n"
    "    return %0, %1 : tensor<4x6xf32>, tensor<4xf32>\n"
    "  }\n"
    "}\n";

enum { DEVICES = 4 };

// One execution's arrays: tiles of 2x3, the whole vector, and the whole result on each device.
typedef struct Arrays {
    float a[DEVICES][6], b[DEVICES][6], twice[DEVICES][6], product[DEVICES][4];
    const void *inputs[2 * DEVICES];
    void *outputs[2 * DEVICES];
} Arrays;

static void fill(Arrays *arrays, int seed) {
    memset(arrays, 0, sizeof *arrays);
    for (int d = 0; d < DEVICES; d++) {
        for (int i = 0; i < 6; i++) {
            int row = d / 2 * 2 + i / 3, column = d % 2 * 3 + i % 3;
            arrays->a[d][i] = (float)(row * 6 + column + seed);
            arrays->b[d][i] = (float)(i - 2);
        }
        arrays->inputs[d] = arrays->a[d];
        arrays->inputs[DEVICES + d] = arrays->b[d];
        arrays->outputs[d] = arrays->twice[d];
        arrays->outputs[DEVICES + d] = arrays->product[d];
    }
}

static int count_wrong(const Arrays *arrays, int seed) {
    int wrong = 0;
    for (int d = 0; d < DEVICES; d++) {
        const float *twice = arrays->outputs[d];
        for (int i = 0; i < 6; i++) {
            int row = d / 2 * 2 + i / 3, column = d % 2 * 3 + i % 3;
            wrong += twice[i] != 2 * (float)(row * 6 + column + seed);
        }
        for (int row = 0; row < 4; row++) {
            float sum = 0;
            for (int k = 0; k < 6; k++)
                sum += (float)(row * 6 + k + seed) * (float)(k - 2);
            wrong += arrays->product[d][row] != sum;
        }
    }
    return wrong;
}

static shardc_executable *tiled(const char *text) {
    shardc_options options;
    shardc_options_init(&options);
    options.tiled = options.keep_code = 1;
    return compiled(text, &options);
}

static void every_device_has_its_own_arrays(void **state) {
    (void)state;
    shardc_executable *executable = tiled(program);
    const shardc_model *model = shardc_executable_model(executable);
    assert_int_equal(model->is_tiled, 1);
    Arrays arrays;
    for (int seed = 0; seed < 3; seed++) {
        fill(&arrays, seed);
        succeeds(shardc_execute_tiles(executable, arrays.inputs, arrays.outputs, NULL));
        assert_int_equal(count_wrong(&arrays, seed), 0);
    }
    // devices may share what is only read
    for (int d = 0; d < DEVICES; d++)
        arrays.inputs[DEVICES + d] = arrays.b[0];
    succeeds(shardc_execute_tiles(executable, arrays.inputs, arrays.outputs, NULL));
    assert_int_equal(count_wrong(&arrays, 2), 0);
    shardc_executable_free(executable);
}

static void donation_is_decided_by_each_execution(void **state) {
    (void)state;
    shardc_executable *executable = tiled(program);
    const shardc_model *model = shardc_executable_model(executable);
    Arrays arrays;
    fill(&arrays, 5);
    for (int d = 0; d < DEVICES; d++)
        arrays.outputs[d] = arrays.a[d];
    shardc_status *status = shardc_execute_tiles(executable, arrays.inputs, arrays.outputs, NULL);
    if (model->results[0].in_place) {
        succeeds(status);
        assert_int_equal(count_wrong(&arrays, 5), 0);
    } else {
        fails_with(status, SHARDC_INVALID_INPUT, "in place");
    }
    fill(&arrays, 6);
    succeeds(shardc_execute_tiles(executable, arrays.inputs, arrays.outputs, NULL));
    assert_int_equal(count_wrong(&arrays, 6), 0);
    shardc_executable_free(executable);
}

// Reads the argument backwards: its memory must not become the result's.
static void what_cannot_be_in_place_is_refused(void **state) {
    (void)state;
    shardc_executable *executable = tiled(donated);
    float data[4] = {1, 2, 3, 4};
    const void *inputs[] = {data};
    void *outputs[] = {data};
    assert_int_equal(shardc_executable_model(executable)->results[0].in_place, 0);
    fails_with(
        shardc_execute_tiles(executable, inputs, outputs, NULL), SHARDC_INVALID_INPUT, "in place");
    shardc_executable_free(executable);
}

static void the_form_must_be_the_compiled_one(void **state) {
    (void)state;
    shardc_executable *whole = compiled(program, NULL), *tiles = tiled(program);
    Arrays arrays;
    fill(&arrays, 0);
    fails_with(
        shardc_execute_tiles(whole, arrays.inputs, arrays.outputs, NULL), SHARDC_INVALID_INPUT,
        "whole arrays");
    fails_with(shardc_execute(tiles, arrays.inputs, arrays.outputs), SHARDC_INVALID_INPUT, "tiles");
    arrays.inputs[6] = NULL;
    fails_with(
        shardc_execute_tiles(tiles, arrays.inputs, arrays.outputs, NULL), SHARDC_INVALID_INPUT,
        "inputs[6] is NULL");
    char *bytes = NULL;
    size_t size = 0;
    fails_with(
        shardc_executable_serialize(whole, &bytes, &size), SHARDC_INVALID_INPUT, "keep_code");
    shardc_executable_free(whole);
    shardc_executable_free(tiles);
}

// Partial sums go in and out as they are.
static void parts_of_sums_stay_apart(void **state) {
    (void)state;
    static const char text[] =
        "module @parts {\n"
        "  sdy.mesh @mesh = <[\"x\"=2]>\n"
        "  func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], "
        "unreduced={\"x\"}>})\n"
        "      -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={\"x\"}>},\n"
        "          tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
        "    %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], "
        "unreduced={\"x\"}>]>} : tensor<2xf32>\n"
        "    %1 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<2xf32>\n"
        "    return %0, %1 : tensor<2xf32>, tensor<2xf32>\n"
        "  }\n"
        "}\n";
    shardc_executable *executable = tiled(text);
    const float a[2][2] = {{1, 2}, {10, 20}};
    float negated[2][2], whole[2][2];
    const void *inputs[] = {a[0], a[1]};
    void *outputs[] = {negated[0], negated[1], whole[0], whole[1]};
    succeeds(shardc_execute_tiles(executable, inputs, outputs, NULL));
    for (int d = 0; d < 2; d++) {
        assert_true(negated[0][d] + negated[1][d] == -11 * (float)(d + 1));
        assert_true(whole[d][0] == 11 && whole[d][1] == 22);
    }
    shardc_executable_free(executable);
}

// ---- events

// dependency: may be NULL
static shardc_status *execute_after(
    shardc_executable *executable, const Arrays *arrays, shardc_event *dependency,
    shardc_event **event) {
    const shardc_execute_options options = {
        .struct_size = sizeof options,
        .dependencies = &dependency,
        .dependency_count = dependency != NULL};
    return shardc_execute_tiles_async(executable, arrays->inputs, arrays->outputs, &options, event);
}

static void executions_wait_for_their_dependencies(void **state) {
    (void)state;
    shardc_executable *executable = tiled(program);
    Arrays arrays;
    fill(&arrays, 1);
    shardc_event *gate = NULL, *event = NULL;
    succeeds(shardc_event_create(&gate));
    succeeds(execute_after(executable, &arrays, gate, &event));
    usleep(2000);
    assert_int_equal(shardc_event_is_done(event), 0);
    assert_true(arrays.twice[0][1] == 0);
    shardc_event_set(gate, NULL);
    shardc_event_set(gate, NULL); // only the first counts
    succeeds(shardc_event_wait(event));
    assert_int_equal(count_wrong(&arrays, 1), 0);
    shardc_event_free(gate);
    shardc_executable_free(executable);
}

static shardc_status *some_error(void) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    shardc_status *status = shardc_module_parse(context, "t", "poison", 6, &module);
    shardc_context_free(context);
    return status;
}

static void a_failure_reaches_all_that_depend_on_it(void **state) {
    (void)state;
    shardc_executable *executable = tiled(program);
    Arrays arrays;
    fill(&arrays, 1);
    shardc_event *events[4] = {NULL};
    succeeds(shardc_event_create(&events[0]));
    for (int i = 1; i < 4; i++) {
        succeeds(execute_after(executable, &arrays, events[i - 1], &events[i]));
    }
    shardc_executable_free(executable);
    shardc_event_set(events[0], some_error());
    const char *message = shardc_status_message(shardc_event_status(events[0]));
    for (int i = 1; i < 4; i++) {
        assert_string_equal(shardc_status_message(shardc_event_await(events[i])), message);
        shardc_event_free(events[i]);
    }
    assert_true(arrays.twice[0][1] == 0); // none has run
    shardc_event_free(events[0]);
}

static void add_digit(void *user, const shardc_status *status) {
    assert_null(status);
    ((int *)user)[0] = ((int *)user)[0] * 10 + ++((int *)user)[1];
}

static void functions_are_called_once_in_their_order(void **state) {
    (void)state;
    int digits[2] = {0};
    shardc_event *event = NULL;
    succeeds(shardc_event_create(&event));
    for (int i = 0; i < 3; i++)
        succeeds(shardc_event_on_done(event, add_digit, digits));
    assert_int_equal(digits[0], 0);
    shardc_event_set(event, NULL);
    assert_int_equal(digits[0], 123);
    succeeds(shardc_event_on_done(event, add_digit, digits));
    assert_int_equal(digits[0], 1234);
    succeeds(shardc_event_wait(event));
    succeeds(shardc_event_create(&event)); // never set
    succeeds(shardc_event_on_done(event, add_digit, digits));
    shardc_event_free(event);
    assert_int_equal(digits[0], 1234);
}

typedef struct Caller {
    shardc_executable *executable;
    int seed, wrong;
} Caller;

static void *call_often(void *argument) {
    Caller *caller = argument;
    enum { ROUNDS = 60, PENDING = 4 };
    static _Thread_local Arrays arrays[PENDING];
    shardc_event *events[PENDING] = {NULL};
    for (int round = 0; round < ROUNDS; round++) {
        int seed = caller->seed + round;
        for (int i = 0; i < PENDING; i++) {
            fill(&arrays[i], seed + i);
            shardc_event *before = i % 2 && round % 2 ? events[i - 1] : NULL;
            shardc_status *status =
                execute_after(caller->executable, &arrays[i], before, &events[i]);
            caller->wrong += status != NULL;
        }
        for (int i = 0; i < PENDING; i++) {
            shardc_status *status = shardc_event_wait(events[i]);
            caller->wrong += status != NULL || count_wrong(&arrays[i], seed + i);
            shardc_status_free(status);
        }
    }
    return NULL;
}

static void executions_of_one_executable_run_at_the_same_time(void **state) {
    (void)state;
    enum { CALLERS = 5 };
    shardc_executable *executable = tiled(program);
    Caller callers[CALLERS];
    pthread_t threads[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (Caller){.executable = executable, .seed = 100 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(callers[i].wrong, 0);
    }
    shardc_model_counters counters = {.struct_size = sizeof counters};
    shardc_executable_counters(executable, &counters);
    assert_int_equal(counters.executions, CALLERS * 60 * 4);
    shardc_executable_free(executable);
}

// ---- serialized

static void serialized_executables_compute_the_same(void **state) {
    (void)state;
    shardc_executable *executable = tiled(program), *again = NULL;
    char *bytes = NULL;
    size_t size = 0;
    succeeds(shardc_executable_serialize(executable, &bytes, &size));
    shardc_executable_free(executable);
    shardc_options options;
    shardc_options_init(&options);
    options.keep_code = 1;
    Arrays arrays;
    for (int round = 0; round < 2; round++) {
        succeeds(shardc_executable_deserialize(NULL, bytes, size, &options, &again));
        fill(&arrays, round);
        succeeds(shardc_execute_tiles(again, arrays.inputs, arrays.outputs, NULL));
        assert_int_equal(count_wrong(&arrays, round), 0);
        shardc_bytes_free(bytes);
        succeeds(shardc_executable_serialize(again, &bytes, &size));
        shardc_executable_free(again);
    }
    again = NULL;
    for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
        fails_with(
            shardc_executable_deserialize(NULL, bytes, cut, NULL, &again), SHARDC_INVALID_INPUT,
            "bytes");
    }
    for (size_t at = 0; at < size; at += 1 + size / 50) {
        bytes[at] ^= 0x40;
        fails_with(
            shardc_executable_deserialize(NULL, bytes, size, NULL, &again), SHARDC_INVALID_INPUT,
            "bytes");
        bytes[at] ^= 0x40;
    }
    assert_null(again);
    shardc_bytes_free(bytes);
}

// ---- observers

typedef struct Seen {
    int calls;
    int64_t begin_ns, events;
    bool devices[DEVICES];
} Seen;

static void see(
    void *user, const shardc_model *model, int64_t begin_ns, const shardc_model_event *events,
    int64_t count) {
    Seen *seen = user;
    seen->calls++;
    assert_true(begin_ns >= seen->begin_ns);
    seen->begin_ns = begin_ns;
    seen->events += count;
    for (int64_t i = 0; i < count; i++) {
        assert_in_range(events[i].step, 0, model->step_count - 1);
        assert_true(events[i].end_ns >= events[i].begin_ns);
        seen->devices[events[i].device] = true;
    }
}

static void an_observer_sees_the_events_of_its_executions(void **state) {
    (void)state;
    Arrays arrays;
    Seen seen = {0};
    const shardc_options options = {.struct_size = sizeof options, .tiled = 1};
    shardc_executable *executable = compiled(program, &options);
    const shardc_execute_options watched = {
        .struct_size = sizeof watched, .observe = see, .observe_user = &seen};
    for (int round = 0; round < 3; round++) {
        fill(&arrays, round);
        succeeds(shardc_execute_tiles(executable, arrays.inputs, arrays.outputs, NULL));
        assert_int_equal(seen.calls, round);
        succeeds(shardc_execute_tiles(executable, arrays.inputs, arrays.outputs, &watched));
        assert_int_equal(seen.calls, round + 1);
        assert_int_equal(count_wrong(&arrays, round), 0);
    }
    shardc_event *event = NULL;
    succeeds(
        shardc_execute_tiles_async(executable, arrays.inputs, arrays.outputs, &watched, &event));
    assert_null(shardc_event_await(event));
    shardc_event_free(event);
    assert_int_equal(seen.calls, 4);
    assert_true(seen.events >= 4 * DEVICES);
    for (int d = 0; d < DEVICES; d++)
        assert_true(seen.devices[d]);
    char *text = NULL; // nothing is kept
    fails_with(
        shardc_profile_text(executable, SHARDC_PROFILE_TABLE, &text), SHARDC_INVALID_INPUT, "");
    shardc_executable_free(executable);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_observer_sees_the_events_of_its_executions),
        cmocka_unit_test(every_device_has_its_own_arrays),
        cmocka_unit_test(donation_is_decided_by_each_execution),
        cmocka_unit_test(what_cannot_be_in_place_is_refused),
        cmocka_unit_test(the_form_must_be_the_compiled_one),
        cmocka_unit_test(parts_of_sums_stay_apart),
        cmocka_unit_test(executions_wait_for_their_dependencies),
        cmocka_unit_test(a_failure_reaches_all_that_depend_on_it),
        cmocka_unit_test(functions_are_called_once_in_their_order),
        cmocka_unit_test(executions_of_one_executable_run_at_the_same_time),
        cmocka_unit_test(serialized_executables_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

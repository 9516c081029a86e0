// ir/eval/ops/eval_devices.c, ir/eval/ops/eval_manual.c: devices in lock step.
#include "tests/unit/ir/test_eval_programs.h"

enum { DEVICES = 4 };

// Runs @main(tensor<2xi32>) -> tensor<?xi32> on four devices; device d has [10 d, 10 d + 1].
static bool run_on_devices(Arena *arena, const char *text, const Tensor **results, Diags *diags) {
    Module *module = read_program(arena, text, diags);
    const Op *func = module_entry(module, SV(""));
    const Tensor *inputs[DEVICES];
    Tensor *made[DEVICES] = {NULL};
    for (int d = 0; d < DEVICES; d++) {
        Tensor *tensor = tensor_create(arena, func_body(func)->args[0]->type);
        int32_t *numbers = tensor->data;
        numbers[0] = 10 * d;
        numbers[1] = 10 * d + 1;
        inputs[d] = tensor;
    }
    bool ok = eval_devices(arena, module, func, DEVICES, inputs, made, &(EvalOptions){0}, diags);
    for (int d = 0; d < DEVICES; d++)
        results[d] = made[d];
    return ok;
}

static void expect_numbers(const Tensor *tensor, int count, const int32_t *expected) {
    assert_int_equal(type_element_count(tensor->type), count);
    for (int i = 0; i < count; i++)
        assert_int_equal(((const int32_t *)tensor->data)[i], expected[i]);
}

#define GROUPS  "replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>"
#define CHANNEL "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "

static void all_reduce_adds_over_its_groups(void **state) {
    const Tensor *results[DEVICES];
    Diags *diags = diags_create(*state);
    assert_true(run_on_devices(
        *state,
        "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %r = \"stablehlo.all_reduce\"(%x) <{" CHANNEL GROUPS ", use_global_device_ids}> ({\n"
        "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
        "    %s = stablehlo.add %a, %b : tensor<i32>\n"
        "    stablehlo.return %s : tensor<i32>\n"
        "  }) : (tensor<2xi32>) -> tensor<2xi32>\n"
        "  return %r : tensor<2xi32>\n}\n",
        results, diags));
    expect_numbers(results[0], 2, (int32_t[]){20, 22});
    expect_numbers(results[1], 2, (int32_t[]){40, 42});
    expect_numbers(results[2], 2, (int32_t[]){20, 22});
    expect_numbers(results[3], 2, (int32_t[]){40, 42});
}

static void all_gather_and_all_to_all_order_by_group(void **state) {
    const Tensor *results[DEVICES];
    Diags *diags = diags_create(*state);
    assert_true(run_on_devices(
        *state,
        "func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {\n"
        "  %t = \"stablehlo.all_to_all\"(%x) <{" CHANNEL GROUPS ", split_dimension = 0 : i64,"
        " concat_dimension = 0 : i64, split_count = 2 : i64}> : (tensor<2xi32>) -> tensor<2xi32>\n"
        "  %r = \"stablehlo.all_gather\"(%t) <{" CHANNEL
        "replica_groups = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>, all_gather_dim = 0 : i64,"
        " use_global_device_ids}> : (tensor<2xi32>) -> tensor<4xi32>\n"
        "  return %r : tensor<4xi32>\n}\n",
        results, diags));
    // after all_to_all: 0 [0 20], 1 [10 30], 2 [1 21], 3 [11 31]
    expect_numbers(results[0], 4, (int32_t[]){10, 30, 0, 20});
    expect_numbers(results[2], 4, (int32_t[]){1, 21, 11, 31});
}

static void permute_gives_zeros_to_who_is_no_target(void **state) {
    const Tensor *results[DEVICES];
    Diags *diags = diags_create(*state);
    assert_true(run_on_devices(
        *state,
        "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %r = \"stablehlo.collective_permute\"(%x) <{" CHANNEL
        "source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}>"
        " : (tensor<2xi32>) -> tensor<2xi32>\n"
        "  return %r : tensor<2xi32>\n}\n",
        results, diags));
    expect_numbers(results[0], 2, (int32_t[]){0, 0});
    expect_numbers(results[1], 2, (int32_t[]){0, 1});
    expect_numbers(results[3], 2, (int32_t[]){20, 21});
}

// Devices 0 and 1 take one branch, 2 and 3 the other; each branch has a
// collective of the given groups.
#define DIVERGENT(groups)                                                                   \
    "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n"                               \
    "  %id = stablehlo.partition_id : tensor<ui32>\n"                                       \
    "  %two = stablehlo.constant dense<2> : tensor<ui32>\n"                                 \
    "  %p = stablehlo.compare LT, %id, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n" \
    "  %r = \"stablehlo.if\"(%p) ({\n"                                                      \
    "    %s = \"stablehlo.all_reduce\"(%x) <{" CHANNEL "replica_groups = " groups           \
    ", use_global_device_ids}> ({\n"                                                        \
    "    ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"                                         \
    "      %m = stablehlo.add %a, %b : tensor<i32>\n"                                       \
    "      stablehlo.return %m : tensor<i32>\n"                                             \
    "    }) : (tensor<2xi32>) -> tensor<2xi32>\n"                                           \
    "    stablehlo.return %s : tensor<2xi32>\n"                                             \
    "  }, {\n"                                                                              \
    "    stablehlo.return %x : tensor<2xi32>\n"                                             \
    "  }) : (tensor<i1>) -> tensor<2xi32>\n"                                                \
    "  return %r : tensor<2xi32>\n}\n"

static void devices_may_take_different_branches(void **state) {
    const Tensor *results[DEVICES];
    Diags *diags = diags_create(*state);
    assert_true(run_on_devices(
        *state, DIVERGENT("dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"), results, diags));
    expect_numbers(results[0], 2, (int32_t[]){10, 12});
    expect_numbers(results[1], 2, (int32_t[]){10, 12});
    expect_numbers(results[2], 2, (int32_t[]){20, 21});
}

static void a_collective_of_absent_devices_is_an_error(void **state) {
    const Tensor *results[DEVICES];
    Diags *diags = diags_create(*state);
    assert_false(run_on_devices(
        *state, DIVERGENT("dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"), results, diags));
    assert_non_null(strstr(diags->first->message.data, "its group is not complete"));
}

static void loops_end_at_different_times(void **state) {
    const Tensor *results[DEVICES];
    Diags *diags = diags_create(*state);
    assert_true(run_on_devices(
        *state,
        "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %id = stablehlo.partition_id : tensor<ui32>\n"
        "  %zero = stablehlo.constant dense<0> : tensor<ui32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<ui32>\n"
        "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<ui32>, tensor<2xi32>\n"
        "  cond {\n"
        "    %p = stablehlo.compare LT, %i, %id : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.add %i, %one : tensor<ui32>\n"
        "    %w = stablehlo.add %v, %v : tensor<2xi32>\n"
        "    stablehlo.return %j, %w : tensor<ui32>, tensor<2xi32>\n"
        "  }\n"
        "  return %r#1 : tensor<2xi32>\n}\n",
        results, diags));
    expect_numbers(results[0], 2, (int32_t[]){0, 1});
    expect_numbers(results[1], 2, (int32_t[]){20, 22});
    expect_numbers(results[3], 2, (int32_t[]){240, 248});
}

static void manual_computation_slices_and_assembles(void **state) {
    expect_checks(
        *state,
        "sdy.mesh @mesh = <[\"x\"=2]>\n"
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>\n"
        "  %r:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}]>]"
        " out_shardings=[<@mesh, [{\"x\"}]>, <@mesh, []>] manual_axes={\"x\"} (%a: tensor<3xi32>) "
        "{\n"
        "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
        "    %d = stablehlo.add %a, %a : tensor<3xi32>\n"
        "    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]"
        " : (tensor<3xi32>, tensor<i32>) -> tensor<i32>\n"
        "    %t = \"stablehlo.all_reduce\"(%s) <{" CHANNEL
        "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({\n"
        "    ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n"
        "      %m = stablehlo.add %p, %q : tensor<i32>\n"
        "      stablehlo.return %m : tensor<i32>\n"
        "    }) : (tensor<i32>) -> tensor<i32>\n"
        "    sdy.return %d, %t : tensor<3xi32>, tensor<i32>\n"
        "  } : (tensor<6xi32>) -> (tensor<6xi32>, tensor<i32>)\n"
        "  check.expect_eq_const %r#0, dense<[2, 4, 6, 8, 10, 12]> : tensor<6xi32>\n"
        "  check.expect_eq_const %r#1, dense<21> : tensor<i32>\n"
        "  return\n}\n",
        2);
}

static void manual_computations_nest(void **state) {
    expect_checks(
        *state,
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n"
        "  %r = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}, {}]>]"
        " out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%a: tensor<1x2xi32>) {\n"
        "    %s = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {\"y\"}]>]"
        " out_shardings=[<@mesh, [{}, {\"y\"}]>] manual_axes={\"y\"} (%b: tensor<1x1xi32>) {\n"
        "      %id = stablehlo.partition_id : tensor<ui32>\n"
        "      %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>\n"
        "      %j = stablehlo.reshape %i : (tensor<i32>) -> tensor<1x1xi32>\n"
        "      %ten = stablehlo.constant dense<10> : tensor<1x1xi32>\n"
        "      %k = stablehlo.multiply %j, %ten : tensor<1x1xi32>\n"
        "      %t = stablehlo.add %b, %k : tensor<1x1xi32>\n"
        "      sdy.return %t : tensor<1x1xi32>\n"
        "    } : (tensor<1x2xi32>) -> tensor<1x2xi32>\n"
        "    sdy.return %s : tensor<1x2xi32>\n"
        "  } : (tensor<2x2xi32>) -> tensor<2x2xi32>\n"
        "  check.expect_eq_const %r, dense<[[1, 12], [23, 34]]> : tensor<2x2xi32>\n"
        "  return\n}\n",
        1);
}

static void device_ids_follow_the_mesh(void **state) {
    expect_checks(
        *state,
        "sdy.mesh @mesh = <[\"x\"=4], device_ids=[2, 0, 3, 1]>\n"
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<0> : tensor<4xui32>\n"
        "  %r = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"x\"}]>]"
        " out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%a: tensor<1xui32>) {\n"
        "    %id = stablehlo.partition_id : tensor<ui32>\n"
        "    %j = stablehlo.reshape %id : (tensor<ui32>) -> tensor<1xui32>\n"
        "    sdy.return %j : tensor<1xui32>\n"
        "  } : (tensor<4xui32>) -> tensor<4xui32>\n"
        "  check.expect_eq_const %r, dense<[2, 0, 3, 1]> : tensor<4xui32>\n"
        "  return\n}\n",
        1);
}

static void a_dynamic_root_names_who_broadcasts(void **state) {
    expect_checks(
        *state,
        "module {\n"
        "  func.func @bc(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "    %root = stablehlo.constant dense<1> : tensor<1xi32>\n"
        "    %0 = \"stablehlo.collective_broadcast\"(%x, %root) {replica_groups = dense<[[2, 1]]> "
        ": tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>\n"
        "    return %0 : tensor<2xf32>\n"
        "  }\n"
        "  func.func @main() {\n"
        "    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "    %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>\n"
        "    %c = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xf32>\n"
        "    %z = stablehlo.constant dense<0.0> : tensor<2xf32>\n"
        "    %r:3 = \"interpreter.run_parallel\"(%a, %b, %c) {programs = [[@bc], [@bc], [@bc]]} : "
        "(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, "
        "tensor<2xf32>)\n"
        "    check.expect_eq %r#0, %z : tensor<2xf32>\n"
        "    check.expect_eq %r#1, %b : tensor<2xf32>\n"
        "    check.expect_eq %r#2, %b : tensor<2xf32>\n"
        "    return\n"
        "  }\n"
        "}\n",
        3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(a_dynamic_root_names_who_broadcasts),
        arena_test(all_reduce_adds_over_its_groups),
        arena_test(all_gather_and_all_to_all_order_by_group),
        arena_test(permute_gives_zeros_to_who_is_no_target),
        arena_test(devices_may_take_different_branches),
        arena_test(a_collective_of_absent_devices_is_an_error),
        arena_test(loops_end_at_different_times),
        arena_test(manual_computation_slices_and_assembles),
        arena_test(manual_computations_nest),
        arena_test(device_ids_follow_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// ir/simplify/canonicalize.c, cse.c, dce.c, fold.c, inline.c, legalize_*.c
#include "tests/unit/ir/ir_fixture.h"

static void views_of_views_are_one_view(void **state) {
    assert_pass_gives(
        *state, &canonicalize_pass,
        "func.func @main(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {\n"
        "  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> "
        "tensor<4x2x3xf32>\n"
        "  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> "
        "tensor<2x3x4xf32>\n"
        "  %2 = stablehlo.reshape %1 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>\n"
        "  %3 = stablehlo.reshape %2 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>\n"
        "  return %3 : tensor<2x3x4xf32>\n}\n",
        "func.func @main(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {\n"
        "  return %a : tensor<2x3x4xf32>\n}\n");
}

static void slices_reach_through_concatenate(void **state) {
    assert_pass_gives(
        *state, &canonicalize_pass,
        "func.func @main(%a: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<6xf32>) -> "
        "tensor<10xf32>\n"
        "  %1 = stablehlo.slice %0 [5:9:2] : (tensor<10xf32>) -> tensor<2xf32>\n"
        "  return %1 : tensor<2xf32>\n}\n",
        "func.func @main(%a: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.slice %b [1:5:2] : (tensor<6xf32>) -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}\n");
}

static void float_zero_is_not_neutral_for_add(void **state) {
    const char *text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                       "  %cst = stablehlo.constant dense<0.0> : tensor<4xf32>\n"
                       "  %0 = stablehlo.add %a, %cst : tensor<4xf32>\n"
                       "  return %0 : tensor<4xf32>\n}\n";
    assert_pass_gives(*state, &canonicalize_pass, text, text);
    assert_pass_gives(
        *state, &canonicalize_pass,
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %cst = stablehlo.constant dense<-0.0> : tensor<4xf32>\n"
        "  %0 = stablehlo.add %a, %cst : tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}\n",
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  return %a : tensor<4xf32>\n}\n");
}

static void a_sharding_is_never_lost(void **state) {
    const char *text =
        "sdy.mesh @m = <[\"x\"=2]>\n"
        "func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {\n"
        "  %c = stablehlo.constant dense<0> : tensor<4xi32>\n"
        "  %0 = stablehlo.add %a, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"x\"}]>]>} : "
        "tensor<4xi32>\n"
        "  return %0 : tensor<4xi32>\n}\n";
    assert_pass_gives(*state, &canonicalize_pass, text, text);
}

// One carry is invariant, one is never read.
static void loops_keep_the_carries_they_need(void **state) {
    assert_pass_gives(
        *state, &canonicalize_pass,
        "func.func @main(%n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {\n"
        "  %c = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %0:4 = stablehlo.while(%i = %c, %k = %n, %s = %x, %unused = %x) : tensor<i32>, "
        "tensor<i32>, "
        "tensor<i32>, tensor<i32>\n"
        "  cond {\n"
        "    %1 = stablehlo.compare LT, %i, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %1 : tensor<i1>\n"
        "  } do {\n"
        "    %1 = stablehlo.add %i, %i : tensor<i32>\n"
        "    %2 = stablehlo.add %s, %k : tensor<i32>\n"
        "    %3 = stablehlo.multiply %unused, %s : tensor<i32>\n"
        "    stablehlo.return %1, %k, %2, %3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>\n"
        "  }\n"
        "  return %0#2 : tensor<i32>\n}\n",
        "func.func @main(%n: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {\n"
        "  %c = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %0:2 = stablehlo.while(%i = %c, %s = %x) : tensor<i32>, tensor<i32>\n"
        "  cond {\n"
        "    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %1 : tensor<i1>\n"
        "  } do {\n"
        "    %1 = stablehlo.add %i, %i : tensor<i32>\n"
        "    %2 = stablehlo.add %s, %n : tensor<i32>\n"
        "    stablehlo.return %1, %2 : tensor<i32>, tensor<i32>\n"
        "  }\n"
        "  return %0#1 : tensor<i32>\n}\n");
}

static void equal_ops_merge_in_either_order(void **state) {
    assert_pass_gives(
        *state, &cse_pass,
        "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
        "  %1 = stablehlo.add %b, %a : tensor<4xf32>\n"
        "  %2 = stablehlo.subtract %0, %1 : tensor<4xf32>\n"
        "  return %2 : tensor<4xf32>\n}\n",
        "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
        "  %1 = stablehlo.subtract %0, %0 : tensor<4xf32>\n"
        "  return %1 : tensor<4xf32>\n}\n");
}

static void dead_chains_and_functions_go(void **state) {
    assert_pass_gives(
        *state, &dce_pass,
        "func.func private @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n"
        "func.func private @f(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.negate %a : tensor<4xf32>\n"
        "  %1 = stablehlo.abs %0 : tensor<4xf32>\n"
        "  return %a : tensor<4xf32>\n}\n",
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  return %a : tensor<4xf32>\n}\n");
}

static void calls_become_bodies(void **state) {
    Fixture *fixture = *state;
    const char *actual = fixture_run(
        fixture,
        "func.func private @g(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.negate %a : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
        "func.func private @f(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>\n"
        "  %1 = call @g(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}\n"
        "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
        2, (const Pass *const[]){&inline_pass, &dce_pass});
    Module *expected = fixture_read(
        fixture, "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                 "  %0 = stablehlo.negate %a : tensor<f32>\n"
                 "  %1 = stablehlo.negate %0 : tensor<f32>\n  return %1 : tensor<f32>\n}\n");
    assert_string_equal(actual, fixture_print(fixture, expected));
}

static void recursion_is_an_error(void **state) {
    Fixture *fixture = *state;
    const char *actual = fixture_run(
        fixture,
        "func.func private @f(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
        "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
        1, (const Pass *const[]){&inline_pass});
    assert_null(actual);
    assert_int_equal(fixture->diags->error_count, 1);
}

static void shorthands_become_core_ops(void **state) {
    assert_pass_gives(
        *state, &legalize_chlo_pass,
        "func.func @main(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {\n"
        "  %0 = chlo.broadcast_add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>\n"
        "  return %0 : tensor<4x8xf32>\n}\n",
        "func.func @main(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {\n"
        "  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>\n"
        "  %1 = stablehlo.add %a, %0 : tensor<4x8xf32>\n"
        "  return %1 : tensor<4x8xf32>\n}\n");
    assert_pass_gives(
        *state, &legalize_chlo_pass,
        "func.func @main(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>) -> tensor<5x2xf32> {\n"
        "  %0 = \"stablehlo.einsum\"(%a, %b) {einsum_config = \"ij,kj->ki\"} : "
        "(tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<5x2xf32>\n"
        "  return %0 : tensor<5x2xf32>\n}\n",
        "func.func @main(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>) -> tensor<5x2xf32> {\n"
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : "
        "(tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>\n"
        "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x5xf32>) -> tensor<5x2xf32>\n"
        "  return %1 : tensor<5x2xf32>\n}\n");
}

static void small_constants_fold(void **state) {
    Fixture *fixture = *state;
    const char *actual = fixture_run(
        fixture,
        "func.func @main() -> tensor<2xi32> {\n"
        "  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi32>\n"
        "  %0 = stablehlo.multiply %c, %c : tensor<2xi32>\n"
        "  return %0 : tensor<2xi32>\n}\n",
        2, (const Pass *const[]){&fold_pass, &dce_pass});
    Module *expected = fixture_read(
        fixture, "func.func @main() -> tensor<2xi32> {\n"
                 "  %c = stablehlo.constant dense<[4, 9]> : tensor<2xi32>\n"
                 "  return %c : tensor<2xi32>\n}\n");
    assert_string_equal(actual, fixture_print(fixture, expected));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(views_of_views_are_one_view),
        FIXTURE_TEST(slices_reach_through_concatenate),
        FIXTURE_TEST(float_zero_is_not_neutral_for_add),
        FIXTURE_TEST(a_sharding_is_never_lost),
        FIXTURE_TEST(loops_keep_the_carries_they_need),
        FIXTURE_TEST(equal_ops_merge_in_either_order),
        FIXTURE_TEST(dead_chains_and_functions_go),
        FIXTURE_TEST(calls_become_bodies),
        FIXTURE_TEST(recursion_is_an_error),
        FIXTURE_TEST(shorthands_become_core_ops),
        FIXTURE_TEST(small_constants_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

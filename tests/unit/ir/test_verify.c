// ir/verify*.c, ir/infer*.c: what the corpora of StableHLO and Shardy do not hold.
#include "tests/unit/ir/ir_fixture.h"

static void types_that_cannot_be_stored_are_refused(void **state) {
    assert_refused(
        *state,
        "func.func @main(%arg0: tensor<9000000000x9000000000x4xf32>) -> tensor<f32> {\n"
        "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}\n",
        "too large");
}

static void huge_paddings_and_dilations_do_not_overflow(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.pad %a, %z, low = [9223372036854775807], high = [9223372036854775807], "
        "interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}\n",
        "overflows");
}

static void counts_come_from_the_table(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = \"stablehlo.add\"(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}\n",
        "expected 2 operands, but found 1");
}

static void results_are_inferred_again(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<5xf32> {\n"
        "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> "
        "tensor<5xf32>\n"
        "  return %0 : tensor<5xf32>\n}\n",
        "inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation "
        "'tensor<5xf32>'");
}

static void returns_must_fit_the_function(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
        "  return %a : tensor<4xf32>\n}\n",
        "doesn't match function result type");
}

static void channels_are_channel_handles(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4x16xf32>) -> tensor<16x4xf32> {\n"
        "  %0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : "
        "i64, "
        "split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, "
        "channel_handle = #other.channel_handle<handle = 1, type = 0>} "
        ": (tensor<4x16xf32>) -> tensor<16x4xf32>\n"
        "  return %0 : tensor<16x4xf32>\n}\n",
        "attribute 'channel_handle' failed to satisfy constraint");
}

static void shardings_name_each_axis_once(void **state) {
    assert_refused(
        *state,
        "sdy.mesh @m = <[\"x\"=2]>\n"
        "func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, "
        "{\"x\"}]>}) "
        "-> tensor<4x4xf32> {\n  return %a : tensor<4x4xf32>\n}\n",
        "duplicate axis ref: \"x\"");
    assert_refused(
        *state,
        "sdy.mesh @m = <[\"x\"=8]>\n"
        "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\":(1)3}]>}) "
        "-> tensor<8xf32> {\n  return %a : tensor<8xf32>\n}\n",
        "doesn't divide");
    assert_refused(
        *state,
        "sdy.mesh @m = <[\"x\"=6]>\n"
        "func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\":(1)2}, "
        "{\"x\":(3)2}]>}) -> tensor<4x4xf32> {\n  return %a : tensor<4x4xf32>\n}\n",
        "no factors of one product");
}

#define RAGGED_DOT(ragged, groups)                                                     \
    "func.func @main(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>) " \
    "-> tensor<11x7xf32> {\n"                                                          \
    "  %0 = \"chlo.ragged_dot\"(%a, %b, %g) <{ragged_dot_dimension_numbers = "         \
    "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = " \
    "[1], lhs_ragged_dimensions = " ragged ", rhs_group_dimensions = " groups          \
    ">}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>\n" \
    "  return %0 : tensor<11x7xf32>\n}\n"

static void ragged_products_have_one_ragged_dimension_in_range(void **state) {
    assert_refused(
        *state, RAGGED_DOT("[0, 1]", "[0]"),
        "There must be exactly one ragged dimension in the lhs");
    assert_refused(*state, RAGGED_DOT("[2]", "[0]"), "is out of range: [0, 2)");
    assert_refused(*state, RAGGED_DOT("[0]", "[3]"), "is out of range: [0, 3)");
    assert_refused(*state, RAGGED_DOT("[0]", "[1]"), "has duplicated dimension");
    assert_refused(*state, RAGGED_DOT("[0]", "[]"), "exactly one group dimension in the rhs");
}

static void a_collectives_root_is_an_operand_of_its_own(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4xf32>, %r: tensor<2xi32>) -> tensor<4xf32> {\n"
        "  %0 = \"stablehlo.collective_broadcast\"(%a, %r) {has_dynamic_root, replica_groups = "
        "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}\n",
        "must have the same number of elements as data operands (1), but got 2");
}

static void quantised_axes_are_dimensions_of_the_tensor(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4x!quant.uniform<i8:f32:3, {1.0, 1.0}>>) {\n  return\n}\n",
        "does not fit its shape");
}

static void casts_only_change_what_is_known_of_a_shape(void **state) {
    assert_refused(
        *state,
        "func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
        "  %0 = tensor.cast %a : tensor<4xf32> to tensor<5xf32>\n"
        "  return %0 : tensor<5xf32>\n}\n",
        "are cast incompatible");
}

static void equal_names_are_refused(void **state) {
    assert_refused(
        *state,
        "func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n"
        "func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n",
        "redefinition of symbol named 'f'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(types_that_cannot_be_stored_are_refused),
        FIXTURE_TEST(huge_paddings_and_dilations_do_not_overflow),
        FIXTURE_TEST(counts_come_from_the_table),
        FIXTURE_TEST(results_are_inferred_again),
        FIXTURE_TEST(returns_must_fit_the_function),
        FIXTURE_TEST(channels_are_channel_handles),
        FIXTURE_TEST(shardings_name_each_axis_once),
        FIXTURE_TEST(ragged_products_have_one_ragged_dimension_in_range),
        FIXTURE_TEST(a_collectives_root_is_an_operand_of_its_own),
        FIXTURE_TEST(quantised_axes_are_dimensions_of_the_tensor),
        FIXTURE_TEST(casts_only_change_what_is_known_of_a_shape),
        FIXTURE_TEST(equal_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

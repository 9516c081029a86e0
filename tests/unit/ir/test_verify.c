// ir/verify/, ir/infer/: what the corpora of StableHLO and Shardy do not hold.
#include "tests/unit/ir/ir_fixture.h"

#include <stdio.h>

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

// One op of a function of one argument, %q, and what is said of it.
static const struct {
    const char *type, *op, *message;
} unfit_ops[] = {
    {"tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
     "\"stablehlo.subtract\"(%q, %q) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, "
     "tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, "
     "{1.0, 2.0}>>",
     "operand #0 must be ranked tensor of"},
    {"tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
     "\"stablehlo.optimization_barrier\"(%q) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, "
     "2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
     "operand #0 must be variadic of ranked tensor of"},
    {"tensor<2xindex>",
     "\"stablehlo.reverse\"(%q) {dimensions = array<i64: 0>} : (tensor<2xindex>) -> "
     "tensor<2xindex>",
     "operand #0 must be ranked tensor of"},
    {"tensor<2xbf16>",
     "\"stablehlo.complex\"(%q, %q) : (tensor<2xbf16>, tensor<2xbf16>) -> "
     "tensor<2xcomplex<f32>>",
     "operand #0 must be ranked tensor of 32/64-bit float values"},
    {"tensor<2xi1>", "\"chlo.mulhi\"(%q, %q) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>",
     "operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values"},
    {"tensor<?xf32>",
     "\"stablehlo.broadcast_in_dim\"(%q) {broadcast_dimensions = array<i64: 0>} : "
     "(tensor<?xf32>) -> tensor<?xf32>",
     "result #0 must be statically shaped or single bounded dimension tensor of"},
    {"tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
     "\"stablehlo.add\"(%q, %q) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, "
     "tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, "
     "{1.0, 2.0}>>",
     "quantization_dimension of lhs and result are not same"},
    {"tensor<2xf32>",
     "\"stablehlo.custom_call\"(%q) {call_target_name = \"f\", backend_config = {a = 1 : i32}} "
     ": (tensor<2xf32>) -> tensor<2xf32>",
     "must be a string attribute"},
    {"tensor<2xf32>",
     "\"stablehlo.custom_call\"(%q) {call_target_name = \"f\", operand_layouts = [dense<0> : "
     "tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>",
     "either both operands and results or none"},
    {"!stablehlo.token",
     "\"stablehlo.infeed\"(%q) {layout = [[[]]]} : (!stablehlo.token) -> (tensor<2xf32>, "
     "!stablehlo.token)",
     "leaf elements are expected to be of type integer"},
    {"tensor<2xf32>",
     "\"stablehlo.async_start\"(%q) ({\n  ^bb0(%x: tensor<2xf32>):\n    %1 = stablehlo.negate "
     "%x : tensor<2xf32>\n    stablehlo.return %1 : tensor<2xf32>\n  }) : (tensor<2xf32>) -> "
     "!stablehlo.future<tensor<2xf32>>",
     "region must contain a collective or slice operation"},
    {"tensor<2x3xf32>",
     "chlo.scan(%q) inits (%q) dimension = 0 {\n  ^bb0(%x: tensor<3xf32>, %y: "
     "tensor<3xf32>):\n    stablehlo.return %x, %y : tensor<3xf32>, tensor<3xf32>\n  } : "
     "(tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)",
     "operand and body argument 1 are incompatible"},
    {"tensor<?xf32, #stablehlo.bounds<4>>",
     "stablehlo.slice %q [0:5] : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>",
     "limit index 5 is larger than dimension bound 4"},
    {"tensor<2xf32>",
     "\"interpreter.run_parallel\"(%q) {programs = [[@f, @f], [@f]]} : (tensor<2xf32>) -> "
     "tensor<2xf32>",
     "Sizes of second dimension of `programs` should all match 2 but got 1"},
    {"tensor<2xf32>",
     "\"interpreter.run_parallel\"(%q) {programs = [[@f, @f]]} : (tensor<2xf32>) -> "
     "tensor<2xf32>",
     "Number of inputs (1) should match"},
    {"tensor<2xf32>",
     "\"stablehlo.concatenate\"(%q) {dimension = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>",
     "64-bit signless integer attribute"},
    {"tensor<2xf32>", "\"stablehlo.unary_einsum\"(%q) : (tensor<2xf32>) -> tensor<2xf32>",
     "requires attribute 'einsum_config'"},
    {"tensor<*xf32>", "\"chlo.erf\"(%q) : (tensor<*xf32>) -> tensor<2xf32>",
     "must have the same shape"},
    {"tensor<?xf32>", "\"stablehlo.optimization_barrier\"(%q) : (tensor<?xf32>) -> tensor<2xf32>",
     "requires the same type for operand and result at index 0"},
    {"tensor<2xf32>",
     "\"interpreter.run_parallel\"(%q) {programs = [[@g]]} : (tensor<2xf32>) -> tensor<2xf32>",
     "Function \"g\" not found"},
};

static void what_an_op_does_not_take_is_refused(void **state) {
    for (size_t i = 0; i < sizeof unfit_ops / sizeof *unfit_ops; i++) {
        char text[2048];
        (void)snprintf(
            text, sizeof text,
            "func.func @f(%%q: tensor<2xf32>) -> tensor<2xf32> {\n  return %%q : tensor<2xf32>\n}\n"
            "func.func @main(%%q: %s) {\n  %s\n  return\n}\n",
            unfit_ops[i].type, unfit_ops[i].op);
        assert_refused(*state, text, unfit_ops[i].message);
    }
}

// Each breaks one rule that a comparison with MLIR's verifiers by generated programs found to be
// missing.
static void generated_programs_are_refused(void **state) {
    static const struct {
        const char *op, *message;
    } cases[] = {
        {"\"stablehlo.tuple\"(%d, %s) : (tensor<?x6xf32>, tensor<f32>) -> tuple<tensor<4x6xf32>, "
         "tensor<f32>>",
         "inferred type(s) 'tuple<tensor<?x6xf32>, tensor<f32>>' are incompatible"},
        {"\"stablehlo.sort\"(%f) ({\n^bb0(%x: tensor<f32>, %y: tensor<*xf32>):\n  "
         "\"stablehlo.return\"(%p) : (tensor<i1>) -> ()\n}) : (tensor<4x6xf32>) -> tensor<4x6xf32>",
         "comparator block argument #1 should be of type 'tensor<f32>'"},
        {"\"chlo.broadcast_shift_left\"(%i, %i) : (tensor<4x6xi32>, tensor<4x6xi32>) -> "
         "tensor<*xf32>",
         "requires the same element type for all operands and results"},
        {"\"chlo.broadcast_select\"(%p, %f, %f) : (tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>) "
         "-> tensor<2x4x6xf32>",
         "inferred type(s) 'tensor<4x6xf32>' are incompatible"},
        {"\"chlo.top_k\"(%f) {k = 3 : i64} : (tensor<4x6xf32>) -> (tensor<4x3xf32>, "
         "tensor<*xf32>)",
         "requires indices of type i32"},
        {"\"chlo.ragged_dot\"(%f, %u, %g) {ragged_dot_dimension_numbers = "
         "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
         "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x6xf32>, "
         "tensor<*xf32>, tensor<3xi64>) -> tensor<4x7xf32>",
         "is not ranked"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        (void)snprintf(
            text, sizeof text,
            "func.func @main(%%s: tensor<f32>, %%p: tensor<i1>, %%f: tensor<4x6xf32>, %%i: "
            "tensor<4x6xi32>, %%d: tensor<?x6xf32>, %%u: tensor<*xf32>, %%g: tensor<3xi64>) {\n  "
            "%s\n  return\n}\n",
            cases[i].op);
        assert_refused(*state, text, cases[i].message);
    }
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
        FIXTURE_TEST(what_an_op_does_not_take_is_refused),
        FIXTURE_TEST(equal_names_are_refused),
        FIXTURE_TEST(generated_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// ir/eval/eval.c and the families of ops: values, control flow, limits.
#include "tests/unit/ir/test_eval_programs.h"

static void reduce_sums_floats_in_double(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<[1.0e8, 1.0, -1.0e8]> : tensor<3xf32>\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]"
        " : (tensor<3xf32>, tensor<f32>) -> tensor<f32>\n"
        "  check.expect_eq_const %s, dense<1.0> : tensor<f32>\n"
        "  return\n}\n",
        1);
}

static void reduce_runs_any_body_on_many_operands(void **state) {
    // argmax along rows
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<[[1, 7, 3], [9, 2, 9]]> : tensor<2x3xi32>\n"
        "  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>\n"
        "  %low = stablehlo.constant dense<-2147483648> : tensor<i32>\n"
        "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %r:2 = \"stablehlo.reduce\"(%x, %i, %low, %zero) ({\n"
        "  ^bb0(%a: tensor<i32>, %ai: tensor<i32>, %b: tensor<i32>, %bi: tensor<i32>):\n"
        "    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<i32>\n"
        "    %k = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>\n"
        "    stablehlo.return %v, %k : tensor<i32>, tensor<i32>\n"
        "  }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, "
        "tensor<i32>)"
        " -> (tensor<2xi32>, tensor<2xi32>)\n"
        "  check.expect_eq_const %r#0, dense<[7, 9]> : tensor<2xi32>\n"
        "  check.expect_eq_const %r#1, dense<[1, 0]> : tensor<2xi32>\n"
        "  return\n}\n",
        2);
}

static void dot_algorithms_sum_the_parts_they_name(void **state) {
    // (1 + 2^-10 + 2^-20)^2 - (1 + 2^-9): what is left shows which products of parts were summed.
    static const struct {
        int operations;
        const char *left;
    } algorithms[] = {{3, "0x00000000"}, {6, "0x36400000"}, {9, "0x36402004"}};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const char *text = arena_printf(
            *state,
            "func.func @main() {\n"
            "  %%a = stablehlo.constant dense<[[0x3F802008, -1.0], [0x7F800000, 0.0], [0x7FC00000, "
            "0.0]]> : "
            "tensor<3x2xf32>\n"
            "  %%b = stablehlo.constant dense<[0x3F802008, 0x3F804000]> : tensor<2xf32>\n"
            "  %%r = \"stablehlo.dot_general\"(%%a, %%b) {dot_dimension_numbers = "
            "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, "
            "algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = "
            "bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
            "num_primitive_operations = %d, allow_imprecise_accumulation = false>} : "
            "(tensor<3x2xf32>, tensor<2xf32>) -> tensor<3xf32>\n"
            "  check.expect_eq_const %%r, dense<[%s, 0x7F800000, 0x7FC00000]> : tensor<3xf32>\n"
            "  return\n}\n",
            algorithms[i].operations, algorithms[i].left);
        expect_checks(*state, text, 1);
    }
}

static void dynamic_slices_are_clamped(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.iota dim = 0 : tensor<5xi32>\n"
        "  %far = stablehlo.constant dense<100> : tensor<i32>\n"
        "  %low = stablehlo.constant dense<-7> : tensor<i32>\n"
        "  %max = stablehlo.constant dense<18446744073709551615> : tensor<ui64>\n"
        "  %a = stablehlo.dynamic_slice %x, %far, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> "
        "tensor<2xi32>\n"
        "  %b = stablehlo.dynamic_slice %x, %low, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> "
        "tensor<2xi32>\n"
        "  %c = stablehlo.dynamic_slice %x, %max, sizes = [2] : (tensor<5xi32>, tensor<ui64>) -> "
        "tensor<2xi32>\n"
        "  check.expect_eq_const %a, dense<[3, 4]> : tensor<2xi32>\n"
        "  check.expect_eq_const %b, dense<[0, 1]> : tensor<2xi32>\n"
        "  check.expect_eq_const %c, dense<[3, 4]> : tensor<2xi32>\n"
        "  return\n}\n",
        3);
}

static void pad_crops_dilates_and_fills(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"
        "  %p = stablehlo.constant dense<9> : tensor<i32>\n"
        "  %a = stablehlo.pad %x, %p, low = [-1], high = [2], interior = [1]"
        " : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>\n"
        "  check.expect_eq_const %a, dense<[9, 2, 9, 3, 9, 4, 9, 9]> : tensor<8xi32>\n"
        "  %b = stablehlo.pad %x, %p, low = [-3], high = [-1], interior = [0]"
        " : (tensor<4xi32>, tensor<i32>) -> tensor<0xi32>\n"
        "  check.expect_eq_const %b, dense<> : tensor<0xi32>\n"
        "  return\n}\n",
        2);
}

static void scatter_leaves_out_windows_beyond_the_operand(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<0> : tensor<4xi32>\n"
        "  %i = stablehlo.constant dense<[[1], [3], [-1]]> : tensor<3x1xi32>\n"
        "  %u = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>\n"
        "  %r = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
        "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
        "    %s = stablehlo.add %a, %b : tensor<i32>\n"
        "    stablehlo.return %s : tensor<i32>\n"
        "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],"
        " scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}"
        " : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<4xi32>\n"
        "  check.expect_eq_const %r, dense<[0, 1, 2, 0]> : tensor<4xi32>\n"
        "  return\n}\n",
        1);
}

static void sort_is_stable(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %k = stablehlo.constant dense<[2, 1, 2, 1, 0]> : tensor<5xi32>\n"
        "  %i = stablehlo.iota dim = 0 : tensor<5xi32>\n"
        "  %r:2 = \"stablehlo.sort\"(%k, %i) ({\n"
        "  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):\n"
        "    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  }) {dimension = 0 : i64, is_stable = true}"
        " : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)\n"
        "  check.expect_eq_const %r#0, dense<[0, 1, 1, 2, 2]> : tensor<5xi32>\n"
        "  check.expect_eq_const %r#1, dense<[4, 1, 3, 0, 2]> : tensor<5xi32>\n"
        "  return\n}\n",
        2);
}

static void while_carries_values_and_captures(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %n = stablehlo.constant dense<10> : tensor<i32>\n"
        "  %r:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>\n"
        "  cond {\n"
        "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.add %i, %one : tensor<i32>\n"
        "    %t = stablehlo.add %s, %i : tensor<i32>\n"
        "    stablehlo.return %j, %t : tensor<i32>, tensor<i32>\n"
        "  }\n"
        "  check.expect_eq_const %r#0, dense<10> : tensor<i32>\n"
        "  check.expect_eq_const %r#1, dense<45> : tensor<i32>\n"
        "  return\n}\n",
        2);
}

static void case_out_of_range_takes_the_last_branch(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %i = stablehlo.constant dense<-3> : tensor<i32>\n"
        "  %a = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %b = stablehlo.constant dense<2> : tensor<i32>\n"
        "  %r = \"stablehlo.case\"(%i) ({\n"
        "    stablehlo.return %a : tensor<i32>\n"
        "  }, {\n"
        "    stablehlo.return %b : tensor<i32>\n"
        "  }) : (tensor<i32>) -> tensor<i32>\n"
        "  check.expect_eq_const %r, dense<2> : tensor<i32>\n"
        "  return\n}\n",
        1);
}

static void a_failed_check_is_counted_and_named(void **state) {
    Outcome outcome = run_with(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
        "  check.expect_eq_const %x, dense<[1, 3]> : tensor<2xi32>\n"
        "  check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>\n"
        "  return\n}\n",
        NULL);
    assert_true(outcome.ok);
    assert_int_equal(outcome.checks.failed, 1);
    assert_int_equal(outcome.checks.passed, 1);
    assert_non_null(
        strstr(outcome.checks.first_failure.data, "element [1] is 2, expected 3 (1 of 2 differ)"));
}

static const char endless[] = "func.func @main() {\n"
                              "  %x = stablehlo.constant dense<true> : tensor<i1>\n"
                              "  %r = stablehlo.while(%i = %x) : tensor<i1>\n"
                              "  cond {\n    stablehlo.return %i : tensor<i1>\n  }\n"
                              "  do {\n    stablehlo.return %i : tensor<i1>\n  }\n"
                              "  return\n}\n";

static void an_endless_loop_meets_the_step_limit(void **state) {
    expect_error(*state, endless, &(EvalOptions){.max_steps = 1000}, "1000 steps");
}

static void live_bytes_are_limited(void **state) {
    expect_error(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.iota dim = 0 : tensor<1000000xf32>\n"
        "  return\n}\n",
        &(EvalOptions){.max_bytes = 1 << 20}, "over the limit of 1048576 bytes");
}

static void a_loop_does_not_use_up_memory(void **state) {
    // 100 rounds of 4 MB each within 32 MB.
    Outcome outcome = run_with(
        *state,
        "func.func @main() {\n"
        "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %n = stablehlo.constant dense<100> : tensor<i32>\n"
        "  %x = stablehlo.constant dense<1.0> : tensor<1000x1000xf32>\n"
        "  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<1000x1000xf32>\n"
        "  cond {\n"
        "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.add %i, %one : tensor<i32>\n"
        "    %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<1000x1000xf32>) -> "
        "tensor<1000x1000xf32>\n"
        "    stablehlo.return %j, %t : tensor<i32>, tensor<1000x1000xf32>\n"
        "  }\n"
        "  return\n}\n",
        &(EvalOptions){.max_bytes = 32 << 20});
    assert_true(outcome.ok);
    assert_true(arena_bytes(*state) < (size_t)64 << 20);
}

static void recursion_is_refused(void **state) {
    expect_error(
        *state,
        "func.func @main() {\n"
        "  func.call @main() : () -> ()\n"
        "  return\n}\n",
        NULL, "calls '@main' recursively");
}

static void what_is_not_supported_is_named(void **state) {
    Outcome outcome = run_with(
        *state,
        "func.func @main() {\n"
        "  %x = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
        "  %r = stablehlo.custom_call @nobody_knows(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  return\n}\n",
        NULL);
    assert_false(outcome.ok);
    assert_true(outcome.diags->has_unsupported);
    assert_non_null(strstr(outcome.message, "custom call '@nobody_knows'"));
}

static void eval_op_folds_a_pure_op(void **state) {
    Diags *diags = diags_create(*state);
    Module *module = read_program(
        *state,
        "func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %c = stablehlo.multiply %a, %b : tensor<2xi32>\n"
        "  return %c : tensor<2xi32>\n}\n",
        diags);
    const Op *op = func_body(module_entry(module, SV("")))->first;
    int32_t a[2] = {3, -4}, b[2] = {5, 6};
    Tensor x = {.type = op_operand_type(op, 0), .data = a},
           y = {.type = op_operand_type(op, 1), .data = b};
    Tensor *result = NULL;
    assert_true(eval_op(*state, module, op, (const Tensor *const[]){&x, &y}, &result));
    const int32_t *numbers = result->data;
    assert_int_equal(numbers[0], 15);
    assert_int_equal(numbers[1], -24);
    const Attr *attr = tensor_to_attr(module->context, result);
    assert_false(attr->is_splat);
    assert_int_equal(attr_element_int(attr, 1), -24);
    assert_false(
        eval_op(*state, module, op->next, (const Tensor *const[]){result}, &result)); // return
}

static void probes_keep_every_value(void **state) {
    static const char program[] =
        "func.func @main() {\n"
        "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %%two = stablehlo.constant dense<2> : tensor<i32>\n"
        "  %%n = stablehlo.while(%%i = %%zero) : tensor<i32>\n"
        "  cond {\n"
        "    %%p = stablehlo.compare LT, %%i, %%two : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %%p : tensor<i1>\n"
        "  } do {\n"
        "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
        "    %%k = interpreter.probe %%j, probe_id = \"sum\" : tensor<i32>\n"
        "    stablehlo.return %%k : tensor<i32>\n"
        "  }\n"
        "  check.expect_serialized_eq %%one, probe_id = \"sum\" : tensor<i32>\n"
        "  check.expect_serialized_eq %%two, probe_id = \"sum\", iter = %d : tensor<i32>\n"
        "  return\n}\n";
    expect_checks(*state, arena_printf(*state, program, 1), 2);
    expect_error(*state, arena_printf(*state, program, 2), NULL, "was not reached so often");
}

static void note_value(void *user, const Tensor *value) {
    *(int32_t *)user += *(const int32_t *)value->data;
}

static void print_gives_values_to_the_caller(void **state) {
    int32_t sum = 0;
    EvalOptions options = {.print = note_value, .print_user = &sum};
    Outcome outcome = run_with(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<40> : tensor<i32>\n"
        "  interpreter.print %a : tensor<i32>\n"
        "  interpreter.print %a : tensor<i32>\n"
        "  return\n}\n",
        &options);
    assert_true(outcome.ok);
    assert_int_equal(sum, 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(reduce_sums_floats_in_double),
        arena_test(reduce_runs_any_body_on_many_operands),
        arena_test(dot_algorithms_sum_the_parts_they_name),
        arena_test(dynamic_slices_are_clamped),
        arena_test(pad_crops_dilates_and_fills),
        arena_test(scatter_leaves_out_windows_beyond_the_operand),
        arena_test(sort_is_stable),
        arena_test(while_carries_values_and_captures),
        arena_test(case_out_of_range_takes_the_last_branch),
        arena_test(a_failed_check_is_counted_and_named),
        arena_test(an_endless_loop_meets_the_step_limit),
        arena_test(live_bytes_are_limited),
        arena_test(a_loop_does_not_use_up_memory),
        arena_test(recursion_is_refused),
        arena_test(what_is_not_supported_is_named),
        arena_test(probes_keep_every_value),
        arena_test(print_gives_values_to_the_caller),
        arena_test(eval_op_folds_a_pure_op),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

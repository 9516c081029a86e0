// what the pipeline propagate leaves behind.
#include "ir/analysis/data_flow.h"
#include "tests/unit/partition/partition_fixture.h"

static const char program[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{?}]>}, %arg1: tensor<i32>)\n"
    "    -> tensor<8x8xf32> {\n"
    "  %0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %1 = call @f(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %2:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg1) : tensor<8x8xf32>, tensor<i32>\n"
    "  cond {\n"
    "    %5 = stablehlo.compare LT, %iterArg_0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %5 : tensor<i1>\n"
    "  } do {\n"
    "    %5 = stablehlo.negate %iterArg : tensor<8x8xf32>\n"
    "    stablehlo.return %5, %iterArg_0 : tensor<8x8xf32>, tensor<i32>\n"
    "  }\n"
    "  sdy.sharding_group %2#0 group_id = 4 : tensor<8x8xf32>\n"
    "  %3 = sdy.sharding_constraint %2#0 <@mesh, [{\"x\"}, {\"y\"}]> : tensor<8x8xf32>\n"
    "  return %3 : tensor<8x8xf32>\n"
    "}\n"
    "func.func public @unused(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  return %arg0 : tensor<4xf32>\n"
    "}\n"
    "func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
    "  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>\n"
    "  return %0 : tensor<8x8xf32>\n"
    "}\n";

static Fixture propagated(void) {
    Fixture fixture = fixture_read(program);
    PassContext pass = fixture_pass(&fixture);
    assert_true(fixture_propagate(&pass));
    return fixture;
}

static bool count_left_over(Op *op, void *user) {
    switch (op->code) {
    case OP_CALL:
    case OP_SDY_NAMED:
    case OP_SDY_EDGE:
    case OP_SDY_GROUP:
    case OP_SDY_CONSTRAINT:
    case OP_SDY_BARRIER: ++*(int *)user; break;
    default: break;
    }
    return true;
}

static void one_flat_function_is_left(void **state) {
    (void)state;
    Fixture fixture = propagated();
    int functions = 0, left_over = 0;
    for (const Op *op = fixture.module->body->first; op; op = op->next)
        functions += op->code == OP_FUNC;
    region_walk(fixture.module->body, count_left_over, &left_over);
    assert_int_equal(functions, 1);
    assert_int_equal(left_over, 0);
    assert_non_null(fixture_op(&fixture, OP_TANH, 1));
    arena_free(fixture.arena);
}

static const Sharding *check_closed(
    const Sharding *sharding, const ShardingPlace *place, void *user) {
    (void)place;
    (void)user;
    assert_true(sharding_is_fully_closed(sharding));
    assert_int_equal(sharding->replicated_count, 0);
    return sharding;
}

static void every_sharding_is_exact(void **state) {
    (void)state;
    Fixture fixture = propagated();
    module_map_shardings(fixture.module, check_closed, NULL);
    assert_sharding(
        op_result(fixture_op(&fixture, OP_TANH, 0), 0)->sharding, "<@mesh, [{\"x\"}, {\"y\"}]>");
    assert_sharding(
        op_result(fixture_op(&fixture, OP_SDY_RESHARD, 0), 0)->sharding,
        "<@mesh, [{\"x\"}, {\"y\"}]>");
    assert_sharding(func_result_sharding(fixture_main(&fixture), 0), "<@mesh, [{\"x\"}, {\"y\"}]>");
    arena_free(fixture.arena);
}

static void loop_arguments_lie_as_the_results(void **state) {
    (void)state;
    Fixture fixture = propagated();
    const Op *loop = fixture_op(&fixture, OP_WHILE, 0);
    assert_ptr_equal(loop->regions[1]->args[0]->sharding, op_result(loop, 0)->sharding);
    assert_ptr_equal(loop->regions[0]->args[0]->sharding, op_result(loop, 0)->sharding);
    assert_non_null(op_result(loop, 0)->sharding);
    arena_free(fixture.arena);
}

static void dynamic_shapes_are_refused(void **state) {
    (void)state;
    Fixture fixture = fixture_read("func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {\n"
                                   "  %0 = stablehlo.tanh %arg0 : tensor<?xf32>\n"
                                   "  return %0 : tensor<?xf32>\n"
                                   "}\n");
    PassContext pass = fixture_pass(&fixture);
    assert_false(fixture_propagate(&pass));
    assert_int_equal(fixture.diags->error_count, 1);
    arena_free(fixture.arena);
}

static void a_module_without_an_entry_is_an_error(void **state) {
    (void)state;
    Fixture fixture = fixture_read("sdy.mesh @mesh = <[\"x\"=2]>");
    PassContext pass = fixture_pass(&fixture);
    assert_false(fixture_propagate(&pass));
    assert_int_equal(fixture.diags->error_count, 1);
    arena_free(fixture.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flat_function_is_left),
        cmocka_unit_test(every_sharding_is_exact),
        cmocka_unit_test(loop_arguments_lie_as_the_results),
        cmocka_unit_test(dynamic_shapes_are_refused),
        cmocka_unit_test(a_module_without_an_entry_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

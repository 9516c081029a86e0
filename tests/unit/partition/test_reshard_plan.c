// The collectives of a reshard, and their bytes.
#include "partition/plan/reshard_plan.h"
#include "tests/unit/partition/partition_fixture.h"

#include <stdio.h>

// from and to: dims as they are printed.
static ReshardPlan plan(const char *mesh, const char *from, const char *to, bool cheapest) {
    static char text[1024];
    snprintf(
        text, sizeof text,
        "sdy.mesh @mesh = <[%s]>\n"
        "func.func @main(%%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [%s]>}) -> "
        "tensor<16x8xf32> {\n"
        "  %%0 = sdy.reshard %%arg0 <@mesh, [%s]> : tensor<16x8xf32>\n"
        "  return %%0 : tensor<16x8xf32>\n"
        "}\n",
        mesh, from, to);
    Fixture fixture = fixture_read(text);
    Op *op = fixture_op(&fixture, OP_SDY_RESHARD, 0);
    const ReshardPlan *made = (cheapest ? reshard_plan : reshard_plan_standard)(
        fixture.module, fixture.arena, op_result_type(op, 0), op_operand(op, 0)->sharding,
        op_result(op, 0)->sharding);
    assert_non_null(made);
    ReshardPlan copy = *made;
    arena_free(fixture.arena);
    return copy;
}

static const char *const two_by_four = "\"x\"=2, \"y\"=4";

static void equal_shardings_need_nothing(void **state) {
    (void)state;
    assert_int_equal(plan(two_by_four, "{\"x\"}, {}", "{\"x\"}, {}", false).count, 0);
}

static void slices_move_no_bytes(void **state) {
    (void)state;
    ReshardPlan made = plan(two_by_four, "{\"x\"}, {}", "{\"x\"}, {\"y\"}", false);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.steps[0].code, OP_SDY_ALL_SLICE);
    assert_int_equal(made.bytes, 0);
}

static void gathers_cost_their_result(void **state) {
    (void)state;
    ReshardPlan made = plan(two_by_four, "{\"x\"}, {\"y\"}", "{\"x\"}, {}", false);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.steps[0].code, OP_SDY_ALL_GATHER);
    assert_int_equal(made.bytes, 16 / 2 * 8 * 4);
}

static void axes_of_equal_size_change_places_in_one_permute(void **state) {
    (void)state;
    ReshardPlan made = plan("\"x\"=2, \"y\"=2", "{\"x\"}, {\"y\"}", "{\"y\"}, {\"x\"}", false);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.steps[0].code, OP_SDY_PERMUTE);
}

static void axes_of_different_size_are_cut(void **state) {
    (void)state;
    ReshardPlan made = plan(two_by_four, "{\"x\"}, {\"y\"}", "{\"y\"}, {\"x\"}", false);
    assert_int_equal(made.count, 2);
    assert_int_equal(made.steps[0].code, OP_SDY_PERMUTE);
    assert_int_equal(made.steps[1].code, OP_SDY_ALL_TO_ALL);
}

static void what_follows_is_sliced_before_the_all_to_all(void **state) {
    (void)state;
    ReshardPlan made = plan(two_by_four, "{\"x\"}, {}", "{}, {\"x\", \"y\"}", false);
    assert_int_equal(made.count, 2);
    assert_int_equal(made.steps[0].code, OP_SDY_ALL_SLICE);
    assert_int_equal(made.steps[1].code, OP_SDY_ALL_TO_ALL);
    assert_int_equal(made.bytes, 16 * 8 * 4 / 8);
}

static void the_cheapest_order_is_never_dearer(void **state) {
    (void)state;
    static const char *const shardings[] = {
        "{}, {}",
        "{\"x\"}, {}",
        "{}, {\"y\"}",
        "{\"y\"}, {\"x\"}",
        "{\"x\", \"y\"}, {}",
        "{}, {\"y\", \"x\"}",
        "{\"y\":(1)2}, {}",
        "{}, {\"y\":(2)2, \"x\"}",
    };
    int count = sizeof shardings / sizeof shardings[0];
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            int64_t plain = plan(two_by_four, shardings[a], shardings[b], false).bytes;
            int64_t cheapest = plan(two_by_four, shardings[a], shardings[b], true).bytes;
            assert_true(cheapest <= plain);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_shardings_need_nothing),
        cmocka_unit_test(slices_move_no_bytes),
        cmocka_unit_test(gathers_cost_their_result),
        cmocka_unit_test(axes_of_equal_size_change_places_in_one_permute),
        cmocka_unit_test(axes_of_different_size_are_cut),
        cmocka_unit_test(what_follows_is_sliced_before_the_all_to_all),
        cmocka_unit_test(the_cheapest_order_is_never_dearer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

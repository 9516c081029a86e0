// partition/propagate/projection.c: shardings of tensors as shardings of factors, and back.
#include "partition/propagate/projection.h"
#include "partition/rules/sharding_rule.h"
#include "tests/unit/partition/partition_fixture.h"

static const char reshape_program[] =
    "sdy.mesh @mesh = <[\"x\"=4, \"y\"=3, \"z\"=2]>\n"
    "func.func @main(%arg0: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", \"z\"}, "
    "{\"y\"}]>},\n"
    "                %arg1: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\", \"x\"}, "
    "{}]>}) {\n"
    "  %0 = stablehlo.reshape %arg0 : (tensor<8x3xf32>) -> tensor<2x4x3xf32>\n"
    "  %1 = stablehlo.reshape %arg1 : (tensor<6x4xf32>) -> tensor<2x12xf32>\n"
    "  return\n"
    "}\n";

typedef struct Projected {
    Fixture fixture;
    const ShardingRule *rule;
    Projection *projection;
} Projected;

static Projected project(int n) {
    Projected projected = {.fixture = fixture_read(reshape_program)};
    Fixture *fixture = &projected.fixture;
    Op *op = fixture_op(fixture, OP_RESHAPE, n);
    projected.rule = op_sharding_rule(fixture->arena, op, false, NULL);
    assert_non_null(projected.rule);
    const Sharding *shardings[2] = {op_operand(op, 0)->sharding, NULL};
    StrView name;
    const Mesh *mesh = common_mesh(fixture->module, 2, shardings, &name);
    assert_non_null(mesh);
    projected.projection =
        projection_create(fixture->arena, projected.rule, mesh, shardings, false);
    return projected;
}

static void an_axis_is_split_where_only_a_part_fits(void **state) {
    (void)state;
    Projected projected = project(0); // ([ij, k]) -> ([i, j, k]), i=2 j=4 k=3; x=4 z=2 shard 8
    const FactorSharding *factors = projected.projection->tensors[0].factors;
    assert_int_equal(factors[0].axes.count, 1);
    assert_int_equal(factors[0].axes.axes[0].pre_size, 1);
    assert_int_equal(factors[0].axes.axes[0].size, 2);
    assert_int_equal(factors[1].axes.count, 2);
    assert_int_equal(factors[1].axes.axes[0].pre_size, 2);
    assert_int_equal(factors[1].axes.axes[0].size, 2);
    assert_true(factors[1].is_minor_most);
    assert_false(factors[0].is_minor_most);
    arena_free(projected.fixture.arena);
}

static void projecting_back_merges_what_was_split(void **state) {
    (void)state;
    Projected projected = project(0);
    const Sharding *sharding =
        projection_sharding(projected.fixture.module->context, projected.projection, 0, SV("mesh"));
    assert_sharding(sharding, "<@mesh, [{\"x\", \"z\"}, {\"y\"}]>");
    arena_free(projected.fixture.arena);
}

static void coprime_axes_overflow_a_factor(void **state) {
    (void)state;
    // 6x4 -> 2x12: the major factor of 6 is 2, and y=3 does not divide it
    Projected projected = project(1);
    const FactorSharding *major = &projected.projection->tensors[0].factors[0];
    assert_int_equal(projected.rule->factors[0].size, 2);
    assert_int_equal(major->axes.count, 0);
    assert_int_equal(major->overflow.count, 2);
    const Sharding *sharding =
        projection_sharding(projected.fixture.module->context, projected.projection, 0, SV("mesh"));
    assert_sharding(sharding, "<@mesh, [{\"y\", \"x\"}, {}]>");
    arena_free(projected.fixture.arena);
}

static void a_missing_sharding_is_open_or_closed_as_asked(void **state) {
    (void)state;
    Projected projected = project(0);
    assert_false(projected.projection->tensors[1].factors[0].is_closed);
    const Sharding *none[2] = {NULL, NULL};
    const Projection *closed = projection_create(
        projected.fixture.arena, projected.rule, projected.projection->mesh, none, true);
    assert_true(closed->tensors[1].factors[0].is_closed);
    arena_free(projected.fixture.arena);
}

static void only_a_strict_prefix_expands(void **state) {
    (void)state;
    Projected projected = project(0);
    AxisSpan axes = projected.projection->tensors[0].factors[0].axes;
    assert_true(projection_expand(projected.projection, 1, 0, axes));
    assert_false(projection_expand(projected.projection, 1, 0, axes));
    assert_false(projection_expand(projected.projection, 1, 0, (AxisSpan){0, NULL}));
    arena_free(projected.fixture.arena);
}

static void parts_of_an_axis_may_exclude_each_other(void **state) {
    (void)state;
    Fixture fixture = fixture_read("sdy.mesh @mesh = <[\"x\"=6]>");
    const Mesh *mesh = module_find_mesh(fixture.module, SV("mesh"));
    AxisRef first = {mesh->axes[0].name, 1, 2}, next = {mesh->axes[0].name, 2, 3};
    const AxisRef last = {mesh->axes[0].name, 3, 2};
    AxisRef axis = next;
    assert_true(axis_without_overlap(mesh, &axis, (AxisSpan){1, &first}));
    axis = last;
    assert_false(axis_without_overlap(mesh, &axis, (AxisSpan){1, &first}));
    arena_free(fixture.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_is_split_where_only_a_part_fits),
        cmocka_unit_test(projecting_back_merges_what_was_split),
        cmocka_unit_test(coprime_axes_overflow_a_factor),
        cmocka_unit_test(a_missing_sharding_is_open_or_closed_as_asked),
        cmocka_unit_test(only_a_strict_prefix_expands),
        cmocka_unit_test(parts_of_an_axis_may_exclude_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

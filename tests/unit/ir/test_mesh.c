// ir/sharding/mesh.c, ir/sharding/sharding.c
#include "ir/print/sharding_print.h"
#include "tests/unit/ir/ir_fixture.h"

static const Mesh *make_mesh(Fixture *fixture) {
    return mesh_intern(
        fixture->context, &(Mesh){.axis_count = 2, .axes = {{SV("x"), 8}, {SV("y"), 2}}});
}

static void sub_axes_overlap_where_they_share_positions(void **state) {
    const Mesh *mesh = make_mesh(*state);
    AxisRef whole = {SV("x"), 1, 0}, major = {SV("x"), 1, 2}, middle = {SV("x"), 2, 2};
    AxisRef minor = {SV("x"), 4, 2}, other = {SV("y"), 1, 0};
    assert_true(axis_ref_overlaps(mesh, &whole, &middle));
    assert_false(axis_ref_overlaps(mesh, &major, &middle));
    assert_false(axis_ref_overlaps(mesh, &whole, &other));
    assert_true(axis_ref_contains(mesh, &whole, &minor));
    assert_true(axis_ref_can_merge(mesh, &major, &middle));
    assert_false(axis_ref_can_merge(mesh, &major, &minor));
    AxisRef merged = axis_ref_merge(mesh, &major, &middle);
    assert_int_equal(merged.size, 4);
    merged = axis_ref_merge(mesh, &merged, &minor);
    assert_true(axis_ref_equal(&merged, &whole));
    AxisRef prefix;
    assert_true(axis_ref_prefix_without_overlap(mesh, &whole, &minor, &prefix));
    assert_int_equal(prefix.size, 4);
    assert_false(axis_ref_prefix_without_overlap(mesh, &whole, &major, &prefix));
}

static void an_axis_without_its_middle_is_two(void **state) {
    const Mesh *mesh = make_mesh(*state);
    AxisRef whole = {SV("x"), 1, 0}, middle = {SV("x"), 2, 2}, other = {SV("y"), 1, 0};
    AxisList list = {.count = 2, .axes = {whole, other}};
    axis_list_subtract(mesh, &list, &middle);
    assert_int_equal(list.count, 3);
    assert_true(axis_ref_equal(&list.axes[0], &(AxisRef){SV("x"), 1, 2}));
    assert_true(axis_ref_equal(&list.axes[1], &(AxisRef){SV("x"), 4, 2}));
    assert_true(axis_ref_equal(&list.axes[2], &other));
    axis_list_subtract(mesh, &list, &whole);
    assert_int_equal(list.count, 1);
}

static void sub_axes_of_any_numbers_do_not_overflow(void **state) {
    Fixture *fixture = *state;
    const Mesh *mesh = make_mesh(fixture);
    AxisRef large = {SV("x"), INT64_MAX / 2, 4}, zero = {SV("x"), 2, SUB_AXIS_OF_SIZE_ZERO};
    assert_int_equal(axis_ref_next_pre_size(mesh, &large), INT64_MAX);
    StrBuf text = strbuf(fixture->arena);
    axis_ref_print(&text, &zero);
    assert_string_equal(strbuf_cstring(&text), "\"x\":(2)0");
}

static void coordinates_count_every_device_once(void **state) {
    const Mesh *mesh = make_mesh(*state);
    // (x:(2)2, y, x:(1)2): three digits of the device's place, major to minor.
    AxisRef axes[] = {{SV("x"), 2, 2}, {SV("y"), 1, 0}, {SV("x"), 1, 2}};
    int seen[8] = {0};
    for (int64_t device = 0; device < 16; device++) {
        int64_t coordinate = axis_list_coordinate(mesh, axes, 3, device);
        assert_in_range(coordinate, 0, 7);
        seen[coordinate]++;
    }
    for (int i = 0; i < 8; i++)
        assert_int_equal(seen[i], 2);
    assert_int_equal(axis_list_size(mesh, axes, 3), 8);
}

static void device_ids_are_looked_up_both_ways(void **state) {
    Fixture *fixture = *state;
    int64_t ids[] = {3, 1, 0, 2};
    const Mesh *mesh = mesh_intern(
        fixture->context,
        &(Mesh){.axis_count = 1, .axes = {{SV("x"), 4}}, .id_count = 4, .device_ids = ids});
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(mesh_index_of_device(mesh, mesh_device_at(mesh, i)), i);
}

static void closed_shardings_lose_what_is_open(void **state) {
    Fixture *fixture = *state;
    AxisRef x = {SV("x"), 1, 0}, y = {SV("y"), 1, 0};
    DimSharding dims[] = {
        {.axis_count = 1, .axes = &x, .is_open = true, .priority = 2},
        {.is_open = true, .priority = PRIORITY_NONE}};
    const Sharding *open = sharding_intern(
        fixture->context, &(Sharding){
                              .mesh_name = SV("mesh"),
                              .rank = 2,
                              .dims = dims,
                              .replicated_count = 1,
                              .replicated = &y});
    StrBuf text = strbuf(fixture->arena);
    sharding_print(&text, open);
    sharding_print_body(&text, sharding_closed(fixture->context, open));
    assert_string_equal(
        strbuf_cstring(&text), "#sdy.sharding<@mesh, [{\"x\", ?}p2, {?}], replicated={\"y\"}>"
                               "<@mesh, [{\"x\"}, {}]>");
    assert_ptr_equal(
        sharding_closed(fixture->context, open),
        sharding_closed(fixture->context, sharding_closed(fixture->context, open)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(sub_axes_overlap_where_they_share_positions),
        FIXTURE_TEST(an_axis_without_its_middle_is_two),
        FIXTURE_TEST(sub_axes_of_any_numbers_do_not_overflow),
        FIXTURE_TEST(coordinates_count_every_device_once),
        FIXTURE_TEST(device_ids_are_looked_up_both_ways),
        FIXTURE_TEST(closed_shardings_lose_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

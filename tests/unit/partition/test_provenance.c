// partition/provenance.c: propagation's records tell where every axis came from.
#include "ir/print/print.h"
#include "partition/partition.h"
#include "partition/provenance.h"
#include "tests/unit/partition/partition_fixture.h"

static const char matmul[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{}]>},\n"
    "    %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {\"y\", ?}p1]>}) -> "
    "tensor<8x32xf32> {\n"
    "  %0 = stablehlo.tanh %arg0 : tensor<8x16xf32>\n"
    "  %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
    "tensor<16x32xf32>) -> tensor<8x32xf32>\n"
    "  return %1 : tensor<8x32xf32>\n"
    "}\n";

static Fixture recorded(const char *text, Provenance **provenance) {
    Fixture fixture = fixture_read(text);
    PassContext pass = fixture_pass(&fixture);
    *provenance = provenance_create(fixture.arena);
    pass.provenance = *provenance;
    assert_true(fixture_propagate(&pass));
    return fixture;
}

static const Arrival *arrival_at(
    Fixture *fixture, ProvenancePlace *place, int dim, const char *axis) {
    assert_non_null(place);
    const Mesh *mesh = module_find_mesh(fixture->module, SV("mesh"));
    int index = mesh_axis_index(mesh, strview(axis));
    AxisRef ref = axis_ref_make(mesh, mesh->axes[index].name, 1, mesh->axes[index].size);
    return provenance_arrival(mesh, place, dim, &ref);
}

static void a_chain_leads_back_to_the_argument(void **state) {
    (void)state;
    Provenance *provenance;
    Fixture fixture = recorded(matmul, &provenance);
    const Op *dot = fixture_op(&fixture, OP_DOT_GENERAL, 0);
    const Op *tanh = fixture_op(&fixture, OP_TANH, 0);
    const Arrival *at_dot =
        arrival_at(&fixture, provenance_of_value(provenance, op_result(dot, 0)), 0, "x");
    assert_int_equal(at_dot->kind, ARRIVAL_STEP);
    assert_ptr_equal(at_dot->step->op, dot);
    assert_int_equal(at_dot->source_dim, 0);
    const Arrival *at_tanh =
        arrival_at(&fixture, provenance_of_value(provenance, op_result(tanh, 0)), 0, "x");
    assert_ptr_equal(at_dot->source->first, at_tanh);
    assert_ptr_equal(at_tanh->step->op, tanh);
    assert_true(at_tanh->step->number < at_dot->step->number);
    assert_int_equal(at_tanh->source->first->kind, ARRIVAL_WRITTEN);
    assert_true(value_is_argument(at_tanh->source->place.value));
    arena_free(fixture.arena);
}

static void a_later_priority_is_named(void **state) {
    (void)state;
    Provenance *provenance;
    Fixture fixture = recorded(matmul, &provenance);
    const Op *dot = fixture_op(&fixture, OP_DOT_GENERAL, 0);
    ProvenancePlace *place = provenance_of_value(provenance, op_result(dot, 0));
    assert_int_equal(arrival_at(&fixture, place, 0, "x")->step->user_priority, 0);
    assert_int_equal(arrival_at(&fixture, place, 1, "y")->step->user_priority, 1);
    arena_free(fixture.arena);
}

static void function_results_are_places(void **state) {
    (void)state;
    Provenance *provenance;
    Fixture fixture = recorded(matmul, &provenance);
    const Op *func = module_find_func(fixture.module, SV("main"));
    const Arrival *arrival =
        arrival_at(&fixture, provenance_of_result(provenance, func, 0), 0, "x");
    assert_int_equal(arrival->kind, ARRIVAL_STEP);
    assert_null(arrival->step->op);
    arena_free(fixture.arena);
}

static void constraints_groups_and_edges_are_sources(void **state) {
    (void)state;
    Provenance *provenance;
    Fixture fixture = recorded(
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
        "func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, "
        "tensor<8x8xf32>) {\n"
        "  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>\n"
        "  %1 = sdy.sharding_constraint %0 <@mesh, [{\"x\"}, {}]> : tensor<8x8xf32>\n"
        "  %2:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg1) : tensor<8x8xf32>, "
        "tensor<i32>\n"
        "  cond {\n"
        "    %5 = stablehlo.compare LT, %iterArg_0, %arg1 : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "    stablehlo.return %5 : tensor<i1>\n"
        "  } do {\n"
        "    %5 = stablehlo.negate %iterArg : tensor<8x8xf32>\n"
        "    stablehlo.return %5, %iterArg_0 : tensor<8x8xf32>, tensor<i32>\n"
        "  }\n"
        "  %3 = stablehlo.iota dim = 0 : tensor<8x8xf32>\n"
        "  %4 = stablehlo.cosine %3 : tensor<8x8xf32>\n"
        "  sdy.sharding_group %4 group_id = 0 : tensor<8x8xf32>\n"
        "  sdy.sharding_group %2#0 group_id = 0 : tensor<8x8xf32>\n"
        "  return %2#0, %4 : tensor<8x8xf32>, tensor<8x8xf32>\n"
        "}\n",
        &provenance);
    const Op *tanh = fixture_op(&fixture, OP_TANH, 0);
    const Op *loop = fixture_op(&fixture, OP_WHILE, 0);
    const Op *cosine = fixture_op(&fixture, OP_COSINE, 0);
    assert_int_equal(
        arrival_at(&fixture, provenance_of_value(provenance, op_result(tanh, 0)), 0, "x")->kind,
        ARRIVAL_CONSTRAINT);
    ProvenancePlace *edge = provenance_of_value(provenance, op_result(loop, 0));
    assert_int_equal(arrival_at(&fixture, edge, 0, "x")->kind, ARRIVAL_STEP);
    assert_int_equal(arrival_at(&fixture, edge, 0, "x")->step->op->code, OP_SDY_EDGE);
    assert_ptr_equal(edge, provenance_of_value(provenance, loop->regions[1]->args[0]));
    const Arrival *member =
        arrival_at(&fixture, provenance_of_value(provenance, op_result(cosine, 0)), 0, "x");
    assert_int_equal(member->kind, ARRIVAL_GROUP);
    assert_ptr_equal(member->source, edge);
    arena_free(fixture.arena);
}

// The collectives of the device program that have a cause.
static bool count_causes(Op *op, void *user) {
    void **both = user;
    const Cause *cause = provenance_cause_at(both[0], op->loc);
    if (op->code == OP_ALL_GATHER) *(const Cause **)both[1] = cause;
    return true;
}

static void collectives_lead_back_to_their_cause(void **state) {
    (void)state;
    Fixture fixture = fixture_read(
        "sdy.mesh @mesh = <[\"x\"=4]>\n"
        "func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, "
        "[{\"x\"}, {}]>},\n"
        "    %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
        "tensor<8x8xf32> {\n"
        "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : "
        "(tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>\n"
        "  return %0 : tensor<8x8xf32>\n"
        "}\n");
    Provenance *provenance = provenance_create(fixture.arena);
    PartitionOptions options = {.provenance = provenance};
    DeviceProgram program;
    Op *dot = fixture_op(&fixture, OP_DOT_GENERAL, 0);
    assert_true(partition_module(fixture.module, &options, &program, fixture.diags));
    const Cause *cause = NULL;
    void *both[] = {provenance, &cause};
    region_walk(program.module->body, count_causes, both);
    assert_non_null(cause);
    assert_int_equal(cause->kind, CAUSE_OPERAND);
    assert_int_equal(cause->index, 1);
    assert_ptr_equal(cause->op, dot);
    assert_int_equal(cause->loc.line, 4);
    assert_sharding(cause->from, "<@mesh, [{\"x\"}, {}]>");
    assert_non_null(cause->decision);
    assert_int_equal(cause->decision->tensor_count, 3);
    assert_sharding(cause->decision->after[0], "<@mesh, [{\"x\"}, {}]>");
    arena_free(fixture.arena);
}

static void constraints_are_their_own_cause(void **state) {
    (void)state;
    Fixture fixture = fixture_read(
        "sdy.mesh @mesh = <[\"x\"=4]>\n"
        "func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, "
        "[{\"x\"}, {}]>}) -> tensor<8x8xf32> {\n"
        "  %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {\"x\"}]> : tensor<8x8xf32>\n"
        "  return %0 : tensor<8x8xf32>\n"
        "}\n");
    Provenance *provenance = provenance_create(fixture.arena);
    PartitionOptions options = {.provenance = provenance};
    DeviceProgram program;
    assert_true(partition_module(fixture.module, &options, &program, fixture.diags));
    assert_int_equal(provenance->causes.count, 1);
    const Cause *cause = provenance->causes.data[0];
    assert_int_equal(cause->kind, CAUSE_CONSTRAINT);
    assert_sharding(cause->from, "<@mesh, [{\"x\"}, {}]>");
    assert_sharding(cause->to, "<@mesh, [{}, {\"x\"}]>");
    assert_int_equal(provenance->final_values.count, 2); // the argument, the constraint
    arena_free(fixture.arena);
}

static void recording_changes_no_sharding(void **state) {
    (void)state;
    Fixture silent = fixture_read(matmul);
    PassContext pass = fixture_pass(&silent);
    assert_true(fixture_propagate(&pass));
    Provenance *provenance;
    Fixture fixture = recorded(matmul, &provenance);
    StrBuf a = strbuf(silent.arena), b = strbuf(fixture.arena);
    print_module(&a, silent.module, NULL);
    print_module(&b, fixture.module, NULL);
    assert_string_equal(strbuf_cstring(&a), strbuf_cstring(&b));
    arena_free(silent.arena);
    arena_free(fixture.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_leads_back_to_the_argument),
        cmocka_unit_test(a_later_priority_is_named),
        cmocka_unit_test(function_results_are_places),
        cmocka_unit_test(constraints_groups_and_edges_are_sources),
        cmocka_unit_test(collectives_lead_back_to_their_cause),
        cmocka_unit_test(constraints_are_their_own_cause),
        cmocka_unit_test(recording_changes_no_sharding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

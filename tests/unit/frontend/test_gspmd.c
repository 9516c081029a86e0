// frontend/gspmd/gspmd_text.c, gspmd_mesh.c: the text of GSPMD's shardings, and the mesh behind
// them.
#include "frontend/gspmd/gspmd.h"
#include "ir/print/sharding_print.h"
#include "ir/sharding/sharding.h"
#include "tests/unit/cmocka_all.h"

static bool parses(Arena *arena, const char *text, GspmdSharding *sharding) {
    const char *problem = NULL;
    bool ok = gspmd_parse(arena, strview(text), sharding, &problem);
    assert_true(ok == (problem == NULL));
    return ok;
}

static void kinds_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *text;
        GspmdKind kind;
    } rows[] = {
        {"{replicated}", GSPMD_REPLICATED},
        {"{manual}", GSPMD_MANUAL},
        {"{unreduced}", GSPMD_UNREDUCED},
        {"{unknown}", GSPMD_UNKNOWN},
        {"{maximal device=3}", GSPMD_MAXIMAL},
        {"{replicated metadata={op_name=\"}\" source={}}}", GSPMD_REPLICATED},
        {"{}", GSPMD_TUPLE},
        {"", GSPMD_REPLICATED}, // an empty OpSharding
        {"\x08\x04", GSPMD_MANUAL},
        {"\x08\x01\x1a\x01\x01\x22\x01\x03", GSPMD_MAXIMAL},
        {" { replicated } ", GSPMD_REPLICATED},
        {"{manual replicated}", GSPMD_REPLICATED},
        {"{unreduced manual}", GSPMD_MANUAL},
        {"{replicated last_tile_dim_replicate}", GSPMD_REPLICATED},
        {"{devices=[2]<=[2] replicated}", GSPMD_REPLICATED},
        {"{device=3 /*first*/ maximal}", GSPMD_MAXIMAL},
        {"{last_tile_dim_replicate devices=[ 2, 2 ] <= [4]}", GSPMD_TILED},
        {"{devices=[1,2,2]<=[2, 2] T(1, 0) last_tile_dims={}}", GSPMD_TILED},
        {"{mesh['x'=2,\"y\"=2], replicated}", GSPMD_REPLICATED},
        {"{mesh['x'=2], manual, metadata={op_name=\"a\\\"}\"}}", GSPMD_MANUAL},
        {"{mesh['x'=2], [{}, {}]}", GSPMD_REPLICATED},
        {"{mesh['x'=2], [{'x'}]}", GSPMD_TILED},
        {"{maximal_mesh[device_id=3]}", GSPMD_MAXIMAL},
        {"{{replicated}, {devices=[2]<=[2]}}", GSPMD_TUPLE},
        {"{devices=[2,2]<=[4] shard_like 7}", GSPMD_TILED},
        {"{devices=[1,1,8]<=[8] last_tile_dim_replicate}", GSPMD_REPLICATED},
        {"{devices=[1,8]<=[8] last_tile_dims={manual}}", GSPMD_MANUAL},
        {"{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}", GSPMD_TILED},
        {"{devices=[1,1,4]<=[4] last_tile_dims={manual, replicated}}", GSPMD_REPLICATED}};
    Arena *arena = arena_create(NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        GspmdSharding sharding;
        assert_true(parses(arena, rows[i].text, &sharding));
        assert_int_equal(sharding.kind, rows[i].kind);
    }
    arena_free(arena);
}

static void what_is_no_sharding_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{",
        "replicated",
        "{foo}",
        "\x08\x07",
        "\x08\x03",
        "\x08\x01\x22\x02\x01\x02",
        "{manual, replicated}",
        "{manualreplicated}",
        "{replicated device=1}",
        "{replicated devices=[2]0,1}",
        "{devices=[2,2]<=[2,2]}",
        "{mesh['x'=2]}",
        "{mesh['x'=2], [{'y'}]}",
        "{mesh['x'=2,'x'=2], [{'x'}]}",
        "{mesh['x'=2], [{'x'}, {'x'}]}",
        "{mesh['x'=4], [{'x':(1)3}]}",
        "{mesh['x'=12], [{'x':(1)2}, {'x':(3)2}]}",
        "{mesh['x'=2], [{?, 'x'}]}",
        "{mesh['x'=2], replicated, manual={'x'}}",
        "{mesh['x'=2], device_ids=(0,0), [{'x'}]}",
        "{replicated",
        "{maximal}",
        "{maximal device=}",
        "{device=1}",
        "{{{replicated}}}",
        "{{replicated},}",
        "{ devices = [ 2 , 4 ] <= [ 8 ] }",
        "{devices=[2,4]<=[8]",
        "{devices=[2,4]<=[9]}",
        "{devices=[2,4]<=[8]T(0)}",
        "{devices=[2,4]<=[2,4]T(0,0)}",
        "{devices=[2,4]<=[2,4]T(0,1,2)}",
        "{devices=[2,4]0,1,2,3,4,5,6,7,8}",
        "{devices=[2]0,0}",
        "{devices=[2]0,-1}",
        "{devices=[1,1]0}",
        "{devices=[]}",
        "{devices=[0]<=[0]}",
        "{devices=[99999999999]<=[99999999999]}",
        "{devices=[70000]<=[70000]}",
        "{devices=[2,4]<=[8] last_tile_dims={foo}}",
        "{devices=[2,4]<=[8] last_tile_dim_replicate last_tile_dims={manual}}",
        "{devices=[2]<=[2] metadata={a}"};
    Arena *arena = arena_create(NULL, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        GspmdSharding sharding;
        if (parses(arena, texts[i], &sharding)) print_error("accepted: %s\n", texts[i]);
        assert_false(parses(arena, texts[i], &sharding));
    }
    arena_free(arena);
}

// The mesh and the sharding of one text alone.
static void means(const char *text, int rank, const char *mesh, const char *sharding) {
    Arena *arena = arena_create(NULL, NULL);
    Context *context = context_create(arena);
    GspmdSharding parsed;
    GspmdMesh found = {.arena = arena};
    assert_true(parses(arena, text, &parsed));
    assert_true(gspmd_mesh_add(&found, &parsed));
    assert_true(gspmd_mesh_make(&found, context));
    StrBuf out = strbuf(arena);
    mesh_print(&out, found.mesh);
    assert_string_equal(strbuf_cstring(&out), mesh);
    StrView name = context_name(context, SV("mesh"));
    out = strbuf(arena);
    sharding_print_body(&out, gspmd_to_sharding(&found, context, name, &parsed, rank, 0));
    assert_string_equal(strbuf_cstring(&out), sharding);
    arena_free(arena);
}

static void tilings_become_axes(void **state) {
    (void)state;
    means(
        "{devices=[4,2]<=[2,4]T(1,0)}", 2, "<[\"_axis_0\"=2, \"_axis_1\"=4]>",
        "<@mesh, [{\"_axis_1\"}, {\"_axis_0\"}]>");
    means(
        "{devices=[4,2]0,4,1,5,2,6,3,7}", 2, "<[\"_axis_0\"=2, \"_axis_1\"=4]>",
        "<@mesh, [{\"_axis_1\"}, {\"_axis_0\"}]>");
    means(
        "{devices=[8]<=[2,4]T(1,0)}", 1, "<[\"_axis_0\"=2, \"_axis_1\"=4]>",
        "<@mesh, [{\"_axis_1\", \"_axis_0\"}]>");
    means(
        "{devices=[2,2,4]<=[2,2,4]T(2,1,0)}", 3,
        "<[\"_axis_0\"=2, \"_axis_1\"=2, \"_axis_2\"=2, \"_axis_3\"=2]>",
        "<@mesh, [{\"_axis_2\"}, {\"_axis_3\"}, {\"_axis_1\", \"_axis_0\"}]>");
    means(
        "{devices=[6]0,2,4,1,3,5}", 1, "<[\"_axis_0\"=3, \"_axis_1\"=2]>",
        "<@mesh, [{\"_axis_1\", \"_axis_0\"}]>");
    means("{devices=[8,1]<=[8]}", 2, "<[\"_axis_0\"=8]>", "<@mesh, [{\"_axis_0\"}, {}]>");
    means(
        "{devices=[2,2]3,2,1,0}", 2, "<[\"_axis_0\"=2, \"_axis_1\"=2], device_ids=[3, 2, 1, 0]>",
        "<@mesh, [{\"_axis_0\"}, {\"_axis_1\"}]>");
    means(
        "{devices=[2,4]<=[8] last_tile_dims={unreduced}}", 1, "<[\"_axis_0\"=2, \"_axis_1\"=4]>",
        "<@mesh, [{\"_axis_0\"}], unreduced={\"_axis_1\"}>");
    means(
        "{mesh['x'=2,'y'=4], [{'y':(1)2}, {?}], replicated={'y':(2)2}}", 2,
        "<[\"_axis_0\"=2, \"_axis_1\"=2, \"_axis_2\"=2]>",
        "<@mesh, [{\"_axis_1\"}, {?}], replicated={\"_axis_2\"}>");
    means(
        "{mesh['x'=4,'y'=2], device_ids=([4,2]T(1,0)), [{'x', 'y'}], metadata={}}", 1,
        "<[\"_axis_0\"=4, \"_axis_1\"=2]>", "<@mesh, [{\"_axis_1\", \"_axis_0\"}]>");
}

static void meshes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    GspmdSharding a, b, c;
    GspmdMesh mesh = {.arena = arena};
    assert_true(parses(arena, "{devices=[2,3]<=[6] last_tile_dim_replicate}", &a));
    assert_true(parses(arena, "{devices=[3,2]<=[6] last_tile_dim_replicate}", &b));
    assert_true(parses(arena, "{devices=[4]<=[4]}", &c));
    assert_true(gspmd_mesh_add(&mesh, &a) && gspmd_mesh_add(&mesh, &b));
    assert_false(gspmd_mesh_add(&mesh, &c));
    assert_false(gspmd_mesh_make(&mesh, context_create(arena)));
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(what_is_no_sharding_is_refused),
        cmocka_unit_test(tilings_become_axes),
        cmocka_unit_test(meshes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

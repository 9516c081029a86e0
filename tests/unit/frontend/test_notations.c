// frontend/gspmd/notations.c, gspmd_tiling.c, gspmd_print.c: shardings in all notations,
// and random ones there and back.
#include "frontend/gspmd/notations.h"
#include "ir/print/sharding_print.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>

static StrView text_of(Arena *arena, StrView view) { return strview(arena_cstring(arena, view)); }

typedef struct Case {
    const char *text, *mesh;
    int rank;
    const char *sdy, *spec, *v1, *v2; // "" = there is none
} Case;

static void assert_is(Arena *arena, StrView got, const char *expected) {
    assert_string_equal(text_of(arena, got).data, expected);
}

static void every_notation_is_written(void **state) {
    (void)state;
    static const Case cases[] = {
        {"{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "x=2,y=4", 2,
         "#sdy.sharding<@mesh, [{\"y\"}, {}]>", "P('y', None)",
         "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}",
         "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"},
        {"{devices=[4,2]<=[8]}", "x=2,y=4", 2,
         "#sdy.sharding<@mesh, [{\"x\", \"y\":(1)2}, {\"y\":(2)2}]>", "",
         "{devices=[4,2]0,1,2,3,4,5,6,7}", "{devices=[4,2]<=[8]}"},
        {"{devices=[4,2]<=[8]}", NULL, -1, "#sdy.sharding<@mesh, [{\"_axis_0\"}, {\"_axis_1\"}]>",
         "P('_axis_0', '_axis_1')", "{devices=[4,2]0,1,2,3,4,5,6,7}", "{devices=[4,2]<=[8]}"},
        {"#sdy.sharding<@m, [{\"y\", \"x\"}]>", "x=2,y=4", 1,
         "#sdy.sharding<@mesh, [{\"y\", \"x\"}]>", "P(('y', 'x'),)", "{devices=[8]0,4,1,5,2,6,3,7}",
         "{devices=[8]<=[2,4]T(1,0)}"},
        {"#sdy.sharding<@m, [{}], unreduced={\"x\"}>", "x=2,y=4", 1,
         "#sdy.sharding<@mesh, [{}], unreduced={\"x\"}>", "", "",
         "{devices=[1,2,4]<=[8] last_tile_dims={unreduced, replicated}}"},
        {"#sdy.sharding<mesh<[\"x\"=2, \"y\"=2], device_ids=[3, 2, 1, 0]>, [{\"x\"}, {\"y\"}]>",
         NULL, 2, "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>", "P('x', 'y')",
         "{devices=[2,2]3,2,1,0}", ""},
        {"{devices=[2,2]1,0,2,3 last_tile_dim_replicate}", NULL, 1,
         "#sdy.sharding<@mesh, [{\"_axis_0\"}]>", "P('_axis_0',)",
         "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}",
         "{devices=[2,2]<=[4] last_tile_dim_replicate}"},
        {"{replicated metadata={op_name=\"a\"}}", NULL, 2, "#sdy.sharding<@mesh, [{}, {}]>",
         "P(None, None)", "{replicated}", "{replicated}"},
        {"{manual}", NULL, 2, "", "", "{manual}", "{manual}"},
        {"{maximal device=3}", NULL, 2, "#sdy.sharding<@mesh, []>", "P()", "{maximal device=3}",
         "{maximal device=3}"},
        {"{devices=[2,2]<=[4] shard_as 7}", NULL, 2,
         "#sdy.sharding<@mesh, [{\"_axis_0\"}, {\"_axis_1\"}]>", "P('_axis_0', '_axis_1')",
         "{devices=[2,2]0,1,2,3 shard_as 7}", "{devices=[2,2]<=[4] shard_as 7}"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena *arena = arena_create(NULL, NULL);
        Context *context = context_create(arena);
        Diags *diags = diags_create(arena);
        const int64_t dims[] = {16, 8};
        const Case *one = &cases[i];
        NotationQuery query = {
            .text = strview(one->text), .rank = one->rank, .dims = one->rank < 0 ? NULL : dims};
        if (one->mesh) query.mesh = read_mesh_text(context, arena, strview(one->mesh), diags);
        int count;
        const Notations *out = sharding_notations(context, arena, &query, &count, diags);
        assert_non_null(out);
        assert_int_equal(count, 1);
        assert_is(arena, out->sdy, one->sdy);
        assert_is(arena, out->spec, one->spec);
        assert_is(arena, out->v1, one->v1);
        assert_is(arena, out->v2, one->v2);
        arena_free(arena);
    }
}

static void tiles_that_do_not_divide_are_cut(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    Context *context = context_create(arena);
    const int64_t dims[] = {10};
    NotationQuery query = {.text = SV("{devices=[4]3,1,2,0}"), .rank = 1, .dims = dims};
    int count;
    const Notations *out = sharding_notations(context, arena, &query, &count, diags_create(arena));
    static const int64_t expected[] = {9, 10, 3, 6, 6, 9, 0, 3};
    assert_non_null(out);
    assert_int_equal(out->device_count, 4);
    assert_memory_equal(out->tiles, expected, sizeof expected);
    arena_free(arena);
}

static void what_is_wrong_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *mesh;
        int rank;
    } cases[] = {
        {"", NULL, 2},
        {"{devices=[2,4]<=[9]}", NULL, 2},
        {"{devices=[2,4]<=[8]}", NULL, 3},
        {"{devices=[2,4]<=[8]}", "x=4", 2},
        {"#sdy.sharding<@m, [{\"x\"}]>", NULL, 1},
        {"#sdy.sharding<@m, [{\"z\"}]>", "x=4", 1},
        {"#sdy.sharding<@m, [{\"x\"}, {\"x\"}]>", "x=4", 2},
        {"#sdy.sharding<@m, [{\"x\"}]>", "x=4", 2},
        {"#sdy.sharding<@m, [{\"x\"}", "x=4", 1},
        {"{{{replicated}}}", NULL, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena *arena = arena_create(NULL, NULL);
        Context *context = context_create(arena);
        Diags *diags = diags_create(arena);
        const int64_t dims[] = {8, 8, 8};
        NotationQuery query = {.text = strview(cases[i].text), .rank = cases[i].rank, .dims = dims};
        if (cases[i].mesh)
            query.mesh = read_mesh_text(context, arena, strview(cases[i].mesh), diags);
        int count;
        assert_null(sharding_notations(context, arena, &query, &count, diags));
        assert_true(diags->error_count > 0);
        arena_free(arena);
    }
}

// ---- random shardings ----

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int below(uint64_t *state, int limit) { return (int)(next_random(state) % (unsigned)limit); }

// Up to 5 axes and 64 devices, in any order now and then.
static const Mesh *random_mesh(Context *context, Arena *arena, uint64_t *state) {
    static const int64_t sizes[] = {2, 2, 2, 3, 4, 5, 8};
    Mesh mesh = {0};
    int64_t devices = 1;
    int count = 1 + below(state, 5);
    for (int a = 0; a < count; a++) {
        int64_t size = sizes[below(state, 7)];
        if (devices * size > 64) break;
        devices *= size;
        mesh.axes[mesh.axis_count].name = context_name_printf(context, "a%d", a);
        mesh.axes[mesh.axis_count++].size = size;
    }
    if (below(state, 4) == 0) {
        int64_t *ids = ARENA_ARRAY(arena, int64_t, devices);
        for (int i = 0; i < devices; i++) {
            int other = below(state, i + 1);
            ids[i] = ids[other];
            ids[other] = i;
        }
        mesh.id_count = devices;
        mesh.device_ids = ids;
    }
    return mesh_intern(context, &mesh);
}

// Each axis, whole or its halves, in some dimension or in none.
static const Sharding *random_sharding(
    Context *context, const Mesh *mesh, int rank, uint64_t *state) {
    DimSharding dims[4];
    AxisRef axes[4][MAX_AXIS_REFS];
    int counts[4] = {0};
    AxisRef parts[MAX_AXIS_REFS];
    int count = 0;
    for (int a = 0; a < mesh->axis_count; a++) {
        int64_t size = mesh->axes[a].size;
        bool is_cut = size % 2 == 0 && size > 2 && below(state, 2) == 0;
        if (!is_cut) parts[count++] = axis_ref_make(mesh, mesh->axes[a].name, 1, size);
        if (is_cut) parts[count++] = axis_ref_make(mesh, mesh->axes[a].name, 1, 2);
        if (is_cut) parts[count++] = axis_ref_make(mesh, mesh->axes[a].name, 2, size / 2);
    }
    for (int i = count - 1; i > 0; i--) {
        int other = below(state, i + 1);
        AxisRef swapped = parts[i];
        parts[i] = parts[other];
        parts[other] = swapped;
    }
    for (int i = 0; i < count; i++) {
        int d = below(state, rank + 1);
        if (d == rank) continue;
        AxisRef *last = counts[d] ? &axes[d][counts[d] - 1] : NULL;
        if (last && axis_ref_can_merge(mesh, last, &parts[i]))
            *last = axis_ref_merge(mesh, last, &parts[i]);
        else
            axes[d][counts[d]++] = parts[i];
    }
    for (int d = 0; d < rank; d++)
        dims[d] = (DimSharding){counts[d], axes[d], false, PRIORITY_NONE};
    Sharding made = {.mesh_name = context_name(context, SV("mesh")), .rank = rank, .dims = dims};
    return sharding_intern(context, &made);
}

// The text on the mesh; with no mesh, on the coarsest.
static const Notations *notations_of(
    Context *context, Arena *arena, StrView text, const Mesh *mesh, int rank, const int64_t *dims) {
    NotationQuery query = {.text = text, .mesh = mesh, .rank = rank, .dims = dims};
    Diags *diags = diags_create(arena);
    int count;
    const Notations *out = sharding_notations(context, arena, &query, &count, diags);
    if (!out && diags->first) printf("%.*s: %.*s\n", SV_ARG(text), SV_ARG(diags->first->message));
    assert_non_null(out);
    return out;
}

static void random_shardings_go_there_and_back(void **state) {
    (void)state;
    enum { TRIALS = 1500 };
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Arena *arena = arena_create(NULL, NULL);
        Context *context = context_create(arena);
        uint64_t random = seed * 0x9e3779b97f4a7c15u;
        const Mesh *mesh = random_mesh(context, arena, &random);
        const int rank = 1 + below(&random, 4);
        const int64_t dims[] = {960, 960, 960, 960};
        const Sharding *sharding = random_sharding(context, mesh, rank, &random);
        StrBuf text = strbuf(arena);
        sharding_print(&text, sharding);
        const Notations *first = notations_of(context, arena, strbuf_view(&text), mesh, rank, dims);
        // V1 -> sdy -> V2 -> sdy -> V1, on the mesh and on one of their own
        const Notations *from_v1 = notations_of(context, arena, first->v1, mesh, rank, dims);
        assert_is(arena, from_v1->sdy, text_of(arena, first->sdy).data);
        const Notations *again = notations_of(context, arena, from_v1->sdy, mesh, rank, dims);
        StrView v2 = again->v2.size > 0 ? again->v2 : again->v1;
        const Notations *from_v2 = notations_of(context, arena, v2, mesh, rank, dims);
        assert_is(arena, from_v2->sdy, text_of(arena, first->sdy).data);
        assert_is(arena, from_v2->v1, text_of(arena, first->v1).data);
        const Notations *own = notations_of(context, arena, first->v1, NULL, rank, dims);
        assert_is(arena, own->v1, text_of(arena, first->v1).data);
        if (own->mesh.size > 0) {
            const Mesh *coarse = read_mesh_text(context, arena, own->mesh, diags_create(arena));
            const Notations *back = notations_of(context, arena, own->sdy, coarse, rank, dims);
            assert_is(arena, back->v1, text_of(arena, first->v1).data);
            assert_memory_equal(
                back->tiles, first->tiles,
                (size_t)first->device_count * (size_t)rank * 2 * sizeof(int64_t));
        }
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_notation_is_written),
        cmocka_unit_test(tiles_that_do_not_divide_are_cut),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(random_shardings_go_there_and_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Loops that overwrite slices of arrays with slices of them, or of each other: as they were, or as
// they are by then. Elements are only moved, so all implementations agree to the bit.
#include "random_program.h"

enum { MAX_ARRAYS = 3, MAX_VERSIONS = 8 };

typedef struct Updates {
    Maker *m;
    Shape shape; // of all arrays
    const char *type;
    StrBuf body;
    const char *counter, *before, *after, *zero; // names of numbers
    int array_count;
    int version_count[MAX_ARRAYS];
    const char *versions[MAX_ARRAYS][MAX_VERSIONS]; // names, from the loop's argument on
} Updates;

static bool has_elements(const RandomValue *value) {
    return has_rank(value) && shape_count(&value->shape) > 0 && value->bounds.relative == 0;
}

// Whole, or short ones, or any.
static Shape draw_slice(Updates *u) {
    Shape slice = u->shape;
    for (int d = 0; d < slice.rank; d++) {
        if (draw_percent(u->m, 40)) continue;
        slice.dims[d] = draw_percent(u->m, 60) ? 1 : draw_between(u->m, 1, slice.dims[d]);
    }
    return slice;
}

// ", %i, %zero": places that may lie outside, and are moved inside then.
static const char *draw_places(Updates *u, const Shape *slice) {
    StrBuf list = strbuf(u->m->arena);
    const char *numbers[] = {u->counter, u->before, u->after, u->zero};
    for (int d = 0; d < slice->rank; d++) {
        bool is_whole = slice->dims[d] == u->shape.dims[d] && draw_percent(u->m, 80);
        strbuf_printf(&list, ", %s", is_whole ? u->zero : numbers[draw_below(u->m, 4)]);
    }
    return strbuf_cstring(&list);
}

static const char *index_types(const Updates *u) {
    StrBuf list = strbuf(u->m->arena);
    for (int d = 0; d < u->shape.rank; d++)
        strbuf_puts(&list, ", tensor<i32>");
    return strbuf_cstring(&list);
}

static const char *read_slice(Updates *u, const Shape *slice) {
    Maker *m = u->m;
    int a = (int)draw_below(m, u->array_count);
    int old = (int)draw_below(m, u->version_count[a]);
    if (draw_percent(m, 50)) old = u->version_count[a] - 1;
    const char *name = new_name(m), *places = draw_places(u, slice);
    strbuf_printf(
        &u->body, "      %s = stablehlo.dynamic_slice %s%s, sizes = %s : (%s%s) -> %s\n", name,
        u->versions[a][old], places, text_list(m->arena, slice->rank, slice->dims), u->type,
        index_types(u), shape_text(m->arena, slice));
    return name;
}

// One of two slices, by the round of the loop.
static const char *choose(Updates *u, const Shape *slice, const char *x, const char *y) {
    const char *is_early = new_name(u->m), *name = new_name(u->m);
    strbuf_printf(
        &u->body,
        "      %s = stablehlo.compare LT, %s, %s, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n      %s = stablehlo.select %s, %s, %s : tensor<i1>, %s\n",
        is_early, u->before, u->zero, name, is_early, x, y, shape_text(u->m->arena, slice));
    return name;
}

static void update(Updates *u) {
    int a = (int)draw_below(u->m, u->array_count);
    Shape slice = draw_slice(u);
    const char *x = read_slice(u, &slice);
    if (draw_percent(u->m, 50)) x = choose(u, &slice, x, read_slice(u, &slice));
    const char *name = new_name(u->m), *places = draw_places(u, &slice);
    strbuf_printf(
        &u->body, "      %s = stablehlo.dynamic_update_slice %s, %s%s : (%s, %s%s) -> %s\n", name,
        u->versions[a][u->version_count[a] - 1], x, places, u->type,
        shape_text(u->m->arena, &slice), index_types(u), u->type);
    u->versions[a][u->version_count[a]++] = name;
}

// Two to six rounds over one to three arrays. Not in manual computations, whose results may be
// declared alike on devices: parts that differ there would be mixed into them.
static bool make_updating_loop(Maker *m, RandomValue *v) {
    if (m->is_manual) return false;
    int arrays[MAX_ARRAYS] = {draw_value(m, has_elements)};
    if (arrays[0] < 0) return false;
    Updates u = {.m = m, .shape = value_at(m, arrays[0])->shape, .body = strbuf(m->arena)};
    u.type = type_of(m, arrays[0]);
    u.array_count = (int)draw_between(m, 1, MAX_ARRAYS);
    StrBuf starts = strbuf(m->arena), types = strbuf(m->arena), results = strbuf(m->arena);
    v->bounds = value_at(m, arrays[0])->bounds;
    for (int a = 0; a < u.array_count; a++) {
        if (a > 0) arrays[a] = value_like(m, u.shape);
        if (arrays[a] < 0 || value_at(m, arrays[a])->bounds.relative > 0) return false;
        use(v, arrays[a]);
        v->bounds = bounds_either(&v->bounds, &value_at(m, arrays[a])->bounds);
        u.versions[a][u.version_count[a]++] = new_name(m);
        strbuf_printf(&starts, ", %s = %%v%d", u.versions[a][0], arrays[a]);
        strbuf_printf(&types, ", %s", u.type);
    }
    u.zero = constant_before(m, v, ELEMENT_I32, "0");
    const char *one = constant_before(m, v, ELEMENT_I32, "1");
    const char *rounds = constant_before(
        m, v, ELEMENT_I32, arena_printf(m->arena, "%d", (int)draw_between(m, 2, 6)));
    u.counter = new_name(m);
    u.before = new_name(m);
    u.after = new_name(m);
    for (int64_t i = draw_between(m, 1, 4); i > 0; i--)
        update(&u);
    for (int a = 0; a < u.array_count; a++)
        strbuf_printf(&results, ", %s", u.versions[a][u.version_count[a] - 1]);
    const char *all = new_name(m), *go = new_name(m);
    v->before = arena_printf(
        m->arena,
        "%s    %s:%d = stablehlo.while(%s = %s%s) : tensor<i32>%s\n     cond {\n"
        "      %s = stablehlo.compare LT, %s, %s, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n      stablehlo.return %s : tensor<i1>\n    } do {\n"
        "      %s = stablehlo.subtract %s, %s : tensor<i32>\n"
        "      %s = stablehlo.add %s, %s : tensor<i32>\n%s"
        "      stablehlo.return %s%s : tensor<i32>%s\n    }\n",
        v->before, all, 1 + u.array_count, u.counter, u.zero, strbuf_cstring(&starts),
        strbuf_cstring(&types), go, u.counter, rounds, go, u.before, u.counter, one, u.after,
        u.counter, one, strbuf_cstring(&u.body), u.after, strbuf_cstring(&results),
        strbuf_cstring(&types));
    v->shape = u.shape;
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#1 : (%s) -> %s", all, u.type, u.type);
    for (int a = 1; a < u.array_count; a++)
        add_extra(m, all, a + 1, u.shape, v->bounds);
    return true;
}

const OpMaker update_makers[] = {{"updating loop", 3, make_updating_loop}};
const int update_maker_count = sizeof update_makers / sizeof update_makers[0];

// make_convolution: convolutions of random programs, with dimensions in any order, groups of
// features or of the batch, strides, dilations, paddings and reversed windows.
#include "random_program.h"

static bool has_images(const RandomValue *value) {
    return value->shape.rank >= 2 && value->shape.rank <= 5 && can_add(value);
}

// One operand's dimensions: place[0] and place[1] are those of batch and features (of a window: of
// its inputs and outputs), the others are spatial.
typedef struct Layout {
    int64_t place[MAX_VALUE_RANK];
} Layout;

static const char *layout_text(
    Arena *arena, int rank, const Layout *layout, const char *first, const char *second) {
    StrBuf out = strbuf(arena);
    for (int d = 0; d < rank; d++) {
        strbuf_puts(&out, d ? ", " : "[");
        for (int i = 0; i < rank; i++) {
            if (layout->place[i] != d) continue;
            if (i < 2) strbuf_puts(&out, i ? second : first);
            if (i >= 2) strbuf_printf(&out, "%d", i - 2);
        }
    }
    strbuf_putc(&out, ']');
    return strbuf_cstring(&out);
}

typedef struct Convolution {
    Layout left, window, result;
    int64_t feature_groups, batch_groups, terms;
    int64_t stride[3], left_dilate[3], right_dilate[3];
    StrBuf pads, reversed;
    Shape window_shape;
} Convolution;

static void draw_groups(Maker *m, int64_t batch, int64_t features, Convolution *c) {
    c->feature_groups = c->batch_groups = 1;
    if (draw_percent(m, 25)) c->feature_groups = draw_percent(m, 50) ? features : 2;
    if (features % c->feature_groups != 0) c->feature_groups = 1;
    if (c->feature_groups == 1 && draw_percent(m, 15))
        c->batch_groups = draw_percent(m, 50) ? batch : 2;
    if (batch == 0 || batch % c->batch_groups != 0) c->batch_groups = 1;
}

static bool plan_spatial(Maker *m, int s, int64_t in, Convolution *c, Shape *result) {
    int64_t size = draw_between(m, 1, 3), low = draw_between(m, -1, 2),
            high = draw_between(m, -1, 2);
    c->stride[s] = draw_percent(m, 70) ? 1 : 2;
    c->left_dilate[s] = draw_percent(m, 85) ? 1 : 2;
    c->right_dilate[s] = draw_percent(m, 85) ? 1 : 2;
    int64_t padded = (in > 0 ? (in - 1) * c->left_dilate[s] + 1 : 0) + low + high;
    int64_t reach = (size - 1) * c->right_dilate[s] + 1;
    if (padded < reach) return false;
    result->dims[c->result.place[s + 2]] = (padded - reach) / c->stride[s] + 1;
    c->window_shape.dims[c->window.place[s + 2]] = size;
    c->terms *= size;
    strbuf_printf(&c->pads, "%s[%lld, %lld]", s ? ", " : "", (long long)low, (long long)high);
    strbuf_printf(&c->reversed, "%s%s", s ? ", " : "", draw_percent(m, 15) ? "true" : "false");
    return true;
}

static bool plan_convolution(Maker *m, const Shape *left, Convolution *c, Shape *result) {
    *c = (Convolution){.terms = 1, .pads = strbuf(m->arena), .reversed = strbuf(m->arena)};
    int rank = left->rank;
    shuffle(m, rank, c->left.place);
    shuffle(m, rank, c->window.place);
    shuffle(m, rank, c->result.place);
    if (draw_percent(m, 50)) { // as images usually lie
        for (int i = 0; i < rank; i++) {
            c->left.place[i] = c->result.place[i] = i == 0 ? 0 : i == 1 ? rank - 1 : i - 1;
            c->window.place[i] = i < 2 ? rank - 2 + i : i - 2;
        }
    }
    int64_t batch = left->dims[c->left.place[0]], features = left->dims[c->left.place[1]];
    if (features == 0 || features > 16) return false;
    draw_groups(m, batch, features, c);
    int64_t outputs = c->feature_groups * c->batch_groups * draw_between(m, 1, 5);
    c->window_shape = (Shape){.kind = left->kind, .rank = rank};
    *result = (Shape){.kind = draw_sum_kind(m, left->kind), .rank = rank};
    c->terms = features / c->feature_groups;
    for (int s = 0; s < rank - 2; s++) {
        if (!plan_spatial(m, s, left->dims[c->left.place[s + 2]], c, result)) return false;
    }
    c->window_shape.dims[c->window.place[0]] = features / c->feature_groups;
    c->window_shape.dims[c->window.place[1]] = outputs;
    result->dims[c->result.place[0]] = batch / c->batch_groups;
    result->dims[c->result.place[1]] = outputs;
    return shape_count(result) * c->terms <= (m->is_large ? 4000000 : 300000);
}

static bool make_convolution(Maker *m, RandomValue *v) {
    int a = draw_value(m, has_images);
    if (a < 0) return false;
    Convolution c;
    if (!plan_convolution(m, &value_at(m, a)->shape, &c, &v->shape)) return false;
    int b = value_like(m, c.window_shape), rank = v->shape.rank;
    if (b < 0 || !can_add(value_at(m, b))) return false;
    Arena *arena = m->arena;
    const char *window = arena_printf(
        arena, "stride = %s, pad = [%s], lhs_dilate = %s, rhs_dilate = %s, reverse = [%s]",
        text_list(arena, rank - 2, c.stride), strbuf_cstring(&c.pads),
        text_list(arena, rank - 2, c.left_dilate), text_list(arena, rank - 2, c.right_dilate),
        strbuf_cstring(&c.reversed));
    v->right = arena_printf(
        arena,
        "stablehlo.convolution(%%v%d, %%v%d) dim_numbers = %sx%s->%s, window = {%s} "
        "{batch_group_count = %lld : i64, feature_group_count = %lld : i64} : (%s, %s) -> %s",
        a, b, layout_text(arena, rank, &c.left, "b", "f"),
        layout_text(arena, rank, &c.window, "i", "o"),
        layout_text(arena, rank, &c.result, "b", "f"), window, (long long)c.batch_groups,
        (long long)c.feature_groups, type_of(m, a), type_of(m, b), shape_text(arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bounds = bounds_of_products(v->shape.kind, value_at(m, a), value_at(m, b), (double)c.terms);
    return true;
}

const OpMaker convolution_makers[] = {
    {"convolution", 6, make_convolution},
};
const int convolution_maker_count = sizeof convolution_makers / sizeof convolution_makers[0];

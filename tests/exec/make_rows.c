// make_rows: softmaxes, norms and losses along any dimension, and attention, of random programs:
// what becomes one kernel that keeps a row in the cache.
#include "random_program.h"

#include <math.h>

static bool is_row(const RandomValue *value) {
    ElementType kind = value->shape.kind;
    bool is_usual =
        kind == ELEMENT_F32 || kind == ELEMENT_F64 || kind == ELEMENT_BF16 || kind == ELEMENT_F16;
    return is_usual && value->shape.rank > 0 && shape_count(&value->shape) > 0 && is_calm(value) &&
           value->bounds.bound <= 64;
}

// ---- lines before the op

typedef struct Lines {
    Maker *m;
    StrBuf out;
    ElementType kind;
    const char *type, *row_type; // of all elements, of one for each row
    int dim;
    const char *kept; // the dimensions that are not `dim`, as broadcast_in_dim names them
} Lines;

static const char *line(Lines *l, const char *op, const char *operands, const char *type) {
    const char *name = new_name(l->m);
    strbuf_printf(&l->out, "    %s = stablehlo.%s %s : %s\n", name, op, operands, type);
    return name;
}

static const char *line1(Lines *l, const char *op, const char *x, const char *type) {
    return line(l, op, x, type);
}

static const char *line2(Lines *l, const char *op, const char *x, const char *y, const char *type) {
    return line(l, op, arena_printf(l->m->arena, "%s, %s", x, y), type);
}

static const char *splat(Lines *l, const char *number, const char *type) {
    return line(l, "constant", arena_printf(l->m->arena, "dense<%s>", number), type);
}

static const char *reduced(Lines *l, const char *op, const char *x, const char *start) {
    const char *scalar = arena_printf(l->m->arena, "tensor<%s>", kind_text(l->kind));
    const char *init = splat(l, start, scalar), *name = new_name(l->m);
    strbuf_printf(
        &l->out,
        "    %s = stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%d] : "
        "(%s, "
        "%s) -> %s\n",
        name, x, init, op, l->dim, l->type, scalar, l->row_type);
    return name;
}

static const char *spread(Lines *l, const char *x) {
    const char *name = new_name(l->m);
    strbuf_printf(
        &l->out, "    %s = stablehlo.broadcast_in_dim %s, dims = %s : (%s) -> %s\n", name, x,
        l->kept, l->row_type, l->type);
    return name;
}

static Lines lines_of(Maker *m, const Shape *shape, int dim, Shape *row) {
    Lines l = {.m = m, .out = strbuf(m->arena), .kind = shape->kind, .dim = dim};
    int64_t kept[MAX_VALUE_RANK];
    *row = (Shape){.kind = shape->kind};
    for (int d = 0; d < shape->rank; d++) {
        if (d == dim) continue;
        kept[row->rank] = d;
        row->dims[row->rank++] = shape->dims[d];
    }
    l.kept = text_list(m->arena, row->rank, kept);
    l.type = shape_text(m->arena, shape);
    l.row_type = shape_text(m->arena, row);
    return l;
}

// ---- softmaxes and norms

typedef enum RowForm { SOFTMAX, LOG_SOFTMAX, LOSS, LAYER_NORM, RMS_NORM, ROW_FORMS } RowForm;

// x less its largest element, and its exponentials.
static const char *exponentials(Lines *l, const char *x, const char **less, const char **maximum) {
    *maximum = reduced(l, "maximum", x, lowest_text(l->m->arena, l->kind));
    *less = line2(l, "subtract", x, spread(l, *maximum), l->type);
    return line1(l, "exponential", *less, l->type);
}

// x times the reciprocal root of the mean of its squares plus one.
static void put_norm(Lines *l, RandomValue *v, const char *x, int64_t count) {
    const char *square = line2(l, "multiply", x, x, l->type);
    const char *number = arena_printf(l->m->arena, "%lld.0", (long long)count);
    const char *sum = reduced(l, "add", square, "0.0");
    const char *mean = line2(l, "divide", sum, splat(l, number, l->row_type), l->row_type);
    const char *more = line2(l, "add", mean, splat(l, "1.0", l->row_type), l->row_type);
    const char *root = spread(l, line1(l, "rsqrt", more, l->row_type));
    v->right = arena_printf(l->m->arena, "stablehlo.multiply %s, %s : %s", x, root, l->type);
}

static const char *centred(Lines *l, const char *x, int64_t count) {
    const char *number = arena_printf(l->m->arena, "%lld.0", (long long)count);
    const char *sum = reduced(l, "add", x, "0.0");
    const char *mean = line2(l, "divide", sum, splat(l, number, l->row_type), l->row_type);
    return line2(l, "subtract", x, spread(l, mean), l->type);
}

static void put_softmax(Lines *l, RandomValue *v, const char *x, RowForm form) {
    const char *less, *maximum, *e = exponentials(l, x, &less, &maximum);
    const char *sum = reduced(l, "add", e, "0.0");
    Arena *arena = l->m->arena;
    if (form == SOFTMAX) {
        v->right = arena_printf(arena, "stablehlo.divide %s, %s : %s", e, spread(l, sum), l->type);
        return;
    }
    const char *log = line1(l, "log", sum, l->row_type);
    if (form == LOG_SOFTMAX)
        v->right =
            arena_printf(arena, "stablehlo.subtract %s, %s : %s", less, spread(l, log), l->type);
    else
        v->right = arena_printf(arena, "stablehlo.add %s, %s : %s", log, maximum, l->row_type);
}

// Of `count` elements up to `bound` with `error`. What comes from the same numbers through the same
// roundings differs by a rounding that falls the other way: of an exponential, a sum or a quotient.
static ValueBounds row_bounds(ElementType kind, RowForm form, const ValueBounds *x, double count) {
    double eps = kind_epsilon(kind), b = x->bound, error = x->error;
    double sums = count * kind_epsilon(kind == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32);
    double shift = error > 0 ? 2 * error + 2 * eps * b : 0; // of x less its maximum
    if (form == SOFTMAX)
        return (ValueBounds){.bound = 1 + 4 * eps, .error = 2 * shift + 2 * sums + 2.25 * eps};
    if (form == LOG_SOFTMAX || form == LOSS) {
        double bound = 2 * b + log(count) + 1;
        return (ValueBounds){.bound = bound, .error = 2 * shift + 2 * sums + 2 * eps * bound};
    }
    double d = form == LAYER_NORM ? 2 * error + b * (sums + 8 * eps) : error; // of what is squared
    double top = form == LAYER_NORM ? 2 * b : b;
    double mean = 2 * top * d + top * top * (sums + 8 * eps);
    return (ValueBounds){.bound = top * (1 + 8 * eps), .error = d + top * mean + 16 * eps * top};
}

static void put_row(Lines *l, RandomValue *v, const char *x, RowForm form, int64_t count) {
    if (form == LAYER_NORM)
        put_norm(l, v, centred(l, x, count), count);
    else if (form == RMS_NORM)
        put_norm(l, v, x, count);
    else
        put_softmax(l, v, x, form);
}

// Narrow floats are widened first, as norms are usually written, or computed as they are.
static bool make_row(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_row);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    int dim = draw_percent(m, 70) ? x->shape.rank - 1 : (int)draw_below(m, x->shape.rank);
    RowForm form = (RowForm)draw_below(m, ROW_FORMS);
    bool is_norm = form == LAYER_NORM || form == RMS_NORM;
    if (is_norm && x->bounds.bound > 16) return false;
    ElementType kind = x->shape.kind;
    bool is_narrow = kind == ELEMENT_BF16 || kind == ELEMENT_F16,
         is_widened = is_narrow && (is_norm || draw_percent(m, 50));
    Shape row, all = x->shape;
    if (is_widened) all.kind = ELEMENT_F32;
    Lines l = lines_of(m, &all, dim, &row);
    const char *name = arena_printf(m->arena, "%%v%d", a);
    if (is_widened)
        name =
            line1(&l, "convert", name, arena_printf(m->arena, "(%s) -> %s", type_of(m, a), l.type));
    put_row(&l, v, name, form, all.dims[dim]);
    v->bounds = row_bounds(all.kind, form, &x->bounds, (double)all.dims[dim]);
    v->shape = form == LOSS ? row : all;
    if (is_widened) {
        const char *wide = new_name(m), *type = shape_text(m->arena, &v->shape);
        strbuf_printf(&l.out, "    %s = %s\n", wide, v->right);
        v->shape.kind = kind;
        v->right = arena_printf(
            m->arena, "stablehlo.convert %s : (%s) -> %s", wide, type,
            shape_text(m->arena, &v->shape));
        v->bounds.error += kind_epsilon(kind) * v->bounds.bound;
    }
    v->before = arena_printf(m->arena, "%s%s", v->before, strbuf_cstring(&l.out));
    use(v, a);
    return true;
}

// ---- attention

typedef struct Heads {
    int64_t batch, heads, shared; // `shared` heads of queries for each of keys
    int64_t queries, keys, depth, columns;
    int q, k, v, mask; // values; mask -1: none, -2: of indices
    ElementType kind, scores;
    double scale;
} Heads;

static bool is_known(const Maker *m, int value) {
    return value >= 0 && is_calm(value_at(m, value)) && value_at(m, value)->bounds.bound <= 64 &&
           value_at(m, value)->bounds.error < 1e-3;
}

static bool draw_heads(Maker *m, Heads *h) {
    static const ElementType kinds[] = {
        ELEMENT_F32, ELEMENT_F32, ELEMENT_BF16, ELEMENT_F16, ELEMENT_F64};
    h->kind = kinds[draw_below(m, 5)];
    h->scores = h->kind == ELEMENT_F64 ? h->kind : ELEMENT_F32;
    h->batch = draw_between(m, 1, 2);
    h->heads = draw_between(m, 1, 4);
    h->shared = draw_percent(m, 30) ? draw_between(m, 2, 3) : 1;
    h->queries = draw_percent(m, 25) ? draw_between(m, 1, 7) : draw_between(m, 8, 48);
    h->keys = draw_percent(m, 50) ? h->queries : draw_between(m, 1, 70);
    h->depth = draw_between(m, 1, 24);
    h->columns = draw_between(m, 1, 24);
    Shape q = {h->kind, 4, {h->batch, h->heads * h->shared, h->queries, h->depth}};
    Shape k = {h->kind, 4, {h->batch, h->heads, h->keys, h->depth}};
    Shape v = {h->kind, 4, {h->batch, h->heads, h->keys, h->columns}};
    Shape mask = {ELEMENT_I1, 2, {h->queries, h->keys}};
    h->q = value_like(m, q);
    h->k = value_like(m, k);
    h->v = value_like(m, v);
    h->mask = draw_percent(m, 40) ? -1 : draw_percent(m, 50) ? -2 : value_like(m, mask);
    if (!is_known(m, h->q) || !is_known(m, h->k) || !is_known(m, h->v)) return false;
    double most =
        (double)h->depth * value_at(m, h->q)->bounds.bound * value_at(m, h->k)->bounds.bound;
    h->scale = most > 0 ? exp2(floor(log2(4 / most))) : 1; // scores up to 4
    return true;
}

// Queries [batch][heads][shared][queries][depth], and the scores of their
// products with the keys, scaled.
static const char *put_scores(Lines *l, const Heads *h, const Shape *scores) {
    Arena *arena = l->m->arena;
    Shape q = {h->kind, 5, {h->batch, h->heads, h->shared, h->queries, h->depth}};
    const char *type = shape_text(arena, &q), *split = new_name(l->m), *raw = new_name(l->m);
    strbuf_printf(
        &l->out, "    %s = stablehlo.reshape %%v%d : (%s) -> %s\n", split, h->q,
        type_of(l->m, h->q), type);
    strbuf_printf(
        &l->out,
        "    %s = stablehlo.dot_general %s, %%v%d, batching_dims = [0, 1] x [0, 1], "
        "contracting_dims = [4] x [3] : (%s, %s) -> %s\n",
        raw, split, h->k, type, type_of(l->m, h->k), shape_text(arena, scores));
    const char *scale = splat(l, arena_printf(arena, "%.17e", h->scale), l->type);
    return line2(l, "multiply", raw, scale, l->type);
}

static const char *put_mask(Lines *l, const Heads *h, const Shape *scores, const char *x) {
    Arena *arena = l->m->arena;
    Shape square = {ELEMENT_I32, 2, {h->queries, h->keys}}, bits = square, kept = *scores;
    bits.kind = kept.kind = ELEMENT_I1;
    const char *numbers = shape_text(arena, &square), *in = arena_printf(arena, "%%v%d", h->mask);
    if (h->mask == -1) return x;
    if (h->mask == -2) {
        const char *i = line1(l, "iota", "dim = 0", numbers),
                   *j = line1(l, "iota", "dim = 1", numbers);
        in = line(
            l, "compare", arena_printf(arena, "GE, %s, %s", i, j),
            arena_printf(arena, "(%s, %s) -> %s", numbers, numbers, shape_text(arena, &bits)));
    }
    const char *all = new_name(l->m), *low = splat(l, "-3.0e4", l->type);
    strbuf_printf(
        &l->out, "    %s = stablehlo.broadcast_in_dim %s, dims = [3, 4] : (%s) -> %s\n", all, in,
        shape_text(arena, &bits), shape_text(arena, &kept));
    return line(
        l, "select", arena_printf(arena, "%s, %s, %s", all, x, low),
        arena_printf(arena, "%s, %s", shape_text(arena, &kept), l->type));
}

// The weights' product with the values. Rows without a key that counts weigh all alike.
static void put_product(
    Lines *l, RandomValue *v, const Heads *h, const Shape *scores, const char *e) {
    Arena *arena = l->m->arena;
    Shape weights = *scores,
          y = {h->kind, 5, {h->batch, h->heads, h->shared, h->queries, h->columns}};
    weights.kind = h->kind;
    const char *sum = spread(l, reduced(l, "add", e, "0.0"));
    const char *p = line2(l, "divide", e, sum, l->type), *type = shape_text(arena, &weights);
    const char *narrow = line1(l, "convert", p, arena_printf(arena, "(%s) -> %s", l->type, type));
    const char *name = new_name(l->m);
    strbuf_printf(
        &l->out,
        "    %s = stablehlo.dot_general %s, %%v%d, batching_dims = [0, 1] x [0, 1], "
        "contracting_dims = [4] x [2] : (%s, %s) -> %s\n",
        name, narrow, h->v, type, type_of(l->m, h->v), shape_text(arena, &y));
    v->right = arena_printf(
        arena, "stablehlo.reshape %s : (%s) -> %s", name, shape_text(arena, &y),
        shape_text(arena, &v->shape));
}

static ValueBounds attention_bounds(const Maker *m, const Heads *h) {
    const ValueBounds *q = &value_at(m, h->q)->bounds, *k = &value_at(m, h->k)->bounds,
                      *v = &value_at(m, h->v)->bounds;
    double eps = kind_epsilon(h->kind), of_scores = kind_epsilon(h->scores);
    double single = kind_epsilon(h->kind == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32);
    double error = h->scale * (double)h->depth * (q->error * k->bound + k->error * q->bound);
    error += 4 * (8 * of_scores + (double)h->depth * single); // of a score
    // of a weight
    double relative = 2 * error + 2 * (double)h->keys * single + 2 * eps + 16 * of_scores;
    return (ValueBounds){
        .bound = v->bound * (1 + relative), .error = v->error + v->bound * relative};
}

static bool make_attention(Maker *m, RandomValue *v) {
    Heads h;
    if (!draw_heads(m, &h)) return false;
    Shape row, scores = {h.scores, 5, {h.batch, h.heads, h.shared, h.queries, h.keys}};
    Lines l = lines_of(m, &scores, 4, &row);
    v->shape = (Shape){h.kind, 4, {h.batch, h.heads * h.shared, h.queries, h.columns}};
    const char *less, *maximum, *x = put_mask(&l, &h, &scores, put_scores(&l, &h, &scores));
    put_product(&l, v, &h, &scores, exponentials(&l, x, &less, &maximum));
    v->before = arena_printf(m->arena, "%s%s", v->before, strbuf_cstring(&l.out));
    const int operands[4] = {h.q, h.k, h.v, h.mask};
    for (int i = 0; i < 4; i++) {
        if (operands[i] >= 0) use(v, operands[i]);
    }
    v->bounds = attention_bounds(m, &h);
    return true;
}

const OpMaker row_makers[] = {
    {"softmaxes and norms", 6, make_row}, {"attention", 4, make_attention}};
const int row_maker_count = sizeof row_makers / sizeof row_makers[0];

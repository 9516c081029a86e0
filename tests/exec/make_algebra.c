// make_algebra: transforms, factorisations, random bits and normalisations of random programs.
#include "random_program.h"

#include <math.h>

static bool is_smooth(ElementType kind) { return kind == ELEMENT_F32 || kind == ELEMENT_F64; }
static bool is_wave(const RandomValue *value) {
    ElementType kind = value->shape.kind;
    return value->shape.rank > 0 && is_calm(value) && (is_smooth(kind) || kind_is_complex(kind));
}
static bool is_matrix(const RandomValue *value) { return value->shape.rank >= 2 && is_wave(value); }
static bool is_image(const RandomValue *value) {
    return value->shape.rank > 0 && is_calm(value) && is_smooth(value->shape.kind) &&
           value->bounds.error == 0;
}

static bool make_fft(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_wave);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    ElementType kind = x->shape.kind;
    v->shape = x->shape;
    int last = x->shape.rank - 1,
        dims = (int)draw_between(m, 1, x->shape.rank < 3 ? x->shape.rank : 3);
    const char *what = "RFFT";
    int64_t lengths[3], count = 1;
    for (int d = 0; d < dims; d++) {
        lengths[d] = x->shape.dims[x->shape.rank - dims + d];
    }
    if (!kind_is_complex(kind)) {
        if (lengths[dims - 1] == 0) return false;
        v->shape.kind = kind == ELEMENT_F32 ? ELEMENT_C64 : ELEMENT_C128;
        v->shape.dims[last] = lengths[dims - 1] / 2 + 1;
    } else if (draw_percent(m, 30)) {
        what = "IRFFT";
        int64_t half = x->shape.dims[last];
        if (half == 0) return false;
        lengths[dims - 1] = half > 1 && draw_percent(m, 70) ? 2 * (half - 1) : 2 * half - 1;
        v->shape.kind = element_real_part(kind);
        v->shape.dims[last] = lengths[dims - 1];
    } else {
        what = draw_percent(m, 50) ? "FFT" : "IFFT";
    }
    for (int d = 0; d < dims; d++) {
        count *= lengths[d];
    }
    v->right = arena_printf(
        m->arena, "stablehlo.fft %%v%d, type = %s, length = %s : (%s) -> %s", a, what,
        text_list(m->arena, dims, lengths), type_of(m, a), shape_text(m->arena, &v->shape));
    use(v, a);
    double terms = 2 * (double)count;
    v->bounds = (ValueBounds){.bound = terms * x->bounds.bound, .loose_zero = true}; // sums
    v->bounds.error = terms * x->bounds.error + 2 * kind_epsilon(kind) * v->bounds.bound;
    return true;
}

// Lines that define the identity's places: "%e" is true on the diagonal of the last two dimensions.
static const char *diagonal_lines(
    Maker *m, const Shape *shape, const char *equal, const char *direction) {
    Shape places = *shape;
    places.kind = ELEMENT_I32;
    const char *of = shape_text(m->arena, &places), *i = new_name(m), *j = new_name(m);
    Shape predicate = *shape;
    predicate.kind = ELEMENT_I1;
    return arena_printf(
        m->arena,
        "    %s = stablehlo.iota dim = %d : %s\n    %s = stablehlo.iota dim = %d : %s\n"
        "    %s = stablehlo.compare %s, %s, %s, SIGNED : (%s, %s) -> %s\n",
        i, shape->rank - 2, of, j, shape->rank - 1, of, equal, direction, i, j, of, of,
        shape_text(m->arena, &predicate));
}

// operand + number·identity; returns the sum's name.
static const char *add_diagonal(
    Maker *m, RandomValue *v, const Shape *shape, const char *operand, double number) {
    const char *equal = new_name(m), *big = new_name(m), *zero = new_name(m), *chosen = new_name(m),
               *sum = new_name(m);
    const char *type = shape_text(m->arena, shape);
    Shape predicate = *shape;
    predicate.kind = ELEMENT_I1;
    v->before = arena_printf(
        m->arena,
        "%s%s    %s = stablehlo.constant dense<%s> : %s\n    %s = stablehlo.constant dense<%s> : "
        "%s\n"
        "    %s = stablehlo.select %s, %s, %s : %s, %s\n    %s = stablehlo.add %s, %s : %s\n",
        v->before, diagonal_lines(m, shape, equal, "EQ"), big,
        scalar_text(m->arena, shape->kind, (int64_t)number), type, zero,
        scalar_text(m->arena, shape->kind, 0), type, chosen, equal, big, zero,
        shape_text(m->arena, &predicate), type, sum, operand, chosen, type);
    return sum;
}

// Of x + xᴴ + c·1, which is positive definite and well conditioned; the other triangle is set to
// zero.
static bool make_cholesky(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_matrix);
    if (a < 0) return false;
    Shape shape = value_at(m, a)->shape;
    ValueBounds x = value_at(m, a)->bounds;
    int64_t size = shape.dims[shape.rank - 1], order[MAX_VALUE_RANK];
    if (size != shape.dims[shape.rank - 2] || shape_count(&shape) == 0 || size > 40) return false;
    for (int d = 0; d < shape.rank; d++) {
        order[d] = d < shape.rank - 2 ? d : 2 * shape.rank - 3 - d;
    }
    const char *other = new_name(m), *sum = new_name(m), *lines = "", *type = type_of(m, a),
               *turned = new_name(m);
    lines = arena_printf(
        m->arena, "    %s = stablehlo.transpose %%v%d, dims = %s : (%s) -> %s\n", turned, a,
        text_list(m->arena, shape.rank, order), type, type);
    lines = arena_printf(
        m->arena, "%s    %s = chlo.conj %s : %s -> %s\n", lines, other, turned, type, type);
    v->before = arena_printf(
        m->arena, "%s    %s = stablehlo.add %%v%d, %s : %s\n", lines, sum, a, other, type);
    double number = ceil(4 * (double)size * (x.bound + 1)) * (kind_is_complex(shape.kind) ? 2 : 1);
    const char *definite = add_diagonal(m, v, &shape, sum, number), *factor = new_name(m),
               *inside = new_name(m);
    const char *zero = new_name(m);
    bool is_lower = draw_percent(m, 50);
    Shape predicate = shape;
    predicate.kind = ELEMENT_I1;
    v->before = arena_printf(
        m->arena,
        "%s    %s = stablehlo.cholesky %s, lower = %s : %s\n%s    %s = stablehlo.constant "
        "dense<%s> : %s\n",
        v->before, factor, definite, is_lower ? "true" : "false", type,
        diagonal_lines(m, &shape, inside, is_lower ? "GE" : "LE"), zero,
        scalar_text(m->arena, shape.kind, 0), type);
    v->right = arena_printf(
        m->arena, "stablehlo.select %s, %s, %s : %s, %s", inside, factor, zero,
        shape_text(m->arena, &predicate), type);
    use(v, a);
    v->shape = shape;
    v->bounds = (ValueBounds){.bound = sqrt(2 * number)};
    v->bounds.error = 4 * x.error + 8 * (double)size * kind_epsilon(shape.kind) * v->bounds.bound;
    return true;
}

static bool make_triangular_solve(Maker *m, RandomValue *v) {
    static const char *const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    int a = draw_value(m, is_matrix);
    if (a < 0) return false;
    Shape shape = value_at(m, a)->shape;
    int64_t size = shape.dims[shape.rank - 1];
    if (size != shape.dims[shape.rank - 2] || shape_count(&shape) == 0 || size > 40) return false;
    bool is_left = draw_percent(m, 50);
    v->shape = shape;
    v->shape.dims[shape.rank - (is_left ? 1 : 2)] = draw_between(m, 1, 9);
    int b = value_like(m, v->shape);
    if (b < 0 || is_anything(value_at(m, b))) return false;
    ValueBounds x = value_at(m, a)->bounds, y = value_at(m, b)->bounds;
    double number = ceil(4 * (double)size * (x.bound + 1)) * (kind_is_complex(shape.kind) ? 2 : 1);
    const char *matrix = add_diagonal(m, v, &shape, arena_printf(m->arena, "%%v%d", a), number);
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.triangular_solve\"(%s, %%v%d) <{left_side = %s, lower = %s, transpose_a = "
        "#stablehlo<transpose %s>, unit_diagonal = false}> : (%s, %s) -> %s",
        matrix, b, is_left ? "true" : "false", draw_percent(m, 50) ? "true" : "false",
        transposes[draw_below(m, kind_is_complex(shape.kind) ? 3 : 2)], type_of(m, a),
        type_of(m, b), type_of(m, b));
    use(v, a);
    use(v, b);
    v->bounds = (ValueBounds){.bound = y.bound};
    v->bounds.error =
        y.error + x.error * y.bound + 8 * (double)size * kind_epsilon(shape.kind) * y.bound;
    return true;
}

static bool make_random_bits(Maker *m, RandomValue *v) {
    static const char *const algorithms[] = {"THREE_FRY", "PHILOX", "DEFAULT"};
    static const ElementType kinds[] = {ELEMENT_UI32, ELEMENT_UI32, ELEMENT_UI64,
                                        ELEMENT_UI8,  ELEMENT_UI16, ELEMENT_I32,
                                        ELEMENT_I64,  ELEMENT_I8,   ELEMENT_I16};
    int algorithm = (int)draw_below(m, 3);
    Shape state = {
        .kind = ELEMENT_UI64, .rank = 1, .dims = {algorithm == 1 && draw_percent(m, 50) ? 3 : 2}};
    int a = value_like(m, state);
    if (a < 0) return false;
    ElementType kind = kinds[draw_below(m, 9)];
    v->shape = draw_shape(m, kind);
    const char *all = new_name(m), *type = shape_text(m->arena, &v->shape);
    v->before = arena_printf(
        m->arena,
        "    %s:2 = \"stablehlo.rng_bit_generator\"(%%v%d) <{rng_algorithm = "
        "#stablehlo<rng_algorithm %s>}> : "
        "(%s) -> (%s, %s)\n",
        all, a, algorithms[algorithm], type_of(m, a), type_of(m, a), type);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#1 : (%s) -> %s", all, type, type);
    use(v, a);
    v->bounds = (ValueBounds){.bound = kind_exact(kind), .grid = 1};
    add_extra(m, all, 0, state, (ValueBounds){.bound = kind_exact(ELEMENT_UI64), .grid = 1});
    return true;
}

// ---- normalisations

static int small_like(Maker *m, Shape shape) {
    int value = value_like(m, shape);
    if (value < 0 || value_at(m, value)->bounds.error > 0 || is_anything(value_at(m, value)))
        return -1;
    return value;
}

static bool make_batch_norm_inference(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_image);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    int feature = (int)draw_below(m, v->shape.rank), values[4];
    Shape row = {.kind = v->shape.kind, .rank = 1, .dims = {v->shape.dims[feature]}};
    use(v, a);
    for (int i = 0; i < 4; i++) {
        values[i] = small_like(m, row);
        if (values[i] < 0) return false;
        use(v, values[i]);
    }
    const char *of_row = shape_text(m->arena, &row), *variance = new_name(m), *type = type_of(m, a);
    v->before =
        arena_printf(m->arena, "    %s = stablehlo.abs %%v%d : %s\n", variance, values[3], of_row);
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.batch_norm_inference\"(%%v%d, %%v%d, %%v%d, %%v%d, %s) <{epsilon = 5.0e-01 : "
        "f32, "
        "feature_index = %d : i64}> : (%s, %s, %s, %s, %s) -> %s",
        a, values[0], values[1], values[2], variance, feature, type, of_row, of_row, of_row, of_row,
        type);
    double scale = value_at(m, values[0])->bounds.bound,
           offset = value_at(m, values[1])->bounds.bound;
    double mean = value_at(m, values[2])->bounds.bound;
    v->bounds =
        (ValueBounds){.bound = 1.5 * scale * (value_at(m, a)->bounds.bound + mean) + offset};
    v->bounds.error = 8 * kind_epsilon(v->shape.kind) * v->bounds.bound;
    return true;
}

static bool make_batch_norm_training(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_image);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    if (shape_count(&v->shape) == 0) return false;
    int feature = (int)draw_below(m, v->shape.rank);
    Shape row = {.kind = v->shape.kind, .rank = 1, .dims = {v->shape.dims[feature]}};
    int scale = small_like(m, row), offset = small_like(m, row);
    if (scale < 0 || offset < 0) return false;
    const char *of_row = shape_text(m->arena, &row), *all = new_name(m), *type = type_of(m, a);
    v->before = arena_printf(
        m->arena,
        "    %s:3 = \"stablehlo.batch_norm_training\"(%%v%d, %%v%d, %%v%d) <{epsilon = 5.0e-01 : "
        "f32, "
        "feature_index = %d : i64}> : (%s, %s, %s) -> (%s, %s, %s)\n",
        all, a, scale, offset, feature, type, of_row, of_row, type, of_row, of_row);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    use(v, a);
    use(v, scale);
    use(v, offset);
    double bound = value_at(m, a)->bounds.bound, eps = kind_epsilon(v->shape.kind);
    v->bounds = (ValueBounds){
        .bound = 3 * value_at(m, scale)->bounds.bound * bound + value_at(m, offset)->bounds.bound};
    v->bounds.error =
        32 * eps * (v->bounds.bound + bound * bound * value_at(m, scale)->bounds.bound);
    for (int i = 1; i < 3; i++) {
        double most = i == 1 ? bound : 4 * bound * bound;
        add_extra(m, all, i, row, (ValueBounds){.bound = most, .error = 16 * eps * most});
    }
    return true;
}

// Three sums over all but one dimension: of the gradient, and of its products with the normalised
// operand.
static bool make_batch_norm_grad(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_image);
    if (a < 0) return false;
    v->shape = value_at(m, a)->shape;
    int feature = (int)draw_below(m, v->shape.rank), rows[3];
    int64_t features = v->shape.dims[feature];
    if (shape_count(&v->shape) == 0) return false;
    Shape row = {.kind = v->shape.kind, .rank = 1, .dims = {features}};
    use(v, a);
    for (int i = 0; i < 3; i++) { // scale, mean, variance
        rows[i] = small_like(m, row);
        if (rows[i] < 0) return false;
        use(v, rows[i]);
    }
    int gradient = small_like(m, v->shape);
    if (gradient < 0) return false;
    use(v, gradient);
    const char *of_row = shape_text(m->arena, &row), *all = new_name(m), *type = type_of(m, a),
               *variance = new_name(m);
    v->before = arena_printf(
        m->arena,
        "    %s = stablehlo.abs %%v%d : %s\n"
        "    %s:3 = \"stablehlo.batch_norm_grad\"(%%v%d, %%v%d, %%v%d, %s, %%v%d) <{epsilon = "
        "5.0e-01 : f32, feature_index = %d : i64}> : (%s, %s, %s, %s, %s) -> (%s, %s, %s)\n",
        variance, rows[2], of_row, all, a, rows[0], rows[1], variance, gradient, feature, type,
        of_row, of_row, of_row, type, type, of_row, of_row);
    v->right = arena_printf(m->arena, "stablehlo.reshape %s#0 : (%s) -> %s", all, type, type);
    double eps = kind_epsilon(v->shape.kind);
    double terms = (double)shape_count(&v->shape) / (double)features;
    double normalised = 1.5 * (value_at(m, a)->bounds.bound + value_at(m, rows[1])->bounds.bound);
    double steep = value_at(m, gradient)->bounds.bound;
    double most = 1.5 * value_at(m, rows[0])->bounds.bound * steep * (2 + normalised * normalised);
    v->bounds = (ValueBounds){.bound = most, .error = 32 * eps * most};
    double of_scale = terms * normalised * steep, of_offset = terms * steep;
    add_extra(m, all, 1, row, (ValueBounds){.bound = of_scale, .error = 24 * eps * of_scale});
    add_extra(m, all, 2, row, (ValueBounds){.bound = of_offset, .error = 16 * eps * of_offset});
    return true;
}

// Random numbers differ between implementations: they lie between their bounds.
static bool make_random_numbers(Maker *m, RandomValue *v) {
    static const ElementType kinds[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_BF16, ELEMENT_I32};
    ElementType kind = kinds[draw_below(m, 4)];
    Shape numbers = draw_shape(m, kind), places = {.kind = ELEMENT_I64, .rank = 1};
    places.dims[0] = numbers.rank;
    const char *low = constant_before(m, v, kind, scalar_text(m->arena, kind, 1));
    const char *high = constant_before(m, v, kind, scalar_text(m->arena, kind, 9));
    const char *sizes = new_name(m), *drawn = new_name(m), *least = new_name(m);
    const char *type = shape_text(m->arena, &numbers);
    v->shape = numbers;
    v->shape.kind = ELEMENT_I1;
    v->before = arena_printf(
        m->arena,
        "%s    %s = stablehlo.constant dense<%s> : %s\n"
        "    %s = stablehlo.rng %s, %s, %s, distribution = UNIFORM : (tensor<%s>, tensor<%s>, %s) "
        "-> %s\n"
        "    %s = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<%s>) -> %s\n",
        v->before, sizes, numbers.rank ? text_list(m->arena, numbers.rank, numbers.dims) : "",
        shape_text(m->arena, &places), drawn, low, high, sizes, kind_text(kind), kind_text(kind),
        shape_text(m->arena, &places), type, least, low, kind_text(kind), type);
    v->right = arena_printf(
        m->arena, "stablehlo.compare GE, %s, %s, %s : (%s, %s) -> %s", drawn, least,
        compare_type(kind), type, type, shape_text(m->arena, &v->shape));
    v->bounds = (ValueBounds){.bound = 1, .grid = 1};
    return true;
}

const OpMaker algebra_makers[] = {
    {"fft", 3, make_fft},
    {"cholesky", 3, make_cholesky},
    {"triangular_solve", 3, make_triangular_solve},
    {"random_bits", 1, make_random_bits},
    {"batch_norm_inference", 1, make_batch_norm_inference},
    {"batch_norm_training", 1, make_batch_norm_training},
    {"batch_norm_grad", 2, make_batch_norm_grad},
    {"random_numbers", 1, make_random_numbers},
};
const int algebra_maker_count = sizeof algebra_makers / sizeof algebra_makers[0];

// make_pointwise: elementwise ops of random programs, by tables: which elements each takes, where
// it is smooth, how errors grow.
#include "random_program.h"

#include <math.h>

enum { PRED = 1, SINT = 2, UINT = 4, INT = SINT | UINT, REAL = 8, COMPLEX = 16 };

static unsigned class_of(ElementType kind) {
    switch (element_class(kind)) {
    case CLASS_BOOL: return PRED;
    case CLASS_SINT: return SINT;
    case CLASS_UINT: return UINT;
    case CLASS_FLOAT: return REAL;
    case CLASS_COMPLEX: return COMPLEX;
    }
    return 0;
}

static bool is_real(const RandomValue *value) { return kind_is_real(value->shape.kind); }
static bool is_float(const RandomValue *value) { return kind_is_float(value->shape.kind); }

// Results of bf16 below the smallest normal number may be zero: compared, and not used.
static void may_flush(ElementType kind, ValueBounds *bounds) {
    if (kind == ELEMENT_BF16) bounds->relative = 0x1p-100;
}

// ---- one operand, the same bits in every implementation

typedef enum Effect {
    KEEPS,    // magnitude and grid, at most
    INTEGERS, // whole numbers of the operand's size
    SMALL,    // -1 .. 64
    ANY_BITS, // integers: anything
    SQUARES
} Effect;

typedef struct UnaryOp {
    const char *name;
    unsigned classes;
    Effect effect;
    bool is_smooth; // takes operands with errors
} UnaryOp;

static const UnaryOp exact_ops[] = {
    {"stablehlo.abs", SINT | REAL, KEEPS, true},
    {"stablehlo.negate", INT | REAL | COMPLEX, KEEPS, true},
    {"stablehlo.sign", SINT | REAL, SMALL, false},
    {"stablehlo.not", PRED | INT, ANY_BITS, false},
    {"stablehlo.popcnt", INT, SMALL, false},
    {"stablehlo.count_leading_zeros", INT, SMALL, false},
    {"stablehlo.floor", REAL, INTEGERS, false},
    {"stablehlo.ceil", REAL, INTEGERS, false},
    {"stablehlo.round_nearest_afz", REAL, INTEGERS, false},
    {"stablehlo.round_nearest_even", REAL, INTEGERS, false},
    {"stablehlo.optimization_barrier", PRED | INT | REAL | COMPLEX, KEEPS, true},
    {"chlo.conj", REAL | COMPLEX, KEEPS, true},
    {"chlo.square", REAL, SQUARES, false},
};

static bool make_exact(Maker *m, RandomValue *v) {
    const UnaryOp *op =
        &exact_ops[draw_below(m, (int64_t)(sizeof exact_ops / sizeof exact_ops[0]))];
    int a = draw_value(m, op->is_smooth ? NULL : is_exact);
    if (a < 0 || !(class_of(value_at(m, a)->shape.kind) & op->classes)) return false;
    const RandomValue *x = value_at(m, a);
    ElementType kind = x->shape.kind;
    v->shape = x->shape;
    const char *type = type_of(m, a);
    v->right = op->name[0] == 'c'
                   ? arena_printf(m->arena, "%s %%v%d : %s -> %s", op->name, a, type, type)
                   : arena_printf(m->arena, "%s %%v%d : %s", op->name, a, type);
    use(v, a);
    v->bounds = x->bounds;
    switch (op->effect) {
    case KEEPS: break;
    case INTEGERS:
        v->bounds.grid = 1;
        v->bounds.bound += 1;
        break;
    case SMALL:
        if (x->bounds.loose_nan && kind_is_float(kind)) v->bounds.loose_nan = true;
        if (!is_anything(x)) v->bounds.bound = kind_is_float(kind) ? 1 : 64;
        v->bounds.grid = is_anything(x) ? 0 : 1;
        break;
    case ANY_BITS: v->bounds = (ValueBounds){.bound = kind_exact(kind), .grid = 1}; break;
    case SQUARES: {
        double bound = x->bounds.bound * x->bounds.bound, grid = x->bounds.grid * x->bounds.grid;
        bool loose = x->bounds.loose_nan;
        v->bounds = bounds_rounded(kind, bound, 0, grid);
        if (isinf(bound)) may_flush(kind, &v->bounds);
        v->bounds.loose_nan |= loose;
    } break;
    }
    if (kind_is_float(kind) && is_anything(x)) v->bounds.loose_nan = true;
    return true;
}

// ---- one operand, smooth functions: within [low, high] they grow by `slope` at most

typedef struct Function {
    const char *name;
    double low, high, slope, most;
    // complex operands: bound of both parts that keeps clear of poles; 0 = not for complex numbers
    double part;
} Function;

static const Function functions[] = {
    {"stablehlo.tanh", -200, 200, 1, 1, 0.7},
    {"stablehlo.logistic", -200, 200, 1, 1, 1.5},
    {"stablehlo.sine", -200, 200, 1, 1, 0},
    {"stablehlo.cosine", -200, 200, 1, 1, 0},
    {"stablehlo.exponential", -5, 5, 149, 149, 4},
    {"stablehlo.exponential_minus_one", -5, 5, 149, 149, 4},
    {"stablehlo.log", 0.25, 1e4, 4, 10, 0},
    {"stablehlo.log_plus_one", -0.75, 1e4, 4, 10, 0},
    {"stablehlo.rsqrt", 0.25, 1e4, 4, 2, 0},
    {"stablehlo.sqrt", 0.25, 1e4, 1, 100, 0},
    {"stablehlo.cbrt", 0.25, 1e4, 1, 22, 0},
    {"stablehlo.tan", -1.25, 1.25, 11, 3.1, 0.7},
    {"chlo.acos", -0.75, 0.75, 1.6, 2.5, 0},
    {"chlo.acosh", 1.25, 100, 1.4, 6, 0},
    {"chlo.asin", -0.75, 0.75, 1.6, 1, 0},
    {"chlo.asinh", -1000, 1000, 1, 8, 0},
    {"chlo.atan", -1000, 1000, 1, 1.6, 0},
    {"chlo.atanh", -0.75, 0.75, 2.4, 1, 0},
    {"chlo.bessel_i1e", -20, 20, 0.6, 0.25, 0},
    {"chlo.cosh", -5, 5, 75, 75, 0},
    {"chlo.digamma", 1, 50, 1.7, 4, 0},
    {"chlo.erf", -20, 20, 1.2, 1, 0},
    {"chlo.erf_inv", -0.75, 0.75, 2, 1, 0},
    {"chlo.erfc", -20, 20, 1.2, 2, 0},
    {"chlo.lgamma", 1, 50, 4, 145, 0},
    {"chlo.sinh", -5, 5, 75, 75, 0},
};

static const char *apply(Maker *m, const char *name, const char *operand, const char *type) {
    return name[0] == 'c' ? arena_printf(m->arena, "%s %s : %s -> %s", name, operand, type, type)
                          : arena_printf(m->arena, "%s %s : %s", name, operand, type);
}

// The operand clamped to where the function is smooth.
static const char *clamped(Maker *m, RandomValue *v, int a, double low, double high) {
    ElementType kind = value_at(m, a)->shape.kind;
    const char *least = constant_before(m, v, kind, arena_printf(m->arena, "%.3e", low));
    const char *most = constant_before(m, v, kind, arena_printf(m->arena, "%.3e", high));
    const char *name = new_name(m), *type = type_of(m, a), *k = kind_text(kind);
    v->before = arena_printf(
        m->arena, "%s    %s = stablehlo.clamp %s, %%v%d, %s : (tensor<%s>, %s, tensor<%s>) -> %s\n",
        v->before, name, least, a, most, k, type, k, type);
    return name;
}

static bool make_function(Maker *m, RandomValue *v) {
    const Function *f =
        &functions[draw_below(m, (int64_t)(sizeof functions / sizeof functions[0]))];
    int a = draw_value(m, is_float);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    ElementType kind = x->shape.kind;
    // narrow formats do not hold the borders
    if (kind_is_real(kind) && (kind_epsilon(kind) > 0.01 || kind_most(kind) < 300) &&
        x->bounds.error > 0)
        return false;
    if (kind == ELEMENT_F8E8M0FNU) return false;
    v->shape = x->shape;
    use(v, a);
    bool is_far = is_anything(x) || (x->bounds.error == 0 && draw_percent(m, 15)) ||
                  kind_epsilon(kind) > 0.01;
    if (kind_is_complex(kind)) is_far = f->part == 0 || x->bounds.bound > f->part;
    const char *operand = arena_printf(m->arena, "%%v%d", a);
    if (is_far) { // infinities, poles, branch cuts: compared, and not used
        if (x->bounds.error > 0 || (kind_is_float(kind) && x->bounds.loose_zero)) return false;
        if (kind_is_complex(kind) && (is_anything(x) || f->name[0] == 'c')) return false;
        v->bounds =
            (ValueBounds){.bound = (double)INFINITY, .relative = kind_is_complex(kind) ? 64 : 24};
    } else {
        bool is_inside =
            kind_is_complex(kind) || (x->bounds.bound <= f->high && -x->bounds.bound >= f->low);
        if (!is_inside) operand = clamped(m, v, a, f->low, f->high);
        double most = kind_is_complex(kind) ? fmin(f->slope, 2 * exp(f->part)) : f->most;
        double slope = kind_is_complex(kind) ? 60 : f->slope;
        v->bounds = (ValueBounds){.bound = most};
        v->bounds.error = slope * x->bounds.error + 6 * kind_epsilon(kind) * most;
    }
    v->right = apply(m, f->name, operand, type_of(m, a));
    return true;
}

// ---- two operands

typedef struct BinaryOp {
    const char *name;
    unsigned classes;
    enum { SUM, PRODUCT, EITHER, BITS, QUOTIENT, REMAINDER, STEP } effect;
} BinaryOp;

static const BinaryOp binary_ops[] = {
    {"stablehlo.add", PRED | INT | REAL | COMPLEX, SUM},
    {"stablehlo.add", PRED | INT | REAL | COMPLEX, SUM},
    {"stablehlo.subtract", INT | REAL | COMPLEX, SUM},
    {"stablehlo.multiply", PRED | INT | REAL | COMPLEX, PRODUCT},
    {"stablehlo.multiply", PRED | INT | REAL | COMPLEX, PRODUCT},
    {"stablehlo.maximum", PRED | INT | REAL | COMPLEX, EITHER},
    {"stablehlo.minimum", PRED | INT | REAL | COMPLEX, EITHER},
    {"stablehlo.and", PRED | INT, BITS},
    {"stablehlo.or", PRED | INT, BITS},
    {"stablehlo.xor", PRED | INT, BITS},
    {"stablehlo.shift_left", INT, BITS},
    {"stablehlo.shift_right_arithmetic", INT, BITS},
    {"stablehlo.shift_right_logical", INT, BITS},
    {"stablehlo.power", INT, BITS},
    {"stablehlo.divide", INT, BITS},
    {"stablehlo.divide", REAL, QUOTIENT},
    {"stablehlo.remainder", INT, BITS},
    {"stablehlo.remainder", REAL, REMAINDER},
    {"chlo.mulhi", INT, BITS},
    {"chlo.next_after", REAL, STEP},
};

static bool make_binary(Maker *m, RandomValue *v) {
    const BinaryOp *op =
        &binary_ops[draw_below(m, (int64_t)(sizeof binary_ops / sizeof binary_ops[0]))];
    int a = draw_value(m, NULL);
    if (a < 0 || !(class_of(value_at(m, a)->shape.kind) & op->classes)) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0) return false;
    ValueBounds x = value_at(m, a)->bounds, y = value_at(m, b)->bounds;
    v->shape = value_at(m, a)->shape;
    ElementType kind = v->shape.kind;
    const char *type = type_of(m, a);
    v->right =
        op->name[0] == 'c'
            ? arena_printf(
                  m->arena, "%s %%v%d, %%v%d : %s, %s -> %s", op->name, a, b, type, type, type)
            : arena_printf(m->arena, "%s %%v%d, %%v%d : %s", op->name, a, b, type);
    use(v, a);
    use(v, b);
    ValueBounds either = bounds_either(&x, &y);
    switch (op->effect) {
    case SUM:
        v->bounds = bounds_rounded(kind, x.bound + y.bound, x.error + y.error, either.grid);
        break;
    case PRODUCT: {
        double error =
            either.error > 0 ? x.bound * y.error + y.bound * x.error + x.error * y.error : 0;
        v->bounds = bounds_rounded(kind, x.bound * y.bound, error, x.grid * y.grid);
        v->bounds.loose_zero = either.error > 0 || kind_is_complex(kind);
        bool has_roundings = kind_is_complex(kind) && v->bounds.error == 0 && v->bounds.grid == 0;
        if (has_roundings) v->bounds.error = 2 * kind_epsilon(kind) * v->bounds.bound;
    } break;
    case EITHER:
        // Complex numbers are ordered by their real parts first: an error there may
        // choose the other imaginary part.
        if (kind_is_complex(kind) && either.error > 0) return false;
        v->bounds = either;
        break;
    case BITS: v->bounds = (ValueBounds){.bound = kind_exact(kind), .grid = 1}; break;
    case QUOTIENT:
        if (either.error > 0 || y.loose_zero) return false;
        v->bounds = (ValueBounds){.bound = (double)INFINITY, .loose_nan = true};
        break;
    case REMAINDER:
        if (either.error > 0) return false;
        v->bounds = (ValueBounds){.bound = x.bound, .loose_nan = true, .grid = 0};
        if (isfinite(x.bound)) v->bounds.bound = (double)INFINITY; // by zero: not a number
        break;
    case STEP:
        if (either.error > 0 || either.loose_zero) return false;
        v->bounds = (ValueBounds){.bound = x.bound * 2 + 1, .loose_nan = true};
        break;
    }
    bool rounds = op->effect == SUM || op->effect == PRODUCT || op->effect == QUOTIENT ||
                  op->effect == REMAINDER;
    if (rounds && isinf(v->bounds.bound)) may_flush(kind, &v->bounds);
    v->bounds.loose_zero |= either.loose_zero || (op->effect == EITHER && kind_is_float(kind));
    v->bounds.loose_nan |= either.loose_nan || isinf(v->bounds.bound);
    return true;
}

// Functions of two numbers, compared and not used further.
static bool make_far_binary(Maker *m, RandomValue *v) {
    static const char *const names[] = {"stablehlo.power", "stablehlo.atan2", "stablehlo.divide"};
    int op = (int)draw_below(m, 3), a = draw_value(m, is_float);
    if (a < 0) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0) return false;
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    ValueBounds either = bounds_either(&x->bounds, &y->bounds);
    v->shape = x->shape;
    if (either.error > 0 || either.loose_zero) return false;
    if (kind_is_complex(v->shape.kind) && (isinf(either.bound) || op != 2)) return false;
    v->right = arena_printf(m->arena, "%s %%v%d, %%v%d : %s", names[op], a, b, type_of(m, a));
    use(v, a);
    use(v, b);
    v->bounds = (ValueBounds){.bound = (double)INFINITY, .relative = 32};
    return true;
}

// x / (1 + |y|)
static bool make_divide(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_real);
    if (a < 0) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0) return false;
    const RandomValue *x = value_at(m, a), *y = value_at(m, b);
    const char *type = type_of(m, a), *one = new_name(m), *size = new_name(m), *sum = new_name(m);
    v->shape = x->shape;
    if (shape_count(&v->shape) == 0 || is_anything(x) || is_anything(y)) return false;
    v->before = arena_printf(
        m->arena,
        "    %s = stablehlo.constant dense<1.0> : %s\n    %s = stablehlo.abs %%v%d : %s\n"
        "    %s = stablehlo.add %s, %s : %s\n",
        one, type, size, b, type, sum, size, one, type);
    v->right = arena_printf(m->arena, "stablehlo.divide %%v%d, %s : %s", a, sum, type);
    use(v, a);
    use(v, b);
    double eps = kind_epsilon(v->shape.kind);
    v->bounds = (ValueBounds){.bound = x->bounds.bound, .loose_zero = x->bounds.loose_zero};
    if (x->bounds.error > 0 || y->bounds.error > 0)
        v->bounds.error = x->bounds.error + x->bounds.bound * (y->bounds.error + 3 * eps);
    return true;
}

static bool make_compare(Maker *m, RandomValue *v) {
    static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    int a = draw_value(m, is_exact);
    if (a < 0) return false;
    int b = value_like(m, value_at(m, a)->shape);
    if (b < 0 || value_at(m, b)->bounds.error > 0) return false;
    ElementType kind = value_at(m, a)->shape.kind;
    ValueBounds either = bounds_either(&value_at(m, a)->bounds, &value_at(m, b)->bounds);
    const char *how = compare_type(kind);
    if (kind_is_real(kind) && !either.loose_zero && !either.loose_nan && draw_percent(m, 25))
        how = "TOTALORDER";
    v->shape = value_at(m, a)->shape;
    v->shape.kind = ELEMENT_I1;
    v->right = arena_printf(
        m->arena, "stablehlo.compare %s, %%v%d, %%v%d, %s : (%s, %s) -> %s",
        directions[draw_below(m, kind_is_complex(kind) ? 2 : 6)], a, b, how, type_of(m, a),
        type_of(m, a), shape_text(m->arena, &v->shape));
    use(v, a);
    use(v, b);
    v->bounds = (ValueBounds){.bound = 1, .grid = 1};
    return true;
}

static bool make_test(Maker *m, RandomValue *v) {
    static const char *const names[] = {
        "stablehlo.is_finite", "chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf"};
    const char *name = names[draw_below(m, 4)];
    int a = draw_value(m, is_real);
    if (a < 0 || value_at(m, a)->bounds.error > 0) return false;
    v->shape = value_at(m, a)->shape;
    v->shape.kind = ELEMENT_I1;
    const char *to = shape_text(m->arena, &v->shape);
    v->right = name[0] == 'c'
                   ? arena_printf(m->arena, "%s %%v%d : %s -> %s", name, a, type_of(m, a), to)
                   : arena_printf(m->arena, "%s %%v%d : (%s) -> %s", name, a, type_of(m, a), to);
    use(v, a);
    v->bounds = (ValueBounds){.bound = 1, .grid = 1};
    return true;
}

static bool make_select(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    if (a < 0) return false;
    Shape predicate = value_at(m, a)->shape;
    predicate.kind = ELEMENT_I1;
    if (draw_percent(m, 15)) predicate.rank = 0;
    int p = value_like(m, predicate);
    int b = value_like(m, value_at(m, a)->shape);
    if (p < 0 || b < 0) return false;
    v->shape = value_at(m, a)->shape;
    v->right = arena_printf(
        m->arena, "stablehlo.select %%v%d, %%v%d, %%v%d : %s, %s", p, a, b,
        shape_text(m->arena, &predicate), type_of(m, a));
    use(v, p);
    use(v, a);
    use(v, b);
    v->bounds = bounds_either(&value_at(m, a)->bounds, &value_at(m, b)->bounds);
    return true;
}

static bool make_clamp(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_number);
    if (a < 0 || kind_is_complex(value_at(m, a)->shape.kind)) return false;
    Shape scalar = {.kind = value_at(m, a)->shape.kind};
    if (draw_percent(m, 20)) scalar = value_at(m, a)->shape;
    int low = value_like(m, scalar), high = value_like(m, scalar);
    if (low < 0 || high < 0) return false;
    v->shape = value_at(m, a)->shape;
    const char *type = type_of(m, a), *of_limit = shape_text(m->arena, &scalar);
    v->right = arena_printf(
        m->arena, "stablehlo.clamp %%v%d, %%v%d, %%v%d : (%s, %s, %s) -> %s", low, a, high,
        of_limit, type, of_limit, type);
    use(v, low);
    use(v, a);
    use(v, high);
    ValueBounds limits = bounds_either(&value_at(m, low)->bounds, &value_at(m, high)->bounds);
    v->bounds = bounds_either(&value_at(m, a)->bounds, &limits);
    if (kind_is_float(v->shape.kind)) v->bounds.loose_zero = true;
    if (isinf(v->bounds.bound)) v->bounds.loose_nan = true;
    return true;
}

// ---- conversions

static bool make_convert(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    ElementType to = draw_kind(m), from = x->shape.kind;
    v->shape = x->shape;
    v->shape.kind = to;
    v->right = arena_printf(
        m->arena, "stablehlo.convert %%v%d : (%s) -> %s", a, type_of(m, a),
        shape_text(m->arena, &v->shape));
    use(v, a);
    bool from_float = kind_is_float(from);
    if (!kind_is_float(to)) {
        if (x->bounds.error > 0) return false;
        // whole numbers beyond the range: not defined by StableHLO
        if (from_float && to != ELEMENT_I1 && !(x->bounds.bound + 1 <= kind_most(to))) return false;
        if (from_float && kind_is_unsigned(to)) return false;
        v->bounds = (ValueBounds){.bound = fmin(kind_exact(to), x->bounds.bound), .grid = 1};
        if (!kind_is_signed(to) || x->bounds.bound > kind_exact(to))
            v->bounds.bound = kind_exact(to);
        return true;
    }
    v->bounds = bounds_rounded(to, x->bounds.bound, x->bounds.error, x->bounds.grid);
    if (to == ELEMENT_F8E8M0FNU)
        v->bounds = (ValueBounds){.bound = (double)INFINITY, .loose_nan = true};
    if (to == ELEMENT_F8E8M0FNU && x->bounds.error > 0) return false;
    v->bounds.loose_zero |= x->bounds.loose_zero;
    v->bounds.loose_nan |= x->bounds.loose_nan || is_anything(x);
    if (is_anything(x)) may_flush(to, &v->bounds);
    return true;
}

static bool make_bitcast(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_exact);
    if (a < 0) return false;
    const RandomValue *x = value_at(m, a);
    ElementType from = x->shape.kind, to = draw_kind(m);
    if (from == ELEMENT_I1 || to == ELEMENT_I1) return false;
    if (kind_is_complex(from) != kind_is_complex(to)) return false;
    if (kind_is_float(from) && (x->bounds.loose_zero || x->bounds.loose_nan)) return false;
    int have = element_bits(from), want = element_bits(to);
    v->shape = x->shape;
    v->shape.kind = to;
    if (have > want && have % want == 0 && v->shape.rank < MAX_VALUE_RANK) {
        v->shape.dims[v->shape.rank++] = have / want;
    } else if (have < want) {
        int last = v->shape.rank - 1;
        if (last < 0 || v->shape.dims[last] * have != want) return false;
        v->shape.rank--;
    } else if (have != want) {
        return false;
    }
    v->right = arena_printf(
        m->arena, "stablehlo.bitcast_convert %%v%d : (%s) -> %s", a, type_of(m, a),
        shape_text(m->arena, &v->shape));
    use(v, a);
    v->bounds = (ValueBounds){
        .bound = kind_is_float(to) ? (double)INFINITY : kind_exact(to), .grid = !kind_is_float(to)};
    v->bounds.loose_nan = kind_is_float(to);
    return true;
}

static bool make_reduce_precision(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_real);
    if (a < 0 || value_at(m, a)->bounds.error > 0) return false;
    const RandomValue *x = value_at(m, a);
    int exponent = (int)draw_between(m, 1, 11), mantissa = (int)draw_between(m, 0, 30);
    v->shape = x->shape;
    v->right = arena_printf(
        m->arena, "stablehlo.reduce_precision %%v%d, format = e%dm%d : %s", a, exponent, mantissa,
        type_of(m, a));
    use(v, a);
    v->bounds = (ValueBounds){
        .bound = (double)INFINITY, .loose_nan = true, .loose_zero = x->bounds.loose_zero};
    return true;
}

// real, imag, complex, the modulus
static bool make_parts(Maker *m, RandomValue *v) {
    int a = draw_value(m, is_float), op = (int)draw_below(m, 4);
    if (a < 0) return false;
    ElementType kind = value_at(m, a)->shape.kind;
    v->shape = value_at(m, a)->shape;
    v->bounds = value_at(m, a)->bounds;
    use(v, a);
    if (kind_is_complex(kind)) {
        v->shape.kind = element_real_part(kind);
        const char *to = shape_text(m->arena, &v->shape);
        if (op == 2) {
            double bound = v->bounds.bound * 1.5;
            v->bounds.error += 3 * kind_epsilon(kind) * bound;
            v->bounds.bound = bound;
            v->bounds.grid = 0;
            if (isinf(bound)) v->bounds = (ValueBounds){.bound = (double)INFINITY, .relative = 16};
            if (isinf(bound) && value_at(m, a)->bounds.error > 0) return false;
        }
        v->right = arena_printf(
            m->arena, "stablehlo.%s %%v%d : (%s) -> %s",
            op == 2   ? "abs"
            : op == 1 ? "imag"
                      : "real",
            a, type_of(m, a), to);
        return true;
    }
    if (kind != ELEMENT_F32 && kind != ELEMENT_F64) return false;
    int b = value_like(m, v->shape);
    if (b < 0) return false;
    use(v, b);
    v->bounds = bounds_either(&v->bounds, &value_at(m, b)->bounds);
    v->shape.kind = kind == ELEMENT_F32 ? ELEMENT_C64 : ELEMENT_C128;
    v->right = arena_printf(
        m->arena, "stablehlo.complex %%v%d, %%v%d : %s", a, b, shape_text(m->arena, &v->shape));
    return true;
}

// A body of scalar ops, applied to every element.
static bool make_map(Maker *m, RandomValue *v) {
    int a = draw_value(m, NULL);
    if (a < 0 || !body_open(m, true)) return false;
    const RandomValue *x = value_at(m, a);
    Shape scalar = {.kind = x->shape.kind};
    int argument = body_argument(m, scalar, x->bounds), result = argument;
    if (argument < 0) {
        body_close(m);
        return false;
    }
    StrBuf lines = strbuf(m->arena);
    int count = (int)draw_between(m, 1, 3);
    for (int i = 0; i < count; i++) {
        RandomValue inner = {.before = "", .functions = "", .donated_to = -1};
        bool is_made = draw_percent(m, 50) ? make_exact(m, &inner) : make_binary(m, &inner);
        if (!is_made || !bounds_are_good(inner.shape.kind, &inner.bounds)) continue;
        int added = add_value(m, &inner);
        if (added >= 0) result = added;
    }
    strbuf_puts(&lines, body_lines(m, argument + 1, 1, &result, "      "));
    body_close(m);
    v->shape = x->shape;
    v->shape.kind = value_at(m, result)->shape.kind;
    v->bounds = value_at(m, result)->bounds;
    int64_t dims[MAX_VALUE_RANK];
    for (int d = 0; d < v->shape.rank; d++) {
        dims[d] = d;
    }
    v->right = arena_printf(
        m->arena,
        "\"stablehlo.map\"(%%v%d) <{dimensions = %s}> ({\n    ^bb0(%%v%d: tensor<%s>):\n%s"
        "      stablehlo.return %%v%d : tensor<%s>\n    }) : (%s) -> %s",
        a, array_text(m->arena, v->shape.rank, dims), argument, kind_text(scalar.kind),
        strbuf_cstring(&lines), result, kind_text(v->shape.kind), type_of(m, a),
        shape_text(m->arena, &v->shape));
    use(v, a);
    return true;
}

const OpMaker pointwise_makers[] = {
    {"exact", 10, make_exact},    {"function", 12, make_function},
    {"binary", 26, make_binary},  {"far_binary", 2, make_far_binary},
    {"divide", 3, make_divide},   {"compare", 5, make_compare},
    {"test", 1, make_test},       {"select", 6, make_select},
    {"clamp", 3, make_clamp},     {"convert", 9, make_convert},
    {"bitcast", 3, make_bitcast}, {"reduce_precision", 2, make_reduce_precision},
    {"parts", 3, make_parts},     {"map", 1, make_map},
};
const int pointwise_maker_count = sizeof pointwise_makers / sizeof pointwise_makers[0];

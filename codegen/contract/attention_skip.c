// attention_skip: can a key of a block count for a query of a block, and do all of them for all of
// its queries? Decided at run time from the ranges of the indices: the masks' conditions are read
// with an interval for every integer.
#include "codegen/contract/attention_emit.h"
#include "ir/scalar/scalar.h"

typedef const IndexExpr *Index;

// low <= x <= high where `holds` is true (NULL: always). low NULL: nothing is known.
typedef struct Interval {
    LLVMValueRef low, high, holds;
} Interval;

// What is certain of a condition: i1 each, NULL = nothing.
typedef struct Certain {
    LLVMValueRef is_true, is_false;
} Certain;

typedef struct Skip {
    AttentionEmit *x;
    const KeyRange *range;
    int visits; // of expressions
} Skip;

enum { MOST_VISITS = 256 };

static Certain certain(Skip *skip, const Expr *x);
static Interval interval(Skip *skip, const Expr *x);

// ---- i1's that may be NULL (never known)

static LLVMValueRef either(Skip *skip, LLVMValueRef x, LLVMValueRef y) {
    if (!x || !y) return x ? x : y;
    return LLVMBuildOr(skip->x->e->builder, x, y, "");
}

static LLVMValueRef both(Skip *skip, LLVMValueRef x, LLVMValueRef y) {
    return x && y ? LLVMBuildAnd(skip->x->e->builder, x, y, "") : NULL;
}

static LLVMValueRef compare(Skip *skip, LLVMIntPredicate how, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildICmp(skip->x->e->builder, how, x, y, "");
}

static LLVMValueRef if_holds(Skip *skip, LLVMValueRef condition, Interval x, Interval y) {
    if (x.holds) condition = both(skip, condition, x.holds);
    return y.holds ? both(skip, condition, y.holds) : condition;
}

// ---- intervals

static LLVMValueRef lower(Skip *skip, LLVMValueRef x, LLVMValueRef y) {
    return emit_minimum(skip->x->e, x, y);
}

static LLVMValueRef higher(Skip *skip, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef less = compare(skip, LLVMIntSLT, x, y);
    return LLVMBuildSelect(skip->x->e->builder, less, y, x, "");
}

static Interval of_index(Skip *skip, Index x);

static Interval of_atom(Skip *skip, const IndexAtom *atom) {
    Emit *e = skip->x->e;
    const Attention *a = skip->x->a;
    const KeyRange *range = skip->range;
    Interval of;
    switch (atom->kind) {
    case INDEX_VARIABLE:
        if (atom->id == a->query.variable)
            return (Interval){range->query_low, range->query_high, NULL};
        if (atom->id == a->key.variable) return (Interval){range->key_low, range->key_high, NULL};
        break;
    case INDEX_DIV:
        of = of_index(skip, atom->of);
        if (!of.low) return of;
        // floor, of numbers from -by * 2^32 on
        for (int i = 0; i < 2; i++) {
            LLVMValueRef *end = i ? &of.high : &of.low, shift = emit_number(e, atom->by << 32);
            *end = LLVMBuildAdd(e->builder, *end, shift, "");
            *end = LLVMBuildUDiv(e->builder, *end, emit_number(e, atom->by), "");
            *end = LLVMBuildSub(e->builder, *end, emit_number(e, (int64_t)1 << 32), "");
        }
        return of;
    case INDEX_MOD: return (Interval){emit_number(e, 0), emit_number(e, atom->by - 1), NULL};
    case INDEX_RUNTIME:
    case INDEX_TABLE: break;
    }
    return (Interval){0};
}

// Is it one number while this block is looked at: of the chunk, the device and tables of them?
static bool is_one_number(const Skip *skip, Index x);

static bool is_one_number_atom(const Skip *skip, const IndexAtom *atom) {
    if (atom->kind == INDEX_VARIABLE) return atom->id == skip->x->a->outer.variable;
    if (atom->kind == INDEX_RUNTIME) return atom->id == 0; // the own device
    return is_one_number(skip, atom->of);
}

static bool is_one_number(const Skip *skip, Index x) {
    for (int i = 0; i < x->term_count; i++)
        if (!is_one_number_atom(skip, x->atoms[i])) return false;
    return true;
}

static Interval exact_index(Skip *skip, Index x) {
    Substitution s = attention_place(skip->x, NULL, NULL, NULL, NULL);
    LLVMValueRef exact = emit_index(skip->x->e, expr_substitute_index(&s, x));
    return (Interval){exact, exact, NULL};
}

static Interval of_index(Skip *skip, Index x) {
    Emit *e = skip->x->e;
    if (is_one_number(skip, x)) return exact_index(skip, x);
    Interval sum = {emit_number(e, x->constant), emit_number(e, x->constant), NULL};
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        Interval term = is_one_number_atom(skip, atom)
                            ? exact_index(skip, index_of_atom(skip->x->stage->exprs->index, atom))
                            : of_atom(skip, atom);
        if (!term.low) return (Interval){0};
        LLVMValueRef factor = emit_number(e, x->factors[i]);
        LLVMValueRef low = LLVMBuildMul(e->builder, term.low, factor, "");
        LLVMValueRef high = LLVMBuildMul(e->builder, term.high, factor, "");
        bool turns = x->factors[i] < 0;
        sum.low = LLVMBuildAdd(e->builder, sum.low, turns ? high : low, "");
        sum.high = LLVMBuildAdd(e->builder, sum.high, turns ? low : high, "");
    }
    return sum;
}

// Arithmetic wraps: the interval of a result holds where it lies in the type's range.
static Interval in_type(Skip *skip, Interval x, ElementType element) {
    int bits = element_bits(element);
    bool is_signed = element_class(element) == CLASS_SINT;
    if (!x.low || bits > 32) return x;
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t high = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    Emit *e = skip->x->e;
    LLVMValueRef fits = both(
        skip, compare(skip, LLVMIntSGE, x.low, emit_number(e, low)),
        compare(skip, LLVMIntSLE, x.high, emit_number(e, high)));
    x.holds = x.holds ? both(skip, x.holds, fits) : fits;
    return x;
}

static bool needs_axes(Skip *skip, const Expr *x);

// Of neither axis: a number that is known here.
static Interval of_number(Skip *skip, const Expr *x) {
    Emit *e = skip->x->e;
    if (needs_axes(skip, x) || element_bits(x->element) > 32) return (Interval){0};
    Substitution s = attention_place(skip->x, NULL, NULL, NULL, NULL);
    Scalar number = emit_expr(e, expr_substitute(&s, x));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef wide = element_class(x->element) == CLASS_SINT
                            ? LLVMBuildSExt(e->builder, number.value, i64, "")
                            : LLVMBuildZExt(e->builder, number.value, i64, "");
    return (Interval){wide, wide, NULL};
}

static bool index_needs_axes(const Skip *skip, Index x) { return x && !is_one_number(skip, x); }

static bool needs_axes(Skip *skip, const Expr *x) {
    if (++skip->visits > MOST_VISITS) return true;
    if (x->fold || x->guard_count || x->kind == EXPR_SCALAR) return true;
    if (index_needs_axes(skip, x->at) || index_needs_axes(skip, x->device)) return true;
    for (int i = 0; i < x->operand_count; i++) {
        if (needs_axes(skip, x->operands[i])) return true;
    }
    return false;
}

static Interval of_two(Skip *skip, const Expr *x) {
    Emit *e = skip->x->e;
    Interval a = interval(skip, x->operands[0]);
    Interval b = a.low ? interval(skip, x->operands[1]) : a, result = {0};
    if (!a.low || !b.low) return result;
    switch (op_code_scalar(x->code)) { // NOLINT(hicpp-multiway-paths-covered): those with intervals
    case SCALAR_add:
        result.low = LLVMBuildAdd(e->builder, a.low, b.low, "");
        result.high = LLVMBuildAdd(e->builder, a.high, b.high, "");
        break;
    case SCALAR_subtract:
        result.low = LLVMBuildSub(e->builder, a.low, b.high, "");
        result.high = LLVMBuildSub(e->builder, a.high, b.low, "");
        break;
    case SCALAR_maximum:
        result.low = higher(skip, a.low, b.low);
        result.high = higher(skip, a.high, b.high);
        break;
    case SCALAR_minimum:
        result.low = lower(skip, a.low, b.low);
        result.high = lower(skip, a.high, b.high);
        break;
    default: return result;
    }
    if (a.holds || b.holds)
        result.holds =
            a.holds && b.holds ? both(skip, a.holds, b.holds) : (a.holds ? a.holds : b.holds);
    return in_type(skip, result, x->element);
}

static Interval interval(Skip *skip, const Expr *x) {
    Interval nothing = {0};
    if (!element_is_integer(x->element) || ++skip->visits > MOST_VISITS) return nothing;
    Interval result = nothing;
    if (x->kind == EXPR_NUMBER) {
        result = in_type(skip, of_index(skip, x->at), x->element);
    } else if ((x->kind == EXPR_OP && x->code == OP_CONVERT) || x->kind == EXPR_CONVERT) {
        result = in_type(skip, interval(skip, x->operands[0]), x->element);
    } else if (x->kind == EXPR_OP && x->operand_count == 2) {
        result = of_two(skip, x);
    }
    if (!result.low) result = of_number(skip, x);
    return result;
}

// ---- conditions

static Certain of_comparison(Skip *skip, const Expr *x) {
    Interval a = interval(skip, x->operands[0]);
    Interval b = a.low ? interval(skip, x->operands[1]) : a;
    Certain result = {0};
    if (!a.low || !b.low) return result;
    LLVMValueRef below = compare(skip, LLVMIntSLT, a.high, b.low),
                 above = compare(skip, LLVMIntSGT, a.low, b.high);
    LLVMValueRef at_most = compare(skip, LLVMIntSLE, a.high, b.low),
                 at_least = compare(skip, LLVMIntSGE, a.low, b.high);
    switch (op_int(x->op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ)) {
    case DIRECTION_LT: result = (Certain){below, at_least}; break;
    case DIRECTION_LE: result = (Certain){at_most, above}; break;
    case DIRECTION_GT: result = (Certain){above, at_most}; break;
    case DIRECTION_GE: result = (Certain){at_least, below}; break;
    case DIRECTION_EQ: result = (Certain){NULL, either(skip, below, above)}; break;
    case DIRECTION_NE: result = (Certain){either(skip, below, above), NULL}; break;
    default: break;
    }
    if (result.is_true) result.is_true = if_holds(skip, result.is_true, a, b);
    if (result.is_false) result.is_false = if_holds(skip, result.is_false, a, b);
    return result;
}

static Certain of_known(Skip *skip, const Expr *x) {
    LLVMContextRef context = skip->x->e->context;
    LLVMValueRef yes = LLVMConstInt(LLVMInt1TypeInContext(context), 1, 0);
    bool is_true = x->kind == EXPR_REAL ? x->real != 0 : attr_element_int(x->elements, x->id) != 0;
    return is_true ? (Certain){yes, NULL} : (Certain){NULL, yes};
}

static Certain of_choice(Skip *skip, const Expr *x) {
    Certain c = certain(skip, x->operands[0]), a = certain(skip, x->operands[1]),
            b = certain(skip, x->operands[2]);
    Certain result = {both(skip, a.is_true, b.is_true), both(skip, a.is_false, b.is_false)};
    result.is_true = either(skip, result.is_true, both(skip, c.is_true, a.is_true));
    result.is_true = either(skip, result.is_true, both(skip, c.is_false, b.is_true));
    result.is_false = either(skip, result.is_false, both(skip, c.is_true, a.is_false));
    result.is_false = either(skip, result.is_false, both(skip, c.is_false, b.is_false));
    return result;
}

static Certain of_op(Skip *skip, const Expr *x) {
    Certain a, b;
    switch (op_code_scalar(x->code)) { // NOLINT(hicpp-multiway-paths-covered): those of masks
    case SCALAR_compare: return of_comparison(skip, x);
    case SCALAR_not: a = certain(skip, x->operands[0]); return (Certain){a.is_false, a.is_true};
    case SCALAR_and:
        a = certain(skip, x->operands[0]);
        b = certain(skip, x->operands[1]);
        return (Certain){both(skip, a.is_true, b.is_true), either(skip, a.is_false, b.is_false)};
    case SCALAR_or:
        a = certain(skip, x->operands[0]);
        b = certain(skip, x->operands[1]);
        return (Certain){either(skip, a.is_true, b.is_true), both(skip, a.is_false, b.is_false)};
    case SCALAR_select: return of_choice(skip, x);
    default: return (Certain){0};
    }
}

static Certain certain(Skip *skip, const Expr *x) {
    Certain result = {0};
    if (x->element != ELEMENT_I1 || ++skip->visits > MOST_VISITS) return result;
    if (x->kind == EXPR_REAL || x->kind == EXPR_CONSTANT)
        result = of_known(skip, x);
    else if (x->kind == EXPR_OP)
        result = of_op(skip, x);
    else if (x->kind == EXPR_SELECT)
        result = of_choice(skip, x);
    return result;
}

LLVMValueRef attention_may_count(AttentionEmit *x, const KeyRange *range) {
    Skip skip = {x, range, 0};
    LLVMValueRef never = NULL;
    for (int i = 0; i < x->a->mask_count; i++) {
        Certain mask = certain(&skip, x->a->masks[i].condition);
        never = either(&skip, never, x->a->masks[i].kept ? mask.is_false : mask.is_true);
    }
    return never ? LLVMBuildNot(x->e->builder, never, "") : NULL;
}

LLVMValueRef attention_must_count(AttentionEmit *x, const KeyRange *range, bool *is_told) {
    Skip skip = {x, range, 0};
    LLVMValueRef always = NULL;
    for (int i = 0; i < x->a->mask_count; i++) {
        Certain mask = certain(&skip, x->a->masks[i].condition);
        LLVMValueRef counts = x->a->masks[i].kept ? mask.is_true : mask.is_false;
        is_told[i] = counts != NULL;
        if (counts) always = always ? both(&skip, always, counts) : counts;
    }
    return always;
}

// attention: see attention.h. Whether a product is attention is decided on expressions, where views
// are gone: the two folds along the keys must fold the very expression that is exponentiated (one
// pointer, with the fold's axis in the place of the key's).
#include "codegen/plan/attention.h"

#include "codegen/element/element.h"

#include <math.h>
#include <string.h>

typedef const IndexExpr *Index;

enum { NEEDS_KEY = 1, NEEDS_QUERY = 2, NEEDS_SCORES = 4, KNOWN = 8 };

typedef struct Finder {
    ExprBuilder *b;
    Attention *a;
    const Value *result; // of the scores' op
    int weights;         // the product's operand
    PtrMap needs;        // Expr: NEEDS_* | KNOWN
    Index outer, query, key, depth, column;
    Index batch[MAX_RANK], free[MAX_RANK], column_index[MAX_RANK],
        key_index[MAX_RANK]; // of the product's operands
    int64_t key_dims[MAX_RANK];
    int key_rank;
    const Expr *load;        // of the scores
    const Expr *exponential; // in which all was found
    const Expr *x;           // the score
    Substitution s;          // what stands for the loads, folds and the exponential
    PtrMap seen;             // by the walk in progress
} Finder;

// ---- what an expression needs

static int needs_of(Finder *f, const Expr *x);

static int needs_of_index(Finder *f, Index x) {
    int needs = 0;
    for (int i = 0; x && i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of) needs |= needs_of_index(f, atom->of);
        if (atom->kind == INDEX_VARIABLE) {
            if (atom->id == f->a->key.variable) needs |= NEEDS_KEY;
            if (atom->id == f->a->query.variable) needs |= NEEDS_QUERY;
        } else if (atom->kind == INDEX_RUNTIME && f->b->runtimes.data[atom->id].x) {
            needs |= needs_of(f, f->b->runtimes.data[atom->id].x);
        }
    }
    return needs;
}

static int needs_of_guards(Finder *f, int count, const Guard *guards) {
    int needs = 0;
    for (int i = 0; i < count; i++)
        needs |= needs_of_index(f, guards[i].x);
    return needs;
}

static int needs_of_fold(Finder *f, const Fold *fold) {
    int needs = needs_of_guards(f, fold->guard_count, fold->guards);
    for (int i = 0; i < fold->count; i++)
        needs |= needs_of(f, fold->start[i]) | needs_of(f, fold->step[i]);
    for (int i = 0; i < fold->result_count; i++)
        needs |= needs_of(f, fold->result[i]);
    return needs;
}

static int needs_of(Finder *f, const Expr *x) {
    intptr_t known = (intptr_t)ptr_map_get(&f->needs, x);
    if (known) return (int)known & ~KNOWN;
    int needs = x->kind == EXPR_LOAD && x->stored == f->result ? NEEDS_SCORES : 0;
    needs |= needs_of_index(f, x->at) | needs_of_index(f, x->device);
    needs |= needs_of_guards(f, x->guard_count, x->guards);
    for (int i = 0; i < x->operand_count; i++)
        needs |= needs_of(f, x->operands[i]);
    if (x->fold) needs |= needs_of_fold(f, x->fold);
    ptr_map_set(&f->needs, x, (void *)(intptr_t)(needs | KNOWN));
    return needs;
}

// ---- shapes of expressions

static bool is_op(const Expr *x, OpCode code) {
    return (x->kind == EXPR_OP || x->kind == EXPR_ARITHMETIC) && x->code == code;
}

static bool is_convert(const Expr *x) {
    bool converts = x->kind == EXPR_CONVERT || is_op(x, OP_CONVERT);
    return converts && element_is_float(x->element) && element_is_float(x->operands[0]->element);
}

static const Expr *without_converts(const Expr *x) {
    while (is_convert(x))
        x = x->operands[0];
    return x;
}

static bool is_choice(const Expr *x) { return x->kind == EXPR_SELECT || is_op(x, OP_SELECT); }

// Is it one number at all places?
static bool is_known(const Expr *x, double *number) {
    if (is_convert(x)) return is_known(x->operands[0], number);
    if (x->kind == EXPR_REAL) {
        *number = x->real;
        return true;
    }
    if (x->kind != EXPR_CONSTANT || element_class(x->element) == CLASS_COMPLEX) return false;
    *number = element_is_float(x->element) ? attr_element_double(x->elements, x->id)
                                           : (double)attr_element_int(x->elements, x->id);
    return true;
}

static bool is_number(const Expr *x, double number) {
    double known;
    return is_known(x, &known) && known == number;
}

// The same operation on other operands.
static const Expr *rebuilt(ExprBuilder *b, const Expr *x, int operand, const Expr *with) {
    const Expr *operands[3];
    memcpy(operands, x->operands, (size_t)x->operand_count * sizeof operands[0]);
    operands[operand] = expr_convert(b, with, x->operands[operand]->element);
    if (x->kind == EXPR_SELECT) return expr_select(b, operands[0], operands[1], operands[2]);
    return expr_op(b, x->op, operands);
}

// ---- the weights

// exp(score - offset) or exp(score).
static bool find_score(Finder *f, const Expr *x) {
    const Expr *argument = x->operands[0];
    f->exponential = x;
    bool has_offset =
        is_op(argument, OP_SUBTRACT) && !(needs_of(f, argument->operands[1]) & NEEDS_KEY);
    f->x = has_offset ? argument->operands[0] : argument;
    f->a->offset = has_offset ? argument->operands[1] : NULL;
    return (needs_of(f, f->x) & NEEDS_SCORES) != 0;
}

static bool holds_weight(Finder *f, const Expr *x) {
    return (needs_of(f, x) & (NEEDS_KEY | NEEDS_SCORES)) == (NEEDS_KEY | NEEDS_SCORES);
}

// Splits the product's operand: *weight is what depends on the key, of e; *row what is done to all
// weights of a row, of y: that is done to the sum of products.
static bool split_weight(Finder *f, const Expr *x, const Expr **weight, const Expr **row) {
    if (is_op(x, OP_EXPONENTIAL)) {
        *weight = f->a->e;
        *row = f->a->y;
        return find_score(f, x);
    }
    if (is_convert(x)) return split_weight(f, x->operands[0], weight, row);
    bool chooses = is_choice(x), divides = is_op(x, OP_DIVIDE);
    if (x->kind != EXPR_OP && x->kind != EXPR_SELECT) return false;
    if (!chooses && !divides && !is_op(x, OP_MULTIPLY)) return false;
    int first = chooses ? 1 : 0, inner = holds_weight(f, x->operands[first]) ? first : first + 1;
    if (divides && inner != 0) return false;
    int other = 2 * first + 1 - inner;
    if (!split_weight(f, x->operands[inner], weight, row)) return false;
    if (chooses && !is_number(x->operands[other], 0)) return false;
    int needs = needs_of(f, x->operands[chooses ? 0 : other]);
    if (!(needs & NEEDS_KEY)) {
        *row = rebuilt(f->b, x, inner, *row);
    } else if (!(needs & NEEDS_SCORES)) {
        *weight = rebuilt(f->b, x, inner, *weight);
    } else {
        return false;
    }
    return true;
}

// ---- folds along the keys

// What is folded, at the key.
static const Expr *folded(Finder *f, const Expr *x, OpCode *code) {
    const Fold *fold = x->fold;
    if (fold->count != 1 || fold->result_count != 1 || fold->guard_count || fold->axis_count == 0)
        return NULL;
    const Expr *step = fold->step[0];
    if (step->kind != EXPR_ARITHMETIC || step->operand_count != 2) return NULL;
    int own = step->operands[0] == fold->accumulators[0] ? 0 : 1;
    if (step->operands[own] != fold->accumulators[0]) return NULL;
    if (without_converts(fold->result[0]) != fold->accumulators[0]) return NULL;
    int64_t dims[MAX_RANK], count = 1;
    Index at[MAX_RANK];
    for (int i = 0; i < fold->axis_count; i++)
        count *= dims[i] = fold->axes[i].extent;
    if (count != f->a->key.extent) return NULL;
    index_delinear(f->b->index, f->key, fold->axis_count, dims, at);
    Substitution s = substitution(f->b, f->b);
    for (int i = 0; i < fold->axis_count; i++)
        s.variables[fold->axes[i].variable] = at[i];
    *code = step->code;
    return expr_substitute(&s, step->operands[1 - own]);
}

static const Expr *row_maximum(Finder *f, const Expr *x, const Expr *of) {
    if (without_converts(of) != without_converts(f->x)) return NULL;
    const Expr *start = x->fold->start[0];
    const Expr *maximum = expr_convert(f->b, f->a->maximum, start->element);
    if (!is_number(start, -(double)INFINITY))
        maximum = expr_arithmetic(f->b, OP_MAXIMUM, start, maximum);
    return expr_convert(f->b, maximum, x->element);
}

static const Expr *row_sum(Finder *f, const Expr *x, const Expr *of) {
    Attention *a = f->a;
    if (!is_number(x->fold->start[0], 0)) return NULL;
    const Expr *summand = expr_substitute(&f->s, of);
    if (needs_of(f, summand) & NEEDS_SCORES) return NULL;
    summand = expr_convert(f->b, without_converts(summand), a->accumulator);
    if (a->summand && a->summand != summand) return NULL;
    a->summand = summand;
    return expr_convert(f->b, a->sum, x->element);
}

// Are all scores of the row minus infinity? Then its maximum is.
static const Expr *row_test(Finder *f, OpCode code, const Expr *of) {
    const Expr *test = of;
    bool is_negated = is_op(test, OP_NOT);
    if (is_negated) test = test->operands[0];
    if (!is_op(test, OP_COMPARE) || !is_number(test->operands[1], -(double)INFINITY)) return NULL;
    int64_t direction = op_int(test->op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ);
    bool is_equal = direction == DIRECTION_EQ;
    if (!is_equal && direction != DIRECTION_NE) return NULL;
    if ((code == OP_AND) != (is_equal != is_negated)) return NULL;
    if (without_converts(test->operands[0]) != without_converts(f->x)) return NULL;
    const Expr *of_row = rebuilt(f->b, test, 0, f->a->maximum);
    return is_negated ? rebuilt(f->b, of, 0, of_row) : of_row;
}

// Finds what stands for the folds of scores inside of x.
static bool resolve_folds(Finder *f, const Expr *x) {
    if (!x || !(needs_of(f, x) & NEEDS_SCORES) || ptr_map_has(&f->s.known, x)) return true;
    if (ptr_map_has(&f->seen, x)) return true;
    ptr_map_set(&f->seen, x, f);
    if (x->kind != EXPR_FOLD) {
        for (int i = 0; i < x->operand_count; i++) {
            if (!resolve_folds(f, x->operands[i])) return false;
        }
        return true;
    }
    OpCode code = OP_COUNT;
    const Expr *of = folded(f, x, &code), *value = NULL;
    if (!of) return false;
    if (code == OP_MAXIMUM) value = row_maximum(f, x, of);
    if (code == OP_ADD) value = row_sum(f, x, of);
    if (code == OP_AND || code == OP_OR) value = row_test(f, code, of);
    if (value) ptr_map_set(&f->s.known, x, (void *)(uintptr_t)value);
    return value != NULL;
}

// x with scalars for the scores and folds; NULL: something else of the scores is left.
static const Expr *resolved(Finder *f, const Expr *x) {
    if (!x) return NULL;
    x = expr_substitute(&f->s, x);
    return needs_of(f, x) & NEEDS_SCORES ? NULL : x;
}

// ---- masks

// The score is `value` where the key does not count.
static void add_mask(Attention *a, const Expr *condition, bool kept, double value) {
    const double FAR_BELOW = -1e4;
    if (!(value <= FAR_BELOW) || a->mask_count == MAX_KEY_MASKS) return;
    a->masks[a->mask_count++] = (KeyMask){condition, kept};
    if (value / 2 > a->threshold) a->threshold = value / 2;
}

// A choice between a number far below zero and something else.
static const Expr *find_choice(Attention *a, const Expr *x) {
    double number;
    for (int other = 1; other <= 2; other++) {
        if (!is_known(x->operands[other], &number)) continue;
        add_mask(a, x->operands[0], other == 2, number);
        return x->operands[3 - other];
    }
    return NULL;
}

// Through the ops that leave such numbers where they are. Added ones (at least 1e8) are
// taken to be larger than all scores.
static void find_masks(Attention *a, const Expr *x) {
    const double LARGE = -1e8;
    while (x) {
        double number;
        if (is_convert(x)) {
            x = x->operands[0];
        } else if (is_choice(x)) {
            x = find_choice(a, x);
        } else if (is_op(x, OP_ADD)) {
            int bias = is_choice(without_converts(x->operands[1])) ? 1 : 0;
            const Expr *choice = without_converts(x->operands[bias]);
            for (int i = 1; is_choice(choice) && i <= 2; i++) {
                if (is_known(choice->operands[i], &number) && number <= LARGE)
                    add_mask(a, choice->operands[0], i == 2, number);
            }
            x = x->operands[1 - bias];
        } else {
            return;
        }
    }
}

// ---- the products

static Index new_axis(ExprBuilder *b, Axis *axis, int64_t extent, AxisRole role) {
    *axis = (Axis){extent, role, expr_new_variable(b, false)};
    return index_variable(b->index, axis->variable, extent);
}

// Which of the free dimensions are the queries? One where it fills vectors, so that its index is
// no quotient; else all of them.
static int query_dim(int rank, const int64_t *dims) {
    enum { ENOUGH = 8 };
    int best = -1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] >= ENOUGH && (best < 0 || dims[i] >= dims[best])) best = i;
    }
    return best;
}

// Axes of the second product: its batch dimensions and the free ones of the weights that are
// no queries are the outer axis.
static void set_axes(Finder *f, const Op *product) {
    ExprBuilder *b = f->b;
    Attention *a = f->a;
    const DotDims *dims = op_attr(product, NAME_DOT_DIMENSION_NUMBERS)->dot;
    bool is_lhs = f->weights == 0;
    const Type *p = op_operand_type(product, f->weights),
               *v = op_operand_type(product, 1 - f->weights);
    IntSpan batch = is_lhs ? dims->lhs_batch : dims->rhs_batch;
    IntSpan contracting = is_lhs ? dims->lhs_contracting : dims->rhs_contracting;
    IntSpan v_batch = is_lhs ? dims->rhs_batch : dims->lhs_batch;
    IntSpan v_contracting = is_lhs ? dims->rhs_contracting : dims->lhs_contracting;
    int64_t free[MAX_RANK], columns[MAX_RANK], outer[2 * MAX_RANK], sizes[4] = {1, 1, 1, 1};
    int free_rank = 0, column_rank = 0, outer_rank = 0;
    for (int i = 0; i < batch.count; i++)
        outer[outer_rank++] = p->dims[batch.data[i]];
    for (int d = 0; d < p->rank; d++) {
        if (!ints_contain(batch, d) && !ints_contain(contracting, d))
            free[free_rank++] = p->dims[d];
    }
    for (int d = 0; d < v->rank; d++) {
        if (!ints_contain(v_batch, d) && !ints_contain(v_contracting, d))
            columns[column_rank++] = v->dims[d];
    }
    for (int i = 0; i < contracting.count; i++)
        f->key_dims[f->key_rank++] = p->dims[contracting.data[i]];
    int query = query_dim(free_rank, free);
    for (int i = 0; i < free_rank && query >= 0; i++) {
        if (i != query) outer[outer_rank++] = free[i];
    }
    for (int i = 0; i < outer_rank; i++)
        sizes[0] *= outer[i];
    for (int i = 0; i < free_rank; i++)
        sizes[1] *= query < 0 || i == query ? free[i] : 1;
    for (int i = 0; i < f->key_rank; i++)
        sizes[2] *= f->key_dims[i];
    for (int i = 0; i < column_rank; i++)
        sizes[3] *= columns[i];
    f->outer = new_axis(b, &a->outer, sizes[0], AXIS_PARALLEL);
    f->query = new_axis(b, &a->query, sizes[1], AXIS_PARALLEL);
    f->key = new_axis(b, &a->key, sizes[2], AXIS_SERIAL);
    f->column = new_axis(b, &a->column, sizes[3], AXIS_PARALLEL);
    Index at[2 * MAX_RANK], in_query[MAX_RANK];
    index_delinear(b->index, f->outer, outer_rank, outer, at);
    index_delinear(
        b->index, f->query, query < 0 ? free_rank : 1, query < 0 ? free : &free[query], in_query);
    memcpy(f->batch, at, (size_t)batch.count * sizeof at[0]);
    for (int i = 0, next = batch.count; i < free_rank; i++)
        f->free[i] = query < 0 ? in_query[i] : i == query ? in_query[0] : at[next++];
    index_delinear(b->index, f->key, f->key_rank, f->key_dims, f->key_index);
    index_delinear(b->index, f->column, column_rank, columns, f->column_index);
}

// The index of an operand of a product from those of its three groups of dimensions.
static void operand_index(
    const Type *type, IntSpan batch, IntSpan contracting, const Index *b, const Index *k,
    const Index *free, Index *index) {
    for (int i = 0; i < batch.count; i++)
        index[batch.data[i]] = b[i];
    for (int i = 0; i < contracting.count; i++)
        index[contracting.data[i]] = k[i];
    for (int d = 0, next = 0; d < type->rank; d++) {
        if (!ints_contain(batch, d) && !ints_contain(contracting, d)) index[d] = free[next++];
    }
}

static const Expr *product_operand(
    Finder *f, const Op *op, bool is_lhs, const Index *b, const Index *k, const Index *free) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Value *operand = op_operand(op, is_lhs ? 0 : 1);
    Index index[MAX_RANK];
    operand_index(
        operand->type, is_lhs ? dims->lhs_batch : dims->rhs_batch,
        is_lhs ? dims->lhs_contracting : dims->rhs_contracting, b, k, free, index);
    return expr_of(f->b, operand, index);
}

// Queries and keys at the place at which the scores are read.
static bool find_operands(Finder *f) {
    Attention *a = f->a;
    const Op *op = a->scores;
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = op_operand_type(op, 0);
    int64_t depths[MAX_RANK], depth = 1;
    Index k[MAX_RANK];
    for (int i = 0; i < dims->lhs_contracting.count; i++)
        depth *= depths[i] = lhs->dims[dims->lhs_contracting.data[i]];
    f->depth = new_axis(f->b, &a->depth, depth, AXIS_SERIAL);
    index_delinear(f->b->index, f->depth, dims->lhs_contracting.count, depths, k);
    int batch = dims->lhs_batch.count;
    int lhs_free = lhs->rank - batch - dims->lhs_contracting.count;
    const Index *at = f->load->index;
    const Expr *left = product_operand(f, op, true, at, k, at + batch);
    const Expr *right = product_operand(f, op, false, at, k, at + batch + lhs_free);
    // decided on the indices: what is read there may be a constant
    int of_left = 0;
    for (int d = 0; d < lhs_free; d++)
        of_left |= needs_of_index(f, at[batch + d]);
    bool keys_left = (of_left & NEEDS_KEY) != 0;
    a->queries = keys_left ? right : left;
    a->keys = keys_left ? left : right;
    return !(needs_of(f, a->queries) & NEEDS_KEY) && !(needs_of(f, a->keys) & NEEDS_QUERY);
}

// The one load of the scores in x; NULL = none, or several.
static void find_load(Finder *f, const Expr *x, bool *several) {
    if (!(needs_of(f, x) & NEEDS_SCORES) || ptr_map_has(&f->seen, x)) return;
    ptr_map_set(&f->seen, x, f);
    if (x->kind == EXPR_LOAD && x->stored == f->result) {
        *several = *several || (f->load && f->load != x) || x->device;
        f->load = x;
    }
    if (x->fold) *several = true;
    for (int i = 0; i < x->operand_count; i++)
        find_load(f, x->operands[i], several);
}

// In which both products are summed: f64 where all is f64, f32 for narrower
// floats. False: the types are others.
static bool find_accumulator(Attention *a) {
    const Op *ops[2] = {a->scores, a->product};
    int doubles = 0, usual = 0;
    for (int i = 0; i < 6; i++) {
        const Op *op = ops[i / 3];
        const Type *type = i % 3 < 2 ? op_operand_type(op, i % 3) : op_result_type(op, 0);
        ElementType element = type->element;
        doubles += element == ELEMENT_F64;
        usual += element == ELEMENT_F32 || element == ELEMENT_BF16 || element == ELEMENT_F16;
    }
    a->accumulator = doubles ? ELEMENT_F64 : ELEMENT_F32;
    return doubles == 6 || usual == 6;
}

static void set_result_index(Finder *f) {
    const DotDims *dims = op_attr(f->a->product, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = op_operand_type(f->a->product, 0);
    int batch = dims->lhs_batch.count, rank = op_result_type(f->a->product, 0)->rank;
    int first = lhs->rank - batch - dims->lhs_contracting.count;
    const Index *groups[2] = {f->free, f->column_index};
    for (int d = 0; d < rank; d++) {
        bool is_first = d < batch + first;
        const Index *group = groups[is_first ? f->weights : 1 - f->weights];
        f->a->result_index[d] = d < batch ? f->batch[d] : group[d - batch - (is_first ? 0 : first)];
    }
}

// The rest, from the split weights.
static bool resolve_all(Finder *f, const Expr *weight, const Expr *row) {
    Attention *a = f->a;
    bool several = false;
    f->seen = ptr_map(f->b->arena);
    find_load(f, f->x, &several);
    if (several || !f->load) return false;
    f->s = substitution(f->b, f->b);
    ptr_map_set(&f->s.known, f->load, (void *)(uintptr_t)a->raw);
    ptr_map_set(&f->s.known, f->exponential, (void *)(uintptr_t)a->e);
    f->seen = ptr_map(f->b->arena);
    if (!resolve_folds(f, a->offset) || !resolve_folds(f, row)) return false;
    a->score = resolved(f, f->x);
    a->weight = resolved(f, weight);
    a->row = resolved(f, row);
    bool has_offset = a->offset != NULL;
    a->offset = resolved(f, a->offset);
    return a->score && a->weight && a->row && (a->offset || !has_offset);
}

Attention *attention_of(ExprBuilder *b, const Op *product, int weights, const Op *scores) {
    Attention *a = ARENA_NEW(b->arena, Attention);
    Finder *f = ARENA_NEW(b->arena, Finder);
    *f = (Finder){.b = b, .a = a, .result = op_result(scores, 0), .weights = weights};
    f->needs = ptr_map(b->arena);
    a->scores = scores;
    a->product = product;
    a->threshold = -(double)INFINITY;
    if (!find_accumulator(a)) return NULL;
    set_axes(f, product);
    // bound before anything is found: expressions that were found under other bindings are others
    const Expr *element = expr_new_scalar(b, op_result_type(product, 0)->element);
    expr_bind(b, op_result(product, 0), element);
    a->raw = expr_new_scalar(b, f->result->type->element);
    a->maximum = expr_new_scalar(b, a->accumulator);
    a->e = expr_new_scalar(b, a->accumulator);
    a->sum = expr_new_scalar(b, a->accumulator);
    a->y = expr_new_scalar(b, a->accumulator);
    const Expr *weight = NULL, *row = NULL;
    const Expr *operand =
        product_operand(f, product, weights == 0, f->batch, f->key_index, f->free);
    a->values = product_operand(f, product, weights != 0, f->batch, f->key_index, f->column_index);
    if (b->failed || (needs_of(f, a->values) & NEEDS_SCORES)) return NULL;
    if (!split_weight(f, operand, &weight, &row) || !resolve_all(f, weight, row)) return NULL;
    if (!find_operands(f) || b->failed) return NULL;
    a->row = expr_convert(b, a->row, op_result_type(product, 0)->element);
    a->weighted = op_operand_type(product, weights)->element;
    find_masks(a, a->score);
    set_result_index(f);
    ptr_map_set(&f->s.known, element, (void *)(uintptr_t)a->row);
    a->finder = f;
    return a;
}

const Expr *attention_resolve(Attention *a, const Expr *x) {
    a->finder->seen = ptr_map(a->finder->b->arena);
    return resolve_folds(a->finder, x) ? resolved(a->finder, x) : NULL;
}

// split_factors: Cholesky factors of large matrices by halves, so that most of the work is matrix
// products and systems with many right sides.
//
//   In      a device program in canonical form.
//   Out     no factor of a matrix that is_leaf calls too large; narrow floats are
//           computed in f32 and rounded once.
//   Keeps   what the program computes, but for the order of summation. How a matrix is
//           halved depends on its size alone.
//
//   A = | A11     |   A11 = L11 L11^H,   L21 = A21 L11^-H,   A22 - L21 L21^H = L22 L22^H
//       | A21 A22 |   an upper factor is the adjoint of a lower one
//   source  Golub, Van Loan, Matrix Computations, 4.2.9 (block Cholesky); by halves as in Elmroth,
//           Gustavson, Jonsson, Kagstrom, SIAM Review 46(1), 2004
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    LEAF = 128,     // rows of the smallest factors, a multiple of these
    MOST_LEAVES = 4 // of one matrix: each makes the program longer
};

typedef struct Split {
    Module *module;
    Builder builder;
    bool is_lower;
    int64_t leaf;
} Split;

static int rank_of(const Value *x) { return x->type->rank; }

// Rows [r0, r1) and columns [c0, c1) of each matrix.
static Value *block(Split *split, Value *x, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK];
    int row = rank_of(x) - 2;
    for (int d = 0; d < row; d++)
        limit[d] = x->type->dims[d];
    start[row] = r0;
    limit[row] = r1;
    start[row + 1] = c0;
    limit[row + 1] = c1;
    return build_slice(&split->builder, x, start, limit, NULL);
}

static bool is_complex(const Value *x) { return element_class(x->type->element) == CLASS_COMPLEX; }

static Value *conjugate(Split *split, Value *x) {
    if (!is_complex(x)) return x;
    Builder *b = &split->builder;
    Context *context = split->module->context;
    ElementType part = x->type->element == ELEMENT_C64 ? ELEMENT_F32 : ELEMENT_F64;
    const Type *real = type_tensor(context, part, rank_of(x), x->type->dims);
    Value *re = op_result(build_op(b, OP_REAL, 1, &x, 1, &real, 0), 0);
    Value *im = op_result(build_op(b, OP_IMAG, 1, &x, 1, &real, 0), 0);
    Value *parts[2] = {re, build_unary(b, OP_NEGATE, im)};
    return op_result(build_op(b, OP_COMPLEX, 2, parts, 1, &x->type, 0), 0);
}

// rest - x y, where dimension `over_x` (0 = rows, 1 = columns) of x is summed with dimension
// `over_y` of y.
static Value *subtract_product(
    Split *split, Value *rest, Value *x, int over_x, Value *y, int over_y) {
    int64_t batch[MAX_RANK], row = rank_of(x) - 2, dims[MAX_RANK];
    for (int64_t d = 0; d < row; d++) {
        batch[d] = d;
        dims[d] = x->type->dims[d];
    }
    dims[row] = x->type->dims[row + 1 - over_x];
    dims[row + 1] = y->type->dims[row + 1 - over_y];
    int64_t in_x = row + over_x, in_y = row + over_y;
    IntSpan batches = {batch, (int)row};
    const DotDims dot = {
        .lhs_batch = batches,
        .rhs_batch = batches,
        .lhs_contracting = {&in_x, 1},
        .rhs_contracting = {&in_y, 1}};
    Context *context = split->module->context;
    const Type *type = type_tensor(context, x->type->element, (int)row + 2, dims);
    Op *op = build_op(&split->builder, OP_DOT_GENERAL, 2, (Value *[]){x, y}, 1, &type, 0);
    const Attr prototype = {.kind = ATTR_DOT_DIMS, .dot = &dot};
    op_set_attr(split->module, op, NAME_DOT_DIMENSION_NUMBERS, attr_intern(context, &prototype));
    return build_binary(&split->builder, OP_SUBTRACT, rest, op_result(op, 0));
}

// The sizes of the halves are multiples of the leaf's, but for the rest at the end.
static int64_t half_of(const Split *split, int64_t n) {
    int64_t leaves = (n + split->leaf - 1) / split->leaf;
    return leaves / 2 * split->leaf;
}

static int64_t leaf_size(int64_t n) {
    int64_t leaf = (n + MOST_LEAVES - 1) / MOST_LEAVES;
    leaf = (leaf + LEAF - 1) / LEAF * LEAF;
    return leaf;
}

static bool is_leaf(const Split *split, int64_t n) { return n < 2 * split->leaf; }

// The block beside the first half's factor: times L11^-H from the right, or times U11^-H from the
// left.
static Value *build_beside(Split *split, Value *first, Value *beside) {
    Module *module = split->module;
    Op *op = build_op(
        &split->builder, OP_TRIANGULAR_SOLVE, 2, (Value *[]){first, beside}, 1, &beside->type, 0);
    int transpose = is_complex(first) ? TRANSPOSE_ADJOINT : TRANSPOSE_TRANSPOSE;
    op_set_attr(module, op, NAME_LEFT_SIDE, attr_bool(module->context, !split->is_lower));
    op_set_attr(module, op, NAME_LOWER, attr_bool(module->context, split->is_lower));
    op_set_attr(module, op, NAME_UNIT_DIAGONAL, attr_bool(module->context, false));
    op_set_attr(
        module, op, NAME_TRANSPOSE_A, attr_enum(module->context, ENUM_TRANSPOSE, transpose));
    return op_result(op, 0);
}

static Value *build_factor(Split *split, Value *a) {
    Op *op = build_op(&split->builder, OP_CHOLESKY, 1, &a, 1, &a->type, 0);
    op_set_attr(split->module, op, NAME_LOWER, attr_bool(split->module->context, split->is_lower));
    return op_result(op, 0);
}

static Value *factor(Split *split, Value *a) {
    int row = rank_of(a) - 2;
    int64_t n = a->type->dims[row];
    if (is_leaf(split, n)) return build_factor(split, a);
    int64_t half = half_of(split, n);
    bool is_lower = split->is_lower;
    Value *first = factor(split, block(split, a, 0, half, 0, half));
    Value *beside =
        is_lower ? block(split, a, half, n, 0, half) : block(split, a, 0, half, half, n);
    Value *rest = block(split, a, half, n, half, n);
    beside = build_beside(split, first, beside);
    Value *turned = conjugate(split, beside);
    rest = is_lower ? subtract_product(split, rest, beside, 1, turned, 1)
                    : subtract_product(split, rest, turned, 0, beside, 0);
    rest = factor(split, rest);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < row + 2; d++)
        dims[d] = beside->type->dims[is_lower && d >= row ? 2 * row + 1 - d : d];
    if (!is_lower) {
        dims[row] = n - half;
        dims[row + 1] = half;
    }
    const Type *type = type_tensor(split->module->context, a->type->element, row + 2, dims);
    Value *zero = build_splat(&split->builder, type, 0);
    Value *top[2] = {first, is_lower ? zero : beside};
    Value *bottom[2] = {is_lower ? beside : zero, rest};
    Value *rows[2] = {
        build_concatenate(&split->builder, 2, top, row + 1),
        build_concatenate(&split->builder, 2, bottom, row + 1)};
    return build_concatenate(&split->builder, 2, rows, row);
}

// ---- the pass

static bool split_factor(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_CHOLESKY) return false;
    const Type *type = op_operand_type(op, 0);
    if (type->rank < 2 || type_element_count(type) == 0) return false;
    int64_t n = type->dims[type->rank - 1];
    Split split = {
        .module = module,
        .builder = builder_before(module, op),
        .is_lower = op_int(op, NAME_LOWER, 0) != 0,
        .leaf = leaf_size(n)};
    if (is_leaf(&split, n)) return false;
    ElementType element = type->element;
    bool is_narrow = element_is_float(element) && element_bits(element) < 32;
    Value *a = op_operand(op, 0);
    if (is_narrow) a = build_convert(&split.builder, a, ELEMENT_F32);
    Value *result = factor(&split, a);
    if (is_narrow) result = build_convert(&split.builder, result, element);
    value_replace_uses(op_result(op, 0), result);
    op_erase(op);
    return true;
}

PassResult pass_split_factors(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_factor, module);
}

// local_cholesky: the Cholesky factor of one matrix whose columns are sharded,
// in blocks of the tiles' size t.
//
//   step j     device j has block (j, j), from which all that lies above it is
//              subtracted; all devices get it and factor it: U_jj
//              device c > j solves U_jj^T U_jc = A_jc, its block of row j
//              blocks U_jk of all k > j are gathered, and device c subtracts
//              U_jk^T U_jc from its block of row k
//
//   . x x x    What lies below the diagonal is computed along, from whatever the matrix
//   . . x x    holds there, and nobody reads it: in the result it is zero. With n = p t,
//   . . . x    device 3 of 4 has the last column. A lower factor is the upper one,
//   . . . .    transposed, of a matrix in rows.
//
//   cost    per device: n^2 elements in p gathers and broadcasts, as many as gathering the matrix
//           brings; n^3 / p operations in matrix products and n t^2 in factors and solves, instead
//           of n^3 / 3 that every device would do
//   source  Golub, Van Loan, Matrix Computations, 4.2.9 (block Cholesky by outer products)
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

static Value *build_factor(Local *local, Value *a) {
    Op *op = build_op(&local->builder, OP_CHOLESKY, 1, &a, 1, &a->type, 0);
    op_set_attr(local->module, op, NAME_LOWER, attr_bool(local->context, true));
    return op_result(op, 0);
}

// x with l x = b.
static Value *build_solve(Local *local, Value *l, Value *b) {
    Op *op = build_op(&local->builder, OP_TRIANGULAR_SOLVE, 2, (Value *[]){l, b}, 1, &b->type, 0);
    op_set_attr(local->module, op, NAME_LEFT_SIDE, attr_bool(local->context, true));
    op_set_attr(local->module, op, NAME_LOWER, attr_bool(local->context, true));
    op_set_attr(local->module, op, NAME_UNIT_DIAGONAL, attr_bool(local->context, false));
    const Attr *transpose = attr_enum(local->context, ENUM_TRANSPOSE, TRANSPOSE_NO_TRANSPOSE);
    op_set_attr(local->module, op, NAME_TRANSPOSE_A, transpose);
    return op_result(op, 0);
}

// a^T b
static Value *build_product(Local *local, Value *a, Value *b) {
    int64_t batch[MAX_RANK], dims[MAX_RANK], row = a->type->rank - 2;
    for (int d = 0; d < row; d++) {
        batch[d] = d;
        dims[d] = a->type->dims[d];
    }
    dims[row] = a->type->dims[row + 1];
    dims[row + 1] = b->type->dims[row + 1];
    IntSpan batches = {batch, (int)row}, contracted = {&row, 1};
    const DotDims dot = {
        .lhs_batch = batches,
        .rhs_batch = batches,
        .lhs_contracting = contracted,
        .rhs_contracting = contracted};
    const Type *type = type_with_dims(local->context, a->type, (int)row + 2, dims);
    Op *op = build_op(&local->builder, OP_DOT_GENERAL, 2, (Value *[]){a, b}, 1, &type, 0);
    const Attr prototype = {.kind = ATTR_DOT_DIMS, .dot = &dot};
    op_set_attr(
        local->module, op, NAME_DOT_DIMENSION_NUMBERS, attr_intern(local->context, &prototype));
    return op_result(op, 0);
}

static Value *transposed(Local *local, Value *x) {
    int64_t permutation[MAX_RANK];
    int rank = x->type->rank;
    for (int d = 0; d < rank; d++)
        permutation[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
    return build_transpose(&local->builder, x, permutation);
}

// The device's block of row j of the upper factor, from what is left of its blocks
// from row j on, which are updated.
static Value *factor_row(Local *local, const DimTiles *tiles, int64_t j, Value **rest) {
    Builder *b = &local->builder;
    int rows = (*rest)->type->rank - 2, columns = rows + 1;
    int64_t t = tiles->tile;
    Value *own = local_slice_dim(local, *rest, rows, 0, t, 1);
    Value *l = build_factor(local, transposed(local, emit_broadcast(local, own, tiles, j)));
    Value *block = transposed(local, l);
    Value *distance = local_affine(local, tiles, 1, -j), *zero = local_int(local, 0);
    if (j + 1 < tiles->count) {
        Value *right = build_solve(local, l, own);
        Value *all = emit_gather_dim(local, right, tiles, columns);
        all = local_slice_dim(local, all, columns, (j + 1) * t, tiles->count * t, 1);
        *rest = local_slice_dim(local, *rest, rows, t, (*rest)->type->dims[rows], 1);
        *rest = build_binary(b, OP_SUBTRACT, *rest, build_product(local, all, right));
        Value *is_right = build_compare(b, DIRECTION_GT, distance, zero);
        block = build_select(b, is_right, right, block);
    }
    if (j == 0) return block;
    Value *is_left = build_compare(b, DIRECTION_LT, distance, zero);
    return build_select(b, is_left, build_splat(b, block->type, 0), block);
}

bool local_cholesky(Local *local, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    const Sharding *sharding = local_sharding(op_result(op, 0));
    int d = cholesky_dimension(op), other = 2 * type->rank - 3 - d;
    DimTiles tiles = tiles_of(local, type, sharding, d);
    if (!cholesky_may_be_split(op, tiles.count)) return local_whole_dims(local, op);
    sharding = sharding_without_dims(local->context, sharding, 1u << other);
    bool is_upper = d > other;
    Value *rest = local_value_as(local, op_operand(op, 0), sharding);
    if (!is_upper) rest = transposed(local, rest);
    Value **blocks = ARENA_ARRAY(local->scratch, Value *, tiles.count);
    for (int64_t j = 0; j < tiles.count; j++)
        blocks[j] = factor_row(local, &tiles, j, &rest);
    Value *factor = build_concatenate(&local->builder, (int)tiles.count, blocks, type->rank - 2);
    if (!is_upper) factor = transposed(local, factor);
    local_set_as(local, op_result(op, 0), factor, sharding);
    return true;
}

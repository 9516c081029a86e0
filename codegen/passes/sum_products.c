// sum_products: a product of vectors, or of small matrices, is a sum of products.
//
//   In      a device program in canonical form.
//   Out     no dot_general of real numbers whose operands have only batch and contracting
//           dimensions: there is no row or column that tiles of a matrix product would share out.
//           None of so few products with so few rows, or columns, that they would not fill a tile,
//           and none of which nothing is summed, if the operands lie on the device.
//           Sums are of f32, or of what the result has if that is wider.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %0 = dot_general(%a : [8, 64, 32], %b : [32, 8, 64]), batch [0] x [1],
//                contracting [1, 2] x [2, 0] : [8]
//   after   %1 = transpose(%b) : [8, 64, 32]
//           %0 = reduce(multiply(%a, %1)) over [1, 2] : [8]
//
//   before  %0 = dot_general(%a : [900, 3], %b : [3, 4]), contracting [1] x [0] : [900, 4]
//   after   %1 = broadcast_in_dim(%a) : [900, 4, 3]
//           %2 = broadcast_in_dim(%b) : [900, 4, 3], dims [2, 1]
//           %0 = reduce(multiply(%1, %2)) over [2] : [900, 4]
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { FEW = 8 }; // products of a sum; rows or columns

static bool is_product_of_vectors(const Op *op) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    int both = dims->lhs_batch.count + dims->lhs_contracting.count;
    return op_operand_type(op, 0)->rank == both && op_operand_type(op, 1)->rank == both;
}

// Does the value lie on other devices? A product packs it once; a sum would read it for every row.
static bool is_remote(const Value *value) {
    const Op *op = value->def;
    while (op && op->operand_count == 1 && !op_has(op, TRAIT_COLLECTIVE))
        op = op_operand(op, 0)->def;
    return op && op_has(op, TRAIT_COLLECTIVE);
}

static bool is_small(const Op *op) {
    if (is_remote(op_operand(op, 0)) || is_remote(op_operand(op, 1))) return false;
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    int64_t products = 1, shared = 1;
    for (int i = 0; i < dims->lhs_contracting.count; i++)
        products *= lhs->dims[dims->lhs_contracting.data[i]];
    for (int i = 0; i < dims->lhs_batch.count; i++)
        shared *= lhs->dims[dims->lhs_batch.data[i]];
    if (products == 0 || products > FEW || shared == 0) return false;
    int64_t rows = type_element_count(lhs) / shared / products,
            columns = type_element_count(rhs) / shared / products;
    int rank = op_result_type(op, 0)->rank + dims->lhs_contracting.count;
    return rank <= MAX_RANK && (products == 1 || rows <= FEW || columns <= FEW);
}

// x with dimension order[d] as its dimension d.
static Value *ordered(Builder *builder, Value *x, const int64_t *order) {
    for (int d = 0; d < x->type->rank; d++) {
        if (order[d] != d) return build_transpose(builder, x, order);
    }
    return x;
}

// The dimension of the right operand for each one of the left.
static void match_dims(const DotDims *dims, int64_t *matched) {
    for (int i = 0; i < dims->lhs_batch.count; i++)
        matched[dims->lhs_batch.data[i]] = dims->rhs_batch.data[i];
    for (int i = 0; i < dims->lhs_contracting.count; i++)
        matched[dims->lhs_contracting.data[i]] = dims->rhs_contracting.data[i];
}

// The sum over the left operand's contracting dimensions, in ascending order.
static Value *sum_over(Builder *builder, Value *product, IntSpan contracting) {
    int64_t over[MAX_RANK];
    int count = 0;
    for (int64_t d = 0; d < product->type->rank; d++) {
        for (int i = 0; i < contracting.count; i++) {
            if (contracting.data[i] == d) over[count++] = d;
        }
    }
    return count > 0 ? build_reduce(builder, OP_ADD, product, count, over) : product;
}

// What is left of the left operand's dimensions is in their order: the result wants `batch`'s.
static Value *in_order_of(Builder *builder, Value *sum, IntSpan batch) {
    int64_t order[MAX_RANK];
    for (int i = 0; i < batch.count; i++) {
        order[i] = 0;
        for (int j = 0; j < batch.count; j++)
            order[i] += batch.data[j] < batch.data[i];
    }
    return ordered(builder, sum, order);
}

// The products of vectors, summed; batch dimensions in their order.
static Value *sum_of_vectors(Builder *builder, const DotDims *dims, Value *x, Value *y) {
    int64_t matched[MAX_RANK];
    match_dims(dims, matched);
    Value *product = build_binary(builder, OP_MULTIPLY, x, ordered(builder, y, matched));
    Value *all = sum_over(builder, product, dims->lhs_contracting);
    return in_order_of(builder, all, dims->lhs_batch);
}

// One operand over batch, rows, columns and what is summed: `free` is where its own dimensions go.
static Value *over_all(
    Builder *builder, Value *x, const Type *all, IntSpan batch, IntSpan contracting, int free) {
    int64_t places[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++) {
        int b = ints_find(batch, d), k = ints_find(contracting, d);
        places[d] = b >= 0 ? b : k >= 0 ? all->rank - contracting.count + k : free++;
    }
    return build_broadcast_in_dim(builder, x, all, places);
}

static Value *sum_of_matrices(
    Builder *builder, const DotDims *dims, const Type *result, Value *x, Value *y) {
    int64_t sizes[MAX_RANK], over[MAX_RANK];
    int rank = result->rank, count = dims->lhs_contracting.count;
    for (int d = 0; d < rank; d++)
        sizes[d] = result->dims[d];
    for (int k = 0; k < count; k++) {
        over[k] = rank + k;
        sizes[rank + k] = x->type->dims[dims->lhs_contracting.data[k]];
    }
    const Type *all = type_tensor(builder->module->context, x->type->element, rank + count, sizes);
    int batches = dims->lhs_batch.count, rows = x->type->rank - batches - count;
    x = over_all(builder, x, all, dims->lhs_batch, dims->lhs_contracting, batches);
    y = over_all(builder, y, all, dims->rhs_batch, dims->rhs_contracting, batches + rows);
    Value *product = build_binary(builder, OP_MULTIPLY, x, y);
    return count > 0 ? build_reduce(builder, OP_ADD, product, count, over) : product;
}

static Value *sum_of_products(Module *module, Op *op) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *result = op_result_type(op, 0);
    Builder builder = builder_before(module, op);
    bool is_narrow = element_is_float(result->element) && element_bits(result->element) < 32;
    ElementType sum = is_narrow ? ELEMENT_F32 : result->element;
    Value *x = op_operand(op, 0), *y = op_operand(op, 1);
    if (x->type->element != sum) x = build_convert(&builder, x, sum);
    if (y->type->element != sum) y = build_convert(&builder, y, sum);
    Value *all = is_product_of_vectors(op) ? sum_of_vectors(&builder, dims, x, y)
                                           : sum_of_matrices(&builder, dims, result, x, y);
    return sum == result->element ? all : build_convert(&builder, all, result->element);
}

static bool sum_product(Op *op, void *user) {
    if (op->code != OP_DOT_GENERAL) return false;
    ElementType element = op_result_type(op, 0)->element;
    bool is_real = element_is_float(element) || element_is_integer(element);
    if (!is_real || (!is_product_of_vectors(op) && !is_small(op))) return false;
    value_replace_uses(op_result(op, 0), sum_of_products(user, op));
    op_erase(op);
    return true;
}

PassResult pass_sum_products(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, sum_product, module);
}

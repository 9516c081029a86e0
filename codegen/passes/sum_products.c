// sum_products: a product of vectors is a sum of products.
//
//   In      a device program in canonical form.
//   Out     no dot_general of real numbers whose operands have only batch and contracting
//           dimensions: there is no row or column that tiles of a matrix product would share out.
//           Sums are of f32, or of what the result has if that is wider.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %0 = dot_general(%a : [8, 64, 32], %b : [32, 8, 64]), batch [0] x [1],
//                contracting [1, 2] x [2, 0] : [8]
//   after   %1 = transpose(%b) : [8, 64, 32]
//           %0 = reduce(multiply(%a, %1)) over [1, 2] : [8]
#include "ir/builder.h"
#include "ir/pass/passes.h"

static bool is_product_of_vectors(const Op *op) {
    if (op->code != OP_DOT_GENERAL) return false;
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    int both = dims->lhs_batch.count + dims->lhs_contracting.count;
    ElementType element = op_result_type(op, 0)->element;
    bool is_real = element_is_float(element) || element_is_integer(element);
    return is_real && op_operand_type(op, 0)->rank == both && op_operand_type(op, 1)->rank == both;
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

static Value *sum_of_products(Module *module, Op *op) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    ElementType element = op_result_type(op, 0)->element;
    Builder builder = builder_before(module, op);
    bool is_narrow = element_is_float(element) && element_bits(element) < 32;
    ElementType sum = is_narrow ? ELEMENT_F32 : element;
    int64_t matched[MAX_RANK];
    match_dims(dims, matched);
    Value *x = op_operand(op, 0), *y = ordered(&builder, op_operand(op, 1), matched);
    if (x->type->element != sum) x = build_convert(&builder, x, sum);
    if (y->type->element != sum) y = build_convert(&builder, y, sum);
    Value *product = build_binary(&builder, OP_MULTIPLY, x, y);
    Value *all = sum_over(&builder, product, dims->lhs_contracting);
    all = in_order_of(&builder, all, dims->lhs_batch);
    return sum == element ? all : build_convert(&builder, all, element);
}

typedef struct Walk {
    Module *module;
    bool has_changed;
} Walk;

static bool sum_product(Op *op, void *user) {
    Walk *walk = user;
    if (!is_product_of_vectors(op)) return true;
    value_replace_uses(op_result(op, 0), sum_of_products(walk->module, op));
    op_erase(op);
    walk->has_changed = true;
    return true;
}

PassResult pass_sum_products(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    Walk walk = {.module = module};
    if (!main) return PASS_UNCHANGED;
    region_walk(func_body(main), sum_product, &walk);
    return walk.has_changed ? PASS_CHANGED : PASS_UNCHANGED;
}

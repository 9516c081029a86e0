// order_products: large arrays of products are written and read in the order in which others make
// and read them.
//
//   In      a device program in canonical form.
//   Out     a transpose of a product's result that keeps its free dimensions in two groups is the
//           product of operands in that order, also through sums over devices and elementwise ops
//           in between; a product reads what a transpose was made of, and its own result is
//           transposed, where that is smaller.
//   Keeps   what the program computes, but for the order of summation over several dimensions.
//
//   before  %1 = dot_general(%k : [b, s, d], %q : [b, t, g, d]) : [b, s, t, g]
//           %2 = transpose(%1) : [b, g, t, s]
//   after   %1 = transpose(%q) : [b, g, t, d]
//           %2 = dot_general(%1, %k) : [b, g, t, s]
//
// JAX's gradients of weights come as such transposes, and attention whose queries share heads of
// keys.
#include "ir/builder.h"
#include "ir/pass/passes.h"

// The dimensions of a product's operand that are neither batch nor contracted, in order.
typedef struct FreeDims {
    int count;
    int64_t dims[MAX_RANK];
} FreeDims;

static FreeDims free_dims(const Op *dot, int side) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan batch = side ? dims->rhs_batch : dims->lhs_batch,
            contracting = side ? dims->rhs_contracting : dims->lhs_contracting;
    FreeDims found = {0};
    for (int d = 0; d < op_operand_type(dot, side)->rank; d++) {
        if (!ints_contain(batch, d) && !ints_contain(contracting, d)) found.dims[found.count++] = d;
    }
    return found;
}

static bool is_identity(int count, const int64_t *order) {
    for (int i = 0; i < count; i++) {
        if (order[i] != i) return false;
    }
    return true;
}

static bool is_much_smaller(const Type *a, const Type *b) {
    return 2 * type_element_count(a) <= type_element_count(b);
}

static Op *build_product(
    Builder *builder, const Op *like, Value *lhs, Value *rhs, const DotDims *dims,
    const Type *result) {
    PtrMap values = ptr_map(builder->module->arena);
    Op *dot = op_clone(builder, like, &values);
    op_set_operand(dot, 0, lhs);
    op_set_operand(dot, 1, rhs);
    Attr prototype = {.kind = ATTR_DOT_DIMS, .dot = dims};
    op_set_attr(
        builder->module, dot, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(builder->module->context, &prototype));
    op_set_attr(builder->module, dot, NAME_PRECISION_CONFIG, NULL); // has no meaning on a CPU
    op_result(dot, 0)->type = result;
    return dot;
}

// ---- results

// What a transpose makes of a product's result: [batch, one operand's free dimensions, the
// other's], each in an order of its own.
typedef struct ResultOrder {
    bool is_swapped;            // the right operand's come first
    int64_t order[2][MAX_RANK]; // by operand: numbers of its free dimensions
} ResultOrder;

static bool find_result_order(
    const Op *dot, IntSpan permutation, const FreeDims *free, ResultOrder *found) {
    int batch = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot->lhs_batch.count;
    int m = free[0].count, n = free[1].count;
    if (m == 0 || n == 0 || !is_identity(batch, permutation.data)) return false;
    found->is_swapped = permutation.data[batch] >= batch + m;
    int next[2] = {0, 0}, first = found->is_swapped ? n : m;
    for (int d = batch; d < permutation.count; d++) {
        int64_t from = permutation.data[d] - batch;
        int side = from >= m;
        bool is_first = d - batch < first;
        if (side != (is_first ? found->is_swapped : !found->is_swapped)) return false;
        found->order[side][next[side]++] = side ? from - m : from;
    }
    return true;
}

// The operand with its free dimensions in this order.
static Value *ordered(
    Builder *builder, Value *operand, const FreeDims *free, const int64_t *order) {
    if (is_identity(free->count, order)) return operand;
    int64_t permutation[MAX_RANK];
    for (int d = 0; d < operand->type->rank; d++)
        permutation[d] = d;
    for (int i = 0; i < free->count; i++)
        permutation[free->dims[i]] = free->dims[order[i]];
    return build_transpose(builder, operand, permutation);
}

// Is the transposed result a product of the operands, at most transposed where they are smaller?
static bool fits_result(const Op *dot, IntSpan permutation) {
    FreeDims free[2] = {free_dims(dot, 0), free_dims(dot, 1)};
    ResultOrder found;
    if (!find_result_order(dot, permutation, free, &found)) return false;
    bool is_changed = found.is_swapped;
    for (int side = 0; side < 2; side++) {
        if (is_identity(free[side].count, found.order[side])) continue;
        if (!is_much_smaller(op_operand_type(dot, side), op_result_type(dot, 0))) return false;
        is_changed = true;
    }
    return is_changed;
}

// May a transpose move from the op's result to its operand? Then nothing else
// changes in the op but its type.
static bool commutes_with_transpose(const Op *op) {
    if (op->operand_count != 1 || op->result_count != 1) return false;
    if (op->code != OP_ALL_REDUCE && !op_has(op, TRAIT_POINTWISE)) return false;
    return type_same_shape(op_operand_type(op, 0), op_result_type(op, 0));
}

// Is there a product below, reached through ops that nobody else reads?
static bool leads_to_product(const Op *transpose) {
    const Value *value = op_operand(transpose, 0);
    IntSpan permutation = op_ints(transpose, NAME_PERMUTATION);
    for (int depth = 0; depth < 16; depth++) {
        const Op *op = value->def;
        if (!op || op->parent != transpose->parent || !value_has_one_use(value)) return false;
        if (op->code == OP_DOT_GENERAL) return fits_result(op, permutation);
        if (!commutes_with_transpose(op)) return false;
        value = op_operand(op, 0);
    }
    return false;
}

// The type of the op's result, transposed.
static const Type *type_behind(Module *module, const Op *op, const Op *transpose) {
    const Type *like = op_result_type(transpose, 0);
    return type_with_dims(module->context, op_result_type(op, 0), like->rank, like->dims);
}

static Value *transposed_product(Module *module, Op *dot, Op *transpose) {
    FreeDims free[2] = {free_dims(dot, 0), free_dims(dot, 1)};
    ResultOrder found;
    find_result_order(dot, op_ints(transpose, NAME_PERMUTATION), free, &found);
    Builder builder = builder_before(module, transpose);
    builder.loc = dot->loc;
    Value *operands[2];
    for (int side = 0; side < 2; side++)
        operands[side] = ordered(&builder, op_operand(dot, side), &free[side], found.order[side]);
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    DotDims swapped = {
        .lhs_batch = dims->rhs_batch,
        .rhs_batch = dims->lhs_batch,
        .lhs_contracting = dims->rhs_contracting,
        .rhs_contracting = dims->lhs_contracting};
    Op *product = build_product(
        &builder, dot, operands[found.is_swapped], operands[!found.is_swapped],
        found.is_swapped ? &swapped : dims, type_behind(module, dot, transpose));
    return op_result(product, 0);
}

// Rebuilds the chain from the product upwards, transposed.
static Value *transposed(Module *module, Op *op, Op *transpose) {
    if (op->code == OP_DOT_GENERAL) return transposed_product(module, op, transpose);
    Value *operand = transposed(module, op_operand(op, 0)->def, transpose);
    Builder builder = builder_before(module, transpose);
    builder.loc = op->loc;
    PtrMap values = ptr_map(module->arena);
    ptr_map_set(&values, op_operand(op, 0), operand);
    Op *copy = op_clone(&builder, op, &values);
    op_result(copy, 0)->type = type_behind(module, op, transpose);
    return op_result(copy, 0);
}

static bool order_result(Module *module, Op *transpose) {
    Value *operand = op_operand(transpose, 0);
    if (!leads_to_product(transpose)) return false;
    Op *chain = operand->def;
    Value *value = transposed(module, chain, transpose);
    value_replace_uses(op_result(transpose, 0), value);
    op_erase(transpose);
    while (chain && !op_result(chain, 0)->uses) {
        Op *next = chain->code == OP_DOT_GENERAL ? NULL : op_operand(chain, 0)->def;
        op_erase(chain);
        chain = next;
    }
    return true;
}

// ---- operands

typedef struct DimLists {
    int64_t batch[MAX_RANK], contracting[2][MAX_RANK]; // contracting: by operand
    int64_t order[MAX_RANK];                           // of the free dimensions
} DimLists;

// The lists for what the transpose is made of, contracted dimensions in its order; false: they are
// in order as they are.
static bool find_lists(const Op *dot, int side, DimLists *lists) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan permutation = op_ints(op_operand(dot, side)->def, NAME_PERMUTATION),
            batch = side ? dims->rhs_batch : dims->lhs_batch,
            own = side ? dims->rhs_contracting : dims->lhs_contracting,
            other = side ? dims->lhs_contracting : dims->rhs_contracting;
    bool is_ordered = true;
    for (int i = 0; i < batch.count; i++)
        lists->batch[i] = permutation.data[batch.data[i]];
    for (int i = 0; i < own.count; i++) {
        int64_t d = permutation.data[own.data[i]];
        int at = i;
        for (; at > 0 && lists->contracting[side][at - 1] > d; at--) {
            lists->contracting[side][at] = lists->contracting[side][at - 1];
            lists->contracting[1 - side][at] = lists->contracting[1 - side][at - 1];
            is_ordered = false;
        }
        lists->contracting[side][at] = d;
        lists->contracting[1 - side][at] = other.data[i];
    }
    FreeDims free = free_dims(dot, side);
    for (int i = 0; i < free.count; i++) { // where dimension i of the operand comes
        lists->order[i] = 0;
        for (int k = 0; k < free.count; k++)
            lists->order[i] += permutation.data[free.dims[k]] < permutation.data[free.dims[i]];
    }
    return !is_ordered || !is_identity(free.count, lists->order);
}

// The product in the place of this one; NULL = it stays.
static Op *order_operand(Module *module, Op *dot, int side) {
    const Value *operand = op_operand(dot, side);
    const Op *transpose = operand->def;
    if (!transpose || transpose->code != OP_TRANSPOSE || transpose->parent != dot->parent)
        return NULL;
    const Type *type = op_result_type(dot, 0);
    DimLists lists;
    if (!is_much_smaller(type, operand->type) || !find_lists(dot, side, &lists)) return NULL;
    const DotDims *old = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    int batch = old->lhs_batch.count, m = free_dims(dot, 0).count;
    IntSpan own = {lists.batch, batch}, other = side ? old->lhs_batch : old->rhs_batch;
    DotDims dims = {
        .lhs_batch = side ? other : own,
        .rhs_batch = side ? own : other,
        .lhs_contracting = {lists.contracting[0], old->lhs_contracting.count},
        .rhs_contracting = {lists.contracting[1], old->rhs_contracting.count}};
    int64_t permutation[MAX_RANK], sizes[MAX_RANK];
    int first = side ? batch + m : batch, count = free_dims(dot, side).count;
    for (int d = 0; d < type->rank; d++) {
        bool is_moved = d >= first && d < first + count;
        permutation[d] = is_moved ? first + lists.order[d - first] : d;
        sizes[permutation[d]] = type->dims[d];
    }
    Builder builder = builder_before(module, dot);
    builder.loc = dot->loc;
    Value *operands[2] = {op_operand(dot, 0), op_operand(dot, 1)};
    operands[side] = op_operand(transpose, 0);
    Op *product = build_product(
        &builder, dot, operands[0], operands[1], &dims,
        type_with_dims(module->context, type, type->rank, sizes));
    Value *result = op_result(product, 0);
    if (!is_identity(type->rank, permutation))
        result = build_transpose(&builder, result, permutation);
    value_replace_uses(op_result(dot, 0), result);
    op_erase(dot);
    return product;
}

static bool order_op(Op *op, void *user) {
    if (op->code == OP_TRANSPOSE) return order_result(user, op);
    if (op->code != OP_DOT_GENERAL) return false;
    Op *first = order_operand(user, op, 0);
    return order_operand(user, first ? first : op, 1) || first;
}

PassResult pass_order_products(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, order_op, module);
}

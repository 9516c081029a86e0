// split_products: long sums of matrix products with few results in two levels, so
// that they keep all lanes busy.
//
//   In      a device program in canonical form.
//   Out     a dot_general of floats with few results and a long K first makes P products of
//           parts of K, then sums them: lanes that share out the results of one product each
//           pack all of an operand, and those that share out its parts do not. P depends on the
//           shape alone, so the bits do not depend on the number of threads.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %0 = dot_general(%a : [64, 65536], %b : [65536, 64]) : [64, 64]
//   after   %1 = dot_general(reshape(%a) : [64, 32, 2048], reshape(%b) : [32, 2048, 64]),
//                batch [1] x [0] : [32, 64, 64]
//           %0 = reduce(%1) over [0]
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    MOST_LINES = 640,         // of either operand: beside more, packing takes little of the time
    MOST_ENTRIES = 2,         // of the batch: lanes can share out more of them,
    FEW_RESULTS = 1 << 14,    // unless there are no more results than these
    LONG = 4,                 // times as many k's as lines
    LEAST_ELEMENTS = 1 << 17, // of both operands in one batch entry
    LEAST_PART = 1 << 10,     // k's of a part
    MOST_PARTS = 32
};

// The rows of A or the columns of B: what is neither batch nor contracted.
static int64_t lines(const Type *operand, IntSpan batch, IntSpan contracting) {
    int64_t count = type_element_count(operand);
    for (int i = 0; i < batch.count && count > 0; i++)
        count /= operand->dims[batch.data[i]];
    for (int i = 0; i < contracting.count && count > 0; i++)
        count /= operand->dims[contracting.data[i]];
    return count;
}

// The largest number of parts; 0 = none.
static int64_t part_count(int64_t k) {
    for (int64_t parts = MOST_PARTS; parts > 1; parts--) {
        if (k % parts == 0 && k / parts >= LEAST_PART) return parts;
    }
    return 0;
}

// x with dimension d cut into (parts, size / parts).
static Value *cut(Builder *builder, Value *x, int64_t d, int64_t parts) {
    int64_t dims[MAX_RANK];
    int rank = 0;
    for (int i = 0; i < x->type->rank; i++) {
        if (i == d) dims[rank++] = parts;
        dims[rank++] = i == d ? x->type->dims[i] / parts : x->type->dims[i];
    }
    return build_reshape(builder, x, rank, dims);
}

// Dimension numbers after the cut of dimension d.
static IntSpan moved(Arena *arena, IntSpan dims, int64_t d, bool adds_part) {
    int64_t *data = ARENA_ARRAY(arena, int64_t, dims.count + 1);
    for (int i = 0; i < dims.count; i++)
        data[i] = dims.data[i] < d ? dims.data[i] : dims.data[i] + 1;
    if (adds_part) data[dims.count] = d;
    return (IntSpan){data, dims.count + adds_part};
}

// The sum over `parts` of the products of parts of K: of dimension l of A, r of B.
static Value *build_parts(Module *module, Op *op, int64_t l, int64_t r, int64_t parts) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *type = op_result_type(op, 0);
    Builder builder = builder_before(module, op);
    Arena *arena = module->arena;
    DotDims of_parts = {
        .lhs_batch = moved(arena, dims->lhs_batch, l, true),
        .rhs_batch = moved(arena, dims->rhs_batch, r, true),
        .lhs_contracting = moved(arena, dims->lhs_contracting, l, false),
        .rhs_contracting = moved(arena, dims->rhs_contracting, r, false)};
    int batch = dims->lhs_batch.count;
    int64_t shape[MAX_RANK];
    for (int d = 0; d <= type->rank; d++)
        shape[d] = d < batch ? type->dims[d] : d == batch ? parts : type->dims[d - 1];
    PtrMap values = ptr_map(arena);
    Op *product = op_clone(&builder, op, &values);
    op_set_operand(product, 0, cut(&builder, op_operand(op, 0), l, parts));
    op_set_operand(product, 1, cut(&builder, op_operand(op, 1), r, parts));
    op_move_before(product, op);
    op_set_attr(
        module, product, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = &of_parts}));
    ElementType sum = type->element == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
    op_result(product, 0)->type = type_tensor(module->context, sum, type->rank + 1, shape);
    int64_t over = batch;
    Value *all = build_reduce(&builder, OP_ADD, op_result(product, 0), 1, &over);
    if (sum != type->element) all = build_convert(&builder, all, type->element);
    return all;
}

// In how many parts the product is made; 0: as it is.
static int64_t parts_of(const Op *op, int64_t k) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    int64_t rows = lines(op_operand_type(op, 0), dims->lhs_batch, dims->lhs_contracting),
            columns = lines(op_operand_type(op, 1), dims->rhs_batch, dims->rhs_contracting);
    int64_t most = rows > columns ? rows : columns,
            results = type_element_count(op_result_type(op, 0));
    if (most == 0 || most > MOST_LINES || k / LONG < most || k * (rows + columns) < LEAST_ELEMENTS)
        return 0;
    if (results > FEW_RESULTS && results > MOST_ENTRIES * rows * columns) return 0;
    return part_count(k);
}

// Do devices gather the operand along dimension d? Then it lies in pieces anyway, and a product of
// the whole operand stores it once for all of them.
static bool is_gathered(const Value *operand, int64_t d) {
    const Op *op = operand->def;
    return op && op->code == OP_ALL_GATHER && op_int(op, NAME_ALL_GATHER_DIM, 0) == d;
}

static bool split_product(Op *op, void *user) {
    if (op->code != OP_DOT_GENERAL) return false;
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1),
               *type = op_result_type(op, 0);
    if (!element_is_float(type->element) || lhs->rank >= MAX_RANK || rhs->rank >= MAX_RANK ||
        type->rank >= MAX_RANK)
        return false;
    int longest = -1;
    for (int i = 0; i < dims->lhs_contracting.count; i++) {
        int64_t size = lhs->dims[dims->lhs_contracting.data[i]];
        if (longest < 0 || size > lhs->dims[dims->lhs_contracting.data[longest]]) longest = i;
    }
    if (longest < 0) return false;
    int64_t l = dims->lhs_contracting.data[longest], r = dims->rhs_contracting.data[longest];
    int64_t parts = parts_of(op, lhs->dims[l]);
    if (parts == 0 || is_gathered(op_operand(op, 0), l) || is_gathered(op_operand(op, 1), r))
        return false;
    Value *all = build_parts(user, op, l, r, parts);
    value_replace_uses(op_result(op, 0), all);
    op_erase(op);
    return true;
}

PassResult pass_split_products(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_product, module);
}

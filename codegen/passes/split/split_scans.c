// split_scans: cumulative sums (products, maxima ...) of few long rows in two levels.
//
//   In      a device program in canonical form.
//   Out     a cumulative window over a long row begins anew at each of P parts of the row, all of
//           which are made together; what is added to each part is the cumulative sum of the sums
//           of the parts before it. P depends on the shape alone, so the bits do not depend on
//           the number of threads.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %0 = reduce_window(%x : [1048576]), window [1048576], padding [1048575, 0]
//   after   %1 = reshape(%x) : [256, 4096]
//           %2 = reduce(%1) over [1] : [256]
//           %3 = pad(reduce_window(%2), window [256], padding [255, 0]), low [1], high [-1]
//           %0 = reduce_window(%1), window [1, 4096], padding [0, 4095] + broadcast(%3)
//
//   source  Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990
#include "ir/analysis/cumulative.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    LEAST_ELEMENTS = 1 << 14, // of a row
    MOST_ROWS = 16,           // more of them keep the lanes of a vector busy
    LEAST_PART = 64,          // elements
    MOST_PART = 512 // parts that lie further apart by powers of two share sets of the caches
};

typedef struct Scan {
    Op *op;
    OpCode body;
    int dimension;
    bool is_reversed;
} Scan;

static bool find_scan(Module *module, Op *op, Scan *s) {
    *s = (Scan){.op = op};
    if (op->operand_count != 2 || op->result_count != 1) return false;
    const Type *type = op_operand_type(op, 0);
    if (op_result_type(op, 0)->element != type->element || type->rank == MAX_RANK) return false;
    s->body = region_reduction_op(op->regions[0]);
    s->dimension = cumulative_dim(op, &s->is_reversed);
    if (s->body == OP_COUNT || s->dimension < 0) return false;
    int64_t length = type->dims[s->dimension];
    if (length < LEAST_ELEMENTS || type_element_count(type) / length > MOST_ROWS) return false;
    const Attr *neutral =
        reduction_neutral(module->context, s->body, type_scalar(module->context, type->element));
    const Op *init = op_operand(op, 1)->def;
    return neutral && init && init->code == OP_CONSTANT &&
           attr_equal(op_attr(init, NAME_VALUE), neutral);
}

// Elements of a part; 0 = no length divides the row, which stays whole: padding it, or few long
// parts, took longer than one sum after the other.
static int64_t part_length(int64_t length) {
    for (int64_t part = MOST_PART; part >= LEAST_PART; part--) {
        if (length % part == 0) return part;
    }
    return 0;
}

// The same cumulative window along dimension d of x.
static Value *build_scan(Module *module, Builder *builder, const Scan *s, Value *x, int d) {
    const Type *scalar = type_scalar(module->context, x->type->element);
    int64_t size[MAX_RANK], padding[2 * MAX_RANK] = {0};
    for (int i = 0; i < x->type->rank; i++)
        size[i] = i == d ? x->type->dims[i] : 1;
    padding[2 * d + s->is_reversed] = x->type->dims[d] - 1;
    Value *init = build_constant(builder, reduction_neutral(module->context, s->body, scalar));
    Value *operands[2] = {x, init};
    Op *scan = build_op(builder, OP_REDUCE_WINDOW, 2, operands, 1, &x->type, 1);
    Context *context = module->context;
    op_set_attr(module, scan, NAME_WINDOW_DIMENSIONS, attr_ints(context, x->type->rank, size));
    op_set_attr(module, scan, NAME_PADDING, attr_int_matrix(context, x->type->rank, 2, padding));
    build_reduction_body(module, scan->regions[0], s->body, x->type->element, builder->loc);
    return op_result(scan, 0);
}

static bool split_scan(Op *op, void *user) {
    Module *module = user;
    Scan s;
    if (op->code != OP_REDUCE_WINDOW || !find_scan(module, op, &s)) return false;
    const Type *type = op_operand_type(op, 0);
    int d = s.dimension;
    int64_t part = part_length(type->dims[d]), dims[MAX_RANK], kept[MAX_RANK];
    if (!part) return false;
    int rank = 0;
    for (int i = 0; i < type->rank; i++) {
        if (i == d) dims[rank++] = type->dims[i] / part;
        dims[rank++] = i == d ? part : type->dims[i];
    }
    Builder builder = builder_before(module, op);
    Value *x = build_reshape(&builder, op_operand(op, 0), rank, dims);
    bool is_narrow = element_is_float(type->element) && element_bits(type->element) < 32;
    if (is_narrow) x = build_convert(&builder, x, ELEMENT_F32); // all sums are rounded once
    Value *sums = build_reduce(&builder, s.body, x, 1, &(int64_t){d + 1});
    int64_t low[MAX_RANK] = {0}, high[MAX_RANK] = {0};
    low[d] = s.is_reversed ? -1 : 1;
    high[d] = -low[d];
    Value *before = build_scan(module, &builder, &s, sums, d);
    before = build_pad(&builder, before, op_operand(before->def, 1), low, high, NULL);
    for (int i = 0; i < type->rank; i++)
        kept[i] = i <= d ? i : i + 1;
    before = build_broadcast_in_dim(&builder, before, x->type, kept);
    Value *own = build_scan(module, &builder, &s, x, d + 1);
    Value *all =
        build_binary(&builder, s.body, s.is_reversed ? own : before, s.is_reversed ? before : own);
    if (is_narrow) all = build_convert(&builder, all, type->element);
    value_replace_uses(op_result(op, 0), build_reshape(&builder, all, type->rank, type->dims));
    op_erase(op);
    return true;
}

PassResult pass_split_scans(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_scan, module);
}

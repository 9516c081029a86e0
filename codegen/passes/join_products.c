// join_products: sums over devices of matrix products are one product over the K of all of them.
//
//   In      the sum, in canonical form.
//   Out     where devices each multiply a part of K and sum the results, each of them makes a part
//           of the result, over all of K: it reads the others' operands where they lie. No array of
//           partial results is written and summed.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %1 = dot_general(%a : [512, 32], %b : [32, 256]) : [512, 256]
//           %2 = all_reduce(%1) over 4 devices
//   after   %1 = all_to_all(reshape(%a) : [512, 1, 32]) : [128, 4, 32]
//           %2 = all_gather(reshape(%b) : [1, 32, 256]) : [4, 32, 256]
//           %3 = dot_general(%1, %2), contracting [1, 2] x [0, 1] : [128, 256]
//           %4 = all_gather(%3) : [512, 256]
//
// It costs to pack the operand that is gathered once for each device, which pays
// where K is short beside the result.
#include "codegen/passes/join_products.h"

#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"
#include "ir/builder.h"

enum { LEAST_BYTES = 64 << 10, LEAST_LINES = 64 };

typedef struct Join {
    Module *module;
    Op *sum, *dot;
    const DotDims *dims;
    const Attr *groups;
    int64_t devices;        // of a group
    int64_t batch, m, n, k; // sizes
} Join;

static bool find_groups(Join *join) {
    join->groups = op_attr(join->sum, NAME_REPLICA_GROUPS);
    if (!groups_hold_all(join->module->arena, join->groups)) return false;
    join->devices = join->groups->type->dims[1];
    return true;
}

static int64_t size_of(const Type *type, IntSpan dims) {
    int64_t size = 1;
    for (int i = 0; i < dims.count; i++)
        size *= type->dims[dims.data[i]];
    return size;
}

static bool is_sum_of_product(Join *join, Op *sum) {
    join->sum = sum;
    if (sum->operand_count != 1 || region_reduction_op(sum->regions[0]) != OP_ADD) return false;
    const Value *value = op_operand(sum, 0);
    join->dot = value->def;
    if (!join->dot || join->dot->code != OP_DOT_GENERAL || !value_has_one_use(value) ||
        join->dot->parent != sum->parent || type_element_count(value->type) == 0)
        return false;
    join->dims = op_attr(join->dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *lhs = op_operand_type(join->dot, 0), *rhs = op_operand_type(join->dot, 1);
    if (join->dims->lhs_contracting.count == 0 || lhs->rank == MAX_RANK || rhs->rank == MAX_RANK)
        return false;
    join->batch = size_of(lhs, join->dims->lhs_batch);
    join->k = size_of(lhs, join->dims->lhs_contracting);
    if (join->k == 0) return false;
    join->m = type_element_count(lhs) / join->batch / join->k;
    join->n = type_element_count(rhs) / join->batch / join->k;
    return find_groups(join);
}

// ---- what it costs

// Is the value of a loop's own making, which nobody stores?
static bool is_computed(const Value *value) {
    // what several read, somebody stores, most likely; a slice in a loop is one of what lies there
    return value->def && lower_class(value->def, NULL) == LOWER_ELEMENT &&
           value_has_one_use(value) && !is_slice_of_step(value->def);
}

// Are these elementwise ops the end of a product or a sum, which stores what they make?
static bool ends_a_sum(const Value *value) {
    enum { DEPTH = 16 };
    for (int i = 0; i < DEPTH && is_computed(value); i++) {
        const Op *op = value->def;
        const Value *next = NULL;
        for (int k = 0; k < op->operand_count && !next; k++) {
            const Value *operand = op_operand(op, k);
            bool is_whole = type_element_count(operand->type) == type_element_count(value->type);
            next = is_whole ? operand : NULL;
        }
        if (!next) return false;
        value = next;
    }
    const Op *op = value->def;
    return op && (op->code == OP_DOT_GENERAL || op->code == OP_CONVOLUTION ||
                  op->code == OP_ALL_REDUCE || op->code == OP_REDUCE_SCATTER);
}

// Elements that must be stored so that other devices can read the operand.
static int64_t stored_for_others(const Value *value) {
    while (value->def && value->def->code == OP_RESHAPE)
        value = op_operand(value->def, 0);
    return is_computed(value) && !ends_a_sum(value) ? 2 * type_element_count(value->type) : 0;
}

// Does it pay to share out dimension d of the result?
static bool pays(const Join *join, int d) {
    const Type *type = op_result_type(join->dot, 0);
    int64_t parts = join->devices, batch = join->dims->lhs_batch.count;
    int64_t rows = op_operand_type(join->dot, 0)->rank - join->dims->lhs_contracting.count;
    bool is_batch = d < batch, is_row = d < rows;
    if (type->dims[d] % parts != 0 || (int64_t)type_bytes(type) < LEAST_BYTES) return false;
    int64_t m = is_batch || !is_row ? join->m : join->m / parts,
            n = is_batch || is_row ? join->n : join->n / parts;
    if (m < LEAST_LINES || n < LEAST_LINES) return false;
    int64_t again =
        is_batch ? 0 : join->batch * (parts - 1) * join->k * (is_row ? join->n : join->m);
    for (int i = 0; i < 2; i++)
        again += stored_for_others(op_operand(join->dot, i));
    // a product and its sum pass over the result three times, or five where both of
    // two devices make all of the sum
    bool is_twice = join->sum->code == OP_ALL_REDUCE && parts == 2;
    return is_twice ? again <= 2 * type_element_count(type) : again <= type_element_count(type) / 2;
}

// The dimension of the result that the devices share out; -1 = none. Of a reduce_scatter its own
// needs no exchange afterwards.
static int shared_dim(const Join *join) {
    if (join->sum->code == OP_REDUCE_SCATTER) {
        int d = (int)op_int(join->sum, NAME_SCATTER_DIMENSION, 0);
        if (pays(join, d)) return d;
    }
    for (int d = 0; d < op_result_type(join->dot, 0)->rank; d++)
        if (pays(join, d)) return d;
    return -1;
}

// ---- the new form

static Op *exchange(
    const Join *join, Builder *builder, OpCode code, Value *x, const Type *type, bool is_counted) {
    Module *module = join->module;
    Context *context = module->context;
    Op *op = build_op(builder, code, 1, &x, 1, &type, 0);
    op_set_attr(module, op, NAME_REPLICA_GROUPS, join->groups);
    op_set_attr(module, op, NAME_CHANNEL_HANDLE, op_attr(join->sum, NAME_CHANNEL_HANDLE));
    if (code == OP_ALL_GATHER)
        op_set_attr(
            module, op, NAME_USE_GLOBAL_DEVICE_IDS, op_attr(join->sum, NAME_USE_GLOBAL_DEVICE_IDS));
    if (!is_counted)
        op_set_extra(module, op, context_name(context, SV(UNCOUNTED)), attr_unit(context));
    return op;
}

static void set_dim(const Join *join, Op *op, AttrName name, int64_t number) {
    op_set_attr(join->module, op, name, attr_int(join->module->context, number, ELEMENT_I64));
}

// The operand with the devices in front of its first contracted dimension, which they have parts
// of; of its dimension `split` a part, -1 = all.
static Value *of_devices(const Join *join, Builder *builder, int operand, int split) {
    Value *x = op_operand(join->dot, operand);
    const Type *type = x->type;
    IntSpan contracting = operand ? join->dims->rhs_contracting : join->dims->lhs_contracting;
    int place = (int)contracting.data[0];
    int64_t one[MAX_RANK], all[MAX_RANK];
    for (int d = 0; d <= type->rank; d++) {
        int64_t size = d == place ? 1 : type->dims[d - (d > place)];
        one[d] = all[d] = size;
    }
    all[place] = join->devices;
    Value *view = build_reshape(builder, x, type->rank + 1, one);
    if (split >= 0) split += split >= place;
    if (split >= 0) all[split] /= join->devices;
    const Type *to = type_with_dims(join->module->context, type, type->rank + 1, all);
    Op *op = exchange(join, builder, split < 0 ? OP_ALL_GATHER : OP_ALL_TO_ALL, view, to, false);
    if (split < 0) {
        set_dim(join, op, NAME_ALL_GATHER_DIM, place);
    } else {
        set_dim(join, op, NAME_SPLIT_DIMENSION, split);
        set_dim(join, op, NAME_CONCAT_DIMENSION, place);
        set_dim(join, op, NAME_SPLIT_COUNT, join->devices);
    }
    return op_result(op, 0);
}

// Dimension numbers behind a new dimension `place`, which is the first of them where it is
// contracted.
static IntSpan moved(Arena *arena, IntSpan dims, int64_t place, bool is_contracting) {
    int64_t *data = ARENA_ARRAY(arena, int64_t, dims.count + 1);
    int count = 0;
    if (is_contracting) data[count++] = place;
    for (int i = 0; i < dims.count; i++)
        data[count++] = dims.data[i] + (dims.data[i] >= place);
    return (IntSpan){data, count};
}

static Value *build_product(const Join *join, Builder *builder, const int *split, int shared) {
    Module *module = join->module;
    Arena *arena = module->arena;
    const DotDims *dims = join->dims;
    int64_t l = dims->lhs_contracting.data[0], r = dims->rhs_contracting.data[0];
    DotDims of_all = {
        .lhs_batch = moved(arena, dims->lhs_batch, l, false),
        .rhs_batch = moved(arena, dims->rhs_batch, r, false),
        .lhs_contracting = moved(arena, dims->lhs_contracting, l, true),
        .rhs_contracting = moved(arena, dims->rhs_contracting, r, true)};
    Value *operands[2];
    for (int i = 0; i < 2; i++)
        operands[i] = of_devices(join, builder, i, split[i]);
    PtrMap values = ptr_map(arena);
    Op *product = op_clone(builder, join->dot, &values);
    for (int i = 0; i < 2; i++)
        op_set_operand(product, i, operands[i]);
    op_set_attr(
        module, product, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = &of_all}));
    const Type *type = op_result_type(join->dot, 0);
    int64_t part[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        part[d] = d == shared ? type->dims[d] / join->devices : type->dims[d];
    op_result(product, 0)->type = type_with_dims(module->context, type, type->rank, part);
    return op_result(product, 0);
}

// The operand's dimension that is dimension d of the result; -1 = none.
static int operand_dim(const Join *join, int operand, int d) {
    const DotDims *dims = join->dims;
    IntSpan batch = operand ? dims->rhs_batch : dims->lhs_batch,
            contracting = operand ? dims->rhs_contracting : dims->lhs_contracting;
    int rank = op_operand_type(join->dot, operand)->rank;
    if (d < batch.count) return (int)batch.data[d];
    int at =
        operand ? op_operand_type(join->dot, 0)->rank - dims->lhs_contracting.count : batch.count;
    for (int own = 0; own < rank; own++) {
        if (ints_contain(batch, own) || ints_contain(contracting, own)) continue;
        if (at++ == d) return own;
    }
    return -1;
}

// To each device what it had of the sum.
static Value *give_back(const Join *join, Builder *builder, Value *part, int shared) {
    Module *module = join->module;
    const Type *type = op_result_type(join->sum, 0);
    if (join->sum->code == OP_ALL_REDUCE) {
        Op *gather = exchange(join, builder, OP_ALL_GATHER, part, type, true);
        set_dim(join, gather, NAME_ALL_GATHER_DIM, shared);
        return op_result(gather, 0);
    }
    int own = (int)op_int(join->sum, NAME_SCATTER_DIMENSION, 0);
    if (own != shared) {
        Op *op = exchange(join, builder, OP_ALL_TO_ALL, part, type, true);
        set_dim(join, op, NAME_SPLIT_DIMENSION, own);
        set_dim(join, op, NAME_CONCAT_DIMENSION, shared);
        set_dim(join, op, NAME_SPLIT_COUNT, join->devices);
        return op_result(op, 0);
    }
    op_set_extra(
        module, part->def, context_name(module->context, SV(SPREAD_OVER)),
        attr_int(module->context, 1, ELEMENT_I64)); // it counts as the sum's result
    return part;
}

bool join_product(Module *module, Op *sum) {
    Join join = {.module = module};
    if (!is_sum_of_product(&join, sum)) return false;
    int shared = shared_dim(&join);
    if (shared < 0) return false;
    Builder builder = builder_before(module, sum);
    builder.loc = join.dot->loc;
    int split[2] = {operand_dim(&join, 0, shared), operand_dim(&join, 1, shared)};
    Value *value = build_product(&join, &builder, split, shared);
    value = give_back(&join, &builder, value, shared);
    value_replace_uses(op_result(sum, 0), value);
    op_erase(sum);
    op_erase(join.dot);
    return true;
}

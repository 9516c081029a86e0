// simplify_layout: rewriting that spares passes over memory.
//
//   transposes   transpose(dot(a, b)) = dot(b, a), also through sums over devices and elementwise
//                ops in between: the product is written in the order in which it is read. JAX's
//                gradients of weights come as such transposes.
//   all_reduce   of a large array among many devices: each device sums its part, and readers take
//                every part from the device that has it: a reduce_scatter and an all_gather, which
//                is an index map. Each element is then summed once instead of once per device.
//
//   products     whose results devices sum: one product over all of their K's, see join_products.c
//   all_to_all   along a minor dimension: the operand is transposed first, so that devices read
//                each other's memory in long runs.
//
//   before  %1 = all_reduce(%0) [n, m], groups of G
//   after   %1 = reduce_scatter(%0) [n/G, m]
//           %2 = all_gather(%1) [n, m]
#include "codegen/fuse/fuse.h"
#include "codegen/passes/join_products.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

// Does the permutation of a product's result [batch, m, n] give [batch, n, m]?
static bool swaps_free_dims(const Op *dot, IntSpan permutation) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    int batch = dims->lhs_batch.count;
    int m = op_operand_type(dot, 0)->rank - batch - dims->lhs_contracting.count;
    int n = op_operand_type(dot, 1)->rank - batch - dims->rhs_contracting.count;
    if (m == 0 || n == 0) return false;
    for (int d = 0; d < permutation.count; d++) {
        int from = d < batch ? d : d < batch + n ? d + m : d - n;
        if (permutation.data[d] != from) return false;
    }
    return true;
}

// dot(b, a) for dot(a, b), before the transpose.
static Value *swapped_dot(Module *module, Op *dot, Op *transpose) {
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    DotDims swapped = {
        .lhs_batch = dims->rhs_batch,
        .rhs_batch = dims->lhs_batch,
        .lhs_contracting = dims->rhs_contracting,
        .rhs_contracting = dims->lhs_contracting};
    Builder builder = builder_before(module, transpose);
    builder.loc = dot->loc;
    PtrMap values = ptr_map(module->arena);
    Op *copy = op_clone(&builder, dot, &values);
    op_set_operand(copy, 0, op_operand(dot, 1));
    op_set_operand(copy, 1, op_operand(dot, 0));
    Attr prototype = {.kind = ATTR_DOT_DIMS, .dot = &swapped};
    op_set_attr(module, copy, NAME_DOT_DIMENSION_NUMBERS, attr_intern(module->context, &prototype));
    op_set_attr(module, copy, NAME_PRECISION_CONFIG, NULL); // has no meaning for code on a CPU
    op_result(copy, 0)->type = op_result_type(transpose, 0);
    return op_result(copy, 0);
}

// May a transpose move from the op's result to its operand? Then nothing else
// changes in the op but its type.
static bool commutes_with_transpose(const Op *op) {
    if (op->operand_count != 1 || op->result_count != 1) return false;
    if (op->code != OP_ALL_REDUCE && !op_has(op, TRAIT_POINTWISE)) return false;
    return type_same_shape(op_operand_type(op, 0), op_result_type(op, 0));
}

// Is there a product below, reached through ops that nobody else reads?
static bool leads_to_product(const Value *value, IntSpan permutation) {
    for (int depth = 0; depth < 16; depth++) {
        const Op *op = value->def;
        if (!op || !value_has_one_use(value)) return false;
        if (op->code == OP_DOT_GENERAL) return swaps_free_dims(op, permutation);
        if (!commutes_with_transpose(op)) return false;
        value = op_operand(op, 0);
    }
    return false;
}

// Rebuilds the chain from the product upwards, transposed.
static Value *transposed(Module *module, Op *op, Op *transpose) {
    if (op->code == OP_DOT_GENERAL) return swapped_dot(module, op, transpose);
    Value *operand = transposed(module, op_operand(op, 0)->def, transpose);
    Builder builder = builder_before(module, transpose);
    builder.loc = op->loc;
    PtrMap values = ptr_map(module->arena);
    ptr_map_set(&values, op_operand(op, 0), operand);
    Op *copy = op_clone(&builder, op, &values);
    const Type *like = op_result_type(transpose, 0);
    op_result(copy, 0)->type =
        type_with_dims(module->context, op_result_type(op, 0), like->rank, like->dims);
    return op_result(copy, 0);
}

// The product may have a result type of its own: the chain's types differ from the
// transpose's in the element alone.
static void push_transpose(Module *module, Op *transpose) {
    Value *operand = op_operand(transpose, 0);
    if (!leads_to_product(operand, op_ints(transpose, NAME_PERMUTATION))) return;
    Op *chain = operand->def;
    Value *value = transposed(module, chain, transpose);
    value_replace_uses(op_result(transpose, 0), value);
    op_erase(transpose);
    while (chain && !op_result(chain, 0)->uses) {
        Op *next = chain->code == OP_DOT_GENERAL ? NULL : op_operand(chain, 0)->def;
        op_erase(chain);
        chain = next;
    }
}

// ---- sums over devices

enum { LARGE_SUM = 1 << 17, MANY_DEVICES = 3 }; // bytes, devices of a group

static int divisible_dim(const Type *type, int64_t by) {
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] >= by && type->dims[d] % by == 0) return d;
    }
    return -1;
}

static void copy_attr(Module *module, Op *to, const Op *from, AttrName name) {
    op_set_attr(module, to, name, op_attr(from, name));
}

// Are all of the same size?
static bool has_even_groups(const Op *op) {
    IntSpan devices = op_ints(op, NAME_REPLICA_GROUPS);
    for (int i = 0; i < devices.count; i++) {
        if (devices.data[i] < 0) return false;
    }
    return true;
}

static void split_all_reduce(Module *module, Op *op) {
    if (op->operand_count != 1 || !has_even_groups(op)) return;
    const Type *type = op_result_type(op, 0);
    int64_t size = collective_group_size(op);
    int d = divisible_dim(type, size);
    if (size < MANY_DEVICES || type_bytes(type) < LARGE_SUM || d < 0) return;
    int64_t dims[MAX_RANK];
    for (int i = 0; i < type->rank; i++) {
        dims[i] = i == d ? type->dims[i] / size : type->dims[i];
    }
    const Type *part = type_with_dims(module->context, type, type->rank, dims);
    Builder builder = builder_before(module, op);
    Value *operand = op_operand(op, 0);
    Op *scatter = build_op(&builder, OP_REDUCE_SCATTER, 1, &operand, 1, &part, 1);
    PtrMap values = ptr_map(module->arena);
    region_clone_into(module, scatter->regions[0], op->regions[0], &values);
    Value *sum = op_result(scatter, 0);
    Op *gather = build_op(&builder, OP_ALL_GATHER, 1, &sum, 1, &type, 0);
    Op *both[2] = {scatter, gather};
    for (int i = 0; i < 2; i++) {
        copy_attr(module, both[i], op, NAME_REPLICA_GROUPS);
        copy_attr(module, both[i], op, NAME_CHANNEL_HANDLE);
        copy_attr(module, both[i], op, NAME_USE_GLOBAL_DEVICE_IDS);
    }
    op_set_attr(module, scatter, NAME_SCATTER_DIMENSION, attr_int(module->context, d, ELEMENT_I64));
    op_set_attr(module, gather, NAME_ALL_GATHER_DIM, attr_int(module->context, d, ELEMENT_I64));
    op_set_extra(
        module, scatter, context_name(module->context, SV(UNCOUNTED)), attr_unit(module->context));
    value_replace_uses(op_result(op, 0), op_result(gather, 0));
    op_erase(op);
}

// ---- all_to_all along a minor dimension

enum { CACHE_LINE = 64, LARGE_EXCHANGE = 1 << 18, RESULT_DEPTH = 16 };

// Bytes that lie together in what one device reads of another.
static int64_t run_bytes(const Type *type, int split, int64_t count) {
    int64_t bytes = type->dims[split] / count * (int64_t)element_bytes(type->element);
    for (int d = split + 1; d < type->rank; d++) {
        bytes *= type->dims[d];
    }
    return bytes;
}

// The result of the program that the value becomes, through elementwise ops and reshapes
// alone; -1 = none, or others read it.
static int becomes_result(const Op *main, const Value *value) {
    const Op *end = region_terminator(func_body(main));
    for (int depth = 0; depth < RESULT_DEPTH && value_has_one_use(value); depth++) {
        const Op *owner = value->uses->owner;
        if (owner == end) return use_index(value->uses);
        bool goes_on = op_has(owner, TRAIT_POINTWISE) || owner->code == OP_RESHAPE;
        if (!goes_on || owner->result_count != 1) return -1;
        value = op_result(owner, 0);
    }
    return -1;
}

// Do the devices make the result of the exchange together
// (fuse/spread_maps.c)? Then it needs no transpose.
static bool is_made_together(const Op *main, const Op *op, int64_t count) {
    const Attr *devices = op_extra(main, SPREAD_RESULTS),
               *groups = op_attr(op, NAME_REPLICA_GROUPS);
    int result = becomes_result(main, op_result(op, 0));
    return devices && result >= 0 && count <= SPREAD_MOST_STORES && devices->ints[result] > 0 &&
           groups && type_element_count(groups->type) == devices->ints[result] &&
           divisible_dim(op_operand_type(region_terminator(func_body(main)), result), count) >= 0;
}

// Moves the split dimension to the front before the exchange, so that devices read each other's
// memory in long runs; the transpose back is an index map.
static void split_in_front(Module *module, const Op *main, Op *op) {
    const Type *type = op_operand_type(op, 0);
    int split = (int)op_int(op, NAME_SPLIT_DIMENSION, 0),
        concat = (int)op_int(op, NAME_CONCAT_DIMENSION, 0);
    int64_t count = op_int(op, NAME_SPLIT_COUNT, 1);
    if (op->operand_count != 1 || split == concat || count < 2 || type_bytes(type) < LARGE_EXCHANGE)
        return;
    if (run_bytes(type, split, count) >= CACHE_LINE || is_made_together(main, op, count)) return;
    int64_t front[MAX_RANK], back[MAX_RANK], dims[MAX_RANK];
    front[0] = split;
    for (int d = 0, at = 1; d < type->rank; d++) {
        if (d != split) front[at++] = d;
    }
    const Type *result = op_result_type(op, 0);
    int new_concat = 0;
    for (int d = 0; d < type->rank; d++) {
        back[front[d]] = d;
        dims[d] = result->dims[front[d]];
        if (front[d] == concat) new_concat = d;
    }
    Builder builder = builder_before(module, op);
    Value *moved = build_transpose(&builder, op_operand(op, 0), front);
    PtrMap values = ptr_map(module->arena);
    ptr_map_set(&values, op_operand(op, 0), moved);
    Op *exchange = op_clone(&builder, op, &values);
    op_result(exchange, 0)->type = type_with_dims(module->context, result, result->rank, dims);
    op_set_attr(module, exchange, NAME_SPLIT_DIMENSION, attr_int(module->context, 0, ELEMENT_I64));
    op_set_attr(
        module, exchange, NAME_CONCAT_DIMENSION,
        attr_int(module->context, new_concat, ELEMENT_I64));
    Value *value = build_transpose(&builder, op_result(exchange, 0), back);
    value_replace_uses(op_result(op, 0), value);
    op_erase(op);
}

static void simplify_layout(Module *module, const Op *main, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++) {
                simplify_layout(module, main, op->regions[r]);
            }
        } else if (op->code == OP_TRANSPOSE) {
            push_transpose(module, op);
        }
    }
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        bool is_sum = op->code == OP_ALL_REDUCE || op->code == OP_REDUCE_SCATTER;
        if (is_sum && join_product(module, op)) continue;
        if (op->code == OP_ALL_REDUCE) split_all_reduce(module, op);
        if (op->code == OP_ALL_TO_ALL) split_in_front(module, main, op);
    }
}

PassResult pass_simplify_layout(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    simplify_layout(module, main, func_body(main));
    return PASS_CHANGED;
}

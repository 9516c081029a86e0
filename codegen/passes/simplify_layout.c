// simplify_layout: rewriting that spares passes over memory.
//
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
        for (int r = 0; r < op->region_count && lower_class(op, NULL) == LOWER_CONTROL; r++)
            simplify_layout(module, main, op->regions[r]);
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

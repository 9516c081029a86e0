// Rewrites of ops that move elements: identities, chains, splats.
#include "base/checked.h"
#include "ir/simplify/simplify.h"

// Constants up to this size are rewritten, larger ones would be copied again and again.
enum { SMALL_CONSTANT = 4096 };

static bool is_iota(IntSpan ints, int count) {
    if (ints.count != count) return false;
    for (int i = 0; i < count; i++) {
        if (ints.data[i] != i) return false;
    }
    return true;
}

static bool is_all(IntSpan ints, int64_t number) {
    for (int i = 0; i < ints.count; i++) {
        if (ints.data[i] != number) return false;
    }
    return true;
}

static const Type *operand_type(const Op *op) { return op_operand_type(op, 0); }

// The op that defines the operand, when it has this code and its value has no sharding to respect.
static Op *producer(const Op *op, OpCode code) {
    const Value *value = op_operand(op, 0);
    return value->def && value->def->code == code && !value->sharding ? value->def : NULL;
}

// A view of a splat is a splat.
static bool view_of_splat(Simplifier *simplifier, Op *op) {
    const Attr *splat = splat_value(op_operand(op, 0));
    const Type *type = op_result_type(op, 0);
    if (!splat || !type_is_static(type) || type->quant) return false;
    Builder builder = builder_before(simplifier->module, op);
    return simplify_replace_new(simplifier, op, build_same_splat(&builder, splat, type));
}

static bool simplify_reshape(Simplifier *simplifier, Op *op) {
    const Type *type = op_result_type(op, 0);
    if (type == operand_type(op)) return simplify_replace(simplifier, op, op_operand(op, 0));
    if (view_of_splat(simplifier, op)) return true;
    if (!type_is_static(type) || !type_is_static(operand_type(op)) || type->quant) return false;
    Builder builder = builder_before(simplifier->module, op);
    const Attr *constant = constant_value(op_operand(op, 0));
    if (constant && !constant->type->quant && constant->data_size <= SMALL_CONSTANT) {
        const Attr *reshaped = attr_elements(
            simplifier->module->context, type, false, constant->data, constant->data_size);
        return simplify_replace_new(simplifier, op, build_constant(&builder, reshaped));
    }
    Op *inner = producer(op, OP_RESHAPE);
    if (!inner) return false;
    Value *source = op_operand(inner, 0);
    if (!type_is_static(source->type)) return false;
    if (source->type == type && simplify_replace(simplifier, op, source)) return true;
    return simplify_replace_new(
        simplifier, op, build_reshape(&builder, source, type->rank, type->dims));
}

// A transpose that only moves dimensions of size 1 keeps the order of the elements.
static bool keeps_order(const Type *type, IntSpan permutation) {
    int64_t previous = -1;
    for (int i = 0; i < permutation.count; i++) {
        int64_t d = permutation.data[i];
        if (type->dims[d] == 1) continue;
        if (d < previous) return false;
        previous = d;
    }
    return true;
}

static bool simplify_transpose(Simplifier *simplifier, Op *op) {
    IntSpan permutation = op_ints(op, NAME_PERMUTATION);
    const Type *type = operand_type(op);
    int rank = type->rank;
    if (permutation.count != rank) return false;
    if (is_iota(permutation, rank)) return simplify_replace(simplifier, op, op_operand(op, 0));
    if (view_of_splat(simplifier, op)) return true;
    if (type->quant) return false;
    Builder builder = builder_before(simplifier->module, op);
    Op *inner = producer(op, OP_TRANSPOSE);
    if (inner) {
        IntSpan first = op_ints(inner, NAME_PERMUTATION);
        int64_t both[MAX_RANK];
        for (int d = 0; d < rank; d++)
            both[d] = first.data[permutation.data[d]];
        Value *source = op_operand(inner, 0);
        if (is_iota((IntSpan){both, rank}, rank) && simplify_replace(simplifier, op, source))
            return true;
        return simplify_replace_new(simplifier, op, build_transpose(&builder, source, both));
    }
    bool has_sharding = op_result(op, 0)->sharding || op_operand(op, 0)->sharding;
    if (has_sharding || !type_is_static(type) || !keeps_order(type, permutation)) return false;
    const Type *result = op_result_type(op, 0);
    return simplify_replace_new(
        simplifier, op, build_reshape(&builder, op_operand(op, 0), rank, result->dims));
}

static bool simplify_broadcast(Simplifier *simplifier, Op *op) {
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    const Type *type = op_result_type(op, 0);
    int rank = operand_type(op)->rank;
    if (type == operand_type(op) && is_iota(dims, rank))
        return simplify_replace(simplifier, op, op_operand(op, 0));
    if (view_of_splat(simplifier, op)) return true;
    Op *inner = producer(op, OP_BROADCAST_IN_DIM);
    if (!inner || type->quant) return false;
    IntSpan first = op_ints(inner, NAME_BROADCAST_DIMENSIONS);
    int64_t both[MAX_RANK];
    for (int i = 0; i < first.count; i++)
        both[i] = dims.data[first.data[i]];
    Builder builder = builder_before(simplifier->module, op);
    Value *source = op_operand(inner, 0);
    return simplify_replace_new(
        simplifier, op, build_broadcast_in_dim(&builder, source, type, both));
}

static bool simplify_reverse(Simplifier *simplifier, Op *op) {
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    bool moves = false;
    for (int i = 0; i < dims.count; i++)
        moves = moves || operand_type(op)->dims[dims.data[i]] != 1;
    if (!moves) return simplify_replace(simplifier, op, op_operand(op, 0));
    return view_of_splat(simplifier, op);
}

// slice(concatenate(a, b, ...)) that lies in one of the operands is a slice of that operand.
static bool slice_of_concatenate(
    Simplifier *simplifier, Op *op, IntSpan starts, IntSpan limits, IntSpan strides) {
    Op *concatenate = producer(op, OP_CONCATENATE);
    if (!concatenate || starts.count > MAX_RANK) return false;
    int64_t d = op_int(concatenate, NAME_DIMENSION, 0), begin = 0;
    if (starts.data[d] == limits.data[d]) return false;
    for (int i = 0; i < concatenate->operand_count; i++) {
        Value *part = op_operand(concatenate, i);
        int64_t end = begin + part->type->dims[d];
        if (part->type->dims[d] < 0 || starts.data[d] < begin) return false;
        if (starts.data[d] >= end) {
            begin = end;
            continue;
        }
        if (limits.data[d] > end) return false;
        int64_t start[MAX_RANK], limit[MAX_RANK];
        for (int k = 0; k < starts.count; k++) {
            int64_t shift = k == d ? begin : 0;
            start[k] = starts.data[k] - shift;
            limit[k] = limits.data[k] - shift;
        }
        Builder builder = builder_before(simplifier->module, op);
        return simplify_replace_new(
            simplifier, op, build_slice(&builder, part, start, limit, strides.data));
    }
    return false;
}

// slice(slice(x)): starts and strides combine; false when they overflow.
static bool slice_of_slice(
    Simplifier *simplifier, Op *op, IntSpan starts, IntSpan limits, IntSpan strides) {
    Op *inner = producer(op, OP_SLICE);
    if (!inner || starts.count > MAX_RANK) return false;
    IntSpan first = op_ints(inner, NAME_START_INDICES), step = op_ints(inner, NAME_STRIDES);
    const Type *type = op_result_type(op, 0);
    int64_t start[MAX_RANK], limit[MAX_RANK], stride[MAX_RANK];
    for (int d = 0; d < starts.count; d++) {
        if (type->dims[d] == 0 || limits.data[d] <= starts.data[d]) return false;
        int64_t last;
        bool fits = checked_mul(starts.data[d], step.data[d], &start[d]) &&
                    checked_add(start[d], first.data[d], &start[d]) &&
                    checked_mul(strides.data[d], step.data[d], &stride[d]) &&
                    checked_mul(type->dims[d] - 1, stride[d], &last) &&
                    checked_add(start[d], last, &last) && checked_add(last, 1, &limit[d]);
        if (!fits) return false;
    }
    Builder builder = builder_before(simplifier->module, op);
    return simplify_replace_new(
        simplifier, op, build_slice(&builder, op_operand(inner, 0), start, limit, stride));
}

static bool simplify_slice(Simplifier *simplifier, Op *op) {
    IntSpan starts = op_ints(op, NAME_START_INDICES), limits = op_ints(op, NAME_LIMIT_INDICES);
    IntSpan strides = op_ints(op, NAME_STRIDES);
    if (op_result_type(op, 0) == operand_type(op) && is_all(starts, 0) && is_all(strides, 1))
        return simplify_replace(simplifier, op, op_operand(op, 0));
    if (operand_type(op)->quant || !type_is_static(operand_type(op))) return false;
    return view_of_splat(simplifier, op) ||
           slice_of_concatenate(simplifier, op, starts, limits, strides) ||
           slice_of_slice(simplifier, op, starts, limits, strides);
}

static bool simplify_pad(Simplifier *simplifier, Op *op) {
    IntSpan low = op_ints(op, NAME_EDGE_PADDING_LOW), high = op_ints(op, NAME_EDGE_PADDING_HIGH);
    IntSpan interior = op_ints(op, NAME_INTERIOR_PADDING);
    if (op_result_type(op, 0) == operand_type(op) && is_all(low, 0) && is_all(high, 0) &&
        is_all(interior, 0))
        return simplify_replace(simplifier, op, op_operand(op, 0));
    // Padding a splat with its own number.
    const Attr *splat = splat_value(op_operand(op, 0)), *padding = splat_value(op_operand(op, 1));
    bool same = splat && padding &&
                memcmp(splat->data, padding->data, element_bytes(splat->type->element)) == 0;
    return same && view_of_splat(simplifier, op);
}

static bool is_empty(const Value *value, int64_t d) { return value->type->dims[d] == 0; }

static bool simplify_concatenate(Simplifier *simplifier, Op *op) {
    if (op->operand_count == 1) return simplify_replace(simplifier, op, op_operand(op, 0));
    int64_t d = op_int(op, NAME_DIMENSION, 0);
    bool removed = false;
    for (int i = op->operand_count - 1; i >= 0 && op->operand_count > 1; i--) {
        if (!is_empty(op_operand(op, i), d)) continue;
        op_remove_operand(op, i);
        removed = true;
    }
    simplifier->changed = simplifier->changed || removed;
    if (op->operand_count == 1) return simplify_replace(simplifier, op, op_operand(op, 0));
    const Attr *first = splat_value(op_operand(op, 0));
    if (!first) return false;
    for (int i = 1; i < op->operand_count; i++) {
        const Attr *splat = splat_value(op_operand(op, i));
        if (!splat || memcmp(first->data, splat->data, element_bytes(first->type->element)) != 0)
            return false;
    }
    return view_of_splat(simplifier, op);
}

// Constant starts: a slice, after clamping as dynamic_slice does.
static bool simplify_dynamic_slice(Simplifier *simplifier, Op *op) {
    const Type *type = operand_type(op), *result = op_result_type(op, 0);
    if (!type_is_static(type) || type->quant) return false;
    if (result == type) return simplify_replace(simplifier, op, op_operand(op, 0));
    int64_t start[MAX_RANK], limit[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        const Attr *index = splat_value(op_operand(op, d + 1));
        int64_t most = type->dims[d] - result->dims[d];
        if (!index && most != 0) return false;
        int64_t number = index ? attr_element_int(index, 0) : 0;
        if (index && index->type->element == ELEMENT_UI64 && number < 0) number = most;
        start[d] = number < 0 ? 0 : number > most ? most : number;
        limit[d] = start[d] + result->dims[d];
    }
    Builder builder = builder_before(simplifier->module, op);
    return simplify_replace_new(
        simplifier, op, build_slice(&builder, op_operand(op, 0), start, limit, NULL));
}

// The update covers everything.
static bool simplify_dynamic_update_slice(Simplifier *simplifier, Op *op) {
    if (op_operand_type(op, 1) != op_result_type(op, 0) || !type_is_static(op_result_type(op, 0)))
        return false;
    return simplify_replace(simplifier, op, op_operand(op, 1));
}

bool simplify_view(Simplifier *simplifier, Op *op) {
    switch (op->code) {
    case OP_RESHAPE: return simplify_reshape(simplifier, op);
    case OP_TRANSPOSE: return simplify_transpose(simplifier, op);
    case OP_BROADCAST_IN_DIM: return simplify_broadcast(simplifier, op);
    case OP_REVERSE: return simplify_reverse(simplifier, op);
    case OP_SLICE: return simplify_slice(simplifier, op);
    case OP_PAD: return simplify_pad(simplifier, op);
    case OP_CONCATENATE: return simplify_concatenate(simplifier, op);
    case OP_DYNAMIC_SLICE: return simplify_dynamic_slice(simplifier, op);
    case OP_DYNAMIC_UPDATE_SLICE: return simplify_dynamic_update_slice(simplifier, op);
    case OP_BITCAST_CONVERT:
        return op_result_type(op, 0) == operand_type(op) &&
               simplify_replace(simplifier, op, op_operand(op, 0));
    default: return false;
    }
}

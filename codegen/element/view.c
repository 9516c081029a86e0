// Elements of ops that move elements: the index of the result becomes an index of an operand,
// at borders by a guarded choice.
#include "codegen/element/view.h"

#include "codegen/kernel/kernel.h"

#include <string.h>

typedef const IndexExpr *Index;

static const int64_t *ints_of(
    ExprBuilder *b, const Op *op, AttrName name, int count, int64_t otherwise) {
    return op_ints_or(b->arena, op, name, count, otherwise);
}

// --- one operand, another index ---

static const Expr *of_broadcast_in_dim(ExprBuilder *b, const Op *op, const Index *index) {
    const Value *x = op_operand(op, 0);
    const int64_t *dims = ints_of(b, op, NAME_BROADCAST_DIMENSIONS, x->type->rank, 0);
    Index at[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++)
        at[d] = x->type->dims[d] == 1 ? index_constant(b->index, 0) : index[dims[d]];
    return expr_of(b, x, at);
}

static const Expr *of_reshape(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    Index at[MAX_RANK];
    Index number = index_linear(b->index, to->rank, to->dims, index);
    index_delinear(b->index, number, from->rank, from->dims, at);
    return expr_of(b, op_operand(op, 0), at);
}

static const Expr *of_transpose(ExprBuilder *b, const Op *op, const Index *index) {
    int rank = op_result_type(op, 0)->rank;
    const int64_t *permutation = ints_of(b, op, NAME_PERMUTATION, rank, 0);
    Index at[MAX_RANK];
    for (int d = 0; d < rank; d++)
        at[permutation[d]] = index[d];
    return expr_of(b, op_operand(op, 0), at);
}

static const Expr *of_slice(ExprBuilder *b, const Op *op, const Index *index) {
    int rank = op_result_type(op, 0)->rank;
    const int64_t *start = ints_of(b, op, NAME_START_INDICES, rank, 0);
    const int64_t *stride = ints_of(b, op, NAME_STRIDES, rank, 1);
    Index at[MAX_RANK];
    for (int d = 0; d < rank; d++)
        at[d] = index_add_constant(b->index, index_scale(b->index, index[d], stride[d]), start[d]);
    return expr_of(b, op_operand(op, 0), at);
}

static const Expr *of_reverse(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *type = op_result_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    Index at[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        at[d] = index[d];
    for (int k = 0; k < dims.count; k++) {
        int64_t d = dims.data[k];
        at[d] = index_sub(b->index, index_constant(b->index, type->dims[d] - 1), index[d]);
    }
    return expr_of(b, op_operand(op, 0), at);
}

static const Expr *of_dynamic_slice(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    Index at[MAX_RANK], device = b->device;
    if (op_extra(op, SLICE_OF_STEP)) b->device = NULL; // at the same place on all devices
    for (int d = 0; d < to->rank; d++) {
        const Expr *start = expr_of(b, op_operand(op, 1 + d), NULL);
        at[d] = index_add(b->index, expr_start(b, start, 0, from->dims[d] - to->dims[d]), index[d]);
    }
    b->device = device;
    return expr_of(b, op_operand(op, 0), at);
}

// --- borders ---

// Guards that are being collected; what is outside of one is not read.
typedef struct Inside {
    Guard guards[2 * MAX_RANK];
    int count;
    bool never;
} Inside;

static void require_range(Inside *inside, Index x, int64_t low, int64_t high) {
    if (!inside->never)
        inside->never = !guard_add(inside->guards, &inside->count, (Guard){x, low, high});
}

static const Expr *of_pad(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0);
    const int64_t *low = ints_of(b, op, NAME_EDGE_PADDING_LOW, from->rank, 0);
    const int64_t *interior = ints_of(b, op, NAME_INTERIOR_PADDING, from->rank, 0);
    Inside inside = {.count = 0};
    Index at[MAX_RANK], none[MAX_RANK] = {NULL};
    for (int d = 0; d < from->rank; d++) {
        Index x = index_add_constant(b->index, index[d], -low[d]);
        int64_t step = interior[d] + 1;
        if (step > 1) require_range(&inside, index_mod(b->index, x, step), 0, 1);
        at[d] = index_div(b->index, x, step);
        require_range(&inside, at[d], 0, from->dims[d]);
    }
    const Expr *padding = inside.never || inside.count ? expr_of(b, op_operand(op, 1), none) : NULL;
    if (inside.never) return padding;
    const Expr *x = expr_of(b, op_operand(op, 0), at);
    return inside.count ? expr_choice(b, inside.count, inside.guards, NULL, x, padding) : x;
}

// Operands first .. end-1 of a concatenation, which begin at starts[first]; NULL where the index is
// in none of them. Few are tried in their order, many by halves: no choice is nested deep.
static const Expr *of_operands(
    ExprBuilder *b, const Op *op, const Index *index, const int64_t *starts, int first, int end) {
    enum { FEW = 32 };
    int64_t d = op_int(op, NAME_DIMENSION, 0), size = starts[end] - starts[first];
    Index from_first = index_add_constant(b->index, index[d], -starts[first]);
    if (index_in_range(from_first, 0, size) == INDEX_NEVER) return NULL;
    if (end - first == 1) {
        Index at[MAX_RANK];
        memcpy(at, index, (size_t)op_result_type(op, 0)->rank * sizeof index[0]);
        at[d] = from_first;
        return expr_of(b, op_operand(op, first), at);
    }
    int middle = end - first > FEW ? first + (end - first) / 2 : first + 1;
    const Expr *right = of_operands(b, op, index, starts, middle, end);
    const Expr *left = of_operands(b, op, index, starts, first, middle);
    if (!left || !right) return left ? left : right;
    Guard guard = {index[d], 0, starts[middle]};
    return expr_choice(b, 1, &guard, NULL, left, right);
}

static const Expr *of_concatenate(ExprBuilder *b, const Op *op, const Index *index) {
    int64_t d = op_int(op, NAME_DIMENSION, 0);
    int64_t *starts = ARENA_ARRAY(b->arena, int64_t, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        starts[i + 1] = starts[i] + op_operand_type(op, i)->dims[d];
    const Expr *result = of_operands(b, op, index, starts, 0, op->operand_count);
    if (result) return result;
    Index at[MAX_RANK]; // of no element: any value will do
    memcpy(at, index, (size_t)op_result_type(op, 0)->rank * sizeof index[0]);
    return expr_of(b, op_operand(op, 0), at);
}

// dynamic_update_slice as a choice: the update inside, the operand elsewhere.
static const Expr *of_dynamic_update_slice(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *type = op_result_type(op, 0), *update = op_operand_type(op, 1);
    Inside inside = {.count = 0};
    Index at[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        const Expr *start = expr_of(b, op_operand(op, 2 + d), NULL);
        Index first = expr_start(b, start, 0, type->dims[d] - update->dims[d]);
        at[d] = index_sub(b->index, index[d], first);
        require_range(&inside, at[d], 0, update->dims[d]);
    }
    if (inside.never) return expr_of(b, op_operand(op, 0), index);
    const Expr *x = expr_of(b, op_operand(op, 1), at);
    if (inside.count == 0) return x;
    const Expr *before = expr_of(b, op_operand(op, 0), index);
    return expr_choice(b, inside.count, inside.guards, NULL, x, before);
}

// --- gather ---

static int64_t position_in(IntSpan span, int64_t number) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == number) return i;
    }
    return -1;
}

// The indices of start_indices at component 0 for a result index: batch dims in
// order, index_vector_dim left out.
static void gather_start_at(
    ExprBuilder *b, const GatherDims *dims, int result_rank, int start_rank, const Index *index,
    Index *at) {
    int next = 0;
    for (int d = 0; d < start_rank; d++) {
        if (d == dims->index_vector_dim) {
            at[d] = index_constant(b->index, 0);
            continue;
        }
        while (next < result_rank && position_in(dims->offset_dims, next) >= 0)
            next++;
        at[d] = index[next++];
    }
}

static const Expr *of_gather(ExprBuilder *b, const Op *op, const Index *index) {
    const GatherDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->gather;
    const Type *from = op_operand_type(op, 0), *starts = op_operand_type(op, 1),
               *to = op_result_type(op, 0);
    const int64_t *sizes = ints_of(b, op, NAME_SLICE_SIZES, from->rank, 1);
    Index at[MAX_RANK], start_at[MAX_RANK];
    gather_start_at(b, dims, to->rank, starts->rank, index, start_at);
    int offset = 0;
    for (int d = 0; d < from->rank; d++) {
        at[d] = index_constant(b->index, 0);
        int64_t batch = position_in(dims->operand_batching_dims, d);
        if (batch >= 0) at[d] = start_at[dims->start_indices_batching_dims.data[batch]];
        bool has_offset = batch < 0 && position_in(dims->collapsed_slice_dims, d) < 0;
        if (has_offset) at[d] = index[dims->offset_dims.data[offset++]];
    }
    for (int k = 0; k < dims->start_index_map.count; k++) {
        int64_t d = dims->start_index_map.data[k];
        if (dims->index_vector_dim < starts->rank)
            start_at[dims->index_vector_dim] = index_constant(b->index, k);
        const Expr *start = expr_of(b, op_operand(op, 1), start_at);
        at[d] = index_add(b->index, at[d], expr_start(b, start, 0, from->dims[d] - sizes[d]));
    }
    return expr_of(b, op_operand(op, 0), at);
}

// --- bits ---

static const Expr *of_bitcast_convert(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    int from_bits = element_bits(from->element), to_bits = element_bits(to->element);
    if (from_bits >= to_bits) { // if larger, the last index of the result says which part
        const Expr *x = expr_of(b, op_operand(op, 0), index);
        bool is_part = from_bits > to_bits;
        Index at = is_part ? index_scale(b->index, index[to->rank - 1], to_bits) : NULL;
        return expr_bits(b, to->element, 1, &x, at);
    }
    int count = to_bits / from_bits;
    const Expr **parts = (const Expr **)arena_alloc_array(b->arena, count, sizeof(Expr *));
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)to->rank * sizeof index[0]);
    for (int part = 0; part < count; part++) {
        at[to->rank] = index_constant(b->index, part);
        parts[part] = expr_of(b, op_operand(op, 0), at);
    }
    return expr_bits(b, to->element, count, parts, NULL);
}

static bool has_only_small_integers(const Attr *elements) {
    enum { MOST = 64, LIMIT = 1 << 30 };
    int64_t count = type_element_count(elements->type);
    if (count > MOST || !element_is_integer(elements->type->element)) return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t number = attr_element_int(elements, i);
        if (number > LIMIT || number < -LIMIT) return false;
    }
    return true;
}

// A number that the device decides.
static const Expr *number_of_device(ExprBuilder *b, const Attr *elements, const IndexExpr *at) {
    int64_t count = type_element_count(elements->type);
    int64_t *numbers = ARENA_ARRAY(b->arena, int64_t, count);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = attr_element_int(elements, i);
    return expr_number(b, elements->type->element, expr_table(b, count, numbers, at));
}

static const Expr *of_constant(ExprBuilder *b, const Op *op, const Index *index) {
    const Type *type = op_result_type(op, 0);
    const Attr *elements = op_attr(op, NAME_VALUE);
    Index at = index_linear(b->index, type->rank, type->dims, index);
    bool is_of_device = !elements->is_splat && !index_is_constant(at) &&
                        (at == b->device || index_is_of_device(at));
    if (is_of_device && has_only_small_integers(elements)) return number_of_device(b, elements, at);
    return expr_constant(b, op_attr(op, NAME_VALUE), at);
}

const Expr *element_of_view(ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    const Op *op = value->def;
    switch (op->code) { // NOLINT(hicpp-multiway-paths-covered): the views
    case OP_CONSTANT: return of_constant(b, op, index);
    case OP_IOTA:
        return expr_number(b, value->type->element, index[op_int(op, NAME_IOTA_DIMENSION, 0)]);
    case OP_BROADCAST_IN_DIM: return of_broadcast_in_dim(b, op, index);
    case OP_RESHAPE: return of_reshape(b, op, index);
    case OP_TRANSPOSE: return of_transpose(b, op, index);
    case OP_REVERSE: return of_reverse(b, op, index);
    case OP_SLICE: return of_slice(b, op, index);
    case OP_PAD: return of_pad(b, op, index);
    case OP_CONCATENATE: return of_concatenate(b, op, index);
    case OP_DYNAMIC_SLICE: return of_dynamic_slice(b, op, index);
    case OP_DYNAMIC_UPDATE_SLICE: return of_dynamic_update_slice(b, op, index);
    case OP_GATHER: return of_gather(b, op, index);
    case OP_BITCAST_CONVERT: return of_bitcast_convert(b, op, index);
    case OP_OPTIMIZATION_BARRIER: return expr_of(b, op_operand(op, value->index), index);
    default: return NULL;
    }
}

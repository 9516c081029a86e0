// infer_memref: buffers, views of them, and tensors as buffers.
#include "ir/infer/infer.h"

static bool same_shape(const Type *a, const Type *b) {
    if (a->rank != b->rank || a->element != b->element) return false;
    for (int d = 0; d < a->rank; d++) {
        if (!dims_fit(a->dims[d], b->dims[d])) return false;
    }
    return true;
}

static int dynamic_count(int count, const int64_t *numbers) {
    int dynamic = 0;
    for (int i = 0; i < count; i++)
        dynamic += numbers[i] == DIM_DYNAMIC;
    return dynamic;
}

static bool are_indices(Infer *infer, const Op *op, int first) {
    for (int i = first; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->kind != TYPE_ELEMENT || type->element != ELEMENT_INDEX)
            return infer_fail(
                infer, op, "operand #%d must be an index, but got '%s'", i,
                infer_type_text(infer, type));
    }
    return true;
}

bool infer_memref_alloc(Infer *infer, const Op *op) {
    MemRef memref;
    if (!memref_of(op_result_type(op, 0), &memref)) return are_indices(infer, op, 0);
    int expected = dynamic_count(memref.rank, memref.dims);
    if (op->operand_count != expected)
        return infer_fail(
            infer, op, "dimension operand count does not equal memref dynamic dimension count");
    return are_indices(infer, op, 0);
}

static bool fit_as_tensors(Infer *infer, const Op *op, const Type *a, const Type *b) {
    const Type *from = type_shaped(infer->context, a), *to = type_shaped(infer->context, b);
    return !from || !to || same_shape(from, to) ||
           infer_fail(
               infer, op, "'%s' and '%s' differ in shape or element type",
               infer_type_text(infer, a), infer_type_text(infer, b));
}

bool infer_memref_copy(Infer *infer, const Op *op) {
    return fit_as_tensors(infer, op, op_operand_type(op, 0), op_operand_type(op, 1));
}

bool infer_memref_cast(Infer *infer, const Op *op) {
    return fit_as_tensors(infer, op, op_operand_type(op, 0), op_result_type(op, 0));
}

bool infer_memref_dim(Infer *infer, const Op *op) {
    infer->types[0] = type_element(infer->context, ELEMENT_INDEX);
    return are_indices(infer, op, 1);
}

// A tensor and the buffer of its elements, in either direction.
bool infer_bufferization(Infer *infer, const Op *op) {
    bool makes_buffer = op->code == OP_BUFFERIZATION_TO_BUFFER;
    const Type *tensor = makes_buffer ? op_operand_type(op, 0) : op_result_type(op, 0);
    if (tensor->kind != TYPE_TENSOR)
        return infer_fail(
            infer, op, "%s #0 must be a tensor, but got '%s'", makes_buffer ? "operand" : "result",
            infer_type_text(infer, tensor));
    return fit_as_tensors(infer, op, op_operand_type(op, 0), op_result_type(op, 0));
}

// --- views ---

// The same without dimensions of size 1?
static bool drops_ones(const MemRef *whole, const MemRef *part) {
    int at = 0;
    int64_t strides[MAX_RANK], others[MAX_RANK], offset, other_offset;
    memref_strides(whole, strides, &offset);
    memref_strides(part, others, &other_offset);
    if (part->element != whole->element || offset != other_offset) return false;
    for (int d = 0; d < whole->rank; d++) {
        bool fits = at < part->rank && part->dims[at] == whole->dims[d] && others[at] == strides[d];
        if (!fits && whole->dims[d] != 1) return false;
        at += fits;
    }
    return at == part->rank;
}

bool infer_memref_subview(Infer *infer, const Op *op) {
    MemRef from, to;
    IntSpan offsets = op_ints(op, NAME_STATIC_OFFSETS), sizes = op_ints(op, NAME_STATIC_SIZES),
            strides = op_ints(op, NAME_STATIC_STRIDES);
    if (!memref_of(op_operand_type(op, 0), &from) || !memref_of(op_result_type(op, 0), &to))
        return are_indices(infer, op, 1);
    if (offsets.count != from.rank || sizes.count != from.rank || strides.count != from.rank)
        return infer_fail(
            infer, op, "expected %d offsets, sizes and strides, one of each dimension", from.rank);
    if (!infer_mixed(infer, op)) return false;
    for (int d = 0; d < from.rank; d++) {
        bool is_known = sizes.data[d] != DIM_DYNAMIC && offsets.data[d] != DIM_DYNAMIC;
        if ((sizes.data[d] < 0 && sizes.data[d] != DIM_DYNAMIC) ||
            (offsets.data[d] < 0 && offsets.data[d] != DIM_DYNAMIC))
            return infer_fail(infer, op, "offsets and sizes must not be negative");
        int64_t last = extent_plus(
            offsets.data[d], extent_times(sizes.data[d] - (sizes.data[d] > 0), strides.data[d]));
        bool is_inside = from.dims[d] == DIM_DYNAMIC || !is_known || sizes.data[d] == 0 ||
                         last == DIM_DYNAMIC || (last >= 0 && last < from.dims[d]);
        if (!is_inside) return infer_fail(infer, op, "dimension %d runs out of bounds", d);
    }
    const Type *expected =
        type_subview(infer->context, &from, offsets.data, sizes.data, strides.data);
    MemRef view;
    (void)memref_of(expected, &view);
    if (to.rank == from.rank ? expected == op_result_type(op, 0) || drops_ones(&view, &to)
                             : drops_ones(&view, &to))
        return are_indices(infer, op, 1);
    return infer_fail(
        infer, op, "expected result type to be '%s' or a rank-reduced version of it",
        infer_type_text(infer, expected));
}

// Groups of neighbouring dimensions of the finer shape, each one dimension of the coarser one.
bool infer_memref_regroup(Infer *infer, const Op *op) {
    bool collapses = op->code == OP_MEMREF_COLLAPSE_SHAPE;
    MemRef fine, coarse;
    const Attr *groups = op_attr(op, NAME_REASSOCIATION);
    bool is_known = memref_of(op_operand_type(op, 0), collapses ? &fine : &coarse);
    is_known = memref_of(op_result_type(op, 0), collapses ? &coarse : &fine) && is_known;
    if (!is_known) return are_indices(infer, op, 1);
    if (fine.element != coarse.element)
        return infer_fail(infer, op, "requires operand and result of the same element type");
    if (groups->count != coarse.rank)
        return infer_fail(infer, op, "expected a group for each of %d dimensions", coarse.rank);
    int next = 0;
    for (int g = 0; g < groups->count; g++) {
        const Attr *group = groups->items[g];
        int64_t size = 1;
        if (group->kind != ATTR_ARRAY || group->count == 0)
            return infer_fail(infer, op, "expected groups of dimensions");
        for (int i = 0; i < group->count; i++, next++) {
            const Attr *number = group->items[i];
            if (number->kind != ATTR_INT || number->integer != next || next >= fine.rank)
                return infer_fail(infer, op, "expected groups of neighbouring dimensions");
            size = extent_times(size, fine.dims[next]);
        }
        if (!dims_fit(size, coarse.dims[g]))
            return infer_fail(
                infer, op, "expected dimension %d to be of size %lld", g, (long long)size);
    }
    if (next != fine.rank && coarse.rank > 0)
        return infer_fail(infer, op, "expected every dimension in a group");
    return are_indices(infer, op, 1);
}

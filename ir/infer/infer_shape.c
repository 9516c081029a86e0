// Constants and ops that move elements.
#include "base/checked.h"
#include "ir/infer/infer.h"

// The constant's type must be the result's; a quantised result takes its storage type's numbers.
bool infer_constant(Infer *infer, const Op *op) {
    const Attr *value = op_attr(op, NAME_VALUE);
    const Type *type = value->type, *result = op_result_type(op, 0);
    if (!type_is_static(type))
        return infer_fail(infer, op, "elements literal type must have static shape");
    int64_t count;
    if (!checked_product(type->dims, type->rank, &count))
        return infer_fail(infer, op, "has too many elements");
    size_t stored = (value->is_splat ? 1 : (size_t)count) * element_bytes(type->element);
    if (value->data_size < stored)
        return infer_fail(
            infer, op, "has %zu bytes of data, expected %zu", value->data_size, stored);
    if (result->quant && shapes_fit(type, result) && type->element == result->element) return true;
    infer_set(infer, 0, type);
    return true;
}

bool infer_iota(Infer *infer, const Op *op) {
    const Type *result = op_result_type(op, 0);
    int64_t dimension = op_int(op, NAME_IOTA_DIMENSION, 0);
    if (result->rank == 0) return infer_fail(infer, op, "does not support scalars");
    if (dimension >= result->rank)
        return infer_fail(infer, op, "iota dimension cannot go beyond the output rank");
    return true;
}

bool infer_bitcast_convert(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    bool operand_is_complex = element_class(operand->element) == CLASS_COMPLEX;
    bool result_is_complex = element_class(result->element) == CLASS_COMPLEX;
    if (operand_is_complex != result_is_complex)
        return infer_fail(infer, op, "cannot convert between real and complex types");
    int operand_bits = element_bits(operand->element), result_bits = element_bits(result->element);
    const Type *narrow = operand_bits < result_bits ? operand : result;
    const Type *wide = narrow == operand ? result : operand;
    int extra = operand_bits == result_bits ? 0 : 1;
    bool fits = narrow->rank == wide->rank + extra;
    for (int d = 0; fits && d < wide->rank; d++)
        fits = dims_fit(narrow->dims[d], wide->dims[d]);
    if (!fits)
        return infer_fail(
            infer, op,
            "operand and result shapes must match except for the innermost dimension of the shape "
            "with the smaller element type. Got: '%s' and '%s'.",
            infer_type_text(infer, operand), infer_type_text(infer, result));
    if (!extra) return true;
    int64_t innermost = narrow->dims[narrow->rank - 1];
    int narrow_bits = element_bits(narrow->element), wide_bits = element_bits(wide->element);
    if (!dim_is_dynamic(innermost) &&
        (innermost > wide_bits || innermost * narrow_bits != wide_bits))
        return infer_fail(
            infer, op, "requires compatible bit widths. Got: '%s' and '%s', but %d * %lld != %d.",
            infer_type_text(infer, operand), infer_type_text(infer, result), narrow_bits,
            (long long)innermost, wide_bits);
    return true;
}

bool infer_broadcast(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    IntSpan sizes = op_ints(op, NAME_BROADCAST_SIZES);
    if (sizes.count + operand->rank > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < sizes.count; d++) {
        if (sizes.data[d] < 0)
            return infer_fail(
                infer, op, "Broadcast with negative dimension size %lld", (long long)sizes.data[d]);
        dims[d] = sizes.data[d];
    }
    for (int d = 0; d < operand->rank; d++)
        dims[sizes.count + d] = operand->dims[d];
    infer_set(infer, 0, infer_tensor_like(infer, operand, sizes.count + operand->rank, dims));
    return true;
}

bool infer_broadcast_dims(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    IntSpan dimensions = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    if (dimensions.count != operand->rank)
        return infer_fail(
            infer, op, "broadcast_dimensions size (%d) does not match operand rank (%d)",
            dimensions.count, operand->rank);
    if (!operand->quant && !result->quant && operand->element != result->element)
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    for (int d = 0; d < dimensions.count; d++) {
        int64_t target = dimensions.data[d];
        if (target < 0 || target >= result->rank)
            return infer_fail(
                infer, op,
                "broadcast_dimensions contains invalid value %lld for result with rank %d",
                (long long)target, result->rank);
    }
    if (!ints_are_unique(dimensions, result->rank))
        return infer_fail(infer, op, "broadcast_dimensions should not have duplicates");
    for (int d = 0; d < dimensions.count; d++) {
        int64_t from = operand->dims[d], to = result->dims[dimensions.data[d]];
        if (dim_is_dynamic(from) || from == 1 || dims_fit(from, to)) continue;
        if (op->code == OP_DYNAMIC_BROADCAST_IN_DIM)
            return infer_fail(
                infer, op,
                "size of operand dimension %d (%lld) is not compatible with size of result "
                "dimension %lld (%lld)",
                d, (long long)from, (long long)dimensions.data[d], (long long)to);
        return infer_fail(
            infer, op,
            "size of operand dimension %d (%lld) is not equal to 1 or value of shape at index %lld "
            "(%lld)",
            d, (long long)from, (long long)dimensions.data[d], (long long)to);
    }
    return true;
}

// Quantisation moves with its dimension.
bool infer_broadcast_quant(Infer *infer, const Op *op) {
    const QuantParams *from = op_operand_type(op, 0)->quant, *to = op_result_type(op, 0)->quant;
    if (!from && !to) return true;
    if (!from || !to)
        return infer_fail(
            infer, op, "all operands and results to be either quantized or non-quantized");
    if (from->axis < 0 || to->axis < 0) {
        if (from->axis == to->axis && from != to &&
            (from->scales[0] != to->scales[0] || from->zero_points[0] != to->zero_points[0]))
            return infer_fail(infer, op, "expect same quantization scale and zero_point");
        return true;
    }
    int64_t expected = op_ints(op, NAME_BROADCAST_DIMENSIONS).data[from->axis];
    if (to->axis != expected)
        return infer_fail(
            infer, op,
            "result quantization_dimension %d not same as broadcast_dimensions[%d] = %lld",
            to->axis, from->axis, (long long)expected);
    for (int i = 0; i < to->count; i++) {
        int j = from->count == 1 ? 0 : i;
        if (j >= from->count) return infer_fail(infer, op, "expect same quantization scales");
        if (to->scales[i] != from->scales[j])
            return infer_fail(
                infer, op, "mismatch result scale %d (%.6e) and operand scale %d (%.6e)", i,
                to->scales[i], j, from->scales[j]);
        if (to->zero_points[i] != from->zero_points[j])
            return infer_fail(
                infer, op, "mismatch result zero_point %d (%lld) and operand zero_point %d (%lld)",
                i, (long long)to->zero_points[i], j, (long long)from->zero_points[j]);
    }
    return true;
}

// Reshapes and broadcasts need to know the result's size (but for one bounded dimension).
static bool check_static_result(Infer *infer, const Op *op) {
    const Type *result = op_result_type(op, 0);
    int dynamic = 0;
    for (int d = 0; d < result->rank; d++)
        dynamic += dim_is_dynamic(result->dims[d]);
    bool is_bounded = dynamic == 1 && result->is_bounded;
    if (dynamic == 0 || is_bounded) return true;
    return infer_fail(
        infer, op,
        "result #0 must be statically shaped or single bounded dimension tensor, but got '%s'",
        infer_type_text(infer, result));
}

bool infer_broadcast_in_dim(Infer *infer, const Op *op) {
    return check_static_result(infer, op) && infer_broadcast_dims(infer, op) &&
           infer_broadcast_quant(infer, op);
}

static bool check_reshape_quant(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    const QuantParams *from = operand->quant, *to = result->quant;
    if (!from || !to || (from->axis < 0) != (to->axis < 0)) return true;
    if (from->axis < 0) {
        if (from->scales[0] == to->scales[0] && from->zero_points[0] == to->zero_points[0])
            return true;
        return infer_fail(infer, op, "expect same quantization scale and zero_point");
    }
    if (from->count != to->count)
        return infer_fail(
            infer, op, "expect same quantization dimension size for operand and result");
    for (int i = 0; i < from->count; i++) {
        if (from->scales[i] != to->scales[i] || from->zero_points[i] != to->zero_points[i])
            return infer_fail(infer, op, "expect same quantization scales and zero_points");
    }
    int64_t before = 1, after = 1;
    bool small = checked_product(operand->dims, from->axis, &before) &&
                 checked_product(result->dims, to->axis, &after);
    if (small && before != after)
        return infer_fail(
            infer, op,
            "product of dimensions before quantization dimension must match between operand and "
            "result");
    return true;
}

bool infer_reshape(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (!check_static_result(infer, op)) return false;
    bool both_plain = !operand->quant && !result->quant;
    if ((both_plain && operand->element != result->element) || !operand->quant != !result->quant)
        return infer_fail(infer, op, "expects operand and result to have compatible element type");
    if (!type_is_static(operand) || !type_is_static(result)) return true;
    int64_t from, to;
    if (!checked_product(operand->dims, operand->rank, &from) ||
        !checked_product(result->dims, result->rank, &to))
        return infer_fail(infer, op, "has too many elements");
    if (from != to)
        return infer_fail(
            infer, op,
            "number of output elements (%lld) doesn't match expected number of elements (%lld)",
            (long long)to, (long long)from);
    return check_reshape_quant(infer, op);
}

bool infer_transpose(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    IntSpan permutation = op_ints(op, NAME_PERMUTATION);
    if (permutation.count != operand->rank)
        return infer_fail(
            infer, op, "TransposeOp operand rank %d does not match permutation size %d",
            operand->rank, permutation.count);
    if (!ints_are_unique(permutation, operand->rank)) {
        int64_t iota[MAX_RANK];
        for (int d = 0; d < operand->rank; d++)
            iota[d] = d;
        return infer_fail(
            infer, op, "attribute permutation must be a permutation of [%s] but got %s",
            infer_ints_text(infer, iota, operand->rank),
            infer_ints_text(infer, permutation.data, permutation.count));
    }
    Type type = *operand;
    for (int d = 0; d < operand->rank; d++) {
        type.dims[d] = operand->dims[permutation.data[d]];
        type.bounds[d] = operand->bounds[permutation.data[d]];
    }
    const QuantParams *from = operand->quant, *to = op_result_type(op, 0)->quant;
    if (from && to && from->axis >= 0 && to->axis >= 0 && to->axis < operand->rank &&
        permutation.data[to->axis] != from->axis)
        return infer_fail(
            infer, op, "operand quantization_dimension %d is not same as permutation[%d] = %lld",
            from->axis, to->axis, (long long)permutation.data[to->axis]);
    for (int i = 0; from && to && from->count == to->count && i < from->count; i++) {
        if (from->scales[i] != to->scales[i] || from->zero_points[i] != to->zero_points[i])
            return infer_fail(infer, op, "expect same quantization scales and zero_points");
    }
    type.quant = to;
    infer_set(infer, 0, type_intern(infer->context, &type));
    return true;
}

bool infer_reverse(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] < 0)
            return infer_fail(
                infer, op, "all dimensions should be non-negative. Got dimension: %lld.",
                (long long)dims.data[i]);
        if (dims.data[i] >= operand->rank)
            return infer_fail(
                infer, op, "all dimensions should be between [0, %d). Got dimension: %lld.",
                operand->rank, (long long)dims.data[i]);
    }
    if (!ints_are_unique(dims, operand->rank))
        return infer_fail(
            infer, op, "dimensions should be unique. Got: %s",
            infer_ints_text(infer, dims.data, dims.count));
    return infer_same_type(infer, op);
}

static bool infer_slice_list(Infer *infer, const Op *op, AttrName name, int rank, IntSpan *ints) {
    *ints = op_ints(op, name);
    if (ints->count == rank) return true;
    return infer_fail(
        infer, op,
        "the number of elements in %.*s (%d) does not match the rank of the operand (%d)",
        SV_ARG(attr_name_text(name)), ints->count, rank);
}

bool infer_slice(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    int rank = operand->rank;
    IntSpan starts, limits, strides;
    if (!infer_slice_list(infer, op, NAME_START_INDICES, rank, &starts) ||
        !infer_slice_list(infer, op, NAME_LIMIT_INDICES, rank, &limits) ||
        !infer_slice_list(infer, op, NAME_STRIDES, rank, &strides))
        return false;
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < rank; d++) {
        int64_t start = starts.data[d], limit = limits.data[d], stride = strides.data[d];
        if (start < 0)
            return infer_fail(
                infer, op, "negative start index %lld in dimension %d", (long long)start, d);
        bool is_static = !dim_is_dynamic(operand->dims[d]);
        int64_t most = is_static             ? operand->dims[d]
                       : operand->is_bounded ? operand->bounds[d]
                                             : DIM_DYNAMIC;
        if (most != DIM_DYNAMIC && limit > most)
            return infer_fail(
                infer, op, "limit index %lld is larger than dimension %s %lld in dimension %d",
                (long long)limit, is_static ? "size" : "bound", (long long)most, d);
        if (start > limit)
            return infer_fail(
                infer, op, "start index %lld is larger than limit index %lld in dimension %d",
                (long long)start, (long long)limit, d);
        if (stride <= 0)
            return infer_fail(
                infer, op, "stride must be positive but got %lld in dimension %d",
                (long long)stride, d);
        dims[d] = (limit - start) / stride + ((limit - start) % stride != 0);
    }
    infer_set(infer, 0, infer_tensor_like(infer, operand, rank, dims));
    return true;
}

// size + low + high + interior * (size - 1); false on overflow
static bool padded_size(
    int64_t size, int64_t low, int64_t high, int64_t interior, int64_t *padded) {
    int64_t gaps;
    return checked_mul(size > 1 ? size - 1 : 0, interior, &gaps) &&
           checked_add(size, low, padded) && checked_add(*padded, high, padded) &&
           checked_add(*padded, gaps, padded);
}

bool infer_pad(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *padding = op_operand_type(op, 1);
    int rank = operand->rank;
    if (padding->rank != 0)
        return infer_fail(
            infer, op, "operand #1 must be 0D tensor of any values, but got '%s'",
            infer_type_text(infer, padding));
    if (!elements_fit(operand, padding))
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    IntSpan low, high, interior;
    if (!infer_ints_of(infer, op, NAME_EDGE_PADDING_LOW, rank, &low) ||
        !infer_ints_of(infer, op, NAME_EDGE_PADDING_HIGH, rank, &high) ||
        !infer_ints_of(infer, op, NAME_INTERIOR_PADDING, rank, &interior))
        return false;
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < rank; d++) {
        if (interior.data[d] < 0)
            return infer_fail(
                infer, op, "interior_padding must be non-negative, but got %lld",
                (long long)interior.data[d]);
        dims[d] = operand->dims[d];
        bool is_static = !dim_is_dynamic(operand->dims[d]);
        int64_t size = is_static || !operand->is_bounded ? operand->dims[d] : operand->bounds[d];
        if (size == DIM_DYNAMIC) continue;
        if (!padded_size(size, low.data[d], high.data[d], interior.data[d], &size))
            return infer_fail(infer, op, "size of dimension %d overflows", d);
        if (size < 0)
            return infer_fail(
                infer, op, "Padding result in negative %s for dimension %d",
                is_static ? "size" : "bound", d);
        if (is_static) dims[d] = size;
    }
    infer_set(infer, 0, infer_tensor_like(infer, operand, rank, dims));
    return true;
}

static const char *pair_text(Infer *infer, const Type *a, const Type *b, int dimension) {
    // The sizes before and at the dimension that differs, as (1, 3) != (2, 2).
    return arena_printf(
        infer->diags->arena, "(%s) != (%s)", infer_ints_text(infer, a->dims, dimension + 1),
        infer_ints_text(infer, b->dims, dimension + 1));
}

bool infer_concatenate(Infer *infer, const Op *op) {
    if (op->operand_count == 0)
        return infer_fail(infer, op, "expected 1 or more operands, but found 0");
    int64_t dimension = op_int(op, NAME_DIMENSION, 0);
    const Type *first = op_operand_type(op, 0);
    if (first->rank == 0) return infer_fail(infer, op, "rank-0 values cannot be concatenated");
    if (dimension >= first->rank)
        return infer_fail(
            infer, op, "dimension %lld is out-of-bounds for input rank %d", (long long)dimension,
            first->rank);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < first->rank; d++)
        dims[d] = first->dims[d];
    for (int i = 1; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (!elements_fit(first, type))
            return infer_fail(
                infer, op, "requires the same element type for all operands and results");
        if (type->rank != first->rank)
            return infer_fail(infer, op, "operands (0) and (%d) do not match rank", i);
        for (int d = 0; d < first->rank; d++) {
            if (d == dimension) {
                bool dynamic = dim_is_dynamic(dims[d]) || dim_is_dynamic(type->dims[d]);
                if (dynamic) {
                    dims[d] = DIM_DYNAMIC;
                } else if (!checked_add(dims[d], type->dims[d], &dims[d])) {
                    return infer_fail(infer, op, "size of dimension %d overflows", d);
                }
            } else if (!dims_fit(dims[d], type->dims[d])) {
                return infer_fail(
                    infer, op,
                    "shapes of operand (0) and (%d) are not compatible at non-concat index %d: %s",
                    i, d, pair_text(infer, first, type, d));
            } else {
                dims[d] = merge_dims(dims[d], type->dims[d]);
            }
        }
    }
    infer_set(infer, 0, infer_tensor_like(infer, first, first->rank, dims));
    return true;
}

// Operands from `first` on are scalar indices of one integer type.
static bool check_start_indices(Infer *infer, const Op *op, int first) {
    for (int i = first; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->rank != 0 || !element_is_integer(type->element) || type->quant)
            return infer_fail(
                infer, op,
                "operand #%d must be variadic of 0D tensor of integer values, but got '%s'", i,
                infer_type_text(infer, type));
        if (type->element != op_operand_type(op, first)->element)
            return infer_fail(infer, op, "start indices must have same element type");
    }
    return true;
}

bool infer_dynamic_slice(Infer *infer, const Op *op) {
    if (op->operand_count == 0)
        return infer_fail(infer, op, "expected 1 or more operands, but found 0");
    const Type *operand = op_operand_type(op, 0);
    int start_count = op->operand_count - 1;
    IntSpan sizes = op_ints(op, NAME_SLICE_SIZES);
    if (sizes.count != start_count)
        return infer_fail(
            infer, op, "has mismatched number of slice sizes (%d) and number of start indices (%d)",
            sizes.count, start_count);
    if (start_count != operand->rank)
        return infer_fail(
            infer, op, "has mismatched number of start indices (%d) and the rank of operand (%d)",
            start_count, operand->rank);
    if (!check_start_indices(infer, op, 1)) return false;
    for (int d = 0; d < sizes.count; d++) {
        int64_t size = sizes.data[d];
        if (size < 0)
            return infer_fail(
                infer, op, "has negative size index to dynamic slice: %lld", (long long)size);
        if (!dim_is_dynamic(operand->dims[d]) && size > operand->dims[d])
            return infer_fail(
                infer, op,
                "has slice size %lld greater than dimension size %lld in dimension %d of operand",
                (long long)size, (long long)operand->dims[d], d);
    }
    infer_set(infer, 0, infer_tensor_like(infer, operand, sizes.count, sizes.data));
    return true;
}

bool infer_dynamic_update_slice(Infer *infer, const Op *op) {
    if (op->operand_count < 2)
        return infer_fail(
            infer, op, "expected 2 or more operands, but found %d", op->operand_count);
    const Type *operand = op_operand_type(op, 0), *update = op_operand_type(op, 1);
    if (update->rank != operand->rank)
        return infer_fail(
            infer, op, "update rank does not match operand rank: %d vs %d.", update->rank,
            operand->rank);
    if (!elements_fit(operand, update))
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    if (op->operand_count - 2 != operand->rank)
        return infer_fail(
            infer, op, "expects number of start_indices to match operand rank: %d vs %d.",
            op->operand_count - 2, operand->rank);
    if (!check_start_indices(infer, op, 2)) return false;
    for (int d = 0; d < operand->rank; d++) {
        bool both = !dim_is_dynamic(operand->dims[d]) && !dim_is_dynamic(update->dims[d]);
        if (both && update->dims[d] > operand->dims[d])
            return infer_fail(
                infer, op,
                "expects size at dimension %d of update to be in range [0, %lld]. Got: %lld.", d,
                (long long)operand->dims[d], (long long)update->dims[d]);
    }
    infer_set(infer, 0, operand);
    return true;
}

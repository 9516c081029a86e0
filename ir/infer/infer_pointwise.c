// Elementwise ops: operands and results of one shape.
#include "ir/infer/infer.h"

bool infer_none(Infer *infer, const Op *op) {
    (void)infer;
    (void)op;
    return true;
}

// Operands and result have one type.
bool infer_same_type(Infer *infer, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    for (int i = 1; i < op->operand_count; i++) {
        if (!types_fit(type, op_operand_type(op, i)))
            return infer_fail(infer, op, "requires compatible types for all operands and results");
        const QuantParams *quant = op_operand_type(op, i)->quant;
        if (quant && quant->axis != type->quant->axis)
            return infer_fail(infer, op, "quantization_dimension of rhs and result are not same");
    }
    infer_set(infer, 0, type);
    return true;
}

// Quantised addition: one storage and expressed type; an operand that is quantised along a
// dimension makes the result so.
static bool check_add_quant(Infer *infer, const Op *op) {
    if (infer->results_unknown) return true;
    const QuantParams *result = op_result_type(op, 0)->quant;
    bool per_axis = false;
    for (int i = 0; i < 2; i++) {
        const Type *operand = op_operand_type(op, i);
        if (!operand->quant || !result)
            return infer_fail(
                infer, op, "all operands and results to be either quantized or non-quantized");
        if (element_bits(operand->element) != element_bits(op_result_type(op, 0)->element))
            return infer_fail(
                infer, op, "mismatched operands and result quantization storage types");
        if (operand->quant->expressed != result->expressed)
            return infer_fail(
                infer, op, "mismatched operands and result quantization expressed types");
        per_axis = per_axis || operand->quant->axis >= 0;
    }
    if (per_axis && result->axis < 0)
        return infer_fail(infer, op, "result is not per_axis quantized but lhs or rhs are");
    for (int i = 0; i < 2; i++) {
        const QuantParams *quant = op_operand_type(op, i)->quant;
        if (quant->axis >= 0 && quant->axis != result->axis)
            return infer_fail(
                infer, op, "quantization_dimension of %s and result are not same '%s' vs '%s'",
                i ? "rhs" : "lhs", infer_element_text(infer, op_operand_type(op, i)),
                infer_element_text(infer, op_result_type(op, 0)));
    }
    if (!per_axis && result->axis >= 0)
        return infer_fail(
            infer, op,
            "result per_axis quantized but none from rhs and lhs are per_axis quantized");
    return true;
}

bool infer_add(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Type *result = op_result_type(op, 0);
    bool is_quantized = lhs->quant || rhs->quant || (!infer->results_unknown && result->quant);
    if (is_quantized) {
        if (!check_add_quant(infer, op)) return false;
    } else if (lhs->element != rhs->element) {
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    }
    if (!infer->results_unknown && lhs->rank != result->rank)
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    if (!is_quantized) return infer_same_type(infer, op);
    if (!shapes_fit(lhs, rhs) || (!infer->results_unknown && !shapes_fit(lhs, result)))
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    infer_set(infer, 0, rhs->quant && rhs->quant->axis >= 0 ? rhs : lhs);
    return true;
}

// Result i has operand i's type.
bool infer_same_types(Infer *infer, const Op *op) {
    if (op->operand_count != op->result_count)
        return infer_fail(
            infer, op, "requires the same number of operands and results, but got %d and %d",
            op->operand_count, op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        bool is_exact = op->code == OP_OPTIMIZATION_BARRIER && !infer->results_unknown;
        if (is_exact && op_operand_type(op, i) != op_result_type(op, i))
            return infer_fail(
                infer, op, "requires the same type for operand and result at index %d", i);
        infer_set(infer, i, op_operand_type(op, i));
    }
    return true;
}

bool infer_chlo_unary(Infer *infer, const Op *op) { return infer_same_type(infer, op); }
bool infer_chlo_binary(Infer *infer, const Op *op) { return infer_same_type(infer, op); }

static bool same_shape_with(Infer *infer, const Op *op, ElementType element) {
    infer_set(infer, 0, type_with_element(infer->context, op_operand_type(op, 0), element));
    return true;
}

// complex -> its parts' type, others themselves
bool infer_abs(Infer *infer, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    if (element_class(type->element) != CLASS_COMPLEX) {
        infer_set(infer, 0, type);
        return true;
    }
    return same_shape_with(infer, op, element_real_part(type->element));
}

bool infer_real_imag(Infer *infer, const Op *op) { return infer_abs(infer, op); }

bool infer_is_finite(Infer *infer, const Op *op) {
    if (!infer->results_unknown && !shapes_fit(op_operand_type(op, 0), op_result_type(op, 0)))
        return infer_fail(
            infer, op, "all non-scalar operands/results must have the same shape and base type");
    return same_shape_with(infer, op, ELEMENT_I1);
}

bool infer_complex(Infer *infer, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    if (!types_fit(type, op_operand_type(op, 1)))
        return infer_fail(infer, op, "requires compatible types for all operands");
    return same_shape_with(infer, op, type->element == ELEMENT_F64 ? ELEMENT_C128 : ELEMENT_C64);
}

bool infer_compare(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (!elements_fit(lhs, rhs))
        return infer_fail(infer, op, "requires compatible element types for all operands");
    if (!shapes_fit(lhs, rhs))
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    return same_shape_with(infer, op, ELEMENT_I1);
}

bool infer_convert(Infer *infer, const Op *op) {
    if (!shapes_fit(op_operand_type(op, 0), op_result_type(op, 0)))
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    return true;
}

bool infer_reduce_precision(Infer *infer, const Op *op) { return infer_same_type(infer, op); }

bool infer_select(Infer *infer, const Op *op) {
    const Type *predicate = op_operand_type(op, 0);
    const Type *on_true = op_operand_type(op, 1), *on_false = op_operand_type(op, 2);
    if (!types_fit(on_true, on_false))
        return infer_fail(infer, op, "requires compatible types for non-predicate operands");
    if (predicate->rank != 0 && !shapes_fit(predicate, on_true))
        return infer_fail(infer, op, "requires the same shape for all operands");
    infer_set(infer, 0, on_true);
    return true;
}

static bool check_clamp_bound(Infer *infer, const Op *op, int i, const char *name) {
    const Type *bound = op_operand_type(op, i), *operand = op_operand_type(op, 1);
    if (bound->rank != 0 && !shapes_fit(bound, operand))
        return infer_fail(
            infer, op, "%s shape [%s] is not scalar and is not compatible to operand shape [%s]",
            name, infer_ints_text(infer, bound->dims, bound->rank),
            infer_ints_text(infer, operand->dims, operand->rank));
    if (!elements_fit(bound, operand))
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    return true;
}

bool infer_clamp(Infer *infer, const Op *op) {
    if (!check_clamp_bound(infer, op, 0, "min") || !check_clamp_bound(infer, op, 2, "max"))
        return false;
    infer_set(infer, 0, op_operand_type(op, 1));
    return true;
}

bool infer_quantize(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (!shapes_fit(operand, result))
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    if (op->code == OP_UNIFORM_QUANTIZE) {
        ElementType from = operand->quant ? operand->quant->expressed : operand->element;
        if (!result->quant)
            return infer_fail(
                infer, op, "result #0 must be ranked tensor of quantized values, but got '%s'",
                infer_type_text(infer, result));
        if (from != result->quant->expressed)
            return infer_fail(
                infer, op, "operand's element type differs from the result's expressed type");
        return true;
    }
    if (!operand->quant)
        return infer_fail(
            infer, op, "operand #0 must be ranked tensor of quantized values, but got '%s'",
            infer_type_text(infer, operand));
    return same_shape_with(infer, op, operand->quant->expressed);
}

// What the body of map must be: scalars of the operands' element types in, one scalar out.
static bool check_map_body(Infer *infer, const Op *op) {
    const Region *body = op->regions[0];
    if (body->arg_count != op->operand_count)
        return infer_fail(
            infer, op,
            "expects number of operands to match the arity of map computation, but got: %d and %d",
            op->operand_count, body->arg_count);
    for (int i = 0; i < body->arg_count; i++) {
        const Type *arg = body->args[i]->type;
        if (arg->kind != TYPE_TENSOR || arg->rank != 0)
            return infer_fail(
                infer, op,
                "computation arguments must be 0-rank tensor, but got: arg #%d of type '%s'", i,
                infer_type_text(infer, arg));
        if (!elements_fit(arg, op_operand_type(op, i)))
            return infer_fail(
                infer, op,
                "element type of operands and computation arguments must match, but got: '%s' and "
                "'%s'",
                infer_element_text(infer, op_operand_type(op, i)), infer_element_text(infer, arg));
    }
    const Op *end = region_terminator(body);
    int outputs = end ? end->operand_count : 0;
    if (outputs != 1)
        return infer_fail(infer, op, "computation must return single output, but got: %d", outputs);
    const Type *output = op_operand_type(end, 0);
    if (output->kind != TYPE_TENSOR || output->rank != 0)
        return infer_fail(
            infer, op, "computation must return 0-rank tensor, but got: '%s'",
            infer_type_text(infer, output));
    return true;
}

bool infer_map(Infer *infer, const Op *op) {
    if (op->operand_count == 0)
        return infer_fail(infer, op, "expected 1 or more operands, but found 0");
    const Type *first = op_operand_type(op, 0);
    for (int i = 1; i < op->operand_count; i++) {
        if (!shapes_fit(first, op_operand_type(op, i)))
            return infer_fail(infer, op, "requires the same shape for all operands");
    }
    if (!check_map_body(infer, op)) return false;
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] != i)
            return infer_fail(
                infer, op, "requires monotonically increasing dimension numbers, but got: %s",
                infer_ints_text(infer, dims.data, dims.count));
    }
    if (dims.count != first->rank)
        return infer_fail(
            infer, op,
            "applied to a subset of dimensions currently not supported: operand dimensions = %d, "
            "requested map dimensions size = %d",
            first->rank, dims.count);
    const Type *output = op_operand_type(region_terminator(op->regions[0]), 0);
    infer_set(infer, 0, infer_tensor_like(infer, output, first->rank, first->dims));
    return true;
}

// The dimension that two broadcast dimensions give; false when they do not fit.
static bool broadcast_dim(int64_t a, int64_t b, int64_t *dim) {
    if (a == 1 || b == 1) {
        *dim = a == 1 ? b : a;
        return true;
    }
    *dim = merge_dims(a, b);
    return dims_fit(a, b);
}

// The smaller operand's dimension i becomes dimension `dimensions[i]`, by default the last ones.
static bool infer_broadcast_shape(
    Infer *infer, const Op *op, const Type *lhs, const Type *rhs, int64_t *dims, int *rank) {
    const Type *small = lhs->rank <= rhs->rank ? lhs : rhs;
    const Type *large = small == lhs ? rhs : lhs;
    IntSpan dimensions = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    bool given = op_attr(op, NAME_BROADCAST_DIMENSIONS) != NULL && lhs->rank != rhs->rank;
    if (given && dimensions.count != small->rank)
        return infer_fail(
            infer, op, "broadcast_dimensions must have size equal to the smaller operand rank");
    *rank = large->rank;
    for (int d = 0; d < large->rank; d++)
        dims[d] = large->dims[d];
    int64_t previous = -1;
    for (int d = 0; d < small->rank; d++) {
        int64_t target = given ? dimensions.data[d] : large->rank - small->rank + d;
        if (target <= previous || target >= large->rank)
            return infer_fail(
                infer, op, "broadcast_dimensions %s must be strictly increasing and in range",
                infer_ints_text(infer, dimensions.data, dimensions.count));
        previous = target;
        if (!broadcast_dim(large->dims[target], small->dims[d], &dims[target]))
            return infer_fail(
                infer, op, "requires compatible shapes for all operands, but got '%s' and '%s'",
                infer_type_text(infer, lhs), infer_type_text(infer, rhs));
    }
    return true;
}

// The shapes of all operands, aligned at their last dimensions, are broadcast together.
static bool infer_broadcast_select(Infer *infer, const Op *op) {
    const Type *on_true = op_operand_type(op, 1);
    int64_t dims[MAX_RANK];
    int rank = 0;
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i)->rank > rank) rank = op_operand_type(op, i)->rank;
    }
    for (int d = 0; d < rank; d++)
        dims[d] = 1;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *operand = op_operand_type(op, i);
        int64_t *aligned = dims + rank - operand->rank;
        for (int d = 0; d < operand->rank; d++) {
            int64_t size = operand->dims[d];
            if (size != 1 && aligned[d] != 1 && !dims_fit(size, aligned[d]))
                return infer_fail(
                    infer, op, "operand %d does not broadcast with the others: '%s'", i,
                    infer_type_text(infer, operand));
            if (aligned[d] == 1) aligned[d] = size;
            if (size != 1) aligned[d] = merge_dims(aligned[d], size);
        }
    }
    if (!elements_fit(on_true, op_operand_type(op, 2)))
        return infer_fail(
            infer, op, "requires compatible element types for all operands and results");
    if (!on_true->is_bounded) infer_set(infer, 0, infer_tensor_like(infer, on_true, rank, dims));
    return true;
}

bool infer_chlo_broadcast(Infer *infer, const Op *op) {
    if (op->code == OP_CHLO_BROADCAST_SELECT) return infer_broadcast_select(infer, op);
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    ElementType element = lhs->element;
    if (op->code == OP_CHLO_BROADCAST_COMPARE) element = ELEMENT_I1;
    if (op->code == OP_CHLO_BROADCAST_COMPLEX)
        element = element == ELEMENT_F64 ? ELEMENT_C128 : ELEMENT_C64;
    if (!elements_fit(lhs, rhs) || op_result_type(op, 0)->element != element)
        return infer_fail(
            infer, op, "requires compatible element types for all operands and results");
    int64_t dims[MAX_RANK];
    int rank = 0;
    if (!infer_broadcast_shape(infer, op, lhs, rhs, dims, &rank)) return false;
    if (!lhs->quant && !lhs->is_bounded && !rhs->is_bounded)
        infer_set_dims(infer, 0, element, rank, dims);
    return true;
}

// chlo.constant_like: the operand's shape, the value's element type
bool infer_constant_like(Infer *infer, const Op *op) {
    const Attr *value = op_attr(op, NAME_VALUE);
    bool is_number =
        value->kind == ATTR_FLOAT || value->kind == ATTR_INT || value->kind == ATTR_BOOL;
    bool is_scalar = value->kind == ATTR_ELEMENTS && value->type->rank == 0;
    if (!is_number && !is_scalar)
        return infer_fail(infer, op, "attribute 'value' failed to satisfy constraint: a number");
    ElementType element = value->type ? value->type->element : ELEMENT_I1;
    if (element != op_result_type(op, 0)->element)
        return infer_fail(infer, op, "value's type doesn't match element return type");
    return same_shape_with(infer, op, element);
}

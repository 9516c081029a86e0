// Ops whose result sizes are operands.
#include "base/checked.h"
#include "ir/infer/infer.h"

static const Attr *constant_of(const Value *value) {
    if (!value->def || value->def->code != OP_CONSTANT) return NULL;
    const Attr *attr = op_attr(value->def, NAME_VALUE);
    return attr && attr->kind == ATTR_ELEMENTS ? attr : NULL;
}

// Operand i is a one-dimensional list of as many integers as the result has dimensions.
static bool check_shape_operand(Infer *infer, const Op *op, int i, int rank) {
    const Type *type = op_operand_type(op, i);
    bool is_list = type->rank == 1 && !type->quant &&
                   (element_is_integer(type->element) || type->element == ELEMENT_INDEX);
    if (!is_list)
        return infer_fail(
            infer, op,
            "operand #%d must be statically shaped 1-dimensional tensor of integer values, but got "
            "'%s'",
            i, infer_type_text(infer, type));
    if (dim_is_dynamic(type->dims[0]))
        return infer_fail(infer, op, "operand #%d must be statically shaped", i);
    if (type->dims[0] == rank) return true;
    return infer_fail(
        infer, op, "length of operand #%d (%lld) must match the rank of the result (%d)", i,
        (long long)type->dims[0], rank);
}

// When operand i is constant, the result's sizes follow from it.
static bool check_constant_shape(Infer *infer, const Op *op, int i) {
    const Attr *shape = constant_of(op_operand(op, i));
    const Type *result = op_result_type(op, 0);
    if (!shape || !shape->ints || shape->count != result->rank) return true;
    for (int d = 0; d < result->rank; d++) {
        if (shape->ints[d] >= 0 && dims_fit(shape->ints[d], result->dims[d])) continue;
        return infer_fail(
            infer, op, "output shape [%s] is incompatible with return type of operation '%s'",
            infer_ints_text(infer, shape->ints, shape->count), infer_type_text(infer, result));
    }
    return true;
}

static bool same_elements(Infer *infer, const Op *op) {
    if (elements_fit(op_operand_type(op, 0), op_result_type(op, 0))) return true;
    return infer_fail(infer, op, "expects operand and result to have compatible element type");
}

// No more is checked of ops that are rewritten to others before anything uses them.
bool infer_dynamic_result(Infer *infer, const Op *op) {
    (void)infer;
    (void)op;
    return true;
}

// More or less is known of the shape.
bool infer_tensor_cast(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (types_fit(operand, result)) return true;
    return infer_fail(
        infer, op, "operand type '%s' and result type '%s' are cast incompatible",
        infer_type_text(infer, operand), infer_type_text(infer, result));
}

bool infer_dynamic_iota(Infer *infer, const Op *op) {
    const Type *result = op_result_type(op, 0);
    return infer_iota(infer, op) && check_shape_operand(infer, op, 0, result->rank) &&
           check_constant_shape(infer, op, 0);
}

bool infer_dynamic_reshape(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (!check_shape_operand(infer, op, 1, result->rank) || !same_elements(infer, op)) return false;
    const Attr *shape = constant_of(op_operand(op, 1));
    int64_t from = 0, to = 0;
    if (type_is_static(operand) && type_is_static(result) &&
        checked_product(operand->dims, operand->rank, &from) &&
        checked_product(result->dims, result->rank, &to) && from != to)
        return infer_fail(
            infer, op,
            "number of output elements (%lld) doesn't match expected number of elements (%lld)",
            (long long)to, (long long)from);
    bool known = shape && shape->ints && type_is_static(operand) &&
                 checked_product(operand->dims, operand->rank, &from) &&
                 checked_product(shape->ints, shape->count, &to);
    if (known && from != to)
        return infer_fail(
            infer, op,
            "output_shape is incompatible with input type of operation: input has %lld elements, "
            "but output_shape has %lld",
            (long long)from, (long long)to);
    return check_constant_shape(infer, op, 1);
}

// The hints name operand dimensions, each once.
static bool check_hint(Infer *infer, const Op *op, AttrName name, const char *what, IntSpan *hint) {
    *hint = op_ints(op, name);
    int rank = op_operand_type(op, 0)->rank;
    for (int i = 0; i < hint->count; i++) {
        if (hint->data[i] < 0 || hint->data[i] >= rank)
            return infer_fail(
                infer, op, "hint for %s dimension %lld does not refer to a valid operand dimension",
                what, (long long)hint->data[i]);
    }
    if (!ints_are_unique(*hint, rank))
        return infer_fail(infer, op, "duplicate expansion hint for at least one operand dimension");
    return true;
}

// A constant shape must have the operand's sizes where it is not expanded.
static bool check_broadcast_shape(Infer *infer, const Op *op) {
    const Attr *shape = constant_of(op_operand(op, 1));
    const Type *operand = op_operand_type(op, 0);
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    for (int d = 0; shape && shape->ints && d < dims.count; d++) {
        int64_t from = operand->dims[d], to = shape->ints[dims.data[d]];
        if (dim_is_dynamic(from) || from == 1 || from == to) continue;
        return infer_fail(
            infer, op,
            "size of operand dimension %d (%lld) is not equal to 1 or value of shape at index %lld "
            "(%lld)",
            d, (long long)from, (long long)dims.data[d], (long long)to);
    }
    return infer_broadcast_quant(infer, op);
}

bool infer_dynamic_broadcast(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    IntSpan expanding, nonexpanding;
    if (!operand->quant && !result->quant && !same_elements(infer, op)) return false;
    return check_shape_operand(infer, op, 1, result->rank) && infer_broadcast_dims(infer, op) &&
           check_hint(infer, op, NAME_KNOWN_EXPANDING_DIMENSIONS, "expanding", &expanding) &&
           check_hint(
               infer, op, NAME_KNOWN_NONEXPANDING_DIMENSIONS, "nonexpanding", &nonexpanding) &&
           check_constant_shape(infer, op, 1) && check_broadcast_shape(infer, op);
}

bool infer_real_dynamic_slice(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (operand->rank != result->rank)
        return infer_fail(infer, op, "operand and result must have the same rank");
    for (int i = 1; i < 4; i++) {
        if (!check_shape_operand(infer, op, i, operand->rank)) return false;
        if (op_operand_type(op, i) != op_operand_type(op, 1))
            return infer_fail(
                infer, op,
                "failed to verify that all of {start_indices, limit_indices, strides} have same "
                "type");
    }
    return same_elements(infer, op);
}

bool infer_dynamic_pad(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (op_operand_type(op, 1)->rank != 0)
        return infer_fail(infer, op, "padding value should be of rank-0");
    for (int i = 2; i < 5; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->rank == 1 && !dim_is_dynamic(type->dims[0]) && type->dims[0] != operand->rank)
            return infer_fail(
                infer, op, "padding operands size (%lld) must match operand rank (%d)",
                (long long)type->dims[0], operand->rank);
        if (!check_shape_operand(infer, op, i, operand->rank)) return false;
        if (type != op_operand_type(op, 2))
            return infer_fail(
                infer, op,
                "failed to verify that all of {edge_padding_low, edge_padding_high, "
                "interior_padding} have same type");
    }
    if (!elements_fit(operand, op_operand_type(op, 1)) || !elements_fit(operand, result))
        return infer_fail(
            infer, op,
            "failed to verify that all of {operand, padding_value, result} have same element type");
    if (operand->rank != result->rank)
        return infer_fail(infer, op, "operand and result must have the same rank");
    const Attr *low = constant_of(op_operand(op, 2)), *high = constant_of(op_operand(op, 3)),
               *interior = constant_of(op_operand(op, 4));
    for (int d = 0; interior && interior->ints && d < operand->rank; d++) {
        if (interior->ints[d] < 0)
            return infer_fail(
                infer, op, "interior_padding must be non-negative, but got %lld",
                (long long)interior->ints[d]);
    }
    if (!low || !high || !interior || !low->ints || !high->ints || !interior->ints)
        return same_elements(infer, op);
    for (int d = 0; d < operand->rank; d++) {
        if (dim_is_dynamic(operand->dims[d]) || dim_is_dynamic(result->dims[d])) continue;
        int64_t gaps = 0, size = -1;
        int64_t between = operand->dims[d] > 1 ? operand->dims[d] - 1 : 0;
        bool fits = checked_mul(between, interior->ints[d], &gaps) &&
                    checked_add(operand->dims[d], gaps, &size) &&
                    checked_add(size, low->ints[d], &size) &&
                    checked_add(size, high->ints[d], &size);
        if (!fits || size != result->dims[d])
            return infer_fail(
                infer, op, "expected output dimension at index %d to equal %lld, but got %lld", d,
                fits ? (long long)size : -1LL, (long long)result->dims[d]);
    }
    return same_elements(infer, op);
}

static bool check_dimension(Infer *infer, const Op *op, int64_t *dimension) {
    int rank = op_operand_type(op, 0)->rank;
    *dimension = op_int(op, NAME_DIMENSION, 0);
    if (*dimension < rank) return true;
    return infer_fail(
        infer, op, "requires dimension attribute in range [0, %d); found (%lld)", rank,
        (long long)*dimension);
}

bool infer_get_dimension_size(Infer *infer, const Op *op) {
    int64_t dimension;
    if (!check_dimension(infer, op, &dimension)) return false;
    infer_set(infer, 0, type_scalar(infer->context, ELEMENT_I32));
    return true;
}

bool infer_set_dimension_size(Infer *infer, const Op *op) {
    int64_t dimension;
    if (op_operand_type(op, 1)->rank != 0)
        return infer_fail(infer, op, "size operand should be of rank-0");
    if (!check_dimension(infer, op, &dimension)) return false;
    if (op_operand_type(op, 0)->rank != op_result_type(op, 0)->rank)
        return infer_fail(infer, op, "operand and result must have the same rank");
    const Type *operand = op_operand_type(op, 0);
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < operand->rank; d++)
        dims[d] = d == dimension ? DIM_DYNAMIC : operand->dims[d];
    if (!same_elements(infer, op)) return false;
    infer_set(infer, 0, infer_tensor_like(infer, operand, operand->rank, dims));
    return true;
}

bool infer_torch_index_select(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *index = op_operand_type(op, 1);
    int64_t dim = op_int(op, NAME_DIM, 0);
    int64_t batch_dims = op_int(op, NAME_BATCH_DIMS, 0);
    bool in_range =
        batch_dims >= 0 && batch_dims <= dim && dim < operand->rank && batch_dims <= index->rank;
    if (!in_range)
        return infer_fail(
            infer, op, "dim %lld and batch_dims %lld are out of range", (long long)dim,
            (long long)batch_dims);
    int rank = operand->rank - 1 + index->rank - (int)batch_dims;
    if (rank > MAX_RANK || op_result_type(op, 0)->rank != rank)
        return infer_fail(infer, op, "result is expected to have %d dimensions", rank);
    if (!element_is_integer(index->element))
        return infer_fail(infer, op, "index must be a tensor of integers");
    // [batch and dims before dim] [index dims behind the batch] [dims behind dim]
    int64_t dims[MAX_RANK] = {0};
    int d = 0;
    for (int i = 0; i < dim; i++)
        dims[d++] = operand->dims[i];
    for (int i = (int)batch_dims; i < index->rank; i++)
        dims[d++] = index->dims[i];
    for (int i = (int)dim + 1; i < operand->rank; i++)
        dims[d++] = operand->dims[i];
    for (int i = 0; i < batch_dims; i++) {
        if (!dims_fit(operand->dims[i], index->dims[i]))
            return infer_fail(infer, op, "batch dimension %d of operand and index differ", i);
    }
    infer_set(infer, 0, infer_tensor_like(infer, operand, rank, dims));
    return true;
}

// Ops whose shape comes from an operand: the shape is known when they run.
#include "ir/eval/ops/eval_shape.h"

const Type *eval_shape_type(Eval *eval, const Op *op, const Type *like, const Tensor *shape) {
    Type type = *like;
    int64_t rank = tensor_count(shape);
    if (rank > MAX_RANK) {
        eval_unsupported(eval, op, "with more than 32 dimensions");
        return NULL;
    }
    type.rank = (int)rank;
    type.unranked = false;
    type.is_bounded = false;
    for (int d = 0; d < type.rank; d++) {
        type.dims[d] = tensor_int(shape, d);
        if (type.dims[d] < 0) {
            eval_fail(eval, op, "asks for a negative size of dimension %d", d);
            return NULL;
        }
    }
    return type_intern(eval->module->context, &type);
}

static Tensor *dynamic_pad(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int64_t low[MAX_RANK], interior[MAX_RANK];
    Type type = *operand->type;
    for (int d = 0; d < type.rank; d++) {
        low[d] = tensor_int(eval_operand(eval, op, 2), d);
        int64_t high = tensor_int(eval_operand(eval, op, 3), d);
        interior[d] = tensor_int(eval_operand(eval, op, 4), d);
        int64_t size = type.dims[d], limit = INT64_MAX / 8;
        if (interior[d] < 0 || interior[d] > INT32_MAX || low[d] < -limit || low[d] > limit ||
            high < -limit || high > limit) {
            eval_fail(eval, op, "has a padding out of range in dimension %d", d);
            return NULL;
        }
        type.dims[d] = size + (size > 0 ? (size - 1) * interior[d] : 0) + low[d] + high;
        if (type.dims[d] < 0) type.dims[d] = 0;
    }
    return eval_make_pad(
        eval, op, operand, eval_operand(eval, op, 1), type_intern(eval->module->context, &type),
        low, interior);
}

static Tensor *dynamic_reshape(Eval *eval, const Op *op) {
    Tensor *operand = eval_operand(eval, op, 0);
    const Type *type = eval_shape_type(eval, op, op_result_type(op, 0), eval_operand(eval, op, 1));
    if (!type) return NULL;
    if (type_element_count(type) != tensor_count(operand)) {
        eval_fail(eval, op, "changes the number of elements");
        return NULL;
    }
    return eval_view(eval, type, operand);
}

static Tensor *dynamic_gather(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0), *sizes = eval_operand(eval, op, 2);
    int64_t slice_sizes[MAX_RANK];
    if (tensor_count(sizes) != operand->type->rank) {
        eval_fail(eval, op, "needs one slice size per dimension");
        return NULL;
    }
    for (int d = 0; d < operand->type->rank; d++)
        slice_sizes[d] = tensor_int(sizes, d);
    return eval_make_gather(
        eval, op, operand, eval_operand(eval, op, 1), op_result_type(op, 0), slice_sizes);
}

static Tensor *dynamic_conv(Eval *eval, const Op *op) {
    const Tensor *padding = eval_operand(eval, op, 2);
    int64_t pairs[2 * MAX_RANK] = {0};
    for (int64_t i = 0; i < tensor_count(padding) && i < 2 * MAX_RANK; i++)
        pairs[i] = tensor_int(padding, i);
    return eval_make_convolution(
        eval, op, eval_operand(eval, op, 0), eval_operand(eval, op, 1), op_result_type(op, 0),
        pairs);
}

static bool set_made(Eval *eval, const Op *op, Tensor *made) {
    if (!made) return false;
    eval_set_result(eval, op, 0, made);
    return true;
}

bool eval_dynamic_pad(Eval *eval, const Op *op) {
    return set_made(eval, op, dynamic_pad(eval, op));
}
bool eval_dynamic_conv(Eval *eval, const Op *op) {
    return set_made(eval, op, dynamic_conv(eval, op));
}

bool eval_dynamic_reshape(Eval *eval, const Op *op) {
    return set_made(eval, op, dynamic_reshape(eval, op));
}

bool eval_dynamic_gather(Eval *eval, const Op *op) {
    return set_made(eval, op, dynamic_gather(eval, op));
}

bool eval_dynamic_broadcast_in_dim(Eval *eval, const Op *op) {
    int64_t to[MAX_RANK];
    const Tensor *operand = eval_operand(eval, op, 0);
    eval_ints(op, NAME_BROADCAST_DIMENSIONS, operand->type->rank, 0, to);
    const Type *type = eval_shape_type(eval, op, op_result_type(op, 0), eval_operand(eval, op, 1));
    return type && set_made(eval, op, eval_make_broadcast(eval, op, operand, type, to));
}

bool eval_dynamic_iota(Eval *eval, const Op *op) {
    int64_t dimension = op_int(op, NAME_IOTA_DIMENSION, 0);
    const Type *type = eval_shape_type(eval, op, op_result_type(op, 0), eval_operand(eval, op, 0));
    if (type && (dimension < 0 || dimension >= type->rank))
        return eval_fail(eval, op, "has an iota dimension out of range");
    return type && set_made(eval, op, eval_make_iota(eval, op, type, (int)dimension));
}

bool eval_real_dynamic_slice(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    Type type = *operand->type;
    int64_t start[MAX_RANK], stride[MAX_RANK];
    for (int d = 0; d < type.rank; d++) {
        start[d] = tensor_int(eval_operand(eval, op, 1), d);
        int64_t limit = tensor_int(eval_operand(eval, op, 2), d);
        stride[d] = tensor_int(eval_operand(eval, op, 3), d);
        if (start[d] < 0 || limit > type.dims[d] || limit < start[d] || stride[d] < 1)
            return eval_fail(eval, op, "slices beyond dimension %d", d);
        type.dims[d] = limit == start[d] ? 0 : (limit - start[d] - 1) / stride[d] + 1;
    }
    Tensor *result = eval_make_slice(
        eval, op, operand, type_intern(eval->module->context, &type), start, stride);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_tensor_cast(Eval *eval, const Op *op) {
    Tensor *operand = eval_operand(eval, op, 0);
    const Type *result = op_result_type(op, 0);
    bool fits = result->unranked || result->rank == operand->type->rank;
    for (int d = 0; fits && !result->unranked && d < result->rank; d++)
        fits = result->dims[d] < 0 || result->dims[d] == operand->type->dims[d];
    if (!fits) return eval_fail(eval, op, "has an operand of another shape than its result's");
    eval_set_result(eval, op, 0, eval_retain(operand));
    return true;
}

bool eval_get_dimension_size(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int64_t dimension = op_int(op, NAME_DIMENSION, 0);
    if (dimension < 0 || dimension >= operand->type->rank)
        return eval_fail(eval, op, "has a dimension out of range");
    Tensor *result = eval_result_tensor(eval, op, 0);
    if (!result) return false;
    scalar_store_int(result->type->element, &operand->type->dims[dimension], 1, result->data);
    eval_set_result(eval, op, 0, result);
    return true;
}

// The dimension is cut to the size; only a size within the operand is possible.
bool eval_set_dimension_size(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int64_t dimension = op_int(op, NAME_DIMENSION, 0),
            size = tensor_int(eval_operand(eval, op, 1), 0);
    Type type = *operand->type;
    if (dimension < 0 || dimension >= type.rank || size < 0 || size > type.dims[dimension])
        return eval_fail(eval, op, "sets a size out of range");
    type.dims[dimension] = size;
    int64_t start[MAX_RANK] = {0}, stride[MAX_RANK];
    for (int d = 0; d < type.rank; d++)
        stride[d] = 1;
    Tensor *result = eval_make_slice(
        eval, op, operand, type_intern(eval->module->context, &type), start, stride);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

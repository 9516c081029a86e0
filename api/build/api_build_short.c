// api_build_short: the shorthands for common ops.
#include "api/build/api_build.h"

#include <stdio.h>

// Constants.

typedef struct ConstantParts {
    const char *type;
    const void *data; // NULL: number
    size_t size;
    double number;
    shardc_value *result;
} ConstantParts;

// Narrow types have a whole byte per element, of which they use the low bits.
static bool fits_element(ElementType element, unsigned char byte) {
    int bits = element_bits(element);
    if (element_class(element) != CLASS_SINT) return byte >> bits == 0;
    int number = byte < 128 ? byte : byte - 256;
    return number >= -(1 << (bits - 1)) && number < 1 << (bits - 1);
}

static bool check_data(Call *call, const Type *type, const ConstantParts *parts) {
    size_t size = type_bytes(type);
    if (parts->size != size) {
        return build_error(
            call, "a constant of type %s has %zu bytes, not %zu", parts->type, size, parts->size);
    }
    if (element_bits(type->element) >= 8) return true;
    for (size_t i = 0; i < size; i++) {
        if (!fits_element(type->element, ((const unsigned char *)parts->data)[i]))
            return build_error(call, "element %zu does not fit %s", i, parts->type);
    }
    return true;
}

static bool build_constant_parts(Call *call, void *arguments) {
    const ConstantParts *parts = arguments;
    Module *module = call->module->module;
    const Type *type = build_read_type(call, "type", parts->type);
    if (!type) return false;
    if (call->func->frame->pending) return build_error(call, "a region waits for its op");
    if (type->kind != TYPE_TENSOR || type->unranked || !type_is_static(type) || type->quant)
        return build_error(call, "a constant needs a tensor of known size, not %s", parts->type);
    if (parts->data && !check_data(call, type, parts)) return false;
    bool is_integer =
        element_class(type->element) == CLASS_SINT || element_class(type->element) == CLASS_UINT;
    if (!parts->data && is_integer && !(parts->number >= -0x1p63 && parts->number < 0x1p64))
        return build_error(call, "the number does not fit %s", parts->type);
    Builder builder = builder_at_end(module, call->func->frame->region);
    builder.loc = build_loc(call->module);
    Value *value;
    if (parts->data) {
        bool is_single = type_element_count(type) == 1;
        value = build_constant(
            &builder, attr_elements(module->context, type, is_single, parts->data, parts->size));
    } else {
        value = build_splat(&builder, type, parts->number);
    }
    shardc_value number = build_new_value(call->func, value);
    if (parts->result) *parts->result = number;
    return true;
}

shardc_status *shardc_build_constant(
    shardc_func *func, const char *type, const void *data, size_t size, shardc_value *result) {
    build_clear_values(1, result);
    if (!func) return status_null(__func__, "func");
    if (!data && size) return status_null(__func__, "data");
    ConstantParts parts = {.type = type, .data = data ? data : "", .size = size};
    parts.result = result;
    return call_func(__func__, func, build_constant_parts, &parts);
}

shardc_status *shardc_build_splat(
    shardc_func *func, const char *type, double number, shardc_value *result) {
    build_clear_values(1, result);
    ConstantParts parts = {.type = type, .number = number};
    parts.result = result;
    return call_func(__func__, func, build_constant_parts, &parts);
}

// Types of values.

typedef struct TypeParts {
    shardc_value value;
    const char *text;
} TypeParts;

static bool print_type(Call *call, void *arguments) {
    TypeParts *parts = arguments;
    Value *value;
    if (!build_find_value(call, parts->value, "value", 0, &value)) return false;
    StrBuf text = strbuf(call->module->arena);
    type_print(&text, value->type);
    parts->text = strbuf_cstring(&text);
    return true;
}

shardc_status *shardc_value_type(shardc_func *func, shardc_value value, const char **type) {
    if (!type) return status_null(__func__, "type");
    TypeParts parts = {.value = value};
    *type = NULL;
    shardc_status *status = call_func(__func__, func, print_type, &parts);
    if (!status) *type = parts.text;
    return status;
}

// Ops.

static shardc_status *request_op(
    const char *call, shardc_func *func, Request request, const char *name, int operand_count,
    const shardc_value *operands, shardc_value *result) {
    request.name_parameter = "op";
    request.name = name;
    request.operand_count = operand_count;
    request.operands = operands;
    request.result_count = 1;
    request.results = result;
    build_clear_values(1, result);
    return call_func(call, func, build_request, &request);
}

shardc_status *shardc_build_iota(
    shardc_func *func, const char *type, int dimension, shardc_value *result) {
    build_clear_values(1, result);
    if (!func) return status_null(__func__, "func");
    if (!type) return status_null(__func__, "type");
    char attributes[64];
    snprintf(attributes, sizeof attributes, "iota_dimension = %d : i64", dimension);
    Request request = {.attributes = attributes, .result_types = &type};
    return request_op(__func__, func, request, "stablehlo.iota", 0, NULL, result);
}

shardc_status *shardc_build_unary(
    shardc_func *func, const char *op, shardc_value x, shardc_value *result) {
    return request_op(__func__, func, (Request){0}, op, 1, &x, result);
}

shardc_status *shardc_build_binary(
    shardc_func *func, const char *op, shardc_value x, shardc_value y, shardc_value *result) {
    const shardc_value operands[] = {x, y};
    return request_op(__func__, func, (Request){0}, op, 2, operands, result);
}

shardc_status *shardc_build_compare(
    shardc_func *func, const char *direction, shardc_value x, shardc_value y,
    shardc_value *result) {
    build_clear_values(1, result);
    if (!func) return status_null(__func__, "func");
    if (!direction) return status_null(__func__, "direction");
    char attributes[96];
    snprintf(
        attributes, sizeof attributes,
        "comparison_direction = #stablehlo<comparison_direction %.8s>", direction);
    const shardc_value operands[] = {x, y};
    return request_op(
        __func__, func, (Request){.attributes = attributes}, "stablehlo.compare", 2, operands,
        result);
}

shardc_status *shardc_build_select(
    shardc_func *func, shardc_value predicate, shardc_value on_true, shardc_value on_false,
    shardc_value *result) {
    const shardc_value operands[] = {predicate, on_true, on_false};
    return request_op(__func__, func, (Request){0}, "stablehlo.select", 3, operands, result);
}

shardc_status *shardc_build_convert(
    shardc_func *func, shardc_value x, shardc_dtype dtype, shardc_value *result) {
    build_clear_values(1, result);
    if (!func) return status_null(__func__, "func");
    if (!shardc_dtype_size(dtype)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: dtype is no element type: %d", __func__, (int)dtype);
    }
    return request_op(
        __func__, func, (Request){.dtype = dtype}, "stablehlo.convert", 1, &x, result);
}

shardc_status *shardc_build_reshape(
    shardc_func *func, shardc_value x, int rank, const int64_t *dims, shardc_value *result) {
    Request request = {.has_shape = true, .rank = rank, .dims = dims};
    return request_op(__func__, func, request, "stablehlo.reshape", 1, &x, result);
}

shardc_status *shardc_build_transpose(
    shardc_func *func, shardc_value x, int rank, const int64_t *permutation, shardc_value *result) {
    Request request = {.lists = {{"permutation", "permutation", "rank", rank, permutation}}};
    return request_op(__func__, func, request, "stablehlo.transpose", 1, &x, result);
}

shardc_status *shardc_build_broadcast_in_dim(
    shardc_func *func, shardc_value x, int rank, const int64_t *dims, int dimension_count,
    const int64_t *dimensions, shardc_value *result) {
    Request request = {
        .has_shape = true,
        .rank = rank,
        .dims = dims,
        .lists = {
            {"broadcast_dimensions", "dimensions", "dimension_count", dimension_count,
             dimensions}}};
    return request_op(__func__, func, request, "stablehlo.broadcast_in_dim", 1, &x, result);
}

shardc_status *shardc_build_slice(
    shardc_func *func, shardc_value x, int rank, const int64_t *start, const int64_t *limit,
    const int64_t *stride, shardc_value *result) {
    int64_t ones[SHARDC_MAX_RANK];
    for (int d = 0; d < SHARDC_MAX_RANK; d++)
        ones[d] = 1;
    Request request = {
        .lists = {
            {"start_indices", "start", "rank", rank, start},
            {"limit_indices", "limit", "rank", rank, limit},
            {"strides", "stride", "rank", rank, stride ? stride : ones}}};
    return request_op(__func__, func, request, "stablehlo.slice", 1, &x, result);
}

shardc_status *shardc_build_concatenate(
    shardc_func *func, int count, const shardc_value *operands, int dimension,
    shardc_value *result) {
    char attributes[64];
    snprintf(attributes, sizeof attributes, "dimension = %d : i64", dimension);
    Request request = {.attributes = attributes};
    return request_op(__func__, func, request, "stablehlo.concatenate", count, operands, result);
}

shardc_status *shardc_build_dot_general(
    shardc_func *func, shardc_value lhs, shardc_value rhs, const shardc_dot_dims *dims,
    shardc_value *result) {
    build_clear_values(1, result);
    if (!func) return status_null(__func__, "func");
    if (!dims) return status_null(__func__, "dims");
    const shardc_value operands[] = {lhs, rhs};
    const char *batch = "dims->batch_count", *contracting = "dims->contracting_count";
    Request request = {
        .is_dot = true,
        .lists = {
            {"lhs_batching_dimensions", "dims->lhs_batch", batch, dims->batch_count,
             dims->lhs_batch},
            {"rhs_batching_dimensions", "dims->rhs_batch", batch, dims->batch_count,
             dims->rhs_batch},
            {"lhs_contracting_dimensions", "dims->lhs_contracting", contracting,
             dims->contracting_count, dims->lhs_contracting},
            {"rhs_contracting_dimensions", "dims->rhs_contracting", contracting,
             dims->contracting_count, dims->rhs_contracting}}};
    return request_op(__func__, func, request, "stablehlo.dot_general", 2, operands, result);
}

shardc_status *shardc_build_reduce(
    shardc_func *func, const char *body, shardc_value x, shardc_value init, int dimension_count,
    const int64_t *dimensions, shardc_value *result) {
    const shardc_value operands[] = {x, init};
    Request request = {
        .is_reduce = true,
        .body = body,
        .lists = {{"dimensions", "dimensions", "dimension_count", dimension_count, dimensions}}};
    return request_op(__func__, func, request, "stablehlo.reduce", 2, operands, result);
}

shardc_status *shardc_build_sharding_constraint(
    shardc_func *func, shardc_value x, const char *sharding, shardc_value *result) {
    build_clear_values(1, result);
    if (!func) return status_null(__func__, "func");
    if (!sharding) return status_null(__func__, "sharding");
    Request request = {.sharding = sharding};
    return request_op(__func__, func, request, "sdy.sharding_constraint", 1, &x, result);
}

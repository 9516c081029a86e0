// infer_convolution: convolutions, with padding that operands give too.
#include "base/checked.h"
#include "ir/infer/infer.h"

// first, second, spatial...: all in [0, rank) and different.
static bool check_conv_side(
    Infer *infer, const Op *op, const char *side, int64_t first, int64_t second, IntSpan spatial) {
    int64_t numbers[MAX_RANK] = {first, second};
    for (int i = 0; i < spatial.count; i++)
        numbers[i + 2] = spatial.data[i];
    IntSpan span = {numbers, spatial.count + 2};
    for (int i = 0; i < span.count; i++) {
        if (numbers[i] < 0 || numbers[i] >= span.count)
            return infer_fail(
                infer, op,
                "expects input, kernel, and output dimension-numbers to be in-range [0, %d).",
                span.count);
    }
    if (ints_are_unique(span, span.count)) return true;
    return infer_fail(
        infer, op, "expects %s dimension-numbers to be unique, got {%s}.", side,
        infer_ints_text(infer, numbers, span.count));
}

static bool check_conv_dims(Infer *infer, const Op *op, const ConvDims *conv) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (lhs->rank != rhs->rank)
        return infer_fail(
            infer, op,
            "expects convolution arguments to have same number of dimensions. Got: '%s' and '%s'.",
            infer_type_text(infer, lhs), infer_type_text(infer, rhs));
    if (lhs->rank < 2)
        return infer_fail(
            infer, op, "expects convolution arguments to have >= 2 dimensions. Got: '%s' and '%s'.",
            infer_type_text(infer, lhs), infer_type_text(infer, rhs));
    int spatial = conv->input_spatial.count;
    if (conv->kernel_spatial.count != spatial || conv->output_spatial.count != spatial)
        return infer_fail(
            infer, op,
            "expects the same size for input, kernel and output spatial-dimensions, but got %d, "
            "%d, "
            "and %d resp.",
            spatial, conv->kernel_spatial.count, conv->output_spatial.count);
    if (spatial + 2 != lhs->rank)
        return infer_fail(
            infer, op, "expects convolution arguments to have %d dimensions. Got: %d", spatial + 2,
            lhs->rank);
    return check_conv_side(
               infer, op, "input", conv->input_batch, conv->input_feature, conv->input_spatial) &&
           check_conv_side(
               infer, op, "kernel", conv->kernel_input_feature, conv->kernel_output_feature,
               conv->kernel_spatial) &&
           check_conv_side(
               infer, op, "output", conv->output_batch, conv->output_feature, conv->output_spatial);
}

static bool check_conv_groups(
    Infer *infer, const Op *op, const ConvDims *conv, int64_t features, int64_t batches) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (features > 1 && batches > 1)
        return infer_fail(
            infer, op,
            "expects batch_group_count and feature_group_count not to be both greater than 1. Got "
            "%lld "
            "and %lld resp.",
            (long long)batches, (long long)features);
    int64_t input_batch = lhs->dims[conv->input_batch];
    int64_t input_feature = lhs->dims[conv->input_feature];
    int64_t kernel_input = rhs->dims[conv->kernel_input_feature];
    int64_t kernel_output = rhs->dims[conv->kernel_output_feature];
    if (!dim_is_dynamic(input_batch) && input_batch % batches != 0)
        return infer_fail(
            infer, op,
            "expects input batch dimension (%lld) to be divisible by batch_group_count. Got "
            "batch_group_count = %lld.",
            (long long)input_batch, (long long)batches);
    if (!dim_is_dynamic(input_feature)) {
        if (input_feature % features != 0)
            return infer_fail(
                infer, op,
                "expects input feature dimension (%lld) to be a multiple of feature_group_count. "
                "Got "
                "feature_group_count = %lld.",
                (long long)input_feature, (long long)features);
        if (!dims_fit(input_feature / features, kernel_input))
            return infer_fail(
                infer, op,
                "expects input feature dimension (%lld) / feature_group_count = kernel input "
                "feature "
                "dimension (%lld). Got feature_group_count = %lld.",
                (long long)input_feature, (long long)kernel_input, (long long)features);
    }
    if (dim_is_dynamic(kernel_output)) return true;
    if (kernel_output % batches != 0)
        return infer_fail(
            infer, op,
            "expects output feature dimension size (%lld) to be a multiple of batch_group_count. "
            "Got "
            "batch_group_count = %lld.",
            (long long)kernel_output, (long long)batches);
    if (kernel_output % features != 0)
        return infer_fail(
            infer, op,
            "expects kernel output feature dimension (%lld) to be divisible by "
            "feature_group_count. For "
            "feature_group_count = %lld.",
            (long long)kernel_output, (long long)features);
    return true;
}

static bool check_window_reversal(Infer *infer, const Op *op, int count) {
    IntSpan reversal = op_ints(op, NAME_WINDOW_REVERSAL);
    if (!op_attr(op, NAME_WINDOW_REVERSAL) || reversal.count == count) return true;
    return infer_fail(
        infer, op,
        "expects window-reversal to have same dimension-size as size of window dimensions (%d), "
        "but "
        "got: %d.",
        count, reversal.count);
}

static bool check_conv_quant(Infer *infer, const Op *op, const ConvDims *conv) {
    const QuantParams *rhs = op_operand_type(op, 1)->quant, *result = op_result_type(op, 0)->quant;
    if (!infer_check_dot_quant(infer, op, (IntSpan){0})) return false;
    if (!rhs) return true;
    if (rhs->axis >= 0 && rhs->axis != conv->kernel_output_feature)
        return infer_fail(
            infer, op,
            "quantization dimension of rhs should be same with kernel_output_feature_dimension");
    if (result && result->axis >= 0 && result->axis != conv->output_feature)
        return infer_fail(
            infer, op,
            "quantization dimension of result should be same with output_feature_dimension");
    return true;
}

// dynamic_conv's padding is an operand; what is not constant leaves the spatial sizes unknown.
static bool infer_dynamic_padding(Infer *infer, const Op *op, int count, WindowDim *window) {
    const Type *type = op_operand_type(op, 2);
    if (!element_is_integer(type->element))
        return infer_fail(
            infer, op, "operand #2 must be ranked tensor of integer values, but got '%s'",
            infer_type_text(infer, type));
    if (type->rank != 2 || !dims_fit(type->dims[0], count) || !dims_fit(type->dims[1], 2))
        return infer_fail(
            infer, op, "expects padding to be of shape [%d, 2], but got [%s]", count,
            infer_ints_text(infer, type->dims, type->rank));
    const Op *def = op_operand(op, 2)->def;
    IntSpan padding = {0};
    if (def && def->code == OP_CONSTANT) padding = op_ints(def, NAME_VALUE);
    for (int i = 0; i < count; i++) {
        if (padding.data && padding.count == 2 * count) {
            window[i].low = padding.data[2 * i];
            window[i].high = padding.data[2 * i + 1];
        } else {
            window[i].size = DIM_DYNAMIC;
        }
    }
    return true;
}

bool infer_convolution(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    int64_t features = op_int(op, NAME_FEATURE_GROUP_COUNT, 0);
    int64_t batches = op_int(op, NAME_BATCH_GROUP_COUNT, 0);
    if (!infer_check_precision(infer, op)) return false;
    const ConvDims *conv = attr->conv;
    if (!lhs->quant && !rhs->quant && lhs->element != rhs->element)
        return infer_fail(
            infer, op, "expects lhs and rhs to have compatible element type. Got: '%s' and '%s'",
            infer_element_text(infer, lhs), infer_element_text(infer, rhs));
    if (!check_conv_dims(infer, op, conv) ||
        !check_conv_groups(infer, op, conv, features, batches) ||
        !check_conv_quant(infer, op, conv))
        return false;

    int count = conv->kernel_spatial.count;
    int64_t kernel[MAX_RANK] = {0};
    for (int i = 0; i < count; i++)
        kernel[i] = rhs->dims[conv->kernel_spatial.data[i]];
    WindowDim window[MAX_RANK];
    if (!infer_window(
            infer, op, (IntSpan){kernel, count}, NAME_WINDOW_STRIDES, NAME_LHS_DILATION,
            NAME_RHS_DILATION, window) ||
        !check_window_reversal(infer, op, count))
        return false;
    int64_t dims[MAX_RANK] = {0};
    int64_t batch = lhs->dims[conv->input_batch];
    dims[conv->output_batch] = dim_is_dynamic(batch) ? batch : batch / batches;
    dims[conv->output_feature] = rhs->dims[conv->kernel_output_feature];
    if (op->code == OP_DYNAMIC_CONV && !infer_dynamic_padding(infer, op, count, window))
        return false;
    for (int i = 0; i < count; i++) {
        int64_t input = lhs->dims[conv->input_spatial.data[i]];
        int64_t *size = &dims[conv->output_spatial.data[i]];
        if (!infer_windowed_size(infer, op, input, &window[i], size)) return false;
    }
    infer_set(infer, 0, infer_tensor_like(infer, op_result_type(op, 0), lhs->rank, dims));
    return true;
}

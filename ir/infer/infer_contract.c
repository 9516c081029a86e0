// Matrix products, convolution, and the linear algebra ops.
#include "base/checked.h"
#include "ir/infer/infer.h"

static bool check_precision(Infer *infer, const Op *op) {
    const Attr *config = op_attr(op, NAME_PRECISION_CONFIG);
    if (!config) return true;
    bool fits = config->kind == ATTR_ARRAY;
    for (int i = 0; fits && i < config->count; i++) {
        const Attr *item = config->items[i];
        fits = item->kind == ATTR_ENUM && item->enum_kind == ENUM_PRECISION;
    }
    if (!fits)
        return infer_fail(
            infer, op,
            "attribute 'precision_config' failed to satisfy constraint: Precision Config "
            "attribute");
    if (config->count > 2)
        return infer_fail(infer, op, "expects precision config to be empty or have <= 2 elements.");
    return true;
}

bool infer_dot(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (!check_precision(infer, op)) return false;
    if (lhs->rank < 1 || lhs->rank > 2 || rhs->rank < 1 || rhs->rank > 2)
        return infer_fail(infer, op, "expected both lhs/rhs ranks to be either 1 or 2");
    if (!dims_fit(lhs->dims[lhs->rank - 1], rhs->dims[0]))
        return infer_fail(infer, op, "contracting dimension sizes must match for lhs/rhs");
    int64_t dims[2];
    int rank = 0;
    if (lhs->rank == 2) dims[rank++] = lhs->dims[0];
    if (rhs->rank == 2) dims[rank++] = rhs->dims[1];
    const Type *result = op_result_type(op, 0);
    infer_set(infer, 0, infer_tensor_like(infer, result, rank, dims));
    return true;
}

// The pairs of dimensions have equal sizes.
static bool check_pairs(
    Infer *infer, const Op *op, const char *what, IntSpan lhs_dims, IntSpan rhs_dims) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (lhs_dims.count != rhs_dims.count)
        return infer_fail(
            infer, op, "lhs and rhs should have the same number of %s dimensions", what);
    for (int i = 0; i < lhs_dims.count; i++) {
        if (!dims_fit(lhs->dims[lhs_dims.data[i]], rhs->dims[rhs_dims.data[i]]))
            return infer_fail(infer, op, "%s dimension sizes must match for lhs/rhs", what);
    }
    return true;
}

// The dimensions of one side are in range and none is listed twice.
static bool check_side(
    Infer *infer, const Op *op, const char *side, int rank, IntSpan batch, IntSpan contracting) {
    bool used[MAX_RANK] = {false};
    for (int i = 0; i < batch.count + contracting.count; i++) {
        bool is_batch = i < batch.count;
        int64_t d = is_batch ? batch.data[i] : contracting.data[i - batch.count];
        if (d < 0 || d >= rank)
            return infer_fail(
                infer, op, "%s_%s_dimensions value: %lld is out of range: [0, %d)", side,
                is_batch ? "batching" : "contracting", (long long)d, rank);
        if (used[d])
            return infer_fail(
                infer, op,
                "has duplicated dimension from %s_batching_dimensions and "
                "%s_contracting_dimensions: %lld",
                side, side, (long long)d);
        used[d] = true;
    }
    return true;
}

static bool check_algorithm(Infer *infer, const Op *op) {
    const Attr *attr = op_attr(op, NAME_ALGORITHM);
    if (!attr || attr->kind != ATTR_DOT_ALGORITHM) return true;
    const DotAlgorithm *algorithm = attr->dot_algorithm;
    const Attr *config = op_attr(op, NAME_PRECISION_CONFIG);
    for (int i = 0; config && i < config->count; i++) {
        if (config->items[i]->integer != PRECISION_DEFAULT)
            return infer_fail(
                infer, op, "must specify DEFAULT precision config when algorithm is set.");
    }
    const char *problem = dot_algorithm_problem(infer->diags->arena, algorithm);
    return !problem || infer_fail(infer, op, "%s", problem);
}

// Quantised products: the right side may be quantised alone, and the result as both are.
static bool check_dot_quant(Infer *infer, const Op *op, IntSpan rhs_contracting) {
    const QuantParams *lhs = op_operand_type(op, 0)->quant, *rhs = op_operand_type(op, 1)->quant;
    const Type *result_type = op_result_type(op, 0);
    const QuantParams *result = result_type->quant;
    if (!lhs && !rhs && !result) return true;
    if (!rhs || !lhs != !result)
        return infer_fail(
            infer, op,
            "rhs should be quantized for quantized operations and "
            "is_quantized(lhs)=is_quantized(result) "
            "should hold");
    for (int i = 0; i < rhs->count && op->code == OP_DOT_GENERAL; i++) {
        if (rhs->zero_points[i] != 0)
            return infer_fail(
                infer, op,
                rhs->axis < 0 ? "Zero point of rhs should be 0" : "Zero points of rhs should be 0");
    }
    if (rhs->axis >= 0 && ints_contain(rhs_contracting, rhs->axis))
        return infer_fail(
            infer, op,
            "Quantization dimension of rhs should not be in the contracting dimension of rhs");
    if (!lhs) {
        ElementType real = op_operand_type(op, 0)->element;
        if (rhs->expressed != real || result_type->element != real)
            return infer_fail(
                infer, op,
                "mismatched rhs quantization expressed type and lhs and result element type");
        return true;
    }
    if (op_operand_type(op, 0)->element != op_operand_type(op, 1)->element)
        return infer_fail(infer, op, "mismatched lhs and rhs quantization storage types");
    if (lhs->expressed != rhs->expressed || rhs->expressed != result->expressed)
        return infer_fail(infer, op, "mismatched lhs, rhs and result quantization expressed types");
    if (rhs->axis < 0 && result->axis >= 0)
        return infer_fail(infer, op, "mismatched rhs and result quantization granularity");
    return true;
}

bool infer_dot_general(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Attr *attr = op_attr(op, NAME_DOT_DIMENSION_NUMBERS);
    if (!check_precision(infer, op)) return false;
    const DotDims *dot = attr->dot;
    if (!check_side(infer, op, "lhs", lhs->rank, dot->lhs_batch, dot->lhs_contracting) ||
        !check_side(infer, op, "rhs", rhs->rank, dot->rhs_batch, dot->rhs_contracting) ||
        !check_pairs(infer, op, "batching", dot->lhs_batch, dot->rhs_batch) ||
        !check_pairs(infer, op, "contracting", dot->lhs_contracting, dot->rhs_contracting) ||
        !check_algorithm(infer, op) || !check_dot_quant(infer, op, dot->rhs_contracting))
        return false;
    int rank = lhs->rank + rhs->rank - dot->lhs_batch.count - 2 * dot->lhs_contracting.count;
    if (rank > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    int64_t dims[MAX_RANK] = {0};
    int d = 0;
    for (int i = 0; i < dot->lhs_batch.count; i++)
        dims[d++] = lhs->dims[dot->lhs_batch.data[i]];
    for (int i = 0; i < lhs->rank; i++) {
        if (!ints_contain(dot->lhs_batch, i) && !ints_contain(dot->lhs_contracting, i))
            dims[d++] = lhs->dims[i];
    }
    for (int i = 0; i < rhs->rank; i++) {
        if (!ints_contain(dot->rhs_batch, i) && !ints_contain(dot->rhs_contracting, i))
            dims[d++] = rhs->dims[i];
    }
    infer_set(infer, 0, infer_tensor_like(infer, op_result_type(op, 0), rank, dims));
    return true;
}

// Where the ragged dimension is: it decides what a group is.
typedef enum RaggedMode { RAGGED_FREE, RAGGED_CONTRACTING, RAGGED_BATCH } RaggedMode;

static bool infer_ragged_mode(Infer *infer, const Op *op, const DotDims *dot, RaggedMode *mode) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (dot->lhs_ragged.count != 1)
        return infer_fail(infer, op, "There must be exactly one ragged dimension in the lhs");
    int64_t ragged = dot->lhs_ragged.data[0];
    if (ragged < 0 || ragged >= lhs->rank)
        return infer_fail(
            infer, op, "lhs_ragged_dimensions value: %lld is out of range: [0, %d)",
            (long long)ragged, lhs->rank);
    *mode = ints_contain(dot->lhs_batch, (int)ragged)         ? RAGGED_BATCH
            : ints_contain(dot->lhs_contracting, (int)ragged) ? RAGGED_CONTRACTING
                                                              : RAGGED_FREE;
    if (*mode != RAGGED_FREE) {
        if (dot->rhs_group.count == 0) return true;
        return infer_fail(
            infer, op,
            "There must be zero group dimensions in the rhs when the ragged dimension is batch or "
            "contracting");
    }
    if (dot->rhs_group.count != 1)
        return infer_fail(
            infer, op,
            "There must be exactly one group dimension in the rhs when the lhs ragged dimension is "
            "non-contracting");
    int64_t group = dot->rhs_group.data[0];
    if (group < 0 || group >= rhs->rank)
        return infer_fail(
            infer, op, "rhs_group_dimensions value: %lld is out of range: [0, %d)",
            (long long)group, rhs->rank);
    if (ints_contain(dot->rhs_batch, (int)group) || ints_contain(dot->rhs_contracting, (int)group))
        return infer_fail(
            infer, op, "has duplicated dimension from rhs_group_dimensions and others: %lld",
            (long long)group);
    return true;
}

// Copies the sizes of those dimensions of the list that stand before `ragged`.
static int sizes_before(const Type *lhs, IntSpan list, int64_t ragged, int64_t *sizes, int count) {
    for (int i = 0; i < list.count && list.data[i] != ragged; i++)
        sizes[count++] = lhs->dims[list.data[i]];
    return count;
}

// One number per group, or per group and position in the dimensions outside of the ragged one.
static bool check_group_sizes(Infer *infer, const Op *op, const DotDims *dot, RaggedMode mode) {
    const Type *lhs = op_operand_type(op, 0), *sizes = op_operand_type(op, 2);
    if (sizes->rank == 0)
        return infer_fail(infer, op, "expected rank of group_sizes to be at least 1, got 0");
    int64_t ragged = dot->lhs_ragged.data[0], groups = sizes->dims[sizes->rank - 1];
    if (mode == RAGGED_FREE &&
        !dims_fit(groups, op_operand_type(op, 1)->dims[dot->rhs_group.data[0]]))
        return infer_fail(
            infer, op, "rhs group dimension is expected to have size=%lld, got %lld",
            (long long)groups, (long long)op_operand_type(op, 1)->dims[dot->rhs_group.data[0]]);
    if (sizes->rank == 1) return true;
    int64_t expected[MAX_RANK + 1];
    int count = sizes_before(lhs, dot->lhs_batch, ragged, expected, 0);
    if (mode == RAGGED_CONTRACTING)
        count = sizes_before(lhs, dot->lhs_contracting, ragged, expected, count);
    for (int d = 0; d < ragged && mode == RAGGED_FREE; d++) {
        if (!ints_contain(dot->lhs_batch, d) && !ints_contain(dot->lhs_contracting, d))
            expected[count++] = lhs->dims[d];
    }
    expected[count++] = groups;
    bool fits = count == sizes->rank;
    for (int d = 0; fits && d < count; d++)
        fits = dims_fit(expected[d], sizes->dims[d]);
    if (fits) return true;
    return infer_fail(
        infer, op, "group_sizes is expected to have shape [%s], got [%s]",
        infer_ints_text(infer, expected, count), infer_ints_text(infer, sizes->dims, sizes->rank));
}

// lhs, rhs, group sizes: [batch, free of lhs, free of rhs], with the groups in front when a contracted dimension is ragged
bool infer_ragged_dot(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Type *sizes = op_operand_type(op, 2);
    RaggedMode mode = RAGGED_FREE;
    const Attr *attr = op_attr(op, NAME_RAGGED_DOT_DIMENSION_NUMBERS);
    if (!check_precision(infer, op)) return false;
    const DotDims *dot = attr->dot;
    if (!element_is_integer(sizes->element) || sizes->quant)
        return infer_fail(infer, op, "group_sizes must be a tensor of integers");
    if (!check_side(infer, op, "lhs", lhs->rank, dot->lhs_batch, dot->lhs_contracting) ||
        !check_side(infer, op, "rhs", rhs->rank, dot->rhs_batch, dot->rhs_contracting) ||
        !check_pairs(infer, op, "batching", dot->lhs_batch, dot->rhs_batch) ||
        !check_pairs(infer, op, "contracting", dot->lhs_contracting, dot->rhs_contracting) ||
        !infer_ragged_mode(infer, op, dot, &mode) || !check_group_sizes(infer, op, dot, mode))
        return false;
    int64_t dims[3 * MAX_RANK] = {0};
    int rank = 0;
    if (mode == RAGGED_CONTRACTING) dims[rank++] = sizes->dims[sizes->rank - 1];
    for (int i = 0; i < dot->lhs_batch.count; i++)
        dims[rank++] = lhs->dims[dot->lhs_batch.data[i]];
    for (int d = 0; d < lhs->rank; d++) {
        if (!ints_contain(dot->lhs_batch, d) && !ints_contain(dot->lhs_contracting, d))
            dims[rank++] = lhs->dims[d];
    }
    for (int d = 0; d < rhs->rank; d++) {
        if (!ints_contain(dot->rhs_batch, d) && !ints_contain(dot->rhs_contracting, d) &&
            !ints_contain(dot->rhs_group, d))
            dims[rank++] = rhs->dims[d];
    }
    if (rank > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    infer_set(infer, 0, infer_tensor_like(infer, op_result_type(op, 0), rank, dims));
    return true;
}

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
    if (!check_dot_quant(infer, op, (IntSpan){0})) return false;
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
    if (!check_precision(infer, op)) return false;
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

// IRFFT: the dimensions but the last are fft_length's, the last holds length / 2 + 1 coefficients.
static bool check_irfft(Infer *infer, const Op *op, IntSpan lengths) {
    const Type *operand = op_operand_type(op, 0);
    const int64_t *dims = operand->dims + operand->rank - lengths.count;
    int last = lengths.count - 1;
    for (int i = 0; i < last; i++) {
        if (!dims_fit(dims[i], lengths.data[i]))
            return infer_fail(
                infer, op,
                "IRFFT requires non-final dimensions to be compatible with fft_length. Got: %s but "
                "wanted %s, and %lld != %lld.",
                infer_ints_text(infer, operand->dims, operand->rank),
                infer_ints_text(infer, lengths.data, lengths.count), (long long)dims[i],
                (long long)lengths.data[i]);
    }
    int64_t expected = lengths.data[last] ? lengths.data[last] / 2 + 1 : 0;
    if (!dims_fit(dims[last], expected))
        return infer_fail(
            infer, op,
            "IRFFT requires innermost dimension to be compatible with fft_length[-1]/2+1. Got: "
            "%lld but "
            "fft_length is %lld.",
            (long long)dims[last], (long long)lengths.data[last]);
    return true;
}

bool infer_fft(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    const Attr *type = op_attr(op, NAME_FFT_TYPE);
    IntSpan lengths = op_ints(op, NAME_FFT_LENGTH);
    if (lengths.count < 1 || lengths.count > 3)
        return infer_fail(infer, op, "rank must be between 1 and 3, but got %d.", lengths.count);
    bool is_rfft = type->integer == FFT_RFFT;
    bool is_complex = element_class(operand->element) == CLASS_COMPLEX;
    if (is_rfft && operand->element != ELEMENT_F32 && operand->element != ELEMENT_F64)
        return infer_fail(
            infer, op, "RFFT requires f32 or f64 input type, but is given '%s'.",
            infer_element_text(infer, operand));
    if (!is_rfft && !is_complex)
        return infer_fail(
            infer, op, "FFT/IFFT/IRFFT take a complex tensor as input, but is given '%s'",
            infer_type_text(infer, operand));
    if (operand->rank < lengths.count)
        return infer_fail(
            infer, op, "operand rank must not be less than fft rank of %d for operand of type '%s'",
            lengths.count, infer_type_text(infer, operand));
    int first = operand->rank - lengths.count, last = operand->rank - 1;
    Type result = *operand;
    for (int i = 0; i < lengths.count; i++) {
        if (lengths.data[i] < 0) return infer_fail(infer, op, "fft_length must be non-negative");
    }
    if (type->integer == FFT_IRFFT) {
        if (!check_irfft(infer, op, lengths)) return false;
        result.element = element_real_part(operand->element);
        result.dims[last] = lengths.data[lengths.count - 1];
        infer_set(infer, 0, type_intern(infer->context, &result));
        return true;
    }
    for (int i = 0; i < lengths.count; i++) {
        if (!dims_fit(operand->dims[first + i], lengths.data[i]))
            return infer_fail(
                infer, op,
                "%s requires innermost dimensions to be compatible with fft_length. Got: %s but "
                "wanted "
                "%s.",
                is_rfft ? "RFFT" : "FFT/IFFT", infer_ints_text(infer, operand->dims, operand->rank),
                infer_ints_text(infer, lengths.data, lengths.count));
    }
    if (is_rfft) {
        result.element = operand->element == ELEMENT_F64 ? ELEMENT_C128 : ELEMENT_C64;
        int64_t length = lengths.data[lengths.count - 1];
        result.dims[last] = length ? length / 2 + 1 : 0;
    }
    infer_set(infer, 0, type_intern(infer->context, &result));
    return true;
}

bool infer_cholesky(Infer *infer, const Op *op) {
    const Type *a = op_operand_type(op, 0);
    if (a->rank < 2)
        return infer_fail(
            infer, op, "argument 'a' must have rank >= 2, got shape %s",
            infer_ints_text(infer, a->dims, a->rank));
    if (!dims_fit(a->dims[a->rank - 1], a->dims[a->rank - 2]))
        return infer_fail(
            infer, op, "minor dimensions of 'a' must have equal size, got shape %s",
            infer_ints_text(infer, a->dims, a->rank));
    infer_set(infer, 0, a);
    return true;
}

bool infer_triangular_solve(Infer *infer, const Op *op) {
    const Type *a = op_operand_type(op, 0), *b = op_operand_type(op, 1);
    const Attr *transpose = op_attr(op, NAME_TRANSPOSE_A);
    const char *a_text = infer_type_text(infer, a), *b_text = infer_type_text(infer, b);
    int rank = a->rank;
    if (a->element != b->element)
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    if (rank < 2)
        return infer_fail(infer, op, "operand 'a' must have rank >= 2, but got '%s'", a_text);
    if (!dims_fit(a->dims[rank - 1], a->dims[rank - 2]))
        return infer_fail(
            infer, op, "two minor dimensions of operand 'a' must be compatible, but got '%s'",
            a_text);
    if (b->rank != rank)
        return infer_fail(
            infer, op, "operands must have equal rank, but got '%s' and '%s'", a_text, b_text);
    bool is_left = op_int(op, NAME_LEFT_SIDE, 0) != 0;
    if (!dims_fit(a->dims[rank - 1], b->dims[is_left ? rank - 2 : rank - 1]))
        return infer_fail(
            infer, op,
            "shared dimension of operands 'a' and 'b' must be compatible, but got '%s' and '%s'",
            a_text, b_text);
    for (int d = 0; d + 2 < rank; d++) {
        if (!dims_fit(a->dims[d], b->dims[d]))
            return infer_fail(
                infer, op,
                "batch dimensions of the operands must be compatible, but got '%s' and '%s'",
                a_text, b_text);
    }
    if (transpose->integer == TRANSPOSE_TRANSPOSE_INVALID)
        return infer_fail(infer, op, "Invalid transpose option value for triangular solve");
    infer_set(infer, 0, b);
    return true;
}

// grad: operand, scale, mean, variance, grad_output; inference: operand, scale, offset, mean, variance; training: operand,
// scale, offset. All but operand and grad_output have one dimension, the features.
bool infer_batch_norm(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    bool is_grad = op->code == OP_BATCH_NORM_GRAD;
    int last_feature = is_grad ? 3 : op->operand_count - 1;
    int64_t feature_index = op_int(op, NAME_FEATURE_INDEX, 0);
    const Type *feature = op_operand_type(op, 1);
    for (int i = 1; i <= last_feature; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->rank != 1)
            return infer_fail(
                infer, op, "operand #%d must be 1D tensor of floating-point values, but got '%s'",
                i, infer_type_text(infer, type));
        if (type->element != operand->element)
            return infer_fail(
                infer, op, "requires the same element type for all operands and results");
        if (!shapes_fit(feature, type))
            return infer_fail(
                infer, op, "expects single-dimensional operands to have compatible shapes");
    }
    if (is_grad && !types_fit(operand, op_operand_type(op, 4)))
        return infer_fail(
            infer, op, "expects multi-dimensional operands to have compatible shapes");
    if (feature_index >= operand->rank)
        return infer_fail(
            infer, op,
            "expects featureIndex to be smaller than the rank of multi-dimensional operands; got "
            "featureIndex %lld, and rank %d.",
            (long long)feature_index, operand->rank);
    if (!dims_fit(operand->dims[feature_index], feature->dims[0]))
        return infer_fail(
            infer, op,
            "expects the size of single-dimensional operands to be compatible with feature count, "
            "but "
            "the size of single-dimensional operands is %lld and the feature count is %lld.",
            (long long)feature->dims[0], (long long)operand->dims[feature_index]);
    infer_set(infer, 0, operand);
    for (int i = 1; i < op->result_count; i++)
        infer_set(infer, i, feature);
    return true;
}

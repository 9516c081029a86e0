// dot, dot_general and convolution: operands are packed to carriers in the order of the loops,
// summed there in ascending order of the contracted index, and rounded once. Carriers: double,
// uint64_t, double _Complex; complex<f32> is summed in float.
#include "base/checked.h"
#include "ir/eval/ops/eval_dot.h"
#include "ir/eval/ops/eval_shape.h"

#include <math.h>
#include <string.h>

typedef enum Carrier { CARRIER_REAL, CARRIER_INT, CARRIER_COMPLEX, CARRIER_COMPLEX_F32 } Carrier;

static Carrier carrier_of(ElementType element) {
    ElementClass class = element_class(element);
    if (class == CLASS_COMPLEX)
        return element == ELEMENT_C64 ? CARRIER_COMPLEX_F32 : CARRIER_COMPLEX;
    return class == CLASS_FLOAT ? CARRIER_REAL : CARRIER_INT;
}

static bool is_complex(Carrier carrier) {
    return carrier == CARRIER_COMPLEX || carrier == CARRIER_COMPLEX_F32;
}

static size_t carrier_size(Carrier carrier) {
    return is_complex(carrier) ? sizeof(double _Complex) : sizeof(double);
}

static void load_carrier(
    Carrier carrier, ElementType element, const void *data, int64_t count, void *out) {
    switch (carrier) {
    case CARRIER_REAL: scalar_load_real(element, data, 1, count, out); break;
    case CARRIER_INT: scalar_load_int(element, data, 1, count, out); break;
    case CARRIER_COMPLEX:
    case CARRIER_COMPLEX_F32: scalar_load_complex(element, data, 1, count, out); break;
    }
}

static void store_carrier(
    Carrier carrier, ElementType element, void *in, int64_t count, void *data) {
    switch (carrier) {
    case CARRIER_REAL: scalar_store_real(element, in, count, data); break;
    case CARRIER_INT:
        if (element == ELEMENT_I1) { // a sum of i1 is "or"
            int64_t *sums = in;
            for (int64_t i = 0; i < count; i++)
                sums[i] = sums[i] != 0;
        }
        scalar_store_int(element, in, count, data);
        break;
    case CARRIER_COMPLEX:
    case CARRIER_COMPLEX_F32: scalar_store_complex(element, in, count, data); break;
    }
}

// sums[n] += sum over k of a[k] * b[k * stride + n]
static void accumulate(
    Carrier carrier, void *sums, const void *a, const void *b, int64_t k_count, int64_t stride,
    int64_t n_count) {
    if (carrier == CARRIER_REAL) {
        double *restrict out = sums;
        const double *x = a, *y = b;
        for (int64_t k = 0; k < k_count; k++) {
            double factor = x[k];
            const double *restrict row = y + k * stride;
            for (int64_t n = 0; n < n_count; n++)
                out[n] += factor * row[n];
        }
    } else if (carrier == CARRIER_INT) {
        uint64_t *restrict out = sums;
        const uint64_t *x = a, *y = b;
        for (int64_t k = 0; k < k_count; k++) {
            const uint64_t *restrict row = y + k * stride;
            for (int64_t n = 0; n < n_count; n++)
                out[n] += x[k] * row[n];
        }
    } else if (carrier == CARRIER_COMPLEX) {
        double _Complex *out = sums;
        const double _Complex *x = a, *y = b;
        for (int64_t k = 0; k < k_count; k++) {
            for (int64_t n = 0; n < n_count; n++)
                out[n] += scalar_cmul(x[k], y[k * stride + n]);
        }
    } else {
        double _Complex *out = sums;
        const double _Complex *x = a, *y = b;
        for (int64_t k = 0; k < k_count; k++) {
            float re = (float)creal(x[k]), im = (float)cimag(x[k]);
            for (int64_t n = 0; n < n_count; n++) {
                float c = (float)creal(y[k * stride + n]), d = (float)cimag(y[k * stride + n]);
                float sum_re = (float)creal(out[n]) + (re * c - im * d);
                float sum_im = (float)cimag(out[n]) + (re * d + im * c);
                out[n] = complex_of((double)sum_re, (double)sum_im);
            }
        }
    }
}

// --- dot ---

// The operand's dims in the order first, second, third (free dims where the
// list is NULL), packed as carriers.
static void *pack_operand(
    Eval *eval, const Op *op, const Tensor *operand, Carrier carrier, const int *permutation) {
    int64_t count = tensor_count(operand);
    int mark = eval_scratch_mark(eval);
    void *packed = eval_scratch(eval, op, count, carrier_size(carrier));
    char *ordered = NULL;
    if (!packed || !eval_transposed(eval, op, operand, permutation, &ordered)) return NULL;
    load_carrier(carrier, operand->type->element, ordered, count, packed);
    eval_scratch_release(eval, mark + 1); // keeps `packed`
    return packed;
}

typedef struct DotShape {
    int64_t batch, rows, depth, columns; // [batch, rows, depth] x [batch, depth, columns]
    int lhs_order[MAX_RANK], rhs_order[MAX_RANK];
} DotShape;

static int64_t append_dims(const Type *type, IntSpan dims, int *order, int *count) {
    int64_t product = 1;
    for (int i = 0; i < dims.count; i++) {
        order[(*count)++] = (int)dims.data[i];
        product *= type->dims[dims.data[i]];
    }
    return product;
}

static int64_t append_free(
    const Type *type, IntSpan batch, IntSpan contracting, int *order, int *count) {
    int64_t product = 1;
    for (int d = 0; d < type->rank; d++) {
        if (ints_contain(batch, d) || ints_contain(contracting, d)) continue;
        order[(*count)++] = d;
        product *= type->dims[d];
    }
    return product;
}

static DotShape dot_shape(const Type *lhs, const Type *rhs, const DotDims *dims) {
    DotShape shape = {0};
    int count = 0;
    shape.batch = append_dims(lhs, dims->lhs_batch, shape.lhs_order, &count);
    shape.rows = append_free(lhs, dims->lhs_batch, dims->lhs_contracting, shape.lhs_order, &count);
    shape.depth = append_dims(lhs, dims->lhs_contracting, shape.lhs_order, &count);
    count = 0;
    append_dims(rhs, dims->rhs_batch, shape.rhs_order, &count);
    append_dims(rhs, dims->rhs_contracting, shape.rhs_order, &count);
    shape.columns =
        append_free(rhs, dims->rhs_batch, dims->rhs_contracting, shape.rhs_order, &count);
    return shape;
}

enum { DEPTH_BLOCK = 128, COLUMN_BLOCK = 512 }; // a block of the right side stays in the cache

static void multiply_matrices(
    Carrier carrier, const DotShape *shape, const char *lhs, const char *rhs, char *sums) {
    int64_t size = (int64_t)carrier_size(carrier), M = shape->rows, K = shape->depth,
            N = shape->columns;
    for (int64_t k = 0; k < K; k += DEPTH_BLOCK) {
        int64_t depth = K - k < DEPTH_BLOCK ? K - k : DEPTH_BLOCK;
        for (int64_t n = 0; n < N; n += COLUMN_BLOCK) {
            int64_t columns = N - n < COLUMN_BLOCK ? N - n : COLUMN_BLOCK;
            for (int64_t m = 0; m < M; m++) {
                accumulate(
                    carrier, sums + (m * N + n) * size, lhs + (m * K + k) * size,
                    rhs + (k * N + n) * size, depth, N, columns);
            }
        }
    }
}

static void multiply_batches(
    Carrier carrier, const DotShape *shape, const char *lhs, const char *rhs, char *sums) {
    size_t size = carrier_size(carrier);
    for (int64_t i = 0; i < shape->batch; i++) {
        multiply_matrices(
            carrier, shape, lhs + (size_t)(i * shape->rows * shape->depth) * size,
            rhs + (size_t)(i * shape->depth * shape->columns) * size,
            sums + (size_t)(i * shape->rows * shape->columns) * size);
    }
}

// The parts of an operand. NULL after a diagnostic.
static double *split_operand(
    Eval *eval, const Op *op, int parts, ElementType precision, bool is_tf32, int64_t count,
    double *operand) {
    int64_t all = 0;
    if (!checked_mul(count, parts, &all)) {
        eval_fail(eval, op, "has operands that are too large");
        return NULL;
    }
    double *split = eval_scratch(eval, op, all, sizeof *split);
    for (int i = 0; split && i < parts; i++)
        dot_take_part(parts, precision, is_tf32, count, operand, split + i * count);
    return split;
}

// lhs, rhs: packed; overwritten.
static bool multiply_by_algorithm(
    Eval *eval, const Op *op, const DotAlgorithm *how, const DotShape *shape, double *lhs,
    double *rhs, double *sums) {
    const DotProduct *products;
    int parts = dot_parts(how), count = dot_products(how, &products);
    int64_t left = shape->batch * shape->rows * shape->depth;
    int64_t right = shape->batch * shape->depth * shape->columns;
    int64_t results = shape->batch * shape->rows * shape->columns;
    double *a = split_operand(eval, op, parts, how->lhs_precision, how->lhs_is_tf32, left, lhs);
    double *b =
        a ? split_operand(eval, op, parts, how->rhs_precision, how->rhs_is_tf32, right, rhs) : NULL;
    if (!b) return false;
    for (int i = 0; i < count; i++) {
        for (int64_t k = 0; i > 0 && i == count - 1 && k < results; k++) {
            if (isnan(sums[k])) sums[k] = 0;
        }
        multiply_batches(
            CARRIER_REAL, shape, (const char *)(a + products[i].lhs * left),
            (const char *)(b + products[i].rhs * right), (char *)sums);
    }
    dot_round_sums(how, results, sums);
    return true;
}

Tensor *eval_make_dot(
    Eval *eval, const Op *op, const Tensor *lhs, const Tensor *rhs, const Type *type,
    const DotDims *dims) {
    DotShape shape = dot_shape(lhs->type, rhs->type, dims);
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return NULL;
    ElementType element = result->type->element;
    Carrier carrier = carrier_of(element);
    Carrier left = carrier_of(lhs->type->element), right = carrier_of(rhs->type->element);
    if (carrier == CARRIER_INT && (left == CARRIER_REAL || right == CARRIER_REAL))
        carrier = CARRIER_REAL;
    if (!is_complex(carrier) && (is_complex(left) || is_complex(right))) {
        eval_unsupported(eval, op, "with a real result of complex operands");
        return NULL;
    }
    void *a = pack_operand(eval, op, lhs, carrier, shape.lhs_order);
    void *b = a ? pack_operand(eval, op, rhs, carrier, shape.rhs_order) : NULL;
    char *sums = b ? eval_scratch(eval, op, tensor_count(result), carrier_size(carrier)) : NULL;
    if (!sums) return NULL;
    memset(sums, 0, (size_t)tensor_count(result) * carrier_size(carrier));
    const Attr *algorithm = op_attr(op, NAME_ALGORITHM);
    if (carrier == CARRIER_REAL && algorithm && algorithm->kind == ATTR_DOT_ALGORITHM) {
        if (!multiply_by_algorithm(
                eval, op, algorithm->dot_algorithm, &shape, a, b, (double *)(void *)sums))
            return NULL;
    } else {
        multiply_batches(carrier, &shape, a, b, sums);
    }
    if (carrier == CARRIER_REAL && carrier_of(element) == CARRIER_INT)
        scalar_convert(ELEMENT_F64, sums, element, result->data, tensor_count(result));
    else
        store_carrier(carrier, element, sums, tensor_count(result), result->data);
    return result;
}

static bool contract(Eval *eval, const Op *op, const DotDims *dims) {
    Tensor *result = eval_make_dot(
        eval, op, eval_operand(eval, op, 0), eval_operand(eval, op, 1), op_result_type(op, 0),
        dims);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_dot_general(Eval *eval, const Op *op) {
    if (eval_has_quantized(op)) return eval_quantized(eval, op);
    const Attr *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS);
    if (!dims || dims->kind != ATTR_DOT_DIMS)
        return eval_fail(eval, op, "has no dimension numbers");
    return contract(eval, op, dims->dot);
}

// The last dimension of the left operand with the first of the right one.
bool eval_dot(Eval *eval, const Op *op) {
    if (eval_has_quantized(op)) return eval_quantized(eval, op);
    int64_t last = eval_operand(eval, op, 0)->type->rank - 1, first = 0;
    DotDims dims = {.lhs_contracting = {&last, 1}, .rhs_contracting = {&first, 1}};
    return contract(eval, op, &dims);
}

// --- convolution ---

typedef struct ConvPlan {
    int spatial; // dimensions
    Carrier carrier;
    int64_t batch, output_batch; // of the input, of the output
    int64_t groups, batch_groups;
    // input features, features per group, output features
    int64_t channels, kernel_channels, outputs;
    int64_t input[MAX_RANK], kernel[MAX_RANK], output[MAX_RANK]; // spatial sizes
    int64_t stride[MAX_RANK], low[MAX_RANK], input_dilation[MAX_RANK], kernel_dilation[MAX_RANK];
    int64_t reversed[MAX_RANK];
} ConvPlan;

// The place in the input that output position o sees through kernel position k; -1 in
// the padding or between elements.
static int64_t input_place(const ConvPlan *plan, const int64_t *o, const int64_t *k) {
    int64_t place = 0;
    for (int d = 0; d < plan->spatial; d++) {
        int64_t at = o[d] * plan->stride[d] + k[d] * plan->kernel_dilation[d] - plan->low[d];
        if (at < 0 || at % plan->input_dilation[d] != 0) return -1;
        at /= plan->input_dilation[d];
        if (at >= plan->input[d]) return -1;
        place = place * plan->input[d] + at;
    }
    return place;
}

static int64_t kernel_place(const ConvPlan *plan, const int64_t *k) {
    int64_t place = 0;
    for (int d = 0; d < plan->spatial; d++)
        place = place * plan->kernel[d] + (plan->reversed[d] ? plan->kernel[d] - 1 - k[d] : k[d]);
    return place;
}

static int64_t product(int count, const int64_t *sizes) {
    int64_t result = 1;
    for (int i = 0; i < count; i++)
        result *= sizes[i];
    return result;
}

// input [batch, spatial, channels], kernel [spatial, kernel_channels, outputs], output
// [output_batch, spatial, outputs]
static void convolve(const ConvPlan *plan, const char *input, const char *kernel, char *output) {
    int64_t size = (int64_t)carrier_size(plan->carrier);
    int64_t input_positions = product(plan->spatial, plan->input);
    int64_t output_positions = product(plan->spatial, plan->output);
    int64_t groups = plan->groups * plan->batch_groups, group_outputs = plan->outputs / groups;
    int64_t k[MAX_RANK] = {0};
    do {
        const char *weights =
            kernel + kernel_place(plan, k) * plan->kernel_channels * plan->outputs * size;
        int64_t o[MAX_RANK] = {0};
        for (int64_t position = 0; position < output_positions; position++) {
            int64_t place = input_place(plan, o, k);
            next_index(plan->spatial, plan->output, o);
            if (place < 0) continue;
            for (int64_t n = 0; n < plan->output_batch; n++) {
                for (int64_t g = 0; g < groups; g++) {
                    int64_t image = plan->batch_groups > 1 ? g * plan->output_batch + n : n;
                    int64_t channel = plan->groups > 1 ? g * plan->kernel_channels : 0;
                    const char *a =
                        input +
                        ((image * input_positions + place) * plan->channels + channel) * size;
                    char *sums = output + ((n * output_positions + position) * plan->outputs +
                                           g * group_outputs) *
                                              size;
                    accumulate(
                        plan->carrier, sums, a, weights + g * group_outputs * size,
                        plan->kernel_channels, plan->outputs, group_outputs);
                }
            }
        }
    } while (next_index(plan->spatial, plan->kernel, k));
}

static bool conv_plan(
    Eval *eval, const Op *op, const ConvDims *dims, const Tensor *input, const Tensor *kernel,
    const Type *type, const int64_t *padding, ConvPlan *plan) {
    *plan = (ConvPlan){
        .spatial = dims->input_spatial.count,
        .carrier = carrier_of(type->element),
        .batch = input->type->dims[dims->input_batch],
        .output_batch = type->dims[dims->output_batch],
        .groups = op_int(op, NAME_FEATURE_GROUP_COUNT, 1),
        .batch_groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1),
        .channels = input->type->dims[dims->input_feature],
        .kernel_channels = kernel->type->dims[dims->kernel_input_feature],
        .outputs = kernel->type->dims[dims->kernel_output_feature]};
    int spatial = plan->spatial;
    eval_ints(op, NAME_WINDOW_STRIDES, spatial, 1, plan->stride);
    eval_ints(op, NAME_LHS_DILATION, spatial, 1, plan->input_dilation);
    eval_ints(op, NAME_RHS_DILATION, spatial, 1, plan->kernel_dilation);
    eval_ints(op, NAME_WINDOW_REVERSAL, spatial, 0, plan->reversed);
    for (int d = 0; d < spatial; d++) {
        plan->input[d] = input->type->dims[dims->input_spatial.data[d]];
        plan->kernel[d] = kernel->type->dims[dims->kernel_spatial.data[d]];
        plan->output[d] = type->dims[dims->output_spatial.data[d]];
        plan->low[d] = padding[2 * d];
        if (plan->stride[d] < 1 || plan->input_dilation[d] < 1 || plan->kernel_dilation[d] < 1)
            return eval_fail(eval, op, "has a stride or dilation below one");
    }
    int64_t groups = plan->groups, batch_groups = plan->batch_groups;
    if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1) ||
        plan->kernel_channels * groups != plan->channels ||
        plan->outputs % (groups * batch_groups) != 0 ||
        plan->output_batch * batch_groups != plan->batch ||
        type->dims[dims->output_feature] != plan->outputs)
        return eval_fail(eval, op, "has group counts that do not fit its shapes");
    return true;
}

Tensor *eval_make_convolution(
    Eval *eval, const Op *op, const Tensor *input, const Tensor *kernel, const Type *type,
    const int64_t *padding) {
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_CONV_DIMS) {
        eval_fail(eval, op, "has no dimension numbers");
        return NULL;
    }
    const ConvDims *dims = attr->conv;
    Tensor *result = eval_tensor(eval, op, type);
    ConvPlan plan;
    if (!result || !conv_plan(eval, op, dims, input, kernel, type, padding, &plan)) return NULL;
    int input_order[MAX_RANK], kernel_order[MAX_RANK], spatial = plan.spatial;
    input_order[0] = (int)dims->input_batch;
    input_order[spatial + 1] = (int)dims->input_feature;
    kernel_order[spatial] = (int)dims->kernel_input_feature;
    kernel_order[spatial + 1] = (int)dims->kernel_output_feature;
    for (int d = 0; d < spatial; d++) {
        input_order[d + 1] = (int)dims->input_spatial.data[d];
        kernel_order[d] = (int)dims->kernel_spatial.data[d];
    }
    size_t size = carrier_size(plan.carrier), element_size = element_bytes(type->element);
    int64_t count = tensor_count(result);
    char *a = pack_operand(eval, op, input, plan.carrier, input_order);
    char *b = a ? pack_operand(eval, op, kernel, plan.carrier, kernel_order) : NULL;
    char *sums = b ? eval_scratch(eval, op, count, size) : NULL;
    char *ordered = sums ? eval_scratch(eval, op, count, element_size) : NULL;
    if (!ordered) return NULL;
    memset(sums, 0, (size_t)count * size);
    if (count > 0 && product(spatial, plan.kernel) > 0 && plan.channels > 0)
        convolve(&plan, a, b, sums);
    store_carrier(plan.carrier, type->element, sums, count, ordered);
    // [batch, spatial, feature] to the result's order
    int64_t walk[MAX_RANK], from[MAX_RANK], to[MAX_RANK], own[MAX_RANK];
    row_major_strides(type->rank, type->dims, own);
    walk[0] = plan.output_batch;
    to[0] = own[dims->output_batch];
    for (int d = 0; d < spatial; d++) {
        walk[d + 1] = plan.output[d];
        to[d + 1] = own[dims->output_spatial.data[d]];
    }
    walk[spatial + 1] = plan.outputs;
    to[spatial + 1] = own[dims->output_feature];
    row_major_strides(type->rank, walk, from);
    copy_strided(type->rank, walk, element_size, result->data, to, ordered, from);
    return result;
}

bool eval_convolution(Eval *eval, const Op *op) {
    if (eval_has_quantized(op)) return eval_quantized(eval, op);
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_CONV_DIMS)
        return eval_fail(eval, op, "has no dimension numbers");
    int64_t padding[2 * MAX_RANK];
    eval_ints(op, NAME_PADDING, 2 * attr->conv->input_spatial.count, 0, padding);
    Tensor *result = eval_make_convolution(
        eval, op, eval_operand(eval, op, 0), eval_operand(eval, op, 1), op_result_type(op, 0),
        padding);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

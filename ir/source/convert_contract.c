// convert_contract: products of tensors, convolutions, windows and reductions of linalg and tosa.
#include "ir/scalar/scalar.h"
#include "ir/source/source.h"

#include <string.h>

// The places of the letters of `part` that `other` has, too, or has not; and not in `without`.
static IntSpan pick(
    Arena *arena, const char *part, size_t size, const char *other, size_t other_size,
    const char *result, size_t result_size, bool in_other, bool in_result) {
    int64_t *places = ARENA_ARRAY(arena, int64_t, (int64_t)size + 1);
    int count = 0;
    // In the order of the other part where they pair up, which is the left one's order for both.
    for (size_t i = 0; i < size; i++) {
        bool has_other = memchr(other, part[i], other_size) != NULL;
        bool has_result = memchr(result, part[i], result_size) != NULL;
        if (has_other == in_other && has_result == in_result) places[count++] = (int64_t)i;
    }
    return (IntSpan){places, count};
}

// The places in `part` of the letters at `places` of `like`.
static IntSpan places_of(
    Arena *arena, const char *part, size_t size, const char *like, IntSpan places) {
    int64_t *found = ARENA_ARRAY(arena, int64_t, places.count + 1);
    for (int i = 0; i < places.count; i++) {
        const char *at = memchr(part, like[places.data[i]], size);
        found[i] = at ? at - part : 0;
    }
    return (IntSpan){found, places.count};
}

Value *source_contract(
    Builder *builder, const char *spec, Value *lhs, Value *rhs, const Type *result) {
    Context *context = builder->module->context;
    Arena *arena = builder->module->arena;
    const char *comma = strchr(spec, ','), *arrow = strstr(spec, "->");
    const char *left = spec, *right = comma + 1, *out = arrow + 2;
    size_t left_size = (size_t)(comma - left), right_size = (size_t)(arrow - right);
    size_t out_size = strlen(out);
    DotDims dot = {0};
    dot.lhs_batch = pick(arena, left, left_size, right, right_size, out, out_size, true, true);
    dot.lhs_contracting =
        pick(arena, left, left_size, right, right_size, out, out_size, true, false);
    dot.rhs_batch = places_of(arena, right, right_size, left, dot.lhs_batch);
    dot.rhs_contracting = places_of(arena, right, right_size, left, dot.lhs_contracting);
    IntSpan left_free = pick(arena, left, left_size, right, right_size, out, out_size, false, true);
    IntSpan right_free =
        pick(arena, right, right_size, left, left_size, out, out_size, false, true);
    // The product has batch, left, right dimensions: its letters, then where the result has them.
    char letters[MAX_RANK + 1];
    int64_t dims[MAX_RANK], permutation[MAX_RANK];
    int rank = 0;
    for (int i = 0; i < dot.lhs_batch.count; i++)
        letters[rank++] = left[dot.lhs_batch.data[i]];
    for (int i = 0; i < left_free.count; i++)
        letters[rank++] = left[left_free.data[i]];
    for (int i = 0; i < right_free.count; i++)
        letters[rank++] = right[right_free.data[i]];
    bool is_in_order = true;
    for (int d = 0; d < rank; d++) {
        const char *at = memchr(out, letters[d], out_size);
        dims[d] = result->dims[at - out];
        const char *place = memchr(letters, out[d], (size_t)rank);
        permutation[d] = place - letters;
        is_in_order = is_in_order && permutation[d] == d;
    }
    const Type *type = type_tensor(context, result->element, rank, dims);
    Op *product = build_op(builder, OP_DOT_GENERAL, 2, (Value *[]){lhs, rhs}, 1, &type, 0);
    op_set_attr(
        builder->module, product, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = &dot}));
    Value *value = op_result(product, 0);
    return is_in_order ? value : build_transpose(builder, value, permutation);
}

static bool all_static(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->kind != TYPE_TENSOR || !type_is_static(type)) return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (!type_is_static(op_result_type(op, i))) return false;
    }
    return true;
}

// Letters of a map's results, in the text; for maps of contractions.
static char *put_letters(char *p, const LoopMap *map) {
    for (int i = 0; i < map->count; i++)
        *p++ = (char)('a' + map->results[i]);
    return p;
}

bool convert_linalg_contract(Legalizer *legalizer, Op *op) {
    if (!all_static(op) || op->operand_count != 3 || op->result_count != 1) return false;
    char text[3 * MAX_LOOPS + 8];
    const char *spec = linalg_contraction(op->code);
    if (op_attr(op, NAME_INDEXING_MAPS)) {
        Loops loops;
        if (!loops_of_linalg(op, &loops)) return false;
        char *p = put_letters(text, &loops.maps[0]);
        *p++ = ',';
        p = put_letters(p, &loops.maps[1]);
        *p++ = '-';
        *p++ = '>';
        *put_letters(p, &loops.maps[2]) = 0;
        spec = text;
    }
    if (!spec) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *product = source_contract(
        &builder, spec, op_operand(op, 0), op_operand(op, 1), op_result_type(op, 0));
    return legalize_replace_one(legalizer, op, source_add(&builder, product, op_operand(op, 2)));
}

// x minus its zero point, as elements of the sum's type; NULL where the zero point is no number.
static Value *without_zero_point(
    Builder *builder, Value *x, Value *zero_point, ElementType element) {
    if (!zero_point || source_is_zero(zero_point)) return x;
    Value *number = build_reshape(builder, zero_point, 0, NULL);
    Value *wide = build_convert(builder, x, element);
    return build_binary(
        builder, OP_SUBTRACT, wide,
        source_broadcast(builder, build_convert(builder, number, element), wide->type));
}

bool convert_tosa_matmul(Legalizer *legalizer, Op *op) {
    if (!all_static(op) || op->operand_count < 2 || op_attr(op, NAME_QUANTIZATION_INFO))
        return false;
    const Type *result = op_result_type(op, 0);
    Builder builder = builder_before(legalizer->module, op);
    Value *factors[2];
    for (int i = 0; i < 2; i++)
        factors[i] = without_zero_point(
            &builder, op_operand(op, i), op->operand_count > i + 2 ? op_operand(op, i + 2) : NULL,
            result->element);
    return legalize_replace_one(
        legalizer, op, source_contract(&builder, "bmk,bkn->bmn", factors[0], factors[1], result));
}

// --- windows ---

typedef struct Window {
    int spatial;
    int64_t stride[2], dilation[2], low[2], high[2];
} Window;

static int64_t list_item(const Attr *list, int i, int64_t otherwise) {
    if (!list) return otherwise;
    if (list->kind == ATTR_ELEMENTS) return source_int(list, i);
    return list->kind == ATTR_INTS && i < list->count ? list->ints[i] : otherwise;
}

static Window window_of(const Op *op, int spatial) {
    bool is_tosa = op_dialect(op) == DIALECT_TOSA;
    const Attr *pads = op_attr(op, NAME_PAD);
    Window window = {.spatial = spatial};
    for (int i = 0; i < spatial; i++) {
        window.stride[i] = list_item(op_attr(op, is_tosa ? NAME_STRIDE : NAME_STRIDES), i, 1);
        window.dilation[i] = list_item(op_attr(op, is_tosa ? NAME_DILATION : NAME_DILATIONS), i, 1);
        window.low[i] = list_item(pads, 2 * i, 0);
        window.high[i] = list_item(pads, 2 * i + 1, 0);
    }
    return window;
}

static const Attr *pad_pairs(Context *context, int rank, const int64_t *low, const int64_t *high) {
    int64_t pairs[2 * MAX_RANK];
    for (int d = 0; d < rank; d++) {
        pairs[2 * d] = low[d];
        pairs[2 * d + 1] = high[d];
    }
    return attr_int_matrix(context, rank, 2, pairs);
}

// Dimension numbers from layouts: "b01f", "01io", "b01f".
static const Attr *conv_dims(Arena *arena, Context *context, const char *in, const char *kernel) {
    ConvDims dims = {0};
    int spatial = (int)strlen(in) - 2;
    int64_t *spaces = ARENA_ARRAY(arena, int64_t, 2 * spatial + 1);
    for (int i = 0; i < spatial; i++) {
        spaces[i] = strchr(in, '0' + i) - in;
        spaces[spatial + i] = strchr(kernel, '0' + i) - kernel;
    }
    dims.input_batch = dims.output_batch = strchr(in, 'b') - in;
    dims.input_feature = dims.output_feature = strchr(in, 'f') - in;
    dims.kernel_input_feature = strchr(kernel, 'i') - kernel;
    dims.kernel_output_feature = strchr(kernel, 'o') - kernel;
    dims.input_spatial = dims.output_spatial = (IntSpan){spaces, spatial};
    dims.kernel_spatial = (IntSpan){spaces + spatial, spatial};
    return attr_intern(context, &(Attr){.kind = ATTR_CONV_DIMS, .conv = &dims});
}

typedef struct Layout {
    const char *in, *kernel; // "b01f", "01io"
    bool by_feature;         // a depthwise convolution
} Layout;

static Value *build_convolution(
    Builder *builder, const Layout *layout, const Window *window, Value *x, Value *kernel,
    const Type *result) {
    Module *module = builder->module;
    Context *context = module->context;
    Op *op = build_op(builder, OP_CONVOLUTION, 2, (Value *[]){x, kernel}, 1, &result, 0);
    int64_t groups = layout->by_feature ? x->type->dims[strchr(layout->in, 'f') - layout->in] : 1;
    int n = window->spatial;
    op_set_attr(
        module, op, NAME_DIMENSION_NUMBERS,
        conv_dims(module->arena, context, layout->in, layout->kernel));
    op_set_attr(module, op, NAME_WINDOW_STRIDES, attr_ints(context, n, window->stride));
    op_set_attr(module, op, NAME_RHS_DILATION, attr_ints(context, n, window->dilation));
    op_set_attr(module, op, NAME_PADDING, pad_pairs(context, n, window->low, window->high));
    op_set_attr(module, op, NAME_FEATURE_GROUP_COUNT, attr_int(context, groups, ELEMENT_I64));
    op_set_attr(module, op, NAME_BATCH_GROUP_COUNT, attr_int(context, 1, ELEMENT_I64));
    return op_result(op, 0);
}

// Sums, largest or smallest elements of the places that the window has in each dimension.
static Value *build_pool(
    Builder *builder, OpCode body, Value *x, const int64_t *sizes, const Window *window,
    int first_spatial, const Type *result) {
    Module *module = builder->module;
    Context *context = module->context;
    int rank = x->type->rank;
    int64_t shape[MAX_RANK], strides[MAX_RANK], dilations[MAX_RANK], low[MAX_RANK], high[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        int s = d - first_spatial;
        bool inside = s >= 0 && s < window->spatial;
        shape[d] = inside ? sizes[s] : 1;
        strides[d] = inside ? window->stride[s] : 1;
        dilations[d] = inside ? window->dilation[s] : 1;
        low[d] = inside ? window->low[s] : 0;
        high[d] = inside ? window->high[s] : 0;
    }
    Value *init = build_constant(
        builder, reduction_neutral(context, body, type_scalar(context, x->type->element)));
    Op *op = build_op(builder, OP_REDUCE_WINDOW, 2, (Value *[]){x, init}, 1, &result, 1);
    build_reduction_body(module, op->regions[0], body, x->type->element, builder->loc);
    op_set_attr(module, op, NAME_WINDOW_DIMENSIONS, attr_ints(context, rank, shape));
    op_set_attr(module, op, NAME_WINDOW_STRIDES, attr_ints(context, rank, strides));
    op_set_attr(module, op, NAME_WINDOW_DILATIONS, attr_ints(context, rank, dilations));
    op_set_attr(module, op, NAME_PADDING, pad_pairs(context, rank, low, high));
    return op_result(op, 0);
}

// What the rows of windows say.
typedef struct WindowRow {
    char unused;
    const char *in, *kernel; // a convolution's layouts
    OpCode pooled;           // what pooled elements are combined by
    int first_spatial;       // the first dimension of a pooling window; 0: it is none
} WindowRow;

static const WindowRow window_rows[OP_COUNT] = {
#define CONVOLVES(in_layout, kernel_layout) .in = (in_layout), .kernel = (kernel_layout),
#define POOLS(op, first)                    .pooled = OP_##op, .first_spatial = (first),
#include "ir/dialects/ir_rows.def"
};

static Layout layout_of(OpCode code) {
    const WindowRow *row = &window_rows[code];
    return (Layout){row->in, row->kernel, false};
}

// The kernel of a depthwise convolution, [h, w, c, m] or [h, w, c], with one
// input feature and c m results.
static Value *depthwise_kernel(Builder *builder, Value *kernel) {
    const int64_t *dims = kernel->type->dims;
    int64_t features = dims[2] * (kernel->type->rank == 4 ? dims[3] : 1);
    return build_reshape(builder, kernel, 4, (int64_t[]){dims[0], dims[1], 1, features});
}

bool convert_linalg_window(Legalizer *legalizer, Op *op) {
    if (!all_static(op) || op->operand_count != 3 || op->result_count != 1) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *x = op_operand(op, 0), *kernel = op_operand(op, 1), *init = op_operand(op, 2);
    const Type *result = op_result_type(op, 0);
    const WindowRow *row = &window_rows[op->code];
    if (row->first_spatial > 0) {
        if (x->type->rank != 4 || kernel->type->rank != 2 || x->type->element != result->element)
            return false;
        Window window = window_of(op, 2);
        Value *value = build_pool(
            &builder, row->pooled, x, kernel->type->dims, &window, row->first_spatial, result);
        if (row->pooled != OP_ADD || !source_is_zero(init))
            value = build_binary(&builder, row->pooled, init, value);
        return legalize_replace_one(legalizer, op, value);
    }
    Layout layout = layout_of(op->code);
    if (op->code == OP_LINALG_DEPTHWISE_CONV_2D_NHWC_HWC) {
        if (kernel->type->rank != 3) return false;
        layout.by_feature = true;
        kernel = depthwise_kernel(&builder, kernel);
    }
    if (x->type->rank != (int)strlen(layout.in) || kernel->type->rank != (int)strlen(layout.kernel))
        return false;
    Window window = window_of(op, x->type->rank - 2);
    Value *value = build_convolution(&builder, &layout, &window, x, kernel, result);
    return legalize_replace_one(legalizer, op, source_add(&builder, value, init));
}

// x, kernel, bias, and in TOSA 1.0 the zero points of x and kernel
bool convert_tosa_conv(Legalizer *legalizer, Op *op) {
    if (!all_static(op) || op->operand_count < 3 || op_attr(op, NAME_QUANTIZATION_INFO))
        return false;
    const Type *result = op_result_type(op, 0);
    Builder builder = builder_before(legalizer->module, op);
    Value *parts[2];
    for (int i = 0; i < 2; i++)
        parts[i] = without_zero_point(
            &builder, op_operand(op, i), op->operand_count > i + 3 ? op_operand(op, i + 3) : NULL,
            result->element);
    Layout layout = layout_of(op->code);
    if (op->code == OP_TOSA_DEPTHWISE_CONV2D) {
        if (parts[1]->type->rank != 4) return false;
        layout.by_feature = true;
        parts[1] = depthwise_kernel(&builder, parts[1]);
    }
    if (parts[0]->type->rank != 4 || parts[1]->type->rank != 4) return false;
    Window window = window_of(op, 2);
    Value *value = build_convolution(&builder, &layout, &window, parts[0], parts[1], result);
    Value *bias = op_operand(op, 2);
    if (bias->type->rank == 1 && !source_is_zero(bias)) {
        bias = build_convert(&builder, bias, result->element);
        value = build_binary(&builder, OP_ADD, value, source_broadcast(&builder, bias, result));
    }
    return legalize_replace_one(legalizer, op, value);
}

// An average is over the elements that the window has in the tensor.
bool convert_tosa_pool(Legalizer *legalizer, Op *op) {
    const Attr *kernel = op_attr(op, NAME_KERNEL);
    Value *x = op_operand(op, 0);
    const Type *result = op_result_type(op, 0);
    if (!all_static(op) || !kernel || x->type->rank != 4 || x->type->element != result->element)
        return false;
    for (int i = 1; i < op->operand_count; i++) {
        if (!source_is_zero(op_operand(op, i))) return false;
    }
    Window window = window_of(op, 2);
    int64_t sizes[2] = {list_item(kernel, 0, 1), list_item(kernel, 1, 1)};
    bool is_average = op->code == OP_TOSA_AVG_POOL2D;
    if (is_average && !element_is_float(result->element)) return false;
    Builder builder = builder_before(legalizer->module, op);
    OpCode body = is_average ? OP_ADD : OP_MAXIMUM;
    Value *value = build_pool(&builder, body, x, sizes, &window, 1, result);
    if (is_average) {
        Value *ones = build_splat(&builder, x->type, 1);
        Value *counts = build_pool(&builder, OP_ADD, ones, sizes, &window, 1, result);
        value = build_binary(&builder, OP_DIVIDE, value, counts);
    }
    return legalize_replace_one(legalizer, op, value);
}

// The dimension stays, with size 1.
bool convert_tosa_reduce(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    const Type *result = op_result_type(op, 0);
    int64_t axis = op_int(op, NAME_AXIS, -1);
    if (!all_static(op) || axis < 0 || axis >= x->type->rank || result->rank != x->type->rank)
        return false;
    OpCode body = scalar_op(op_code_scalar(op->code));
    Builder builder = builder_before(legalizer->module, op);
    Value *value = build_reduce(&builder, body, x, 1, &axis);
    return legalize_replace_one(
        legalizer, op, build_reshape(&builder, value, result->rank, result->dims));
}

// Windows: reduce_window, select_and_scatter, and the window attributes that convolution shares.
#include "base/checked.h"
#include "ir/infer/infer.h"

// StableHLO looks at the windows of dynamic_conv only when its padding is constant; JAX has written
// strides for a dimension too many.
static bool may_be_longer(const Op *op) {
    if (op->code != OP_DYNAMIC_CONV) return false;
    const Op *padding = op_operand(op, 2)->def;
    return !padding || padding->code != OP_CONSTANT;
}

static bool infer_window_list(
    Infer *infer, const Op *op, AttrName name, const char *what, int count, IntSpan *ints) {
    *ints = (IntSpan){0};
    if (name == ATTR_NAME_COUNT || !op_attr(op, name)) return true;
    *ints = op_ints(op, name);
    // An empty list stands for the defaults.
    if (ints->count == count || ints->count == 0 || (ints->count > count && may_be_longer(op)))
        return true;
    return infer_fail(
        infer, op,
        "expects %s to have same dimension-size as size of window dimensions (%d), but got: %d.",
        what, count, ints->count);
}

static bool infer_padding(Infer *infer, const Op *op, int count, IntSpan *padding) {
    *padding = (IntSpan){0};
    const Attr *attr = op_attr(op, NAME_PADDING);
    if (!attr) return true;
    *padding = op_ints(op, NAME_PADDING);
    if (padding->count == 0 && attr->kind != ATTR_ELEMENTS) return true;
    const Type *type = attr->kind == ATTR_ELEMENTS ? attr->type : NULL;
    if (!type || type->rank != 2 || type->dims[1] != 2)
        return infer_fail(
            infer, op, "expects the shape of padding-attribute to be {N, 2}, but got {%s}.",
            type ? infer_ints_text(infer, type->dims, type->rank) : "");
    if (type->dims[0] == count || type->dims[0] == 0) return true;
    return infer_fail(
        infer, op,
        "expects padding-entries to have same dimension-size as size of window dimensions (%d), "
        "but "
        "got: %lld.",
        count, (long long)type->dims[0]);
}

static bool check_positive(
    Infer *infer, const Op *op, const char *what, int64_t number, int dimension) {
    if (number >= 1) return true;
    return infer_fail(
        infer, op, "expects window to have positive %s for %d-th window dimension, but got %lld.",
        what, dimension, (long long)number);
}

static int64_t number_or(IntSpan ints, int i, int64_t otherwise) {
    return i < ints.count ? ints.data[i] : otherwise;
}

bool infer_window(
    Infer *infer, const Op *op, IntSpan sizes, AttrName strides_name, AttrName base_name,
    AttrName window_name, WindowDim *dims) {
    IntSpan strides, base, window, padding;
    int count = sizes.count;
    if (!infer_window_list(infer, op, strides_name, "window-strides", count, &strides) ||
        !infer_window_list(infer, op, base_name, "base-dilation factors", count, &base) ||
        !infer_window_list(infer, op, window_name, "window-dilation factors", count, &window) ||
        !infer_padding(infer, op, count, &padding))
        return false;
    for (int d = 0; d < count; d++) {
        dims[d] = (WindowDim){
            .size = sizes.data[d],
            .stride = number_or(strides, d, 1),
            .low = number_or(padding, 2 * d, 0),
            .high = number_or(padding, 2 * d + 1, 0),
            .base_dilation = number_or(base, d, 1),
            .window_dilation = number_or(window, d, 1),
        };
        // A kernel's size may be unknown, a window's not.
        bool is_kernel = op->code == OP_CONVOLUTION || op->code == OP_DYNAMIC_CONV;
        bool unknown = is_kernel && sizes.data[d] == DIM_DYNAMIC;
        if (!unknown && !check_positive(infer, op, "value", sizes.data[d], d)) return false;
        if (!check_positive(infer, op, "stride", dims[d].stride, d) ||
            !check_positive(infer, op, "base dilation factor", dims[d].base_dilation, d) ||
            !check_positive(infer, op, "window dilation factor", dims[d].window_dilation, d))
            return false;
    }
    return true;
}

// (size - 1) * dilation + 1, and 0 for 0
static bool dilate(int64_t size, int64_t dilation, int64_t *dilated) {
    if (size == 0) {
        *dilated = 0;
        return true;
    }
    return checked_mul(size - 1, dilation, dilated) && checked_add(*dilated, 1, dilated);
}

bool infer_windowed_size(
    Infer *infer, const Op *op, int64_t input, const WindowDim *dim, int64_t *size_out) {
    *size_out = DIM_DYNAMIC;
    // infer_window has filled as many as the operand has dimensions.
    if (dim_is_dynamic(input) ||
        dim_is_dynamic(dim->size)) // NOLINT(clang-analyzer-core.CallAndMessage)
        return true;
    int64_t base = 0, window = 0, padded = 0;
    bool fits = dilate(input, dim->base_dilation, &base) &&
                dilate(dim->size, dim->window_dilation, &window) &&
                checked_add(base, dim->low, &padded) && checked_add(padded, dim->high, &padded);
    if (!fits) return infer_fail(infer, op, "size of a window dimension overflows");
    *size_out = padded <= 0 || window > padded ? 0 : (padded - window) / dim->stride + 1;
    return true;
}

// The window over each dimension of the operand; `what` is the operand's name in messages.
static bool infer_operand_window(
    Infer *infer, const Op *op, const Type *operand, const char *what, WindowDim *window) {
    IntSpan sizes = op_ints(op, NAME_WINDOW_DIMENSIONS);
    if (sizes.count != operand->rank)
        return infer_fail(
            infer, op,
            "expects window-dimensions size == %s rank, but got window-dimensions size: %d and "
            "%s: '%s' with rank = %d.",
            op->code == OP_SELECT_AND_SCATTER ? "operand" : "input", sizes.count, what,
            infer_type_text(infer, operand), operand->rank);
    return infer_window(
        infer, op, sizes, NAME_WINDOW_STRIDES, NAME_BASE_DILATIONS, NAME_WINDOW_DILATIONS, window);
}

static bool infer_windowed_dims(
    Infer *infer, const Op *op, const Type *operand, const WindowDim *window, int64_t *dims) {
    for (int d = 0; d < operand->rank; d++) {
        if (!infer_windowed_size(infer, op, operand->dims[d], &window[d], &dims[d])) return false;
    }
    return true;
}

bool infer_reduce_window(Infer *infer, const Op *op) {
    int count = op->operand_count / 2;
    if (count == 0 || op->operand_count % 2)
        return infer_fail(infer, op, "requires at least 1 input value");
    if (op->result_count != count)
        return infer_fail(infer, op, "expects %d results, but has %d", count, op->result_count);
    Arena *arena = infer->diags->arena;
    const Type **types = ARENA_ARRAY(arena, const Type *, 3 * (int64_t)count);
    for (int i = 0; i < op->operand_count; i++)
        types[i] = op_operand_type(op, i);
    const Type *first = types[0];
    for (int i = 1; i < count; i++) {
        if (!shapes_fit(first, types[i]))
            return infer_fail(
                infer, op,
                "expects all inputs to have compatible shapes. Shape at input-index %d is not "
                "compatible with shape at input-index 0",
                i);
    }
    WindowDim window[MAX_RANK];
    int64_t dims[MAX_RANK];
    if (!infer_operand_window(infer, op, first, "input", window) ||
        !infer_windowed_dims(infer, op, first, window, dims))
        return false;
    const Type **accumulators = types + op->operand_count;
    IntSpan sizes = op_ints(op, NAME_WINDOW_DIMENSIONS);
    if (!infer_reducer(infer, op, op->regions[0], count, types, types + count, sizes, accumulators))
        return false;
    for (int i = 0; i < count; i++)
        infer_set(infer, i, infer_tensor_like(infer, accumulators[i], first->rank, dims));
    return true;
}

static bool check_select_region(Infer *infer, const Op *op, const Type *scalar) {
    const Region *select = op->regions[0];
    if (select->arg_count != 2)
        return infer_fail(
            infer, op, "expects the select-region to take 2 parameters, but takes %d",
            select->arg_count);
    for (int i = 0; i < 2; i++) {
        const Type *arg = select->args[i]->type;
        if (!types_fit(arg, scalar))
            return infer_fail(
                infer, op,
                "expects the type of select-region's parameter at index %d to be '%s', but got "
                "'%s'",
                i, infer_type_text(infer, scalar), infer_type_text(infer, arg));
    }
    const Op *end = region_terminator(select);
    int outputs = end ? end->operand_count : 0;
    if (outputs != 1)
        return infer_fail(
            infer, op, "expects select-region to return single value, but got: %d", outputs);
    const Type *output = op_operand_type(end, 0);
    if (output == type_scalar(infer->context, ELEMENT_I1)) return true;
    return infer_fail(
        infer, op, "expects the return-type of select-region to be tensor<i1>, but got: '%s'",
        infer_type_text(infer, output));
}

// operand, source (one element per window), init value; regions: select, scatter
bool infer_select_and_scatter(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *source = op_operand_type(op, 1);
    const Type *init = op_operand_type(op, 2);
    const Type *scalar = infer_tensor_like(infer, operand, 0, NULL);
    const Type *source_scalar = infer_tensor_like(infer, source, 0, NULL);
    const Type *accumulator;
    if (!check_select_region(infer, op, scalar) ||
        !infer_reducer(
            infer, op, op->regions[1], 1, &source_scalar, &init, (IntSpan){0}, &accumulator))
        return false;
    WindowDim window[MAX_RANK];
    int64_t dims[MAX_RANK];
    if (!infer_operand_window(infer, op, operand, "operand-type", window) ||
        !infer_windowed_dims(infer, op, operand, window, dims))
        return false;
    const Type *expected = infer_tensor_like(infer, operand, operand->rank, dims);
    if (!types_fit(expected, source))
        return infer_fail(
            infer, op, "expects source-type to be '%s', but got'%s'",
            infer_type_text(infer, expected), infer_type_text(infer, source));
    infer_set(infer, 0, infer_tensor_like(infer, accumulator, operand->rank, operand->dims));
    return true;
}

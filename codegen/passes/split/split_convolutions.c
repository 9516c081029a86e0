// split_convolutions: the gradient of a strided convolution without multiplying the
// zeros between its image's elements; windows of one place as products.
//
//   In      a device program in canonical form.
//   Out     no convolution with stride and window dilation 1 dilates its image by a factor s: the
//           results at p, p + s, p + 2 s ... meet only every s-th element of the window, and are a
//           convolution of the image as it is. There is one for each p < s (and each such
//           dimension); their results are interleaved, which is a view.
//           No convolution whose window is one place at stride 1 where a product has its results
//           in the same order: with the features last, or behind the images, where the filter is
//           the left operand of a product for each image. No convolution whose window is the whole
//           image (the gradient of a filter of one place).
//   Keeps   what the program computes, but for sums with zeros.
//
//   before  %0 = convolution(%x : [8, 28, 28, 128], %w : [3, 3, 64, 128]), lhs_dilate = [2, 2]
//                : [8, 56, 56, 64]
//   after   %1 = slice(%w) : [1, 1, 64, 128]
//           %2 = convolution(%x, %1) : [8, 28, 28, 64]
//           and alike with parts [1, 2], [2, 1] and [2, 2] of the window
//           %0 = reshape(concatenate(reshapes to [8, 28, 1, 28, 1, 64]))
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { MOST_PHASES = 16 };

typedef struct Split {
    Arena *arena;
    Module *module;
    Builder builder;
    const Op *op;
    const ConvDims *dims;
    int spatial;
    const int64_t *padding, *dilation, *reversal;
    int64_t phase[MAX_RANK];
    const Type *phase_type; // of every phase's result
} Split;

// The result's sizes, each dilated dimension cut to one phase (rounded up).
static const Type *phase_type(const Split *s) {
    const Type *type = op_result_type(s->op, 0);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = type->dims[d];
    for (int i = 0; i < s->spatial; i++) {
        int64_t d = s->dims->output_spatial.data[i];
        dims[d] = (dims[d] + s->dilation[i] - 1) / s->dilation[i];
    }
    return type_tensor(s->module->context, type->element, type->rank, dims);
}

// The convolution of the current phase. Window element w of result o reads the dilated image at
// o + w - low: for o = s y + p those with w = s j + r and r = (low - p) mod s, which is the
// image at y + j - (low - p - r) / s.
static Value *build_phase(Split *s) {
    const Type *image = op_operand_type(s->op, 0), *kernel = op_operand_type(s->op, 1);
    int64_t start[MAX_RANK], limit[MAX_RANK], stride[MAX_RANK], padding[2 * MAX_RANK];
    for (int d = 0; d < kernel->rank; d++) {
        start[d] = 0;
        limit[d] = kernel->dims[d];
        stride[d] = 1;
    }
    for (int i = 0; i < s->spatial; i++) {
        int64_t step = s->dilation[i], low = s->padding[2 * i], d = s->dims->kernel_spatial.data[i];
        if (step == 1) {
            padding[2 * i] = low;
            padding[2 * i + 1] = s->padding[2 * i + 1];
            continue;
        }
        int64_t size = kernel->dims[d], from = low - s->phase[i];
        int64_t first = (from % step + step) % step, count = (size - first + step - 1) / step;
        if (first >= size) return NULL;
        bool is_reversed = s->reversal[i] != 0;
        start[d] = is_reversed ? size - 1 - first - step * (count - 1) : first;
        limit[d] = start[d] + step * (count - 1) + 1;
        stride[d] = step;
        int64_t results = s->phase_type->dims[s->dims->output_spatial.data[i]];
        padding[2 * i] = (from - first) / step;
        padding[2 * i + 1] =
            results - 1 + count - image->dims[s->dims->input_spatial.data[i]] - padding[2 * i];
    }
    Value *operands[] = {
        op_operand(s->op, 0), build_slice(&s->builder, op_operand(s->op, 1), start, limit, stride)};
    PtrMap values = ptr_map(s->arena);
    Op *conv = op_clone(&s->builder, s->op, &values);
    op_set_operand(conv, 1, operands[1]);
    op_result(conv, 0)->type = s->phase_type;
    op_set_attr(s->module, conv, NAME_LHS_DILATION, NULL);
    op_set_attr(
        s->module, conv, NAME_PADDING, attr_int_matrix(s->module->context, s->spatial, 2, padding));
    return op_result(conv, 0);
}

// All phases of the spatial dimensions from `from` on, interleaved.
static Value *build_phases(Split *s, int from) {
    if (from == s->spatial) {
        Value *result = build_phase(s);
        return result ? result : build_splat(&s->builder, s->phase_type, 0);
    }
    int64_t step = s->dilation[from];
    int d = (int)s->dims->output_spatial.data[from];
    Value *parts[MOST_PHASES] = {NULL};
    for (int64_t p = 0; p < step; p++) {
        s->phase[from] = p;
        parts[p] = build_phases(s, from + 1);
    }
    if (step == 1) return parts[0];
    const Type *type = parts[0]->type;
    int64_t apart[MAX_RANK], together[MAX_RANK];
    int rank = 0;
    for (int i = 0; i < type->rank; i++) {
        apart[rank++] = together[i] = type->dims[i];
        if (i == d) apart[rank++] = 1;
    }
    for (int64_t p = 0; p < step; p++)
        parts[p] = build_reshape(&s->builder, parts[p], rank, apart);
    Value *all = build_concatenate(&s->builder, (int)step, parts, d + 1);
    together[d] *= step;
    return build_reshape(&s->builder, all, type->rank, together);
}

static bool wants_phases(Split *s) {
    const Op *op = s->op;
    const Type *image = op_operand_type(op, 0), *kernel = op_operand_type(op, 1);
    const int64_t *stride = op_ints_or(s->arena, op, NAME_WINDOW_STRIDES, s->spatial, 1);
    const int64_t *window = op_ints_or(s->arena, op, NAME_RHS_DILATION, s->spatial, 1);
    int64_t phases = 1;
    if (element_class(image->element) == CLASS_COMPLEX || image->rank + 1 > MAX_RANK ||
        type_element_count(op_result_type(op, 0)) == 0 || type_element_count(image) == 0 ||
        type_element_count(kernel) == 0)
        return false;
    for (int i = 0; i < s->spatial; i++) {
        if (s->dilation[i] == 1) continue;
        if (stride[i] != 1 || window[i] != 1 || s->dilation[i] > MOST_PHASES) return false;
        phases *= s->dilation[i];
    }
    return phases > 1 && phases <= MOST_PHASES;
}

static bool split_convolution(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_CONVOLUTION) return false;
    Split s = {.arena = module->arena, .module = module, .op = op};
    s.dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    s.spatial = s.dims->input_spatial.count;
    s.padding = op_ints_or(s.arena, op, NAME_PADDING, 2 * s.spatial, 0);
    s.dilation = op_ints_or(s.arena, op, NAME_LHS_DILATION, s.spatial, 1);
    s.reversal = op_ints_or(s.arena, op, NAME_WINDOW_REVERSAL, s.spatial, 0);
    if (!wants_phases(&s)) return false;
    s.builder = builder_before(module, op);
    s.phase_type = phase_type(&s);
    Value *all = build_phases(&s, 0);
    const Type *type = op_result_type(op, 0);
    int64_t start[MAX_RANK] = {0};
    if (!type_same_shape(all->type, type))
        all = build_slice(&s.builder, all, start, type->dims, NULL);
    value_replace_uses(op_result(op, 0), all);
    op_erase(op);
    return true;
}

// ---- windows of one place, or of all

// Has it one group, no padding, and elements that products have?
static bool is_plain(Arena *arena, const Op *op, const ConvDims *dims) {
    const Type *image = op_operand_type(op, 0);
    int spatial = dims->input_spatial.count;
    const int64_t *padding = op_ints_or(arena, op, NAME_PADDING, 2 * spatial, 0);
    for (int i = 0; i < 2 * spatial; i++)
        if (padding[i] != 0) return false;
    return element_class(image->element) != CLASS_COMPLEX && type_element_count(image) > 0 &&
           type_element_count(op_result_type(op, 0)) > 0 &&
           op_int(op, NAME_FEATURE_GROUP_COUNT, 1) == 1 &&
           op_int(op, NAME_BATCH_GROUP_COUNT, 1) == 1;
}

static bool is_of_one_place(Arena *arena, const Op *op, const ConvDims *dims) {
    const Type *image = op_operand_type(op, 0), *kernel = op_operand_type(op, 1),
               *result = op_result_type(op, 0);
    int spatial = dims->input_spatial.count;
    const int64_t *stride = op_ints_or(arena, op, NAME_WINDOW_STRIDES, spatial, 1);
    for (int i = 0; i < spatial; i++) {
        if (kernel->dims[dims->kernel_spatial.data[i]] != 1 || stride[i] != 1 ||
            image->dims[dims->input_spatial.data[i]] != result->dims[dims->output_spatial.data[i]])
            return false;
    }
    return true;
}

static bool is_of_all_places(Arena *arena, const Op *op, const ConvDims *dims) {
    const Type *image = op_operand_type(op, 0), *kernel = op_operand_type(op, 1);
    int spatial = dims->input_spatial.count;
    const int64_t *dilation = op_ints_or(arena, op, NAME_LHS_DILATION, spatial, 1),
                  *window = op_ints_or(arena, op, NAME_RHS_DILATION, spatial, 1),
                  *reversal = op_ints_or(arena, op, NAME_WINDOW_REVERSAL, spatial, 0);
    for (int i = 0; i < spatial; i++) {
        int64_t size = image->dims[dims->input_spatial.data[i]];
        if (kernel->dims[dims->kernel_spatial.data[i]] != size) return false;
        if (size > 1 && (dilation[i] != 1 || window[i] != 1 || reversal[i] != 0)) return false;
    }
    return true;
}

// Are the image's dimensions but its features, and its batch unless `with_batch`, those of the
// result from `first` on, in the same order?
static bool same_order(const ConvDims *dims, int rank, int first, bool with_batch) {
    int at = first;
    for (int d = 0; d < rank; d++) {
        int64_t out = d == dims->input_batch ? dims->output_batch : -1;
        for (int i = 0; i < dims->input_spatial.count; i++)
            if (dims->input_spatial.data[i] == d) out = dims->output_spatial.data[i];
        if (d == dims->input_feature || (d == dims->input_batch && !with_batch)) continue;
        if (out != at++) return false;
    }
    return true;
}

static Value *build_dot(
    Builder *builder, Value *lhs, Value *rhs, const DotDims *dims, const Type *type) {
    Module *module = builder->module;
    Op *op = build_op(builder, OP_DOT_GENERAL, 2, (Value *[]){lhs, rhs}, 1, &type, 0);
    op_set_attr(
        module, op, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = dims}));
    return op_result(op, 0);
}

// The sum over all places and features, in the order of the image's memory.
static Value *build_whole_product(Module *module, Op *op, const ConvDims *dims) {
    Builder builder = builder_before(module, op);
    const Type *image = op_operand_type(op, 0), *type = op_result_type(op, 0);
    int64_t of_image[MAX_RANK], of_filter[MAX_RANK];
    int count = 0;
    for (int d = 0; d < image->rank; d++) {
        if (d == dims->input_batch) continue;
        of_image[count] = d;
        of_filter[count] = dims->kernel_input_feature;
        for (int i = 0; i < dims->input_spatial.count; i++)
            if (dims->input_spatial.data[i] == d) of_filter[count] = dims->kernel_spatial.data[i];
        count++;
    }
    bool images_first = dims->output_batch < dims->output_feature;
    IntSpan lhs = {images_first ? of_image : of_filter, count},
            rhs = {images_first ? of_filter : of_image, count};
    DotDims dot = {.lhs_contracting = lhs, .rhs_contracting = rhs};
    int64_t first = images_first ? dims->output_batch : dims->output_feature,
            second = images_first ? dims->output_feature : dims->output_batch;
    const Type *matrix = type_with_dims(
        module->context, type, 2, (int64_t[]){type->dims[first], type->dims[second]});
    Value *product = build_dot(
        &builder, op_operand(op, !images_first), op_operand(op, images_first), &dot, matrix);
    return build_reshape(&builder, product, type->rank, type->dims);
}

static Value *build_product(Module *module, Op *op, const ConvDims *dims, bool by_images) {
    Builder builder = builder_before(module, op);
    const Type *kernel = op_operand_type(op, 1), *type = op_result_type(op, 0);
    bool inputs_first = dims->kernel_input_feature < dims->kernel_output_feature;
    int64_t inputs = kernel->dims[dims->kernel_input_feature],
            outputs = kernel->dims[dims->kernel_output_feature];
    int64_t sizes[] = {
        type->dims[dims->output_batch], inputs_first ? inputs : outputs,
        inputs_first ? outputs : inputs};
    Value *image = op_operand(op, 0),
          *filter = build_reshape(&builder, op_operand(op, 1), 2, sizes + 1);
    int64_t of_filter = inputs_first ? 0 : 1, batch = dims->input_batch, zero = 0;
    DotDims dot = {
        .lhs_contracting = {&dims->input_feature, 1}, .rhs_contracting = {&of_filter, 1}};
    if (by_images) {
        const Type *all = type_with_dims(module->context, kernel, 3, sizes);
        filter = build_broadcast_in_dim(&builder, filter, all, (int64_t[]){1, 2});
        of_filter++;
        dot = (DotDims){
            .lhs_batch = {&zero, 1},
            .rhs_batch = {&batch, 1},
            .lhs_contracting = {&of_filter, 1},
            .rhs_contracting = {&dims->input_feature, 1}};
    }
    return build_dot(&builder, by_images ? filter : image, by_images ? image : filter, &dot, type);
}

// NULL = it stays a convolution.
static Value *product_of(Module *module, Op *op) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    int rank = op_result_type(op, 0)->rank;
    if (!is_plain(module->arena, op, dims)) return NULL;
    if (is_of_all_places(module->arena, op, dims)) return build_whole_product(module, op, dims);
    if (!is_of_one_place(module->arena, op, dims)) return NULL;
    if (dims->output_feature == rank - 1 && same_order(dims, rank, 0, true))
        return build_product(module, op, dims, false);
    if (dims->output_batch == 0 && dims->output_feature == 1 && same_order(dims, rank, 2, false))
        return build_product(module, op, dims, true);
    return NULL;
}

static bool replace_by_product(Op *op, void *user) {
    Value *product = op->code == OP_CONVOLUTION ? product_of(user, op) : NULL;
    if (!product) return false;
    value_replace_uses(op_result(op, 0), product);
    op_erase(op);
    return true;
}

PassResult pass_split_convolutions(Module *module, PassContext *pass) {
    (void)pass;
    PassResult split = pass_over_main(module, split_convolution, module);
    PassResult replaced = pass_over_main(module, replace_by_product, module);
    return split == PASS_CHANGED ? split : replaced;
}

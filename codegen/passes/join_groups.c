// join_groups: gradients of the filters of small groups as those of larger groups.
//
//   In      a device program in canonical form.
//   Out     where a convolution's groups cut its images (the gradient of the filter of a grouped
//           convolution), and these lie together in memory in groups of a few, groups that fill a
//           vector are one group, multiplied as a whole, and the results within the old groups are
//           taken out of its. That are up to MOST times as many products, but of whole vectors:
//           otherwise each group's pixels would be gathered from pieces of a few numbers.
//   Keeps   what the program computes.
//
//   before  %0 = convolution(%x, %g : [2, 56, 56, 128]), 32 groups of 4 images : [3, 3, 4, 128]
//   after   %1 = convolution(%x, %g), 8 groups of 16 images : [3, 3, 16, 128]
//           %2 = reshape(%1) : [3, 3, 4, 4, 8, 4, 4]
//           %0 = reshape(concatenate(slices of %2 with equal numbers in dimensions 2 and 5))
#include "codegen/target/target.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { MOST = 4, USUAL_BITS = 256, LEAST_PIXELS = 64 };

typedef struct Join {
    Module *module;
    int64_t bits; // of a vector
} Join;

static int64_t places(const Type *type, IntSpan dims) {
    int64_t count = 1;
    for (int i = 0; i < dims.count; i++)
        count *= type->dims[dims.data[i]];
    return count;
}

// How many groups become one; 0 = they stay.
static int64_t factor_of(const Op *op, int64_t bits) {
    enum { LARGER = 2, SUM_BITS = 32 }; // window than result; of narrow numbers
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *image = op_operand_type(op, 0), *window = op_operand_type(op, 1),
               *result = op_result_type(op, 0);
    int64_t groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1);
    if (groups <= 1 || !element_is_float(image->element) || result->rank + 3 > MAX_RANK) return 0;
    if (dims->input_batch != image->rank - 1 || dims->kernel_output_feature != window->rank - 1)
        return 0;
    int64_t images = image->dims[dims->input_batch] / groups;
    int64_t element = element_bits(result->element),
            lanes = bits / (element < SUM_BITS ? SUM_BITS : element);
    int64_t factor = images > 1 && lanes % images == 0 ? lanes / images : 0;
    int64_t pixels = places(window, dims->kernel_spatial);
    bool is_gradient =
        pixels >= LEAST_PIXELS && pixels >= LARGER * places(result, dims->output_spatial);
    return is_gradient && factor > 1 && factor <= MOST && groups % factor == 0 ? factor : 0;
}

// The convolution with so many groups less, each so many times as large.
static Value *build_joined(Join *join, Builder *builder, const Op *op, int64_t factor) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *type = op_result_type(op, 0);
    Context *context = join->module->context;
    int64_t sizes[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        sizes[d] = type->dims[d] * (d == dims->output_batch ? factor : 1);
    PtrMap values = ptr_map(join->module->arena);
    Op *conv = op_clone(builder, op, &values);
    int64_t groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1) / factor;
    op_set_attr(join->module, conv, NAME_BATCH_GROUP_COUNT, attr_int(context, groups, ELEMENT_I64));
    op_result(conv, 0)->type = type_tensor(context, type->element, type->rank, sizes);
    return op_result(conv, 0);
}

// The results of which images and features are of the same one of the groups that were joined.
static Value *build_diagonal(Builder *builder, const Op *op, Value *joined, int64_t factor) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *type = op_result_type(op, 0);
    int64_t groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1), sizes[MAX_RANK], start[MAX_RANK];
    int rank = 0, of_images = 0, of_features = 0; // where the old groups are numbered
    for (int d = 0; d < type->rank; d++) {
        if (d == dims->output_batch) {
            of_images = rank;
            sizes[rank++] = factor;
            sizes[rank++] = type->dims[d];
        } else if (d == dims->output_feature) {
            sizes[rank++] = groups / factor;
            of_features = rank;
            sizes[rank++] = factor;
            sizes[rank++] = type->dims[d] / groups;
        } else {
            sizes[rank++] = type->dims[d];
        }
    }
    Value *all = build_reshape(builder, joined, rank, sizes), *parts[MOST];
    for (int d = 0; d < rank; d++)
        start[d] = 0;
    for (int64_t g = 0; g < factor; g++) {
        start[of_images] = start[of_features] = g;
        sizes[of_images] = sizes[of_features] = g + 1;
        parts[g] = build_slice(builder, all, start, sizes, NULL);
    }
    Value *diagonal = build_concatenate(builder, (int)factor, parts, of_features);
    return build_reshape(builder, diagonal, type->rank, type->dims);
}

static bool join_op(Op *op, void *user) {
    Join *join = user;
    int64_t factor = op->code == OP_CONVOLUTION ? factor_of(op, join->bits) : 0;
    if (factor == 0) return false;
    Builder builder = builder_before(join->module, op);
    Value *joined = build_joined(join, &builder, op, factor);
    value_replace_uses(op_result(op, 0), build_diagonal(&builder, op, joined, factor));
    op_erase(op);
    return true;
}

PassResult pass_join_groups(Module *module, PassContext *pass) {
    Join join = {.module = module, .bits = USUAL_BITS};
    if (pass->target) join.bits = pass->target->vector_bits;
    return pass_over_main(module, join_op, &join);
}

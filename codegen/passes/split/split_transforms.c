// split_transforms: few large Fourier transforms of several dimensions become transforms of one.
//
//   In      a device program in canonical form.
//   Out     an fft of several dimensions whose slices are large, and too few to keep the lanes
//           busy, transforms one dimension after the other, each as the last one of an array in
//           another order: its lines are independent.
//   Keeps   what the program computes, but for the order in which it is rounded.
//
//   before  %0 = fft(%x : [1024, 1024]), RFFT, length = [1024, 1024]
//           %1 = fft(%x), RFFT, length = [1024] : [1024, 513]
//   after   %2 = fft(transpose(%1) : [513, 1024]), FFT, length = [1024]
//           %0 = transpose(%2)
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    LEAST_ELEMENTS = 1 << 14, // of a slice
    MOST_SLICES = 8           // more of them keep some lanes busy
};

typedef struct Transform {
    Op *op;
    int first; // transformed dimensions: first .. rank - 1
    int64_t kind;
} Transform;

static bool find_transform(Op *op, Transform *t) {
    const Type *to = op_result_type(op, 0), *from = op_operand_type(op, 0);
    const Attr *lengths = op_attr(op, NAME_FFT_LENGTH);
    int64_t count = op_ints(op, NAME_FFT_LENGTH).count; // none, where all are alike
    if (count == 0 && lengths && lengths->type) count = type_element_count(lengths->type);
    if (count < 2 || count > to->rank) return false;
    *t = (Transform){
        .op = op, .first = to->rank - (int)count, .kind = op_int(op, NAME_FFT_TYPE, FFT_FFT)};
    const Type *real_side = t->kind == FFT_RFFT ? from : to;
    int64_t slice = 1, slices = 1;
    for (int d = 0; d < real_side->rank; d++)
        *(d < t->first ? &slices : &slice) *= real_side->dims[d];
    return slice >= LEAST_ELEMENTS && slices > 0 && slices <= MOST_SLICES;
}

// Along the last dimension, whose length becomes that of the type.
static Value *along_last(
    Builder *builder, Value *x, int64_t kind, const Type *type, int64_t length) {
    Context *context = builder->module->context;
    Op *op = build_op(builder, OP_FFT, 1, &x, 1, &type, 0);
    op_set_attr(builder->module, op, NAME_FFT_TYPE, attr_enum(context, ENUM_FFT, (int)kind));
    op_set_attr(builder->module, op, NAME_FFT_LENGTH, attr_ints(context, 1, &length));
    return op_result(op, 0);
}

// Along dimension d < last, of complex numbers.
static Value *along(Builder *builder, Value *x, int64_t kind, int d) {
    int64_t swapped[MAX_RANK];
    int last = x->type->rank - 1;
    for (int i = 0; i <= last; i++)
        swapped[i] = i == d ? last : i == last ? d : i;
    Value *turned = build_transpose(builder, x, swapped);
    turned = along_last(builder, turned, kind, turned->type, x->type->dims[d]);
    return build_transpose(builder, turned, swapped);
}

static Value *one_by_one(Builder *builder, const Transform *t) {
    Value *x = op_operand(t->op, 0);
    const Type *to = op_result_type(t->op, 0);
    int last = to->rank - 1;
    bool is_back = t->kind == FFT_IFFT || t->kind == FFT_IRFFT;
    int64_t kind = is_back ? FFT_IFFT : FFT_FFT; // of the dimensions but the last
    int64_t length = t->kind == FFT_RFFT ? x->type->dims[last] : to->dims[last];
    if (t->kind != FFT_IRFFT) {
        int64_t dims[MAX_RANK];
        for (int d = 0; d <= last; d++)
            dims[d] = d == last ? to->dims[d] : x->type->dims[d];
        const Type *type = type_with_dims(builder->module->context, to, to->rank, dims);
        x = along_last(builder, x, t->kind, type, length);
    }
    for (int d = last - 1; d >= t->first; d--)
        x = along(builder, x, kind, d);
    return t->kind == FFT_IRFFT ? along_last(builder, x, t->kind, to, length) : x;
}

static bool split_transform(Op *op, void *user) {
    Transform t;
    if (op->code != OP_FFT || !find_transform(op, &t)) return false;
    Builder builder = builder_before(user, op);
    value_replace_uses(op_result(op, 0), one_by_one(&builder, &t));
    op_erase(op);
    return true;
}

PassResult pass_split_transforms(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_transform, module);
}

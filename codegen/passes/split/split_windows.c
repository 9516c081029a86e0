// split_windows: windows over several dimensions as windows over one dimension after the other.
//
//   In      a device program in canonical form.
//   Out     a reduce_window that sums (multiplies, takes the maximum ...) windows of many elements
//           is made of one whose windows reach along one dimension alone, and one of its results.
//           A window of 7 x 7 takes 14 steps instead of 49.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %0 = reduce_window(%x : [64, 64]), window [7, 7]
//   after   %1 = reduce_window(%x), window [7, 1] : [58, 64]
//           %0 = reduce_window(%1), window [1, 7]
#include "ir/builder.h"
#include "ir/pass/passes.h"

#include <string.h>

// An element that is stored between two windows costs as much as this many steps of a window: with
// fewer a window of 3 x 3 along many features was slower in two parts (0.78 ms for 0.42).
enum { STEPS_OF_STORE = 6 };

typedef struct Window {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK], base_dilation[MAX_RANK], dilation[MAX_RANK];
    int64_t padding[2 * MAX_RANK];
} Window;

static void read_numbers(
    Arena *arena, const Op *op, AttrName name, int count, int64_t otherwise, int64_t *numbers) {
    memcpy(numbers, op_ints_or(arena, op, name, count, otherwise), (size_t)count * sizeof *numbers);
}

static Window read_window(Arena *arena, const Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    Window w = {.rank = rank};
    read_numbers(arena, op, NAME_WINDOW_DIMENSIONS, rank, 1, w.size);
    read_numbers(arena, op, NAME_WINDOW_STRIDES, rank, 1, w.stride);
    read_numbers(arena, op, NAME_BASE_DILATIONS, rank, 1, w.base_dilation);
    read_numbers(arena, op, NAME_WINDOW_DILATIONS, rank, 1, w.dilation);
    read_numbers(arena, op, NAME_PADDING, 2 * rank, 0, w.padding);
    return w;
}

static void write_window(Module *module, Op *op, const Window *w) {
    Context *context = module->context;
    op_set_attr(module, op, NAME_WINDOW_DIMENSIONS, attr_ints(context, w->rank, w->size));
    op_set_attr(module, op, NAME_WINDOW_STRIDES, attr_ints(context, w->rank, w->stride));
    op_set_attr(module, op, NAME_BASE_DILATIONS, attr_ints(context, w->rank, w->base_dilation));
    op_set_attr(module, op, NAME_WINDOW_DILATIONS, attr_ints(context, w->rank, w->dilation));
    op_set_attr(module, op, NAME_PADDING, attr_int_matrix(context, w->rank, 2, w->padding));
}

static void take_dimension(Window *to, const Window *from, int d) {
    to->size[d] = from->size[d];
    to->stride[d] = from->stride[d];
    to->base_dilation[d] = from->base_dilation[d];
    to->dilation[d] = from->dilation[d];
    to->padding[2 * d] = from->padding[2 * d];
    to->padding[2 * d + 1] = from->padding[2 * d + 1];
}

static Window no_window(int rank) {
    Window w = {.rank = rank};
    for (int d = 0; d < rank; d++)
        w.size[d] = w.stride[d] = w.base_dilation[d] = w.dilation[d] = 1;
    return w;
}

// The dimension whose windows come first, so that the steps of both are fewest; -1 where that is
// not less than three quarters of all steps. dims: of the operand.
static int first_dimension(const Window *w, const int64_t *dims, const Type *out) {
    double elements = 1, results = (double)type_element_count(out), all = results;
    for (int d = 0; d < w->rank; d++) {
        elements *= (double)dims[d];
        all *= (double)w->size[d];
    }
    double least = 0.75 * all;
    int found = -1;
    for (int d = 0; d < w->rank; d++) {
        double size = (double)w->size[d], others = all / size;
        if (size <= 1 || others <= results) continue; // the only dimension
        double between = elements / (double)dims[d] * (double)out->dims[d];
        double steps = between * (size + STEPS_OF_STORE) + others;
        if (steps >= least) continue;
        least = steps;
        found = d;
    }
    return found;
}

static bool is_plain(Module *module, Op *op, OpCode body) {
    const Type *type = op_operand_type(op, 0);
    if (body == OP_COUNT || op_result_type(op, 0)->element != type->element) return false;
    if (type_element_count(type) == 0 || type_element_count(op_result_type(op, 0)) == 0)
        return false;
    const Attr *neutral =
        reduction_neutral(module->context, body, type_scalar(module->context, type->element));
    const Op *init = op_operand(op, 1)->def;
    return neutral && init && init->code == OP_CONSTANT &&
           attr_equal(op_attr(init, NAME_VALUE), neutral);
}

// A reduce_window of x, in the place of the builder.
static Value *build_window(
    Module *module, Builder *builder, Value *x, OpCode body, const Window *w, const int64_t *dims) {
    const Type *scalar = type_scalar(module->context, x->type->element);
    Value *init = build_constant(builder, reduction_neutral(module->context, body, scalar));
    Value *operands[2] = {x, init};
    const Type *type = type_with_dims(module->context, x->type, w->rank, dims);
    Op *op = build_op(builder, OP_REDUCE_WINDOW, 2, operands, 1, &type, 1);
    write_window(module, op, w);
    build_reduction_body(module, op->regions[0], body, x->type->element, builder->loc);
    return op_result(op, 0);
}

static bool split_window(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_REDUCE_WINDOW || op->operand_count != 2 || op->result_count != 1)
        return false;
    OpCode body = region_reduction_op(op->regions[0]);
    if (!is_plain(module, op, body)) return false;
    Window rest = read_window(module->arena, op);
    const Type *out = op_result_type(op, 0);
    Value *x = op_operand(op, 0);
    int64_t dims[MAX_RANK];
    memcpy(dims, x->type->dims, (size_t)rest.rank * sizeof *dims);
    int d = first_dimension(&rest, dims, out);
    if (d < 0) return false;
    Builder builder = builder_before(module, op);
    ElementType element = x->type->element;
    // elements without infinities have another largest one
    bool is_chosen = body == OP_MAXIMUM || body == OP_MINIMUM;
    bool is_narrow = !is_chosen && element_is_float(element) && element_bits(element) < 32;
    if (is_narrow) x = build_convert(&builder, x, ELEMENT_F32); // all sums are rounded once
    const Window none = no_window(rest.rank);
    for (; d >= 0; d = first_dimension(&rest, dims, out)) {
        Window first = none;
        take_dimension(&first, &rest, d);
        take_dimension(&rest, &none, d);
        dims[d] = out->dims[d];
        x = build_window(module, &builder, x, body, &first, dims);
    }
    x = build_window(module, &builder, x, body, &rest, out->dims);
    if (is_narrow) x = build_convert(&builder, x, element);
    value_replace_uses(op_result(op, 0), x);
    op_erase(op);
    return true;
}

PassResult pass_split_windows(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_window, module);
}

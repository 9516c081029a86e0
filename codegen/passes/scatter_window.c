// scatter_window: a scatter of one window changes a slice.
//
//   In      a device program without calls.
//   Out     where the indices of a scatter are one place, and its body is the update itself or one
//           op of two, the slice there is overwritten, if the window lies inside of the array,
//           with what it was if not. Overwriting a slice needs no order among windows, and a loop
//           that does it reads and writes nothing else of the array.
//   Keeps   what the program computes.
//
//   before  scatter(%x : [8, 4], %at : [1], %u : [4]) into row %at : add
//   after   %i = reshape(slice %at [0:1])
//           %old = dynamic_slice(%x, %i, 0) : [1, 4]
//           %new = select(0 <= %i and %i <= 7, add(%old, reshape %u), %old)
//           dynamic_update_slice(%x, %new, %i, 0)
#include "ir/analysis/scatter_window.h"

#include "ir/builder.h"
#include "ir/pass/passes.h"

// Component k of the only index, of an integer type that holds the array's extents.
static Value *component(Builder *builder, Value *indices, int k) {
    int64_t count = type_element_count(indices->type), start = k, limit = k + 1;
    Value *one = indices->type->rank == 1 ? indices : build_reshape(builder, indices, 1, &count);
    if (count > 1) one = build_slice(builder, one, &start, &limit, NULL);
    one = build_reshape(builder, one, 0, NULL);
    ElementType element = one->type->element;
    if (element_bits(element) >= 32) return one;
    bool is_signed = element_class(element) == CLASS_SINT;
    return build_convert(builder, one, is_signed ? ELEMENT_I32 : ELEMENT_UI32);
}

// 0 <= at <= last, and `inside`, which may be NULL.
static Value *lies_inside(Builder *builder, Value *at, int64_t last, Value *inside) {
    Value *zero = build_splat_int(builder, at->type, 0);
    Value *most = build_splat_int(builder, at->type, last);
    Value *above = build_compare(builder, DIRECTION_GE, at, zero);
    Value *below = build_compare(builder, DIRECTION_LE, at, most);
    Value *both = build_binary(builder, OP_AND, above, below);
    return inside ? build_binary(builder, OP_AND, inside, both) : both;
}

static Value *update_of_slice(Module *module, Op *op, const ScatterWindow *window) {
    Builder builder = builder_before(module, op);
    Value *x = op_operand(op, 0), *starts[MAX_RANK] = {NULL}, *inside = NULL, *start = NULL;
    for (int k = 0; k < window->component_count; k++) {
        int d = window->components[k];
        starts[d] = start = component(&builder, op_operand(op, 1), k);
        inside = lies_inside(&builder, start, x->type->dims[d] - window->sizes[d], inside);
    }
    for (int d = 0; start && d < window->rank; d++) {
        if (!starts[d]) starts[d] = build_splat_int(&builder, start->type, 0);
    }
    Value *update = build_reshape(&builder, op_operand(op, 2), window->rank, window->sizes);
    Value *old = build_dynamic_slice(&builder, x, starts, window->sizes);
    Value *made = update;
    if (window->combine != OP_RETURN)
        made = window->is_update_first ? build_binary(&builder, window->combine, update, old)
                                       : build_binary(&builder, window->combine, old, update);
    made = build_select(&builder, inside, made, old);
    return build_dynamic_update_slice(&builder, x, made, starts);
}

static bool change_slice(Op *op, void *user) {
    ScatterWindow window;
    // without an index component, of an array of one element, the scatter is elementwise already
    if (!scatter_window(op, &window) || type_element_count(op_operand_type(op, 1)) == 0)
        return false;
    value_replace_uses(op_result(op, 0), update_of_slice(user, op, &window));
    op_erase(op);
    return true;
}

PassResult pass_scatter_window(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, change_slice, module);
}

// scatter_onto: what is added to scattered sums is what they are scattered onto.
//
//   In      a device program in canonical form.
//   Out     a sum of an array and of updates that are scattered onto zeros and added there is a
//           scatter onto the array: no array of zeros is written and read. So are gradients of a
//           cross entropy, whose labels' part is scattered.
//   Keeps   what the program computes, but for the order of summation and the sign of zeros. Floats
//           of less than 32 bits stay: small updates, each of them rounded, would be lost beside
//           large elements of the array.
//
//   before  %0 = scatter(zeros : [8, 4], %at, %u) : add
//           %1 = add(%x, %0)
//   after   %1 = scatter(%x, %at, %u) : add
#include "ir/builder.h"
#include "ir/pass/passes.h"

static bool is_zero(const Value *value) {
    const Op *op = value->def;
    while (op && (op->code == OP_BROADCAST_IN_DIM || op->code == OP_RESHAPE))
        op = op_operand(op, 0)->def;
    const Attr *attr = op && op->code == OP_CONSTANT ? op_attr(op, NAME_VALUE) : NULL;
    return attr && attr->kind == ATTR_ELEMENTS &&
           (attr->is_splat || type_element_count(attr->type) == 1) &&
           element_class(attr->type->element) != CLASS_COMPLEX && attr_element_double(attr, 0) == 0;
}

static bool is_scattered_sum(const Value *value) {
    const Op *op = value->def;
    ElementType element = value->type->element;
    if (element_is_float(element) && element_bits(element) < 32) return false;
    return op && op->code == OP_SCATTER && op->operand_count == 3 && op->result_count == 1 &&
           region_reduction_op(op->regions[0]) == OP_ADD && value_has_one_use(value) &&
           element != ELEMENT_I1 && is_zero(op_operand(op, 0));
}

static bool scatter_onto(Op *op, void *user) {
    (void)user;
    if (op->code != OP_ADD) return false;
    for (int i = 0; i < 2; i++) {
        const Value *sum = op_operand(op, i);
        Op *scatter = sum->def;
        if (!is_scattered_sum(sum) || scatter->parent != op->parent) continue;
        Value *onto = op_operand(op, 1 - i);
        op_set_operand(scatter, 0, onto);
        op_move_before(scatter, op);
        value_replace_uses(op_result(op, 0), op_result(scatter, 0));
        op_erase(op);
        return true;
    }
    return false;
}

PassResult pass_scatter_onto(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, scatter_onto, module);
}

// split_complex: products of complex matrices, and convolutions, as those of their parts.
//
//   In      a device program in canonical form.
//   Out     no product or convolution of complex numbers that is worth four kernels.
//   Keeps   what the program computes, but for the order of summation: the sums of the parts'
//           products are added, and not the products' sums.
//
//   before  %0 = dot_general(%a, %b) : complex<f32>
//   after   %1 = dot_general(real(%a), real(%b)); %2 = dot_general(imag(%a), imag(%b))
//           %3 = dot_general(real(%a), imag(%b)); %4 = dot_general(imag(%a), real(%b)) : f32
//           %0 = complex(%1 - %2, %3 + %4)
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { LEAST_PRODUCTS = 1 << 13 };

// Multiplications of a product; few of them are made by the loop that uses the result.
static bool is_large(const Op *op) {
    if (op->code != OP_DOT_GENERAL) return true;
    int64_t count = type_element_count(op_result_type(op, 0));
    IntSpan over = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot->lhs_contracting;
    for (int i = 0; i < over.count && count < LEAST_PRODUCTS; i++)
        count *= op_operand_type(op, 0)->dims[over.data[i]];
    return count >= LEAST_PRODUCTS;
}

static Value *part(Builder *builder, Value *x, OpCode code) {
    const Type *type =
        type_with_element(builder->module->context, x->type, element_real_part(x->type->element));
    return op_result(build_op(builder, code, 1, &x, 1, &type, 0), 0);
}

static Value *product(Builder *builder, Op *op, Value *lhs, Value *rhs) {
    PtrMap values = ptr_map(builder->module->arena);
    Op *made = op_clone(builder, op, &values);
    op_set_operand(made, 0, lhs);
    op_set_operand(made, 1, rhs);
    Value *result = op_result(made, 0);
    result->type = type_with_element(builder->module->context, result->type, lhs->type->element);
    return result;
}

static bool split(Op *op, void *user) {
    if (op->code != OP_DOT_GENERAL && op->code != OP_CONVOLUTION) return false;
    const Type *type = op_result_type(op, 0);
    if (element_real_part(type->element) == type->element || !is_large(op)) return false;
    for (int i = 0; i < 2; i++) {
        if (op_operand_type(op, i)->element != type->element) return false;
    }
    Builder builder = builder_before(user, op);
    Value *re[2], *im[2];
    for (int i = 0; i < 2; i++) {
        re[i] = part(&builder, op_operand(op, i), OP_REAL);
        im[i] = part(&builder, op_operand(op, i), OP_IMAG);
    }
    Value *first = product(&builder, op, re[0], re[1]);
    Value *second = product(&builder, op, im[0], im[1]);
    Value *third = product(&builder, op, re[0], im[1]);
    Value *fourth = product(&builder, op, im[0], re[1]);
    Value *parts[2];
    parts[0] = build_binary(&builder, OP_SUBTRACT, first, second);
    parts[1] = build_binary(&builder, OP_ADD, third, fourth);
    Op *both = build_op(&builder, OP_COMPLEX, 2, parts, 1, &type, 0);
    value_replace_uses(op_result(op, 0), op_result(both, 0));
    op_erase(op);
    return true;
}

PassResult pass_split_complex(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split, module);
}

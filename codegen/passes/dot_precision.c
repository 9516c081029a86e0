// dot_precision: the algorithms of matrix products, which the code generator does not know,
// become conversions around them.
//
//   In      any device program
//   Out     no product has an algorithm. Where an algorithm has one primitive operation, its
//           operands are rounded to the precisions that it names; f64 is computed in f64; the
//           result is rounded to a narrower accumulation type.
//   Keeps   everything else. Algorithms that sum several products of bf16 or tf32 parts are
//           products of the operands as they are: these are at least as exact, and one
//           product instead of three to nine.
//
//   before  %0 = dot_general %a, %b {algorithm = <bf16, bf16, accumulation f32, 1 operation>}
//                : f32, f32 -> f32
//   after   %1 = convert %a : f32 -> bf16; %2 = convert %1 : bf16 -> f32; the same of %b
//           %0 = dot_general %2, %4 : f32, f32 -> f32
#include "codegen/fuse/fuse.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

static bool holds(const FloatFormat *wide, const FloatFormat *narrow) {
    return wide->mantissa_bits >= narrow->mantissa_bits &&
           wide->exponent_bits >= narrow->exponent_bits;
}

enum { TF32_EXPONENT_BITS = 8, TF32_MANTISSA_BITS = 10 };

// Rounds to a precision and back, where that changes anything.
static Value *rounded(Builder *builder, Value *x, ElementType precision, bool is_tf32) {
    ElementType element = x->type->element;
    const FloatFormat *from = element_float_format(element), *to = element_float_format(precision);
    if (!is_tf32) {
        if (!to || holds(to, from)) return x;
        return build_convert(builder, build_convert(builder, x, precision), element);
    }
    if (from->mantissa_bits <= TF32_MANTISSA_BITS) return x;
    Context *context = builder->module->context;
    Value *result = build_unary(builder, OP_REDUCE_PRECISION, x);
    op_set_attr(
        builder->module, result->def, NAME_EXPONENT_BITS,
        attr_int(context, TF32_EXPONENT_BITS, ELEMENT_I32));
    op_set_attr(
        builder->module, result->def, NAME_MANTISSA_BITS,
        attr_int(context, TF32_MANTISSA_BITS, ELEMENT_I32));
    return result;
}

static bool replace_algorithm(Op *op, void *user) {
    Module *module = user;
    const Attr *attr = op->code == OP_DOT_GENERAL ? op_attr(op, NAME_ALGORITHM) : NULL;
    if (!attr) return true;
    op_set_attr(module, op, NAME_ALGORITHM, NULL);
    Value *result = op_result(op, 0), *operands[] = {op_operand(op, 0), op_operand(op, 1)};
    bool is_real = element_is_float(result->type->element);
    for (int i = 0; i < 2; i++)
        is_real = is_real && element_is_float(operands[i]->type->element);
    if (attr->kind != ATTR_DOT_ALGORITHM || !is_real) return true;
    const DotAlgorithm *how = attr->dot_algorithm;
    Builder builder = builder_before(module, op);
    for (int i = 0; i < 2; i++) {
        ElementType precision = i ? how->rhs_precision : how->lhs_precision;
        if (how->primitive_operations == 1) {
            operands[i] =
                rounded(&builder, operands[i], precision, i ? how->rhs_is_tf32 : how->lhs_is_tf32);
        }
        bool widens = how->accumulation == ELEMENT_F64 && operands[i]->type->element != ELEMENT_F64;
        if (widens) operands[i] = build_convert(&builder, operands[i], ELEMENT_F64);
        op_set_operand(op, i, operands[i]);
    }
    builder = builder_after(module, op);
    ElementType element = result->type->element;
    Value *stands_in = result;
    if (how->accumulation == ELEMENT_F64 && element != ELEMENT_F64) {
        result->type = type_with_element(module->context, result->type, ELEMENT_F64);
        stands_in = build_convert(&builder, result, element);
    } else {
        stands_in = rounded(&builder, result, how->accumulation, how->accumulation_is_tf32);
    }
    if (stands_in == result) return true;
    Op *first = stands_in->def;
    if (op_operand(first, 0) != result) first = op_operand(first, 0)->def;
    value_replace_uses_except(result, stands_in, first);
    return true;
}

PassResult pass_dot_precision(Module *module, PassContext *pass) {
    (void)pass;
    region_walk(module->body, replace_algorithm, module);
    return PASS_CHANGED;
}

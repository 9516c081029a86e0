// infer_source: arith, math, linalg and scf: what must hold before their conversions.
#include "ir/infer/infer.h"

bool infer_source_same(Infer *infer, const Op *op) {
    infer->types[0] = op_operand_type(op, 0);
    for (int i = 1; i < op->operand_count; i++) {
        if (!types_fit(op_operand_type(op, i), infer->types[0]))
            return infer_fail(infer, op, "requires the same type for all operands and results");
    }
    return true;
}

bool infer_source_constant(Infer *infer, const Op *op) {
    const Attr *value = op_attr(op, NAME_VALUES);
    if (!value) value = op_attr(op, NAME_VALUE);
    if (!value) return infer_fail(infer, op, "requires attribute 'value'");
    bool is_number = value->kind == ATTR_INT || value->kind == ATTR_FLOAT ||
                     value->kind == ATTR_BOOL || value->kind == ATTR_ELEMENTS;
    if (!is_number) return infer_fail(infer, op, "needs a number or dense elements as its value");
    if (value->type && value->kind != ATTR_BOOL) infer->types[0] = value->type;
    return true;
}

bool infer_source_compare(Infer *infer, const Op *op) {
    const Attr *predicate = op_attr(op, NAME_PREDICATE);
    if (!predicate || predicate->kind != ATTR_ENUM)
        return infer_fail(infer, op, "requires attribute 'predicate', a keyword");
    const Type *type = op_operand_type(op, 0);
    infer->types[0] = type->kind == TYPE_TENSOR
                          ? type_with_element(infer->context, type, ELEMENT_I1)
                          : type_element(infer->context, ELEMENT_I1);
    return types_fit(type, op_operand_type(op, 1)) ||
           infer_fail(infer, op, "requires all operands to have the same type");
}

// Lists of numbers, [4, %n]: behind the operands that the op always has stands one for each number
// that is not written.
bool infer_mixed(Infer *infer, const Op *op) {
    int fixed = op->code == OP_SHARD_SHARD_SHAPE ? 1 : op_code_least_operands(op->code);
    int expected = fixed;
    for (const OpAttr *item = op_code_attrs(op->code); item->role; item++) {
        IntSpan numbers = op_ints(op, item->name);
        for (int i = 0; i < numbers.count && item->constraint == CONSTRAINT_I64_LIST; i++)
            expected += numbers.data[i] == DIM_DYNAMIC;
    }
    return op->operand_count == expected ||
           infer_fail(
               infer, op, "expected %d operands for the numbers that are not written, but found %d",
               expected - fixed, op->operand_count - fixed);
}

// Results are what `outs` are, where those are tensors.
bool infer_linalg(Infer *infer, const Op *op) {
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    bool fits = segments.count == 2 && segments.data[0] >= 0 && segments.data[1] > 0 &&
                segments.data[0] + segments.data[1] == op->operand_count;
    if (!fits) return infer_fail(infer, op, "expects operands of 'ins' and 'outs'");
    int result = 0;
    for (int i = (int)segments.data[0]; i < op->operand_count; i++) {
        if (op_operand_type(op, i)->kind != TYPE_TENSOR) continue;
        if (result == op->result_count)
            return infer_fail(infer, op, "has fewer results than tensors in 'outs'");
        infer->types[result++] = op_operand_type(op, i);
    }
    if (result != op->result_count)
        return infer_fail(infer, op, "has more results than tensors in 'outs'");
    const Attr *maps = op_attr(op, NAME_INDEXING_MAPS);
    if (op->code == OP_LINALG_GENERIC &&
        (!maps || maps->kind != ATTR_ARRAY || maps->count != op->operand_count))
        return infer_fail(
            infer, op,
            "expected the number of indexing_map to be equal to the number of input/output "
            "operands");
    return true;
}

static bool check_values(
    Infer *infer, const Op *op, const char *what, int count, const Value *const *found) {
    bool fits = count == op->result_count;
    for (int i = 0; i < count && fits; i++)
        fits = types_fit(found[i]->type, op_result_type(op, i));
    return fits || infer_fail(infer, op, "%s do not have the types of its results", what);
}

// What a region ends with is what the op gives.
static bool check_yield(Infer *infer, const Op *op, const Region *region, int skip) {
    const Op *end = region_terminator(region);
    if (!end) return infer_fail(infer, op, "has a region without an end");
    int count = end->operand_count - skip;
    const Value **values = ARENA_ARRAY(infer->diags->arena, const Value *, count > 0 ? count : 1);
    for (int i = 0; i < count; i++)
        values[i] = op_operand(end, i + skip);
    return check_values(infer, op, "the values that its region yields", count, values);
}

bool infer_scf(Infer *infer, const Op *op) {
    if (op->code == OP_SCF_IF)
        return check_yield(infer, op, op->regions[0], 0) &&
               check_yield(infer, op, op->regions[1], 0);
    if (op->code == OP_SCF_WHILE) {
        const Region *after = op->regions[1];
        for (int i = 0; i < after->arg_count && i < op->result_count; i++) {
            if (!types_fit(after->args[i]->type, op_result_type(op, i)))
                return infer_fail(
                    infer, op, "'after' arguments do not have the types of its results");
        }
        const Op *end = region_terminator(after);
        if (after->arg_count != op->result_count || !end || end->operand_count != op->operand_count)
            return infer_fail(infer, op, "its regions and results do not fit each other");
        return check_yield(infer, op, op->regions[0], 1);
    }
    if (op->operand_count < 3 || op->regions[0]->arg_count != op->operand_count - 2)
        return infer_fail(
            infer, op, "needs an argument for the index and one for each iteration value");
    const Value **values = ARENA_ARRAY(infer->diags->arena, const Value *, op->operand_count);
    for (int i = 3; i < op->operand_count; i++)
        values[i - 3] = op_operand(op, i);
    return check_values(infer, op, "its initial values", op->operand_count - 3, values) &&
           check_yield(infer, op, op->regions[0], 0);
}

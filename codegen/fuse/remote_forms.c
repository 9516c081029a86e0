// remote_forms: what other devices read of an array in another form than it is stored in.
//
// Other devices read memory. A view of an array, and what is cheaply made of its elements one by
// one, they make of the array itself: neither has to be stored beside it.
#include "codegen/fuse/cost.h"
#include "codegen/fuse/readers.h"
#include "codegen/kernel/lower_class.h"

static bool is_argument(const Fusion *fusion, const Value *value) {
    return !value->def && value->region == func_body(fusion->plan->program->main);
}

// A part of one of the program's arguments, or most of an array: it need not
// lie in memory beside the whole.
static bool is_read_in_place(const Fusion *fusion, const Value *value) {
    int64_t elements = type_element_count(value->type);
    while (value->def && value->def->code == OP_SLICE)
        value = op_operand(value->def, 0);
    return is_argument(fusion, value) || elements >= type_element_count(value->type) / 2;
}

static bool is_splat(const Value *value) {
    bool is_constant = value->def && value->def->code == OP_CONSTANT;
    return is_constant && op_attr(value->def, NAME_VALUE)->is_splat;
}

static const Value *scaled_array(const Fusion *fusion, const Op *op, int depth);

// The array that an operand is, if it lies in memory anyway, or is made of; NULL = none.
static const Value *array_of(const Fusion *fusion, const Value *operand, int depth) {
    bool is_kept = is_argument(fusion, operand) || (operand->def && !value_has_one_use(operand));
    if (is_kept) return operand;
    return operand->def && depth > 0 ? scaled_array(fusion, operand->def, depth - 1) : NULL;
}

// The one array of which the op's result is made with a few cheap operations for each element, and
// that has no wider elements.
static const Value *scaled_array(const Fusion *fusion, const Op *op, int depth) {
    const double CHEAP = 1;
    const Value *array = NULL;
    if (!op_has(op, TRAIT_POINTWISE) || op->result_count != 1 || cost_of_op(op) > CHEAP)
        return NULL;
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        if (is_splat(operand)) continue;
        const Value *from = array_of(fusion, operand, depth);
        if (!from || (array && from != array)) return NULL;
        array = from;
    }
    bool is_wider =
        array && element_bits(array->type->element) > element_bits(op_result_type(op, 0)->element);
    return is_wider ? NULL : array;
}

// Products read their operands as they are faster than what they make on the way.
static bool is_for_loops(const Readers *readers) {
    for (int i = 0; i < readers->count; i++) {
        KernelKind kind = readers->list[i].root->kind;
        if (kind != KERNEL_LOOP && kind != KERNEL_REDUCE) return false;
    }
    return true;
}

bool is_remote_form(const Fusion *fusion, const Value *value, const Readers *readers) {
    enum { FEW_OPS = 3 };
    const Op *op = value->def;
    if (!op) return false;
    if (op->code == OP_SLICE) return is_read_in_place(fusion, value);
    if (op->code == OP_DYNAMIC_SLICE) return op_extra(op, SLICE_OF_STEP) != NULL;
    if (op->code == OP_RESHAPE) return !type_same_shape(op_operand_type(op, 0), value->type);
    return readers && is_for_loops(readers) && scaled_array(fusion, op, FEW_OPS) != NULL;
}

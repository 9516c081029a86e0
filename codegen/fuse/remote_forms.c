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

static const Value *whole_of(const Value *part) {
    while (part->def && (part->def->code == OP_SLICE || part->def->code == OP_DYNAMIC_SLICE))
        part = op_operand(part->def, 0);
    return part;
}

static bool is_exchanged(const Value *value) {
    for (const Use *use = value->uses; use; use = use->next)
        if (op_has(use->owner, TRAIT_COLLECTIVE)) return true;
    return false;
}

// Elements of all parts of the array that other devices read.
static int64_t elements_of_parts(const Value *whole) {
    int64_t elements = 0;
    for (const Use *use = whole->uses; use; use = use->next) {
        const Op *op = use->owner;
        if (use_index(use) > 0 || (op->code != OP_SLICE && op->code != OP_DYNAMIC_SLICE)) continue;
        const Value *part = op_result(op, 0);
        elements += is_exchanged(part) ? type_element_count(part->type) : 0;
    }
    return elements;
}

// A part of one of the program's arguments, or most of an array, or one of the parts that together
// are most of it: it need not lie in memory beside the whole.
static bool is_read_in_place(const Fusion *fusion, const Value *value) {
    const Value *whole = whole_of(value);
    int64_t half = type_element_count(whole->type) / 2;
    return is_argument(fusion, whole) || type_element_count(value->type) >= half ||
           elements_of_parts(whole) >= half;
}

static bool has_known_starts(const Fusion *fusion, const Op *op) {
    for (int i = 1; i < op->operand_count; i++)
        if (!value_info(fusion, op_operand(op, i))->is_free) return false;
    return true;
}

// Is every element one of the program's arguments, or a constant, and known which one?
static bool is_of_arguments(const Fusion *fusion, const Value *value, int depth) {
    enum { FEW = 8 };
    const Op *op = value->def;
    if (!op || value_splat(value)) return op || is_argument(fusion, value);
    bool is_part = op->code == OP_DYNAMIC_SLICE && has_known_starts(fusion, op);
    bool is_joined = op->code == OP_CONCATENATE || op->code == OP_PAD;
    bool is_view =
        op->code == OP_SLICE || op->code == OP_RESHAPE || op->code == OP_COLLECTIVE_PERMUTE;
    if (depth == 0 || op->operand_count > FEW || (!is_part && !is_joined && !is_view)) return false;
    for (int i = 0; i < (is_joined ? op->operand_count : 1); i++)
        if (!is_of_arguments(fusion, op_operand(op, i), depth - 1)) return false;
    return true;
}

// Do all devices know where each other's part begins?
static bool is_known_part(const Fusion *fusion, const Op *op) {
    if (op_extra(op, SLICE_OF_STEP)) return true;
    return has_known_starts(fusion, op) && is_read_in_place(fusion, op_result(op, 0));
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
        if (value_splat(operand)) continue;
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
    enum { FEW_OPS = 3, FEW_PARTS = 6 };
    const Op *op = value->def;
    if (!op) return false;
    if (op->code != OP_CONSTANT && is_of_arguments(fusion, value, FEW_PARTS)) return true;
    if (op->code == OP_SLICE) return is_read_in_place(fusion, value);
    if (op->code == OP_DYNAMIC_SLICE) return is_known_part(fusion, op);
    if (op->code == OP_RESHAPE) return !type_same_shape(op_operand_type(op, 0), value->type);
    return readers && is_for_loops(readers) && scaled_array(fusion, op, FEW_OPS) != NULL;
}

// op_directions: propagation goes through cheap ops first, so that they decide conflicts.
//
//   round 0  elementwise ops, reshape, transpose, edges, when no non-scalar operand has another
//            user, in both directions; dynamic_slice and dynamic_update_slice alike, forward only
//   round 1  the same whatever the users
//   round 2  pass-through factors of any op; broadcasts only backward
//   round 3  any factor; broadcasts only backward
//   round 4  everything
// Each round allows what the earlier ones did.
#include "partition/propagate/propagate_internal.h"
#include "partition/rules/sharding_rule.h"

static bool operands_have_one_use(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        bool is_scalar = operand->type->kind == TYPE_TENSOR && operand->type->rank == 0;
        if (!is_scalar && !value_has_one_use(operand)) return false;
    }
    return true;
}

static bool passes_through(const Op *op) {
    if (op_is_elementwise(op)) return true;
    switch (op->code) {
    case OP_RESHAPE:
    case OP_TRANSPOSE:
    case OP_SDY_EDGE:
    case OP_SDY_FUNC_EDGE: return true;
    case OP_CUSTOM_CALL:
        return strview_is(op_text(op, NAME_CALL_TARGET_NAME), "MoveToDevice") ||
               strview_is(op_text(op, NAME_CALL_TARGET_NAME), "MoveToHost");
    default: return false;
    }
}

OpDirections op_priority_directions(int round, const Op *op) {
    Directions first = PROPAGATION_NONE;
    bool is_dynamic_slice = op->code == OP_DYNAMIC_SLICE || op->code == OP_DYNAMIC_UPDATE_SLICE;
    if (is_dynamic_slice || passes_through(op)) {
        Directions allowed = is_dynamic_slice ? PROPAGATION_FORWARD : PROPAGATION_BOTH;
        if (round >= 1 || operands_have_one_use(op)) first = allowed;
    }
    OpDirections directions = {first, first};
    Directions any = op->code == OP_BROADCAST_IN_DIM && round < LAST_ROUND ? PROPAGATION_BACKWARD
                                                                           : PROPAGATION_BOTH;
    if (round >= 2) directions.pass_through |= any;
    if (round >= 3) directions.other |= any;
    return directions;
}

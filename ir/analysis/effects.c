// Which ops may be removed, merged or moved.
#include "ir/analysis/effects.h"

#include "ir/module.h"

bool op_has_own_effect(const Op *op) {
    // A call without results can only be there for what it does.
    if (op->code == OP_CUSTOM_CALL)
        return op->result_count == 0 || op_int(op, NAME_HAS_SIDE_EFFECT, 0) != 0;
    return op_has(op, TRAIT_EFFECT) || op_has(op, TRAIT_TERMINATOR) || op_has(op, TRAIT_SYMBOL) ||
           op->code == OP_CALL;
}

static bool has_no_effect(Op *op, void *user) {
    (void)user;
    return op_has(op, TRAIT_TERMINATOR) || !op_has_own_effect(op);
}

bool op_has_effect(const Op *op) {
    if (op_has_own_effect(op)) return true;
    for (int i = 0; i < op->region_count; i++) {
        if (!region_walk(op->regions[i], has_no_effect, NULL)) return true;
    }
    return false;
}

bool op_is_sink(const Op *op) {
    return op->code == OP_CUSTOM_CALL && op->result_count == 0 &&
           strview_is(op_text(op, NAME_CALL_TARGET_NAME), "dce_sink");
}

// Where stores go.
#include "codegen/emit/stage/nest.h"

LLVMValueRef emit_store_address(Emit *e, Substitution *s, const Store *store) {
    const IndexExpr *at = expr_substitute_index(s, store->at);
    const IndexExpr *device = store->device ? expr_substitute_index(s, store->device) : NULL;
    return emit_address_at(e, store->output, at, device);
}

void emit_stage_store(Emit *e, Substitution *s, int i, const Store *store, Scalar x) {
    const StoreDetour *detour = &e->state->detours[i];
    if (!detour->array) {
        emit_store(e, store->output, emit_store_address(e, s, store), x);
        return;
    }
    for (int j = 0; j < i; j++) {
        if (e->state->detours[j].array == detour->array) return; // the same value is there
    }
    emit_private_store(e, store->output->type->element, detour->array, detour->place, x);
}

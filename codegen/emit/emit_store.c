// Where stores go.
#include "codegen/emit/nest.h"

LLVMValueRef emit_store_address(Emit *e, Substitution *s, const Store *store) {
    const IndexExpr *at = expr_substitute_index(s, store->at);
    const IndexExpr *device = store->device ? expr_substitute_index(s, store->device) : NULL;
    return emit_address_at(e, store->output, at, device);
}

// Values in the place of an op's results: what every rewrite of legalize_chlo ends with.
#include "ir/legalize/legalize.h"

bool legalize_replace(Legalizer *legalizer, Op *op, Value *const *values) {
    Builder builder = builder_before(legalizer->module, op);
    for (int i = 0; i < op->result_count; i++) {
        if (values[i]->type == op_result_type(op, i)) continue;
        diag_error(
            legalizer->pass->diags, op->loc,
            "'%.*s' op has a result type that does not follow from its operands", SV_ARG(op->name));
        legalizer->failed = true;
        return false;
    }
    for (int i = 0; i < op->result_count; i++) {
        Value *result = op_result(op, i), *value = values[i];
        bool is_new = value->def && value->def->number > op->number && !value->sharding;
        if (is_new) {
            value->sharding = result->sharding;
        } else if (result->sharding && result->sharding != value->sharding) {
            value = build_unary(&builder, OP_SDY_CONSTRAINT, value);
            value->sharding = result->sharding;
        }
        value_replace_uses(result, value);
    }
    op_erase(op);
    legalizer->changed = true;
    return true;
}

bool legalize_replace_one(Legalizer *legalizer, Op *op, Value *value) {
    return legalize_replace(legalizer, op, &value);
}

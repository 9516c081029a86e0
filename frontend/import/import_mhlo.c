// import_mhlo: see import_mhlo.h.
#include "frontend/import/import_mhlo.h"

#include "frontend/import/custom_calls.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/verify/verify.h"

static const struct {
    const char *target;
    OpCode code;
} rows[] = {
    {"mhlo.acos", OP_CHLO_ACOS},   {"mhlo.acosh", OP_CHLO_ACOSH}, {"mhlo.asin", OP_CHLO_ASIN},
    {"mhlo.asinh", OP_CHLO_ASINH}, {"mhlo.atanh", OP_CHLO_ATANH}, {"mhlo.cosh", OP_CHLO_COSH},
    {"mhlo.erf", OP_CHLO_ERF},     {"mhlo.sinh", OP_CHLO_SINH},   {"mhlo.tan", OP_TAN}};

enum { ROWS = sizeof rows / sizeof rows[0] };

OpCode mhlo_call_op(StrView target) {
    for (int i = 0; i < ROWS; i++) {
        if (strview_is(target, rows[i].target)) return rows[i].code;
    }
    return OP_COUNT;
}

const char *mhlo_call_target(OpCode code) {
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].code == code) return rows[i].target;
    }
    return NULL;
}

static OpCode function_of(const Op *op) {
    bool fits = op->code == OP_CUSTOM_CALL && op->operand_count == 1 && op->result_count == 1 &&
                op_operand_type(op, 0) == op_result_type(op, 0);
    return fits ? mhlo_call_op(op_text(op, NAME_CALL_TARGET_NAME)) : OP_COUNT;
}

// False: another call, or the function is not defined for these numbers.
static bool import_call(Module *module, Arena *scratch, Op *op) {
    if (function_of(op) == OP_COUNT) return false;
    Value *operand = op_operand(op, 0);
    const Type *type = op_result_type(op, 0);
    Builder builder = builder_before(module, op);
    Op *made = build_op(&builder, function_of(op), 1, &operand, 1, &type, 0);
    if (!verify_op(module, made, diags_create(scratch))) {
        op_erase(made);
        return false;
    }
    op_result(made, 0)->sharding = op_result(op, 0)->sharding;
    value_replace_uses(op_result(op, 0), op_result(made, 0));
    op_erase(op);
    return true;
}

PassResult pass_import_mhlo(Module *module, PassContext *pass) {
    return import_custom_calls(module, pass, import_call);
}

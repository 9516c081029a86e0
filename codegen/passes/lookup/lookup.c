// What kinds of lookups ask alike: see lookup.h.
#include "codegen/passes/lookup/lookup.h"

Op *def_of(const Value *value, OpCode code) {
    return value->def && value->def->code == code ? value->def : NULL;
}

bool number_on(const Lookup *look, const Value *value, int64_t device, int64_t *number) {
    const Attr *splat = value_splat(value);
    if (splat) {
        *number = attr_element_int(splat, 0);
        return true;
    }
    const Op *op = value->def;
    while (op && (op->code == OP_BROADCAST_IN_DIM || op->code == OP_RESHAPE)) {
        value = op_operand(op, 0);
        op = value->def;
    }
    return replicas_number(look->replicas, look->module->context, value, device, number);
}

bool begins_parts(const Lookup *look, const Value *value, int64_t size) {
    for (int64_t i = 0; i < look->replicas->devices; i++) {
        int64_t device = attr_element_int(look->together.groups, i), number;
        if (!number_on(look, value, device, &number)) return false;
        if (number != i % look->together.size * size) return false;
    }
    return true;
}

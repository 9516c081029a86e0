// spread_ops: which ops can be computed anew for whole rows.
#include "codegen/kernel/lower_class.h"
#include "codegen/passes/spread/spread.h"

bool spread_unit_reshape(const Op *op, int *map) {
    if (op->code != OP_RESHAPE) return false;
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    int k = 0;
    for (int d = 0; d < from->rank; d++) {
        map[d] = -1;
        if (from->dims[d] == 1) continue;
        while (k < to->rank && to->dims[k] == 1)
            k++;
        if (k == to->rank || to->dims[k] != from->dims[d]) return false;
        map[d] = k++;
    }
    while (k < to->rank && to->dims[k] == 1)
        k++;
    return k == to->rank;
}

bool spread_is_moved(const Op *op) {
    int map[MAX_RANK];
    if (op->result_count != 1 || op->region_count > 0 || op_has(op, TRAIT_EFFECT)) return false;
    if (op_has(op, TRAIT_POINTWISE)) {
        for (int i = 0; i < op->operand_count; i++) {
            const Type *type = op_operand_type(op, i);
            if (type->rank && !type_same_shape(type, op_result_type(op, 0))) return false;
        }
        return lower_class(op, NULL) == LOWER_ELEMENT && op->operand_count > 0;
    }
    return op->code == OP_BROADCAST_IN_DIM || spread_unit_reshape(op, map);
}

bool spread_is_free(const Value *value, int depth) {
    const Op *op = value->def;
    if (!op || depth == 0) return false;
    if (op->code == OP_CONSTANT) return op_attr(op, NAME_VALUE)->is_splat;
    if (op->code == OP_IOTA || op->code == OP_PARTITION_ID) return true;
    if (!spread_is_moved(op)) return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!spread_is_free(op_operand(op, i), depth - 1)) return false;
    }
    return true;
}

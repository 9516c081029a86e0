// The sharding rule that a user wrote on an op: its mappings must fit the op's operands and results.
#include "ir/infer.h"

static bool check_mapping(
    Infer *infer, const Op *op, const ShardingRule *rule, const char *what, int index,
    const TensorFactors *mapping, const Type *type) {
    int rank = type->kind == TYPE_TENSOR ? type->rank : 0;
    if (mapping->rank != rank)
        return infer_fail(
            infer, op, "%s %d - mapping rank must match: %d != %d", what, index, mapping->rank,
            rank);
    for (int d = 0; d < rank; d++) {
        const DimFactors *dim = &mapping->dims[d];
        if (dim->count < 1 || dim->count > MAX_DIM_FACTORS)
            return infer_fail(
                infer, op, "%s %d - dimension %d has %d factors, expected 1 to %d", what, index, d,
                dim->count, (int)MAX_DIM_FACTORS);
        for (int i = 0; i < dim->count; i++) {
            if (dim->factors[i] < 0 || dim->factors[i] >= rule->factor_count)
                return infer_fail(
                    infer, op, "%s %d - dimension %d has an unknown factor", what, index, d);
        }
    }
    return true;
}

bool infer_check_rule(Infer *infer, const Op *op, const ShardingRule *rule) {
    enum { MAX_FACTORS = 1 << 16 };
    if (rule->factor_count > MAX_FACTORS)
        return infer_fail(infer, op, "sharding rule has more than %d factors", (int)MAX_FACTORS);
    if (rule->operand_count != op->operand_count)
        return infer_fail(
            infer, op, "number of operands and mappings must match: %d != %d", op->operand_count,
            rule->operand_count);
    if (rule->result_count != op->result_count)
        return infer_fail(
            infer, op, "number of results and mappings must match: %d != %d", op->result_count,
            rule->result_count);
    for (int f = 0; f < rule->factor_count; f++) {
        if (rule->factors[f].size < 1 && rule->factors[f].size != 0)
            return infer_fail(infer, op, "sharding rule has a factor of negative size");
    }
    for (int i = 0; i < rule->operand_count; i++) {
        if (!check_mapping(
                infer, op, rule, "operand", i, &rule->operands[i], op_operand_type(op, i)))
            return false;
    }
    for (int i = 0; i < rule->result_count; i++) {
        if (!check_mapping(infer, op, rule, "result", i, &rule->results[i], op_result_type(op, i)))
            return false;
    }
    return true;
}

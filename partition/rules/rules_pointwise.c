// rules_pointwise: ops whose dimensions correspond one to one, and ops without a rule.
#include "partition/rules/rule_builder.h"

bool rule_none(const Op *op, RuleBuilder *rule) {
    (void)op;
    (void)rule;
    return false;
}

bool rule_unknown(const Op *op, RuleBuilder *rule) {
    rule->is_unknown = !op_has(op, TRAIT_TERMINATOR);
    return false;
}

static bool add_dims(RuleBuilder *rule, const Type *type) {
    if (type->kind != TYPE_TENSOR) return false;
    for (int d = 0; d < type->rank; d++) {
        rule_add_all(rule, d, type->dims[d], FACTOR_PASS_THROUGH, false);
    }
    return true;
}

// One factor per dim of the first result. Tensors without dims (scalars that are broadcast) have no
// part.
bool rule_pointwise(const Op *op, RuleBuilder *rule) {
    return op->result_count > 0 && add_dims(rule, op_result_type(op, 0));
}

// A root that is known at run time only is an operand more, of another shape.
bool rule_collective_broadcast(const Op *op, RuleBuilder *rule) {
    if (op->operand_count != op->result_count) return rule_unknown(op, rule);
    return rule_pointwise(op, rule);
}

// The predicate may be a scalar.
bool rule_select(const Op *op, RuleBuilder *rule) { return add_dims(rule, op_result_type(op, 0)); }

// The limits may be scalars.
bool rule_clamp(const Op *op, RuleBuilder *rule) { return add_dims(rule, op_operand_type(op, 1)); }

// Between types of different width the wider side lacks the innermost dim.
bool rule_bitcast_convert(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    if (!add_dims(rule, in->rank < out->rank ? in : out)) return false;
    if (in->rank < out->rank) {
        rule_add_pair(
            rule, NO_DIM, out->rank - 1, out->dims[out->rank - 1], FACTOR_NEED_REPLICATION);
    } else if (in->rank > out->rank) {
        rule_add_pair(rule, in->rank - 1, NO_DIM, in->dims[in->rank - 1], FACTOR_NEED_REPLICATION);
    }
    return true;
}

// The feature dim of the operand is dim 0 of scale, offset, mean and variance.
bool rule_batch_norm_inference(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0);
    int64_t feature = op_int(op, NAME_FEATURE_INDEX, 0);
    for (int d = 0; d < in->rank; d++) {
        int other = d == feature ? 0 : NO_DIM;
        rule_add(
            rule, (int[]){d, other, other, other, other}, &d, in->dims[d], FACTOR_PASS_THROUGH,
            false);
    }
    return true;
}

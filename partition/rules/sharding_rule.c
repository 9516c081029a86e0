// sharding_rule: looks up the sharding rule of an op. The only place where an op meets its rule
// function.
#include "partition/rules/sharding_rule.h"

#include "ir/builder.h"

static RuleFn *const rules[OP_COUNT] = {
#define PARTITION(rule, local) rule_##rule
#define NO_PARTITION           rule_unknown
#define OP(                                                                                        \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, ...) \
    [OP_##name] = partition,
#include "ir/dialects/ops.def"
};

RuleFn *sharding_rule_function(OpCode code) { return rules[code]; }

// Does a rule that came with the program fit the op's tensors?
static bool rule_fits(const ShardingRule *rule, const Op *op) {
    if (rule->operand_count != op->operand_count || rule->result_count != op->result_count)
        return false;
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        bool is_operand = i < op->operand_count;
        const Type *type =
            is_operand ? op_operand_type(op, i) : op_result_type(op, i - op->operand_count);
        const TensorFactors *tensor =
            is_operand ? &rule->operands[i] : &rule->results[i - op->operand_count];
        if (tensor->rank != (type->kind == TYPE_TENSOR ? type->rank : 0)) return false;
        for (int d = 0; d < tensor->rank; d++) {
            for (int f = 0; f < tensor->dims[d].count; f++) {
                int factor = tensor->dims[d].factors[f];
                if (factor < 0 || factor >= rule->factor_count) return false;
            }
        }
    }
    return true;
}

const ShardingRule *op_sharding_rule(
    Arena *arena, const Op *op, bool conservative, bool *is_unknown) {
    if (is_unknown) *is_unknown = false;
    const Attr *given = op_attr(op, NAME_SHARDING_RULE);
    if (given && given->kind == ATTR_RULE) return rule_fits(given->rule, op) ? given->rule : NULL;
    RuleBuilder rule = {.arena = arena, .conservative = conservative};
    RuleFn *function = rules[op->code];
    if (function == rule_none) return NULL;
    const ShardingRule *made = rule_make(&rule, op, function);
    if (is_unknown) *is_unknown = rule.is_unknown;
    return made;
}

void op_write_sharding_rule(Module *module, Op *op, const ShardingRule *rule) {
    if (op_attr(op, NAME_SHARDING_RULE)) return;
    Attr prototype = {.kind = ATTR_RULE, .rule = rule};
    op_set_attr(module, op, NAME_SHARDING_RULE, attr_intern(module->context, &prototype));
}

const ShardingRule *sharding_rule_identity(Arena *arena, const Type *type, int operands) {
    int rank = type->kind == TYPE_TENSOR ? type->rank : 0;
    Factor *factors = ARENA_ARRAY(arena, Factor, rank);
    int *indices = ARENA_ARRAY(arena, int, rank);
    DimFactors *dims = ARENA_ARRAY(arena, DimFactors, rank);
    for (int d = 0; d < rank; d++) {
        factors[d].size = type->dims[d];
        indices[d] = d;
        dims[d] = (DimFactors){1, &indices[d]};
    }
    TensorFactors *tensors = ARENA_ARRAY(arena, TensorFactors, operands + 1);
    for (int i = 0; i <= operands; i++)
        tensors[i] = (TensorFactors){rank, dims};
    ShardingRule *rule = ARENA_NEW(arena, ShardingRule);
    *rule = (ShardingRule){
        .factor_count = rank,
        .factors = factors,
        .operand_count = operands,
        .result_count = 1,
        .operands = tensors,
        .results = tensors + operands};
    return rule;
}

const char *sharding_rule_unknown_text(Arena *arena, const Op *op) {
    if (op->code == OP_CUSTOM_CALL) {
        return arena_printf(
            arena, "custom call @%.*s is unknown to SDY sharding rule registry",
            SV_ARG(op_text(op, NAME_CALL_TARGET_NAME)));
    }
    return arena_printf(
        arena, "op '%.*s' is unknown to SDY sharding rule registry", SV_ARG(op->name));
}

bool op_is_elementwise(const Op *op) {
    if (op_has(op, TRAIT_POINTWISE)) return true;
    if (op->code == OP_BITCAST_CONVERT) {
        return type_same_shape(op_operand_type(op, 0), op_result_type(op, 0));
    }
    return op->code == OP_SDY_BARRIER || op->code == OP_SDY_CONSTRAINT ||
           op->code == OP_SDY_RESHARD;
}

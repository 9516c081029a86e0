// rule_builder: puts a sharding rule together, factor by factor.
#include "partition/rules/rule_builder.h"

static int add_factor(RuleBuilder *rule, int64_t size, FactorKind kind, bool is_blocked) {
    Factor factor = {.size = size, .kind = kind, .is_blocked = is_blocked};
    vec_push(rule->arena, &rule->factors, factor);
    return (int)rule->factors.count - 1;
}

static void map_dim(RuleBuilder *rule, int tensor, int dim, int factor) {
    if (dim == NO_DIM) return;
    TensorBuilder *built = &rule->tensors[tensor];
    if (dim < 0 || dim >= built->rank) {
        rule->failed = true;
        return;
    }
    DimBuilder *mapping = &built->dims[dim];
    if (rule->factors.data[factor].size == 1 && mapping->count > 0) return;
    if (mapping->count == MAX_DIM_FACTORS) {
        rule->failed = true;
        return;
    }
    mapping->factors[mapping->count++] = factor;
}

void rule_add(
    RuleBuilder *rule, const int *operand_dims, const int *result_dims, int64_t size,
    FactorKind kind, bool is_blocked) {
    int factor = add_factor(rule, size, kind, is_blocked);
    for (int i = 0; i < rule->operand_count; i++) {
        map_dim(rule, i, operand_dims[i], factor);
    }
    for (int i = 0; i < rule->result_count; i++) {
        map_dim(rule, rule->operand_count + i, result_dims[i], factor);
    }
}

void rule_add_pair(
    RuleBuilder *rule, int operand_dim, int result_dim, int64_t size, FactorKind kind) {
    int factor = add_factor(rule, size, kind, false);
    map_dim(rule, 0, operand_dim, factor);
    map_dim(rule, rule->operand_count, result_dim, factor);
}

static void map_range(RuleBuilder *rule, int first, int count, int dim, int factor) {
    for (int i = first; i < first + count; i++) {
        if (rule->tensors[i].rank > 0) map_dim(rule, i, dim, factor);
    }
}

void rule_add_all(RuleBuilder *rule, int dim, int64_t size, FactorKind kind, bool is_blocked) {
    int factor = add_factor(rule, size, kind, is_blocked);
    map_range(rule, 0, rule->operand_count + rule->result_count, dim, factor);
}

void rule_add_operands(RuleBuilder *rule, int dim, int64_t size, FactorKind kind) {
    map_range(rule, 0, rule->operand_count, dim, add_factor(rule, size, kind, false));
}

void rule_add_results(RuleBuilder *rule, int dim, int64_t size, FactorKind kind) {
    map_range(
        rule, rule->operand_count, rule->result_count, dim, add_factor(rule, size, kind, false));
}

void rule_add_where_equal(
    RuleBuilder *rule, const Type *in, const Type *out, FactorKind mismatch, bool is_blocked) {
    if (in->rank != out->rank) {
        rule->failed = true;
        return;
    }
    for (int d = 0; d < in->rank; d++) {
        bool equal = in->dims[d] == out->dims[d];
        rule_add_all(
            rule, d, in->dims[d], equal ? FACTOR_PASS_THROUGH : mismatch, !equal && is_blocked);
    }
}

// Shardings are defined for ranked tensors with known shapes only.
static int rank_of(const Type *type, bool *is_static) {
    if (type->kind != TYPE_TENSOR) return 0;
    if (!type_is_static(type)) *is_static = false;
    return type->rank;
}

static bool begin(RuleBuilder *rule, const Op *op) {
    int count = op->operand_count + op->result_count;
    bool is_static = true;
    rule->operand_count = op->operand_count;
    rule->result_count = op->result_count;
    rule->tensors = ARENA_ARRAY(rule->arena, TensorBuilder, count);
    for (int i = 0; i < count; i++) {
        const Type *type = i < op->operand_count ? op_operand_type(op, i)
                                                 : op_result_type(op, i - op->operand_count);
        TensorBuilder *tensor = &rule->tensors[i];
        tensor->rank = rank_of(type, &is_static);
        tensor->dims = ARENA_ARRAY(rule->arena, DimBuilder, tensor->rank);
    }
    return is_static;
}

// Dims without a factor get one of size 1 that nobody shares.
static const ShardingRule *finish(RuleBuilder *rule) {
    int count = rule->operand_count + rule->result_count;
    TensorFactors *tensors = ARENA_ARRAY(rule->arena, TensorFactors, count);
    for (int i = 0; i < count; i++) {
        TensorBuilder *tensor = &rule->tensors[i];
        DimFactors *dims = ARENA_ARRAY(rule->arena, DimFactors, tensor->rank);
        for (int d = 0; d < tensor->rank; d++) {
            DimBuilder *mapping = &tensor->dims[d];
            if (mapping->count == 0) {
                mapping->factors[mapping->count++] =
                    add_factor(rule, 1, FACTOR_PASS_THROUGH, false);
            }
            dims[d] = (DimFactors){mapping->count, mapping->factors};
        }
        tensors[i] = (TensorFactors){tensor->rank, dims};
    }
    ShardingRule *built = ARENA_NEW(rule->arena, ShardingRule);
    *built = (ShardingRule){
        .factor_count = (int)rule->factors.count,
        .factors = rule->factors.data,
        .operand_count = rule->operand_count,
        .result_count = rule->result_count,
        .operands = tensors,
        .results = tensors + rule->operand_count};
    return built;
}

const ShardingRule *rule_make(RuleBuilder *rule, const Op *op, RuleFn *function) {
    if (!begin(rule, op)) return NULL;
    return function(op, rule) && !rule->failed ? finish(rule) : NULL;
}

const ShardingRule *sharding_rule_build(Arena *arena, const Op *op, RuleFn *function) {
    RuleBuilder rule = {.arena = arena};
    return rule_make(&rule, op, function);
}

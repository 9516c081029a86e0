// Sharding rules: which dimensions of an op's operands and results must be sharded alike.
//
// A rule has factors. Every dimension is a list of factors, major to minor, whose sizes multiply to it; tensors that share a
// factor share its axes. partition/rules/ makes the rule of each op; ops.def's column `rule` names the function.
#ifndef SHARDC_PARTITION_SHARDING_RULE_H
#define SHARDC_PARTITION_SHARDING_RULE_H

#include "base/vec.h"
#include "ir/op.h"

enum { NO_DIM = -1 };

// A dimension while its rule is built.
typedef struct DimBuilder {
    int count;
    int factors[MAX_DIM_FACTORS];
} DimBuilder;

typedef struct TensorBuilder {
    int rank;
    DimBuilder *dims;
} TensorBuilder;

typedef struct RuleBuilder {
    Arena *arena;      // the rule lives here
    bool conservative; // no factors whose propagation would cost communication
    VEC(Factor) factors;
    int operand_count, result_count;
    TensorBuilder *tensors; // operands, then results
    bool failed;            // a dimension was out of range: the op has no rule
    bool is_unknown;        // rule_unknown: the caller may warn
} RuleBuilder;

typedef bool RuleFn(const Op *op, RuleBuilder *rule);

#define OP(name, text, operands, results, regions, traits, infer, eval, rule, ...) \
    RuleFn rule_##rule;
#include "ir/dialects/ops.def"
RuleFn *sharding_rule_function(OpCode code); // rule_table.c
// The k largest along the last dimension: of the custom call @mhlo.topk, and where chlo.top_k is resharded.
RuleFn rule_top_k;

// Adds a factor and maps dims to it. A dim of NO_DIM is not mapped; a factor of size 1 is not added to a dim that has one.
void rule_add(
    RuleBuilder *rule, const int *operand_dims, const int *result_dims, int64_t size,
    FactorKind kind, bool is_blocked);
// One operand dim and one result dim of an op with one operand (or whose other operands have no part) and one result.
void rule_add_pair(
    RuleBuilder *rule, int operand_dim, int result_dim, int64_t size, FactorKind kind);
// The same dim of all operands and results that have dims.
void rule_add_all(RuleBuilder *rule, int dim, int64_t size, FactorKind kind, bool is_blocked);
void rule_add_operands(RuleBuilder *rule, int dim, int64_t size, FactorKind kind);
void rule_add_results(RuleBuilder *rule, int dim, int64_t size, FactorKind kind);
// For each dim: pass-through where the shapes agree, else a factor of the first shape's size and the given kind.
void rule_add_where_equal(
    RuleBuilder *rule, const Type *in, const Type *out, FactorKind mismatch, bool is_blocked);

// The rule of an op: its sdy.sharding_rule, else the registry's. NULL = none. *is_unknown (may be NULL) is set when the
// registry does not know the op (and somebody should be told).
const ShardingRule *op_sharding_rule(
    Arena *arena, const Op *op, bool conservative, bool *is_unknown);

// Writes the rule on the op, where it has none yet.
void op_write_sharding_rule(Module *module, Op *op, const ShardingRule *rule);

// The rule that the function makes; NULL = none.
const ShardingRule *sharding_rule_build(Arena *arena, const Op *op, RuleFn *function);

// `operands` operands and one result of the same type, with one factor per dim.
const ShardingRule *sharding_rule_identity(Arena *arena, const Type *type, int operands);

// The text of the warning about an op without a known rule.
const char *sharding_rule_unknown_text(Arena *arena, const Op *op);

// Does element i of the results depend on element i of the operands only? Decides the order of propagation.
bool op_is_elementwise(const Op *op);

#endif

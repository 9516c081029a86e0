// Makes a sharding rule: what the rule functions of ops.def fill in.
#ifndef SHARDC_PARTITION_RULE_BUILDER_H
#define SHARDC_PARTITION_RULE_BUILDER_H

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

#define PARTITION(rule, local) RuleFn rule_##rule;
#define NO_PARTITION           RuleFn rule_unknown;
#define OP(                                                                                        \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, ...) \
    partition
#include "ir/dialects/ops.def"
#undef PARTITION
#undef NO_PARTITION
// The k largest along the last dimension: of the custom call @mhlo.topk, and
// where chlo.top_k is resharded.
RuleFn rule_top_k;

// The leading dimensions along which a custom call does the same with each element, as its
// attribute num_batch_dims says; 0: none.
int custom_call_batch(const Op *op);

// Adds a factor and maps dims to it. A dim of NO_DIM is not mapped; a factor of size 1 is
// not added to a dim that has one.
void rule_add(
    RuleBuilder *rule, const int *operand_dims, const int *result_dims, int64_t size,
    FactorKind kind, bool is_blocked);
// One operand dim and one result dim of an op with one operand (or whose other
// operands have no part) and one result.
void rule_add_pair(
    RuleBuilder *rule, int operand_dim, int result_dim, int64_t size, FactorKind kind);
// The same dim of all operands and results that have dims.
void rule_add_all(RuleBuilder *rule, int dim, int64_t size, FactorKind kind, bool is_blocked);
void rule_add_operands(RuleBuilder *rule, int dim, int64_t size, FactorKind kind);
void rule_add_results(RuleBuilder *rule, int dim, int64_t size, FactorKind kind);
// For each dim: pass-through where the shapes agree, else a factor of the first
// shape's size and the given kind.
void rule_add_where_equal(
    RuleBuilder *rule, const Type *in, const Type *out, FactorKind mismatch, bool is_blocked);

// The rule that the function makes with an empty builder; NULL = none.
const ShardingRule *rule_make(RuleBuilder *rule, const Op *op, RuleFn *function);
const ShardingRule *sharding_rule_build(Arena *arena, const Op *op, RuleFn *function);

#endif

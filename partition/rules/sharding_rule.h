// Sharding rules: which dimensions of an op's operands and results must be sharded alike.
//
// A rule has factors. Every dimension is a list of factors, major to minor, whose sizes multiply to
// it; tensors that share a factor share its axes. partition/rules/ makes the rule of each op;
// ops.def's column `rule` names the function.
#ifndef SHARDC_PARTITION_SHARDING_RULE_H
#define SHARDC_PARTITION_SHARDING_RULE_H

#include "partition/rules/rule_builder.h"

// The rule of an op: its sdy.sharding_rule, else the registry's. NULL = none. *is_unknown (may be
// NULL) is set when the registry does not know the op (and somebody should be told).
const ShardingRule *op_sharding_rule(
    Arena *arena, const Op *op, bool conservative, bool *is_unknown);

RuleFn *sharding_rule_function(OpCode code); // the registry's

// Writes the rule on the op, where it has none yet.
void op_write_sharding_rule(Module *module, Op *op, const ShardingRule *rule);

// `operands` operands and one result of the same type, with one factor per dim.
const ShardingRule *sharding_rule_identity(Arena *arena, const Type *type, int operands);

// The text of the warning about an op without a known rule.
const char *sharding_rule_unknown_text(Arena *arena, const Op *op);

// Does element i of the results depend on element i of the operands only?
// Decides the order of propagation.
bool op_is_elementwise(const Op *op);

#endif

// rule_table: the only place where an op meets its sharding rule.
#include "partition/rules/sharding_rule.h"

static RuleFn *const rules[OP_COUNT] = {
#define OP(name, text, operands, results, regions, traits, infer, eval, rule, ...) \
    [OP_##name] = rule_##rule,
#include "ir/dialects/ops.def"
};

RuleFn *sharding_rule_function(OpCode code) { return rules[code]; }

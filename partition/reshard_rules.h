// Sharding rules as the local forms of ops need them: stricter than the registry's where to_local cannot follow.
#ifndef SHARDC_PARTITION_RESHARD_RULES_H
#define SHARDC_PARTITION_RESHARD_RULES_H

#include "ir/op.h"

const ShardingRule *reshard_rule(Arena *arena, const Op *op, const ShardingRule *rule);

#endif

// Shardings and sharding rules as Shardy prints them.
#ifndef SHARDC_IR_SHARDING_PRINT_H
#define SHARDC_IR_SHARDING_PRINT_H

#include "ir/sharding/sharding.h"

void sharding_print_body(StrBuf *out, const Sharding *sharding); // <@mesh, [{"x"}, {?}]>
void sharding_print(StrBuf *out, const Sharding *sharding);      // #sdy.sharding<@mesh, ...>
void factor_print(StrBuf *out, int factor);                      // i, j ... z, z_1
// #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, ...}>
void sharding_rule_print(StrBuf *out, const ShardingRule *rule);

#endif

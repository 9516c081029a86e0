// Analysis of stablehlo.while.
#ifndef SHARDC_PARTITION_LOOPS_H
#define SHARDC_PARTITION_LOOPS_H

#include "ir/op.h"

// The value before the loop that an operand of an op in the loop's regions has in every step: of an argument that each step passes on what enters,
// of a value from outside itself; NULL for what is computed in the regions.
Value *loop_value_before(const Op *loop, Value *value);
// How many steps the loop makes, where it counts a carried integer up by a constant to a constant; -1: not known.
int64_t loop_step_count(const Op *loop);

#endif

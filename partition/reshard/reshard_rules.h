// Rules of our own local forms, where they need other factors whole than Shardy's do, or fewer.
#ifndef SHARDC_PARTITION_RESHARD_RULES_H
#define SHARDC_PARTITION_RESHARD_RULES_H

#include "ir/module.h"
#include "partition/rules/sharding_rule.h"

// The rule by which an op's operands and results are resharded when they meet;
// `rule` is the op's own. NULL = none.
const ShardingRule *reshard_rule(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule);

// dynamic_slice: dimension d may stay sharded. Each device takes what lies in its tile, zero
// elsewhere, and the sum is the slice: that moves less than gathering the dimension.
bool slice_may_be_masked(const Op *op, int d);
// gather: dimension d of the operand may stay sharded though a slice takes several
// elements of it, in the same way.
bool gather_window_may_be_split(const Op *op, int d);
// top_k over a last dimension of `count` tiles: each device's largest ones are gathered,
// and the largest of them found.
bool top_k_may_be_split(const Op *op, int64_t count);
// sort along a dimension of `count` tiles, see local_sort.c.
typedef struct SortSplit {
    int64_t tile;          // elements of one
    int64_t step, samples; // every step-th element of a sorted tile, and how many
    // where the first sample lies in its tile; the last one is the tile's last element
    int64_t first;
    int64_t candidates; // at most so many elements may be those of one tile of the result
} SortSplit;

// False where sorting the whole dimension on every device costs less.
bool sort_may_be_split(const Op *op, int64_t count, SortSplit *split);
int sort_dimension(const Op *op);
// cholesky of a matrix in `count` tiles along cholesky_dimension, rows of a lower factor or columns
// of an upper one: see local_cholesky.c.
bool cholesky_may_be_split(const Op *op, int64_t count);
int cholesky_dimension(const Op *op);
// select_and_scatter: windows along dimension d may reach into the neighbours' tiles: no padding,
// and sums of scattered elements.
bool select_may_fetch(Arena *arena, const Op *op, int d);

#endif

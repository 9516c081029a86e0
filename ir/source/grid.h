// Grids and shardings of the dialect shard as values, for its passes and its conversion.
#ifndef SHARDC_IR_GRID_H
#define SHARDC_IR_GRID_H

#include "ir/module.h"

// What shard.shard says, as its own attributes or through a shard.sharding.
// Lists are borrowed from attributes.
typedef struct ShardSpec {
    StrView grid;
    const Attr *split_axes; // one list for each of the first dimensions
    IntSpan halo_sizes, offsets;
    IntSpan partial;
    int64_t partial_type; // SHARD_REDUCTION_*
} ShardSpec;

bool shard_spec_of(const Op *shard, ShardSpec *spec); // false where its sharding is not in sight
bool shard_spec_of_sharding(const Op *sharding, ShardSpec *spec); // of a shard.sharding
IntSpan spec_axes(const ShardSpec *spec, int dim); // of a dimension; empty behind the last list
bool spec_equal(const ShardSpec *a, const ShardSpec *b);

// As Shardy's, once grids are meshes; NULL where it has none, as for a partial product.
const Sharding *shard_spec_sharding(Module *module, const ShardSpec *spec, int rank);

// The grid's shape; count 0 where it is not declared.
IntSpan grid_shape(const Module *module, StrView name);
// Devices along the axes; DIM_DYNAMIC where a size is not known.
int64_t grid_group_size(IntSpan shape, IntSpan axes);

#endif

// The common sharding of one op: which axes shard each factor of its rule, so that
// every tensor of the op agrees.
#ifndef SHARDC_PARTITION_RESHARD_CHOICE_H
#define SHARDC_PARTITION_RESHARD_CHOICE_H

#include "partition/propagate/projection.h"

typedef struct ReshardChoice {
    const Projection *before; // the op's tensors as they are
    bool is_consistent;       // they agree already: `axes` is not set
    AxisSpan *axes;           // [factor_count]
    // the same as chosen; tensors are filled in as they are asked for; NULL = none yet
    Projection *after;
} ReshardChoice;

// types: of operands and results.
ReshardChoice reshard_choice(Arena *arena, const Projection *before, const Type *const *types);

// The same of a reshape with axes that a factor cannot take (overflow): the axes of the side that
// is sharded more, given to the factors of both sides anew. False without such axes.
bool reshard_choice_of_reshape(
    Context *context, Arena *arena, const Projection *before, ReshardChoice *choice);

// Tensor t of the op when its factors are sharded as chosen.
const Sharding *reshard_choice_sharding(
    Context *context, Arena *arena, ReshardChoice *choice, int t, const Sharding *before,
    StrView mesh_name);

#endif

// Axes for the factors of an op whose tensors disagree, one choice after the other.
#ifndef SHARDC_PARTITION_RESHARD_GREEDY_H
#define SHARDC_PARTITION_RESHARD_GREEDY_H

#include "partition/propagate/projection.h"

// Of all prefixes of all factors' axes in any tensor the one that most elements have already, and
// so on. axes: out, [factor_count].
void reshard_choose_greedily(const Projection *before, const Type *const *types, AxisSpan *axes);

#endif

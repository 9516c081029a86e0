// Propagation's debugging attributes, as Shardy has them: through which ops an axis came,
// and where it came from at first.
//
//   debug-propagation-edge-sharding=true
//       sdy.propagation_edges =
//           #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>
//       on ops, edges and function results: what moved in which step
//   debug-sharding-origins=true
//       sdy.sharding_origins = {x = "input: 0"} on values: which written sharding had the axis
//   sink-debug-...=true
//       edges that are sunk leave theirs on the op
//
// A pass's steps are those of its provenance; that of apply_sharding_constraints are the
// constraints that it copies. Propagation knows nothing of this: it records, and what it
// recorded is written behind the pass.
#ifndef SHARDC_PARTITION_PROPAGATION_DEBUG_H
#define SHARDC_PARTITION_PROPAGATION_DEBUG_H

#include "ir/pass/pass.h"

// For passes with these options; sets the context's provenance when it is not set.
extern const PassInstrumentation propagation_debug;

#endif

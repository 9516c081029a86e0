// Propagation's debugging attributes, as Shardy has them: through which ops an axis came, and where it came from at first.
//
//   option                                  attribute
//   debug-propagation-edge-sharding=true    sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>
//                                           on ops, edges and function results: what moved in which step
//   debug-sharding-origins=true             sdy.sharding_origins = {x = "input: 0"} on values: which written sharding had the axis
//
// A passes's steps are those of its provenance; that of apply_sharding_constraints are the constraints that it copies.
#ifndef SHARDC_PARTITION_PROPAGATION_DEBUG_H
#define SHARDC_PARTITION_PROPAGATION_DEBUG_H

#include "ir/pass/pass.h"

typedef struct PropagationDebug PropagationDebug;

// Before the pass changes a sharding. NULL, and nothing to do, when the pass has none of the options. Sets pass->provenance when it is
// not set.
PropagationDebug *propagation_debug_begin(Module *module, PassContext *pass);
// The operand of the sdy.sharding_constraint got its sharding. NULL is fine.
void propagation_debug_constraint(PropagationDebug *debug, const Op *constraint);
// Writes the attributes. NULL is fine.
void propagation_debug_end(PropagationDebug *debug);

// Moves what the edges of a while, a manual computation ... say to the op itself (sink-debug-sharding-origins,
// sink-debug-propagation-edge-sharding).
void propagation_debug_sink(Module *module, const PassContext *pass, Op *op);

#endif

// What propagation did to one op, as Shardy writes it: in each step, which axes went from which
// operand or result to which others.
#ifndef SHARDC_IR_PROPAGATION_EDGES_H
#define SHARDC_IR_PROPAGATION_EDGES_H

#include "ir/sharding/mesh.h"

// operand-0, result-1
typedef struct EdgeEnd {
    bool is_result;
    int64_t index;
} EdgeEnd;

// {"x" = operand-0 -> [operand-1, result-0]}
typedef struct AxisEdge {
    AxisRef axis;
    EdgeEnd source;
    int target_count;
    const EdgeEnd *targets;
} AxisEdge;

// {step-3 = [...]}
typedef struct PropagationStep {
    int64_t step;
    int edge_count;
    const AxisEdge *edges;
} PropagationStep;

bool edge_end_equal(EdgeEnd a, EdgeEnd b);
// For interning: the steps as parts of the key that is being written, and a copy in the context.
void propagation_steps_key(Context *context, int count, const PropagationStep *steps);
const PropagationStep *propagation_steps_copy(
    Context *context, int count, const PropagationStep *steps);
void propagation_steps_print(StrBuf *out, int count, const PropagationStep *steps);

#endif

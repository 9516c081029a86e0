// Reductions over devices: how a collective combines, and what becomes of sums of
// which every device keeps a slice.
#ifndef SHARDC_PARTITION_REDUCTIONS_H
#define SHARDC_PARTITION_REDUCTIONS_H

#include "ir/builder.h"

// The op with which an sdy.all_reduce or sdy.reduce_scatter combines: OP_ADD unless it says
// otherwise.
OpCode collective_reduction(const Op *op);
// Sums, maxima and minima are Shardy's own; another body is kept as the attribute `reduction`.
void collective_set_reduction(Module *module, Op *op, OpCode body);
void collective_copy_reduction(Module *module, Op *to, const Op *from);
// The op that combines values of this kind of unreduced axes.
OpCode reduction_kind_body(ReductionKind kind);
bool reduction_kind_of_body(OpCode body, ReductionKind *kind); // false: of no kind
// The op that joins the devices' parts of what was moved, all but one of which are nothing
// (local_nothing): a sum; where the element type has no zero (powers of two), the largest.
OpCode parts_reduction(ElementType element);

// An all_slice behind an all_reduce: reduced axes that are sliced first are scattered.
typedef struct ScatterAxes {
    AxisList *scattered; // per dim: the first sliced axes, which are reduced
    AxisList *sliced;    // per dim: the sliced axes behind them
    AxisList reduced;    // the reduced axes that no dim scatters
    bool any_scattered, any_sliced;
} ScatterAxes;

ScatterAxes scatter_axes(Arena *arena, const Op *all_reduce, const Op *slice);
// reduce_scatter, all_slice and all_reduce (those that are needed) of the all_reduce's
// operand: the value of the slice.
Value *build_reduce_scatter(
    Builder *builder, Arena *arena, const Op *all_reduce, const Op *slice, const ScatterAxes *axes);

#endif

// Unreduced axes: values that are partial sums (or maxima, minima) over some axes, on
// the way to and from whole values.
#ifndef SHARDC_PARTITION_RESHARD_UNREDUCED_H
#define SHARDC_PARTITION_RESHARD_UNREDUCED_H

#include "partition/propagate/projection.h"

// Axes in mesh order, adjacent parts of one axis merged.
AxisSpan axes_sorted(Arena *arena, const Mesh *mesh, AxisSpan axes);
// The parts of `axes` that overlap no axis of `others`, in mesh order.
AxisSpan axes_minus(Arena *arena, const Mesh *mesh, AxisSpan axes, AxisSpan others);
static inline AxisSpan unreduced_axes(const Sharding *sharding) {
    return sharding ? (AxisSpan){sharding->unreduced_count, sharding->unreduced}
                    : (AxisSpan){0, NULL};
}
const Sharding *sharding_with_unreduced(
    Context *context, const Sharding *sharding, AxisSpan unreduced);

// How a value gains unreduced axes: copies become partial sums first, then axes
// leave dims from their minor end.
typedef struct UnreducedSteps {
    AxisSpan copies; // sdy.replicated_to_unreduced; empty = no such step
    const Sharding *after_copies;
    AxisList *leaving; // sdy.sharded_to_unreduced, per dim; NULL = no such step
    const Sharding *after_leaving;
} UnreducedSteps;

// The dims of `to` with the axes of `from` that will leave them to become unreduced: what
// a value is resharded to first.
const Sharding *sharding_before_unreduced(
    Context *context, Arena *arena, const Mesh *mesh, const Sharding *from, const Sharding *to);

// From `from` towards the unreduced axes of `to`. False when there is nothing to gain.
bool unreduced_steps(
    Context *context, Arena *arena, const Mesh *mesh, const Sharding *from, const Sharding *to,
    UnreducedSteps *steps);

#endif

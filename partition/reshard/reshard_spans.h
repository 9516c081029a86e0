// Lists of axes of the tensors and factors of an op.
#ifndef SHARDC_PARTITION_RESHARD_SPANS_H
#define SHARDC_PARTITION_RESHARD_SPANS_H

#include "partition/propagate/projection.h"

int64_t span_size(const Mesh *mesh, AxisSpan span);
// of factor f in tensor t; none where it is absent
AxisSpan factor_axes(const Projection *projection, int t, int f);
// Do axes of both overlap, or are they parts of one axis that cannot be used side by side?
bool spans_conflict(const Mesh *mesh, AxisSpan a, AxisSpan b);
// No axis shards two factors. axes: [factor_count].
bool reshard_axes_disjoint(const Projection *projection, const AxisSpan *axes);
// The part of `span` before the first axis that conflicts with one of the
// others; the last axis may be cut.
AxisSpan reshard_span_without(Arena *arena, const Mesh *mesh, AxisSpan span, AxisSpan others);

#endif

// Projection: the tensor shardings of one op seen through its sharding rule, as one
// sharding per tensor and factor.
#ifndef SHARDC_PARTITION_PROJECTION_H
#define SHARDC_PARTITION_PROJECTION_H

#include "ir/op.h"

// How a tensor shards a factor.
typedef struct FactorSharding {
    bool is_present;    // the tensor has the factor at all
    bool is_closed;     // it may not get more axes
    bool is_minor_most; // in its dim: its axes need not divide its size
    AxisSpan axes;
    AxisSpan overflow; // axes of the dim that the factor, which is not minor-most, cannot take
} FactorSharding;

typedef struct TensorProjection {
    FactorSharding *factors; // [factor_count of the rule]
    AxisSpan replicated, unreduced;
    ReductionKind reduction;
} TensorProjection;

typedef struct Projection {
    Arena *arena;
    const ShardingRule *rule;
    const Mesh *mesh;
    int operand_count, tensor_count; // operands, then results
    TensorProjection *tensors;
} Projection;

// shardings: [operands + results], entries may be NULL: open, or closed when `closed_if_missing`.
Projection *projection_create(
    Arena *arena, const ShardingRule *rule, const Mesh *mesh, const Sharding *const *shardings,
    bool closed_if_missing);
// Back to a sharding of tensor t. An axis after a factor that is not fully sharded is
// dropped (it would need strides).
const Sharding *projection_sharding(
    Context *context, const Projection *projection, int t, StrView mesh_name);
// Shards a factor of tensor t by `axes` if it has the factor and its axes are a strict prefix
// of them. True when it changed.
bool projection_expand(Projection *projection, int t, int factor, AxisSpan axes);

typedef enum PrefixStatus { PREFIX_NONE, PREFIX_STRICT, PREFIX_EQUAL } PrefixStatus;
// of first in second
PrefixStatus axis_span_prefix(const Mesh *mesh, AxisSpan first, AxisSpan second);
bool axis_span_equal(AxisSpan a, AxisSpan b);
// The longest prefix of *axis that overlaps none of `others`; false when it is empty.
bool axis_without_overlap(const Mesh *mesh, AxisRef *axis, AxisSpan others);
// Appends an axis to a list with room for it, merging it with the last one where both are parts of
// one.
void axes_append(const Mesh *mesh, AxisRef *axes, int *count, AxisRef axis);
AxisSpan dim_axes(const Sharding *sharding, int d);

// The mesh that all shardings (NULL entries aside) share, also in device order; *name is what
// names it. NULL when there is none.
const Mesh *common_mesh(
    const Module *module, int count, const Sharding *const *shardings, StrView *name);

#endif

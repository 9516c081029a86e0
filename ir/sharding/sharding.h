// Tensor shardings as Shardy has them. Interned: equal shardings are one
// pointer, so passes compare with ==.
#ifndef SHARDC_IR_SHARDING_H
#define SHARDC_IR_SHARDING_H

#include "ir/sharding/mesh.h"

typedef struct Module Module;

enum { PRIORITY_NONE = -1 }; // no priority written: the highest, as 0

typedef struct DimSharding {
    int axis_count;
    const AxisRef *axes; // major to minor; in the context's arena
    bool is_open;        // propagation may add axes
    int priority;        // user priority p<N>; PRIORITY_NONE when not written
} DimSharding;

// How unreduced axes are to be combined.
typedef enum ReductionKind { REDUCTION_SUM, REDUCTION_MAX, REDUCTION_MIN } ReductionKind;

// The mesh is named by symbol (mesh_name, look it up with sharding_mesh) or written inline (mesh).
// A value without a sharding (NULL) has every dim open and empty.
typedef struct Sharding {
    StrView mesh_name; // interned, without @; empty when inlined
    const Mesh *mesh;  // inlined mesh, else NULL
    int rank;
    const DimSharding *dims; // [rank]
    int replicated_count;
    const AxisRef *replicated; // mesh order
    int unreduced_count;
    const AxisRef *unreduced; // mesh order
    ReductionKind reduction;
} Sharding;

// copies what it points to
const Sharding *sharding_intern(Context *context, const Sharding *prototype);
// closed, empty dims
const Sharding *sharding_replicated(Context *context, StrView mesh_name, int rank);
// on the same mesh, which may be written inline
const Sharding *sharding_replicated_like(Context *context, const Sharding *like);
const Sharding *sharding_fully_open(Context *context, StrView mesh_name, int rank);
// exact: closed dims, no replicated list, no priorities
const Sharding *sharding_closed(Context *context, const Sharding *sharding);
bool sharding_is_fully_replicated(const Sharding *sharding); // no axis in any dim (NULL too)
bool sharding_is_fully_closed(const Sharding *sharding);
// Product of the sizes of the axes that shard dimension d; 1 for NULL.
int64_t sharding_dim_size(const Mesh *mesh, const Sharding *sharding, int d);

// Sharding rules (Shardy's op_sharding_rule): every dimension of every operand and result is a
// list of factors, major to minor.
enum { MAX_DIM_FACTORS = 16 };
typedef enum FactorKind {
    FACTOR_PASS_THROUGH,
    FACTOR_REDUCTION,
    FACTOR_NEED_REPLICATION,
    FACTOR_PERMUTATION
} FactorKind;

typedef struct Factor {
    int64_t size;
    FactorKind kind;
    bool is_blocked; // nothing propagates along it
} Factor;

typedef struct DimFactors {
    int count;
    const int *factors; // indices, major to minor
} DimFactors;

typedef struct TensorFactors {
    int rank;
    const DimFactors *dims;
} TensorFactors;

typedef struct ShardingRule {
    int factor_count;
    const Factor *factors;
    int operand_count, result_count;
    const TensorFactors *operands, *results;
    bool is_custom; // written by the user: never dropped
    // what is wrong with its lists of factors, for the verifier; empty when they are right
    StrView flaw;
} ShardingRule;

// The one copy of the rule, in the context's arena; NULL for NULL. Most ops of a
// large program share a few rules.
const ShardingRule *sharding_rule_intern(Context *context, const ShardingRule *rule);

#endif

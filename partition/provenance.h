// Provenance: where every axis of every sharding came from.
//
// Passes write it when PassContext.provenance is set; all functions that record do nothing for NULL, so that a compilation that
// nobody asks about pays nothing. It lives in its arena and outlives the passes: it keeps values and ops of the module, also of such
// ops as were erased since (their code, name and place stay readable, their operands do not).
//
//   place    what has a sharding: a value (for values that share one through a data-flow edge the edge's owner), or a result of a
//            function
//   arrival  an axis that came to a dim of a place: written in the program, copied, or moved by a step
//   step     one visit of propagation to one op that changed at least one sharding
#ifndef SHARDC_PARTITION_PROVENANCE_H
#define SHARDC_PARTITION_PROVENANCE_H

#include "base/map.h"
#include "base/vec.h"
#include "partition/data_flow.h"
#include "partition/propagate_internal.h"

typedef enum ArrivalKind {
    ARRIVAL_WRITTEN, // the program says so at the place itself
    ARRIVAL_CONSTRAINT, // copied from a constraint, or a manual computation's operand, that is the only word on the value
    ARRIVAL_GROUP, // copied from another member of the sharding group
    ARRIVAL_STEP   // moved by propagation through an op
} ArrivalKind;

typedef struct Arrival {
    ArrivalKind kind;
    int dim;
    AxisRef axis; // as the place had it then: later parts of the same axis are merged
    const struct ProvenancePlace *source; // where the axis was; NULL: written here
    int source_dim;
    const Op *op;                      // ARRIVAL_CONSTRAINT: the constraint or manual computation
    const struct ProvenanceStep *step; // ARRIVAL_STEP
    struct Arrival *next;              // later at the same place
} Arrival;

typedef struct ProvenancePlace {
    ShardingPlace place;
    const Sharding *written;    // when propagation began, with priorities; NULL: none
    const Sharding *propagated; // when it ended, dims may be open; NULL: none
    Arrival *first, *last;
} ProvenancePlace;

// An axis that moved in a step: factor, from and to tensors of the op (operands, then results).
typedef struct AxisMove {
    int factor, source, target; // source -1: several together
    AxisRef axis;
} AxisMove;

typedef struct ProvenanceStep {
    int number;   // from 0, in order of time
    const Op *op; // NULL: between what a function returns and its result
    int operand_count, tensor_count;
    ProvenancePlace **tensors;
    int user_priority; // 0 = highest
    int round;         // of op priorities; -1: the pass has none
    Strategy strategy;
    VEC(AxisMove) moves;
} ProvenanceStep;

typedef struct Provenance {
    Arena *arena;
    Module *module;
    PtrMap values;                  // Value * to ProvenancePlace *
    VEC(ProvenancePlace *) results; // of functions
    VEC(ProvenanceStep *) steps;
    int user_priority; // of what happens now
} Provenance;

Provenance *provenance_create(Arena *arena);

// ---- recording ----

// The shardings that are in the module when propagation begins and when it has ended.
void provenance_begin(Provenance *provenance, Module *module);
void provenance_end(Provenance *provenance);
// From now on dims of this priority take part.
void provenance_set_user_priority(Provenance *provenance, int priority);
// `value` got the sharding of a constraint's result or a manual computation's operand; `value` got the sharding of another member.
void provenance_copy_constraint(
    Provenance *provenance, const Module *module, Value *value, const Op *op,
    const Sharding *sharding);
void provenance_copy_member(
    Provenance *provenance, const Module *module, Value *value, Value *from,
    const Sharding *sharding);
// One visit. The tensors are those of the projections (operands, then results); where is the place of each. Records nothing when the
// projections are equal.
typedef struct ProvenanceVisit {
    const Op *op;
    const ShardingPlace *where;
    const Projection *before, *after;
    int round;
    Strategy strategy;
} ProvenanceVisit;
void provenance_visit(Provenance *provenance, const ProvenanceVisit *visit);

// ---- asking ----

// What is known about a value or a function result; NULL when it never had a sharding.
ProvenancePlace *provenance_of_value(const Provenance *provenance, Value *value);
ProvenancePlace *provenance_of_result(const Provenance *provenance, const Op *func, int result);
// The first arrival at the place and dim of an axis that overlaps `axis`; dim -1: any. NULL when there is none.
const Arrival *provenance_arrival(
    const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis);
// A dim of tensor t that has the factor; -1 when none has.
int rule_factor_dim(const ShardingRule *rule, int t, int factor);

#endif

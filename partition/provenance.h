// Provenance: where every axis of every sharding came from.
//
// Passes write it when PassContext.provenance is set; all functions that record do nothing for
// NULL, so that a compilation that nobody asks about pays nothing. It lives in its arena and
// outlives the passes: it keeps values and ops of the module, also of such ops as were erased since
// (their code, name and place stay readable, their operands do not).
//
//   place    what has a sharding: a value (for values that share one through a data-flow edge the
//            edge's owner), or a result of a function
//   arrival  an axis that came to a dim of a place: written in the program, copied, or moved by a
//            step
//   step     one visit of propagation to one op that changed at least one sharding
//   cause    why a reshard or a reduction was inserted. Its op's place is the cause's own copy: all
//            ops that later passes make of it keep that place, so the communication of the device
//            program leads back to the cause.
#ifndef SHARDC_PARTITION_PROVENANCE_H
#define SHARDC_PARTITION_PROVENANCE_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "partition/propagate/propagate_internal.h"

typedef enum ArrivalKind {
    ARRIVAL_WRITTEN, // the program says so at the place itself
    // copied from a constraint, or a manual computation's operand, that is the only word on the
    // value
    ARRIVAL_CONSTRAINT,
    ARRIVAL_GROUP, // copied from another member of the sharding group
    ARRIVAL_STEP   // moved by propagation through an op
} ArrivalKind;

typedef struct Arrival {
    ArrivalKind kind;
    int dim;
    AxisRef axis; // as the place had it then: later parts of the same axis are merged
    const struct ProvenancePlace *source; // where the axis was; NULL: written here
    int source_dim;
    FactorKind factor_kind;            // ARRIVAL_STEP: of the op's rule
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
    // source: the first that had all that the factor has now; -1: several together
    int factor, source, target;
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

// The tensors of an op with a rule that did not fit together, and how they were made to.
typedef struct Decision {
    const Op *op;
    const ShardingRule *rule;
    const Mesh *mesh;
    int operand_count, tensor_count; // operands, then results
    Value **tensors;
    const Sharding **before, **after; // NULL: none
} Decision;

// A value once all shardings are exact.
typedef struct FinalValue {
    Value *value;
    const Sharding *sharding; // NULL: replicated
    ProvenancePlace *place;   // NULL: it never had a sharding
} FinalValue;

// A constraint, or a manual computation, that gave a value its sharding.
typedef struct ConstraintCopy {
    const Op *op;
    Value *value;
} ConstraintCopy;

typedef enum CauseKind {
    CAUSE_CONSTRAINT, // the program has a constraint or reshard
    CAUSE_OPERAND,    // the op needs the operand in another sharding
    CAUSE_RESULT,     // the op computes the result in another sharding than its users need
    CAUSE_REDUCTION,  // the op reduces a dim that is sharded: partial results are combined
    CAUSE_PARTIAL,    // a value is unreduced, its user needs it reduced
    CAUSE_RECEIVER // a value that enters or leaves a region or function has another sharding there
} CauseKind;

typedef struct Cause {
    Loc loc; // of the ops that are made: the place of `op`, with the number of this cause
    CauseKind kind;
    const Op *op; // that takes (or makes) the value
    int index;    // operand or result number
    Value *value;
    const Sharding *from, *to; // NULL: replicated
    const Decision *decision;  // NULL: none had to be made
} Cause;

typedef struct Provenance {
    Arena *arena;
    Module *module;
    PtrMap values;                  // Value * to ProvenancePlace *
    VEC(ProvenancePlace *) results; // of functions
    VEC(ProvenanceStep *) steps;    // those in which an axis moved
    int step_count;                 // others included
    VEC(ConstraintCopy) copies;     // in order
    int user_priority;              // of what happens now
    VEC(Cause *) causes;            // number n of Loc.cause is at n - 1
    const Op *func;                 // whose values these are
    VEC(FinalValue) final_values;   // see provenance_propagated
} Provenance;

Provenance *provenance_create(Arena *arena);

// ---- recording ----

// The shardings that are in the module when propagation begins and when it has ended.
void provenance_begin(Provenance *provenance, Module *module);
void provenance_end(Provenance *provenance);
// From now on dims of this priority take part.
void provenance_set_user_priority(Provenance *provenance, int priority);
// `value` got the sharding of a constraint's result or a manual computation's operand; `value` got
// the sharding of another member.
void provenance_copy_constraint(
    Provenance *provenance, const Module *module, Value *value, const Op *op,
    const Sharding *sharding);
void provenance_copy_member(
    Provenance *provenance, const Module *module, Value *value, Value *from,
    const Sharding *sharding);
// One visit that changed a sharding. The tensors are those of the projections (operands, then
// results); where is the place of each.
typedef struct ProvenanceVisit {
    const Op *op;
    const ShardingPlace *where;
    const Projection *before, *after;
    int round;
    Strategy strategy;
} ProvenanceVisit;
void provenance_visit(Provenance *provenance, const ProvenanceVisit *visit);

// A new cause, copied; its op's place is in loc. NULL provenance: the op's own place.
const Loc *provenance_cause(Provenance *provenance, const Cause *cause);
// Copies what it is given.
const Decision *provenance_decision(Provenance *provenance, const Decision *decision);
// Every sharding is exact, nothing is inserted yet: notes the shardings of all values
// of the function, in program order, arguments first. Every sdy.reshard is the
// program's own: its cause is itself.
void provenance_propagated(Provenance *provenance, Module *module, const Op *func);

// ---- asking ----

// The cause whose place an op has; NULL when the op has another.
const Cause *provenance_cause_at(const Provenance *provenance, const Loc *loc);

// The value that stands for all that share a sharding through a data-flow edge: its owner.
Value *provenance_value_key(Value *value);
// What is known about a value or a function result; NULL when it never had a sharding.
ProvenancePlace *provenance_of_value(const Provenance *provenance, Value *value);
ProvenancePlace *provenance_of_result(const Provenance *provenance, const Op *func, int result);
// The first arrival at the place and dim of an axis that overlaps `axis`; dim
// -1: any. NULL when there is none.
const Arrival *provenance_arrival(
    const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis);
// A dim of tensor t that has the factor; -1 when none has.
int rule_factor_dim(const ShardingRule *rule, int t, int factor);

#endif

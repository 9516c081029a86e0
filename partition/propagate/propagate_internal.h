// Propagation's own parts: strategies for one op, the fixed point, rounds. The door is
// partition/propagate/propagate.h.
#ifndef SHARDC_PARTITION_PROPAGATE_INTERNAL_H
#define SHARDC_PARTITION_PROPAGATE_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/pass/pass.h"
#include "partition/propagate/projection.h"

// Sets of directions: PROPAGATION_NONE is empty, PROPAGATION_BOTH is FORWARD | BACKWARD.
typedef int Directions;

typedef enum Strategy { STRATEGY_BASIC, STRATEGY_AGGRESSIVE, STRATEGY_COUNT } Strategy;

// A list of values that must have one sharding.
typedef struct ShardingGroup {
    int64_t id;
    VEC(Value *) members;
} ShardingGroup;

// What is known about an op between visits.
typedef struct OpState {
    bool has_rule_known, is_erased;
    const ShardingRule *rule;
    int position; // in the worklist, from 1; 0 = not in it
    // Shardings and directions at the last visit that changed nothing: with the
    // same ones nothing will change.
    const Sharding **settled[STRATEGY_COUNT];
    Directions settled_directions[STRATEGY_COUNT];
} OpState;

enum { LAST_ROUND = 4 };

typedef struct Propagation {
    Module *module;
    Arena *arena;   // rules, states of ops
    Arena *scratch; // reset after each op
    Diags *diags;
    bool conservative;
    OpState *op_states; // [op number]
    int64_t op_limit;   // op numbers below this have one
    VEC(ShardingGroup) groups;
    PtrMap group_index; // id + 1 to place in groups + 1
    int *group_of;      // [value number]: group index + 1, 0 = none
    int64_t value_limit;
    VEC(Op *) worklist; // a stack; NULL where an op was taken out
    Strategy strategy;
    int round;                     // of op priorities
    bool by_op_priority;           // false: every op in both directions
    bool *warned;                  // [OP_COUNT]
    int depth;                     // of calls, while users are put on the worklist
    struct Provenance *provenance; // NULL = not recorded
} Propagation;

// Checks that shapes are known, reads sharding groups and gives their members one
// sharding. False with diagnostics.
bool propagation_begin(Propagation *propagation, Module *module, PassContext *pass);
// To a fixed point with the strategy and round set.
void propagation_run(Propagation *propagation);
// One or both strategies, then the rounds of op priorities, then those of user priorities.
void propagate_by_strategy(Propagation *propagation, bool basic, bool aggressive);
void propagate_by_op_priority(Propagation *propagation, bool basic, bool aggressive);
void propagate_by_user_priority(Propagation *propagation, bool basic, bool aggressive);
// The rule of an op, made at the first call. NULL = none.
const ShardingRule *propagation_rule(Propagation *propagation, const Op *op);
// Does nothing use the op's results, and has it no effects?
bool op_is_dead(Op *op);
// Directions in which an op propagates in the current round: for its
// pass-through factors, and for the others.
typedef struct OpDirections {
    Directions pass_through, other;
} OpDirections;
OpDirections op_priority_directions(int round, const Op *op);

// Step 1 of both strategies: the longest axes for a factor on which all tensors agree,
// conflicts between factors aside.
AxisSpan compatible_major_axes(const Projection *projection, int factor, Directions directions);
// Cuts the axes at the first one that a tensor cannot have.
//   across   other factors of the tensor shard it already
//   within   the factor is closed, full, or the tensor must be replicated or unreduced along it
AxisSpan cut_conflicts(
    const Projection *projection, const TensorProjection *tensor, int factor, AxisSpan axes,
    bool across, bool within, bool conservative);
bool propagate_factors_basic(
    Projection *projection, const Directions *directions, bool conservative, bool *updated);
bool propagate_factors_aggressive(
    Projection *projection, const Directions *directions, bool conservative, bool is_elementwise,
    bool *updated);

#endif

// The door of plan/: the collectives that lead from one sharding of a tensor
// to another, and what they cost.
#ifndef SHARDC_PARTITION_RESHARD_PLAN_H
#define SHARDC_PARTITION_RESHARD_PLAN_H

#include "ir/module.h"

enum { MAX_RESHARD_STEPS = 64 };

typedef struct ReshardStep {
    // OP_SDY_ALL_SLICE, OP_SDY_PERMUTE, OP_SDY_ALL_TO_ALL, OP_SDY_ALL_GATHER; OP_SDY_RESHARD where
    // only the mesh gets other names
    OpCode code;
    const Sharding *sharding; // of its result
    AttrName attr_name;       // NAME_AXES or NAME_PARAMS
    const Attr *attr;         // NULL: none
} ReshardStep;

typedef struct ReshardPlan {
    int count; // 0: nothing is to be done
    ReshardStep steps[MAX_RESHARD_STEPS];
    int64_t bytes; // of all results but the slices', on one device
} ReshardPlan;

// from NULL: replicated. Of several orders of steps the one that moves the fewest bytes. NULL when
// there is none: from or to one device, or axes are cut into parts that do not divide each other.
ReshardPlan *reshard_plan(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to);
// The one order that Shardy takes; between meshes that differ in more than the order of devices
// only to and from whole arrays.
ReshardPlan *reshard_plan_standard(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to);

// The plan's ops before the sdy.reshard, beginning with `value` (of its type); `made` hears of each
// result. The reshard goes, but for one to another mesh that a collective follows, which stays on
// the mesh of its operand. True: anything changed.
typedef void ReshardMadeFn(Value *made, void *user);
bool reshard_replace(
    Module *module, Op *reshard, Value *value, const ReshardPlan *plan, ReshardMadeFn *made,
    void *user);

// Its operand may have had a reshard that said that it is replicated and had nothing to do: now the
// operand says so. True: anything changed.
bool reshard_write_replicated(const Module *module, const Op *replicated_to_unreduced);

// A propagation barrier is an identity.
Value *value_behind_barriers(Value *value);

#endif

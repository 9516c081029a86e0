// The collectives that lead from one sharding of a tensor to another, and what they cost.
#ifndef SHARDC_PARTITION_RESHARD_PLAN_H
#define SHARDC_PARTITION_RESHARD_PLAN_H

#include "ir/module.h"

enum { MAX_RESHARD_STEPS = 64 };

typedef struct ReshardStep {
    // OP_SDY_ALL_SLICE, OP_SDY_PERMUTE, OP_SDY_ALL_TO_ALL, OP_SDY_ALL_GATHER; OP_SDY_RESHARD where only the mesh gets other names
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

// from NULL: replicated. cheapest: of several orders of steps the one that moves the fewest bytes; else Shardy's. NULL when there is
// none: the meshes differ in more than the order of devices, or axes are cut into parts that do not divide each other.
ReshardPlan *reshard_plan(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to, bool cheapest);

#endif

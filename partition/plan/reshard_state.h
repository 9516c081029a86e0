// The state of a reshard plan under construction, shared by reshard_orders.c,
// reshard_standard.c and reshard_permute.c.
#ifndef SHARDC_PARTITION_RESHARD_STATE_H
#define SHARDC_PARTITION_RESHARD_STATE_H

#include "partition/plan/reshard_plan.h"

typedef struct Reshard {
    const Module *module;
    Arena *scratch;
    const Type *type;
    const Mesh *mesh; // the result's
    int rank;
    AxisList *prefix, *in, *out; // [rank] atoms
    const Sharding *goal, *reached;
    // names the mesh until the permute that changes the order of devices; NULL after it
    const Sharding *source_mesh;
    bool is_impossible; // a step names parts of an axis that cannot coexist
    ReshardPlan *plan;
} Reshard;

// Lists of atoms.
int64_t size_of(const Reshard *reshard, const AxisList *list);
int find_axis(const AxisList *list, const AxisRef *axis); // -1 = none
// the dimension that has it; -1 = none
int find_dim(const Reshard *reshard, const AxisList *lists, const AxisRef *axis);
bool is_free(const Reshard *reshard, const AxisRef *axis); // shards no dimension now
void list_push(AxisList *list, AxisRef axis);
void list_insert(AxisList *list, int at, AxisRef axis);
AxisRef list_remove(AxisList *list, int at);
bool is_prefix_of(const AxisList *in, const AxisList *out);
int64_t common_divisor(int64_t a, int64_t b);
// Cuts an atom, wherever it is, into one of `size` and the rest; returns the first part.
AxisRef split_axis(Reshard *reshard, const AxisRef *axis, int64_t size);
// The longest suffix of lists[s] that goes to one other dimension: *target and the number of axes.
// only_final: only as far as it comes to its final place there.
int movable_suffix(
    const Reshard *reshard, const AxisList *lists, int s, bool only_final, int *target);

// Steps.
bool reshard_is_done(const Reshard *reshard);
// adjacent parts of an axis as one
AxisList reshard_merged(const Reshard *reshard, const AxisList *atoms);
void reshard_add_step(Reshard *reshard, OpCode code, AttrName name, const Attr *axes);
void reshard_add_step_per_dim(Reshard *reshard, OpCode code, const AxisList *lists);
// All steps as Shardy makes them; false where they do not get there.
bool reshard_standard_steps(Reshard *reshard);

// Exchanges axes so that every dimension keeps its size and wanted axes come to where they are
// wanted, or to where an all-to-all can take them. may_replace: also free axes for axes in use.
// False when nothing is gained; then nothing changed.
bool permute_axes(Reshard *reshard, bool may_replace);

#endif

// Inside passes/: rows that several devices share, in the making (spread_rows.c finds them,
// spread_build.c writes the program anew).
#ifndef SHARDC_CODEGEN_SPREAD_H
#define SHARDC_CODEGEN_SPREAD_H

#include "base/vec.h"
#include "ir/builder.h"

// A value that is computed anew for whole rows: [.., rows, .., columns] on each device becomes [..,
// rows / devices, .., devices, columns], where the devices stand in `place`. What does not depend
// on the device has no such dimension, what is the same for all rows keeps no dimension of rows.
typedef struct Member {
    Value *old;
    int row;         // the dimension of the rows; -1 = none
    bool of_sums;    // it depends on a sum over the devices
    bool is_partial; // the reduction before that sum
    Value *value;    // in the new form
    bool has_devices;
    bool comes_back; // somebody else needs it: it is moved back to where it was
    bool is_kept;    // somebody else needs it, who may compute it as before
} Member;

typedef struct Spread {
    Module *module;
    Arena *arena;
    Region *region;
    const Op *sum; // the all_reduce that it began with
    int64_t devices, groups;
    const Attr *members_of; // [groups, devices]
    int rank, place;        // of the reduction's operand: where the devices go
    bool fails;
    PtrMap known;          // Value: Member
    VEC(Member *) members; // as found
    VEC(Member) outside;   // values from outside, in the new form
} Spread;

static inline Member *spread_member(const Spread *spread, const Value *value) {
    return ptr_map_get(&spread->known, value);
}

// --- spread_ops.c
// Does the reshape only add or drop dimensions of size 1? map[d]: the result's dimension of the
// operand's d, -1 for one of size 1 that is dropped.
bool spread_unit_reshape(const Op *op, int *map);
// Is it made of constants, indices and the device's number alone?
bool spread_is_free(const Value *value, int depth);
// a kind of op that can be computed anew: elementwise, broadcast, reshape
bool spread_is_moved(const Op *op);

void spread_build(Spread *spread); // spread_build.c

#endif

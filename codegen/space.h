// Loop nests: how a kernel runs over an index space.
//
// A trial emission shows which index expressions the kernel's body makes. From them follow
//   parts   dimensions that are divided or taken modulo a number are split into two loops (all_gather: device and local index),
//   axes    neighbouring parts are joined to one loop where every address stays affine,
//   cuts    an axis is run piece by piece where conditions on it change (pad, concatenate), so that no branch is left inside,
//   order   the axis in which most accesses are contiguous is innermost; a second one that is contiguous for others (transposes) makes tiles.
#ifndef SHARDC_CODEGEN_SPACE_H
#define SHARDC_CODEGEN_SPACE_H

#include "codegen/emit_state.h"

// One element of the kernel's work at an index of the space.
typedef void SpaceBody(Emit *e, void *user, const IndexExpr *const *index);

// The innermost loop of a nest as a whole, for bodies that make several loops over it: [low, high) of [0, size), one piece of the inner axis.
typedef struct SpaceBlock {
    LLVMValueRef low, high;
    int64_t start, size;
    struct Nest *nest;
} SpaceBlock;
typedef void SpaceBlockBody(Emit *e, void *user, SpaceBlock *block);

enum { MAX_PARTS = 48, MAX_CUTS = 32 };

// A factor of a dimension: index = sum over its parts of part * stride.
typedef struct SpacePart {
    int dim;
    int64_t extent, stride;
} SpacePart;

typedef struct SpaceAxis {
    int first, count; // parts
    int64_t extent;
    int cut_count; // pieces: [cuts[k], cuts[k+1]), cuts[0] = 0, cuts[cut_count] = extent
    int64_t cuts[MAX_CUTS + 1];
} SpaceAxis;

typedef struct Space {
    int rank;
    int64_t dims[MAX_RANK];
    int part_count;
    SpacePart parts[MAX_PARTS];
    int axis_count;
    SpaceAxis axes[MAX_PARTS];
    int inner, tile;               // axes; tile = -1: no second inner axis
    bool vectorize;                // the innermost loop
    IndexUses uses;                // of the last trial
    int part_variables[MAX_PARTS]; // their ids in it
    SpaceBody *body;
    SpaceBlockBody *block; // not NULL: instead of body when the nest is emitted; tile must be -1
    void *user;
} Space;

// Plans the loops of body over dims; false after a diagnostic.
bool space_plan(Emit *e, Space *space, int rank, const int64_t *dims, SpaceBody *body, void *user);
// Emits the part [e->begin, e->end) of kernel->grid of the space.
void space_emit(Emit *e, Space *space);
// The space's index at a place of the block, 0 <= place < size.
void space_block_index(
    Emit *e, const SpaceBlock *block, const IndexExpr *place, const IndexExpr **index);

#endif

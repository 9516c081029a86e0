// The door of stage/: maps, folds, scans and rows as loops, as plan/space.h planned them. Beside it
// stream.h: results that are written around the caches.
#ifndef SHARDC_CODEGEN_NEST_H
#define SHARDC_CODEGEN_NEST_H

#include "codegen/emit/emit_state.h"
#include "codegen/plan/space.h"

// The innermost loop of a nest as a whole, for bodies that make several loops over it: [low, high)
// of [0, size), one piece of the inner axis.
typedef struct SpaceBlock {
    LLVMValueRef low, high;
    int64_t start, size;
    struct Nest *nest;
} SpaceBlock;

// What runs in the nest: `element` at every index of the space, or `block` once for
// every piece of its innermost loop.
typedef struct SpaceBody {
    void (*element)(Emit *e, void *user, const IndexExpr *const *index);
    void (*block)(Emit *e, void *user, SpaceBlock *block); // NULL unless instead of element
    void *user;
} SpaceBody;

// Emits the part [e->begin, e->end) of kernel->grid of the space.
void space_emit(Emit *e, const Space *space, const SpaceBody *body);
// All of the space, within the loops around.
void space_emit_whole(Emit *e, const Space *space, const SpaceBody *body);
// The space's index at a place of the block, 0 <= place < size.
void space_block_index(
    Emit *e, const SpaceBlock *block, const IndexExpr *place, const IndexExpr **index);
// Where the store's element goes, at the substitution's place.
LLVMValueRef emit_store_address(Emit *e, Substitution *s, const Store *store);
// Stores the element of store number i of those that are made together: there, or where it makes a
// detour.
void emit_stage_store(Emit *e, Substitution *s, int i, const Store *store, Scalar x);
bool rows_emit(Emit *e, const Stage *stage);    // of STAGE_ROWS
void columns_emit(Emit *e, const Stage *stage); // of STAGE_ROWS with columns
// Emits the kernel's share of a stage.
bool stage_emit(Emit *e, const Stage *stage);

#endif

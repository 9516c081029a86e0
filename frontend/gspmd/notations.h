// One sharding in all notations: Shardy's, GSPMD's device lists (V1) and iotas (V2), JAX's
// PartitionSpec, and the tile of each device.
#ifndef SHARDC_FRONTEND_NOTATIONS_H
#define SHARDC_FRONTEND_NOTATIONS_H

#include "base/diag.h"
#include "frontend/gspmd/gspmd.h"

// What is asked: a text, and what is known beside it.
typedef struct NotationQuery {
    StrView text; // GSPMD's or Shardy's
    // NULL: the coarsest that expresses GSPMD's tiles; Shardy's text has it inline, or is none
    const Mesh *mesh;
    int rank;            // of the tensor; -1: as the text says
    const int64_t *dims; // [rank]
} NotationQuery;

// Texts are empty where the notation cannot say it.
typedef struct Notations {
    StrView mesh, sdy, spec, v1, v2;
    int rank;
    int64_t device_count; // 0 where no tiles are known
    const int64_t *tiles; // [device_count][rank][2]: start and limit
    const GspmdSharding *gspmd;
} Notations;

// Several of a tuple, else one. NULL with diagnostics where the text is no
// sharding, or one of another rank.
const Notations *sharding_notations(
    Context *context, Arena *arena, const NotationQuery *query, int *count, Diags *diags);
// x=2,y=4 or <["x"=2, "y"=4], device_ids=[..]>; NULL with diagnostics.
const Mesh *read_mesh_text(Context *context, Arena *arena, StrView text, Diags *diags);

#endif

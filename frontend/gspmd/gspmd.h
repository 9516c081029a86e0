// The door of gspmd/: GSPMD's shardings as text and as protobuf: OpSharding V1 (device lists) and
// V2 (iota), and what they mean on a mesh. notations.h has one sharding in all notations.
//
//   {replicated} {manual} {unknown} {maximal device=3}      {{..}, {..}}: one per part of a tuple
//   {devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}                 V1
//   {devices=[4,1,2]<=[2,4]T(1,0) last_tile_dims={manual}}                   V2
//   {mesh['x'=2,'y'=4], [{'x'}, {?}], replicated={'y'}}                      by names of axes
//
// or as a serialized OpSharding, where empty text is {replicated}. Words may stand in any order;
// {replicated manual} is what the first of replicated, maximal, manual, unknown, unreduced says.
// devices=[..] are the tiles along each dimension of the tensor and then along groups of devices:
// devices of one tile that differ in a replicated group hold the same data; manual and unreduced
// groups are as Shardy's manual and unreduced axes.
#ifndef SHARDC_FRONTEND_GSPMD_H
#define SHARDC_FRONTEND_GSPMD_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/module.h"
#include "ir/sharding/sharding.h"

enum { GSPMD_MAX_DIMS = MAX_RANK + 4, GSPMD_MAX_DEVICES = 1 << 16 };

typedef enum GspmdKind {
    GSPMD_REPLICATED,
    GSPMD_UNREDUCED, // on all devices
    GSPMD_MANUAL,
    GSPMD_UNKNOWN,
    GSPMD_MAXIMAL, // all on one device
    GSPMD_TILED,
    GSPMD_TUPLE,
    GSPMD_PINNED // a group: replicated, and no propagation may change that
} GspmdKind;

// Values of one group have the same sharding, or similar ones.
typedef enum GspmdTie { GSPMD_FREE, GSPMD_SHARD_AS, GSPMD_SHARD_LIKE } GspmdTie;

typedef struct GspmdSharding GspmdSharding;
struct GspmdSharding {
    GspmdKind kind;
    GspmdTie tie;
    int64_t tie_id;
    StrView named;                    // the text where it says more than the rest: by names of axes
    int64_t device;                   // MAXIMAL
    int dim_count;                    // TILED: of the tensor's dimensions, then of groups
    int group_count;                  // the last of them
    int64_t dims[GSPMD_MAX_DIMS];     // TILED
    GspmdKind groups[GSPMD_MAX_DIMS]; // REPLICATED, PINNED, MANUAL or UNREDUCED
    uint64_t open_dims; // TILED: a bit for each dimension that may become more sharded
    int64_t device_count;
    const int64_t *devices; // TILED: row-major over dims, a permutation of 0 .. device_count-1
    int part_count;         // TUPLE
    const GspmdSharding *parts;
};

// False with *problem (a phrase) when the text is no sharding. A tiling of one tile is
// REPLICATED, MANUAL or UNREDUCED.
bool gspmd_parse(Arena *arena, StrView text, GspmdSharding *sharding, const char **problem);
// The same of a serialized OpSharding (gspmd_proto.c).
bool gspmd_decode(Arena *arena, StrView bytes, GspmdSharding *sharding, const char **problem);

// Text in its canonical form, without metadata (gspmd_print.c).
typedef enum GspmdForm {
    GSPMD_V1, // {devices=[4,2]0,4,1,5,2,6,3,7}; devices of a last replicated group ascend
    GSPMD_V2  // {devices=[4,2]<=[2,4]T(1,0)}, with the fewest dimensions behind <=
} GspmdForm;

// False where there is no such text: the devices are in no order of V2.
bool gspmd_print(StrBuf *out, const GspmdSharding *sharding, GspmdForm form);
// The shorter one that there is; text by names of axes stays as it is.
StrView gspmd_text(Arena *arena, const GspmdSharding *sharding);

// Meshes: the tilings of one program, and the coarsest mesh whose whole axes express all of them.
typedef struct GspmdMesh {
    Arena *arena;
    VEC(const GspmdSharding *) tilings;
    int64_t device_count; // of the tilings; 0: none was seen
    const int64_t *order; // logical index -> device; NULL: the same
    const Mesh *mesh;     // set by gspmd_mesh_make: axes _axis_0, _axis_1 ...
    int64_t *rooms[2];    // [device_count] each, used again and again
} GspmdMesh;

// Counts the sharding in; false when it has another number of devices than the ones before.
bool gspmd_mesh_add(GspmdMesh *mesh, const GspmdSharding *sharding);
// False when no mesh expresses all tilings.
bool gspmd_mesh_make(GspmdMesh *mesh, Context *context);
// Takes a mesh that is there instead; its axes may be cut. False when it has another
// number of devices than the tilings.
bool gspmd_mesh_use(GspmdMesh *mesh, const Mesh *given);
// What the sharding says of a tensor: closed dimensions; its own and those in `open_dims` (a bit
// each) open. NULL when it says nothing (MANUAL, UNKNOWN), has another rank, or is not expressed by
// the mesh that was taken. Not for MAXIMAL and TUPLE. Manual groups are left out.
const Sharding *gspmd_to_sharding(
    GspmdMesh *mesh, Context *context, StrView mesh_name, const GspmdSharding *sharding, int rank,
    uint64_t open_dims);
// The axes of its manual groups, in mesh order; of MANUAL, all axes.
int gspmd_manual_axes(GspmdMesh *mesh, const GspmdSharding *sharding, AxisRef *axes);

// The other way (gspmd_tiling.c): tiles along each dimension, then groups of the manual axes, the
// unreduced ones and all others. sharding NULL: of any rank, without an axis in a dimension. False
// for more devices than there may be.
bool gspmd_from_sharding(
    Arena *arena, const Mesh *mesh, const Sharding *sharding, AxisSpan manual, GspmdSharding *made);

#endif

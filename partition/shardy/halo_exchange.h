// Halo exchange written out in the global program: ops on dimensions whose tiles need elements of
// other tiles become manual computations, in which every device fetches its neighbours' tiles and
// takes from them what its tile of the result needs.
#ifndef SHARDC_PARTITION_HALO_EXCHANGE_H
#define SHARDC_PARTITION_HALO_EXCHANGE_H

#include "ir/builder.h"

typedef enum HaloResult {
    HALO_NOT_NEEDED, // every tile has what it needs
    HALO_EXCHANGED,  // the op has been replaced
    HALO_IMPOSSIBLE  // too many neighbours, or tiles that no slice of them can make
} HaloResult;

typedef struct Halos {
    Module *module;
    Arena *scratch;
    bool is_by_replica;   // devices are replicas, not partitions
    int64_t next_channel; // of the collectives that are made
    int next_mesh;        // suffix of the next mesh whose name is taken
} Halos;

HaloResult halo_exchange_pad(Halos *halos, Op *op);
HaloResult halo_exchange_slice(Halos *halos, Op *op); // without strides along sharded dimensions
HaloResult halo_exchange_reverse(Halos *halos, Op *op);
// Uneven dimensions of a reshape: exchanged, where they can be and are to be, or whole on
// all devices. Never impossible.
HaloResult halo_resolve_reshape(Halos *halos, Op *op, bool exchanges_halos);

// One sharded dimension on the devices: element i of the operand's dimension is element
// low + i * step of the result's.
typedef struct HaloDim {
    AxisList axes;
    int64_t count;     // of tiles; 1 = not sharded
    int64_t tile, out; // sizes of the operand's and the result's tiles
    int64_t low, step;
    int64_t left, right; // how many neighbours' tiles are needed on each side
    // [count] where each device's piece begins, relative to the first fetched tile; NULL: low and
    // step say it
    const int64_t *starts;
    bool is_exchanged;   // else the tile is the result's tile already
    bool is_zero_padded; // what lies outside the operand is zero, or nobody looks at it
} HaloDim;

// The parts, for the files that know more ops.
const Mesh *halo_mesh(const Halos *halos, const Sharding *sharding); // NULL: nothing is sharded
bool halo_is_possible(const Mesh *mesh, const HaloDim *dim);
// Can a manual computation over the axes take the type with that sharding?
bool halo_splits_evenly(
    const Mesh *mesh, const Type *type, const Sharding *sharding, const AxisList *manual);
// The type of a value in the body.
const Type *manual_local_type(
    Context *context, const Mesh *mesh, const Type *type, const Sharding *sharding,
    const AxisList *manual);
// How a manual computation's operand and result lie, and over which axes it is manual.
typedef struct HaloFrame {
    const Sharding *in, *out;
    const AxisList *manual;
} HaloFrame;

// A manual computation with a result of the type, and its body's builder. pad_value may be NULL.
Op *halo_manual(
    Halos *halos, Builder *builder, Value *operand, Value *pad_value, const Type *result,
    HaloFrame frame, Builder *body);
// The tile of each device `offset` places behind: the tile of coordinate c is what
// coordinate c - offset had; zero where there is none.
Value *halo_permute(
    Halos *halos, Builder *builder, Value *x, const Mesh *mesh, const AxisList *axes,
    int64_t offset);
// The device's piece of one dimension, of dim->out elements.
Value *halo_exchange_dim(
    Halos *halos, Builder *builder, Value *x, Value *pad_value, int d, const HaloDim *dim,
    const Mesh *mesh, const Sharding *local);
const Sharding *sharding_without_axes(
    Context *context, const Sharding *sharding, const AxisList *manual);
void halo_add_axes(AxisList *manual, const Mesh *mesh, const AxisRef *axes, int count);

#endif

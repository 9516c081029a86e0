// What the files of this folder share, to turn ops into ops on one device's tiles.
//
// Every op of ops.def has a function `local_X` (its local column) that emits the op on one device's
// tiles. They share a Local: the map from global to local values, the place where ops go, and the
// helpers below, which are the vocabulary of all local_*.c:
//
//   tiles      how one dimension lies on the devices: `count` tiles of ceil(global / count)
//              elements. What a tile holds beyond the global size ("padding") is anything; an op
//              that would let it reach a result masks it first.
//   reshard    a value laid out as another sharding says, by gathering and taking tiles (never
//              wrong, seldom cheap: the cheap ways are chosen before, by reshard_to_collectives)
//   fetch      a slab of a sharded dimension that begins at an affine function of the
//              device's coordinate: halo exchange
#ifndef SHARDC_PARTITION_LOCAL_H
#define SHARDC_PARTITION_LOCAL_H

#include "base/vec.h"
#include "ir/builder.h"
#include "ir/module.h"

// One dimension of a value on the devices. Tile c covers the elements [c * tile, (c + 1) * tile) of
// the padded dimension, where c is the device's coordinate along the axes.
typedef struct DimTiles {
    const Mesh *mesh;    // NULL when count == 1
    const AxisRef *axes; // major to minor
    int axis_count;
    int64_t count;        // of tiles; 1 = not sharded
    int64_t global, tile; // sizes
} DimTiles;

static inline bool tiles_are_padded(const DimTiles *tiles) {
    return tiles->count * tiles->tile != tiles->global;
}

// A device's coordinate along some axes, computed once at the start of main.
typedef struct Coordinate {
    const Mesh *mesh;
    AxisList axes;
    Value *value; // scalar
} Coordinate;

typedef struct Local Local;
typedef bool LocalFn(Local *local, const Op *op);

// How a device knows its coordinate along axes.
typedef struct DevicePlace {
    // base + scale * coordinate, a scalar of the index type
    Value *(*affine)(
        Local *local, const Mesh *mesh, const AxisRef *axes, int count, int64_t scale,
        int64_t base);
    // Is the coordinate 0? A scalar, or elements of a tensor like `like`.
    Value *(*first)(
        Local *local, const Mesh *mesh, const AxisRef *axes, int count, const Type *like);
} DevicePlace;

struct Local {
    LocalFn *const *functions; // of each op, by its code
    const DevicePlace *place;
    const Module *global; // read
    Module *module;       // the device program
    Context *context;
    Arena *scratch;
    Diags *diags;
    Builder builder; // where local ops go
    Op *prologue;    // last op of the part of main that computes coordinates
    Value *device;   // partition_id as i32
    PtrMap values;   // global Value* to local Value*
    PtrMap meshes;   // mesh name's data to Mesh*
    VEC(Coordinate) coordinates;
    int64_t device_count;
    int64_t channel_count;
    ElementType index; // of offsets and coordinates
};

// The place of the devices (local_place.c): partition_id at the begin of main,
// and coordinates made of it there.
void begin_prologue(Local *local, Region *body);
extern const DevicePlace place_in_prologue;

// Walks (local_values.c).
bool local_op(Local *local, const Op *op);
// Fills `to` from `from`: arguments with their local types, then the ops.
bool local_region(Local *local, const Region *from, Region *to);
// The region's ops but the last one, where ops go; its arguments have local values.
bool local_inline(Local *local, const Region *region); // local_control.c

// Values.
const Sharding *local_sharding(const Value *global);   // NULL = replicated
Value *local_value(Local *local, const Value *global); // as its own sharding says
Value *local_value_as(Local *local, const Value *global, const Sharding *sharding);
// the type must be the value's local type
void local_set(Local *local, const Value *global, Value *value);
// The result of `op` with the local value, which lies as `sharding` says,
// brought to the result's own sharding.
void local_set_as(Local *local, const Value *global, Value *value, const Sharding *sharding);
const Type *local_type(Local *local, const Type *global, const Sharding *sharding);
const Mesh *local_mesh(Local *local, const Sharding *sharding); // NULL for NULL and maximal meshes

// A local op like `op`: its attributes, regions made local, other operands and result types.
Op *local_clone(
    Local *local, const Op *op, int operand_count, Value *const *operands,
    const Type *const *types);

// Tiles (local_tiles.c).
DimTiles tiles_of(Local *local, const Type *type, const Sharding *sharding, int d);
DimTiles value_tiles(Local *local, const Value *global, int d);
bool tiles_equal(const DimTiles *a, const DimTiles *b);
bool shardings_place_alike(Local *local, const Type *type, const Sharding *a, const Sharding *b);
// Shardings made of others. All return NULL for "replicated".
const Sharding *sharding_without_dims(Context *context, const Sharding *sharding, unsigned dims);
// dims[i] of the result is dimension from[i] of `sharding` (-1: not sharded).
const Sharding *sharding_select_dims(
    Context *context, const Sharding *sharding, int rank, const int *from);
// Makes dimension d of *sharding (of that rank) lie as dimension other_d of `other`; false when the
// meshes differ or an axis is taken.
bool sharding_set_dim(
    Local *local, const Sharding **sharding, int rank, int d, const Sharding *other, int other_d);

// The operand of an op whose dimension d corresponds to dimension d of the result,
// with shardings for both during the op that agree in every dimension: where the
// values' own do not, both are whole.
Value *local_agree(
    Local *local, const Value *operand, const Value *result, const Sharding **in,
    const Sharding **out);

Value *local_int(Local *local, int64_t number);                // scalar of the index type
Value *local_tile_offset(Local *local, const DimTiles *tiles); // coordinate * tile
// base + scale * coordinate
Value *local_affine(Local *local, const DimTiles *tiles, int64_t scale, int64_t base);
Value *local_slice_dim(Local *local, Value *x, int d, int64_t start, int64_t limit, int64_t stride);
Value *local_dynamic_slice_dim(Local *local, Value *x, int d, Value *start, int64_t size);
Value *cut_dims(Local *local, Value *x, const int64_t *dims); // x[0 : dims]
const Type *type_with_dim(Local *local, const Type *type, int d, int64_t size);
Value *local_pad_dim(
    Local *local, Value *x, int d, Value *fill, int64_t low, int64_t high, int64_t interior);
// x[.., places[.., j]] along the last dimension.
Value *local_take_along_last(Local *local, Value *x, Value *places);
Value *local_zero(Local *local, const Type *tensor); // scalar zero of its element type
// What joins with another device's part and leaves it as it is (parts_reduction), a zero's sign
// too: -0.0 for floats, the smallest number where there is no zero. Of the type.
Value *local_nothing(Local *local, const Type *type);
Value *local_splat(Local *local, Value *scalar, const Type *tensor);
// Elements of x whose index along d plus `offset` (a scalar) lies outside [low, high) become `fill`
// (a scalar, or the elements of a tensor like x).
Value *local_mask_dim(
    Local *local, Value *x, int d, Value *offset, int64_t low, int64_t high, Value *fill);
// Padding along d becomes `fill`; x as it is when there is none.
Value *local_mask_padding(Local *local, Value *x, const DimTiles *tiles, int d, Value *fill);

// Reshards (local_reshard.c).
Value *value_reshard(
    Local *local, Value *x, const Type *global, const Sharding *from, const Sharding *to);
// x has the whole dimension d: this device's tile of it.
Value *local_take_tile(Local *local, Value *x, const DimTiles *tiles, int d);

// Collectives (emit_collective.c).
const Attr *replica_groups(Local *local, const Mesh *mesh, const AxisRef *axes, int count);
void set_channel(Local *local, Op *op, bool global_ids);
// Concatenates tiles along the axes of every dimension: dims grow by the axes'
// sizes; then each is cut to `dims`.
Value *emit_all_gather(
    Local *local, Value *x, const Mesh *mesh, const AxisList *axes_per_dim, const int64_t *dims);
// all tiles of dimension d
Value *emit_gather_dim(Local *local, Value *x, const DimTiles *tiles, int d);
// x of the device with coordinate `source` along the dimension's axes.
Value *emit_broadcast(Local *local, Value *x, const DimTiles *tiles, int64_t source);
Value *emit_all_reduce(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisRef *axes, int count);
// x on the devices with coordinate 0 along the axes, what is neutral for the reduction elsewhere:
// the sum over the devices has x once.
Value *local_only_on_first(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisRef *axes, int count);
// x: the target dimensions are multiples of the parameters' sizes. Source dimensions
// grow, target dimensions shrink.
Value *emit_all_to_all(
    Local *local, Value *x, const Mesh *mesh, int count, const AllToAllParam *params);
// Dimension d shrinks by its axes: one collective for all of them.
Value *emit_reduce_scatter(
    Local *local, Value *x, OpCode body, const Mesh *mesh, const AxisSpan *axes_per_dim);
// What an sdy.reduce_scatter gives, by an all_reduce and a slice.
bool local_reduce_then_slice(Local *local, const Op *op);
Value *emit_permute(Local *local, Value *x, int64_t pair_count, const int64_t *pairs);

// The device that a custom call names; -1: none (local_custom_call.c).
int64_t local_calling_device(const Local *local, const Op *op);

// Halo exchange (local_halo.c).
// Elements [c * stride + low, c * stride + low + size) of a dimension on the device
// with coordinate c, 0 <= c < count.
typedef struct HaloRange {
    int64_t stride, low, size;
    int64_t limit; // nobody looks at elements from here on; 0 or less: at all up to the end
} HaloRange;

// The wanted elements of dimension d. Elements outside [0, global) are zero, but for what the
// padding of a tile holds. Elements beyond the limit are anything.
Value *local_fetch(Local *local, Value *x, const DimTiles *tiles, int d, HaloRange wanted);

// The same of the array with step - 1 copies of `fill` (a scalar) between its elements; what lies
// outside the array is `fill` too. The limit counts these copies as well.
// wanted.stride % step == 0.
Value *local_fetch_dilated(
    Local *local, Value *x, const DimTiles *tiles, int d, Value *fill, int64_t step,
    HaloRange wanted);
// The tile of the device with coordinate count - 1 - c.
Value *local_mirror(Local *local, Value *x, const DimTiles *tiles);

// A concatenation that moves the elements of an array around it, along a sharded dimension
// (local_roll.c); false: it does not.
bool local_roll(Local *local, const Op *op);

// Every entry of ops.def's local column.
#define PARTITION(rule, local) LocalFn local_##local;
#define NO_PARTITION           LocalFn local_absent;
#define OP(                                                                                        \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, ...) \
    partition
#include "ir/dialects/ops.def"
#undef PARTITION
#undef NO_PARTITION

#endif

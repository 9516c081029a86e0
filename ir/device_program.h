// The device program: what partition/ makes and codegen/ compiles, one program for
// all devices of the mesh (SPMD).
//
// A module with the entry @main, in which
//   - every type has its device-local shape (dimensions that do not divide are
//     padded up: ceil(dim / shards)),
//   - there are no sdy ops and no calls: only stablehlo (and elementwise chlo) ops,
//     while/case/if with their regions,
//   - devices are told apart by stablehlo.partition_id alone, and communicate by
//     stablehlo.all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute,
//     collective_broadcast with explicit replica_groups of device ids (use_global_device_ids).
#ifndef SHARDC_IR_DEVICE_PROGRAM_H
#define SHARDC_IR_DEVICE_PROGRAM_H

#include "ir/module.h"

// How one argument or result of @main lies on the devices.
typedef struct GlobalLayout {
    const Type *global;       // whole array
    const Type *local;        // one device's, padded up where it does not divide
    const Sharding *sharding; // closed; NULL = every device has all of it
    const Mesh *mesh;         // of sharding; NULL without
    int alias; // argument: result number that may take its memory (tf.aliasing_output), -1 = none;
               // result: argument number, -1 = none
    bool donated; // argument: its memory may be overwritten
    // Tiles alone: the dimensions in memory, the slowest first; NULL = row-major. The type of
    // @main's argument or result has them in this order.
    const int64_t *order;
} GlobalLayout;

typedef struct DeviceProgram {
    Module *module; // local
    Op *main;       // in module
    int64_t device_count;
    int arg_count, result_count;
    const GlobalLayout *args, *results;
    bool is_tiled; // the caller's arrays: one dense tile per device instead of one whole array
} DeviceProgram;

// Offset of device `device`'s tile of a global array in dimension d, in elements:
// coordinate * local size. It may lie beyond the global size where the dimension does not divide
// (then the device holds only padding).
int64_t layout_offset(const GlobalLayout *layout, int64_t device, int d);
// Number of elements of the tile in dimension d that lie inside the global array: 0 .. local size.
int64_t layout_extent(const GlobalLayout *layout, int64_t device, int d);
// Is the device the first (lowest id) of those that hold the same tile?
bool layout_is_owner(const GlobalLayout *layout, int64_t device);

#endif

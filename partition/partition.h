// Global program to one device's program: import, propagation, reshards, local shapes, collectives.
//
// The device program is a module with the same functions' entry @main, in which
//   - every type has its device-local shape (dimensions that do not divide are padded up: ceil(dim / shards)),
//   - there are no sdy ops and no calls: only stablehlo (and elementwise chlo) ops, while/case/if with their regions,
//   - devices are told apart by stablehlo.partition_id alone, and communicate by stablehlo.all_gather, all_reduce, reduce_scatter,
//     all_to_all, collective_permute, collective_broadcast with explicit replica_groups of device ids (use_global_device_ids),
//   - @main's arguments and results carry their sdy shardings (Value.sharding, result_shardings) and the sdy.mesh ops stay, so that the
//     runtime knows which tile of the global array each device holds; the global shapes are in the PartitionResult.
#ifndef SHARDC_PARTITION_PARTITION_H
#define SHARDC_PARTITION_PARTITION_H

#include "ir/module.h"
#include "ir/pass.h"

// How one argument or result of @main lies on the devices.
typedef struct GlobalLayout {
    const Type *global;       // whole array
    const Type *local;        // one device's, padded up where it does not divide
    const Sharding *sharding; // closed; NULL = every device has all of it
    const Mesh *mesh;         // of sharding; NULL without
    int alias;                // argument: result number that may take its memory (tf.aliasing_output / donated), -1 = none;
                              // result: argument number, -1 = none
    bool donated;             // argument: its memory may be overwritten
} GlobalLayout;

// Why a collective is there (for explain and inspect), in program order.
typedef struct PartitionResult {
    Module *local;            // the device program
    int64_t device_count;
    int arg_count, result_count;
    const GlobalLayout *args, *results;
} PartitionResult;

typedef struct PartitionOptions {
    StrView entry;            // function to compile; empty = main
    StrView mesh_override;    // "x=4,y=2": replaces the sizes of the module's mesh; empty = keep
    const char *stop_after;   // "propagated": stop with shardings on every value; NULL = all
    void (*progress)(void *user, const char *phase); // may be NULL
    void *progress_user;
} PartitionOptions;

// Changes `module` in place through the pipeline, then makes the device program (in the module's arena). False with diagnostics.
bool partition_module(Module *module, const PartitionOptions *options, PartitionResult *result, Diags *diags);

// Offset of device `device`'s tile of a global array in dimension d, in elements: coordinate * local size. It may lie beyond the
// global size where the dimension does not divide (then the device holds only padding).
int64_t layout_offset(const GlobalLayout *layout, int64_t device, int d);

// The passes of partition/passes.def by name, for shardc-opt.
int partition_pass_count(void);
const Pass *partition_pass(int i);

#endif

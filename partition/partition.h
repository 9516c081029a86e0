// Global program to one device's program: import, propagation, reshards, local shapes, collectives.
// ir/device_program.h says what comes out.
#ifndef SHARDC_PARTITION_PARTITION_H
#define SHARDC_PARTITION_PARTITION_H

#include "ir/device_program.h"
#include "ir/pass/pass.h"
#include "partition/partition_calls.h"

typedef struct PartitionOptions {
    StrView entry;         // function to compile; empty = main
    StrView mesh_override; // "x=4,y=2": replaces the sizes of the module's mesh; empty = keep
    bool only_propagate;   // stop with shardings on every value
    void (*progress)(void *user, const char *step); // may be NULL
    void *progress_user;
    // array of the entry's argument types or constants, where the program leaves them open;
    // NULL = none
    const Attr *input_types;
    // arguments and results with unreduced axes stay each device's part of the sum; else they are
    // whole
    bool keeps_parts;
    PassLog *log; // times, and the program after a pass; NULL = none
    // records where shardings and communication come from (provenance.h); may be NULL
    struct Provenance *provenance;
    const CallPartitioner *partitioner; // NULL = none
} PartitionOptions;

// Changes `module` in place through the pipeline shardc-partition (passes.def), then makes the
// device program (in the module's arena). False with diagnostics.
bool partition_module(
    Module *module, const PartitionOptions *options, DeviceProgram *program, Diags *diags);

// Where the caller's arrays are tiles: their orders of dimensions, from mhlo.layout_mode of
// arguments and results (tile_orders.c). False with diagnostics.
bool partition_order_tiles(DeviceProgram *program, Arena *scratch, Diags *diags);

#endif

// The steps of to_local, for passes that make functions local in a form of their own: with other
// functions for some ops, or another way to know a device's place.
#ifndef SHARDC_PARTITION_TO_LOCAL_H
#define SHARDC_PARTITION_TO_LOCAL_H

#include "ir/device_program.h"
#include "partition/local/local.h"

extern LocalFn *const local_functions[OP_COUNT]; // of every op's row

// Makes an empty module beside the global one.
Local local_create(Module *module, int64_t device_count, Arena *scratch, Diags *diags);
// Sizes and meshes that can be made local; else a diagnostic.
bool local_check_func(Local *local, Op *func);
// New channels are numbered behind those of the region's own collectives.
void local_count_channels(Local *local, Region *region);
// program->main: the function with local types and no ops.
void local_begin_func(Local *local, const Op *func, DeviceProgram *program);
// Its ops.
bool local_fill_func(Local *local, const Op *func, DeviceProgram *program);

#endif

// Which results are written around the caches: what is larger than they keep would be read before
// it is written, and push out what is read again.
#ifndef SHARDC_CODEGEN_PLAN_STREAMS_H
#define SHARDC_CODEGEN_PLAN_STREAMS_H

#include "codegen/kernel/kernel.h"
#include "codegen/plan/space.h"

enum { MAX_STREAM_STORES = 64 };

// Is the kernel's result larger than the caches keep, and new memory? devices: of the program,
// whose results lie in the same caches.
bool stream_fits(const Kernel *kernel, int64_t devices, const Target *target);
// And is the inner axis of the loops contiguous in all of the stores?
bool stream_pays(
    const Kernel *kernel, int64_t devices, const Target *target, const Space *space,
    int store_count, const Store *stores);
// May the stores stream from registers? One store, in a loop that computes its elements: a copy
// would become a call of memcpy.
bool stream_is_direct(int store_count, const Store *stores);
// Does what a store writes begin at the same place of a line, wherever its axes but these variables
// are?
bool stream_begins_alike(const Stage *stage, const Store *store, int count, const int *variables);
// Chooses tiles of whole lines (Space.by_lines) in all kernels that transpose into results around
// the caches. Where a line of the result is complete at once it may lie anywhere, so a tile's
// operand is read along its rows, which the CPU foresees. After the buffers have their places.
void plan_line_tiles(Plan *plan);
// How many different values are stored.
int stream_value_count(int store_count, const Store *stores);

#endif

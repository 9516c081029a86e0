// How much memory a device program needs, before the code generator has planned its buffers.
#ifndef SHARDC_PARTITION_MEMORY_ESTIMATE_H
#define SHARDC_PARTITION_MEMORY_ESTIMATE_H

#include "ir/device_program.h"

typedef struct MemoryEstimate {
    int64_t argument_bytes, result_bytes; // on one device
    int64_t temporary_bytes;              // most that is live at once besides the arguments
} MemoryEstimate;

// Every value is taken as stored from its op to its last use, views and constants aside; of nested regions the largest counts while
// their op runs. An upper bound: kernels that fuse store less.
MemoryEstimate memory_estimate(const DeviceProgram *program, Arena *scratch);

#endif

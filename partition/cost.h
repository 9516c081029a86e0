// What communication costs: bytes of the results on one device, the measure of the given figures
// for XLA.
#ifndef SHARDC_PARTITION_COST_H
#define SHARDC_PARTITION_COST_H

#include "ir/module.h"

// Bytes of one device's tile; dimensions that do not divide are padded up.
// sharding NULL: the whole tensor.
int64_t tile_bytes(const Module *module, const Type *type, const Sharding *sharding);
// Bytes that one sdy collective, or a direct reshard (OP_SDY_RESHARD), brings to
// each device. Slices bring none.
int64_t step_bytes(
    const Module *module, OpCode code, const Type *type, const Sharding *from, const Sharding *to);

#endif

// What passes of partition/ have in common; ir/pass/passes.def lists them.
#ifndef SHARDC_PARTITION_PASSES_H
#define SHARDC_PARTITION_PASSES_H

#include "ir/pass/passes.h"

// What is left of the sharding of an input or output of this type, which must
// divide evenly (close_shardings.c).
const Sharding *dividing_sharding(
    const Module *module, Arena *arena, const Type *type, const Sharding *sharding);

// False with a diagnostic where a program is for more than `most` devices (device_count.c).
bool device_count_fits(int64_t devices, int most, const Loc *loc, Diags *diags);

#endif

// What passes of partition/ have in common; ir/pass/passes.def lists them.
#ifndef SHARDC_PARTITION_PASSES_H
#define SHARDC_PARTITION_PASSES_H

#include "ir/pass/passes.h"

// What is left of the sharding of an input or output of this type, which must
// divide evenly (close_shardings.c).
const Sharding *dividing_sharding(
    const Module *module, Arena *arena, const Type *type, const Sharding *sharding);

// May a program be made for each of so many devices? False with a diagnostic (device_count.c).
bool device_count_fits(int64_t devices, const Loc *loc, Diags *diags);

#endif

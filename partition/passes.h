// The passes of partition/, one per file, listed in passes.def.
#ifndef SHARDC_PARTITION_PASSES_H
#define SHARDC_PARTITION_PASSES_H

#include "ir/pass/pass.h"

#define PASS(name, function, help) PassFn function;
#include "partition/passes.def"

// Can the function's arguments give their memory to results as they say? False with diagnostics (check_donations.c).
bool check_donations(const Op *func, Arena *arena, Diags *diags);
// What is left of the sharding of an input or output of this type, which must divide evenly (close_shardings.c).
const Sharding *dividing_sharding(
    const Module *module, Arena *arena, const Type *type, const Sharding *sharding);

#endif

// Reshards of which another one of the same data does the work.
#ifndef SHARDC_PARTITION_REDUNDANT_RESHARD_H
#define SHARDC_PARTITION_REDUNDANT_RESHARD_H

#include "ir/builder.h"

// A value to put in the reshard's place: an earlier reshard of the same region, seen
// through reshapes and transposes, which are built before the reshard where they are
// needed. NULL when there is none.
Value *redundant_reshard_value(Module *module, Arena *arena, Op *reshard);

#endif

// The passes of partition/, one per file, listed in passes.def.
#ifndef SHARDC_PARTITION_PASSES_H
#define SHARDC_PARTITION_PASSES_H

#include "ir/pass.h"

#define PASS(name, function, help) PassFn function;
#include "partition/passes.def"

#endif

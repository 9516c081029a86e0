// The ways in which ops can be sharded, each op alone.
#ifndef SHARDC_PARTITION_SHARDING_OPTIONS_H
#define SHARDC_PARTITION_SHARDING_OPTIONS_H

#include "shardc/sharding_options.h"

#include "base/diag.h"
#include "ir/module.h"

// Fills *options (in the arena). False with a diagnostic.
bool list_sharding_options(
    const Module *module, Arena *arena, shardc_sharding_options *options, Diags *diags);

#endif

// target_devices: what a program is compiled for, where the caller says it beside the
// program (XLA's compile options).
#ifndef SHARDC_FRONTEND_IMPORT_TARGET_DEVICES_H
#define SHARDC_FRONTEND_IMPORT_TARGET_DEVICES_H

#include "frontend/frontend.h"

// Numbers of a program that says none; 0 = not known. A program that does not communicate and does
// not ask for its replica is the same for every replica, and stays one replica's.
void set_target_devices(Module *module, int partition_count, int replica_count);

// After the import: inputs and results of the entry without a sharding become
// replicated where their flag is set.
void keep_whole(Module *module, FlagList inputs, FlagList results);

#endif

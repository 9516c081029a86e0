// to_local: from the global program to one device's program.
#ifndef SHARDC_PARTITION_TO_LOCAL_H
#define SHARDC_PARTITION_TO_LOCAL_H

#include "ir/device_program.h"
#include "ir/module.h"

// The device program of a module that propagate_module and the reshard passes have prepared. It lives in the module's arena.
bool to_local(
    Module *module, int64_t device_count, Arena *scratch, DeviceProgram *program, Diags *diags);

#endif

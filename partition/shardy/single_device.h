// Ops whose results live on one device of the mesh (shardings over a maximal mesh).
#ifndef SHARDC_PARTITION_SINGLE_DEVICE_H
#define SHARDC_PARTITION_SINGLE_DEVICE_H

#include "ir/builder.h"

// Does a result of the op live on one device?
bool op_is_on_single_device(const Module *module, const Op *op);
// The sharding of all results that do; NULL after an error: results on different devices.
const Sharding *single_device_of(const Module *module, const Op *op, Diags *diags);
// The first sdy.mesh with axes; NULL when there is none.
const Op *module_global_mesh(const Module *module);
// All operands are brought to that device, by way of all devices of the program's mesh, and all
// results back to where their uses expect them. False after an error: results on different devices.
bool single_device_op_reshard(Module *module, Op *op, Diags *diags);
// No argument or result of a function may live on one device. False after an error.
bool single_device_check_func(const Module *module, const Op *func, Diags *diags);

#endif

// Inside lookup/: what every device has of the places that all look up, and the sum of these.
#ifndef SHARDC_CODEGEN_LOOKUP_H
#define SHARDC_CODEGEN_LOOKUP_H

#include "codegen/passes/together.h"

typedef struct Lookup {
    Module *module;
    const Replicas *replicas;
    Op *sum;           // all_reduce or reduce_scatter
    Together together; // the devices that sum
    Op *op;            // gather or dynamic_slice, of the device's part
    Value *array;      // this part
    int dim;           // of the array, along which the devices' parts lie
    Value *place;      // where in the whole array; alike on the devices
} Lookup;

// The op, if the value is the result of such a one.
Op *def_of(const Value *value, OpCode code);
// The one number that the value is everywhere on a device; false = none is known.
bool number_on(const Lookup *look, const Value *value, int64_t device, int64_t *number);
// Is the value, a number, on each device where its part begins, parts of `size` elements in the
// order of the groups?
bool begins_parts(const Lookup *look, const Value *value, int64_t size);

// Finds op, array, dim and place of what is summed; false = another thing.
bool find_gather(Lookup *look);
bool find_slice(Lookup *look);

#endif

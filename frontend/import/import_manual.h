// Manual computations, which XLA marks by what values pass on their way in and out.
#ifndef SHARDC_FRONTEND_IMPORT_MANUAL_H
#define SHARDC_FRONTEND_IMPORT_MANUAL_H

#include "base/map.h"
#include "ir/module.h"

// A custom call that values pass on their way into a manual computation, or out of it.
typedef struct ManualBorder {
    bool enters;
    const Sharding **shardings; // as seen outside: one per operand (enters), else per result
    const Attr *manual_axes;    // ATTR_AXES
} ManualBorder;

// Every computation between borders becomes an sdy.manual_computation; calls in it become what they
// call. borders: Op -> ManualBorder.
bool import_manual_computations(
    Module *module, Arena *scratch, Diags *diags, const PtrMap *borders);

#endif

// XLA's annotations become Shardy's meshes, shardings, constraints and manual computations.
#ifndef SHARDC_FRONTEND_IMPORT_SHARDINGS_H
#define SHARDC_FRONTEND_IMPORT_SHARDINGS_H

#include "base/map.h"
#include "ir/pass/pass.h"

// import_shardings: what XLA writes of shardings into StableHLO, as Shardy's attributes and ops.
//
//   In      a verified module. GSPMD: mhlo.sharding on arguments, results and ops, custom calls @Sharding, @SPMDFullToShardShape,
//           @SPMDShardToFullShape. Shardy's round-trip form, which a module attribute xla.sdy.meshes announces:
//           xla.sdy.sharding and the like in mhlo.frontend_attributes, custom calls @xla.sdy.*; mhlo.sharding repeats it.
//   Out     sdy.mesh, sdy.sharding, sdy.sharding_constraint, sdy.manual_computation ...; none of the above. The module is not
//           verified again.
//   Mesh    of GSPMD: the coarsest one that expresses all tilings, @mesh with axes _axis_0, _axis_1 ...
//   Fails   on text that is no sharding, and where a manual computation cannot be told from the program around it

// A custom call that values pass on their way into a manual computation, or out of it.
typedef struct ManualBorder {
    bool enters;
    const Sharding **shardings; // as seen outside: one per operand (enters), else per result
    const Attr *manual_axes;    // ATTR_AXES
} ManualBorder;

// Every computation between borders becomes an sdy.manual_computation; calls in it become what they call. borders: Op -> ManualBorder.
// Private to import_shardings.c and import_manual.c.
bool import_manual_computations(
    Module *module, Arena *scratch, Diags *diags, const PtrMap *borders);

#endif

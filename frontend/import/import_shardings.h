// XLA's annotations become Shardy's meshes, shardings, constraints and manual computations.
#ifndef SHARDC_FRONTEND_IMPORT_SHARDINGS_H
#define SHARDC_FRONTEND_IMPORT_SHARDINGS_H

#include "ir/pass/pass.h"

// import_shardings: what XLA writes of shardings into StableHLO, as Shardy's attributes and ops.
//
//   In      a verified module. GSPMD: mhlo.sharding on arguments, results and ops, custom calls
//           @Sharding, @SPMDFullToShardShape, @SPMDShardToFullShape. Shardy's round-trip form,
//           which a module attribute xla.sdy.meshes announces: xla.sdy.sharding and the like in
//           mhlo.frontend_attributes, custom calls @xla.sdy.*; mhlo.sharding repeats it.
//   Out     sdy.mesh, sdy.sharding, sdy.sharding_constraint, sdy.manual_computation ...; none of
//           the above. The module is not verified again.
//   Mesh    of GSPMD: the coarsest one that expresses all tilings, @mesh with axes _axis_0,
//           _axis_1 ...
//   Fails   on text that is no sharding, and where a manual computation cannot be
//           told from the program around it

#endif

// Propagation: from the shardings that the user wrote on some values to a sharding on every value.
#ifndef SHARDC_PARTITION_PROPAGATE_H
#define SHARDC_PARTITION_PROPAGATE_H

#include "ir/module.h"
#include "ir/pass/pass.h"

// The whole way from a program as a reader gives it to one that is ready for explicit reshards.
//
//   In      a verified module. Calls, named computations, constraints, groups, barriers and open shardings are allowed.
//   Out     one function, the entry: calls and named computations are inlined (their in/out shardings stay as sdy.reshard). Every
//           sharding is exact: closed dims, no priorities, no replicated lists; NULL = replicated (or the value has no tensor type).
//           Constraints are sdy.reshard, data-flow edges, groups, barriers and (but for the user's) sharding rules are gone.
//           sdy.manual_computation stays, with its in/out shardings; its block arguments carry their local sharding over the free
//           axes. While/case/if results carry the shardings of their edges, the block arguments of while the same ones. What a
//           region returns may be sharded otherwise than the result. Shardings of @main's arguments and results divide their
//           dimensions evenly, as Shardy trims them. Meshes are named by symbol, none is inlined.
//
// False with diagnostics.
bool propagate_module(Module *module, PassContext *pass);

#endif

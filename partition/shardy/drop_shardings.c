// drop_shardings: the end of the way to a device program for tools that run it as plain StableHLO.
//
//   In      any module
//   Out     no sharding, no sdy.mesh
//   Keeps   everything else. Ops that are nothing without a sharding (reshards, collectives, manual
//           computations ...) keep theirs, and with them the meshes
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"

// Is the sharding part of what the op does? Shardings of functions and of the results of others
// are only about where values lie.
static bool needs_sharding(const Op *op) {
    bool is_region = op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
    bool is_reshard = op->code == OP_SDY_CONSTRAINT || op->code == OP_SDY_RESHARD;
    return is_region || is_reshard || op_is_sdy_collective(op);
}

static const Sharding *drop(const Sharding *sharding, const ShardingPlace *place, void *user) {
    bool *any_kept = user;
    const Op *op = place->op ? place->op : place->value->def;
    if (!op || !needs_sharding(op)) return NULL;
    *any_kept = true;
    return sharding;
}

PassResult pass_drop_sharding_and_mesh(Module *module, PassContext *pass) {
    (void)pass;
    bool any_kept = false;
    bool changed = module_map_shardings(module, drop, &any_kept);
    for (Op *op = module->body->first, *next; op && !any_kept; op = next) {
        next = op->next;
        if (op->code != OP_SDY_MESH) continue;
        op_erase(op);
        changed = true;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

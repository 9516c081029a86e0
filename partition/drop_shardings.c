// drop_shardings: the end of the way to a device program for tools that run it as plain StableHLO, and the steps of Shardy's pipeline that
// convert_global_to_local has taken over.
//
//   In      any module
//   Out     no sharding, no sdy.mesh
//   Keeps   everything else
#include "ir/builder.h"
#include "partition/data_flow.h"
#include "partition/passes.h"

static const Sharding *drop(const Sharding *sharding, const ShardingPlace *place, void *user) {
    (void)sharding;
    (void)place;
    (void)user;
    return NULL;
}

PassResult pass_drop_sharding_and_mesh(Module *module, PassContext *pass) {
    (void)pass;
    bool changed = module_map_shardings(module, drop, NULL);
    for (Op *op = module->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code != OP_SDY_MESH) continue;
        op_erase(op);
        changed = true;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

// Dimensions that do not divide: tiles are padded up, and padding is masked where it would matter.
PassResult pass_pad_for_divisibility(Module *module, PassContext *pass) {
    (void)module;
    (void)pass;
    return PASS_UNCHANGED;
}

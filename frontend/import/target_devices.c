// target_devices: see target_devices.h.
#include "frontend/import/target_devices.h"

static bool is_same_on_all(Op *op, void *user) {
    (void)user;
    return !op_has(op, TRAIT_COLLECTIVE) && op->code != OP_REPLICA_ID &&
           op->code != OP_PARTITION_ID;
}

static void set_count(Module *module, StrView name, int count) {
    op_set_extra(module, module->op, name, attr_int(module->context, count, ELEMENT_I32));
}

void set_target_devices(Module *module, int partition_count, int replica_count) {
    if (partition_count > 1 && !op_extra(module->op, "mhlo.num_partitions"))
        set_count(module, SV("mhlo.num_partitions"), partition_count);
    if (replica_count > 1 && !op_extra(module->op, "mhlo.num_replicas") &&
        !region_walk(module->body, is_same_on_all, NULL)) {
        set_count(module, SV("mhlo.num_replicas"), replica_count);
    }
}

// The name of a mesh over all devices; empty: nothing is sharded.
static StrView whole_mesh(const Module *module) {
    int64_t devices = module_device_count(module);
    for (const Op *op = module->body->first; op; op = op->next) {
        const Mesh *mesh = op_mesh(op);
        if (mesh && mesh_device_count(mesh) == devices) return op_text(op, NAME_SYM_NAME);
    }
    return (StrView){0};
}

static bool is_set(FlagList list, int i) {
    if (list.count == 1) return list.flags[0] != 0;
    return (size_t)i < list.count && list.flags[i] != 0;
}

void keep_whole(Module *module, FlagList inputs, FlagList results) {
    const Op *entry = module_entry(module, (StrView){0});
    StrView mesh = whole_mesh(module);
    if (!entry || entry->region_count == 0 || mesh.size == 0) return;
    const Region *body = func_body(entry);
    for (int i = 0; i < body->arg_count; i++) {
        Value *arg = body->args[i];
        if (!is_set(inputs, i) || arg->sharding || arg->type->kind != TYPE_TENSOR) continue;
        arg->sharding = sharding_replicated(module->context, mesh, arg->type->rank);
    }
    const Op *exit = region_terminator(body);
    for (int i = 0; exit && entry->result_shardings && i < exit->operand_count; i++) {
        const Type *type = op_operand_type(exit, i);
        if (!is_set(results, i) || entry->result_shardings[i] || type->kind != TYPE_TENSOR)
            continue;
        entry->result_shardings[i] = sharding_replicated(module->context, mesh, type->rank);
    }
}

// device_count: how many devices a program is for.
//
//   replicas_to_partitions   replicas that are not partitioned are devices like partitions: the
//                            program becomes one of as many partitions
//   check_device_count       fails beyond what a program can be made for
#include "ir/builder.h"
#include "partition/passes.h"

static bool rename_id(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_REPLICA_ID && op->code != OP_PARTITION_ID) return true;
    const Type *type = op_result_type(op, 0);
    Builder builder = builder_before(module, op);
    Op *id = op->code == OP_REPLICA_ID ? build_op(&builder, OP_PARTITION_ID, 0, NULL, 1, &type, 0)
                                       : build_splat(&builder, type, 0)->def;
    value_replace_uses(op_result(op, 0), op_result(id, 0));
    op_erase(op);
    return true;
}

PassResult pass_replicas_to_partitions(Module *module, PassContext *pass) {
    const Attr *replicas = op_extra(module->op, "mhlo.num_replicas");
    const Attr *partitions = op_extra(module->op, "mhlo.num_partitions");
    if (!replicas || replicas->kind != ATTR_INT || replicas->integer <= 1) return PASS_UNCHANGED;
    if (partitions && partitions->kind == ATTR_INT && partitions->integer > 1) {
        diag_unsupported(
            pass->diags, module->op->loc,
            "programs with %lld replicas of %lld partitions are not supported, only with several "
            "of one kind",
            (long long)replicas->integer, (long long)partitions->integer);
        return PASS_FAILED;
    }
    op_set_extra(module, module->op, SV("mhlo.num_partitions"), replicas);
    op_set_extra(module, module->op, SV("mhlo.num_replicas"), NULL);
    region_walk(module->body, rename_id, module);
    return PASS_CHANGED;
}

// The tables that say who talks to whom grow with the square of the devices.
bool device_count_fits(int64_t devices, const Loc *loc, Diags *diags) {
    enum { MAX_DEVICES = 4096 };
    if (devices <= MAX_DEVICES) return true;
    diag_unsupported(
        diags, loc, "programs for more than %d devices are not supported; the mesh has %lld",
        (int)MAX_DEVICES, (long long)devices);
    return false;
}

PassResult pass_check_device_count(Module *module, PassContext *pass) {
    int64_t devices = module_device_count(module);
    bool fits = device_count_fits(devices, module->op->loc, pass->diags);
    return fits ? PASS_UNCHANGED : PASS_FAILED;
}

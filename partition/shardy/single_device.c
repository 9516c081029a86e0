// single_device: reshards around ops that one device computes.
//
//   before  %0 = stablehlo.custom_call @f(%a) {sharding = <@device_0, []>}     a: <@mesh, [{"x"}]>
//   after   %1 = sdy.reshard %a <@mesh, [{}]>
//           %2 = sdy.reshard %1 <@device_0, []>
//           %0 = stablehlo.custom_call @f(%2) {sharding = <@device_0, []>}
//           %3 = sdy.reshard %0 <@mesh, [{}]>
#include "partition/shardy/single_device.h"

#include "ir/analysis/data_flow.h"

static const Mesh *single_device_mesh(const Module *module, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    return mesh && mesh_is_maximal(mesh) ? mesh : NULL;
}

bool op_is_on_single_device(const Module *module, const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (single_device_mesh(module, op->results[i].sharding)) return true;
    }
    return false;
}

bool single_device_check_func(const Module *module, const Op *func, Diags *diags) {
    static const char text[] =
        "'func.func' op function %s %d cannot have a single-device (maximal) sharding attribute";
    const Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        if (!single_device_mesh(module, body->args[i]->sharding)) continue;
        diag_error(diags, func->loc, text, "argument", i);
        return false;
    }
    for (int i = 0; i < func_result_count(func); i++) {
        if (!single_device_mesh(module, func_result_sharding(func, i))) continue;
        diag_error(diags, func->loc, text, "result", i);
        return false;
    }
    return true;
}

const Op *module_global_mesh(const Module *module) {
    for (const Op *op = module->body->first; op; op = op->next) {
        const Mesh *mesh = op_mesh(op);
        if (mesh && mesh->axis_count > 0) return op;
    }
    return NULL;
}

const Sharding *single_device_of(const Module *module, const Op *op, Diags *diags) {
    const Sharding *found = NULL;
    for (int i = 0; i < op->result_count; i++) {
        const Sharding *sharding = op->results[i].sharding;
        const Mesh *mesh = single_device_mesh(module, sharding);
        if (!mesh) continue;
        if (found && sharding_mesh(module, found) != mesh) {
            diag_error(
                diags, op->loc, "'%.*s' op has conflicting single-device result shardings",
                SV_ARG(op->name));
            return NULL;
        }
        if (!found) found = sharding;
    }
    return found;
}

static void bring_operand(
    Module *module, Op *op, int i, StrView mesh_name, const Sharding *device) {
    Value *x = op_operand(op, i);
    if (x->type->kind != TYPE_TENSOR) return;
    const Sharding *own = value_sharding(module, x);
    const Mesh *mesh = own ? sharding_mesh(module, own) : NULL;
    if (mesh && mesh == sharding_mesh(module, device)) return;
    Builder builder = builder_before(module, op);
    bool is_on_all =
        !own || (sharding_is_fully_replicated(own) && mesh == module_find_mesh(module, mesh_name));
    if (!is_on_all)
        x = build_reshard(
            &builder, x, sharding_replicated(module->context, mesh_name, x->type->rank));
    op_set_operand(op, i, build_reshard(&builder, x, device));
}

// Behind `last`; returns the last op that was made.
static Op *bring_result(
    Module *module, Value *result, Op *last, StrView mesh_name, const Sharding *device) {
    const Sharding *wanted = result->sharding;
    const Sharding *on_all = sharding_replicated(module->context, mesh_name, result->type->rank);
    if (!wanted || single_device_mesh(module, wanted)) wanted = on_all;
    Builder builder = builder_after(module, last);
    Op *first = build_reshard(&builder, result, on_all)->def;
    Op *end = first;
    if (wanted != on_all) end = build_reshard(&builder, op_result(first, 0), wanted)->def;
    value_replace_uses_except(result, op_result(end, 0), first);
    result->sharding = device;
    return end;
}

bool single_device_op_reshard(Module *module, Op *op, Diags *diags) {
    const Sharding *device = single_device_of(module, op, diags);
    if (!device) return false;
    const Op *mesh = module_global_mesh(module);
    if (!mesh) return true;
    StrView mesh_name = op_text(mesh, NAME_SYM_NAME);
    for (int i = 0; i < op->operand_count; i++)
        bring_operand(module, op, i, mesh_name, device);
    Op *last = op;
    for (int i = 0; i < op->result_count; i++) {
        Value *result = op_result(op, i);
        if (result->type->kind == TYPE_TENSOR)
            last = bring_result(module, result, last, mesh_name, device);
        else
            result->sharding = sharding_replicated(module->context, mesh_name, 0);
    }
    return true;
}

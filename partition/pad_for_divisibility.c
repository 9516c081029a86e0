// pad_for_divisibility: what Shardy's pass of that name asks of a program. The padding itself is part of convert_global_to_local.
//
//   In      exact shardings
//   Out     the same program; an error where an argument or a result of a function does not divide by its sharding, as Shardy's device
//           programs take and give whole tiles
//   Keeps   everything: inside a function tiles are padded up, and padding is masked where it would matter
#include "ir/builder.h"
#include "partition/data_flow.h"
#include "partition/passes.h"

static bool divides(const Module *module, const Type *type, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    if (!mesh || mesh_is_maximal(mesh) || type->kind != TYPE_TENSOR) return true;
    for (int d = 0; d < type->rank && type_is_static(type); d++) {
        if (type->dims[d] % sharding_dim_size(mesh, sharding, d) != 0) return false;
    }
    return true;
}

static bool refuse(PassContext *pass, const Op *func, const char *what, int i) {
    diag_error(pass->diags, func->loc, "%s #%d has a non-divisible sharding", what, i);
    diag_error(pass->diags, func->loc, "failed to legalize operation 'func.func'");
    return false;
}

static bool check_func(const Module *module, PassContext *pass, const Op *func) {
    const Region *body = func_body(func);
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    for (int i = 0; i < body->arg_count; i++) {
        if (!divides(module, body->args[i]->type, body->args[i]->sharding))
            return refuse(pass, func, "argument", i);
    }
    for (int i = 0; i < func_result_count(func); i++) {
        if (!divides(module, type->parts[type->input_count + i], func_result_sharding(func, i)))
            return refuse(pass, func, "result", i);
    }
    return true;
}

PassResult pass_pad_for_divisibility(Module *module, PassContext *pass) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && !check_func(module, pass, op)) return PASS_FAILED;
    }
    return PASS_UNCHANGED;
}

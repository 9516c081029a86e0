// close_shardings: the end of propagation; every sharding becomes exact.
//
//   In      any verified module. Dimensions may be open, axes may be listed as replicated.
//   Out     no open dimension and no replicated list: an axis that is not named is replicated.
//   Keeps   values without a sharding stay without one. Cannot fail.
//
//   before  %0 = stablehlo.add %a, %b {sharding = <@mesh, [{"x", ?}, {?}], replicated={"y"}>}
//   after   %0 = stablehlo.add %a, %b {sharding = <@mesh, [{"x"}, {}]>}
//
// With it: trimming the shardings of what enters and leaves the program, which must divide evenly.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/propagate/projection.h"

// A closed dimension without axes has no priority; the others keep theirs.
static const Sharding *close_one(const Sharding *sharding, const ShardingPlace *place, void *user) {
    (void)place;
    Sharding closed = *sharding_closed(user, sharding);
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < closed.rank; d++) {
        dims[d] = closed.dims[d];
        if (dims[d].axis_count > 0) dims[d].priority = sharding->dims[d].priority;
    }
    closed.dims = dims;
    return sharding_intern(user, &closed);
}

PassResult pass_close_shardings(Module *module, PassContext *pass) {
    (void)pass;
    return module_map_shardings(module, close_one, module->context) ? PASS_CHANGED : PASS_UNCHANGED;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The longest prefix of the axes (the last one possibly a part) whose size divides the dim.
static DimSharding dividing_dim(
    Arena *arena, const Mesh *mesh, const DimSharding *dim, int64_t size) {
    int64_t sharded = axis_list_size(mesh, dim->axes, dim->axis_count);
    if (sharded > 0 && size % sharded == 0) return *dim;
    DimSharding trimmed = *dim;
    trimmed.priority = PRIORITY_NONE;
    trimmed.axis_count = 0;
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, dim->axis_count);
    for (int i = 0; i < dim->axis_count; i++) {
        int64_t axis_size = axis_ref_size(mesh, &dim->axes[i]);
        int64_t common = gcd(axis_size, size);
        if (common <= 1) break;
        axes[trimmed.axis_count++] =
            common == axis_size
                ? dim->axes[i]
                : (AxisRef){dim->axes[i].name, axis_ref_pre_size(&dim->axes[i]), common};
        if (common != axis_size) break;
        size /= common;
    }
    trimmed.axes = axes;
    return trimmed;
}

const Sharding *dividing_sharding(
    const Module *module, Arena *arena, const Type *type, const Sharding *sharding) {
    if (!sharding || !type_is_static(type)) return sharding;
    const Mesh *mesh = sharding_mesh(module, sharding);
    if (!mesh || sharding->rank != type->rank) return sharding;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++)
        dims[d] = dividing_dim(arena, mesh, &sharding->dims[d], type->dims[d]);
    Sharding trimmed = *sharding;
    trimmed.dims = dims;
    return sharding_intern(module->context, &trimmed);
}

typedef struct Trimming {
    Module *module;
    Arena *arena;
    // a function whose closed dimensions stay: the caller's tiles are what the program says; or
    // NULL
    const Op *exact;
} Trimming;

// Of an argument or a result of the function.
static const Sharding *trimmed_sharding(
    const Trimming *trimming, const Op *func, const Type *type, const Sharding *sharding) {
    const Sharding *trimmed = dividing_sharding(trimming->module, trimming->arena, type, sharding);
    if (trimmed == sharding || func != trimming->exact) return trimmed;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++)
        dims[d] = sharding->dims[d].is_open ? trimmed->dims[d] : sharding->dims[d];
    Sharding kept = *sharding;
    kept.dims = dims;
    return sharding_intern(trimming->module->context, &kept);
}

static void trim_func(const Trimming *trimming, Op *func) {
    Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        Value *arg = body->args[i];
        arg->sharding = trimmed_sharding(trimming, func, arg->type, arg->sharding);
    }
    const Type *type =
        op_attr(func, NAME_FUNCTION_TYPE) ? op_attr(func, NAME_FUNCTION_TYPE)->type : NULL;
    for (int i = 0; type && func->result_shardings && i < func_result_count(func); i++) {
        const Type *result = type->parts[type->input_count + i];
        func->result_shardings[i] =
            trimmed_sharding(trimming, func, result, func->result_shardings[i]);
    }
}

static bool trim_op(Op *op, void *user) {
    const Trimming *trimming = user;
    Module *module = trimming->module;
    if (op->code == OP_FUNC) trim_func(trimming, op);
    if (op->code == OP_CALL) {
        for (int i = 0; i < op->result_count; i++) {
            Value *result = op_result(op, i);
            result->sharding =
                dividing_sharding(module, trimming->arena, result->type, result->sharding);
        }
    }
    if (op->code == OP_SDY_MANUAL) {
        for (int i = 0; i < op->regions[0]->arg_count; i++) {
            Value *arg = op->regions[0]->args[i];
            const Sharding *old = value_sharding(module, arg);
            const Sharding *trimmed = dividing_sharding(module, trimming->arena, arg->type, old);
            if (trimmed != old) value_set_sharding(module, arg, trimmed);
        }
        for (int i = 0; i < op->result_count; i++) {
            const Sharding *old = region_out_sharding(op, i);
            const Sharding *trimmed =
                dividing_sharding(module, trimming->arena, op_result_type(op, i), old);
            if (trimmed != old) value_set_sharding(module, op_result(op, i), trimmed);
        }
    }
    return true;
}

PassResult pass_update_non_divisible_shardings(Module *module, PassContext *pass) {
    Trimming trimming = {
        module, pass->scratch,
        pass_flag(pass, "only-open") ? module_entry(module, (StrView){0}) : NULL};
    region_walk(module->body, trim_op, &trimming);
    return PASS_CHANGED;
}

// Open dims end before their first sub-axis.
static const Sharding *without_sub_axes(Context *context, const Sharding *sharding) {
    if (!sharding) return NULL;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        dims[d] = sharding->dims[d];
        if (!dims[d].is_open) continue;
        int count = 0;
        while (count < dims[d].axis_count && dims[d].axes[count].size == 0)
            count++;
        dims[d].axis_count = count;
    }
    Sharding whole = *sharding;
    whole.dims = dims;
    return sharding_intern(context, &whole);
}

PassResult pass_remove_input_output_sub_axes(Module *module, PassContext *pass) {
    (void)pass;
    Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    Region *body = func_body(main);
    for (int i = 0; i < body->arg_count; i++) {
        body->args[i]->sharding = without_sub_axes(module->context, body->args[i]->sharding);
    }
    for (int i = 0; main->result_shardings && i < func_result_count(main); i++) {
        main->result_shardings[i] = without_sub_axes(module->context, main->result_shardings[i]);
    }
    return PASS_CHANGED;
}

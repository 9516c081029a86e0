// to_local: the walk from the global program to one device's, and the map of values.
//
//   In      a flat @main (manual computations, while, case and if inside) whose values all have closed shardings
//   Out     a new module with @main on local types (ir/device_program.h says what holds)
//   Keeps   the order of ops, their locations, the attributes of @main's arguments and results
//
//   before  %0 = stablehlo.add %a, %b {sharding = <@mesh, [{"x"}, {}]>} : tensor<8x4xf32>
//   after   %0 = stablehlo.add %a, %b : tensor<4x4xf32>                          with "x" = 2
#include "partition/local/to_local.h"

#include "ir/data_flow.h"
#include "partition/passes.h"

#include <assert.h>

static LocalFn *const local_table[OP_COUNT] = {
#define OP(name, text, operands, results, regions, traits, infer, eval, rule, local, lower) \
    [OP_##name] = local_##local,
#include "ir/dialects/ops.def"
};

const Mesh *local_mesh(Local *local, const Sharding *sharding) {
    if (!sharding) return NULL;
    const Mesh *mesh = sharding->mesh;
    if (!mesh) {
        mesh = ptr_map_get(&local->meshes, sharding->mesh_name.data);
        if (!mesh) {
            mesh = sharding_mesh(local->global, sharding);
            if (mesh) {
                ptr_map_set(&local->meshes, sharding->mesh_name.data, (void *)(uintptr_t)mesh);
            }
        }
    }
    return !mesh || mesh_is_maximal(mesh) || mesh->axis_count == 0 ? NULL : mesh;
}

const Sharding *local_sharding(const Value *global) {
    while (!global->sharding && global->def && global->def->code == OP_SDY_BARRIER)
        global = op_operand(global->def, 0); // as it came, as explicit reshards have it
    if (global->sharding) return global->sharding;
    if (global->def && global->def->code == OP_SDY_MANUAL) {
        return region_out_sharding(global->def, global->index);
    }
    if (global->def && global->def->code == OP_SDY_NAMED) {
        return region_out_sharding(global->def, global->index);
    }
    if (!global->region || !global->region->owner) return NULL;
    const Op *owner = global->region->owner;
    if (owner->code == OP_SDY_NAMED) return region_in_sharding(owner, global->index);
    return owner->code == OP_WHILE ? owner->results[global->index].sharding : NULL;
}

const Type *local_type(Local *local, const Type *global, const Sharding *sharding) {
    if (!local_mesh(local, sharding) || global->kind != TYPE_TENSOR) return global;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < global->rank; d++)
        dims[d] = tiles_of(local, global, sharding, d).tile;
    return type_with_dims(local->context, global, global->rank, dims);
}

Value *local_value(Local *local, const Value *global) {
    Value *value = ptr_map_get(&local->values, global);
    assert(value && "an operand is defined before its use");
    return value;
}

Value *local_value_as(Local *local, const Value *global, const Sharding *sharding) {
    return value_reshard(
        local, local_value(local, global), global->type, local_sharding(global), sharding);
}

void local_set(Local *local, const Value *global, Value *value) {
    assert(value->type == local_type(local, global->type, local_sharding(global)));
    ptr_map_set(&local->values, global, value);
}

void local_set_as(Local *local, const Value *global, Value *value, const Sharding *sharding) {
    const Sharding *own = local_sharding(global);
    local_set(local, global, value_reshard(local, value, global->type, sharding, own));
}

Op *local_clone(
    Local *local, const Op *op, int operand_count, Value *const *operands,
    const Type *const *types) {
    Op *clone = build_op(
        &local->builder, op->code, operand_count, operands, op->result_count, types,
        op->region_count);
    for (int i = 0; i < op->attr_count; i++) {
        op_set_attr(local->module, clone, op->attrs[i].name, op->attrs[i].value);
    }
    clone->extra = op->extra;
    for (int r = 0; r < op->region_count; r++) {
        if (!local_region(local, op->regions[r], clone->regions[r])) return NULL;
    }
    return clone;
}

void local_keep_shardings(Local *local, const Op *op, Op *made) {
    for (int i = 0; local->keeps_form && i < op->result_count; i++)
        op_result(made, i)->sharding = op->results[i].sharding;
}

// Ops whose tiles Shardy's pass makes anew: only where nothing is sharded do they stay what they are.
static bool is_made_anew(const Op *op) {
    return op->code == OP_CONVOLUTION || op->code == OP_SLICE || op->code == OP_IOTA ||
           op->code == OP_PAD;
}

// In Shardy's form an op that is the same op on tiles keeps its shardings.
static void keep_form(Local *local, const Op *op) {
    const Value *result = op->result_count ? ptr_map_get(&local->values, op_result(op, 0)) : NULL;
    Op *made = result ? result->def : NULL;
    if (!made || made->code != op->code || made->result_count != op->result_count) return;
    if (is_made_anew(op) && result->type != op_result_type(op, 0)) return;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(made, i)->sharding) return;
    }
    local_keep_shardings(local, op, made);
}

bool local_op(Local *local, const Op *op) {
    local->builder.loc = op->loc;
    if (!local_table[op->code](local, op)) return false;
    if (local->keeps_form) keep_form(local, op);
    return true;
}

bool local_region(Local *local, const Region *from, Region *to) {
    Builder outer = local->builder;
    local->builder = builder_at_end(local->module, to);
    for (int i = 0; i < from->arg_count; i++) {
        const Value *arg = from->args[i];
        const Type *type = local_type(local, arg->type, local_sharding(arg));
        ptr_map_set(&local->values, arg, region_add_arg(local->module, to, type, arg->loc));
    }
    bool ok = true;
    for (const Op *op = from->first; ok && op; op = op->next)
        ok = local_op(local, op);
    local->builder = outer;
    return ok;
}

bool local_none(Local *local, const Op *op) {
    (void)local;
    (void)op;
    return true;
}

bool local_absent(Local *local, const Op *op) {
    diag_unsupported(
        local->diags, op->loc, "'%.*s' op is not supported in a sharded program", SV_ARG(op->name));
    return false;
}

// ---- the module ----

// Dimensions of sharded values are counted in i32 on the devices.
static bool check_sizes(Local *local, const Value *value) {
    for (int d = 0; value->type->kind == TYPE_TENSOR && d < value->type->rank; d++) {
        if (value->type->dims[d] > INT32_MAX / 4) {
            diag_unsupported(
                local->diags, value->loc, "dimension %d of a sharded program has %lld elements", d,
                (long long)value->type->dims[d]);
            return false;
        }
        if (value->type->dims[d] < 0) {
            diag_unsupported(
                local->diags, value->loc, "dimension %d has no static size in a sharded program",
                d);
            return false;
        }
    }
    return true;
}

static bool check_mesh(Local *local, const Loc *loc, const Sharding *sharding) {
    if (!sharding) return true;
    const Mesh *mesh = sharding_mesh(local->global, sharding);
    if (!mesh) {
        diag_error(local->diags, loc, "unknown mesh: @%.*s", SV_ARG(sharding->mesh_name));
        return false;
    }
    if (!mesh_is_maximal(mesh) && mesh->axis_count > 0 &&
        mesh_device_count(mesh) != local->device_count) {
        diag_unsupported(
            local->diags, loc,
            "mesh @%.*s has %lld devices, but the program runs on %lld: a mesh over some of the "
            "devices is not supported",
            SV_ARG(sharding->mesh_name), (long long)mesh_device_count(mesh),
            (long long)local->device_count);
        return false;
    }
    return true;
}

static bool check_value(Local *local, const Value *value) {
    return check_sizes(local, value) && check_mesh(local, value->loc, local_sharding(value));
}

static bool check_op(Op *op, void *user) {
    Local *local = user;
    for (int i = 0; i < op->result_count; i++) {
        if (!check_value(local, op_result(op, i)) ||
            !check_mesh(local, op->loc, region_out_sharding(op, i)))
            return false;
    }
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            if (!check_value(local, op->regions[r]->args[i]) ||
                !check_mesh(local, op->loc, region_in_sharding(op, i)))
                return false;
        }
    }
    for (int i = 0; op->code == OP_FUNC && i < func_result_count(op); i++) {
        if (!check_mesh(local, op->loc, func_result_sharding(op, i))) return false;
    }
    return true;
}

// tf.aliasing_output = 3 : i32 of argument i; -1 when it has none.
static int argument_alias(const Op *func, int i) {
    const Attr *alias = attr_dict_get(func_arg_attrs(func, i), SV("tf.aliasing_output"));
    bool is_number = alias && alias->kind == ATTR_INT;
    return is_number && alias->integer >= 0 && alias->integer < INT32_MAX ? (int)alias->integer
                                                                          : -1;
}

static bool argument_is_donated(const Op *func, int i) {
    const Attr *donor = attr_dict_get(func_arg_attrs(func, i), SV("jax.buffer_donor"));
    return (donor && donor->kind == ATTR_BOOL && donor->integer) || argument_alias(func, i) >= 0;
}

static GlobalLayout layout_of(Local *local, const Type *global, const Sharding *sharding) {
    const Mesh *mesh = local_mesh(local, sharding);
    return (GlobalLayout){
        .global = global,
        .local = local_type(local, global, sharding),
        .sharding = mesh ? sharding : NULL,
        .mesh = mesh,
        .alias = -1,
    };
}

static void fill_layouts(Local *local, const Op *func, DeviceProgram *program) {
    const Region *body = func_body(func);
    const Op *end = region_terminator(body);
    int result_count = end->operand_count;
    GlobalLayout *args = ARENA_ARRAY(local->module->arena, GlobalLayout, body->arg_count);
    GlobalLayout *results = ARENA_ARRAY(local->module->arena, GlobalLayout, result_count);
    for (int i = 0; i < result_count; i++) {
        const Sharding *sharding = func->result_shardings ? func->result_shardings[i] : NULL;
        results[i] = layout_of(local, op_operand_type(end, i), sharding);
    }
    for (int i = 0; i < body->arg_count; i++) {
        args[i] = layout_of(local, body->args[i]->type, local_sharding(body->args[i]));
        args[i].donated = argument_is_donated(func, i);
        int alias = argument_alias(func, i);
        if (alias < 0 || alias >= result_count || results[alias].alias >= 0) continue;
        if (results[alias].global == args[i].global && results[alias].local != args[i].local) {
            diag_warning(
                local->diags, body->args[i]->loc,
                "argument %d keeps its memory: result %d, which tf.aliasing_output names, is "
                "sharded in another way",
                i, alias);
        }
        if (results[alias].local != args[i].local) continue;
        args[i].alias = alias;
        results[alias].alias = i;
    }
    program->arg_count = body->arg_count;
    program->args = args;
    program->result_count = result_count;
    program->results = results;
}

// The first ops of main: partition_id as i32. Coordinates follow when they are asked for.
static void begin_prologue(Local *local, Region *body) {
    Builder builder = builder_at_end(local->module, body);
    const Type *type = type_scalar(local->context, ELEMENT_UI32);
    Op *id = build_op(&builder, OP_PARTITION_ID, 0, NULL, 1, &type, 0);
    local->device = build_convert(&builder, op_result(id, 0), ELEMENT_I32);
    local->prologue = local->device->def;
}

static bool local_func(Local *local, const Op *func, DeviceProgram *program) {
    fill_layouts(local, func, program);
    const Type **types =
        ARENA_ARRAY(local->scratch, const Type *, program->arg_count + program->result_count);
    for (int i = 0; i < program->arg_count; i++)
        types[i] = program->args[i].local;
    for (int i = 0; i < program->result_count; i++) {
        types[program->arg_count + i] = program->results[i].local;
    }
    Builder builder = builder_at_end(local->module, local->module->body);
    builder.loc = func->loc;
    Op *main = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    for (int i = 0; i < func->attr_count; i++) {
        op_set_attr(local->module, main, func->attrs[i].name, func->attrs[i].value);
    }
    const Type *type = type_function(
        local->context, program->arg_count, types, program->result_count,
        types + program->arg_count);
    op_set_attr(local->module, main, NAME_FUNCTION_TYPE, attr_type(local->context, type));
    main->extra = func->extra;
    main->result_shardings =
        ARENA_ARRAY(local->module->arena, const Sharding *, program->result_count);
    for (int i = 0; local->keeps_form && func->result_shardings && i < program->result_count; i++)
        main->result_shardings[i] = func->result_shardings[i];
    program->main = main;

    Region *body = func_body(main);
    const Region *from = func_body(func);
    for (int i = 0; i < from->arg_count; i++) {
        Value *arg = region_add_arg(local->module, body, types[i], from->args[i]->loc);
        local_set(local, from->args[i], arg);
        if (local->keeps_form) arg->sharding = from->args[i]->sharding;
    }
    if (!local->keeps_form) begin_prologue(local, body);
    local->builder = builder_at_end(local->module, body);
    for (const Op *op = from->first; op; op = op->next) {
        if (!local_op(local, op)) return false;
    }
    return true;
}

static Local local_create(Module *module, int64_t device_count, Arena *scratch, Diags *diags) {
    return (Local){
        .global = module,
        .module = module_create(module->context, module->arena),
        .context = module->context,
        .scratch = scratch,
        .diags = diags,
        .values = ptr_map(scratch),
        .meshes = ptr_map(scratch),
        .device_count = device_count,
        .index = ELEMENT_I32,
    };
}

static bool check_func(Local *local, Op *func) {
    return check_op(func, local) && region_walk(func_body(func), check_op, local);
}

// The largest channel of the program's own collectives.
static bool find_channel(Op *op, void *user) {
    int64_t *largest = user;
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    if (channel && channel->kind == ATTR_CHANNEL && channel->ints[0] > *largest)
        *largest = channel->ints[0];
    return true;
}

bool to_local(
    Module *module, int64_t device_count, Arena *scratch, DeviceProgram *program, Diags *diags) {
    Local local = local_create(module, device_count, scratch, diags);
    Op *func = module_entry(module, (StrView){0});
    if (!func) {
        diag_error(diags, module->op->loc, "the program has no entry function");
        return false;
    }
    if (!check_func(&local, func)) return false;
    region_walk(func_body(func), find_channel, &local.channel_count);
    Op *top = local.module->op;
    for (int i = 0; i < module->op->attr_count; i++) {
        op_set_attr(local.module, top, module->op->attrs[i].name, module->op->attrs[i].value);
    }
    top->extra = module->op->extra;
    if (!local_func(&local, func, program)) return false;
    program->module = local.module;
    program->device_count = device_count;
    return true;
}

static void count_mesh(Local *local, const Sharding *sharding) {
    const Mesh *mesh = local_mesh(local, sharding);
    if (mesh && mesh_device_count(mesh) > local->device_count)
        local->device_count = mesh_device_count(mesh);
}

static bool count_devices(Op *op, void *user) {
    for (int i = 0; i < op->result_count; i++)
        count_mesh(user, local_sharding(op_result(op, i)));
    return true;
}

// As many as the module says, or as the meshes have that the function names.
static void set_device_count(Local *local, const Op *func) {
    local->device_count = 0;
    if (op_extra(local->global->op, "mhlo.num_partitions")) {
        local->device_count = module_device_count(local->global);
        return;
    }
    for (int i = 0; i < func_body(func)->arg_count; i++)
        count_mesh(local, local_sharding(func_body(func)->args[i]));
    for (int i = 0; i < func_result_count(func); i++)
        count_mesh(local, func_result_sharding(func, i));
    region_walk(func_body(func), count_devices, local);
    if (local->device_count == 0) local->device_count = module_device_count(local->global);
}

// Every function on its own, in place, in Shardy's form: for shardc-opt.
PassResult pass_convert_global_to_local(Module *module, PassContext *pass) {
    Local local = local_create(module, 0, pass->scratch, pass->diags);
    local.keeps_form = true;
    local.index = ELEMENT_I64;
    local.per_dim_all_gather = pass_flag(pass, "per-dim-all-gather", false);
    local.separate_reduce_scatter =
        !pass_flag(pass, "combine-multi-dimension-reduce-scatter", false);
    local.groups_by_axes = pass_flag(pass, "enable-rgv3", false);
    int64_t replicas;
    local.is_by_replica =
        strview_to_int64(pass_option(pass, "replica-count"), &replicas) && replicas > 1;
    data_flow_set_argument_shardings(module);
    region_walk(module->body, find_channel, &local.channel_count);
    Builder builder = builder_at_end(local.module, local.module->body);
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_FUNC) {
            op_clone(&builder, op, &local.values);
            continue;
        }
        DeviceProgram program;
        set_device_count(&local, op);
        if (!check_func(&local, op) || !local_func(&local, op, &program)) return PASS_FAILED;
    }
    while (module->body->last)
        op_erase(module->body->last);
    region_take(module->body, local.module->body);
    module->next_value_number = local.module->next_value_number;
    module->next_op_number = local.module->next_op_number;
    return PASS_CHANGED;
}

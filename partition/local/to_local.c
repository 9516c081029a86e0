// to_local: from the global program to one device's, function by function.
//
//   In      a flat @main (manual computations, while, case and if inside) whose
//           values all have closed shardings
//   Out     a new module with @main on local types (ir/device_program.h says what holds)
//   Keeps   the order of ops, their locations, the attributes of @main's arguments and results
//
//   before  %0 = stablehlo.add %a, %b {sharding = <@mesh, [{"x"}, {}]>} : tensor<8x4xf32>
//   after   %0 = stablehlo.add %a, %b : tensor<4x4xf32>                          with "x" = 2
#include "partition/local/to_local.h"

#include "ir/analysis/data_flow.h"
#include "ir/device_program.h"
#include "partition/passes.h"

LocalFn *const local_functions[OP_COUNT] = {
#define PARTITION(rule, local) local_##local
#define NO_PARTITION           local_absent
#define OP(                                                                                        \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, ...) \
    [OP_##name] = partition,
#include "ir/dialects/ops.def"
};

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

// The types of a function's results: those of what it returns, and of a
// declaration those that it says.
static const Type *const *result_types(const Local *local, const Op *func, int *count) {
    const Op *end = region_terminator(func_body(func));
    const Attr *attr = op_attr(func, NAME_FUNCTION_TYPE);
    if (!end && (!attr || attr->kind != ATTR_TYPE)) {
        *count = 0;
        return NULL;
    }
    if (!end) {
        *count = attr->type->part_count - attr->type->input_count;
        return attr->type->parts + attr->type->input_count;
    }
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, end->operand_count);
    for (int i = 0; i < end->operand_count; i++)
        types[i] = op_operand_type(end, i);
    *count = end->operand_count;
    return types;
}

static void fill_layouts(Local *local, const Op *func, DeviceProgram *program) {
    const Region *body = func_body(func);
    int result_count;
    const Type *const *types = result_types(local, func, &result_count);
    GlobalLayout *args = ARENA_ARRAY(local->module->arena, GlobalLayout, body->arg_count);
    GlobalLayout *results = ARENA_ARRAY(local->module->arena, GlobalLayout, result_count);
    for (int i = 0; i < result_count; i++) {
        const Sharding *sharding = func->result_shardings ? func->result_shardings[i] : NULL;
        results[i] = layout_of(local, types[i], sharding);
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

void local_begin_func(Local *local, const Op *func, DeviceProgram *program) {
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
    program->main = main;

    Region *body = func_body(main);
    const Region *from = func_body(func);
    for (int i = 0; i < from->arg_count; i++) {
        Value *arg = region_add_arg(local->module, body, types[i], from->args[i]->loc);
        local_set(local, from->args[i], arg);
    }
}

bool local_fill_func(Local *local, const Op *func, DeviceProgram *program) {
    local->builder = builder_at_end(local->module, func_body(program->main));
    for (const Op *op = func_body(func)->first; op; op = op->next) {
        if (!local_op(local, op)) return false;
    }
    return true;
}

Local local_create(Module *module, int64_t device_count, Arena *scratch, Diags *diags) {
    return (Local){
        .functions = local_functions,
        .place = &place_in_prologue,
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

bool local_check_func(Local *local, Op *func) {
    return check_op(func, local) && region_walk(func_body(func), check_op, local);
}

static bool find_channel(Op *op, void *user) {
    int64_t *largest = user;
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    if (channel && channel->kind == ATTR_CHANNEL && channel->ints[0] > *largest)
        *largest = channel->ints[0];
    return true;
}

void local_count_channels(Local *local, Region *region) {
    region_walk(region, find_channel, &local->channel_count);
}

static bool to_local(
    Module *module, int64_t device_count, Arena *scratch, DeviceProgram *program, Diags *diags) {
    Local local = local_create(module, device_count, scratch, diags);
    Op *func = module_entry(module, (StrView){0});
    if (!func) {
        diag_error(diags, module->op->loc, "the program has no entry function");
        return false;
    }
    if (!local_check_func(&local, func)) return false;
    local_count_channels(&local, func_body(func));
    Op *top = local.module->op;
    for (int i = 0; i < module->op->attr_count; i++) {
        op_set_attr(local.module, top, module->op->attrs[i].name, module->op->attrs[i].value);
    }
    top->extra = module->op->extra;
    local_begin_func(&local, func, program);
    begin_prologue(&local, func_body(program->main));
    if (!local_fill_func(&local, func, program)) return false;
    program->module = local.module;
    program->device_count = device_count;
    return true;
}

// The device program is a module of its own, in the memory of the global one.
PassResult pass_to_local(Module *module, PassContext *pass) {
    DeviceProgram made, *program = pass->program ? pass->program : &made;
    if (!to_local(module, module_device_count(module), pass->scratch, program, pass->diags))
        return PASS_FAILED;
    pass->module = program->module;
    return PASS_CHANGED;
}

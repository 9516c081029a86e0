// convert_global_to_local: every function becomes the program of one device, as
// Shardy's pass of this name writes it.
//
//   In      any verified module with closed shardings
//   Out     each function on local types, in place. Ops that are the same op on tiles keep their
//           shardings, and so do arguments and results; named computations and ops that nobody
//           knows stay; a device's coordinates are looked up in tables
//   Options per-dim-all-gather: an all_gather for each dimension
//           combine-multi-dimension-reduce-scatter: one for all dimensions
//           enable-rgv3: groups name a mesh and its axes
//           replica-count: above 1 devices are replicas
//
// The ops are those of to_local; what differs is below.
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"
#include "partition/reshard/reshard_rules.h"
#include "partition/shardy/global_to_local.h"

// ---- ops that have another form ----

static bool local_as_shardy_named_computation(Local *local, const Op *op) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = local_value_as(local, op_operand(op, i), region_in_sharding(op, i));
    }
    for (int i = 0; i < op->result_count; i++) {
        types[i] = local_type(local, op_result_type(op, i), region_out_sharding(op, i));
    }
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    for (int i = 0; i < op->result_count; i++) {
        local_set(local, op_result(op, i), op_result(made, i));
    }
    return true;
}

static bool local_as_shardy_unregistered(Local *local, const Op *op) {
    if (op->region_count > 0) return local_absent(local, op);
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = local_value(local, op_operand(op, i));
    for (int i = 0; i < op->result_count; i++) {
        types[i] = local_type(local, op_result_type(op, i), local_sharding(op_result(op, i)));
    }
    Op *made = build_unregistered(
        &local->builder, op->name, op->operand_count, operands, op->result_count, types, 0);
    made->extra = op->extra;
    for (int i = 0; i < op->result_count; i++)
        local_set(local, op_result(op, i), op_result(made, i));
    return true;
}

// Every device shows its tile.
static bool local_as_shardy_print(Local *local, const Op *op) {
    Value *x = local_value(local, op_operand(op, 0));
    return local_clone(local, op, 1, &x, NULL);
}

// Shardy wants the concatenated dimension whole.
static bool local_as_shardy_concatenate(Local *local, const Op *op) {
    int d = (int)op_int(op, NAME_DIMENSION, 0);
    bool is_sharded = value_tiles(local, op_result(op, 0), d).count > 1;
    int wrong = 0;
    while (!is_sharded && wrong < op->operand_count &&
           value_tiles(local, op_operand(op, wrong), d).count == 1)
        wrong++;
    if (is_sharded) {
        diag_error(
            local->diags, op->loc,
            "'%.*s' op dimension %d is sharded but the concatenation is on this dimension.",
            SV_ARG(op->name), d);
    } else if (wrong < op->operand_count) {
        diag_error(
            local->diags, op->loc,
            "'%.*s' op operand %d is sharded on concatenation dimension %d. This is not supported.",
            SV_ARG(op->name), wrong, d);
    } else {
        return local_concatenate(local, op);
    }
    diag_error(
        local->diags, op->loc,
        "failed to legalize operation '%.*s' that was explicitly marked illegal", SV_ARG(op->name));
    return false;
}

// One all_gather for each dimension, the last one first.
static bool local_as_shardy_all_gather(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *in = local_sharding(operand), *out = local_sharding(result);
    if (!((ShardyLocal *)local)->per_dim_all_gather || !in || !out)
        return local_sdy_collective(local, op);
    Value *x = local_value(local, operand);
    for (int d = out->rank - 1; d >= 0; d--) {
        DimSharding *dims = ARENA_ARRAY(local->scratch, DimSharding, out->rank);
        for (int i = 0; i < out->rank; i++)
            dims[i] = i == d ? out->dims[i] : in->dims[i];
        Sharding next = *in;
        next.dims = dims;
        const Sharding *gathered = sharding_intern(local->context, &next);
        x = value_reshard(local, x, operand->type, in, gathered);
        in = gathered;
    }
    local_set_as(local, result, x, in);
    return true;
}

static bool local_as_shardy_reduce_scatter(Local *local, const Op *op) {
    const Attr *axes = op_attr(op, NAME_AXES);
    int scattered = 0;
    for (int d = 0; d < axes->count; d++)
        scattered += axes->axes_per_dim[d].count > 0;
    bool has_mesh = local_mesh(local, local_sharding(op_result(op, 0)));
    if (((ShardyLocal *)local)->separate_reduce_scatter && scattered > 1 && has_mesh)
        return local_reduce_then_slice(local, op);
    return local_sdy_collective(local, op);
}

// A call that names a device is made on all of them.
static bool local_as_shardy_custom_call(Local *local, const Op *op) {
    bool is_anywhere = local_calling_device(local, op) < 0;
    return is_anywhere ? local_custom_call(local, op) : local_replicate(local, op);
}

typedef struct LocalRow {
    LocalFn *usual;
    LocalFn *as_shardy; // NULL: the usual one
} LocalRow;

static const LocalRow local_rows[OP_COUNT] = {
#define PARTITION(rule, local) .usual = local_##local,
#define NO_PARTITION           .usual = local_absent,
#define LOCAL_AS_SHARDY(x)     .as_shardy = local_as_shardy_##x,
#define OP(                                                                                        \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, ...) \
    [OP_##name] = {partition},
#include "ir/dialects/ops.def"
#undef PARTITION
#undef NO_PARTITION
};

// ---- what was made for an op, in Shardy's form ----

// Ops whose tiles Shardy's pass makes anew: only where nothing is sharded do they stay what they
// are.
static bool is_made_anew(const Op *op) {
    return op->code == OP_CONVOLUTION || op->code == OP_SLICE || op->code == OP_IOTA ||
           op->code == OP_PAD;
}

// An op that is the same op on tiles keeps its shardings.
static void keep_shardings(Local *local, const Op *op) {
    const Value *result = op->result_count ? ptr_map_get(&local->values, op_result(op, 0)) : NULL;
    Op *made = result ? result->def : NULL;
    if (!made || made->code != op->code || made->result_count != op->result_count) return;
    if (is_made_anew(op) && result->type != op_result_type(op, 0)) return;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(made, i)->sharding) return;
    }
    for (int i = 0; i < op->result_count; i++)
        op_result(made, i)->sharding = op->results[i].sharding;
}

// By the first mesh of the op's operands and results that has them as axes.
// The program's own groups stay.
static void name_groups(Local *local, const Op *op, Op *made) {
    const Attr *groups = op_attr(made, NAME_REPLICA_GROUPS);
    if (!groups || groups->kind != ATTR_ELEMENTS || op_attr(op, NAME_REPLICA_GROUPS)) return;
    const Attr *named = NULL;
    for (int i = 0; !named && i < op->operand_count + op->result_count; i++) {
        const Value *value =
            i < op->operand_count ? op_operand(op, i) : op_result(op, i - op->operand_count);
        const Mesh *mesh = local_mesh(local, local_sharding(value));
        if (mesh) named = named_groups(local, mesh, groups);
    }
    if (named) op_set_attr(local->module, made, NAME_REPLICA_GROUPS, named);
}

// What a gather has of other tiles is a plain zero, and where it asks for the first tile
// it does not say how it compares.
static void simplify_gather(Local *local, Op *made) {
    if (made->code == OP_COMPARE && op_int(made, NAME_COMPARISON_DIRECTION, 0) == DIRECTION_EQ)
        op_set_attr(local->module, made, NAME_COMPARE_TYPE, NULL);
    if (made->code != OP_CONSTANT) return;
    const Type *type = op_result_type(made, 0);
    if (element_class(type->element) != CLASS_FLOAT &&
        element_class(type->element) != CLASS_COMPLEX)
        return;
    Builder builder = builder_before(local->module, made);
    Value *negative = build_negative_zeros(&builder, type);
    if (op_attr(made, NAME_VALUE) == op_attr(negative->def, NAME_VALUE)) {
        Value *zeros = build_splat(&builder, type, 0.0);
        op_set_attr(local->module, made, NAME_VALUE, op_attr(zeros->def, NAME_VALUE));
        op_erase(zeros->def);
    }
    op_erase(negative->def);
}

// The op as to_local has it, or in its own form; then what was made for it is adapted.
static bool local_in_form(Local *local, const Op *op) {
    Region *region = local->builder.region;
    Op *last = region->last;
    const LocalRow *row = &local_rows[op->code];
    if (!(row->as_shardy ? row->as_shardy : row->usual)(local, op)) return false;
    keep_shardings(local, op);
    for (Op *made = last ? last->next : region->first; made; made = made->next) {
        if (((ShardyLocal *)local)->names_groups) name_groups(local, op, made);
        if (op->code == OP_GATHER) simplify_gather(local, made);
    }
    return true;
}

// ---- functions ----

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

// Where to_local would take a part of a slice from each tile and have the sum behind it make them
// one, Shardy wants the sliced dimension whole, and has no sum.
static bool gather_sliced_dims(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_DYNAMIC_SLICE && op->code != OP_GATHER) return true;
    Value *operand = op_operand(op, 0);
    const Sharding *own = operand->sharding;
    unsigned sliced = 0;
    for (int d = 0; own && d < own->rank; d++) {
        bool is_sliced = op->code == OP_GATHER
                             ? gather_window_may_be_split(op, d)
                             : operand->type->dims[d] != op_result_type(op, 0)->dims[d];
        if (is_sliced && own->dims[d].axis_count > 0) sliced |= 1u << d;
    }
    if (!sliced) return true;
    Builder builder = builder_before(module, op);
    const Sharding *whole = sharding_without_dims(module->context, own, sliced);
    op_set_operand(op, 0, build_reshard(&builder, operand, whole));
    return true;
}

static bool convert_func(ShardyLocal *shardy, Op *func) {
    Local *local = &shardy->local;
    DeviceProgram program;
    set_device_count(local, func);
    if (!device_count_fits(local->device_count, func->loc, local->diags)) return false;
    if (!local_check_func(local, func)) return false;
    local_begin_func(local, func, &program);
    for (int i = 0; func->result_shardings && i < program.result_count; i++)
        program.main->result_shardings[i] = func->result_shardings[i];
    for (int i = 0; i < program.arg_count; i++)
        func_body(program.main)->args[i]->sharding = func_body(func)->args[i]->sharding;
    return local_fill_func(local, func, &program);
}

PassResult pass_convert_global_to_local(Module *module, PassContext *pass) {
    ShardyLocal shardy = {
        .local = local_create(module, 0, pass->scratch, pass->diags),
        .is_by_replica = pass_count(pass, "replica-count") > 1,
        .per_dim_all_gather = pass_flag(pass, "per-dim-all-gather"),
        .separate_reduce_scatter = !pass_flag(pass, "combine-multi-dimension-reduce-scatter"),
        .names_groups = pass_flag(pass, "enable-rgv3"),
    };
    Local *local = &shardy.local;
    LocalFn *functions[OP_COUNT];
    for (int code = 0; code < OP_COUNT; code++)
        functions[code] = local_in_form;
    local->functions = functions;
    local->place = &place_in_tables;
    local->index = ELEMENT_I64;
    data_flow_set_argument_shardings(module);
    region_walk(module->body, gather_sliced_dims, module);
    local_count_channels(local, module->body);
    Builder builder = builder_at_end(local->module, local->module->body);
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_FUNC)
            op_clone(&builder, op, &local->values);
        else if (!convert_func(&shardy, op))
            return PASS_FAILED;
    }
    while (module->body->last)
        op_erase(module->body->last);
    region_take(module->body, local->module->body);
    module->next_value_number = local->module->next_value_number;
    module->next_op_number = local->module->next_op_number;
    return PASS_CHANGED;
}

// import_sources: programs of MLIR's source dialects (shard, arith, math, linalg, tosa,
// tensor, scf) become core programs.
//
//   In      any verified module.
//   Out     no op of these dialects; grids are meshes, shard.shard is sdy.sharding_constraint;
//           scalars are tensors of rank 0, indices i64. A function that calls the dialect shard's
//           collectives is one device's program: it becomes a manual computation over tiles that
//           are stacked in a new first dimension.
//   Fails   where an op has no meaning in the core; the diagnostic names it and its place.
#include "ir/source/source.h"

static bool is_source(const Op *op) {
    switch (op_dialect(op)) {
    case DIALECT_SHARD:
    case DIALECT_ARITH:
    case DIALECT_MATH:
    case DIALECT_SCF:
    case DIALECT_CF:
    case DIALECT_AFFINE:
    case DIALECT_LINALG:
    case DIALECT_TOSA:
    case DIALECT_MEMREF:
    case DIALECT_BUFFERIZATION:
    case DIALECT_MPI: return true;
    case DIALECT_TENSOR: return op->code != OP_TENSOR_CAST;
    default: return op->code == OP_UNREALIZED_CAST;
    }
}

static bool visit_source(Op *op, void *user) {
    (void)user;
    return !is_source(op) && !has_type_shardings(op);
}

// --- scalars ---

static const Type *core_type(Context *context, const Type *type) {
    bool is_index = type->element == ELEMENT_INDEX;
    if (type->kind == TYPE_ELEMENT)
        return type_scalar(context, is_index ? ELEMENT_I64 : type->element);
    if (type->kind == TYPE_TENSOR && is_index) return type_with_element(context, type, ELEMENT_I64);
    return type;
}

static void retype_function(Module *module, Op *func) {
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    const Type **parts = ARENA_ARRAY(module->arena, const Type *, type->part_count + 1);
    for (int i = 0; i < type->part_count; i++)
        parts[i] = core_type(module->context, type->parts[i]);
    const Type *core = type_function(
        module->context, type->input_count, parts, type->part_count - type->input_count,
        parts + type->input_count);
    op_set_attr(module, func, NAME_FUNCTION_TYPE, attr_type(module->context, core));
}

static void retype_constant(Module *module, Op *op) {
    const Attr *value = op_attr(op, NAME_VALUE);
    if (!value || value->kind != ATTR_ELEMENTS || value->type->element != ELEMENT_INDEX) return;
    const Type *type = core_type(module->context, value->type);
    op_set_attr(
        module, op, NAME_VALUE,
        attr_elements(module->context, type, value->is_splat, value->data, value->data_size));
}

static bool retype(Op *op, void *user) {
    Module *module = user;
    for (int i = 0; i < op->result_count; i++)
        op_result(op, i)->type = core_type(module->context, op_result_type(op, i));
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            Value *arg = op->regions[r]->args[i];
            arg->type = core_type(module->context, arg->type);
        }
    }
    if (op->code == OP_FUNC) retype_function(module, op);
    if (op->code == OP_CONSTANT) retype_constant(module, op);
    return true;
}

// --- grids ---

// The axes of a grid have numbers; those of a mesh are called axis_0, axis_1 ...
static bool convert_grid(Module *module, Op *op, Diags *diags) {
    Mesh mesh = {0};
    IntSpan shape = op_ints(op, NAME_SHAPE);
    for (int i = 0; i < shape.count; i++) {
        if (shape.data[i] == DIM_DYNAMIC || shape.data[i] < 1) {
            diag_unsupported(
                diags, op->loc,
                "the size of dimension %d of grid @%.*s is not known; write the number of devices",
                i, SV_ARG(op_text(op, NAME_SYM_NAME)));
            return false;
        }
        mesh.axes[mesh.axis_count].name = context_name_printf(module->context, "axis_%d", i);
        mesh.axes[mesh.axis_count++].size = shape.data[i];
    }
    Builder builder = builder_before(module, op);
    Op *core = build_op(&builder, OP_SDY_MESH, 0, NULL, 0, NULL, 0);
    op_set_attr(module, core, NAME_SYM_NAME, op_attr(op, NAME_SYM_NAME));
    const Mesh *interned = mesh_intern(module->context, &mesh);
    op_set_attr(
        module, core, NAME_MESH,
        attr_intern(module->context, &(Attr){.kind = ATTR_MESH, .mesh = interned}));
    op_erase(op);
    return true;
}

// --- one device's program ---

static bool find_local(Op *op, void *user) {
    StrView *grid = user;
    bool is_local = op_dialect(op) == DIALECT_SHARD &&
                    (op_has(op, TRAIT_COLLECTIVE) || op->code == OP_SHARD_PROCESS_LINEAR_INDEX ||
                     op->code == OP_SHARD_PROCESS_MULTI_INDEX || op->code == OP_SHARD_NEIGHBORS);
    if (is_local) *grid = op_text(op, NAME_GRID);
    return !is_local;
}

static const Type *stacked(Context *context, const Type *type, int64_t count) {
    int64_t dims[MAX_RANK];
    dims[0] = count;
    for (int d = 0; d < type->rank; d++)
        dims[d + 1] = type->dims[d];
    return type_with_dims(context, type, type->rank + 1, dims);
}

static bool can_stack(const Type *type) {
    return type->kind == TYPE_TENSOR && type_is_static(type) && type->rank < MAX_RANK;
}

// The first dimension over all axes of the mesh.
static const Sharding *tile_sharding(Context *context, StrView name, const Mesh *mesh, int rank) {
    AxisRef axes[MAX_AXES];
    DimSharding dims[MAX_RANK] = {0};
    for (int i = 0; i < mesh->axis_count; i++)
        axes[i] = (AxisRef){.name = mesh->axes[i].name, .pre_size = 1};
    for (int d = 0; d < rank; d++)
        dims[d].priority = PRIORITY_NONE;
    dims[0].axes = axes;
    dims[0].axis_count = mesh->axis_count;
    return sharding_intern(
        context, &(Sharding){.mesh_name = context_name(context, name), .rank = rank, .dims = dims});
}

typedef struct Wrapper {
    Module *module;
    StrView grid;
    const Mesh *mesh;
    int64_t devices;
} Wrapper;

// The function's body as a manual computation on tiles [1, ...] of arrays [devices, ...].
static void wrap_body(const Wrapper *w, Op *func) {
    Module *module = w->module;
    Context *context = module->context;
    Region *body = func_body(func);
    int inputs = body->arg_count, outputs = body->last->operand_count;
    const Type **types = ARENA_ARRAY(module->arena, const Type *, inputs + outputs + 1);
    const Sharding **shardings = ARENA_ARRAY(module->arena, const Sharding *, inputs + outputs + 1);
    for (int i = 0; i < inputs + outputs; i++) {
        const Type *type =
            i < inputs ? body->args[i]->type : op_operand_type(body->last, i - inputs);
        types[i] = stacked(context, type, w->devices);
        shardings[i] = tile_sharding(context, w->grid, w->mesh, types[i]->rank);
    }
    Region *inner = ARENA_NEW(module->arena, Region);
    region_take(inner, body);
    Value **args = ARENA_ARRAY(module->arena, Value *, inputs + 1);
    for (int i = 0; i < inputs; i++) {
        args[i] = region_add_arg(module, body, types[i], func->loc);
        args[i]->sharding = shardings[i];
    }
    Builder builder = builder_at_end(module, body);
    builder.loc = func->loc;
    Op *manual = build_op(&builder, OP_SDY_MANUAL, inputs, args, outputs, types + inputs, 1);
    AxisRef axes[MAX_AXES];
    for (int i = 0; i < w->mesh->axis_count; i++)
        axes[i] = (AxisRef){.name = w->mesh->axes[i].name, .pre_size = 1};
    op_set_attr(module, manual, NAME_IN_SHARDINGS, attr_shardings(context, inputs, shardings));
    op_set_attr(
        module, manual, NAME_OUT_SHARDINGS, attr_shardings(context, outputs, shardings + inputs));
    op_set_attr(module, manual, NAME_MANUAL_AXES, attr_axes(context, w->mesh->axis_count, axes));
    region_take(manual->regions[0], inner);
    Region *local = manual->regions[0];
    Builder head = {.module = module, .region = local, .before = local->first, .loc = func->loc};
    for (int i = 0; i < inputs; i++) {
        Value *arg = local->args[i];
        const Type *type = arg->type;
        arg->type = stacked(context, type, 1);
        Value *tile = build_reshape(&head, arg, type->rank, type->dims);
        value_replace_uses_except(arg, tile, tile->def);
    }
    Op *end = region_terminator(local);
    Builder tail = builder_before(module, end);
    Value **results = ARENA_ARRAY(module->arena, Value *, outputs + 1);
    for (int i = 0; i < outputs; i++) {
        const Type *type = stacked(context, op_operand_type(end, i), 1);
        results[i] = build_reshape(&tail, op_operand(end, i), type->rank, type->dims);
    }
    build_return(&tail, OP_SDY_RETURN, outputs, results);
    op_erase(end);
    for (int i = 0; i < outputs; i++)
        results[i] = op_result(manual, i);
    build_return(&builder, OP_FUNC_RETURN, outputs, results);
    op_set_attr(
        module, func, NAME_FUNCTION_TYPE,
        attr_type(context, type_function(context, inputs, types, outputs, types + inputs)));
}

static bool wrap_local(Module *module, Op *func, Diags *diags) {
    Wrapper w = {.module = module};
    Region *body = func_body(func);
    if (region_walk(body, find_local, &w.grid) || !body->last) return true;
    w.mesh = module_find_mesh(module, w.grid);
    if (!w.mesh) return true;
    w.devices = mesh_device_count(w.mesh);
    bool ok = body->last->code == OP_FUNC_RETURN;
    for (int i = 0; i < body->arg_count; i++)
        ok = ok && can_stack(body->args[i]->type);
    for (int i = 0; ok && i < body->last->operand_count; i++)
        ok = can_stack(op_operand_type(body->last, i));
    if (!ok) {
        diag_unsupported(
            diags, func->loc,
            "one device's program needs arguments and results that are tensors of known "
            "shapes");
        return false;
    }
    wrap_body(&w, func);
    return true;
}

// --- conversion ---

static bool visit_convert(Op *op, void *user) {
    Legalizer *legalizer = user;
    if (is_source(op) || op->code == OP_TENSOR_CAST) legalize_op(legalizer, op);
    return !legalizer->failed;
}

static bool erase_unused(Op *op, void *user) {
    bool *changed = user;
    bool is_used = op_has(op, TRAIT_TERMINATOR) || op_has(op, TRAIT_EFFECT) || !is_source(op);
    for (int i = 0; i < op->result_count; i++)
        is_used = is_used || op_result(op, i)->uses;
    if (is_used || op->result_count == 0) return true;
    op_erase(op);
    *changed = true;
    return true;
}

static bool has_unknown_shape(const Op *op) {
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        const Type *type = i < op->operand_count ? op_operand_type(op, i)
                                                 : op_result_type(op, i - op->operand_count);
        if (type->kind == TYPE_TENSOR && !type_is_static(type)) return true;
    }
    return false;
}

// What an op would need that is left.
static const char *what_it_needs(const Op *op) {
    static const char reduction[] = "needs a reduction that says what it computes";
    static const char pair[] = "needs a shard.recv with a source behind a shard.send of the same "
                               "type along the same grid axes, in one block";
    static const char loops[] = "needs maps whose results are single loops, and a body that "
                                "computes each element alone, or sums or reduces by one op";
    static const struct {
        OpCode code;
        const char *text;
    } needs[] = {
        {OP_SHARD_RECV, pair},
        {OP_SHARD_SEND, pair},
        {OP_SHARD_SHARD_SHAPE, "needs a shard.sharding in sight whose offsets are numbers, and an "
                               "index for each dimension of the grid"},
        {OP_SHARD_SHARD,
         "needs a shard.sharding in sight; partial values are sums, maxima or minima"},
        {OP_SHARD_UPDATE_HALO, "needs halos that the neighbours have: of a dimension no more than "
                               "what is left without them"},
        {OP_SHARD_ALL_REDUCE, reduction},
        {OP_SHARD_REDUCE, reduction},
        {OP_SHARD_REDUCE_SCATTER, reduction},
        {OP_LINALG_GENERIC, loops},
        {OP_LINALG_MAP, loops},
        {OP_LINALG_REDUCE, loops}};
    if (has_unknown_shape(op)) return "needs tensors of known shapes";
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].code == op->code) return needs[i].text;
    }
    return "has a form, attributes or a body that are not supported";
}

static bool refuse(Op *op, void *user) {
    if (!is_source(op)) return true;
    diag_unsupported(user, op->loc, "'%.*s' op %s", SV_ARG(op->name), what_it_needs(op));
    return false;
}

static bool visit_buffers(Op *op, void *user) {
    Dialect dialect = op_dialect(op);
    bool has_buffers =
        dialect == DIALECT_MEMREF || dialect == DIALECT_BUFFERIZATION || dialect == DIALECT_MPI;
    return !has_buffers || legalize_op(user, op);
}

PassResult pass_import_sources(Module *module, PassContext *pass) {
    enum { MAX_ROUNDS = 256 }; // each converts what the one before has made or freed
    if (region_walk(module->body, visit_source, NULL)) return PASS_UNCHANGED;
    Legalizer refuses_buffers = {.module = module, .pass = pass};
    if (!region_walk(module->body, visit_buffers, &refuses_buffers)) return PASS_FAILED;
    region_walk(module->body, retype, module);
    for (Op *op = module->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_SHARD_GRID && !convert_grid(module, op, pass->diags)) return PASS_FAILED;
    }
    if (!import_type_shardings(module, pass)) return PASS_FAILED;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && !wrap_local(module, op, pass->diags)) return PASS_FAILED;
    }
    bool changed = true;
    for (int i = 0; i < MAX_ROUNDS && changed; i++) {
        Legalizer legalizer = {.module = module, .pass = pass};
        region_walk(module->body, visit_convert, &legalizer);
        if (legalizer.failed) return PASS_FAILED;
        changed = legalizer.changed;
        region_walk(module->body, erase_unused, &changed);
    }
    return region_walk(module->body, refuse, pass->diags) ? PASS_CHANGED : PASS_FAILED;
}

// import_shardings: see import_shardings.h.
#include "frontend/import/import_shardings.h"

#include "base/checked.h"
#include "frontend/import/import_manual.h"
#include "frontend/import/sharding_carriers.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

// ---- meshes ----

static StrView unused_symbol(const Importer *importer, StrView wanted) {
    StrView name = context_name(importer->module->context, wanted);
    for (int suffix = 0;; suffix++) {
        const Op *op = importer->module->body->first;
        while (op && !strview_equal(op_text(op, NAME_SYM_NAME), name))
            op = op->next;
        if (!op) return name;
        name = context_name_printf(importer->module->context, "%.*s_%d", SV_ARG(wanted), suffix);
    }
}

static void add_mesh(Importer *importer, StrView name, const Mesh *mesh) {
    Module *module = importer->module;
    Builder builder = builder_at_end(module, module->body);
    builder.before = module->body->first;
    while (builder.before && builder.before->code == OP_SDY_MESH)
        builder.before = builder.before->next;
    builder.loc = module->op->loc;
    Op *op = build_op(&builder, OP_SDY_MESH, 0, NULL, 0, NULL, 0);
    Attr attr = {.kind = ATTR_MESH, .mesh = mesh};
    op_set_attr(module, op, NAME_SYM_NAME, attr_string(module->context, name));
    op_set_attr(module, op, NAME_MESH, attr_intern(module->context, &attr));
}

// xla.sdy.meshes = "{mesh = #sdy.mesh<[..]>, ..}"
static bool import_meshes(Importer *importer, const Attr *text) {
    const Carrier op = carrier_of_op(importer->module->op);
    const Attr *meshes = read_spelled_attr(importer, &op, "xla.sdy.meshes", text);
    if (!meshes) return false;
    if (meshes->kind != ATTR_DICT)
        return carrier_fail(importer, &op, "xla.sdy.meshes", "is no dictionary");
    for (int i = 0; i < meshes->count; i++) {
        if (meshes->items[i]->kind != ATTR_MESH)
            return carrier_fail(importer, &op, "xla.sdy.meshes", "has an entry that is no mesh");
        if (module_find_mesh(importer->module, meshes->names[i])) continue;
        add_mesh(importer, meshes->names[i], meshes->items[i]->mesh);
    }
    return true;
}

// ---- visiting ----

typedef bool CarrierVisitor(Importer *importer, const Carrier *carrier);

typedef struct Visit {
    Importer *importer;
    CarrierVisitor *visit;
} Visit;

static bool visit_list(const Visit *visit, Op *func, AttrName list) {
    if (!op_attr(func, list)) return true;
    FuncDicts dicts = func_dicts_open(
        visit->importer->module, func, list == NAME_ARG_ATTRS, visit->importer->scratch);
    for (int i = 0; i < dicts.count; i++) {
        const Carrier carrier = {func, list, i, &dicts};
        if (dicts.dicts[i]->count > 0 && !visit->visit(visit->importer, &carrier)) return false;
    }
    func_dicts_close(&dicts);
    return true;
}

static bool visit_op(Op *op, void *user) {
    const Visit *visit = user;
    const Carrier carrier = carrier_of_op(op);
    if (op->code == OP_FUNC)
        return visit_list(visit, op, NAME_ARG_ATTRS) && visit_list(visit, op, NAME_RES_ATTRS);
    bool relevant = op->extra || op->code == OP_CUSTOM_CALL;
    return !relevant || visit->visit(visit->importer, &carrier);
}

static bool visit_carriers(Importer *importer, CarrierVisitor *visitor) {
    Visit visit = {importer, visitor};
    return region_walk(importer->module->body, visit_op, &visit) && importer->ok;
}

// Reads GSPMD's shardings and counts their tilings in.
static bool collect_gspmd(Importer *importer, const Carrier *carrier) {
    const Attr *text = carried_attr(carrier, gspmd_key);
    if (!text) return true;
    bool known = ptr_map_has(&importer->parsed, text);
    const GspmdSharding *gspmd = carried_gspmd(importer, carrier, text);
    if (!gspmd) return false;
    if (known || gspmd_mesh_add(&importer->gspmd, gspmd)) return true;
    return carrier_fail(importer, carrier, gspmd_key, "has another number of devices than others");
}

// The first tiling that no mesh of the ones before it expresses.
static void find_misfit(Importer *importer) {
    GspmdMesh trial = importer->gspmd;
    int64_t fits = 0, all = trial.tilings.count;
    while (fits + 1 < all) {
        trial.tilings.count = fits + (all - fits) / 2;
        if (gspmd_mesh_make(&trial, importer->module->context))
            fits = trial.tilings.count;
        else
            all = trial.tilings.count;
    }
    importer->misfit = trial.tilings.data[all - 1];
}

static bool blame_misfit(Importer *importer, const Carrier *carrier) {
    const Attr *text = carried_attr(carrier, gspmd_key);
    const GspmdSharding *gspmd = text ? ptr_map_get(&importer->parsed, text) : NULL;
    bool is_here = gspmd == importer->misfit;
    for (int i = 0; gspmd && i < gspmd->part_count && !is_here; i++)
        is_here = &gspmd->parts[i] == importer->misfit;
    if (!gspmd || !is_here) return true;
    StrView attribute = carrier_attribute(importer, carrier, gspmd_key);
    diag_unsupported(
        importer->diags, carrier_loc(carrier),
        "'%.*s' op %.*s: does not fit one mesh of devices with the shardings before it",
        SV_ARG(carrier->op->name), SV_ARG(attribute));
    importer->ok = false;
    return false;
}

static bool make_gspmd_mesh(Importer *importer) {
    Module *module = importer->module;
    GspmdMesh *mesh = &importer->gspmd;
    mesh->arena = importer->scratch;
    if (!visit_carriers(importer, collect_gspmd)) return false;
    if (importer->parsed.count == 0) return true; // no sharding to import
    int64_t devices = mesh->device_count;
    if (devices == 0) devices = mesh->device_count = module_device_count(module);
    if (devices <= 1 || devices > GSPMD_MAX_DEVICES) return true;
    if (!gspmd_mesh_make(mesh, module->context)) {
        find_misfit(importer);
        visit_carriers(importer, blame_misfit);
        return false;
    }
    importer->mesh_name = unused_symbol(importer, SV("mesh"));
    add_mesh(importer, importer->mesh_name, mesh->mesh);
    return true;
}

// ---- custom calls ----

static bool is_target(const Op *op, const char *target) {
    return op->code == OP_CUSTOM_CALL && strview_is(op_text(op, NAME_CALL_TARGET_NAME), target);
}

static bool enters_manual(const Op *op) {
    return is_target(op, "SPMDFullToShardShape") || is_target(op, "xla.sdy.GlobalToLocalShape");
}

static bool leaves_manual(const Op *op) {
    return is_target(op, "SPMDShardToFullShape") || is_target(op, "xla.sdy.LocalToGlobalShape");
}

static void replace_by_operand(Op *op) {
    value_replace_uses(op_result(op, 0), op_operand(op, 0));
    op_erase(op);
}

// A value and its only result, alike.
static bool is_identity(Importer *importer, const Op *op) {
    if (op->operand_count == 1 && op->result_count == 1 &&
        op_operand_type(op, 0) == op_result_type(op, 0))
        return true;
    diag_error(
        importer->diags, op->loc,
        "custom call '@%.*s' must have one operand and a result of its type",
        SV_ARG(op_text(op, NAME_CALL_TARGET_NAME)));
    importer->ok = false;
    return false;
}

static void import_constraint(Importer *importer, Op *op, const Sharding *sharding) {
    // that a scalar is replicated needs no saying; reducers are full of it
    if (sharding && (sharding->rank > 0 || sharding->unreduced_count > 0 || sharding->mesh)) {
        Builder builder = builder_before(importer->module, op);
        Value *constrained = build_unary(&builder, OP_SDY_CONSTRAINT, op_operand(op, 0));
        constrained->sharding = sharding;
        value_replace_uses(op_result(op, 0), constrained);
        op_erase(op);
    } else {
        replace_by_operand(op);
    }
}

// The sharding is that of the function's results which the value becomes.
static void import_result_sharding(Op *op, const Sharding *sharding) {
    for (const Use *use = op_result(op, 0)->uses; use && sharding; use = use->next) {
        const Op *func = op_parent_op(use->owner);
        if (use->owner->code != OP_FUNC_RETURN || !func || func->code != OP_FUNC) continue;
        if (func->result_shardings) func->result_shardings[use_index(use)] = sharding;
    }
    replace_by_operand(op);
}

static void build_group(Importer *importer, Builder *builder, Value *value, int64_t id) {
    Op *group = build_op(builder, OP_SDY_GROUP, 1, &value, 0, NULL, 0);
    op_set_attr(
        importer->module, group, NAME_GROUP_ID,
        attr_int(importer->module->context, id, ELEMENT_I64));
}

// shard_as: the same sharding for all values of the number. shard_like asks for a similar one if
// that is free, which propagation does without.
static void import_tie(
    Importer *importer, Builder builder, const GspmdSharding *gspmd, Value *value) {
    bool is_array = value->type->kind == TYPE_TENSOR && !value->type->unranked;
    if (!gspmd || gspmd->tie != GSPMD_SHARD_AS || gspmd->tie_id < 0 || !is_array) return;
    build_group(importer, &builder, value, gspmd->tie_id);
}

static bool import_group(Importer *importer, const Carrier *carrier) {
    Op *op = carrier->op;
    const Attr *id = carried_frontend_attr(carrier, "xla.sdy.sharding_group_id");
    const Attr *number =
        id ? read_spelled_attr(importer, carrier, "xla.sdy.sharding_group_id", id) : NULL;
    if (!number || number->kind != ATTR_INT || op->operand_count != 1)
        return carrier_fail(importer, carrier, "xla.sdy.sharding_group_id", "is no number");
    Builder builder = builder_before(importer->module, op);
    Value *operand = op_operand(op, 0);
    build_group(importer, &builder, operand, number->integer);
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), operand);
    op_erase(op);
    return true;
}

static bool import_barrier(Importer *importer, const Carrier *carrier) {
    static const char name[] = "xla.sdy.allowed_direction";
    Op *op = carrier->op;
    const Attr *direction = carried_frontend_attr(carrier, name);
    int value = -1;
    StrView text = direction && direction->kind == ATTR_STRING ? direction->text : SV("");
    // the keyword alone, or #sdy<propagation_direction KEYWORD>
    for (size_t i = 0; i < text.size && value < 0; i++) {
        StrView rest = {text.data + i, text.size - i};
        if (strview_ends_with(rest, SV(">"))) rest.size--;
        if (!enum_from_keyword(ENUM_PROPAGATION, rest, &value)) value = -1;
    }
    if (value < 0) return carrier_fail(importer, carrier, name, "is no direction");
    if (!is_identity(importer, op)) return false;
    Builder builder = builder_before(importer->module, op);
    Value *operand = op_operand(op, 0);
    Op *barrier = build_op(&builder, OP_SDY_BARRIER, 1, &operand, 1, &operand->type, 0);
    op_set_attr(
        importer->module, barrier, NAME_ALLOWED_DIRECTION,
        attr_enum(importer->module->context, ENUM_PROPAGATION, value));
    value_replace_uses(op_result(op, 0), op_result(barrier, 0));
    op_erase(op);
    return true;
}

// ---- borders of manual computations ----

// The constraint that GSPMD puts before and after the change of shape.
static const Sharding *constraint_of(const Importer *importer, const Value *value) {
    if (value->sharding) return value->sharding;
    if (importer->mesh_name.size == 0 || value->type->kind != TYPE_TENSOR) return NULL;
    return sharding_replicated(importer->module->context, importer->mesh_name, value->type->rank);
}

static bool gspmd_border(
    Importer *importer, const Carrier *carrier, const GspmdSharding *gspmd, ManualBorder *border) {
    Op *op = carrier->op;
    if (!gspmd || op->operand_count != 1 || op->result_count != 1)
        return carrier_fail(
            importer, carrier, gspmd_key, "is needed with one operand and one result");
    if (importer->mesh_name.size == 0)
        return carrier_fail(
            importer, carrier, gspmd_key, "manual computations need mhlo.num_partitions");
    if (border->enters) {
        AxisRef axes[MAX_AXIS_REFS];
        int count = gspmd_manual_axes(&importer->gspmd, gspmd, axes);
        border->manual_axes = attr_axes(importer->module->context, count, axes);
        border->shardings[0] = constraint_of(importer, op_operand(op, 0));
    } else if (!gspmd_value_sharding(
                   importer, carrier, gspmd, op_result_type(op, 0), &border->shardings[0])) {
        return false;
    }
    return border->shardings[0] ||
           carrier_fail(importer, carrier, gspmd_key, "says nothing of the whole array");
}

static bool round_trip_border(Importer *importer, const Carrier *carrier, ManualBorder *border) {
    Op *op = carrier->op;
    const char *name = border->enters ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings";
    int count = border->enters ? op->operand_count : op->result_count;
    const Sharding *const *shardings;
    const Attr *axes = carried_frontend_attr(carrier, "xla.sdy.manual_axes");
    if (!axes) return carrier_fail(importer, carrier, "xla.sdy.manual_axes", "is missing");
    border->manual_axes = read_spelled_attr(importer, carrier, "xla.sdy.manual_axes", axes);
    if (!border->manual_axes || !carried_shardings(importer, carrier, name, count, &shardings))
        return false;
    if (border->manual_axes->kind != ATTR_AXES)
        return carrier_fail(importer, carrier, "xla.sdy.manual_axes", "is no list of axes");
    if (!shardings || op->operand_count != op->result_count)
        return carrier_fail(importer, carrier, name, "must have one sharding per value");
    memcpy(border->shardings, shardings, (size_t)count * sizeof *shardings);
    return true;
}

static bool import_border(Importer *importer, const Carrier *carrier, const GspmdSharding *gspmd) {
    Op *op = carrier->op;
    int count = op->operand_count > op->result_count ? op->operand_count : op->result_count;
    ManualBorder *border = ARENA_NEW(importer->scratch, ManualBorder);
    border->enters = enters_manual(op);
    border->shardings = ARENA_ARRAY(importer->scratch, const Sharding *, count);
    ptr_map_set(&importer->borders, op, border);
    return importer->is_round_trip ? round_trip_border(importer, carrier, border)
                                   : gspmd_border(importer, carrier, gspmd, border);
}

// ---- every op ----

// Shardings of the values that the annotation is about; entries may be NULL.
static bool value_shardings(
    Importer *importer, const Carrier *carrier, int count, const Type *const *types,
    const Sharding **shardings) {
    if (importer->is_round_trip) {
        const Sharding *const *read;
        if (!carried_shardings(importer, carrier, "xla.sdy.sharding", count, &read)) return false;
        if (read) memcpy(shardings, read, (size_t)count * sizeof *read);
        return true;
    }
    const Attr *text = carried_attr(carrier, gspmd_key);
    const GspmdSharding *gspmd = text ? carried_gspmd(importer, carrier, text) : NULL;
    if (!gspmd) return importer->ok;
    bool is_tuple = gspmd->kind == GSPMD_TUPLE;
    if (is_tuple && gspmd->part_count != count)
        return carrier_fail(
            importer, carrier, gspmd_key, "has another number of parts than there are values");
    for (int i = 0; i < count; i++) {
        const GspmdSharding *part = is_tuple ? &gspmd->parts[i] : gspmd;
        if (!gspmd_value_sharding(importer, carrier, part, types[i], &shardings[i])) return false;
    }
    return true;
}

static bool import_of_func(Importer *importer, const Carrier *carrier) {
    Op *func = carrier->op;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    bool is_arg = carrier->list == NAME_ARG_ATTRS;
    const Sharding **place = is_arg ? &func_body(func)->args[carrier->index]->sharding
                                    : &func->result_shardings[carrier->index];
    int part = carrier->index + (is_arg ? 0 : type->input_count);
    const Sharding *sharding = NULL;
    if (!value_shardings(importer, carrier, 1, &type->parts[part], &sharding)) return false;
    if (sharding && !*place) *place = sharding;
    const Attr *text = carried_attr(carrier, gspmd_key);
    if (is_arg && text && !importer->is_round_trip) {
        Builder builder = builder_at_end(importer->module, func_body(func));
        builder.before = func_body(func)->first;
        builder.loc = func->loc;
        import_tie(
            importer, builder, carried_gspmd(importer, carrier, text),
            func_body(func)->args[carrier->index]);
    }
    carrier_clear(importer, carrier);
    return true;
}

// True when the op was a custom call that says something of shardings; it may be gone then.
static bool import_custom_call(Importer *importer, const Carrier *carrier) {
    Op *op = carrier->op;
    const Attr *text = carried_attr(carrier, gspmd_key);
    if (enters_manual(op) || leaves_manual(op)) {
        const GspmdSharding *gspmd = text ? carried_gspmd(importer, carrier, text) : NULL;
        if (importer->ok) import_border(importer, carrier, gspmd);
        return true;
    }
    if (is_target(op, "Sharding") || is_target(op, "xla.sdy.FuncResultSharding")) {
        const Sharding *sharding = NULL;
        const Type *type = op->result_count == 1 ? op_result_type(op, 0) : NULL;
        if (!is_identity(importer, op) || !value_shardings(importer, carrier, 1, &type, &sharding))
            return true;
        if (text && !importer->is_round_trip)
            import_tie(
                importer, builder_before(importer->module, op),
                carried_gspmd(importer, carrier, text), op_operand(op, 0));
        if (is_target(op, "Sharding"))
            import_constraint(importer, op, sharding);
        else
            import_result_sharding(op, sharding);
        return true;
    }
    if (is_target(op, "xla.sdy.ShardingGroup")) {
        import_group(importer, carrier);
        return true;
    }
    if (is_target(op, "xla.sdy.PropagationBarrier")) {
        import_barrier(importer, carrier);
        return true;
    }
    return false;
}

static bool import_carrier(Importer *importer, const Carrier *carrier) {
    Op *op = carrier->op;
    if (op->code == OP_FUNC) return import_of_func(importer, carrier);
    if (op->code == OP_CUSTOM_CALL && import_custom_call(importer, carrier)) return importer->ok;
    const Type **types = ARENA_ARRAY(importer->scratch, const Type *, op->result_count + 1);
    const Sharding **shardings =
        ARENA_ARRAY(importer->scratch, const Sharding *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    if (op->result_count > 0 &&
        !value_shardings(importer, carrier, op->result_count, types, shardings))
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (shardings[i] && !op_result(op, i)->sharding) op_result(op, i)->sharding = shardings[i];
    }
    const Attr *text = carried_attr(carrier, gspmd_key);
    const GspmdSharding *gspmd =
        text && !importer->is_round_trip ? carried_gspmd(importer, carrier, text) : NULL;
    for (int i = 0; gspmd && i < op->result_count && op->parent; i++) {
        bool is_tuple = gspmd->kind == GSPMD_TUPLE;
        import_tie(
            importer, builder_after(importer->module, op), is_tuple ? &gspmd->parts[i] : gspmd,
            op_result(op, i));
    }
    const Attr *rule = carried_frontend_attr(carrier, "xla.sdy.sharding_rule");
    if (rule) {
        const Attr *read = read_spelled_attr(importer, carrier, "xla.sdy.sharding_rule", rule);
        if (!read) return false;
        op_set_attr(importer->module, op, NAME_SHARDING_RULE, read);
    }
    carrier_clear(importer, carrier);
    return true;
}

// ---- the pass ----

static bool is_annotated(Importer *importer, const Carrier *carrier) {
    (void)importer;
    StrView target =
        carrier->op->code == OP_CUSTOM_CALL ? op_text(carrier->op, NAME_CALL_TARGET_NAME) : SV("");
    bool found = carried_attr(carrier, gspmd_key) || strview_is(target, "Sharding") ||
                 enters_manual(carrier->op) || leaves_manual(carrier->op) ||
                 strview_starts_with(target, SV("xla.sdy."));
    return !found; // the walk ends at the first
}

// Tuples of arguments and results belong to HLO.
static bool check_tuple_args(Importer *importer, const Carrier *module) {
    if (!carried_frontend_attr(module, "xla.sdy.use_tuple_args")) return true;
    diag_unsupported(
        importer->diags, importer->module->op->loc,
        "programs with xla.sdy.use_tuple_args are not supported: give every argument its own");
    return false;
}

PassResult pass_import_shardings(Module *module, PassContext *pass) {
    Importer importer = {
        .module = module,
        .scratch = pass->scratch,
        .diags = pass->diags,
        .parsed = ptr_map(pass->scratch),
        .borders = ptr_map(pass->scratch),
        .ok = true};
    Carrier whole = carrier_of_op(module->op);
    const Attr *meshes = carried_frontend_attr(&whole, "xla.sdy.meshes");
    if (!meshes && visit_carriers(&importer, is_annotated)) return PASS_UNCHANGED;
    importer.is_round_trip = meshes != NULL;
    if (!check_tuple_args(&importer, &whole)) return PASS_FAILED;
    if (meshes ? !import_meshes(&importer, meshes) : !make_gspmd_mesh(&importer))
        return PASS_FAILED;
    if (!visit_carriers(&importer, import_carrier)) return PASS_FAILED;
    carrier_clear(&importer, &whole);
    if (importer.borders.count > 0 &&
        !import_manual_computations(module, pass->scratch, pass->diags, &importer.borders))
        return PASS_FAILED;
    return PASS_CHANGED;
}

// export_gspmd: Shardy's shardings as GSPMD's; the reverse of import_shardings.
//
//   In       a verified module. Options: v1 (lists of devices), v2 (iotas
//            where there are any; the default).
//   Out      mhlo.sharding on arguments, results and ops; custom calls @Sharding for
//            constraints, reshards and groups ({unknown shard_as N}); @SPMDFullToShardShape
//            and @SPMDShardToFullShape around what was a manual computation;
//            mhlo.num_partitions; no sdy.mesh.
//   Loses    axes' names, open dimensions of values that are no constraints, priorities, which
//            values are explicitly replicated
//   Fails    on meshes with different numbers of devices, and on Shardy's other
//            ops, which GSPMD has no word for
#include "frontend/gspmd/gspmd.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct Exporter {
    Module *module;
    Arena *scratch;
    Diags *diags;
    GspmdForm form;
    PtrMap meshes; // of the names of meshes, interned: to Mesh
    int64_t device_count;
    AxisList manual; // axes of the computations around
    bool is_changed;
} Exporter;

static bool refuse(Exporter *exporter, const Op *op, const char *why) {
    diag_unsupported(exporter->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), why);
    return false;
}

// ---- text ----

static const Mesh *mesh_of(Exporter *exporter, const Sharding *sharding) {
    if (sharding->mesh) return sharding->mesh;
    const Mesh *mesh = ptr_map_get(&exporter->meshes, sharding->mesh_name.data);
    if (mesh) return mesh;
    mesh = sharding_mesh(exporter->module, sharding);
    ptr_map_set(&exporter->meshes, sharding->mesh_name.data, (void *)(uintptr_t)mesh);
    return mesh;
}

// All meshes have as many devices.
static bool count_devices(Exporter *exporter, const Op *op, const Mesh *mesh) {
    if (mesh_is_maximal(mesh)) return true;
    int64_t count = mesh_device_count(mesh);
    if (exporter->device_count == 0) exporter->device_count = count;
    return exporter->device_count == count ||
           refuse(exporter, op, "is on a mesh with another number of devices than others");
}

static bool add_text(
    Exporter *exporter, const Op *op, const Mesh *mesh, const Sharding *sharding, StrBuf *text) {
    GspmdSharding gspmd;
    AxisSpan manual = {exporter->manual.count, exporter->manual.axes};
    if (!count_devices(exporter, op, mesh)) return false;
    if (!gspmd_from_sharding(exporter->scratch, mesh, sharding, manual, &gspmd))
        return refuse(exporter, op, "is on a mesh of more than 65536 devices");
    if (exporter->form == GSPMD_V1)
        (void)gspmd_print(text, &gspmd, GSPMD_V1);
    else
        strbuf_append(text, gspmd_text(exporter->scratch, &gspmd));
    return true;
}

// One sharding for each value, NULL = nothing is said of it; *attr NULL when nothing is said of
// any.
static bool make_text(
    Exporter *exporter, const Op *op, int count, const Sharding *const *shardings,
    const Attr **attr) {
    StrBuf text = strbuf(exporter->scratch);
    bool any = false;
    *attr = NULL;
    if (count > 1) strbuf_putc(&text, '{');
    for (int i = 0; i < count; i++) {
        if (i > 0) strbuf_puts(&text, ", ");
        any = any || shardings[i];
        if (!shardings[i]) {
            strbuf_puts(&text, "{unknown}");
        } else if (!add_text(exporter, op, mesh_of(exporter, shardings[i]), shardings[i], &text)) {
            return false;
        }
    }
    if (count > 1) strbuf_putc(&text, '}');
    if (any) *attr = attr_string(exporter->module->context, strbuf_view(&text));
    return true;
}

static void annotate(Exporter *exporter, Op *op, const Attr *text) {
    if (!text) return;
    op_set_extra(exporter->module, op, SV("mhlo.sharding"), text);
    exporter->is_changed = true;
}

// ---- custom calls ----

// @TARGET(x) {mhlo.sharding = text} before the op
static Value *build_call(
    Exporter *exporter, Op *before, const char *target, Value *x, const Type *type,
    const Attr *text) {
    Builder builder = builder_before(exporter->module, before);
    Op *call = build_op(&builder, OP_CUSTOM_CALL, 1, &x, 1, &type, 0);
    op_set_attr(
        exporter->module, call, NAME_CALL_TARGET_NAME,
        attr_string(exporter->module->context, strview(target)));
    annotate(exporter, call, text);
    return op_result(call, 0);
}

// backend_config = "unspecified_dims=[0,2]": dimensions that propagation may shard.
static void leave_open(Exporter *exporter, Op *call, uint64_t dims) {
    StrBuf text = strbuf(exporter->scratch);
    if (dims == 0) return;
    strbuf_puts(&text, "unspecified_dims=[");
    for (int d = 0, count = 0; d < 64; d++) {
        if (dims >> d & 1) strbuf_printf(&text, "%s%d", count++ ? "," : "", d);
    }
    strbuf_putc(&text, ']');
    op_set_attr(
        exporter->module, call, NAME_BACKEND_CONFIG,
        attr_string(exporter->module->context, strbuf_view(&text)));
}

static uint64_t open_dims(const Sharding *sharding) {
    uint64_t dims = 0;
    for (int d = 0; sharding && d < sharding->rank; d++)
        dims |= (uint64_t)sharding->dims[d].is_open << d;
    return dims;
}

static bool export_constraint(Exporter *exporter, Op *op) {
    const Attr *text;
    Value *result = op_result(op, 0);
    if (!make_text(exporter, op, 1, &result->sharding, &text)) return false;
    Value *call = build_call(exporter, op, "Sharding", op_operand(op, 0), result->type, text);
    leave_open(exporter, call->def, open_dims(result->sharding));
    value_replace_uses(result, call);
    op_erase(op);
    return true;
}

static bool export_group(Exporter *exporter, Op *op) {
    StrBuf text = strbuf(exporter->scratch);
    Value *x = op_operand(op, 0);
    strbuf_printf(&text, "{unknown shard_as %lld}", (long long)op_int(op, NAME_GROUP_ID, 0));
    const Attr *attr = attr_string(exporter->module->context, strbuf_view(&text));
    Value *call = build_call(exporter, op, "Sharding", x, x->type, attr);
    value_replace_uses_except(x, call, call->def);
    op_erase(op);
    return true;
}

// ---- manual computations ----

static bool export_region(Exporter *exporter, Region *region);

// All manual axes here, on an array of the rank.
static bool manual_text(
    Exporter *exporter, const Op *op, const Mesh *mesh, int rank, const Attr **attr) {
    StrBuf text = strbuf(exporter->scratch);
    const Sharding *whole = sharding_replicated(exporter->module->context, SV(""), rank);
    if (!add_text(exporter, op, mesh, whole, &text)) return false;
    *attr = attr_string(exporter->module->context, strbuf_view(&text));
    return true;
}

static const Mesh *manual_mesh(Exporter *exporter, const Op *op) {
    static const AttrName lists[] = {NAME_IN_SHARDINGS, NAME_OUT_SHARDINGS};
    for (int i = 0; i < 2; i++) {
        const Attr *list = op_attr(op, lists[i]);
        if (list && list->count > 0) return mesh_of(exporter, list->shardings[0]);
    }
    return NULL;
}

// The value with the annotation outside, then inside; or the other way round.
static bool cross_border(
    Exporter *exporter, Op *op, const Mesh *mesh, const AxisList *outer, const AxisList *inner,
    const Sharding *sharding, bool enters, Value **value, const Type *type) {
    const Attr *outside, *inside;
    if (type->kind != TYPE_TENSOR) return refuse(exporter, op, "takes or gives what is no array");
    exporter->manual = *outer;
    if (!make_text(exporter, op, 1, &sharding, &outside)) return false;
    exporter->manual = *inner;
    if (!manual_text(exporter, op, mesh, type->rank, &inside)) return false;
    const char *target = enters ? "SPMDFullToShardShape" : "SPMDShardToFullShape";
    Value *before =
        build_call(exporter, op, "Sharding", *value, (*value)->type, enters ? outside : inside);
    if (!enters) // inside, the other axes are as they come
        leave_open(exporter, before->def, ((uint64_t)1 << (*value)->type->rank) - 1);
    *value = build_call(exporter, op, target, before, type, enters ? inside : outside);
    return true;
}

static bool export_manual(Exporter *exporter, Op *op) {
    const Mesh *mesh = manual_mesh(exporter, op);
    const Attr *axes = op_attr(op, NAME_MANUAL_AXES);
    const Attr *ins = op_attr(op, NAME_IN_SHARDINGS), *outs = op_attr(op, NAME_OUT_SHARDINGS);
    Region *body = op->regions[0];
    AxisList outer = exporter->manual, inner = outer;
    if (!mesh) return refuse(exporter, op, "without arguments and results has no mesh");
    for (int i = 0; i < axes->count && inner.count < MAX_AXIS_REFS; i++)
        inner.axes[inner.count++] = axes->axes[i];
    exporter->manual = inner;
    if (!export_region(exporter, body)) return false;
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = op_operand(op, i);
        if (!cross_border(
                exporter, op, mesh, &outer, &inner, ins->shardings[i], true, &value,
                body->args[i]->type))
            return false;
        value_replace_uses(body->args[i], value);
    }
    Op *end = body->last;
    while (body->first != end)
        op_move_before(body->first, op);
    for (int i = 0; i < op->result_count; i++) {
        Value *value = op_operand(end, i);
        if (!cross_border(
                exporter, op, mesh, &outer, &inner, outs->shardings[i], false, &value,
                op_result_type(op, i)))
            return false;
        value_replace_uses(op_result(op, i), value);
    }
    exporter->manual = outer;
    op_erase(op);
    return true;
}

// ---- every op ----

static bool export_func(Exporter *exporter, Op *func) {
    FuncDicts args = func_dicts_open(exporter->module, func, true, exporter->scratch);
    FuncDicts results = func_dicts_open(exporter->module, func, false, exporter->scratch);
    const Attr *text;
    for (int i = 0; i < args.count && func_body(func); i++) {
        Value *arg = func_body(func)->args[i];
        if (!make_text(exporter, func, 1, &arg->sharding, &text)) return false;
        if (text) func_dicts_set(&args, i, SV("mhlo.sharding"), text);
        arg->sharding = NULL;
    }
    for (int i = 0; i < results.count && func->result_shardings; i++) {
        if (!make_text(exporter, func, 1, &func->result_shardings[i], &text)) return false;
        if (text) func_dicts_set(&results, i, SV("mhlo.sharding"), text);
        func->result_shardings[i] = NULL;
    }
    exporter->is_changed = exporter->is_changed || args.changed || results.changed;
    func_dicts_close(&args);
    func_dicts_close(&results);
    return true;
}

static bool export_results(Exporter *exporter, Op *op) {
    const Sharding **shardings =
        ARENA_ARRAY(exporter->scratch, const Sharding *, op->result_count + 1);
    const Attr *text;
    for (int i = 0; i < op->result_count; i++) {
        shardings[i] = op_result(op, i)->sharding;
        op_result(op, i)->sharding = NULL;
    }
    int count = op->result_count;
    if (count == 0 && op->own_sharding) shardings[count++] = op->own_sharding;
    op->own_sharding = NULL;
    if (!make_text(exporter, op, count, shardings, &text)) return false;
    annotate(exporter, op, text);
    return true;
}

static bool export_op(Exporter *exporter, Op *op) {
    switch (op->code) {
    case OP_SDY_MESH: return true;
    case OP_SDY_CONSTRAINT:
    case OP_SDY_RESHARD: return export_constraint(exporter, op);
    case OP_SDY_GROUP: return export_group(exporter, op);
    case OP_SDY_MANUAL: return export_manual(exporter, op);
    case OP_SDY_RETURN: return true;
    default: break;
    }
    if (op_dialect(op) == DIALECT_SDY)
        return refuse(exporter, op, "has no counterpart in GSPMD's notation");
    if (op->code == OP_FUNC && !export_func(exporter, op)) return false;
    for (int i = 0; i < op->region_count; i++) {
        if (!export_region(exporter, op->regions[i])) return false;
    }
    return export_results(exporter, op);
}

static bool export_region(Exporter *exporter, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (!export_op(exporter, op)) return false;
    }
    return true;
}

static void erase_meshes(Module *module) {
    for (Op *op = module->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_SDY_MESH) op_erase(op);
    }
}

static void set_partitions(Exporter *exporter) {
    Module *module = exporter->module;
    static const char name[] = "mhlo.num_partitions";
    if (exporter->device_count <= 1 || attr_dict_get(module->op->extra, strview(name))) return;
    op_set_extra(
        module, module->op, context_name(module->context, strview(name)),
        attr_int(module->context, exporter->device_count, ELEMENT_I32));
}

PassResult pass_export_gspmd(Module *module, PassContext *pass) {
    Exporter exporter = {
        .module = module,
        .scratch = pass->scratch,
        .diags = pass->diags,
        .form = pass_flag(pass, "v1") ? GSPMD_V1 : GSPMD_V2,
        .meshes = ptr_map(pass->scratch)};
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_SDY_MESH) exporter.is_changed = true;
    }
    if (!export_region(&exporter, module->body)) return PASS_FAILED;
    erase_meshes(module);
    set_partitions(&exporter);
    return exporter.is_changed ? PASS_CHANGED : PASS_UNCHANGED;
}

// Shardy's other ops: meshes, manual and named computations, edges, barriers, reshards.
#include "base/checked.h"
#include "ir/analysis/data_flow.h"
#include "ir/infer/infer.h"

bool infer_sdy_mesh(Infer *infer, const Op *op) {
    const Attr *mesh = op_attr(op, NAME_MESH);
    return infer_check_mesh(infer, op, mesh->mesh);
}

static const Type **operand_types(Infer *infer, const Op *op) {
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        types[i] = op_operand_type(op, i);
    return types;
}

static const Type **result_types(Infer *infer, const Op *op) {
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    return types;
}

// What the region returns.
static const Type **returned_types(Infer *infer, const Op *op, int *count) {
    const Op *end = region_terminator(op->regions[0]);
    if (end) {
        *count = end->operand_count;
        return operand_types(infer, end);
    }
    *count = 0;
    return ARENA_ARRAY(infer->diags->arena, const Type *, 1);
}

bool infer_same_operand_and_result(Infer *infer, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    infer_set(infer, 0, type);
    if (infer->results_unknown || types_fit(type, op_result_type(op, 0))) return true;
    return infer_fail(infer, op, "requires the same type for all operands and results");
}

static bool is_manual(const Attr *manual, StrView axis) {
    for (int i = 0; i < manual->count; i++) {
        if (strview_equal(manual->axes[i].name, axis)) return true;
    }
    return false;
}

// The mesh that all shardings of a manual computation share; empty meshes
// aside. False when there are two.
static bool find_common_mesh(Infer *infer, const Op *op, const Mesh **mesh) {
    *mesh = NULL;
    AttrName names[] = {NAME_IN_SHARDINGS, NAME_OUT_SHARDINGS};
    for (int k = 0; k < 2; k++) {
        const Attr *attr = op_attr(op, names[k]);
        for (int i = 0; i < attr->count; i++) {
            const Mesh *found = infer_sharding_mesh(infer, attr->shardings[i]);
            bool is_empty = !found || (found->axis_count == 0 && found->id_count == 0);
            if (*mesh && is_empty) continue;
            bool has_axes = *mesh && ((*mesh)->axis_count || (*mesh)->id_count);
            if (has_axes && *mesh != found) {
                *mesh = NULL;
                return false;
            }
            *mesh = found;
        }
    }
    return true;
}

// Operands or results of a manual computation.
typedef struct ManualValues {
    const char *what; // "operand" or "result"
    const Attr *axes;
    const Attr *shardings;
    int global_count, local_count;
    const Type *const *global_types, *const *local_types;
} ManualValues;

// Manual axes shard a dimension before all others.
static bool check_manual_axes_first(
    Infer *infer, const Op *op, const ManualValues *values, int index) {
    const Sharding *sharding = values->shardings->shardings[index];
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        const AxisRef *before = NULL;
        for (int i = 0; i < dim->axis_count; i++) {
            const AxisRef *axis = &dim->axes[i];
            bool is_bound = is_manual(values->axes, axis->name);
            if (is_bound && before)
                return infer_fail(
                    infer, op,
                    "%s sharding at index %d must have all manual axes come before free axes in "
                    "its dimension sharding at index %d. Saw manual axis %s after free axis %s",
                    values->what, index, d, infer_axis_text(infer, axis),
                    infer_axis_text(infer, before));
            if (!is_bound) before = axis;
        }
    }
    return true;
}

// Into how many parts the manual axes divide a dimension.
static int64_t manual_size(Infer *infer, const ManualValues *values, int index, int d) {
    const Sharding *sharding = values->shardings->shardings[index];
    const Mesh *mesh = infer_sharding_mesh(infer, sharding);
    int64_t product = 1;
    for (int i = 0; i < sharding->dims[d].axis_count; i++) {
        const AxisRef *axis = &sharding->dims[d].axes[i];
        if (!is_manual(values->axes, axis->name)) continue;
        if (!checked_mul(product, axis_ref_size(mesh, axis), &product)) return INT64_MAX;
    }
    return product;
}

// One value's local type: its dimensions divided by the manual axes that shard them.
static bool check_manual_value(Infer *infer, const Op *op, const ManualValues *values, int index) {
    const char *what = values->what;
    const Type *global = values->global_types[index], *local = values->local_types[index];
    if (!check_manual_axes_first(infer, op, values, index)) return false;
    if (global->kind != TYPE_TENSOR) {
        if (global == local) return true;
        return infer_fail(infer, op, "%s type at index %d must match the region's", what, index);
    }
    const Sharding *sharding = values->shardings->shardings[index];
    int64_t dims[MAX_RANK];
    for (int d = 0; d < global->rank; d++) {
        dims[d] = global->dims[d];
        if (dim_is_dynamic(dims[d]) || d >= sharding->rank) continue;
        int64_t product = manual_size(infer, values, index, d);
        if (dims[d] % product != 0)
            return infer_fail(
                infer, op, "%s dimension size %lld is not divisible by the manual axes size %lld",
                what, (long long)dims[d], (long long)product);
        dims[d] /= product;
    }
    const Type *expected = infer_tensor_like(infer, global, global->rank, dims);
    bool equal = local->kind == TYPE_TENSOR && local->element == expected->element &&
                 type_same_shape(local, expected);
    if (equal) return true;
    return infer_fail(
        infer, op,
        "%s shape, corresponding sharding, and region %s shape at index %d must match. Expected "
        "local shape '%s', actual local shape '%s'",
        what, what, index, infer_type_text(infer, expected), infer_type_text(infer, local));
}

static bool check_manual_values(Infer *infer, const Op *op, const ManualValues *values) {
    const Attr *shardings = values->shardings;
    if (values->global_count == 0 && values->local_count == 0 && shardings->count == 0) return true;
    if (!infer_check_value_shardings(
            infer, op, values->what, shardings->count, shardings->shardings, values->global_count,
            values->global_types))
        return false;
    if (values->global_count != values->local_count)
        return infer_fail(
            infer, op,
            "number of op %ss and region %ss must match. Op has %d op %ss and %d region %ss",
            values->what, values->what, values->global_count, values->what, values->local_count,
            values->what);
    for (int i = 0; i < values->global_count; i++) {
        if (!check_manual_value(infer, op, values, i)) return false;
    }
    return true;
}

bool infer_manual_computation(Infer *infer, const Op *op) {
    const Attr *in = op_attr(op, NAME_IN_SHARDINGS);
    const Attr *out = op_attr(op, NAME_OUT_SHARDINGS);
    const Attr *manual = op_attr(op, NAME_MANUAL_AXES);
    for (int i = 0; i < manual->count; i++) {
        if (manual->axes[i].size != 0)
            return infer_fail(
                infer, op, "has the sub-axis %s among its manual axes, which are whole axes",
                infer_axis_text(infer, &manual->axes[i]));
    }
    if (!infer_check_free_axes(infer, op, "", manual->count, manual->axes)) return false;
    const Region *body = op->regions[0];
    const Type **locals = ARENA_ARRAY(infer->diags->arena, const Type *, body->arg_count + 1);
    for (int i = 0; i < body->arg_count; i++)
        locals[i] = body->args[i]->type;
    int returned;
    const Type **outputs = returned_types(infer, op, &returned);
    const ManualValues operands = {
        "operand", manual, in, op->operand_count, body->arg_count, operand_types(infer, op),
        locals};
    const ManualValues results = {
        "result", manual, out, op->result_count, returned, result_types(infer, op), outputs};
    if (!check_manual_values(infer, op, &operands) || !check_manual_values(infer, op, &results))
        return false;
    if (in->count == 0 && out->count == 0) return true;
    const Mesh *mesh;
    if (!find_common_mesh(infer, op, &mesh) && manual->count > 0)
        return infer_fail(
            infer, op, "all in and out shardings must be bound to the same mesh or an empty mesh.");
    for (int i = 0; i < manual->count; i++) {
        if (mesh && mesh_axis_index(mesh, manual->axes[i].name) < 0)
            return infer_fail(
                infer, op, "unknown manual axis: \"%.*s\"", SV_ARG(manual->axes[i].name));
    }
    return true;
}

static bool check_optional_shardings(
    Infer *infer, const Op *op, AttrName name, int count, const Type *const *types) {
    const Attr *attr = op_attr(op, name);
    if (!attr) return true;
    StrView text = attr_name_text(name);
    return infer_check_value_shardings(
        infer, op, arena_cstring(infer->diags->arena, text), attr->count, attr->shardings, count,
        types);
}

bool infer_named_computation(Infer *infer, const Op *op) {
    const Region *body = op->regions[0];
    int outputs;
    const Type **types = returned_types(infer, op, &outputs);
    const Type **results = result_types(infer, op);
    bool fits = outputs == op->result_count;
    for (int i = 0; fits && i < outputs; i++)
        fits = types_fit(types[i], results[i]);
    if (!fits) {
        infer_report(
            infer, op, "inferred type(s) %s are incompatible with return type(s) of operation %s",
            infer_types_text(infer, outputs, types),
            infer_types_text(infer, op->result_count, results));
        return infer_fail(infer, op, "failed to infer returned types");
    }
    if (body->arg_count != op->operand_count) {
        diag_error(
            infer->diags, op->loc,
            "number of block arguments must match the number of operands: %d != %d",
            body->arg_count, op->operand_count);
        return false;
    }
    for (int i = 0; i < body->arg_count; i++) {
        if (body->args[i]->type == op_operand_type(op, i)) continue;
        diag_error(
            infer->diags, op->loc,
            "expected the type of the %d'th block argument to match the type of the corresponding "
            "operand: '%s' vs '%s'",
            i, infer_type_text(infer, body->args[i]->type),
            infer_type_text(infer, op_operand_type(op, i)));
        return false;
    }
    return check_optional_shardings(
               infer, op, NAME_IN_SHARDINGS, op->operand_count, operand_types(infer, op)) &&
           check_optional_shardings(infer, op, NAME_OUT_SHARDINGS, op->result_count, results);
}

bool infer_propagation_barrier(Infer *infer, const Op *op) {
    if (op_attr(op, NAME_ALLOWED_DIRECTION)->integer == PROPAGATION_BOTH)
        return infer_fail(
            infer, op,
            "cannot specify `BOTH` as the direction. Not blocking propagation direction makes the "
            "op redundant.");
    return infer_same_operand_and_result(infer, op);
}

// What a value brings to a constraint or reshard: propagation barriers change nothing.
static const Sharding *source_sharding(const Infer *infer, const Value *value) {
    while (value->def && value->def->code == OP_SDY_BARRIER)
        value = op_operand(value->def, 0);
    return infer->module ? value_sharding(infer->module, value) : value->sharding;
}

// Constraints and reshards may drop unreduced axes, and add them as sums.
bool infer_sdy_reshard(Infer *infer, const Op *op) {
    if (!infer_same_operand_and_result(infer, op)) return false;
    const Sharding *to = op_result(op, 0)->sharding;
    if (!to) return true; // the result's type is being asked for
    if (!infer_check_sharding(infer, op, "", to, op_operand_type(op, 0))) return false;
    const Sharding *from = source_sharding(infer, op_operand(op, 0));
    if (!from) return true;
    const UnreducedChange change = {
        .operand_count = 1,
        .operands = &from,
        .result_count = 1,
        .results = &to,
        .may_add = true,
        .added = REDUCTION_SUM,
        .may_drop = true,
        .dropped = from->reduction};
    return infer_check_unreduced(infer, op, &change);
}

bool infer_data_flow_edge(Infer *infer, const Op *op) {
    const Value *value = op_operand(op, 0);
    if (!infer_same_operand_and_result(infer, op)) return false;
    if (!type_is_static(value->type))
        return infer_fail(
            infer, op, "expected sdy.data_flow_edge to have a static-shaped result. type: '%s'",
            infer_type_text(infer, value->type));
    if (!value_has_one_use(value))
        return infer_fail(infer, op, "expected input of sdy.data_flow_edge to have a single user");
    const Op *def = value->def;
    if (def && op_dialect(def) == DIALECT_SDY && !op_has_data_flow(def)) {
        infer_report(
            infer, op,
            "expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other "
            "than an sdy.named_computation).");
        diag_note(infer->diags, def->loc, "sdy op defining the input of the sdy.data_flow_edge");
        return false;
    }
    const Sharding *sharding = op_result(op, 0)->sharding;
    return !sharding || infer_check_sharding(infer, op, "", sharding, value->type);
}

bool infer_func_data_flow_edge(Infer *infer, const Op *op) {
    const Value *value = op_operand(op, 0);
    if (!infer_same_operand_and_result(infer, op)) return false;
    if (!type_is_static(value->type))
        return infer_fail(
            infer, op,
            "expected sdy.func_data_flow_edge to have a static-shaped result. type: '%s'",
            infer_type_text(infer, value->type));
    if (!value_has_one_use(value))
        return infer_fail(
            infer, op, "expected operand of sdy.func_data_flow_edge to have a single user");
    if (!value->def && value->region->owner->code != OP_FUNC)
        return infer_fail(
            infer, op,
            "expected operand of sdy.func_data_flow_edge to be a block argument of a func op.");
    if (value->def && value->def->code != OP_CALL)
        return infer_fail(
            infer, op, "expected operand of sdy.func_data_flow_edge to be a result of call op.");
    return true;
}

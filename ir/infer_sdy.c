// Shardy's other ops: meshes, manual and named computations, edges, barriers, reshards.
#include "base/checked.h"
#include "ir/infer.h"

static bool check_device_ids(Infer *infer, const Op *op, const Mesh *mesh, int64_t product) {
    Arena *arena = infer->diags->arena;
    for (int64_t i = 0; i < mesh->id_count; i++) {
        if (mesh->device_ids[i] < 0)
            return infer_fail(
                infer, op, "device id must be non-negative, got: %lld",
                (long long)mesh->device_ids[i]);
    }
    if (mesh->axis_count == 0) {
        if (mesh->id_count <= 1) return true;
        return infer_fail(infer, op, "axes is empty and device_ids has more than one element");
    }
    if (mesh->id_count == 0) return true;
    if (mesh->id_count != product)
        return infer_fail(
            infer, op,
            "total product of axis sizes must match total number of device ids, got: %lld != %lld",
            (long long)product, (long long)mesh->id_count);
    int64_t *counts = ARENA_ARRAY(arena, int64_t, product);
    bool is_permutation = true, is_iota = true;
    for (int64_t i = 0; i < product; i++) {
        int64_t id = mesh->device_ids[i];
        is_iota = is_iota && id == i;
        if (id >= product || counts[id]++) is_permutation = false;
    }
    if (!is_permutation) {
        int64_t *sorted = arena_copy(arena, mesh->device_ids, (size_t)product * sizeof(int64_t));
        for (int64_t i = 1; i < product && product <= 64; i++) { // for the message: small lists
            for (int64_t j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
                int64_t id = sorted[j];
                sorted[j] = sorted[j - 1];
                sorted[j - 1] = id;
            }
        }
        return infer_fail(
            infer, op, "sorted device ids must be iota(product(axes)), got: %s",
            infer_ints_text(infer, sorted, product <= 64 ? product : 64));
    }
    if (is_iota)
        return infer_fail(
            infer, op,
            "if the ordered device ids are the same as iota(product(axes)), no need to specify "
            "them for simplicity");
    return true;
}

bool infer_check_mesh(Infer *infer, const Op *op, const Mesh *mesh) {
    enum { MAX_DEVICES = 1 << 24 };
    int64_t product = 1;
    for (int i = 0; i < mesh->axis_count; i++) {
        const MeshAxis *axis = &mesh->axes[i];
        if (axis->size < 1)
            return infer_fail(
                infer, op, "axis size must be at least 1, got: %lld", (long long)axis->size);
        for (int j = 0; j < i; j++) {
            if (strview_equal(mesh->axes[j].name, axis->name))
                return infer_fail(infer, op, "duplicate axis name: \"%.*s\"", SV_ARG(axis->name));
        }
        if (!checked_mul(product, axis->size, &product) || product > MAX_DEVICES)
            return infer_fail(infer, op, "has more than %d devices", (int)MAX_DEVICES);
    }
    return check_device_ids(infer, op, mesh, product);
}

bool infer_sdy_mesh(Infer *infer, const Op *op) {
    const Attr *mesh;
    if (!infer_attr(infer, op, NAME_MESH, ATTR_MESH, &mesh)) return false;
    return infer_check_mesh(infer, op, mesh->mesh);
}

// As many shardings as values, each right for its value. what: "operand" or "result" (or the attribute's name).
static bool check_shardings(
    Infer *infer, const Op *op, AttrName name, const char *what, bool required, int count,
    const Value *const *values) {
    const Attr *attr = op_attr(op, name);
    if (!attr && !required) return true;
    if (!infer_attr(infer, op, name, ATTR_SHARDINGS, &attr)) return false;
    if (attr->count != count)
        return infer_fail(
            infer, op, "%s shardings don't match number of values: %d shardings vs %d values", what,
            attr->count, count);
    const char *prefix = arena_printf(infer->diags->arena, "%s - ", what);
    for (int i = 0; i < count; i++) {
        const Sharding *sharding = attr->shardings[i];
        if (!infer_check_sharding(infer, op, prefix, sharding, values[i]->type)) return false;
    }
    return true;
}

static const Value **operand_values(Infer *infer, const Op *op) {
    const Value **values = ARENA_ARRAY(infer->diags->arena, const Value *, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        values[i] = op_operand(op, i);
    return values;
}

static const Value **result_values(Infer *infer, const Op *op) {
    const Value **values = ARENA_ARRAY(infer->diags->arena, const Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        values[i] = op_result(op, i);
    return values;
}

static bool is_manual(const Attr *manual, StrView axis) {
    for (int i = 0; i < manual->count; i++) {
        if (strview_equal(manual->axes[i].name, axis)) return true;
    }
    return false;
}

// The mesh that all shardings of a manual computation share; empty meshes aside. False when there are two.
static bool find_common_mesh(Infer *infer, const Op *op, const Mesh **mesh) {
    *mesh = NULL;
    AttrName names[] = {NAME_IN_SHARDINGS, NAME_OUT_SHARDINGS};
    for (int k = 0; k < 2; k++) {
        const Attr *attr = op_attr(op, names[k]);
        for (int i = 0; i < attr->count; i++) {
            const Mesh *found = infer_sharding_mesh(infer, attr->shardings[i]);
            if (found->axis_count == 0 && found->id_count == 0) continue;
            if (*mesh && *mesh != found)
                return infer_fail(
                    infer, op,
                    "all in and out shardings must be bound to the same mesh or an empty mesh.");
            *mesh = found;
        }
    }
    return true;
}

// Operands or results of a manual computation.
typedef struct ManualValues {
    const char *what; // "operand" or "result"
    const Mesh *mesh;
    const Attr *axes;
    const Attr *shardings;
} ManualValues;

// One value's local type: its dimensions divided by the manual axes that shard them.
static bool check_manual_value(
    Infer *infer, const Op *op, const ManualValues *values, int index, const Type *global,
    const Type *local) {
    const char *what = values->what;
    const Sharding *sharding = values->shardings->shardings[index];
    if (global->kind != TYPE_TENSOR) {
        if (global == local) return true;
        return infer_fail(infer, op, "%s type at index %d must match the region's", what, index);
    }
    int64_t dims[MAX_RANK];
    for (int d = 0; d < global->rank; d++) {
        dims[d] = global->dims[d];
        if (d >= sharding->rank) continue;
        const DimSharding *dim = &sharding->dims[d];
        int64_t product = 1;
        const AxisRef *free_axis = NULL;
        for (int i = 0; i < dim->axis_count; i++) {
            const AxisRef *axis = &dim->axes[i];
            if (!is_manual(values->axes, axis->name)) {
                free_axis = axis;
                continue;
            }
            if (free_axis)
                return infer_fail(
                    infer, op,
                    "%s sharding at index %d must have all manual axes come before free axes in "
                    "its "
                    "dimension sharding at index %d. Saw manual axis %s after free axis %s",
                    what, index, d, infer_axis_text(infer, axis),
                    infer_axis_text(infer, free_axis));
            product *= axis_ref_size(values->mesh, axis);
        }
        if (dim_is_dynamic(dims[d])) continue;
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
        "local shape "
        "'%s', actual local shape '%s'",
        what, what, index, infer_type_text(infer, expected), infer_type_text(infer, local));
}

// Axes that an enclosing manual computation has bound are not free here.
static bool check_parent_axes(Infer *infer, const Op *op, const Attr *manual) {
    for (const Op *parent = op_parent_op(op); parent; parent = op_parent_op(parent)) {
        if (parent->code != OP_SDY_MANUAL) continue;
        const Attr *bound = op_attr(parent, NAME_MANUAL_AXES);
        for (int i = 0; bound && bound->kind == ATTR_AXES && i < manual->count; i++) {
            if (!is_manual(bound, manual->axes[i].name)) continue;
            infer_fail(
                infer, op,
                "operates on axis \"%.*s\" which is already bound by a parent "
                "sdy.manual_computation op",
                SV_ARG(manual->axes[i].name));
            diag_note(infer->diags, parent->loc, "parent bounding this axis as manual");
            return false;
        }
    }
    return true;
}

bool infer_manual_computation(Infer *infer, const Op *op) {
    const Region *body = op->regions[0];
    const Op *end = region_terminator(body);
    const Value **operands = operand_values(infer, op), **results = result_values(infer, op);
    if (!check_shardings(
            infer, op, NAME_IN_SHARDINGS, "operand", true, op->operand_count, operands) ||
        !check_shardings(infer, op, NAME_OUT_SHARDINGS, "result", true, op->result_count, results))
        return false;
    const Attr *manual;
    const Mesh *mesh;
    if (!infer_attr(infer, op, NAME_MANUAL_AXES, ATTR_AXES, &manual) ||
        !find_common_mesh(infer, op, &mesh))
        return false;
    for (int i = 0; i < manual->count; i++) {
        if (mesh && mesh_axis_index(mesh, manual->axes[i].name) < 0)
            return infer_fail(
                infer, op, "unknown manual axis: \"%.*s\"", SV_ARG(manual->axes[i].name));
    }
    if (body->arg_count != op->operand_count)
        return infer_fail(
            infer, op,
            "number of op operands and region operands must match. Op has %d op operands and %d "
            "region "
            "operands",
            op->operand_count, body->arg_count);
    int outputs = end ? end->operand_count : 0;
    if (outputs != op->result_count)
        return infer_fail(
            infer, op,
            "number of op results and region results must match. Op has %d op results and %d "
            "region "
            "results",
            op->result_count, outputs);
    ManualValues in = {"operand", mesh, manual, op_attr(op, NAME_IN_SHARDINGS)};
    for (int i = 0; i < op->operand_count; i++) {
        if (!check_manual_value(infer, op, &in, i, operands[i]->type, body->args[i]->type))
            return false;
    }
    ManualValues out = {"result", mesh, manual, op_attr(op, NAME_OUT_SHARDINGS)};
    for (int i = 0; i < op->result_count; i++) {
        if (!check_manual_value(infer, op, &out, i, results[i]->type, op_operand_type(end, i)))
            return false;
    }
    return check_parent_axes(infer, op, manual);
}

bool infer_named_computation(Infer *infer, const Op *op) {
    const Region *body = op->regions[0];
    if (body->arg_count != op->operand_count)
        return infer_fail(
            infer, op, "number of block arguments must match the number of operands: %d != %d",
            body->arg_count, op->operand_count);
    for (int i = 0; i < body->arg_count; i++) {
        if (body->args[i]->type != op_operand_type(op, i))
            return infer_fail(
                infer, op,
                "expected the type of the %d'th block argument to match the type of the "
                "corresponding "
                "operand: '%s' vs '%s'",
                i, infer_type_text(infer, body->args[i]->type),
                infer_type_text(infer, op_operand_type(op, i)));
    }
    const Value **operands = operand_values(infer, op), **results = result_values(infer, op);
    if (!check_shardings(
            infer, op, NAME_IN_SHARDINGS, "in_shardings", false, op->operand_count, operands) ||
        !check_shardings(
            infer, op, NAME_OUT_SHARDINGS, "out_shardings", false, op->result_count, results))
        return false;
    const Op *end = region_terminator(body);
    int outputs = end ? end->operand_count : 0;
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, outputs + 1);
    for (int i = 0; i < outputs; i++)
        types[i] = op_operand_type(end, i);
    bool fits = outputs == op->result_count;
    for (int i = 0; fits && i < outputs; i++)
        fits = types_fit(types[i], op_result_type(op, i));
    if (fits) return true;
    infer_fail(
        infer, op, "inferred type(s) %s are incompatible with return type(s) of operation %s",
        infer_types_text(infer, outputs, types),
        infer_value_types_text(infer, op->result_count, results));
    return infer_fail(infer, op, "failed to infer returned types");
}

bool infer_propagation_barrier(Infer *infer, const Op *op) {
    const Attr *direction;
    if (!infer_attr(infer, op, NAME_ALLOWED_DIRECTION, ATTR_ENUM, &direction)) return false;
    if (direction->integer == PROPAGATION_BOTH)
        return infer_fail(infer, op, "cannot specify `BOTH` as the direction");
    return infer_same_type(infer, op);
}

bool infer_sharding_group(Infer *infer, const Op *op) {
    int64_t group;
    return infer_int(infer, op, NAME_GROUP_ID, &group);
}

static const char *reduction_text(ReductionKind kind) {
    switch (kind) {
    case REDUCTION_SUM: return "sum";
    case REDUCTION_MAX: return "max";
    case REDUCTION_MIN: return "min";
    }
    return "";
}

// A reshard keeps how unreduced axes are combined, and adds unreduced axes as sums only.
bool infer_sdy_reshard(Infer *infer, const Op *op) {
    const Sharding *from = op_operand(op, 0)->sharding, *to = op_result(op, 0)->sharding;
    infer_set(infer, 0, op_operand_type(op, 0));
    if (!to || to->unreduced_count == 0) return true;
    if (!infer_check_sharding(infer, op, "", to, op_result_type(op, 0))) return false;
    if (from && !infer_check_sharding(infer, op, "operand - ", from, op_operand_type(op, 0)))
        return false;
    const Mesh *mesh = infer_sharding_mesh(infer, to);
    bool keeps = false, adds = false;
    for (int i = 0; i < to->unreduced_count; i++) {
        bool kept = false;
        for (int j = 0; mesh && from && j < from->unreduced_count; j++)
            kept = kept || axis_ref_overlaps(mesh, &from->unreduced[j], &to->unreduced[i]);
        keeps = keeps || kept;
        adds = adds || !kept;
    }
    if (keeps && from->reduction != to->reduction)
        return infer_fail(
            infer, op, "cannot change the reduction operator of kept unreduced axes from %s to %s.",
            reduction_text(from->reduction), reduction_text(to->reduction));
    if (adds && to->reduction != REDUCTION_SUM)
        return infer_fail(
            infer, op, "cannot introduce '%s' unreduced axes. Expected 'sum'.",
            reduction_text(to->reduction));
    return true;
}

bool infer_func_data_flow_edge(Infer *infer, const Op *op) {
    const Value *value = op_operand(op, 0);
    infer_set(infer, 0, value->type);
    if (!type_is_static(value->type))
        return infer_fail(
            infer, op, "expected sdy.func_data_flow_edge to have a static-shaped result");
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

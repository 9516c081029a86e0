// Checks of shardings against meshes and types.
#include "ir/infer.h"

static const Op *find_symbol(Infer *infer, StrView name, OpCode code) {
    if (infer->symbols) {
        const Op *op = str_map_get(infer->symbols, name);
        return op && op->code == code ? op : NULL;
    }
    for (const Op *op = infer->module->body->first; op; op = op->next) {
        if (op->code == code && strview_equal(op_text(op, NAME_SYM_NAME), name)) return op;
    }
    return NULL;
}

bool infer_has_symbol(Infer *infer, StrView name) {
    if (infer->symbols) return str_map_get(infer->symbols, name) != NULL;
    for (const Op *op = infer->module->body->first; op; op = op->next) {
        if (strview_equal(op_text(op, NAME_SYM_NAME), name)) return true;
    }
    return false;
}

const Op *infer_find_func(Infer *infer, StrView name) { return find_symbol(infer, name, OP_FUNC); }

const Mesh *infer_find_mesh(Infer *infer, StrView name) {
    const Op *op = find_symbol(infer, name, OP_SDY_MESH);
    const Attr *mesh = op ? op_attr(op, NAME_MESH) : NULL;
    return mesh ? mesh->mesh : NULL;
}

const Mesh *infer_sharding_mesh(Infer *infer, const Sharding *sharding) {
    return sharding->mesh ? sharding->mesh : infer_find_mesh(infer, sharding->mesh_name);
}

static bool check_axis(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, const AxisRef *axis) {
    int64_t full = mesh_axis_size(mesh, axis->name);
    if (full == 0)
        return infer_fail(infer, op, "%sunknown axis name: \"%.*s\"", prefix, SV_ARG(axis->name));
    if (axis->size == 0) return true;
    const char *text = infer_axis_text(infer, axis);
    if (axis->pre_size < 1)
        return infer_fail(infer, op, "%ssub-axis pre-size must be at least 1: %s", prefix, text);
    if (axis->size <= 1)
        return infer_fail(infer, op, "%ssub-axis size must be greater than 1: %s", prefix, text);
    bool divides = axis->pre_size <= full && axis->size <= full && full % axis->pre_size == 0 &&
                   full / axis->pre_size % axis->size == 0;
    if (!divides)
        return infer_fail(
            infer, op, "%ssub-axis next pre-size doesn't divide the size of the full axis %lld: %s",
            prefix, (long long)full, text);
    if (axis->size == full)
        return infer_fail(
            infer, op, "%ssub-axis size is equal to the size of the full axis: %s", prefix, text);
    return true;
}

// The axis must not overlap one of the axes before it.
static bool check_distinct(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, int count,
    const AxisRef *axes, const AxisRef *axis) {
    for (int i = 0; i < count; i++) {
        if (axis_ref_equal(&axes[i], axis))
            return infer_fail(
                infer, op, "%sduplicate axis ref: %s", prefix, infer_axis_text(infer, axis));
        if (axis_ref_overlaps(mesh, &axes[i], axis))
            return infer_fail(
                infer, op, "%soverlapping sub-axes: %s, %s", prefix,
                infer_axis_text(infer, &axes[i]), infer_axis_text(infer, axis));
        if (!axis_ref_can_coexist(mesh, &axes[i], axis))
            return infer_fail(
                infer, op, "%ssub-axes that are no factors of one product of the full axis: %s, %s",
                prefix, infer_axis_text(infer, &axes[i]), infer_axis_text(infer, axis));
    }
    return true;
}

// Axes that are seen one list after the other.
typedef struct SeenAxes {
    int count;
    AxisRef axes[MAX_AXIS_REFS];
} SeenAxes;

static bool see_axes(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, int count,
    const AxisRef *axes, SeenAxes *seen) {
    for (int i = 0; i < count; i++) {
        if (!check_axis(infer, op, prefix, mesh, &axes[i]) ||
            !check_distinct(infer, op, prefix, mesh, seen->count, seen->axes, &axes[i]))
            return false;
        if (i && axis_ref_can_merge(mesh, &axes[i - 1], &axes[i]))
            return infer_fail(
                infer, op, "%stwo consecutive sub-axes can be merged: %s, %s", prefix,
                infer_axis_text(infer, &axes[i - 1]), infer_axis_text(infer, &axes[i]));
        if (seen->count == MAX_AXIS_REFS)
            return infer_fail(infer, op, "%snames more than %d axes", prefix, (int)MAX_AXIS_REFS);
        seen->axes[seen->count++] = axes[i];
    }
    return true;
}

bool infer_check_axes(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, int count,
    const AxisRef *axes) {
    SeenAxes seen = {0};
    return see_axes(infer, op, prefix, mesh, count, axes, &seen);
}

bool axes_are_sorted(const Mesh *mesh, int count, const AxisRef *axes) {
    for (int i = 1; i < count; i++) {
        if (axis_ref_compare(mesh, &axes[i - 1], &axes[i]) >= 0) return false;
    }
    return true;
}

static bool check_sharding_axes(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, const Sharding *sharding) {
    SeenAxes seen = {0};
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        if (dim->axis_count == 0 && !dim->is_open && dim->priority != PRIORITY_NONE)
            return infer_fail(
                infer, op, "%sdim %d is empty and closed but has a priority", prefix, d);
        if (!see_axes(infer, op, prefix, mesh, dim->axis_count, dim->axes, &seen)) return false;
    }
    if (!see_axes(
            infer, op, prefix, mesh, sharding->replicated_count, sharding->replicated, &seen) ||
        !see_axes(infer, op, prefix, mesh, sharding->unreduced_count, sharding->unreduced, &seen))
        return false;
    if (!axes_are_sorted(mesh, sharding->replicated_count, sharding->replicated))
        return infer_fail(infer, op, "%sreplicated axes are not ordered w.r.t. mesh", prefix);
    if (!axes_are_sorted(mesh, sharding->unreduced_count, sharding->unreduced))
        return infer_fail(infer, op, "%sunreduced axes are not ordered w.r.t. mesh", prefix);
    return true;
}

bool infer_check_sharding(
    Infer *infer, const Op *op, const char *prefix, const Sharding *sharding, const Type *type) {
    const Mesh *mesh = infer_sharding_mesh(infer, sharding);
    if (!mesh)
        return infer_fail(infer, op, "%sunknown mesh: @%.*s", prefix, SV_ARG(sharding->mesh_name));
    // A tuple of one tensor is sharded as its part.
    if (type->kind == TYPE_TUPLE && type->part_count == 1) type = type->parts[0];
    if (sharding->mesh && !infer_check_mesh(infer, op, sharding->mesh)) return false;
    bool is_bare =
        sharding->rank == 0 && sharding->replicated_count == 0 && sharding->unreduced_count == 0;
    if (type->kind != TYPE_TENSOR && !is_bare)
        return infer_fail(
            infer, op,
            "%snon-shaped tensors can only have a sharding with rank 0 and no replicated or "
            "unreduced "
            "axes.",
            prefix);
    if (mesh_is_maximal(mesh)) {
        if (is_bare) return true;
        return infer_fail(
            infer, op,
            "%sa maximal sharding can only have a sharding with rank 0 and no replicated or "
            "unreduced "
            "axes.",
            prefix);
    }
    if (type->kind == TYPE_TENSOR && type->unranked)
        return infer_fail(
            infer, op, "%sonly ranked tensors with a static shape can have a sharding", prefix);
    if (type->kind == TYPE_TENSOR && sharding->rank != type->rank)
        return infer_fail(
            infer, op, "%ssharding doesn't match tensor rank: %d != %d", prefix, sharding->rank,
            type->rank);
    return check_sharding_axes(infer, op, prefix, mesh, sharding);
}

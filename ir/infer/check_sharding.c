// Checks of axes and shardings against meshes and types, in Shardy's order and words.
#include "base/checked.h"
#include "ir/infer/infer.h"
#include "ir/print/sharding_print.h"

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
    return op ? op_mesh(op) : NULL;
}

const Mesh *infer_sharding_mesh(Infer *infer, const Sharding *sharding) {
    return sharding->mesh ? sharding->mesh : infer_find_mesh(infer, sharding->mesh_name);
}

// Axes that are seen one list after the other.
typedef struct SeenAxes {
    int count;
    AxisRef axes[MAX_AXIS_REFS];
} SeenAxes;

static bool is_seen(const SeenAxes *seen, const AxisRef *axis) {
    for (int i = 0; i < seen->count; i++) {
        if (axis_ref_equal(&seen->axes[i], axis)) return true;
    }
    return false;
}

static bool see_axes(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, int count,
    const AxisRef *axes, SeenAxes *seen) {
    for (int i = 0; i < count; i++) {
        const AxisRef *axis = &axes[i];
        if (mesh_axis_index(mesh, axis->name) < 0)
            return infer_fail(
                infer, op, "%sunknown axis name: \"%.*s\"", prefix, SV_ARG(axis->name));
        if (is_seen(seen, axis))
            return infer_fail(
                infer, op, "%sduplicate axis ref: %s", prefix, infer_axis_text(infer, axis));
        if (i && axis_ref_can_merge(mesh, &axes[i - 1], axis))
            return infer_fail(
                infer, op, "%stwo consecutive sub-axes can be merged: %s, %s", prefix,
                infer_axis_text(infer, &axes[i - 1]), infer_axis_text(infer, axis));
        if (seen->count == MAX_AXIS_REFS)
            return infer_fail(infer, op, "%snames more than %d axes", prefix, (int)MAX_AXIS_REFS);
        seen->axes[seen->count++] = *axis;
    }
    return true;
}

// One sub-axis, and that it begins behind the one before it (NULL: there is none).
static bool check_sub_axis(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, const AxisRef *before,
    const AxisRef *axis) {
    int64_t full = mesh_axis_size(mesh, axis->name);
    const char *text = infer_axis_text(infer, axis);
    if (axis->pre_size < 1)
        return infer_fail(infer, op, "%ssub-axis pre-size must be at least 1: %s", prefix, text);
    if (axis->size <= 1)
        return infer_fail(infer, op, "%ssub-axis sizes must be greater than 1: %s", prefix, text);
    int64_t next = axis_ref_next_pre_size(mesh, axis);
    if (full % next != 0)
        return infer_fail(
            infer, op,
            "%ssub-axis next pre-size %lld doesn't divide the size of the full axis %lld: %s",
            prefix, (long long)next, (long long)full, text);
    if (axis->size == full)
        return infer_fail(
            infer, op, "%ssub-axis size is equal to the full axis size: %s", prefix, text);
    if (!before) return true;
    if (axis_ref_next_pre_size(mesh, before) > axis->pre_size)
        return infer_fail(
            infer, op, "%soverlapping sub-axes: %s, %s", prefix, infer_axis_text(infer, before),
            text);
    if (axis_ref_can_coexist(mesh, before, axis)) return true;
    return infer_fail(
        infer, op, "%ssub-axes that are no factors of one product of the full axis: %s, %s", prefix,
        infer_axis_text(infer, before), text);
}

// All sub-axes of one axis of the mesh: each is right, they do not overlap, and the
// whole axis is not used beside them.
static bool check_sub_axes_of(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, StrView name,
    const SeenAxes *seen) {
    SeenAxes parts = {0};
    bool has_whole = false;
    for (int i = 0; i < seen->count; i++) {
        const AxisRef *axis = &seen->axes[i];
        if (!strview_equal(axis->name, name)) continue;
        if (axis->size == 0) {
            has_whole = true;
            continue;
        }
        int place = parts.count++;
        for (; place > 0 && axis_ref_compare(mesh, &parts.axes[place - 1], axis) > 0; place--)
            parts.axes[place] = parts.axes[place - 1];
        parts.axes[place] = *axis;
    }
    if (has_whole && parts.count)
        return infer_fail(
            infer, op, "%sboth sub-axis and full-axis are used for axis name: \"%.*s\"", prefix,
            SV_ARG(name));
    for (int i = 0; i < parts.count; i++) {
        const AxisRef *before = i ? &parts.axes[i - 1] : NULL;
        if (!check_sub_axis(infer, op, prefix, mesh, before, &parts.axes[i])) return false;
    }
    return true;
}

static bool check_sub_axes(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, const SeenAxes *seen) {
    for (int i = 0; i < mesh->axis_count; i++) {
        if (!check_sub_axes_of(infer, op, prefix, mesh, mesh->axes[i].name, seen)) return false;
    }
    return true;
}

bool infer_check_axes(
    Infer *infer, const Op *op, const Mesh *mesh, int list_count, const AxisSpan *lists) {
    SeenAxes seen = {0};
    for (int i = 0; i < list_count; i++) {
        if (!see_axes(infer, op, "", mesh, lists[i].count, lists[i].axes, &seen)) return false;
    }
    return check_sub_axes(infer, op, "", mesh, &seen);
}

bool infer_check_axes_sorted(
    Infer *infer, const Op *op, const char *prefix, const Mesh *mesh, const char *what, int count,
    const AxisRef *axes) {
    for (int i = 1; i < count; i++) {
        if (axis_ref_compare(mesh, &axes[i - 1], &axes[i]) > 0)
            return infer_fail(infer, op, "%s%s axes are not ordered w.r.t. mesh", prefix, what);
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
    struct {
        const char *name;
        AxisSpan axes;
    } lists[] = {
        {"replicated", {sharding->replicated_count, sharding->replicated}},
        {"unreduced", {sharding->unreduced_count, sharding->unreduced}}};
    for (int i = 0; i < 2; i++) {
        AxisSpan axes = lists[i].axes;
        if (!infer_check_axes_sorted(
                infer, op, prefix, mesh, lists[i].name, axes.count, axes.axes) ||
            !see_axes(infer, op, prefix, mesh, axes.count, axes.axes, &seen))
            return false;
    }
    return check_sub_axes(infer, op, prefix, mesh, &seen);
}

// The manual computation around the op that has bound the axis; NULL when the axis is free.
static const Op *binding_op(const Op *op, StrView axis) {
    for (const Op *parent = op_parent_op(op); parent; parent = op_parent_op(parent)) {
        const Attr *manual =
            parent->code == OP_SDY_MANUAL ? op_attr(parent, NAME_MANUAL_AXES) : NULL;
        for (int i = 0; manual && manual->kind == ATTR_AXES && i < manual->count; i++) {
            if (strview_equal(manual->axes[i].name, axis)) return parent;
        }
    }
    return NULL;
}

bool infer_check_free_axes(
    Infer *infer, const Op *op, const char *prefix, int count, const AxisRef *axes) {
    for (int i = 0; i < count; i++) {
        const Op *binding = binding_op(op, axes[i].name);
        if (!binding) continue;
        infer_report(
            infer, op,
            "%soperates on axis \"%.*s\" which is already bound by a parent "
            "sdy.manual_computation op",
            prefix, SV_ARG(axes[i].name));
        diag_note(infer->diags, binding->loc, "parent bounding this axis as manual");
        return false;
    }
    return true;
}

static bool check_free(Infer *infer, const Op *op, const char *prefix, const Sharding *sharding) {
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        if (!infer_check_free_axes(infer, op, prefix, dim->axis_count, dim->axes)) return false;
    }
    return infer_check_free_axes(
               infer, op, prefix, sharding->replicated_count, sharding->replicated) &&
           infer_check_free_axes(infer, op, prefix, sharding->unreduced_count, sharding->unreduced);
}

static bool is_bare(const Sharding *sharding) {
    return sharding->rank == 0 && sharding->replicated_count == 0 && sharding->unreduced_count == 0;
}

static const char *sharding_text(Infer *infer, const Sharding *sharding) {
    StrBuf text = strbuf(infer->diags->arena);
    sharding_print(&text, sharding);
    return strbuf_cstring(&text);
}

// The tensor that a sharding of a value of this type is about: a tuple of one tensor is sharded as
// its part. *tensor: NULL when there is none.
static bool sharded_tensor(
    Infer *infer, const Op *op, const char *prefix, const Type *type, const Type **tensor) {
    if (type->kind == TYPE_TUPLE) {
        if (type->part_count != 1)
            return infer_fail(
                infer, op, "%sops can only have a sharding for a tuple of size 1: '%s'", prefix,
                infer_type_text(infer, type));
        type = type->parts[0];
    }
    *tensor = type->kind == TYPE_TENSOR ? type : NULL;
    return true;
}

bool infer_check_sharding(
    Infer *infer, const Op *op, const char *prefix, const Sharding *sharding, const Type *type) {
    const Mesh *mesh = infer_sharding_mesh(infer, sharding);
    if (!mesh)
        return infer_fail(infer, op, "%sunknown mesh: @%.*s", prefix, SV_ARG(sharding->mesh_name));
    if (sharding->mesh && !infer_check_mesh(infer, op, sharding->mesh)) return false;
    if (mesh_is_maximal(mesh) || !type) {
        if (is_bare(sharding)) return true;
        return infer_fail(
            infer, op,
            "%sa maximal sharding can only have a sharding with rank 0 and no replicated or "
            "unreduced axes.",
            prefix);
    }
    const Type *tensor = NULL;
    if (!sharded_tensor(infer, op, prefix, type, &tensor)) return false;
    if (!tensor) {
        if (is_bare(sharding)) return true;
        return infer_fail(
            infer, op,
            "%snon-shaped tensors can only have a sharding with rank 0 and no replicated or "
            "unreduced axes. type: '%s', sharding: %s",
            prefix, infer_type_text(infer, type), sharding_text(infer, sharding));
    }
    if (tensor->unranked)
        return infer_fail(
            infer, op, "%sonly ranked tensors can have a sharding. type: '%s'", prefix,
            infer_type_text(infer, type));
    if (sharding->rank != tensor->rank)
        return infer_fail(
            infer, op, "%ssharding doesn't match tensor rank: %d != %d", prefix, sharding->rank,
            tensor->rank);
    return check_sharding_axes(infer, op, prefix, mesh, sharding) &&
           check_free(infer, op, prefix, sharding);
}

bool infer_sharding_holds(Infer *infer, const Op *op, const Sharding *sharding, const Type *type) {
    Infer quiet = *infer;
    quiet.diags = diags_create(infer->diags->arena);
    return infer_check_sharding(&quiet, op, "", sharding, type);
}

// "result - ", or "result 1 - " when there are several
static const char *value_prefix(Infer *infer, const char *what, int count, int i) {
    Arena *arena = infer->diags->arena;
    return count == 1 ? arena_printf(arena, "%s - ", what)
                      : arena_printf(arena, "%s %d - ", what, i);
}

bool infer_check_value_shardings(
    Infer *infer, const Op *op, const char *what, int sharding_count,
    const Sharding *const *shardings, int count, const Type *const *types) {
    if (count == 0 && sharding_count == 1) {
        const Mesh *mesh = infer_sharding_mesh(infer, shardings[0]);
        if ((mesh && mesh_is_maximal(mesh)) || sharding_is_fully_replicated(shardings[0]))
            return infer_check_sharding(
                infer, op, value_prefix(infer, what, 0, 0), shardings[0], NULL);
    }
    if (sharding_count != count)
        return infer_fail(
            infer, op, "%s shardings don't match number of values: %d shardings vs %d values", what,
            sharding_count, count);
    for (int i = 0; i < count; i++) {
        if (!shardings[i]) continue;
        const char *prefix = value_prefix(infer, what, count, i);
        if (!infer_check_sharding(infer, op, prefix, shardings[i], types[i])) return false;
    }
    return true;
}

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

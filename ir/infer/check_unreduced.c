// Which axes an op's values are unreduced over, before and behind the op.
#include "ir/infer/infer.h"

// One side of the op.
typedef struct Side {
    int count;
    const Sharding *const *shardings;
} Side;

static const char *kind_text(ReductionKind kind) {
    switch (kind) {
    case REDUCTION_SUM: return "sum";
    case REDUCTION_MAX: return "max";
    case REDUCTION_MIN: return "min";
    }
    return "";
}

// Can the axis be compared with others? An axis that is wrong has its own error.
static bool is_right(const Mesh *mesh, const AxisRef *axis) {
    int64_t full = mesh_axis_size(mesh, axis->name);
    if (full == 0 || axis->size == 0) return full > 0;
    int64_t next = axis_ref_next_pre_size(mesh, axis);
    return axis->pre_size >= 1 && axis->size >= 1 && next <= full && full % next == 0;
}

// The mesh of all shardings; *comparable is false when there are several, or
// axes that the mesh does not have.
static const Mesh *mesh_of(Infer *infer, const Side sides[2], bool *comparable) {
    const Mesh *mesh = NULL;
    *comparable = true;
    for (int i = 0; i < sides[0].count + sides[1].count; i++) {
        const Sharding *sharding =
            i < sides[0].count ? sides[0].shardings[i] : sides[1].shardings[i - sides[0].count];
        const Mesh *own = sharding ? infer_sharding_mesh(infer, sharding) : NULL;
        if (!own) continue;
        if (mesh && mesh != own) *comparable = false;
        mesh = own;
        for (int a = 0; a < sharding->unreduced_count; a++)
            *comparable = *comparable && is_right(mesh, &sharding->unreduced[a]);
    }
    return mesh;
}

// What is left of the axis without those that the side is unreduced over.
static AxisList axis_beyond(const Mesh *mesh, const AxisRef *axis, Side side) {
    AxisList left = {.count = 1, .axes = {*axis}};
    for (int i = 0; i < side.count; i++) {
        for (int a = 0; side.shardings[i] && a < side.shardings[i]->unreduced_count; a++)
            axis_list_subtract(mesh, &left, &side.shardings[i]->unreduced[a]);
    }
    return left;
}

// The first axis of `from` that `other` does not have as well (NULL: none), and, of a kind that is
// not the expected one, whose it is.
typedef struct Difference {
    const AxisRef *first;
    const Sharding *wrong_kind;
} Difference;

static Difference compare(const Mesh *mesh, Side from, Side other, ReductionKind expected) {
    Difference difference = {0};
    for (int i = 0; i < from.count; i++) {
        const Sharding *sharding = from.shardings[i];
        for (int a = 0; sharding && a < sharding->unreduced_count; a++) {
            const AxisRef *axis = &sharding->unreduced[a];
            if (axis_beyond(mesh, axis, other).count == 0) continue;
            if (!difference.first) difference.first = axis;
            if (!difference.wrong_kind && sharding->reduction != expected)
                difference.wrong_kind = sharding;
        }
    }
    return difference;
}

static bool check_kept(
    Infer *infer, const Op *op, const Mesh *mesh, const Sharding *result, const Sharding *operand) {
    if (!result || !operand || result->reduction == operand->reduction) return true;
    for (int r = 0; r < result->unreduced_count; r++) {
        for (int o = 0; o < operand->unreduced_count; o++) {
            if (!axis_ref_overlaps(mesh, &operand->unreduced[o], &result->unreduced[r])) continue;
            return infer_fail(
                infer, op,
                "cannot change the reduction operator of kept unreduced axes from %s to %s.",
                kind_text(operand->reduction), kind_text(result->reduction));
        }
    }
    return true;
}

bool infer_check_unreduced(Infer *infer, const Op *op, const UnreducedChange *change) {
    const Side operands = {change->operand_count, change->operands};
    const Side results = {change->result_count, change->results};
    bool comparable;
    const Mesh *mesh = mesh_of(infer, (Side[]){operands, results}, &comparable);
    if (!mesh || !comparable) return true;
    Difference added = compare(mesh, results, operands, change->added);
    if (added.first && !change->may_add)
        return infer_fail(
            infer, op, "cannot add new unreduced axis '%.*s'.", SV_ARG(added.first->name));
    if (added.wrong_kind)
        return infer_fail(
            infer, op, "cannot introduce '%s' unreduced axes. Expected '%s'.",
            kind_text(added.wrong_kind->reduction), kind_text(change->added));
    Difference dropped = compare(mesh, operands, results, change->dropped);
    if (dropped.first && !change->may_drop)
        return infer_fail(
            infer, op,
            "dropped unreduced axis '%.*s' without a blessed operation (e.g., sdy.reshard). This "
            "is "
            "an invalid transition from unreduced to reduced.",
            SV_ARG(dropped.first->name));
    if (dropped.wrong_kind)
        return infer_fail(
            infer, op, "cannot reduce '%s' unreduced axes. Expected '%s'.",
            kind_text(dropped.wrong_kind->reduction), kind_text(change->dropped));
    for (int r = 0; r < results.count; r++) {
        for (int o = 0; o < operands.count; o++) {
            if (!check_kept(infer, op, mesh, results.shardings[r], operands.shardings[o]))
                return false;
        }
    }
    return true;
}

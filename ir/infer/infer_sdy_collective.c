// Shardy's collectives: the result's sharding is the operand's, changed by the op's axes.
#include "ir/analysis/data_flow.h"
#include "ir/infer/infer.h"

// What all the checks of one op need.
typedef struct Change {
    Infer *infer;
    const Op *op;
    const Mesh *mesh;
    const Sharding *operand; // never NULL: replicated when the operand has none
    const Sharding *result;
} Change;

// The axes of one dimension while the op's axes are applied.
typedef struct DimAxes {
    int count;
    AxisRef axes[MAX_AXIS_REFS];
} DimAxes;

static const char *axes_text(Infer *infer, int count, const AxisRef *axes) {
    StrBuf text = strbuf(infer->diags->arena);
    strbuf_putc(&text, '[');
    for (int i = 0; i < count; i++) {
        if (i) strbuf_puts(&text, ", ");
        axis_ref_print(&text, &axes[i]);
    }
    strbuf_putc(&text, ']');
    return strbuf_cstring(&text);
}

static DimAxes axes_of_dim(const Sharding *sharding, int d) {
    DimAxes axes = {0};
    if (d >= sharding->rank) return axes;
    for (int i = 0; i < sharding->dims[d].axis_count && i < MAX_AXIS_REFS; i++)
        axes.axes[axes.count++] = sharding->dims[d].axes[i];
    return axes;
}

// Takes `axis` off the minor end; false when it is not there.
static bool remove_minor(const Mesh *mesh, DimAxes *dim, const AxisRef *axis) {
    if (dim->count == 0) return false;
    AxisRef *last = &dim->axes[dim->count - 1];
    if (axis_ref_equal(last, axis)) {
        dim->count--;
        return true;
    }
    bool is_suffix = strview_equal(last->name, axis->name) &&
                     axis_ref_pre_size(last) < axis_ref_pre_size(axis) &&
                     axis_ref_next_pre_size(mesh, last) == axis_ref_next_pre_size(mesh, axis);
    return is_suffix && axis_ref_prefix_without_overlap(mesh, last, axis, last);
}

static void add_minor(const Mesh *mesh, DimAxes *dim, const AxisRef *axis) {
    if (dim->count && axis_ref_can_merge(mesh, &dim->axes[dim->count - 1], axis)) {
        dim->axes[dim->count - 1] = axis_ref_merge(mesh, &dim->axes[dim->count - 1], axis);
    } else if (dim->count < MAX_AXIS_REFS) {
        dim->axes[dim->count++] = *axis;
    }
}

static bool remove_axes(
    const Change *change, const char *what, int d, DimAxes *dim, int count, const AxisRef *axes) {
    for (int i = count - 1; i >= 0; i--) {
        if (!remove_minor(change->mesh, dim, &axes[i]))
            return infer_fail(
                change->infer, change->op,
                "can't apply %s axis %s to operand sharding on dimension %d", what,
                infer_axis_text(change->infer, &axes[i]), d);
    }
    return true;
}

static bool expect_dim(const Change *change, int d, const DimAxes *expected) {
    const DimSharding *dim = &change->result->dims[d];
    bool equal = dim->axis_count == expected->count;
    for (int i = 0; equal && i < expected->count; i++)
        equal = axis_ref_equal(&dim->axes[i], &expected->axes[i]);
    if (equal) return true;
    return infer_fail(
        change->infer, change->op,
        "result sharding doesn't match expected sharding %s on dimension %d",
        axes_text(change->infer, expected->count, expected->axes), d);
}

// The op's axes per dimension: as many lists as the result has dimensions, every axis once.
static bool infer_axes_per_dim(const Change *change, const Attr **attr) {
    Infer *infer = change->infer;
    const Op *op = change->op;
    *attr = op_attr(op, NAME_AXES);
    int count = (*attr)->count;
    if (!infer_check_axes(infer, op, change->mesh, count, (*attr)->axes_per_dim)) return false;
    if (count == change->result->rank) return true;
    return infer_fail(
        infer, op, "result sharding has rank %d but collective axes has rank %d",
        change->result->rank, count);
}

static bool check_gather(const Change *change, const char *what) {
    const Attr *attr;
    if (!infer_axes_per_dim(change, &attr)) return false;
    for (int d = 0; d < attr->count; d++) {
        DimAxes dim = axes_of_dim(change->operand, d);
        const AxisSpan *list = &attr->axes_per_dim[d];
        if (!remove_axes(change, what, d, &dim, list->count, list->axes) ||
            !expect_dim(change, d, &dim))
            return false;
    }
    return true;
}

static bool check_all_gather(const Change *change) { return check_gather(change, "gathering"); }

static bool check_slice(const Change *change) {
    const Attr *attr;
    if (!infer_axes_per_dim(change, &attr)) return false;
    for (int d = 0; d < attr->count; d++) {
        DimAxes dim = axes_of_dim(change->operand, d);
        for (int i = 0; i < attr->axes_per_dim[d].count; i++)
            add_minor(change->mesh, &dim, &attr->axes_per_dim[d].axes[i]);
        if (!expect_dim(change, d, &dim)) return false;
    }
    return true;
}

// One parameter's dimensions: in range, none twice in all of them, sources in ascending order.
static bool check_all_to_all_dims(
    const Change *change, const AllToAllParam *param, bool *used, int *before) {
    int rank = change->result->rank;
    int dims[] = {param->source_dim, param->target_dim};
    for (int k = 0; k < 2; k++) {
        if (dims[k] < 0 || dims[k] >= rank)
            return infer_fail(
                change->infer, change->op, "%s dimension %d is out of range [0, %d)",
                k ? "target" : "source", dims[k], rank);
    }
    for (int k = 0; k < 2; k++) {
        if (used[dims[k]])
            return infer_fail(
                change->infer, change->op,
                "overlapping source/target dimensions in all-to-all params: %d", dims[k]);
        used[dims[k]] = true;
    }
    if (dims[0] <= *before)
        return infer_fail(
            change->infer, change->op,
            "source dimensions are not sorted in ascending order: %d appears after %d", dims[0],
            *before);
    *before = dims[0];
    return true;
}

static bool check_all_to_all_params(const Change *change, const Attr *params, bool *used) {
    AxisSpan *lists = ARENA_ARRAY(change->infer->diags->arena, AxisSpan, params->count);
    int before = -1;
    for (int i = 0; i < params->count; i++) {
        const AllToAllParam *param = &params->all_to_all[i];
        lists[i] = param->axes;
        if (!infer_check_axes(change->infer, change->op, change->mesh, i + 1, lists) ||
            !check_all_to_all_dims(change, param, used, &before))
            return false;
    }
    return true;
}

static bool check_all_to_all(const Change *change) {
    const Attr *params = op_attr(change->op, NAME_PARAMS);
    if (params->count == 0) return infer_fail(change->infer, change->op, "parameter list is empty");
    bool used[MAX_RANK] = {false};
    if (!check_all_to_all_params(change, params, used)) return false;
    for (int i = 0; i < params->count; i++) {
        const AllToAllParam *param = &params->all_to_all[i];
        DimAxes source = axes_of_dim(change->operand, param->source_dim);
        DimAxes target = axes_of_dim(change->operand, param->target_dim);
        if (!remove_axes(
                change, "all-to-all", param->source_dim, &source, param->axes.count,
                param->axes.axes) ||
            !expect_dim(change, param->source_dim, &source))
            return false;
        for (int j = 0; j < param->axes.count; j++)
            add_minor(change->mesh, &target, &param->axes.axes[j]);
        if (!expect_dim(change, param->target_dim, &target)) return false;
    }
    for (int d = 0; d < change->result->rank; d++) {
        DimAxes same = axes_of_dim(change->operand, d);
        if (!used[d] && !expect_dim(change, d, &same)) return false;
    }
    return true;
}

static bool same_dims(const Sharding *a, const Sharding *b) {
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d].axis_count != b->dims[d].axis_count) return false;
        for (int i = 0; i < a->dims[d].axis_count; i++) {
            if (!axis_ref_equal(&a->dims[d].axes[i], &b->dims[d].axes[i])) return false;
        }
    }
    return true;
}

// The same, and the same dimensions may be sharded further.
static bool same_dim_shardings(const Sharding *a, const Sharding *b) {
    if (!same_dims(a, b)) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d].is_open != b->dims[d].is_open || a->dims[d].priority != b->dims[d].priority)
            return false;
    }
    return true;
}

static bool overlaps_any(const Mesh *mesh, const AxisRef *axis, int count, const AxisRef *axes) {
    for (int i = 0; i < count; i++) {
        if (axis_ref_overlaps(mesh, axis, &axes[i])) return true;
    }
    return false;
}

static bool overlaps_dims(const Mesh *mesh, const AxisRef *axis, const Sharding *sharding) {
    for (int d = 0; d < sharding->rank; d++) {
        if (overlaps_any(mesh, axis, sharding->dims[d].axis_count, sharding->dims[d].axes))
            return true;
    }
    return false;
}

// What the op reduces was unreduced in the op's own way, and nothing becomes unreduced.
static bool check_reduction(const Change *change) {
    const UnreducedChange unreduced = {
        .operand_count = 1,
        .operands = &change->operand,
        .result_count = 1,
        .results = &change->result,
        .may_drop = true,
        .dropped = (ReductionKind)op_int(change->op, NAME_REDUCTION_OP, REDUCTION_SUM)};
    return infer_check_unreduced(change->infer, change->op, &unreduced);
}

static bool check_reduce_scatter(const Change *change) {
    return check_reduction(change) && check_slice(change);
}

// Do both shard alike, what they are unreduced over aside? Replicated ones do so on any mesh.
static bool are_equivalent(const Sharding *a, const Sharding *b) {
    if (sharding_is_fully_replicated(a)) return sharding_is_fully_replicated(b);
    return a->mesh == b->mesh && strview_equal(a->mesh_name, b->mesh_name) && same_dims(a, b);
}

// The op's own list of axes (all_reduce, replicated_to_unreduced).
static bool check_own_axes(const Change *change, const char *what, const Attr *attr) {
    const AxisSpan axes = {attr->count, attr->axes};
    return infer_check_axes_sorted(
               change->infer, change->op, "", change->mesh, what, axes.count, axes.axes) &&
           infer_check_axes(change->infer, change->op, change->mesh, 1, &axes);
}

static bool check_all_reduce(const Change *change) {
    Infer *infer = change->infer;
    const Op *op = change->op;
    const Sharding *operand = change->operand, *result = change->result;
    const Attr *axes = op_attr(op, NAME_AXES);
    if (!are_equivalent(operand, result))
        return infer_fail(infer, op, "operand and result shardings are not equivalent");
    if (!check_own_axes(change, "reduction", axes)) return false;
    for (int i = 0; i < axes->count; i++) {
        const AxisRef *axis = &axes->axes[i];
        const char *text = infer_axis_text(infer, axis);
        if (overlaps_dims(change->mesh, axis, operand) ||
            overlaps_any(change->mesh, axis, operand->replicated_count, operand->replicated))
            return infer_fail(
                infer, op,
                "reduction axis %s overlaps with operand dimension sharding or replicated axes",
                text);
        if (overlaps_any(change->mesh, axis, result->unreduced_count, result->unreduced))
            return infer_fail(
                infer, op, "reduction axis %s overlaps with result unreduced axes", text);
    }
    return check_reduction(change);
}

// Sorts by mesh order and merges neighbours.
static void normalise_axes(const Mesh *mesh, AxisList *list) {
    for (int i = 1; i < list->count; i++) {
        AxisRef axis = list->axes[i];
        int j = i;
        for (; j > 0 && axis_ref_compare(mesh, &list->axes[j - 1], &axis) > 0; j--)
            list->axes[j] = list->axes[j - 1];
        list->axes[j] = axis;
    }
    DimAxes merged = {0};
    for (int i = 0; i < list->count; i++)
        add_minor(mesh, &merged, &list->axes[i]);
    list->count = merged.count;
    memcpy(list->axes, merged.axes, sizeof merged.axes);
}

static void append_axes(AxisList *list, int count, const AxisRef *axes) {
    for (int i = 0; i < count && list->count < MAX_AXIS_REFS; i++)
        list->axes[list->count++] = axes[i];
}

// The result's unreduced axes are the operand's and the added ones.
static bool check_unreduced(const Change *change, AxisList *added, const char *what) {
    const Sharding *operand = change->operand, *result = change->result;
    append_axes(added, operand->unreduced_count, operand->unreduced);
    normalise_axes(change->mesh, added);
    AxisList actual = {0};
    append_axes(&actual, result->unreduced_count, result->unreduced);
    bool equal = actual.count == added->count;
    for (int i = 0; equal && i < actual.count; i++)
        equal = axis_ref_equal(&actual.axes[i], &added->axes[i]);
    if (equal) return true;
    return infer_fail(
        change->infer, change->op, "out_unreduced_axes should be in_unreduced_axes + %s", what);
}

static bool check_result_is_sum(const Change *change) {
    if (change->result->reduction == REDUCTION_SUM) return true;
    return infer_fail(change->infer, change->op, "out_sharding reduction_op must be SUM");
}

static bool check_sharded_to_unreduced(const Change *change) {
    if (!check_result_is_sum(change) || !check_gather(change, "shard-to-unreduce")) return false;
    const Attr *attr = op_attr(change->op, NAME_AXES);
    AxisList added = {0};
    for (int d = 0; d < attr->count; d++)
        append_axes(&added, attr->axes_per_dim[d].count, attr->axes_per_dim[d].axes);
    return check_unreduced(change, &added, "sharded_to_unreduced_axes");
}

static bool check_replicated_to_unreduced(const Change *change) {
    Infer *infer = change->infer;
    const Sharding *operand = change->operand;
    const Attr *axes = op_attr(change->op, NAME_AXES);
    if (!check_result_is_sum(change)) return false;
    if (!same_dim_shardings(operand, change->result))
        return infer_fail(
            infer, change->op, "input and output must share the same dimension shardings");
    if (axes->count == 0) return infer_fail(infer, change->op, "r2u axes must not be empty");
    if (!check_own_axes(change, "r2u", axes)) return false;
    AxisList added = {0};
    append_axes(&added, axes->count, axes->axes);
    for (int i = 0; i < axes->count; i++) {
        const char *text = infer_axis_text(infer, &axes->axes[i]);
        if (overlaps_dims(change->mesh, &axes->axes[i], operand))
            return infer_fail(
                infer, change->op, "r2u axis %s overlaps with operand dimension sharding", text);
        if (overlaps_any(
                change->mesh, &axes->axes[i], operand->unreduced_count, operand->unreduced))
            return infer_fail(
                infer, change->op, "r2u axis %s overlaps with operand unreduced axes", text);
    }
    return check_unreduced(change, &added, "r2u_axes");
}

static bool fail_meshes(const Change *change, const Mesh *operand_mesh, const char *message) {
    infer_report(change->infer, change->op, "%s", message);
    StrBuf text = strbuf(change->infer->diags->arena);
    mesh_print(&text, operand_mesh);
    diag_note(
        change->infer->diags, op_operand(change->op, 0)->loc, "operand mesh: #sdy.mesh%s",
        strbuf_cstring(&text));
    return false;
}

static bool check_permute_meshes(const Change *change) {
    const Mesh *operand_mesh = infer_sharding_mesh(change->infer, change->operand);
    if (!mesh_same_axes(change->mesh, operand_mesh))
        return fail_meshes(
            change, operand_mesh, "result mesh has different axes than operand mesh");
    bool same_name = change->operand->mesh == change->result->mesh &&
                     strview_equal(change->operand->mesh_name, change->result->mesh_name);
    if (!same_name && change->mesh == operand_mesh)
        return fail_meshes(
            change, operand_mesh, "result mesh name is different but same device ids as operand");
    return true;
}

static bool check_permute(const Change *change) {
    if (!check_permute_meshes(change)) return false;
    for (int d = 0; d < change->result->rank; d++) {
        int64_t to = sharding_dim_size(change->mesh, change->result, d);
        int64_t from = sharding_dim_size(change->mesh, change->operand, d);
        if (to != from)
            return infer_fail(
                change->infer, change->op,
                "sharded size of result doesn't match operand on dimension %d: %lld != %lld", d,
                (long long)to, (long long)from);
    }
    return true;
}

// Results and arguments of regions may have theirs in the op. NULL as well when it
// is wrong: that is its own error.
static const Sharding *operand_sharding(Infer *infer, const Op *op, bool *is_wrong) {
    const Value *value = op_operand(op, 0);
    const Sharding *kept = infer->module ? value_sharding(infer->module, value) : NULL;
    const Sharding *sharding = kept ? kept : value->sharding;
    *is_wrong = sharding && !infer_sharding_holds(infer, op, sharding, value->type);
    return *is_wrong ? NULL : sharding;
}

enum { NEEDS_SHARDING = 1, CHANGES_MESH = 2 }; // what holds of an op besides its check

typedef bool CheckFn(const Change *change);

// What is alike for all: the result's type and sharding, the meshes; then the op's own check.
static bool infer_collective(Infer *infer, const Op *op, int traits, CheckFn *check) {
    if (!infer_same_operand_and_result(infer, op)) return false;
    bool is_wrong;
    const Sharding *operand = operand_sharding(infer, op, &is_wrong);
    const Sharding *result = op_result(op, 0)->sharding;
    if (!operand && !is_wrong && (traits & NEEDS_SHARDING))
        return infer_fail(infer, op, "collective on operand without sharding");
    if (!result) return true; // the result's type is being asked for
    if (!infer_check_sharding(infer, op, "", result, op_operand_type(op, 0))) return false;
    if (is_wrong) return true;
    Change change = {
        .infer = infer,
        .op = op,
        .mesh = infer_sharding_mesh(infer, result),
        .operand = operand ? operand : sharding_replicated_like(infer->context, result),
        .result = result,
    };
    const Mesh *operand_mesh = infer_sharding_mesh(infer, change.operand);
    if (!(traits & CHANGES_MESH) && operand_mesh != change.mesh)
        return fail_meshes(&change, operand_mesh, "result mesh does not match operand mesh");
    if (change.operand->rank != result->rank)
        return infer_fail(
            infer, op, "result sharding has rank %d but operand sharding has rank %d", result->rank,
            change.operand->rank);
    return check(&change);
}

bool infer_sdy_all_gather(Infer *infer, const Op *op) {
    return infer_collective(infer, op, NEEDS_SHARDING, check_all_gather);
}

bool infer_sdy_all_slice(Infer *infer, const Op *op) {
    return infer_collective(infer, op, 0, check_slice);
}

bool infer_sdy_all_to_all(Infer *infer, const Op *op) {
    return infer_collective(infer, op, NEEDS_SHARDING, check_all_to_all);
}

bool infer_sdy_permute(Infer *infer, const Op *op) {
    return infer_collective(infer, op, NEEDS_SHARDING | CHANGES_MESH, check_permute);
}

bool infer_sdy_all_reduce(Infer *infer, const Op *op) {
    return infer_collective(infer, op, 0, check_all_reduce);
}

bool infer_sdy_reduce_scatter(Infer *infer, const Op *op) {
    return infer_collective(infer, op, 0, check_reduce_scatter);
}

bool infer_sdy_sharded_to_unreduced(Infer *infer, const Op *op) {
    return infer_collective(infer, op, NEEDS_SHARDING, check_sharded_to_unreduced);
}

bool infer_sdy_replicated_to_unreduced(Infer *infer, const Op *op) {
    return infer_collective(infer, op, NEEDS_SHARDING, check_replicated_to_unreduced);
}

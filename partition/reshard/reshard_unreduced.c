// reshard_unreduced: sets of axes and parts of axes, and the steps that make axes unreduced.
#include "partition/reshard/reshard_unreduced.h"

#include <assert.h>

AxisSpan axes_sorted(Arena *arena, const Mesh *mesh, AxisSpan axes) {
    AxisRef *sorted = ARENA_ARRAY(arena, AxisRef, axes.count);
    for (int i = 0; i < axes.count; i++) {
        int at = i;
        for (; at > 0 && axis_ref_compare(mesh, &axes.axes[i], &sorted[at - 1]) < 0; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = axes.axes[i];
    }
    int count = 0;
    for (int i = 0; i < axes.count; i++)
        axes_append(mesh, sorted, &count, sorted[i]);
    return (AxisSpan){count, sorted};
}

static void push(AxisList *list, AxisRef axis) {
    if (list->count < MAX_AXIS_REFS) list->axes[list->count++] = axis;
}

AxisSpan axes_minus(Arena *arena, const Mesh *mesh, AxisSpan axes, AxisSpan others) {
    AxisList *left = ARENA_NEW(arena, AxisList);
    for (int i = 0; i < axes.count; i++)
        push(left, axes.axes[i]);
    for (int o = 0; o < others.count; o++)
        axis_list_subtract(mesh, left, &others.axes[o]);
    return axes_sorted(arena, mesh, (AxisSpan){left->count, left->axes});
}

const Sharding *sharding_with_unreduced(
    Context *context, const Sharding *sharding, AxisSpan unreduced) {
    Sharding changed = *sharding;
    changed.unreduced_count = unreduced.count;
    changed.unreduced = unreduced.axes;
    if (unreduced.count == 0) changed.reduction = REDUCTION_SUM;
    return sharding_intern(context, &changed);
}

static AxisSpan joined(Arena *arena, const Mesh *mesh, AxisSpan a, AxisSpan b) {
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, a.count + b.count);
    for (int i = 0; i < a.count; i++)
        axes[i] = a.axes[i];
    for (int i = 0; i < b.count; i++)
        axes[a.count + i] = b.axes[i];
    return axes_sorted(arena, mesh, (AxisSpan){a.count + b.count, axes});
}

// Of one dim's axes, what stays and what leaves at the minor end because it is among the gained
// ones.
static void split_dim(
    Arena *arena, const Mesh *mesh, const DimSharding *dim, AxisSpan gained, DimSharding *kept,
    AxisList *leaving) {
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, dim->axis_count);
    *kept = *dim;
    kept->axes = axes;
    kept->axis_count = 0;
    for (int i = 0; i < dim->axis_count; i++) {
        AxisSpan axis = {1, &dim->axes[i]};
        AxisSpan stays = axes_minus(arena, mesh, axis, gained);
        AxisSpan leaves = axes_minus(arena, mesh, axis, stays);
        // Once one has left, nothing behind it may stay.
        if (leaving->count > 0) {
            push(leaving, dim->axes[i]);
            continue;
        }
        for (int k = 0; k < stays.count; k++)
            axes[kept->axis_count++] = stays.axes[k];
        for (int k = 0; k < leaves.count; k++)
            push(leaving, leaves.axes[k]);
    }
}

static bool dims_overlap(const Mesh *mesh, const Sharding *sharding, const AxisRef *axis) {
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            if (axis_ref_overlaps(mesh, &sharding->dims[d].axes[i], axis)) return true;
        }
    }
    return false;
}

const Sharding *sharding_before_unreduced(
    Context *context, Arena *arena, const Mesh *mesh, const Sharding *from, const Sharding *to) {
    AxisSpan gained = axes_minus(arena, mesh, unreduced_axes(to), unreduced_axes(from));
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < to->rank; d++) {
        AxisList leaving = {0};
        DimSharding kept;
        split_dim(arena, mesh, &from->dims[d], gained, &kept, &leaving);
        int count = to->dims[d].axis_count;
        AxisSpan stays = {kept.axis_count, kept.axes}, wanted = {count, to->dims[d].axes};
        if (!axis_span_equal(stays, wanted)) leaving.count = 0;
        AxisRef *axes = ARENA_ARRAY(arena, AxisRef, count + leaving.count);
        for (int i = 0; i < count; i++)
            axes[i] = to->dims[d].axes[i];
        for (int i = 0; i < leaving.count; i++) {
            // What only stood behind a gained axis may be wanted in another dim.
            if (!dims_overlap(mesh, to, &leaving.axes[i]))
                axes_append(mesh, axes, &count, leaving.axes[i]);
        }
        dims[d] = to->dims[d];
        dims[d].axes = axes;
        dims[d].axis_count = count;
    }
    Sharding before = *to;
    before.dims = dims;
    before.unreduced_count = from->unreduced_count;
    before.unreduced = from->unreduced;
    return sharding_intern(context, &before);
}

bool unreduced_steps(
    Context *context, Arena *arena, const Mesh *mesh, const Sharding *from, const Sharding *to,
    UnreducedSteps *steps) {
    assert(from);
    *steps = (UnreducedSteps){.after_copies = from, .after_leaving = from};
    AxisSpan had = unreduced_axes(from);
    AxisSpan gained = axes_minus(arena, mesh, unreduced_axes(to), had);
    if (gained.count == 0) return false;
    AxisList *leaving = ARENA_ARRAY(arena, AxisList, MAX_RANK);
    DimSharding dims[MAX_RANK];
    AxisSpan left = {0, NULL}; // all axes that leave dims
    for (int d = 0; d < from->rank; d++) {
        split_dim(arena, mesh, &from->dims[d], gained, &dims[d], &leaving[d]);
        left = joined(arena, mesh, left, (AxisSpan){leaving[d].count, leaving[d].axes});
    }
    steps->copies = axes_minus(arena, mesh, gained, left);
    AxisSpan after = joined(arena, mesh, had, steps->copies);
    Sharding closed = *from;
    closed.replicated_count = 0;
    steps->after_copies = sharding_with_unreduced(context, &closed, after);
    steps->after_leaving = steps->after_copies;
    if (left.count == 0) return true;
    closed.dims = dims;
    steps->leaving = leaving;
    steps->after_leaving =
        sharding_with_unreduced(context, &closed, joined(arena, mesh, after, left));
    return true;
}

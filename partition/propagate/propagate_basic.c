// propagate_basic: the cautious strategy. A factor gets the axes on which all tensors agree
// and which all of them can take.
#include "partition/propagate/propagate_internal.h"

static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Joins two lists of axes; *can_expand: may `added` make the list longer? It becomes false at a
// conflict.
//
//   [x] and [x, y]             [x, y]
//   [x, y] and [x, z]          [x], and no more after it
//   [x:(1)2] and [x:(1)4]      [x:(1)4]
//   [x:(1)2, y] and [x, ..]    [x:(1)2], and no more after it
static AxisSpan join_axes(
    const Projection *projection, AxisSpan old, AxisSpan added, bool *can_expand) {
    if (old.count == 0) return *can_expand ? added : old;
    if (added.count == 0 || axis_span_equal(old, added)) return old;
    const Mesh *mesh = projection->mesh;
    AxisRef *axes = ARENA_ARRAY(projection->arena, AxisRef, old.count + added.count);
    int count = 0, i = 0;
    for (; i < old.count && i < added.count; i++) {
        const AxisRef *a = &old.axes[i], *b = &added.axes[i];
        bool stop = false;
        if (axis_ref_equal(a, b)) {
            axes[count++] = *a;
        } else if (axis_ref_is_prefix(mesh, b, a)) {
            stop = i + 1 < added.count;
            axes[count++] = stop ? *b : *a;
        } else if (axis_ref_is_prefix(mesh, a, b)) {
            stop = !*can_expand || i + 1 < old.count;
            axes[count++] = stop ? *a : *b;
        } else {
            stop = true;
        }
        if (stop) {
            *can_expand = false;
            return (AxisSpan){count, axes};
        }
    }
    for (int k = i; k < old.count; k++)
        axes[count++] = old.axes[k];
    for (int k = i; k < added.count && *can_expand; k++)
        axes[count++] = added.axes[k];
    return (AxisSpan){count, axes};
}

AxisSpan compatible_major_axes(const Projection *projection, int factor, Directions directions) {
    AxisSpan axes = {0, NULL};
    if (directions == PROPAGATION_NONE) return axes;
    bool can_expand = true, results_first = directions == PROPAGATION_BACKWARD;
    int operands = projection->operand_count, tensors = projection->tensor_count;
    for (int half = 0; half < 2; half++) {
        bool is_results = (half == 0) == results_first;
        // In one direction only the side that things come from makes the list
        // longer; the other side may conflict.
        if (half == 1 && directions != PROPAGATION_BOTH) can_expand = false;
        int begin = is_results ? operands : 0, end = is_results ? tensors : operands;
        for (int t = begin; t < end; t++) {
            const FactorSharding *sharding = &projection->tensors[t].factors[factor];
            if (sharding->is_present)
                axes = join_axes(projection, axes, sharding->axes, &can_expand);
        }
    }
    return axes;
}

static bool within_factor(
    const Projection *projection, const TensorProjection *tensor, int factor, AxisRef *axis,
    int64_t sharded_before) {
    const Mesh *mesh = projection->mesh;
    const FactorSharding *sharding = &tensor->factors[factor];
    if (!axis_without_overlap(mesh, axis, tensor->replicated)) return false;
    if (!axis_without_overlap(mesh, axis, tensor->unreduced)) return false;
    for (int i = 0; i < sharding->axes.count; i++) {
        if (axis_ref_contains(mesh, &sharding->axes.axes[i], axis)) return true;
    }
    if (!sharding->is_closed && sharding->overflow.count == 0) {
        if (sharding->is_minor_most) return true;
        int64_t size = projection->rule->factors[factor].size;
        int64_t axis_size = axis_ref_size(mesh, axis);
        int64_t common = sharded_before > 0 && size % sharded_before == 0
                             ? gcd(size / sharded_before, axis_size)
                             : 1;
        if (common == axis_size) return true;
        if (common != 1) {
            *axis = (AxisRef){axis->name, axis_ref_pre_size(axis), common};
            return true;
        }
    }
    // What the tensor already has of the axis can stay.
    if (sharding->axes.count == 0) return false;
    const AxisRef *last = &sharding->axes.axes[sharding->axes.count - 1];
    if (!axis_ref_is_prefix(mesh, last, axis)) return false;
    *axis = *last;
    return true;
}

static bool across_factors(
    const Projection *projection, const TensorProjection *tensor, int factor, AxisRef *axis) {
    for (int f = 0; f < projection->rule->factor_count; f++) {
        const FactorSharding *other = &tensor->factors[f];
        if (f == factor || !other->is_present) continue;
        if (!axis_without_overlap(projection->mesh, axis, other->overflow)) return false;
        if (!axis_without_overlap(projection->mesh, axis, other->axes)) return false;
    }
    return true;
}

// The first `count` axes, then `last` in place of the next one.
static AxisSpan replace_last(const Projection *projection, AxisSpan axes, int count, AxisRef last) {
    AxisRef *cut = ARENA_ARRAY(projection->arena, AxisRef, count + 1);
    for (int i = 0; i < count; i++)
        cut[i] = axes.axes[i];
    cut[count] = last;
    return (AxisSpan){count + 1, cut};
}

AxisSpan cut_conflicts(
    const Projection *projection, const TensorProjection *tensor, int factor, AxisSpan axes,
    bool across, bool within, bool conservative) {
    int64_t sharded = 1;
    for (int i = 0; i < axes.count; i++) {
        AxisRef axis = axes.axes[i];
        bool keeps = true;
        if (across) keeps = across_factors(projection, tensor, factor, &axis);
        if (keeps && within && tensor->factors[factor].is_present) {
            keeps = within_factor(projection, tensor, factor, &axis, sharded);
        }
        if (!keeps || (conservative && axis.size != 0)) return (AxisSpan){i, axes.axes};
        if (!axis_ref_equal(&axis, &axes.axes[i])) return replace_last(projection, axes, i, axis);
        sharded *= axis_ref_size(projection->mesh, &axis);
    }
    return axes;
}

bool propagate_factors_basic(
    Projection *projection, const Directions *directions, bool conservative, bool *updated) {
    bool any = false;
    for (int f = 0; f < projection->rule->factor_count; f++) {
        AxisSpan axes = compatible_major_axes(projection, f, directions[f]);
        for (int t = 0; t < projection->tensor_count && axes.count > 0; t++) {
            axes = cut_conflicts(
                projection, &projection->tensors[t], f, axes, true, true, conservative);
        }
        for (int t = 0; t < projection->tensor_count && axes.count > 0; t++) {
            if (!projection_expand(projection, t, f, axes)) continue;
            updated[t] = true;
            any = true;
        }
    }
    return any;
}

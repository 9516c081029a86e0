// reshard_spans: lists of axes of the tensors and factors of an op.
#include "partition/reshard/reshard_spans.h"

int64_t span_size(const Mesh *mesh, AxisSpan span) {
    return axis_list_size(mesh, span.axes, span.count);
}

AxisSpan factor_axes(const Projection *projection, int t, int f) {
    const FactorSharding *factor = &projection->tensors[t].factors[f];
    return factor->is_present ? factor->axes : (AxisSpan){0, NULL};
}

bool spans_conflict(const Mesh *mesh, AxisSpan a, AxisSpan b) {
    for (int i = 0; i < a.count; i++) {
        for (int k = 0; k < b.count; k++) {
            const AxisRef *x = &a.axes[i], *y = &b.axes[k];
            if (axis_ref_overlaps(mesh, x, y) || !axis_ref_can_coexist(mesh, x, y)) return true;
        }
    }
    return false;
}

bool reshard_axes_disjoint(const Projection *projection, const AxisSpan *axes) {
    for (int f = 0; f < projection->rule->factor_count; f++) {
        for (int g = 0; g < f; g++) {
            if (spans_conflict(projection->mesh, axes[f], axes[g])) return false;
        }
    }
    return true;
}

AxisSpan reshard_span_without(Arena *arena, const Mesh *mesh, AxisSpan span, AxisSpan others) {
    if (!spans_conflict(mesh, span, others)) return span;
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, span.count);
    int count = 0;
    for (int i = 0; i < span.count; i++) {
        AxisRef axis = span.axes[i];
        if (!axis_without_overlap(mesh, &axis, others)) break;
        axes[count++] = axis;
        if (!axis_ref_equal(&axis, &span.axes[i])) break;
    }
    return (AxisSpan){count, axes};
}

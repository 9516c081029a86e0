// propagate_aggressive: the strategy that resolves conflicts. Where factors want the same axis,
// each tensor decides for itself, in an order that prefers the factors of large tensors.
#include "base/checked.h"
#include "partition/propagate/propagate_internal.h"

// Which tensor a factor's axes come from, and the order in which factors are tried.
typedef struct FactorOrder {
    int factor;
    int source;           // tensor, -1 = none
    int64_t source_size;  // elements, as the product of its factors; -1 = none
    int64_t sharded_size; // product of the axes; counts for elementwise ops
} FactorOrder;

static int64_t tensor_size(const Projection *projection, const TensorProjection *tensor) {
    int64_t size = 1;
    for (int f = 0; f < projection->rule->factor_count; f++) {
        if (tensor->factors[f].is_present &&
            !checked_mul(size, projection->rule->factors[f].size, &size)) {
            return INT64_MAX;
        }
    }
    return size;
}

// A tensor is a source of a factor's axes when they are a prefix of what it has; of
// several, the largest, then the first.
static void find_sources(const Projection *projection, const AxisSpan *axes, FactorOrder *order) {
    for (int t = 0; t < projection->tensor_count; t++) {
        const TensorProjection *tensor = &projection->tensors[t];
        int64_t size = tensor_size(projection, tensor);
        for (int f = 0; f < projection->rule->factor_count; f++) {
            if (!tensor->factors[f].is_present || axes[f].count == 0 ||
                size <= order[f].source_size)
                continue;
            if (axis_span_prefix(projection->mesh, axes[f], tensor->factors[f].axes) == PREFIX_NONE)
                continue;
            order[f].source = t;
            order[f].source_size = size;
        }
    }
}

static bool comes_before(const FactorOrder *a, const FactorOrder *b) {
    if (a->source_size != b->source_size) return a->source_size > b->source_size;
    if (a->sharded_size != b->sharded_size) return a->sharded_size > b->sharded_size;
    if (a->source != b->source) return a->source < b->source;
    return a->factor < b->factor;
}

static FactorOrder *order_factors(
    const Projection *projection, const AxisSpan *axes, bool is_elementwise) {
    int count = projection->rule->factor_count;
    FactorOrder *order = ARENA_ARRAY(projection->arena, FactorOrder, count);
    for (int f = 0; f < count; f++) {
        order[f] = (FactorOrder){.factor = f, .source = -1, .source_size = -1};
        if (is_elementwise)
            order[f].sharded_size = axis_list_size(projection->mesh, axes[f].axes, axes[f].count);
    }
    find_sources(projection, axes, order);
    for (int i = 1; i < count; i++) {
        FactorOrder moved = order[i];
        int k = i;
        for (; k > 0 && comes_before(&moved, &order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = moved;
    }
    return order;
}

// The axes of a factor as far as this tensor can take them now.
static AxisSpan axes_for_tensor(
    const Projection *projection, int t, int factor, AxisSpan axes, bool conservative) {
    const TensorProjection *tensor = &projection->tensors[t];
    AxisSpan none = {0, NULL};
    if (!tensor->factors[factor].is_present || axes.count == 0) return none;
    axes = cut_conflicts(projection, tensor, factor, axes, false, true, conservative);
    if (axis_span_prefix(projection->mesh, tensor->factors[factor].axes, axes) != PREFIX_STRICT)
        return none;
    return cut_conflicts(projection, tensor, factor, axes, true, false, conservative);
}

// An operand of an elementwise op gets no more of a factor than the result did: sharding
// it further would gain nothing.
static AxisSpan limit_to_results(const Projection *projection, int factor, AxisSpan axes) {
    for (int t = projection->operand_count; t < projection->tensor_count; t++) {
        const FactorSharding *result = &projection->tensors[t].factors[factor];
        if (result->is_present &&
            axis_span_prefix(projection->mesh, result->axes, axes) == PREFIX_STRICT) {
            axes = result->axes;
        }
    }
    return axes;
}

bool propagate_factors_aggressive(
    Projection *projection, const Directions *directions, bool conservative, bool is_elementwise,
    bool *updated) {
    int factors = projection->rule->factor_count;
    AxisSpan *axes = ARENA_ARRAY(projection->arena, AxisSpan, factors);
    bool any_axes = false, any = false;
    for (int f = 0; f < factors; f++) {
        axes[f] = compatible_major_axes(projection, f, directions[f]);
        any_axes |= axes[f].count > 0;
    }
    if (!any_axes) return false;
    const FactorOrder *order = order_factors(projection, axes, is_elementwise);
    // Results first.
    for (int i = 0; i < projection->tensor_count; i++) {
        int t = (i + projection->operand_count) % projection->tensor_count;
        bool is_operand = t < projection->operand_count;
        for (int k = 0; k < factors; k++) {
            int f = order[k].factor;
            AxisSpan wanted = axes_for_tensor(projection, t, f, axes[f], conservative);
            if (wanted.count == 0) continue;
            if (is_operand && is_elementwise) wanted = limit_to_results(projection, f, wanted);
            if (!projection_expand(projection, t, f, wanted)) continue;
            updated[t] = true;
            any = true;
        }
    }
    return any;
}

// projection: tensor shardings to factor shardings and back.
#include "partition/propagate/projection.h"

#include "ir/module.h"

#include <assert.h>

static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

AxisSpan dim_axes(const Sharding *sharding, int d) {
    return (AxisSpan){sharding->dims[d].axis_count, sharding->dims[d].axes};
}

bool axis_span_equal(AxisSpan a, AxisSpan b) {
    if (a.count != b.count) return false;
    if (a.axes == b.axes) return true;
    for (int i = 0; i < a.count; i++) {
        if (!axis_ref_equal(&a.axes[i], &b.axes[i])) return false;
    }
    return true;
}

PrefixStatus axis_span_prefix(const Mesh *mesh, AxisSpan first, AxisSpan second) {
    if (first.count == 0) return second.count == 0 ? PREFIX_EQUAL : PREFIX_STRICT;
    if (first.count > second.count) return PREFIX_NONE;
    int last = first.count - 1;
    for (int i = 0; i < last; i++) {
        if (!axis_ref_equal(&first.axes[i], &second.axes[i])) return PREFIX_NONE;
    }
    bool same_last = axis_ref_equal(&first.axes[last], &second.axes[last]);
    if (same_last && first.count == second.count) return PREFIX_EQUAL;
    if (same_last || axis_ref_is_prefix(mesh, &first.axes[last], &second.axes[last]))
        return PREFIX_STRICT;
    return PREFIX_NONE;
}

bool axis_without_overlap(const Mesh *mesh, AxisRef *axis, AxisSpan others) {
    for (int i = 0; i < others.count; i++) {
        if (!axis_ref_can_coexist(mesh, axis, &others.axes[i])) return false;
        if (!axis_ref_prefix_without_overlap(mesh, axis, &others.axes[i], axis)) return false;
    }
    return true;
}

void axes_append(const Mesh *mesh, AxisRef *axes, int *count, AxisRef axis) {
    if (*count > 0 && axis_ref_can_merge(mesh, &axes[*count - 1], &axis)) {
        axes[*count - 1] = axis_ref_merge(mesh, &axes[*count - 1], &axis);
        return;
    }
    axes[(*count)++] = axis;
}

const Mesh *common_mesh(
    const Module *module, int count, const Sharding *const *shardings, StrView *name) {
    const Mesh *mesh = NULL;
    const Sharding *named = NULL;
    for (int i = 0; i < count; i++) {
        const Sharding *sharding = shardings[i];
        if (!sharding) continue;
        // Most tensors name the same mesh: look it up once.
        if (named && named->mesh == sharding->mesh &&
            named->mesh_name.data == sharding->mesh_name.data)
            continue;
        const Mesh *other = sharding_mesh(module, sharding);
        if (!other) return NULL;
        bool mesh_is_empty = mesh && mesh->axis_count == 0 && mesh->id_count == 0;
        if (!mesh || mesh_is_empty) {
            mesh = other;
            named = sharding;
            continue;
        }
        bool other_is_empty = other->axis_count == 0 && other->id_count == 0;
        if (!other_is_empty && other != mesh) return NULL;
    }
    if (named) *name = named->mesh_name;
    return mesh;
}

// What is left of the axes of a dim while its factors take theirs: axes[index], of which the first
// part may be gone, and what follows.
typedef struct AxesLeft {
    const Mesh *mesh;
    AxisSpan axes;
    int index;
    AxisRef current; // valid while index < axes.count
} AxesLeft;

static void advance(AxesLeft *left) {
    left->index++;
    if (left->index < left->axes.count) left->current = left->axes.axes[left->index];
}

static bool any_left(const AxesLeft *left) { return left->index < left->axes.count; }

static AxisSpan take_rest(Arena *arena, AxesLeft *left) {
    if (left->index == 0 && left->axes.count > 0 &&
        axis_ref_equal(&left->current, &left->axes.axes[0])) {
        return left->axes;
    }
    int rest = left->axes.count - left->index;
    if (rest <= 0) return (AxisSpan){0, NULL};
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, rest);
    int count = 0;
    for (; any_left(left); advance(left))
        axes_append(left->mesh, axes, &count, left->current);
    return (AxisSpan){count, axes};
}

// Axes, or parts of axes, as long as they divide what is left of a factor that is not minor-most.
static AxisSpan take_dividing(Arena *arena, AxesLeft *left, int64_t *factor_size) {
    int whole = left->axes.count - left->index;
    if (whole <= 0) return (AxisSpan){0, NULL};
    // A part of an axis at least halves the factor, so there are at most 63 of them.
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, whole + 63);
    int count = 0;
    while (any_left(left)) {
        int64_t size = axis_ref_size(left->mesh, &left->current);
        int64_t common = size == 1 ? 1 : gcd(*factor_size, size);
        if (size != 1 && common == 1) break;
        *factor_size /= common;
        if (common == size) {
            axes[count++] = left->current;
            advance(left);
            continue;
        }
        int64_t pre_size = axis_ref_pre_size(&left->current);
        axes[count++] = (AxisRef){left->current.name, pre_size, common};
        left->current = (AxisRef){left->current.name, pre_size * common, size / common};
    }
    return (AxisSpan){count, axes};
}

static void project_dim(
    Projection *projection, TensorProjection *tensor, const DimFactors *dim, AxisSpan axes,
    bool is_closed) {
    const ShardingRule *rule = projection->rule;
    AxesLeft left = {.mesh = projection->mesh, .axes = axes};
    if (axes.count > 0) left.current = axes.axes[0];
    bool overflowed = false;
    for (int f = 0; f < dim->count; f++) {
        FactorSharding *factor = &tensor->factors[dim->factors[f]];
        factor->is_present = true;
        factor->is_minor_most = f == dim->count - 1;
        factor->is_closed = is_closed || overflowed;
        if (overflowed)
            break; // as in Shardy, the factors after this one are not in the tensor at all
        if (factor->is_minor_most) {
            factor->axes = take_rest(projection->arena, &left);
            break;
        }
        int64_t size = rule->factors[dim->factors[f]].size;
        factor->axes = take_dividing(projection->arena, &left, &size);
        if (size > 1 && any_left(&left)) {
            factor->overflow = take_rest(projection->arena, &left);
            overflowed = true;
        }
    }
}

Projection *projection_create(
    Arena *arena, const ShardingRule *rule, const Mesh *mesh, const Sharding *const *shardings,
    bool closed_if_missing) {
    Projection *projection = ARENA_NEW(arena, Projection);
    int tensors = rule->operand_count + rule->result_count;
    *projection = (Projection){
        .arena = arena,
        .rule = rule,
        .mesh = mesh,
        .operand_count = rule->operand_count,
        .tensor_count = tensors,
        .tensors = ARENA_ARRAY(arena, TensorProjection, tensors)};
    FactorSharding *factors =
        ARENA_ARRAY(arena, FactorSharding, (int64_t)tensors * rule->factor_count);
    for (int t = 0; t < tensors; t++) {
        TensorProjection *tensor = &projection->tensors[t];
        const TensorFactors *mapping =
            t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
        const Sharding *sharding = shardings[t];
        assert(!sharding || sharding->rank == mapping->rank);
        tensor->factors = factors + (int64_t)t * rule->factor_count;
        for (int d = 0; d < mapping->rank; d++) {
            AxisSpan axes = sharding ? dim_axes(sharding, d) : (AxisSpan){0, NULL};
            bool is_closed = sharding ? !sharding->dims[d].is_open : closed_if_missing;
            project_dim(projection, tensor, &mapping->dims[d], axes, is_closed);
        }
        if (sharding) {
            tensor->replicated = (AxisSpan){sharding->replicated_count, sharding->replicated};
            tensor->unreduced = (AxisSpan){sharding->unreduced_count, sharding->unreduced};
            tensor->reduction = sharding->reduction;
        }
    }
    return projection;
}

bool projection_expand(Projection *projection, int t, int factor, AxisSpan axes) {
    FactorSharding *sharding = &projection->tensors[t].factors[factor];
    if (!sharding->is_present) return false;
    if (axis_span_prefix(projection->mesh, sharding->axes, axes) != PREFIX_STRICT) return false;
    sharding->axes = axes;
    return true;
}

// Appends the axes of one factor; only the first may continue what the factor before has.
static int64_t append_factor(const Mesh *mesh, AxisRef *axes, int *count, AxisSpan added) {
    int64_t size = 1;
    for (int i = 0; i < added.count; i++) {
        size *= axis_ref_size(mesh, &added.axes[i]);
        if (i == 0) {
            axes_append(mesh, axes, count, added.axes[i]);
        } else {
            axes[(*count)++] = added.axes[i];
        }
    }
    return size;
}

static DimSharding dim_sharding(
    const Projection *projection, const TensorProjection *tensor, const DimFactors *dim) {
    DimSharding result = {.is_open = true, .priority = PRIORITY_NONE};
    int limit = 0;
    for (int f = 0; f < dim->count; f++) {
        const FactorSharding *factor = &tensor->factors[dim->factors[f]];
        limit += factor->axes.count + factor->overflow.count;
    }
    if (dim->count == 1 && tensor->factors[dim->factors[0]].overflow.count == 0) {
        const FactorSharding *factor = &tensor->factors[dim->factors[0]];
        result.axis_count = factor->axes.count;
        result.axes = factor->axes.axes;
        result.is_open = !factor->is_closed;
        return result;
    }
    AxisRef *axes = ARENA_ARRAY(projection->arena, AxisRef, limit);
    for (int f = 0; f < dim->count; f++) {
        const FactorSharding *factor = &tensor->factors[dim->factors[f]];
        int64_t factor_size = projection->rule->factors[dim->factors[f]].size;
        if (factor->is_closed) result.is_open = false;
        int64_t sharded = append_factor(projection->mesh, axes, &result.axis_count, factor->axes);
        if (factor->overflow.count > 0) {
            append_factor(projection->mesh, axes, &result.axis_count, factor->overflow);
            break;
        }
        if (sharded < factor_size) break;
    }
    result.axes = axes;
    return result;
}

const Sharding *projection_sharding(
    Context *context, const Projection *projection, int t, StrView mesh_name) {
    const ShardingRule *rule = projection->rule;
    const TensorFactors *mapping =
        t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
    const TensorProjection *tensor = &projection->tensors[t];
    DimSharding dims[MAX_RANK];
    assert(mapping->rank <= MAX_RANK);
    for (int d = 0; d < mapping->rank; d++) {
        dims[d] = dim_sharding(projection, tensor, &mapping->dims[d]);
    }
    Sharding sharding = {
        .mesh_name = mesh_name,
        .mesh = mesh_name.size == 0 ? projection->mesh : NULL,
        .rank = mapping->rank,
        .dims = dims,
        .replicated_count = tensor->replicated.count,
        .replicated = tensor->replicated.axes,
        .unreduced_count = tensor->unreduced.count,
        .unreduced = tensor->unreduced.axes,
        .reduction = tensor->reduction};
    return sharding_intern(context, &sharding);
}

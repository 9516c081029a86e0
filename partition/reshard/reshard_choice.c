// reshard_choice: Shardy's choice of a common sharding of an op whose tensors disagree.
//
//   1. Tensors that agree, without sharded need-replication factors and without an axis on
//      two factors, stay as they are.
//   2. Of two tensors with one factor per dim, the one that is more expensive to move keeps its
//      sharding.
//   3. Else greedily: of all prefixes of all factors' axes in any tensor, take the one
//      that most elements have already.
//   4. Axes that a need-replication factor got go to batching factors with
//      room for them, or are dropped.
//
//   source  Shardy, docs/explicit_reshards and the comments of its explicit reshards utilities
#include "partition/reshard/reshard_choice.h"

#include "partition/reshard/reshard_greedy.h"
#include "partition/reshard/reshard_spans.h"

#include <assert.h>

static const TensorFactors *tensor_factors(const ShardingRule *rule, int t) {
    return t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
}

static bool has_factor(const Projection *projection, int t, int f) {
    const TensorFactors *tensor = tensor_factors(projection->rule, t);
    for (int d = 0; d < tensor->rank; d++) {
        for (int i = 0; i < tensor->dims[d].count; i++) {
            if (tensor->dims[d].factors[i] == f) return true;
        }
    }
    return false;
}

// ---- 1: nothing to do ----

// The axes of factor f if all tensors that have it agree.
static bool agreed_axes(const Projection *projection, int f, AxisSpan *agreed) {
    bool found = false;
    *agreed = (AxisSpan){0, NULL};
    for (int t = 0; t < projection->tensor_count; t++) {
        if (!has_factor(projection, t, f)) continue;
        if (projection->tensors[t].factors[f].overflow.count > 0) return false;
        AxisSpan axes = factor_axes(projection, t, f);
        if (found && !axis_span_equal(axes, *agreed)) return false;
        *agreed = axes;
        found = true;
    }
    return true;
}

static bool is_consistent(Arena *arena, const Projection *projection) {
    int count = projection->rule->factor_count;
    AxisSpan *axes = ARENA_ARRAY(arena, AxisSpan, count);
    for (int f = 0; f < count; f++) {
        if (!agreed_axes(projection, f, &axes[f])) return false;
        bool replicated = projection->rule->factors[f].kind == FACTOR_NEED_REPLICATION;
        if (replicated && axes[f].count > 0) return false;
    }
    return reshard_axes_disjoint(projection, axes);
}

// ---- 2: two tensors ----

static bool two_tensors(const Projection *projection, const Type *const *types, int pair[2]) {
    const ShardingRule *rule = projection->rule;
    int found = 0;
    for (int t = 0; t < projection->tensor_count; t++) {
        if (types[t]->rank == 0) continue;
        if (found == 2) return false;
        pair[found++] = t;
        const TensorFactors *tensor = tensor_factors(rule, t);
        for (int d = 0; d < tensor->rank; d++) {
            if (tensor->dims[d].count > 1) return false;
        }
    }
    for (int f = 0; f < rule->factor_count; f++) {
        if (rule->factors[f].kind == FACTOR_NEED_REPLICATION) return false;
    }
    return found == 2;
}

static int64_t sharded_size(const Projection *projection, int t) {
    int64_t size = 1;
    for (int f = 0; f < projection->rule->factor_count; f++) {
        size *= span_size(projection->mesh, factor_axes(projection, t, f));
    }
    return size;
}

static bool shards_permutation(const Projection *projection, int t) {
    for (int f = 0; f < projection->rule->factor_count; f++) {
        bool permutes = projection->rule->factors[f].kind == FACTOR_PERMUTATION;
        if (permutes && factor_axes(projection, t, f).count > 0) return true;
    }
    return false;
}

// Is tensor b to be preferred over a?
static bool prefers(const Projection *projection, const Type *const *types, int a, int b) {
    bool a_permutes = shards_permutation(projection, a);
    bool b_permutes = shards_permutation(projection, b);
    if (a_permutes != b_permutes) return a_permutes;
    int64_t a_elements = type_element_count(types[a]), b_elements = type_element_count(types[b]);
    if (a_elements != b_elements) return b_elements > a_elements;
    return sharded_size(projection, b) > sharded_size(projection, a);
}

static AxisSpan span_without_factors(
    Arena *arena, const Mesh *mesh, AxisSpan span, const AxisSpan *axes, int count, int except) {
    for (int f = 0; f < count; f++) {
        if (f != except) span = reshard_span_without(arena, mesh, span, axes[f]);
    }
    return span;
}

static void choose_of_two(
    Arena *arena, const Projection *projection, const Type *const *types, const int pair[2],
    AxisSpan *axes) {
    int first = prefers(projection, types, pair[0], pair[1]) ? pair[1] : pair[0];
    int other = first == pair[0] ? pair[1] : pair[0];
    int count = projection->rule->factor_count;
    for (int f = 0; f < count; f++)
        axes[f] = factor_axes(projection, first, f);
    for (int f = 0; f < count; f++) {
        if (has_factor(projection, first, f)) continue;
        AxisSpan added = factor_axes(projection, other, f);
        axes[f] = span_without_factors(arena, projection->mesh, added, axes, count, f);
    }
}

// ---- 4: need-replication factors ----

// All factors before f in its dims are fully sharded: otherwise its axes would need strides.
static bool may_shard(const Projection *projection, const AxisSpan *chosen, int f) {
    const ShardingRule *rule = projection->rule;
    for (int t = 0; t < projection->tensor_count; t++) {
        const TensorFactors *tensor = tensor_factors(rule, t);
        for (int d = 0; d < tensor->rank; d++) {
            for (int i = 0; i < tensor->dims[d].count; i++) {
                int g = tensor->dims[d].factors[i];
                if (g == f) break;
                bool later = false;
                for (int k = i + 1; k < tensor->dims[d].count; k++) {
                    later = later || tensor->dims[d].factors[k] == f;
                }
                if (later && span_size(projection->mesh, chosen[g]) != rule->factors[g].size) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool in_all_tensors(const Projection *projection, const Type *const *types, int f) {
    for (int t = 0; t < projection->tensor_count; t++) {
        if (types[t]->rank > 0 && !has_factor(projection, t, f)) return false;
    }
    return true;
}

// Moves the axes of need-replication factor f to batching factors, in order, as far as they divide
// them.
static void move_axes(
    Arena *arena, const Projection *projection, const Type *const *types, AxisSpan *chosen, int f) {
    AxisSpan axes = chosen[f];
    chosen[f] = (AxisSpan){0, NULL};
    if (!in_all_tensors(projection, types, f)) return;
    const ShardingRule *rule = projection->rule;
    for (int g = 0; g < rule->factor_count && axes.count > 0; g++) {
        if (rule->factors[g].kind != FACTOR_PASS_THROUGH || rule->factors[g].size == 0) continue;
        if (!in_all_tensors(projection, types, g) || !may_shard(projection, chosen, g)) continue;
        int64_t taken = span_size(projection->mesh, chosen[g]);
        if (rule->factors[g].size % taken != 0) continue;
        int64_t room = rule->factors[g].size / taken;
        AxisRef *longer = ARENA_ARRAY(arena, AxisRef, chosen[g].count + axes.count);
        int count = chosen[g].count;
        for (int k = 0; k < count; k++)
            longer[k] = chosen[g].axes[k];
        for (; axes.count > 0; axes.count--, axes.axes++) {
            int64_t size = axis_ref_size(projection->mesh, &axes.axes[0]);
            if (room % size != 0) break;
            axes_append(projection->mesh, longer, &count, axes.axes[0]);
            room /= size;
        }
        chosen[g] = (AxisSpan){count, longer};
    }
}

// ---- all of it ----

ReshardChoice reshard_choice(Arena *arena, const Projection *before, const Type *const *types) {
    ReshardChoice choice = {.before = before, .is_consistent = is_consistent(arena, before)};
    if (choice.is_consistent) return choice;
    int count = before->rule->factor_count;
    choice.axes = ARENA_ARRAY(arena, AxisSpan, count);
    int pair[2];
    if (two_tensors(before, types, pair)) {
        choose_of_two(arena, before, types, pair, choice.axes);
        return choice;
    }
    reshard_choose_greedily(before, types, choice.axes);
    for (int f = 0; f < count; f++) {
        bool replicated = before->rule->factors[f].kind == FACTOR_NEED_REPLICATION;
        if (replicated && choice.axes[f].count > 0) {
            move_axes(arena, before, types, choice.axes, f);
        }
    }
    return choice;
}

const Sharding *reshard_choice_sharding(
    Context *context, Arena *arena, ReshardChoice *choice, int t, const Sharding *before,
    StrView mesh_name) {
    const Projection *projection = choice->before;
    int count = projection->rule->factor_count;
    if (!choice->after) {
        choice->after = ARENA_NEW(arena, Projection);
        *choice->after = *projection;
        choice->after->tensors = ARENA_ARRAY(arena, TensorProjection, projection->tensor_count);
    }
    TensorProjection *tensor = &choice->after->tensors[t];
    *tensor = projection->tensors[t];
    tensor->factors = ARENA_ARRAY(arena, FactorSharding, count);
    bool same = true;
    for (int f = 0; f < count; f++) {
        FactorSharding *factor = &tensor->factors[f];
        *factor = projection->tensors[t].factors[f];
        if (!has_factor(projection, t, f)) continue;
        same =
            same && factor->overflow.count == 0 && axis_span_equal(factor->axes, choice->axes[f]);
        factor->is_present = true;
        factor->overflow = (AxisSpan){0, NULL};
        factor->axes = choice->axes[f];
    }
    if (same) return before;
    return projection_sharding(context, choice->after, t, mesh_name);
}

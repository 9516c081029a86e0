// reshard_choice: Shardy's choice of a common sharding of an op whose tensors disagree.
//
//   1. Tensors that agree, without sharded need-replication factors and without an axis on two factors, stay as they are.
//   2. Of two tensors with one factor per dim, the one that is more expensive to move keeps its sharding.
//   3. Else greedily: of all prefixes of all factors' axes in any tensor, take the one that most elements have already.
//   4. Axes that a need-replication factor got go to batching factors with room for them, or are dropped.
//
//   source  Shardy, docs/explicit_reshards and the comments of its explicit reshards utilities
#include "partition/reshard_choice.h"

#include <assert.h>

static int64_t span_size(const Mesh *mesh, AxisSpan span) {
    return axis_list_size(mesh, span.axes, span.count);
}

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

static AxisSpan factor_axes(const Projection *projection, int t, int f) {
    const FactorSharding *factor = &projection->tensors[t].factors[f];
    return factor->is_present ? factor->axes : (AxisSpan){0, NULL};
}

// ---- 1: nothing to do ----

// Do axes of both overlap, or are they parts of one axis that cannot be used side by side?
static bool spans_conflict(const Mesh *mesh, AxisSpan a, AxisSpan b) {
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

// The part of `span` before the first axis that conflicts with one of the others; the last axis may be cut.
static AxisSpan span_without(Arena *arena, const Mesh *mesh, AxisSpan span, AxisSpan others) {
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

static AxisSpan span_without_factors(
    Arena *arena, const Mesh *mesh, AxisSpan span, const AxisSpan *axes, int count, int except) {
    for (int f = 0; f < count; f++) {
        if (f != except) span = span_without(arena, mesh, span, axes[f]);
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

// ---- 3: greedy ----

typedef struct Candidate {
    int factor;
    AxisSpan axes;
    int64_t elements; // of the tensors that have this prefix
} Candidate;

static int kind_rank(FactorKind kind) {
    switch (kind) {
    case FACTOR_PASS_THROUGH: return 3;
    case FACTOR_REDUCTION: return 2;
    case FACTOR_PERMUTATION: return 1;
    case FACTOR_NEED_REPLICATION: return 0;
    }
    return 0;
}

// Ties between axes of one factor go to the later one in the mesh.
static bool later_axes(const Mesh *mesh, AxisSpan a, AxisSpan b) {
    for (int i = 0; i < a.count && i < b.count; i++) {
        int order = axis_ref_compare(mesh, &a.axes[i], &b.axes[i]);
        if (order != 0) return order > 0;
    }
    return a.count > b.count;
}

static bool better(
    const Projection *projection, const AxisSpan *chosen, const Candidate *a, const Candidate *b) {
    if (a->elements != b->elements) return a->elements > b->elements;
    int a_rank = kind_rank(projection->rule->factors[a->factor].kind);
    int b_rank = kind_rank(projection->rule->factors[b->factor].kind);
    if (a_rank != b_rank) return a_rank > b_rank;
    const Mesh *mesh = projection->mesh;
    int64_t a_size = span_size(mesh, a->axes) / span_size(mesh, chosen[a->factor]);
    int64_t b_size = span_size(mesh, b->axes) / span_size(mesh, chosen[b->factor]);
    if (a_size != b_size) return a_size > b_size;
    if (a->factor != b->factor) return a->factor > b->factor;
    return later_axes(mesh, a->axes, b->axes);
}

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

// How many elements lie so that factor f is sharded by the axes, or by more.
static int64_t elements_with_prefix(
    const Projection *projection, const Type *const *types, int f, AxisSpan axes) {
    int64_t elements = 0;
    for (int t = 0; t < projection->tensor_count; t++) {
        AxisSpan own = factor_axes(projection, t, f);
        if (own.count > 0 && axis_span_prefix(projection->mesh, axes, own) != PREFIX_NONE) {
            elements += type_element_count(types[t]);
        }
    }
    return elements;
}

// Tries the prefixes of what shards factor f in tensor t.
static void try_prefixes(
    Arena *arena, const Projection *projection, const Type *const *types, const AxisSpan *chosen,
    int f, int t, Candidate *best) {
    const Mesh *mesh = projection->mesh;
    AxisSpan full = factor_axes(projection, t, f);
    full = span_without_factors(arena, mesh, full, chosen, projection->rule->factor_count, f);
    for (int n = 1; n <= full.count; n++) {
        Candidate candidate = {f, {n, full.axes}, 0};
        if (axis_span_prefix(mesh, chosen[f], candidate.axes) != PREFIX_STRICT) continue;
        candidate.elements = elements_with_prefix(projection, types, f, candidate.axes);
        if (best->factor < 0 || better(projection, chosen, &candidate, best)) *best = candidate;
    }
}

static void choose_greedily(
    Arena *arena, const Projection *projection, const Type *const *types, AxisSpan *chosen) {
    while (true) {
        Candidate best = {.factor = -1};
        for (int f = 0; f < projection->rule->factor_count; f++) {
            if (!may_shard(projection, chosen, f)) continue;
            for (int t = 0; t < projection->tensor_count; t++) {
                try_prefixes(arena, projection, types, chosen, f, t, &best);
            }
        }
        if (best.factor < 0) return;
        chosen[best.factor] = best.axes;
    }
}

// ---- 4: need-replication factors ----

static bool is_batching(const Projection *projection, const Type *const *types, int f) {
    for (int t = 0; t < projection->tensor_count; t++) {
        if (types[t]->rank > 0 && !has_factor(projection, t, f)) return false;
    }
    return true;
}

// Moves the axes of need-replication factor f to batching factors, as far as they divide them.
static void move_axes(
    Arena *arena, const Projection *projection, const Type *const *types, AxisSpan *chosen, int f) {
    AxisSpan axes = chosen[f];
    chosen[f] = (AxisSpan){0, NULL};
    if (!is_batching(projection, types, f)) return;
    const ShardingRule *rule = projection->rule;
    for (int i = 0; i < axes.count; i++) {
        int64_t size = axis_ref_size(projection->mesh, &axes.axes[i]);
        for (int g = 0; g < rule->factor_count; g++) {
            if (rule->factors[g].kind == FACTOR_NEED_REPLICATION) continue;
            if (!is_batching(projection, types, g) || !may_shard(projection, chosen, g)) continue;
            int64_t taken = span_size(projection->mesh, chosen[g]);
            if (rule->factors[g].size % (taken * size) != 0) continue;
            AxisRef *longer = ARENA_ARRAY(arena, AxisRef, chosen[g].count + 1);
            for (int k = 0; k < chosen[g].count; k++)
                longer[k] = chosen[g].axes[k];
            int count = chosen[g].count;
            axes_append(projection->mesh, longer, &count, axes.axes[i]);
            chosen[g] = (AxisSpan){count, longer};
            break;
        }
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
    choose_greedily(arena, before, types, choice.axes);
    for (int f = 0; f < count; f++) {
        bool replicated = before->rule->factors[f].kind == FACTOR_NEED_REPLICATION;
        if (replicated && choice.axes[f].count > 0) {
            move_axes(arena, before, types, choice.axes, f);
        }
    }
    return choice;
}

const Sharding *reshard_choice_sharding(
    Context *context, Arena *arena, const ReshardChoice *choice, int t, const Sharding *before,
    StrView mesh_name) {
    const Projection *projection = choice->before;
    int count = projection->rule->factor_count;
    Projection *after = ARENA_NEW(arena, Projection);
    *after = *projection;
    after->tensors = ARENA_ARRAY(arena, TensorProjection, projection->tensor_count);
    TensorProjection *tensor = &after->tensors[t];
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
    return projection_sharding(context, after, t, mesh_name);
}

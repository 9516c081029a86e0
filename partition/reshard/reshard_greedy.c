// reshard_greedy: axes for the factors of an op whose tensors disagree, one choice after the other.
//
// Candidates are all prefixes of the axes by which a tensor shards a factor. The best one is taken:
// the one that most elements have already; then by the kind of factor; then the one that shards
// most; then the later factor, and more and later axes. Axes of other candidates end where they
// meet those that are taken. A factor waits until the one before it in a dimension is fully
// sharded, for else its axes would need strides.
//
//   source  Shardy, the comments of its explicit reshards utilities
#include "partition/reshard/reshard_greedy.h"

#include "base/vec.h"
#include "partition/reshard/reshard_spans.h"

typedef struct Candidate {
    int factor;
    AxisSpan axes;
    int64_t elements; // of the tensors that had these axes first
    // of the axes: all of them, or those that are new, where the last choice was of this factor or
    // cut them
    int64_t size;
} Candidate;

typedef struct Greedy {
    Arena *arena;
    const Projection *projection;
    const Mesh *mesh;
    AxisSpan *chosen;
    VEC(Candidate) candidates;
    bool *waits; // [factor * factor_count + the one it waits for]
} Greedy;

// ---- candidates ----

static void add_candidate(Greedy *greedy, int factor, AxisSpan axes) {
    for (int64_t i = 0; i < greedy->candidates.count; i++) {
        const Candidate *other = &greedy->candidates.data[i];
        if (other->factor == factor && axis_span_equal(other->axes, axes)) return;
    }
    Candidate candidate = {.factor = factor, .axes = axes, .size = span_size(greedy->mesh, axes)};
    vec_push(greedy->arena, &greedy->candidates, candidate);
}

static void count_elements(Greedy *greedy, int factor, AxisSpan axes, int64_t elements) {
    for (int64_t i = 0; i < greedy->candidates.count; i++) {
        Candidate *candidate = &greedy->candidates.data[i];
        if (candidate->factor == factor &&
            axis_span_prefix(greedy->mesh, candidate->axes, axes) != PREFIX_NONE)
            candidate->elements += elements;
    }
}

static void find_candidates(Greedy *greedy, const Type *const *types) {
    const Projection *projection = greedy->projection;
    for (int t = 0; t < projection->tensor_count; t++) {
        for (int f = 0; f < projection->rule->factor_count; f++) {
            AxisSpan axes = factor_axes(projection, t, f);
            for (; axes.count > 0; axes.count--)
                add_candidate(greedy, f, axes);
        }
    }
    for (int t = 0; t < projection->tensor_count; t++) {
        for (int f = 0; f < projection->rule->factor_count; f++)
            count_elements(greedy, f, factor_axes(projection, t, f), type_element_count(types[t]));
    }
}

static void find_waits(Greedy *greedy) {
    const ShardingRule *rule = greedy->projection->rule;
    int count = rule->factor_count;
    greedy->waits = ARENA_ARRAY(greedy->arena, bool, (int64_t)count *count);
    for (int t = 0; t < rule->operand_count + rule->result_count; t++) {
        const TensorFactors *tensor =
            t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
        for (int d = 0; d < tensor->rank; d++) {
            for (int i = 1; i < tensor->dims[d].count; i++) {
                const int *factors = tensor->dims[d].factors;
                greedy->waits[(int64_t)factors[i] * count + factors[i - 1]] = true;
            }
        }
    }
}

static bool is_waiting(const Greedy *greedy, int factor) {
    int count = greedy->projection->rule->factor_count;
    for (int g = 0; g < count; g++) {
        if (greedy->waits[(int64_t)factor * count + g]) return true;
    }
    return false;
}

// ---- the best one ----

static int kind_rank(FactorKind kind) {
    switch (kind) {
    case FACTOR_PASS_THROUGH: return 3;
    case FACTOR_REDUCTION: return 2;
    case FACTOR_PERMUTATION: return 1;
    case FACTOR_NEED_REPLICATION: return 0;
    }
    return 0;
}

// By name, not by place in the mesh. A whole axis comes before parts that do not begin
// with it, and after those that do.
static int compare_axes(const AxisRef *a, const AxisRef *b) {
    int order = strview_compare(a->name, b->name);
    if (order != 0 || axis_ref_equal(a, b)) return order;
    if (a->size == 0) return b->pre_size > 1 ? -1 : 1;
    if (b->size == 0) return a->pre_size == 1 ? -1 : 1;
    if (a->pre_size != b->pre_size) return a->pre_size < b->pre_size ? -1 : 1;
    return a->size < b->size ? -1 : 1;
}

static int compare_spans(AxisSpan a, AxisSpan b) {
    if (a.count != b.count) return a.count < b.count ? -1 : 1;
    for (int i = 0; i < a.count; i++) {
        int order = compare_axes(&a.axes[i], &b.axes[i]);
        if (order != 0) return order;
    }
    return 0;
}

static bool is_better(const ShardingRule *rule, const Candidate *a, const Candidate *b) {
    if (a->elements != b->elements) return a->elements > b->elements;
    int a_rank = kind_rank(rule->factors[a->factor].kind);
    int b_rank = kind_rank(rule->factors[b->factor].kind);
    if (a_rank != b_rank) return a_rank > b_rank;
    if (a->size != b->size) return a->size > b->size;
    if (a->factor != b->factor) return a->factor > b->factor;
    return compare_spans(a->axes, b->axes) > 0;
}

static const Candidate *find_best(const Greedy *greedy) {
    const Candidate *best = NULL;
    for (int64_t i = 0; i < greedy->candidates.count; i++) {
        const Candidate *candidate = &greedy->candidates.data[i];
        if (is_waiting(greedy, candidate->factor)) continue;
        if (!best || is_better(greedy->projection->rule, candidate, best)) best = candidate;
    }
    return best;
}

// ---- choices ----

// What is left of a candidate after the choice; false when it adds nothing any more.
static bool is_left(const Greedy *greedy, Candidate *candidate, int factor, AxisSpan taken) {
    int64_t full = span_size(greedy->mesh, candidate->axes);
    if (candidate->factor == factor) {
        candidate->size = full / span_size(greedy->mesh, taken);
        return axis_span_prefix(greedy->mesh, taken, candidate->axes) == PREFIX_STRICT;
    }
    AxisSpan cut = reshard_span_without(greedy->arena, greedy->mesh, candidate->axes, taken);
    candidate->size = full;
    if (axis_span_equal(cut, candidate->axes)) return true;
    AxisSpan own = greedy->chosen[candidate->factor];
    candidate->axes = cut;
    candidate->size = span_size(greedy->mesh, cut) / span_size(greedy->mesh, own);
    return axis_span_prefix(greedy->mesh, own, cut) == PREFIX_STRICT;
}

static void choose(Greedy *greedy, int factor, AxisSpan axes) {
    int count = greedy->projection->rule->factor_count;
    greedy->chosen[factor] = axes;
    if (span_size(greedy->mesh, axes) == greedy->projection->rule->factors[factor].size) {
        for (int f = 0; f < count; f++)
            greedy->waits[(int64_t)f * count + factor] = false;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < greedy->candidates.count; i++) {
        Candidate candidate = greedy->candidates.data[i];
        if (is_left(greedy, &candidate, factor, axes)) greedy->candidates.data[kept++] = candidate;
    }
    greedy->candidates.count = kept;
}

void reshard_choose_greedily(const Projection *before, const Type *const *types, AxisSpan *axes) {
    Greedy greedy = {
        .arena = before->arena, .projection = before, .mesh = before->mesh, .chosen = axes};
    find_candidates(&greedy, types);
    find_waits(&greedy);
    for (const Candidate *best = find_best(&greedy); best; best = find_best(&greedy))
        choose(&greedy, best->factor, best->axes);
}

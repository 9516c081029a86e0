// reshard_orders: the collectives that lead from one sharding of a tensor to another.
//
//   order   all_slice, collective_permute, all_to_all, all_gather: arrays are smallest in the
//           middle
//
//   [{"x"}, {}] to [{}, {"x", "y"}]:
//     sdy.all_slice [{"y"}, {}]            [{"x", "y"}, {}]
//     sdy.all_to_all [{"x", "y"}: 0->1]    [{}, {"x", "y"}]
//
// Axes are cut into atoms, so that any two atoms of the two shardings are equal or disjoint. For
// every dimension, beyond the prefix that both shardings share, `in` are the atoms that shard it
// now and `out` those that are wanted.
//
// Shardy's own order of steps is in reshard_standard.c; these are other ways,
// of which the cheapest is taken.
#include "partition/cost.h"
#include "partition/plan/mesh_translation.h"
#include "partition/plan/reshard_plan.h"
#include "partition/plan/reshard_state.h"
#include "partition/propagate/projection.h"

#include <assert.h>

// Variants, as bits: steps that are left out; permutes that only use axes in use; gathers
// of all that is not in its place.
enum {
    IN_PLACE_ONLY = 1,
    NO_PERMUTE = 2,
    NO_ALL_TO_ALL = 4,
    KEEP_AXES = 8,
    GATHER_ALL = 16,
    VARIANT_COUNT = 32
};

// ---- atoms ----

// The first cut of the sharding's sub-axes of this name between begin and end; end when there is
// none.
static int64_t first_cut(
    const Mesh *mesh, StrView name, const Sharding *sharding, int64_t begin, int64_t end) {
    int64_t cut = end;
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            const AxisRef *other = &sharding->dims[d].axes[i];
            if (other->name.data != name.data) continue;
            int64_t low = axis_ref_pre_size(other), high = axis_ref_next_pre_size(mesh, other);
            if (low > begin && low < cut) cut = low;
            if (high > begin && high < cut) cut = high;
        }
    }
    return cut;
}

// Cuts an axis of one list so that no cut of the other shardings' axes lies inside it. False when
// parts do not divide each other.
static bool push_atoms(
    const Mesh *mesh, const AxisRef *axis, const Sharding *const *shardings, AxisList *atoms) {
    int64_t begin = axis_ref_pre_size(axis), end = axis_ref_next_pre_size(mesh, axis);
    while (begin < end) {
        int64_t cut = first_cut(mesh, axis->name, shardings[0], begin, end);
        cut = first_cut(mesh, axis->name, shardings[1], begin, cut);
        if (cut % begin != 0 || end % cut != 0 || atoms->count == MAX_AXIS_REFS) return false;
        list_push(atoms, axis_ref_make(mesh, axis->name, begin, cut / begin));
        begin = cut;
    }
    return true;
}

static bool fill_atoms(
    const Mesh *mesh, const Sharding *sharding, const Sharding *const *both, AxisList *lists) {
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            if (!push_atoms(mesh, &sharding->dims[d].axes[i], both, &lists[d])) return false;
        }
    }
    return true;
}

static void split_prefix(Reshard *reshard) {
    for (int d = 0; d < reshard->rank; d++) {
        AxisList *in = &reshard->in[d], *out = &reshard->out[d];
        int common = 0;
        while (common < in->count && common < out->count &&
               axis_ref_equal(&in->axes[common], &out->axes[common])) {
            list_push(&reshard->prefix[d], in->axes[common++]);
        }
        for (int i = common; i < in->count; i++)
            in->axes[i - common] = in->axes[i];
        for (int i = common; i < out->count; i++)
            out->axes[i - common] = out->axes[i];
        in->count -= common;
        out->count -= common;
    }
}

// ---- emitting ----

// ---- 1: all_slice ----

// Dimension s ends with axes that t wants one after the other and will not be sharded itself, and t
// is not sharded yet. Then what t wants behind them, if it is free, is sliced at s, and one
// all_to_all brings all of it to t.
static int slice_for_all_to_all(Reshard *reshard, int s, AxisList *sliced) {
    AxisList *in = &reshard->in[s];
    if (in->count == 0 || reshard->out[s].count > 0) return 0;
    const AxisRef *last = &in->axes[in->count - 1];
    int t = find_dim(reshard, reshard->out, last);
    if (t < 0 || t == s || reshard->in[t].count > 0) return 0;
    const AxisList *out = &reshard->out[t];
    AxisList all = *in;
    int first = find_axis(out, last) + 1, added = 0;
    for (int i = first; i < out->count && is_free(reshard, &out->axes[i]); i++) {
        list_push(&all, out->axes[i]);
        added++;
    }
    int64_t shards = size_of(reshard, &all) * size_of(reshard, &reshard->prefix[s]);
    if (added == 0 || reshard->type->dims[s] % shards != 0) return 0;
    *in = all;
    for (int i = 0; i < added; i++)
        list_push(&sliced[s], out->axes[first + i]);
    return added;
}

// How many times more tiles dimension d may have.
static int64_t capacity(const Reshard *reshard, int d) {
    int64_t in = size_of(reshard, &reshard->in[d]), out = size_of(reshard, &reshard->out[d]);
    return out / common_divisor(in, out);
}

static int slice_in_place(Reshard *reshard, int d, AxisList *sliced) {
    int added = 0;
    for (int i = 0; i < reshard->out[d].count; i++) {
        AxisRef axis = reshard->out[d].axes[i];
        if (!is_free(reshard, &axis)) continue;
        int64_t size = axis_ref_size(reshard->mesh, &axis);
        int64_t part = common_divisor(capacity(reshard, d), size);
        if (part == 1) continue;
        if (part < size) axis = split_axis(reshard, &axis, part);
        list_push(&reshard->in[d], axis);
        list_push(&sliced[d], axis);
        added++;
    }
    return added;
}

static int64_t total_size(const Reshard *reshard, const AxisList *lists) {
    int64_t size = 1;
    for (int d = 0; d < reshard->rank; d++)
        size *= size_of(reshard, &lists[d]);
    return size;
}

// A free wanted axis goes to any dimension that will be sharded more than it is.
static int slice_anywhere(Reshard *reshard, AxisList *sliced) {
    int added = 0;
    for (int t = 0; t < reshard->rank; t++) {
        for (int i = 0; i < reshard->out[t].count; i++) {
            AxisRef axis = reshard->out[t].axes[i];
            int64_t size = axis_ref_size(reshard->mesh, &axis);
            int64_t total = total_size(reshard, reshard->in) * size;
            if (!is_free(reshard, &axis) || total_size(reshard, reshard->out) % total != 0)
                continue;
            for (int d = 0; d < reshard->rank; d++) {
                if (capacity(reshard, d) % size != 0) continue;
                list_push(&reshard->in[d], axis);
                list_push(&sliced[d], axis);
                added++;
                break;
            }
        }
    }
    return added;
}

static void step_slice(Reshard *reshard, unsigned variant) {
    AxisList *sliced = ARENA_ARRAY(reshard->scratch, AxisList, reshard->rank);
    int added = 0;
    for (int s = 0; s < reshard->rank && !(variant & IN_PLACE_ONLY); s++) {
        added += slice_for_all_to_all(reshard, s, sliced);
    }
    for (int d = 0; d < reshard->rank; d++)
        added += slice_in_place(reshard, d, sliced);
    if (!(variant & IN_PLACE_ONLY)) added += slice_anywhere(reshard, sliced);
    if (added) reshard_add_step_per_dim(reshard, OP_SDY_ALL_SLICE, sliced);
}

// ---- 2: collective_permute ----

static void step_permute(Reshard *reshard, unsigned variant) {
    bool helps = !(variant & NO_PERMUTE) && permute_axes(reshard, !(variant & KEEP_AXES));
    if (!helps && !reshard->source_mesh) return;
    reshard->source_mesh = NULL;
    reshard_add_step(reshard, OP_SDY_PERMUTE, NAME_AXES, NULL);
}

// ---- 3: all_to_all ----

static bool emit_all_to_alls(Reshard *reshard, bool only_final) {
    AllToAllParam *params = ARENA_ARRAY(reshard->scratch, AllToAllParam, reshard->rank);
    int count = 0;
    bool is_target[MAX_RANK] = {false}, is_source[MAX_RANK] = {false};
    for (int s = 0; s < reshard->rank; s++) {
        int target;
        int suffix = movable_suffix(reshard, reshard->in, s, only_final, &target);
        if (suffix == 0 || is_target[target] || is_source[target] || is_target[s]) continue;
        AxisList *in = &reshard->in[s], *to = &reshard->in[target];
        if (!only_final) {
            // The target's size must divide by what comes.
            int64_t size = reshard->type->dims[target];
            AxisList all = *to;
            for (int i = 0; i < suffix; i++)
                list_push(&all, in->axes[in->count - suffix + i]);
            int64_t shards = size_of(reshard, &all) * size_of(reshard, &reshard->prefix[target]);
            if (size % shards != 0) continue;
        }
        AxisList moved = {0};
        for (int i = in->count - suffix; i < in->count; i++) {
            list_push(&moved, in->axes[i]);
            list_push(to, in->axes[i]);
        }
        in->count -= suffix;
        AxisList *merged = ARENA_NEW(reshard->scratch, AxisList);
        *merged = reshard_merged(reshard, &moved);
        params[count++] = (AllToAllParam){axis_span(merged), s, target};
        is_source[s] = is_target[target] = true;
    }
    if (count == 0) return false;
    const Attr prototype = {.kind = ATTR_ALL_TO_ALL, .count = count, .all_to_all = params};
    reshard_add_step(
        reshard, OP_SDY_ALL_TO_ALL, NAME_PARAMS, attr_intern(reshard->module->context, &prototype));
    return true;
}

static void step_all_to_all(Reshard *reshard) {
    for (int only_final = 1; only_final >= 0; only_final--) {
        for (int i = 0; i < reshard->rank; i++) {
            if (!emit_all_to_alls(reshard, only_final)) break;
        }
    }
}

// ---- 4: all_gather ----

// The last axes of every dimension that no dimension wants; all: those that are not in their place.
static void step_gather(Reshard *reshard, bool all) {
    AxisList *gathered = ARENA_ARRAY(reshard->scratch, AxisList, reshard->rank);
    int count = 0;
    for (int d = 0; d < reshard->rank; d++) {
        AxisList *in = &reshard->in[d];
        const AxisList *out = &reshard->out[d];
        int kept = 0;
        if (all) {
            while (kept < in->count && kept < out->count &&
                   axis_ref_equal(&in->axes[kept], &out->axes[kept])) {
                kept++;
            }
        } else {
            kept = in->count;
            while (kept > 0 && find_dim(reshard, reshard->out, &in->axes[kept - 1]) < 0)
                kept--;
        }
        for (int i = kept; i < in->count; i++)
            list_push(&gathered[d], in->axes[i]);
        count += in->count - kept;
        in->count = kept;
    }
    if (count) reshard_add_step_per_dim(reshard, OP_SDY_ALL_GATHER, gathered);
}

// ---- the plan ----

static bool begin(Reshard *reshard, const Sharding *from, const Sharding *to) {
    const Sharding *both[2] = {from, to};
    reshard->rank = to->rank;
    reshard->prefix = ARENA_ARRAY(reshard->scratch, AxisList, to->rank);
    reshard->in = ARENA_ARRAY(reshard->scratch, AxisList, to->rank);
    reshard->out = ARENA_ARRAY(reshard->scratch, AxisList, to->rank);
    if (!fill_atoms(reshard->mesh, from, both, reshard->in)) return false;
    if (!fill_atoms(reshard->mesh, to, both, reshard->out)) return false;
    split_prefix(reshard);
    return true;
}

static bool begin_plan(
    Reshard *reshard, const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to) {
    const Mesh *mesh = sharding_mesh(module, to), *from_mesh = sharding_mesh(module, from);
    *reshard = (Reshard){
        .module = module,
        .scratch = scratch,
        .type = type,
        .mesh = mesh,
        .goal = to,
        .reached = from,
        .plan = ARENA_NEW(scratch, ReshardPlan),
    };
    if (!begin(reshard, from, to)) return false;
    if (mesh != from_mesh) reshard->source_mesh = from;
    return true;
}

static ReshardPlan *plan_as_shardy(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to) {
    Reshard reshard;
    if (!begin_plan(&reshard, module, scratch, type, from, to)) return NULL;
    return reshard_standard_steps(&reshard) && !reshard.is_impossible ? reshard.plan : NULL;
}

static ReshardPlan *plan_variant(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to, unsigned variant) {
    Reshard reshard;
    if (!begin_plan(&reshard, module, scratch, type, from, to)) return NULL;
    for (int round = 0; round < 4 && !(reshard_is_done(&reshard) && !reshard.source_mesh);
         round++) {
        int before = reshard.plan->count;
        step_slice(&reshard, variant);
        if (!reshard_is_done(&reshard) || reshard.source_mesh) step_permute(&reshard, variant);
        if (!reshard_is_done(&reshard) && !(variant & NO_ALL_TO_ALL)) step_all_to_all(&reshard);
        if (!reshard_is_done(&reshard)) step_gather(&reshard, variant & GATHER_ALL);
        if (!reshard_is_done(&reshard) && reshard.plan->count == before)
            step_gather(&reshard, true);
    }
    return reshard_is_done(&reshard) && !reshard.is_impossible ? reshard.plan : NULL;
}

static bool same_unreduced(const Sharding *a, const Sharding *b) {
    if (a->unreduced_count != b->unreduced_count) return false;
    for (int i = 0; i < a->unreduced_count; i++) {
        if (!axis_ref_equal(&a->unreduced[i], &b->unreduced[i])) return false;
    }
    return true;
}

// The same places under the names of another mesh, and from there as `rest` says.
static ReshardPlan *plan_renamed(Arena *scratch, const Sharding *renamed, const ReshardPlan *rest) {
    if (!rest || rest->count == 0 || rest->count == MAX_RESHARD_STEPS) return NULL;
    ReshardPlan *plan = ARENA_NEW(scratch, ReshardPlan);
    plan->bytes = rest->bytes;
    plan->steps[plan->count++] = (ReshardStep){.code = OP_SDY_RESHARD, .sharding = renamed};
    for (int i = 0; i < rest->count; i++)
        plan->steps[plan->count++] = rest->steps[i];
    return plan;
}

// Between meshes with other axes: only to and from whole arrays.
static ReshardPlan *plan_of_replicated(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to) {
    if (sharding_is_fully_replicated(to)) {
        to = sharding_replicated_like(module->context, from);
        return plan_as_shardy(module, scratch, type, from, to);
    }
    if (!sharding_is_fully_replicated(from)) return NULL;
    from = sharding_replicated_like(module->context, to);
    return plan_renamed(scratch, from, plan_as_shardy(module, scratch, type, from, to));
}

static ReshardPlan *plan_over_other_mesh(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to) {
    const Sharding *renamed = sharding_on_mesh(
        module->context, scratch, from, sharding_mesh(module, from), sharding_mesh(module, to), to);
    if (!renamed) return NULL;
    return plan_renamed(scratch, renamed, reshard_plan(module, scratch, type, renamed, to));
}

// The shardings name meshes, and what is unreduced stays so.
static bool can_plan(const Module *module, const Sharding *from, const Sharding *to) {
    return sharding_mesh(module, to) && sharding_mesh(module, from) && same_unreduced(from, to);
}

static bool is_on_one_device(const Module *module, const Sharding *sharding) {
    return mesh_is_maximal(sharding_mesh(module, sharding));
}

static bool are_replicated(const Sharding *from, const Sharding *to) {
    return sharding_is_fully_replicated(from) && sharding_is_fully_replicated(to);
}

ReshardPlan *reshard_plan(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to) {
    if (!from) from = sharding_replicated_like(module->context, to);
    if (!can_plan(module, from, to)) return NULL;
    if (are_replicated(from, to)) return ARENA_NEW(scratch, ReshardPlan);
    // What lives on one device is computed on all.
    if (is_on_one_device(module, from) || is_on_one_device(module, to)) return NULL;
    if (!mesh_same_axes(sharding_mesh(module, from), sharding_mesh(module, to))) {
        ReshardPlan *plan = plan_of_replicated(module, scratch, type, from, to);
        return plan ? plan : plan_over_other_mesh(module, scratch, type, from, to);
    }
    ReshardPlan *best = plan_as_shardy(module, scratch, type, from, to);
    for (unsigned variant = 0; variant < VARIANT_COUNT; variant++) {
        ReshardPlan *other = plan_variant(module, scratch, type, from, to, variant);
        if (other && (!best || other->bytes < best->bytes)) best = other;
    }
    return best;
}

ReshardPlan *reshard_plan_standard(
    const Module *module, Arena *scratch, const Type *type, const Sharding *from,
    const Sharding *to) {
    if (!from) from = sharding_replicated_like(module->context, to);
    if (!can_plan(module, from, to)) return NULL;
    bool is_single = is_on_one_device(module, from) || is_on_one_device(module, to);
    if (is_single && sharding_mesh(module, from) != sharding_mesh(module, to)) return NULL;
    if (are_replicated(from, to)) return ARENA_NEW(scratch, ReshardPlan);
    if (is_single) return NULL;
    if (!mesh_same_axes(sharding_mesh(module, from), sharding_mesh(module, to)))
        return plan_of_replicated(module, scratch, type, from, to);
    ReshardPlan *plan = plan_as_shardy(module, scratch, type, from, to);
    return plan ? plan : plan_variant(module, scratch, type, from, to, 0);
}

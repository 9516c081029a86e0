// reshard_permute: which axes a collective_permute exchanges.
//
//   1. Place by place, the axis that a dimension wants changes places with the one that is there;
//      the larger of the two is cut: its major part moves, or its minor part where its size and
//      that of all that the dimension wants do not divide each other.
//          [{"x"=4}, {"y"=2}] wants [{"y"}, {"x"}]:  [{"y", "x":(2)2}, {"x":(1)2}]
//   2. Where the other axes do not lie so that all-to-alls can take them to their goals,
//      they are dealt out again: in front what nobody wants, at the end what other
//      dimensions want, in their order.
#include "partition/plan/reshard_state.h"

#include <assert.h>

// ---- 1: exchange ----

// Cuts the axis at place i of dimension d: its minor part, of `size`, comes to place i, the rest
// behind it.
static AxisRef give_minor_part(Reshard *reshard, int d, int i, int64_t size) {
    AxisRef *there = &reshard->in[d].axes[i];
    split_axis(reshard, there, axis_ref_size(reshard->mesh, there) / size);
    AxisRef major = there[0], minor = there[1];
    there[0] = minor;
    there[1] = major;
    return minor;
}

// Brings the wanted axis to place i of dimension d. False when that is not possible.
static bool place_axis(Reshard *reshard, int d, int i, bool may_replace) {
    const Mesh *mesh = reshard->mesh;
    AxisRef wanted = reshard->out[d].axes[i], there = reshard->in[d].axes[i];
    if (axis_ref_equal(&wanted, &there)) return true;
    int from = find_dim(reshard, reshard->in, &wanted);
    if (from == d) {
        int at = find_axis(&reshard->in[d], &wanted);
        if (axis_ref_size(mesh, &wanted) == axis_ref_size(mesh, &there)) {
            reshard->in[d].axes[i] = wanted;
            reshard->in[d].axes[at] = there;
        } else {
            list_insert(&reshard->in[d], i, list_remove(&reshard->in[d], at));
        }
        return true;
    }
    if (from < 0 && !may_replace) return false;
    int64_t wanted_size = axis_ref_size(mesh, &wanted), size = axis_ref_size(mesh, &there);
    int64_t part = common_divisor(wanted_size, size);
    if (part == 1 || (part != wanted_size && part != size)) return false;
    if (part < wanted_size) wanted = split_axis(reshard, &wanted, part);
    if (part < size) {
        int64_t all = size_of(reshard, &reshard->out[d]);
        bool nests = all % size == 0 || size % all == 0;
        there = nests ? split_axis(reshard, &there, part) : give_minor_part(reshard, d, i, part);
    }
    if (from >= 0) {
        int at = find_axis(&reshard->in[from], &wanted);
        reshard->in[from].axes[at] = there;
    }
    reshard->in[d].axes[i] = wanted;
    return true;
}

// Number of leading places of dimension d that have their wanted axis.
static int placed_count(const Reshard *reshard, int d) {
    const AxisList *in = &reshard->in[d], *out = &reshard->out[d];
    int count = 0;
    while (count < in->count && count < out->count &&
           axis_ref_equal(&in->axes[count], &out->axes[count])) {
        count++;
    }
    return count;
}

static void place_axes(Reshard *reshard, bool may_replace) {
    for (int d = 0; d < reshard->rank; d++) {
        for (int i = 0; i < reshard->out[d].count && i < reshard->in[d].count; i++) {
            if (!place_axis(reshard, d, i, may_replace)) break;
        }
    }
}

// ---- 2: deal out again ----

// Can all-to-alls alone, and gathers of what nobody wants, finish?
static bool can_finish(const Reshard *reshard, Arena *scratch) {
    AxisList *lists = ARENA_ARRAY(scratch, AxisList, reshard->rank);
    for (int d = 0; d < reshard->rank; d++)
        lists[d] = reshard->in[d];
    unsigned sent[MAX_RANK] = {0}; // targets that a dimension has sent axes to: one all-to-all each
    bool moved = true;
    while (moved) {
        moved = false;
        for (int s = 0; s < reshard->rank; s++) {
            int target;
            int count = movable_suffix(reshard, lists, s, true, &target);
            if (count > 0 && sent[s] >> target & 1) return false;
            if (count > 0) sent[s] |= 1u << target;
            for (int i = lists[s].count - count; i < lists[s].count; i++) {
                list_push(&lists[target], lists[s].axes[i]);
            }
            lists[s].count -= count;
            moved = moved || count > 0;
        }
    }
    for (int d = 0; d < reshard->rank; d++) {
        for (int i = 0; i < lists[d].count; i++) {
            const AxisList *out = &reshard->out[d];
            bool placed = i < out->count && axis_ref_equal(&lists[d].axes[i], &out->axes[i]);
            if (placed) continue;
            if (find_dim(reshard, reshard->out, &lists[d].axes[i]) >= 0) return false;
        }
    }
    return true;
}

static bool deal(const Reshard *reshard, AxisList *dealt, int64_t *left, int d, AxisRef axis) {
    int64_t size = axis_ref_size(reshard->mesh, &axis);
    if (left[d] % size != 0) return false;
    left[d] /= size;
    list_push(&dealt[d], axis);
    return true;
}

static bool deal_rest(Reshard *reshard) {
    int rank = reshard->rank, placed[MAX_RANK];
    int64_t left[MAX_RANK];
    AxisList *wanted = ARENA_ARRAY(reshard->scratch, AxisList, rank); // by where they go now
    AxisList *unwanted = ARENA_ARRAY(reshard->scratch, AxisList, rank);
    AxisList *rest = ARENA_ARRAY(reshard->scratch, AxisList, rank);
    for (int d = 0; d < rank; d++) {
        placed[d] = placed_count(reshard, d);
        for (int i = placed[d]; i < reshard->in[d].count; i++) {
            list_push(&rest[d], reshard->in[d].axes[i]);
        }
        left[d] = size_of(reshard, &rest[d]);
    }
    for (int t = 0; t < rank; t++) {
        for (int i = placed[t]; i < reshard->out[t].count; i++) {
            AxisRef axis = reshard->out[t].axes[i];
            if (find_dim(reshard, rest, &axis) < 0) continue;
            int d = 0;
            while (d < rank && !deal(reshard, wanted, left, d, axis))
                d++;
            if (d == rank) return false;
        }
    }
    for (int own = 1; own >= 0; own--) {
        for (int s = 0; s < rank; s++) {
            for (int i = 0; i < rest[s].count; i++) {
                AxisRef axis = rest[s].axes[i];
                if (find_dim(reshard, wanted, &axis) >= 0) continue;
                if (find_dim(reshard, unwanted, &axis) >= 0) continue;
                int d = own ? s : 0, end = own ? s + 1 : rank;
                while (d < end && !deal(reshard, unwanted, left, d, axis))
                    d++;
                if (d == end && !own) return false;
            }
        }
    }
    for (int d = 0; d < rank; d++) {
        reshard->in[d].count = placed[d];
        for (int i = 0; i < unwanted[d].count; i++)
            list_push(&reshard->in[d], unwanted[d].axes[i]);
        for (int i = 0; i < wanted[d].count; i++)
            list_push(&reshard->in[d], wanted[d].axes[i]);
    }
    return true;
}

// Do two lists name the same places, however the axes are cut?
static bool same_places(const Reshard *reshard, const AxisList *a, const AxisList *b) {
    int64_t at_a = 0, at_b = 0; // elements of the current axes that are consumed, as their product
    int i = 0, k = 0;
    while (i < a->count && k < b->count) {
        const AxisRef *x = &a->axes[i], *y = &b->axes[k];
        int64_t x_pre = axis_ref_pre_size(x) * (at_a ? at_a : 1);
        int64_t y_pre = axis_ref_pre_size(y) * (at_b ? at_b : 1);
        if (x->name.data != y->name.data || x_pre != y_pre) return false;
        int64_t x_left = axis_ref_next_pre_size(reshard->mesh, x) / x_pre;
        int64_t y_left = axis_ref_next_pre_size(reshard->mesh, y) / y_pre;
        int64_t step = x_left < y_left ? x_left : y_left;
        at_a = (at_a ? at_a : 1) * step;
        at_b = (at_b ? at_b : 1) * step;
        if (step == x_left) {
            i++;
            at_a = 0;
        }
        if (step == y_left) {
            k++;
            at_b = 0;
        }
    }
    return i == a->count && k == b->count;
}

bool permute_axes(Reshard *reshard, bool may_replace) {
    AxisList *before = ARENA_ARRAY(reshard->scratch, AxisList, reshard->rank);
    for (int d = 0; d < reshard->rank; d++)
        before[d] = reshard->in[d];
    if (can_finish(reshard, reshard->scratch) && !may_replace) return false;
    place_axes(reshard, may_replace);
    if (!can_finish(reshard, reshard->scratch)) deal_rest(reshard);
    for (int d = 0; d < reshard->rank; d++) {
        if (!same_places(reshard, &before[d], &reshard->in[d])) return true;
    }
    return false;
}

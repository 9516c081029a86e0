// reshard_standard: the collectives of a reshard in Shardy's order.
//
//   1. all_slice: wanted axes that are free; first behind the axes that an all_to_all will take to
//      the same dimension, then where they are wanted, then where there is room. A dimension has
//      room for as many shards as it will have, divided by those it has.
//   2. collective_permute: wanted axes in place of others, and axes that go to another dimension
//      behind those that are gathered.
//   3. all_to_all: the last axes of a dimension that go to one other, first those
//      that come to their places at once.
//   4. all_gather: what is not wanted.
// Done twice where sizes do not divide each other.
//
// Axes that are in their place move from `in` and `out` to the prefix at once.
//
//   source  Shardy, the comments of its pass from reshards to collectives
#include "partition/plan/reshard_state.h"

typedef struct Standard {
    Reshard *reshard;
    int64_t room[MAX_RANK]; // of each dimension, for more shards
    AxisList *sliced;       // [rank] what all_slice adds
    bool is_full;           // a list was: there is no plan
} Standard;

static void push_at(Standard *standard, AxisList *list, int at, AxisRef axis) {
    if (list->count == MAX_AXIS_REFS) {
        standard->is_full = true;
        return;
    }
    list_insert(list, at, axis);
}

static void push(Standard *standard, AxisList *list, AxisRef axis) {
    push_at(standard, list, list->count, axis);
}

static int64_t size_of_axis(const Standard *standard, const AxisRef *axis) {
    return axis_ref_size(standard->reshard->mesh, axis);
}

static bool sizes_nest(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

// The part of the axis for which there is room, its major one; rest: what is left of it. 0:
// none, 1: all of it, 2: with a rest.
static int take_within(
    const Standard *standard, AxisRef axis, int64_t *room, AxisRef *within, AxisRef *rest) {
    int64_t size = size_of_axis(standard, &axis);
    if (*room <= 1 || !sizes_nest(size, *room)) return 0;
    *within = axis;
    if (*room >= size) {
        *room /= size;
        return 1;
    }
    const Mesh *mesh = standard->reshard->mesh;
    int64_t pre_size = axis_ref_pre_size(&axis);
    *within = axis_ref_make(mesh, axis.name, pre_size, *room);
    *rest = axis_ref_make(mesh, axis.name, pre_size * *room, size / *room);
    *room = 1;
    return 2;
}

// An axis was cut: where it is wanted, its parts are.
static void cut_wanted(Standard *standard, const AxisRef *axis, AxisRef within, AxisRef rest) {
    Reshard *reshard = standard->reshard;
    int d = find_dim(reshard, reshard->out, axis);
    if (d < 0) return;
    int at = find_axis(&reshard->out[d], axis);
    reshard->out[d].axes[at] = within;
    push_at(standard, &reshard->out[d], at + 1, rest);
}

// Deals axes of the list to dimension d, at its end or before what it has, while there is room.
static void deal(Standard *standard, int d, AxisList *available, bool is_in_front) {
    Reshard *reshard = standard->reshard;
    int at = is_in_front ? 0 : reshard->in[d].count;
    for (int i = 0; i < available->count && standard->room[d] > 1;) {
        AxisRef within, rest, axis = available->axes[i];
        int taken = take_within(standard, axis, &standard->room[d], &within, &rest);
        if (taken == 0) {
            i++;
            continue;
        }
        (void)list_remove(available, i);
        push_at(standard, &reshard->in[d], at++, within);
        if (standard->sliced) push(standard, &standard->sliced[d], within);
        if (taken == 2) {
            cut_wanted(standard, &axis, within, rest);
            push_at(standard, available, 0, rest);
            i++;
        }
    }
}

// ---- 1: all_slice ----

// Dimension s ends with axes that t wants one after the other: what t wants behind them,
// if it is free, is sliced at s.
static void slice_for_all_to_all(Standard *standard, int s) {
    Reshard *reshard = standard->reshard;
    AxisList *in = &reshard->in[s];
    if (in->count == 0 || reshard->out[s].count > 0) return;
    const AxisRef *last = &in->axes[in->count - 1];
    int t = find_dim(reshard, reshard->out, last);
    if (t < 0 || reshard->in[t].count > 0) return;
    const AxisList *out = &reshard->out[t];
    int first = find_axis(out, last) + 1, from = in->count - 1, end = first;
    if (first == out->count || !is_free(reshard, &out->axes[first])) return;
    int64_t common = 1, added = 1;
    for (int i = first - 1; from >= 0 && i >= 0 && axis_ref_equal(&in->axes[from], &out->axes[i]);
         i--, from--)
        common *= size_of_axis(standard, &in->axes[from]);
    for (int i = from; i >= 0; i--) {
        if (find_axis(out, &in->axes[i]) >= 0) return;
    }
    for (; end < out->count && is_free(reshard, &out->axes[end]); end++)
        added *= size_of_axis(standard, &out->axes[end]);
    int64_t shards = size_of(reshard, &reshard->prefix[s]) * size_of(reshard, in) * added;
    if (reshard->type->dims[s] % shards != 0) return;
    standard->room[t] /= common * added;
    for (int i = first; i < end; i++) {
        push(standard, in, out->axes[i]);
        push(standard, &standard->sliced[s], out->axes[i]);
    }
}

// Slices what dimension d wants, in its place; what there is no room for is left over.
static void slice_in_place(Standard *standard, int d, AxisList *left) {
    Reshard *reshard = standard->reshard;
    AxisList *in = &reshard->in[d], *out = &reshard->out[d];
    for (int i = 0; i < out->count && !standard->is_full;) {
        AxisRef within, rest, axis = out->axes[i];
        if (!is_free(reshard, &axis)) {
            i++;
            continue;
        }
        int taken = take_within(standard, axis, &standard->room[d], &within, &rest);
        if (taken == 0) {
            push(standard, left, axis);
            i++;
            continue;
        }
        push(standard, &standard->sliced[d], within);
        if (in->count == 0 && i == 0) {
            push(standard, &reshard->prefix[d], within);
            (void)list_remove(out, 0);
        } else {
            push(standard, in, within);
            out->axes[i++] = within;
        }
        if (taken == 2) {
            push_at(standard, out, i++, rest);
            push(standard, left, rest);
        }
    }
}

static void step_slice(Standard *standard) {
    Reshard *reshard = standard->reshard;
    standard->sliced = ARENA_ARRAY(reshard->scratch, AxisList, reshard->rank);
    AxisList left = {0};
    for (int d = 0; d < reshard->rank; d++) {
        int64_t in = size_of(reshard, &reshard->in[d]), out = size_of(reshard, &reshard->out[d]);
        standard->room[d] = out / common_divisor(in, out);
    }
    for (int s = 0; s < reshard->rank; s++)
        slice_for_all_to_all(standard, s);
    for (int d = 0; d < reshard->rank; d++)
        slice_in_place(standard, d, &left);
    for (int d = 0; d < reshard->rank; d++)
        deal(standard, d, &left, false);
    int count = 0;
    for (int d = 0; d < reshard->rank; d++)
        count += standard->sliced[d].count;
    if (count > 0 && !standard->is_full)
        reshard_add_step_per_dim(reshard, OP_SDY_ALL_SLICE, standard->sliced);
    standard->sliced = NULL;
}

// ---- 2: collective_permute ----

// Where axes of dimension d go, in order: not all behind each other to one
// dimension, or to a place of d itself?
static bool lies_badly(const Standard *standard, int d, const AxisRef **gathered) {
    const Reshard *reshard = standard->reshard;
    const AxisList *in = &reshard->in[d];
    int last_dim = -1, last_place = 0;
    unsigned seen = 0;
    for (int i = 0; i < in->count; i++) {
        int t = find_dim(reshard, reshard->out, &in->axes[i]);
        if (t >= 0) {
            int place = find_axis(&reshard->out[t], &in->axes[i]);
            bool follows = last_dim == t && place == last_place + 1;
            if ((t == d || seen >> t & 1) && !follows) return true;
            seen |= 1u << t;
            last_place = place;
        } else if (last_dim >= 0 && reshard->out[d].count == 0) {
            return true; // one that is gathered behind one that goes elsewhere
        } else {
            *gathered = &in->axes[i];
        }
        last_dim = t;
    }
    return false;
}

static bool should_permute(const Standard *standard) {
    const Reshard *reshard = standard->reshard;
    const AxisRef *gathered = NULL, *missing = NULL;
    for (int d = 0; d < reshard->rank; d++) {
        const AxisList *in = &reshard->in[d], *out = &reshard->out[d];
        if (in->count > 0 && out->count > 0 &&
            sizes_nest(size_of_axis(standard, &in->axes[0]), size_of_axis(standard, &out->axes[0])))
            return true;
        for (int i = 0; i < out->count; i++) {
            if (is_free(reshard, &out->axes[i])) missing = &out->axes[i];
        }
        if (lies_badly(standard, d, &gathered)) return true;
    }
    return gathered && missing &&
           sizes_nest(size_of_axis(standard, gathered), size_of_axis(standard, missing));
}

// What dimension d wants comes to its place, as far as its shards go. Of the axes that it had and
// nobody wants, those that keep their place come last in `own`.
static void place_wanted(Standard *standard, int d, const AxisList *wanted, AxisList *own) {
    Reshard *reshard = standard->reshard;
    AxisList *in = &reshard->in[d], *out = &reshard->out[d];
    int64_t all = size_of(reshard, in);
    standard->room[d] = all;
    AxisRef within, rest;
    while (standard->room[d] > 1 && out->count > 0 && !standard->is_full) {
        int taken = take_within(standard, out->axes[0], &standard->room[d], &within, &rest);
        if (taken == 0) break;
        (void)list_remove(out, 0);
        push(standard, &reshard->prefix[d], within);
        if (taken == 2) push_at(standard, out, 0, rest);
    }
    int64_t used = all / standard->room[d];
    AxisList unwanted = {0}, replaced = {0};
    for (int i = 0; i < in->count; i++) {
        if (find_dim(reshard, wanted, &in->axes[i]) < 0) push(standard, &unwanted, in->axes[i]);
    }
    while (used > 1 && unwanted.count > 0 && !standard->is_full) {
        int taken = take_within(standard, unwanted.axes[0], &used, &within, &rest);
        if (taken == 0) break;
        (void)list_remove(&unwanted, 0);
        push(standard, &replaced, within);
        if (taken == 2) push_at(standard, &unwanted, 0, rest);
    }
    *own = unwanted;
    for (int i = 0; i < replaced.count; i++)
        push(standard, own, replaced.axes[i]);
    in->count = 0;
}

static void permute(Standard *standard) {
    Reshard *reshard = standard->reshard;
    int rank = reshard->rank;
    AxisList *wanted = ARENA_ARRAY(reshard->scratch, AxisList, rank);
    AxisList *own = ARENA_ARRAY(reshard->scratch, AxisList, rank);
    AxisList left = {0}, others = {0};
    for (int d = 0; d < rank; d++)
        wanted[d] = reshard->out[d];
    for (int d = 0; d < rank; d++) {
        place_wanted(standard, d, wanted, &own[d]);
        for (int i = 0; i < reshard->out[d].count; i++)
            push(standard, &left, reshard->out[d].axes[i]);
    }
    for (int d = 0; d < rank; d++)
        deal(standard, d, &left, false);
    for (int d = 0; d < rank; d++)
        deal(standard, d, &own[d], true);
    for (int d = 0; d < rank; d++) {
        for (int i = 0; i < own[d].count; i++)
            push(standard, &others, own[d].axes[i]);
    }
    for (int d = 0; d < rank; d++)
        deal(standard, d, &others, true);
}

static void step_permute(Standard *standard) {
    Reshard *reshard = standard->reshard;
    bool helps = should_permute(standard);
    if (helps) permute(standard);
    if (standard->is_full || (!helps && !reshard->source_mesh)) return;
    reshard->source_mesh = NULL;
    reshard_add_step(reshard, OP_SDY_PERMUTE, NAME_AXES, NULL);
}

// ---- 3: all_to_all ----

// Sends the last axes of dimension s that one other wants there.
static bool send(Standard *standard, int s, bool only_to_place) {
    Reshard *reshard = standard->reshard;
    AxisList *in = &reshard->in[s], moved = {0};
    int target, count = movable_suffix(reshard, reshard->in, s, false, &target);
    if (count == 0) return false;
    AxisList *to = &reshard->in[target], *out = &reshard->out[target];
    int first = in->count - count;
    for (int i = 0; only_to_place && i < count; i++) {
        if (i == out->count || !axis_ref_equal(&in->axes[first + i], &out->axes[i])) return false;
    }
    for (int i = first; i < in->count; i++) {
        push(standard, &moved, in->axes[i]);
        if (to->count == 0 && out->count > 0 && axis_ref_equal(&out->axes[0], &in->axes[i])) {
            push(standard, &reshard->prefix[target], list_remove(out, 0));
        } else {
            push(standard, to, in->axes[i]);
        }
    }
    in->count = first;
    if (standard->is_full) return false;
    const AxisList merged = reshard_merged(reshard, &moved);
    const AllToAllParam param = {axis_span(&merged), s, target};
    const Attr prototype = {.kind = ATTR_ALL_TO_ALL, .count = 1, .all_to_all = &param};
    reshard_add_step(
        reshard, OP_SDY_ALL_TO_ALL, NAME_PARAMS, attr_intern(reshard->module->context, &prototype));
    return true;
}

// Ends, for an axis stays in the dimension that wants it.
static void step_all_to_all(Standard *standard) {
    Reshard *reshard = standard->reshard;
    for (int only_to_place = 1; only_to_place >= 0; only_to_place--) {
        for (int s = 0; s < reshard->rank; s++) {
            while (reshard->plan->count < MAX_RESHARD_STEPS - 4 &&
                   send(standard, s, only_to_place)) {}
        }
    }
}

// ---- 4: all_gather ----

// The last axes of every dimension that nobody wants.
static void step_gather(Standard *standard) {
    Reshard *reshard = standard->reshard;
    AxisList *gathered = ARENA_ARRAY(reshard->scratch, AxisList, reshard->rank);
    int count = 0;
    for (int d = 0; d < reshard->rank; d++) {
        AxisList *in = &reshard->in[d];
        int kept = in->count;
        while (kept > 0 && find_dim(reshard, reshard->out, &in->axes[kept - 1]) < 0)
            kept--;
        for (int i = kept; i < in->count; i++)
            push(standard, &gathered[d], in->axes[i]);
        count += in->count - kept;
        in->count = kept;
    }
    if (count > 0) reshard_add_step_per_dim(reshard, OP_SDY_ALL_GATHER, gathered);
}

bool reshard_standard_steps(Reshard *reshard) {
    Standard standard = {.reshard = reshard};
    for (int round = 0; round < 3; round++) {
        if (reshard_is_done(reshard) && !reshard->source_mesh) return true;
        step_slice(&standard);
        if (!standard.is_full) step_permute(&standard);
        if (!standard.is_full) step_all_to_all(&standard);
        if (standard.is_full || reshard->plan->count > MAX_RESHARD_STEPS - 8) return false;
        step_gather(&standard);
    }
    return reshard_is_done(reshard) && !reshard->source_mesh;
}

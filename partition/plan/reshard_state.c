// reshard_state: lists of atoms, and the steps of a plan under construction.
#include "partition/plan/reshard_state.h"

#include "partition/cost.h"
#include "partition/propagate/projection.h"

#include <assert.h>

int64_t size_of(const Reshard *reshard, const AxisList *list) {
    return axis_list_size(reshard->mesh, list->axes, list->count);
}

int find_axis(const AxisList *list, const AxisRef *axis) {
    for (int i = 0; i < list->count; i++) {
        if (axis_ref_equal(&list->axes[i], axis)) return i;
    }
    return -1;
}

// The dimension in whose list the axis is; -1 = none.
int find_dim(const Reshard *reshard, const AxisList *lists, const AxisRef *axis) {
    for (int d = 0; d < reshard->rank; d++) {
        if (find_axis(&lists[d], axis) >= 0) return d;
    }
    return -1;
}

bool is_free(const Reshard *reshard, const AxisRef *axis) {
    return find_dim(reshard, reshard->in, axis) < 0;
}

void list_push(AxisList *list, AxisRef axis) {
    assert(list->count < MAX_AXIS_REFS);
    list->axes[list->count++] = axis;
}

void list_insert(AxisList *list, int at, AxisRef axis) {
    list_push(list, axis);
    for (int i = list->count - 1; i > at; i--)
        list->axes[i] = list->axes[i - 1];
    list->axes[at] = axis;
}

// in begins as out does.
bool is_prefix_of(const AxisList *in, const AxisList *out) {
    if (in->count > out->count) return false;
    for (int i = 0; i < in->count; i++) {
        if (!axis_ref_equal(&in->axes[i], &out->axes[i])) return false;
    }
    return true;
}

AxisRef list_remove(AxisList *list, int at) {
    AxisRef axis = list->axes[at];
    for (int i = at; i + 1 < list->count; i++)
        list->axes[i] = list->axes[i + 1];
    list->count--;
    return axis;
}

int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void split_in(
    const Reshard *reshard, AxisList *lists, const AxisRef *axis, AxisRef first, AxisRef rest) {
    int d = find_dim(reshard, lists, axis);
    if (d < 0) return;
    int at = find_axis(&lists[d], axis);
    lists[d].axes[at] = first;
    list_insert(&lists[d], at + 1, rest);
}

AxisRef split_axis(Reshard *reshard, const AxisRef *axis, int64_t size) {
    AxisRef whole = *axis;
    int64_t pre_size = axis_ref_pre_size(axis), all = axis_ref_size(reshard->mesh, axis);
    AxisRef first = axis_ref_make(reshard->mesh, axis->name, pre_size, size);
    AxisRef rest = axis_ref_make(reshard->mesh, axis->name, pre_size * size, all / size);
    split_in(reshard, reshard->in, &whole, first, rest);
    split_in(reshard, reshard->out, &whole, first, rest);
    return first;
}

// The longest suffix of in[s] that goes to one other dimension: *target and the number of axes.
int movable_suffix(
    const Reshard *reshard, const AxisList *lists, int s, bool only_final, int *target) {
    const AxisList *in = &lists[s];
    int count = 0;
    *target = -1;
    for (int i = in->count - 1; i >= 0; i--) {
        int t = find_dim(reshard, reshard->out, &in->axes[i]);
        if (t < 0 || t == s || (*target >= 0 && t != *target)) break;
        *target = t;
        count++;
    }
    if (count == 0 || !only_final) return count;
    // Final: they come right behind what the target has, in its order.
    const AxisList *to = &lists[*target], *out = &reshard->out[*target];
    for (; count > 0; count--) {
        if (!is_prefix_of(to, out) || to->count + count > out->count) continue;
        bool ordered = true;
        for (int i = 0; ordered && i < count; i++) {
            ordered = axis_ref_equal(&in->axes[in->count - count + i], &out->axes[to->count + i]);
        }
        if (ordered) return count;
    }
    return 0;
}

bool reshard_is_done(const Reshard *reshard) {
    for (int d = 0; d < reshard->rank; d++) {
        const AxisList *in = &reshard->in[d], *out = &reshard->out[d];
        if (in->count != out->count || !is_prefix_of(in, out)) return false;
    }
    return true;
}

// The sharding that has been reached; the goal's own when it is equal, so that its text does not
// change.
static const Sharding *current_sharding(const Reshard *reshard) {
    if (reshard_is_done(reshard) && !reshard->source_mesh) return reshard->goal;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < reshard->rank; d++) {
        AxisRef *axes = ARENA_ARRAY(reshard->scratch, AxisRef, 2 * MAX_AXIS_REFS);
        int count = 0;
        const AxisList *prefix = &reshard->prefix[d], *in = &reshard->in[d];
        for (int i = 0; i < prefix->count; i++) {
            axes_append(reshard->mesh, axes, &count, prefix->axes[i]);
        }
        for (int i = 0; i < in->count; i++)
            axes_append(reshard->mesh, axes, &count, in->axes[i]);
        dims[d] = (DimSharding){.axis_count = count, .axes = axes, .priority = PRIORITY_NONE};
    }
    Sharding sharding = *reshard->goal;
    if (reshard->source_mesh) {
        sharding.mesh_name = reshard->source_mesh->mesh_name;
        sharding.mesh = reshard->source_mesh->mesh;
    }
    sharding.dims = dims;
    return sharding_intern(reshard->module->context, &sharding);
}

// Atoms as they are written: adjacent parts of an axis merged.
AxisList reshard_merged(const Reshard *reshard, const AxisList *atoms) {
    AxisList list = {0};
    for (int i = 0; i < atoms->count; i++) {
        axes_append(reshard->mesh, list.axes, &list.count, atoms->axes[i]);
    }
    return list;
}

// Parts of an axis that no product holds side by side have no sharding that names both.
static bool axes_coexist(const Mesh *mesh, const Sharding *sharding) {
    AxisRef seen[MAX_AXIS_REFS];
    int count = 0;
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count && count < MAX_AXIS_REFS; i++) {
            const AxisRef *axis = &sharding->dims[d].axes[i];
            for (int j = 0; j < count; j++) {
                if (!axis_ref_can_coexist(mesh, axis, &seen[j])) return false;
            }
            seen[count++] = *axis;
        }
    }
    return true;
}

void reshard_add_step(Reshard *reshard, OpCode code, AttrName name, const Attr *axes) {
    const Sharding *to = current_sharding(reshard);
    ReshardPlan *plan = reshard->plan;
    assert(plan->count < MAX_RESHARD_STEPS);
    plan->steps[plan->count++] = (ReshardStep){code, to, name, axes};
    plan->bytes += step_bytes(reshard->module, code, reshard->type, reshard->reached, to);
    reshard->reached = to;
    reshard->is_impossible |= !axes_coexist(sharding_mesh(reshard->module, to), to);
}

void reshard_add_step_per_dim(Reshard *reshard, OpCode code, const AxisList *lists) {
    AxisList *axes = ARENA_ARRAY(reshard->scratch, AxisList, reshard->rank);
    for (int d = 0; d < reshard->rank; d++)
        axes[d] = reshard_merged(reshard, &lists[d]);
    reshard_add_step(
        reshard, code, NAME_AXES, attr_axes_per_dim(reshard->module->context, reshard->rank, axes));
}

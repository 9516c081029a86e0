// propagate_user_priority: dimensions whose sharding has a priority p<N> take
// part from the N-th iteration on.
//
// Until then such a dimension is empty and closed, and its axes are replicated,
// so that nobody else uses them.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/propagate/propagate_internal.h"
#include "partition/provenance.h"

// Where a sharding with priorities was written.
typedef struct Prioritised {
    ShardingPlace place;
    const Sharding *original;
} Prioritised;

typedef struct Priorities {
    Propagation *propagation;
    VEC(Prioritised) places;
    VEC(int) levels; // ascending, without duplicates
} Priorities;

static int dim_priority(const DimSharding *dim) {
    return dim->priority == PRIORITY_NONE ? 0 : dim->priority;
}

static void add_level(Priorities *priorities, int level) {
    int64_t at = 0;
    while (at < priorities->levels.count && priorities->levels.data[at] < level)
        at++;
    if (at < priorities->levels.count && priorities->levels.data[at] == level) return;
    vec_push(priorities->propagation->arena, &priorities->levels, level);
    for (int64_t i = priorities->levels.count - 1; i > at; i--) {
        priorities->levels.data[i] = priorities->levels.data[i - 1];
    }
    priorities->levels.data[at] = level;
}

static void sort_axes(const Mesh *mesh, AxisRef *axes, int count) {
    for (int i = 1; i < count; i++) {
        AxisRef moved = axes[i];
        int k = i;
        for (; k > 0 && axis_ref_compare(mesh, &moved, &axes[k - 1]) < 0; k--)
            axes[k] = axes[k - 1];
        axes[k] = moved;
    }
}

// The sharding of the first iteration.
static const Sharding *initial_sharding(Priorities *priorities, const Sharding *sharding) {
    const Module *module = priorities->propagation->module;
    int limit = sharding->replicated_count;
    bool has_priority = false;
    for (int d = 0; d < sharding->rank; d++) {
        limit += sharding->dims[d].axis_count;
        has_priority |= sharding->dims[d].priority != PRIORITY_NONE;
    }
    if (!has_priority) return sharding;
    AxisRef *replicated = ARENA_ARRAY(priorities->propagation->arena, AxisRef, limit);
    int count = 0;
    for (; count < sharding->replicated_count; count++)
        replicated[count] = sharding->replicated[count];
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        dims[d] = sharding->dims[d];
        dims[d].priority = PRIORITY_NONE;
        if (dim_priority(&sharding->dims[d]) == 0) continue;
        add_level(priorities, sharding->dims[d].priority);
        for (int i = 0; i < dims[d].axis_count; i++)
            replicated[count++] = dims[d].axes[i];
        dims[d] = (DimSharding){.priority = PRIORITY_NONE};
    }
    const Mesh *mesh = sharding_mesh(module, sharding);
    if (mesh) sort_axes(mesh, replicated, count);
    Sharding initial = *sharding;
    initial.dims = dims;
    initial.replicated = replicated;
    initial.replicated_count = count;
    return sharding_intern(module->context, &initial);
}

static const Sharding *collect(const Sharding *sharding, const ShardingPlace *place, void *user) {
    Priorities *priorities = user;
    // An edge has the sharding of its owner; the owner's own is not in use.
    if (place->value && edge_of_target(place->value)) return sharding;
    for (int d = 0; d < sharding->rank; d++) {
        if (dim_priority(&sharding->dims[d]) == 0) continue;
        Prioritised prioritised = {*place, sharding};
        vec_push(priorities->propagation->arena, &priorities->places, prioritised);
        break;
    }
    return initial_sharding(priorities, sharding);
}

// Another dim may have got an axis meanwhile, from another member of a sharding group:
// from there on the dim keeps none.
static int free_prefix(
    const Priorities *priorities, const Sharding *current, const DimSharding *original, int dim) {
    const Mesh *mesh = sharding_mesh(priorities->propagation->module, current);
    for (int i = 0; mesh && i < original->axis_count; i++) {
        for (int d = 0; d < current->rank; d++) {
            for (int k = 0; d != dim && k < current->dims[d].axis_count; k++) {
                if (axis_ref_overlaps(mesh, &original->axes[i], &current->dims[d].axes[k]))
                    return i;
            }
        }
    }
    return original->axis_count;
}

// Gives the dims of this priority their axes back.
static const Sharding *restore(
    const Priorities *priorities, const Sharding *current, const Sharding *original, int level) {
    DimSharding dims[MAX_RANK];
    AxisRef *replicated =
        ARENA_ARRAY(priorities->propagation->arena, AxisRef, current->replicated_count);
    int count = 0;
    for (int i = 0; i < current->replicated_count; i++) {
        bool is_restored = false;
        for (int d = 0; d < original->rank; d++) {
            if (dim_priority(&original->dims[d]) != level) continue;
            for (int k = 0; k < original->dims[d].axis_count; k++) {
                is_restored |= axis_ref_equal(&original->dims[d].axes[k], &current->replicated[i]);
            }
        }
        if (!is_restored) replicated[count++] = current->replicated[i];
    }
    for (int d = 0; d < current->rank; d++) {
        bool is_level = dim_priority(&original->dims[d]) == level;
        dims[d] = is_level ? original->dims[d] : current->dims[d];
        if (!is_level) continue;
        dims[d].priority = PRIORITY_NONE;
        dims[d].axis_count = free_prefix(priorities, current, &original->dims[d], d);
    }
    Sharding restored = *current;
    restored.dims = dims;
    restored.replicated = replicated;
    restored.replicated_count = count;
    return sharding_intern(priorities->propagation->module->context, &restored);
}

static void restore_level(const Priorities *priorities, int level) {
    Module *module = priorities->propagation->module;
    for (int64_t i = 0; i < priorities->places.count; i++) {
        const Prioritised *prioritised = &priorities->places.data[i];
        const Sharding *original = prioritised->original;
        const ShardingPlace *place = &prioritised->place;
        bool has_level = false;
        for (int d = 0; d < original->rank; d++)
            has_level |= dim_priority(&original->dims[d]) == level;
        if (!has_level) continue;
        if (place->value) {
            const Sharding *current = value_sharding(module, place->value);
            if (current && current->rank == original->rank) {
                value_set_sharding(
                    module, place->value, restore(priorities, current, original, level));
            }
        } else if (place->op->code == OP_FUNC) {
            const Sharding *current = func_result_sharding(place->op, place->result);
            if (!current || current->rank != original->rank) continue;
            func_set_result_sharding(
                module, place->op, place->result, restore(priorities, current, original, level));
        }
    }
}

void propagate_by_user_priority(Propagation *propagation, bool basic, bool aggressive) {
    Priorities priorities = {.propagation = propagation};
    module_map_shardings(propagation->module, collect, &priorities);
    propagate_by_op_priority(propagation, basic, aggressive);
    for (int64_t i = 0; i < priorities.levels.count; i++) {
        provenance_set_user_priority(propagation->provenance, priorities.levels.data[i]);
        restore_level(&priorities, priorities.levels.data[i]);
        propagate_by_op_priority(propagation, basic, aggressive);
    }
}

// Tensor shardings and sharding rules: interning, queries, printing.
#include "ir/sharding/sharding.h"

#include "ir/context.h"

static void write_axes_key(Context *context, int count, const AxisRef *axes) {
    context_key_int(context, count);
    for (int i = 0; i < count; i++) {
        context_key_bytes(context, axes[i].name.data, axes[i].name.size);
        context_key_int(context, axes[i].size ? axes[i].pre_size : 1);
        context_key_int(context, axes[i].size);
    }
}

static const AxisRef *copy_axes(Context *context, int count, const AxisRef *axes) {
    if (count == 0) return NULL;
    AxisRef *copy = ARENA_ARRAY(context->arena, AxisRef, count);
    for (int i = 0; i < count; i++) {
        copy[i].name = context_name(context, axes[i].name);
        copy[i].pre_size = axes[i].size ? axes[i].pre_size : 1;
        copy[i].size = axes[i].size;
    }
    return copy;
}

static ReductionKind reduction_of(const Sharding *sharding) {
    return sharding->unreduced_count ? sharding->reduction : REDUCTION_SUM;
}

static void write_sharding_key(Context *context, const void *object) {
    const Sharding *sharding = object;
    context_key_bytes(context, sharding->mesh_name.data, sharding->mesh_name.size);
    context_key_pointer(context, sharding->mesh);
    context_key_int(context, sharding->rank);
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        write_axes_key(context, dim->axis_count, dim->axes);
        context_key_int(context, dim->is_open);
        context_key_int(context, dim->priority);
    }
    write_axes_key(context, sharding->replicated_count, sharding->replicated);
    write_axes_key(context, sharding->unreduced_count, sharding->unreduced);
    context_key_int(context, reduction_of(sharding));
}

const Sharding *sharding_intern(Context *context, const Sharding *prototype) {
    uint64_t hash;
    const Sharding *found =
        context_find(context, KEY_SHARDING, write_sharding_key, prototype, &hash);
    if (found) return found;

    Sharding *sharding = ARENA_NEW(context->arena, Sharding);
    *sharding = *prototype;
    sharding->mesh_name = context_name(context, prototype->mesh_name);
    DimSharding *dims = ARENA_ARRAY(context->arena, DimSharding, prototype->rank);
    for (int d = 0; d < prototype->rank; d++) {
        dims[d] = prototype->dims[d];
        dims[d].axes = copy_axes(context, dims[d].axis_count, prototype->dims[d].axes);
    }
    sharding->dims = dims;
    sharding->replicated = copy_axes(context, prototype->replicated_count, prototype->replicated);
    sharding->unreduced = copy_axes(context, prototype->unreduced_count, prototype->unreduced);
    sharding->reduction = reduction_of(prototype);
    context_add(context, KEY_SHARDING, hash, sharding);
    return sharding;
}

static void write_factors_key(Context *context, int count, const TensorFactors *tensors) {
    context_key_int(context, count);
    for (int t = 0; t < count; t++) {
        context_key_int(context, tensors[t].rank);
        for (int d = 0; d < tensors[t].rank; d++) {
            const DimFactors *dim = &tensors[t].dims[d];
            context_key_bytes(context, dim->factors, (size_t)dim->count * sizeof(int));
        }
    }
}

static void write_rule_key(Context *context, const void *object) {
    const ShardingRule *rule = object;
    context_key_int(context, rule->factor_count);
    for (int f = 0; f < rule->factor_count; f++) {
        context_key_int(context, rule->factors[f].size);
        context_key_int(context, rule->factors[f].kind);
        context_key_int(context, rule->factors[f].is_blocked);
    }
    write_factors_key(context, rule->operand_count, rule->operands);
    write_factors_key(context, rule->result_count, rule->results);
    context_key_int(context, rule->is_custom);
    context_key_bytes(context, rule->flaw.data, rule->flaw.size);
}

static const TensorFactors *copy_factors(Arena *arena, int count, const TensorFactors *tensors) {
    TensorFactors *copy = ARENA_ARRAY(arena, TensorFactors, count);
    for (int t = 0; t < count; t++) {
        DimFactors *dims = ARENA_ARRAY(arena, DimFactors, tensors[t].rank);
        int total = 0;
        for (int d = 0; d < tensors[t].rank; d++)
            total += tensors[t].dims[d].count;
        int *factors = ARENA_ARRAY(arena, int, total);
        for (int d = 0; d < tensors[t].rank; d++) {
            int factor_count = tensors[t].dims[d].count;
            dims[d] = (DimFactors){factor_count, factors};
            for (int f = 0; f < factor_count; f++)
                *factors++ = tensors[t].dims[d].factors[f];
        }
        copy[t] = (TensorFactors){tensors[t].rank, dims};
    }
    return copy;
}

const ShardingRule *sharding_rule_intern(Context *context, const ShardingRule *rule) {
    if (!rule) return NULL;
    uint64_t hash;
    const ShardingRule *found = context_find(context, KEY_RULE, write_rule_key, rule, &hash);
    if (found) return found;

    Arena *arena = context->arena;
    ShardingRule *copy = arena_copy(arena, rule, sizeof *rule);
    copy->factors = arena_copy(arena, rule->factors, (size_t)rule->factor_count * sizeof(Factor));
    copy->operands = copy_factors(arena, rule->operand_count, rule->operands);
    copy->results = copy_factors(arena, rule->result_count, rule->results);
    copy->flaw = context_name(context, rule->flaw);
    context_add(context, KEY_RULE, hash, copy);
    return copy;
}

static const Sharding *make_empty(Context *context, StrView mesh_name, int rank, bool is_open) {
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < rank && d < MAX_RANK; d++) {
        dims[d].is_open = is_open;
        dims[d].priority = PRIORITY_NONE;
    }
    return sharding_intern(
        context, &(Sharding){.mesh_name = mesh_name, .rank = rank, .dims = dims});
}

const Sharding *sharding_replicated(Context *context, StrView mesh_name, int rank) {
    return make_empty(context, mesh_name, rank, false);
}

const Sharding *sharding_replicated_like(Context *context, const Sharding *like) {
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < like->rank; d++)
        dims[d].priority = PRIORITY_NONE;
    const Sharding prototype = {
        .mesh_name = like->mesh_name, .mesh = like->mesh, .rank = like->rank, .dims = dims};
    return sharding_intern(context, &prototype);
}

const Sharding *sharding_fully_open(Context *context, StrView mesh_name, int rank) {
    return make_empty(context, mesh_name, rank, true);
}

const Sharding *sharding_closed(Context *context, const Sharding *sharding) {
    bool is_closed = sharding->replicated_count == 0;
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        if (dim->is_open || dim->priority != PRIORITY_NONE) is_closed = false;
    }
    if (is_closed) return sharding;
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < sharding->rank && d < MAX_RANK; d++) {
        dims[d] = sharding->dims[d];
        dims[d].is_open = false;
        dims[d].priority = PRIORITY_NONE;
    }
    Sharding closed = *sharding;
    closed.dims = dims;
    closed.replicated_count = 0;
    closed.replicated = NULL;
    return sharding_intern(context, &closed);
}

bool sharding_is_fully_replicated(const Sharding *sharding) {
    if (!sharding) return true;
    for (int d = 0; d < sharding->rank; d++) {
        if (sharding->dims[d].axis_count) return false;
    }
    return true;
}

bool sharding_is_fully_closed(const Sharding *sharding) {
    if (!sharding) return false;
    for (int d = 0; d < sharding->rank; d++) {
        if (sharding->dims[d].is_open) return false;
    }
    return true;
}

int64_t sharding_dim_size(const Mesh *mesh, const Sharding *sharding, int d) {
    if (!sharding || !mesh || d >= sharding->rank) return 1;
    return axis_list_size(mesh, sharding->dims[d].axes, sharding->dims[d].axis_count);
}

// data_flow: the edges of region ops and where shardings are kept.
#include "ir/analysis/data_flow.h"

bool op_has_data_flow(const Op *op) {
    return op->code == OP_WHILE || op->code == OP_CASE || op->code == OP_IF ||
           op->code == OP_OPTIMIZATION_BARRIER || op->code == OP_SDY_MANUAL ||
           op->code == OP_SDY_NAMED;
}

static bool args_own_edges(const Op *op) {
    return op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
}

Value *edge_owner_of_target(const Value *target) {
    if (target->def)
        return op_has_data_flow(target->def) ? op_result(target->def, target->index) : NULL;
    const Op *op = target->region->owner;
    if (args_own_edges(op)) return target->region->args[target->index];
    if (op->code == OP_WHILE && target->index < op->result_count)
        return op_result(op, target->index);
    return NULL;
}

Value *edge_owner_of_source(const Use *use) {
    const Op *op = use->owner;
    bool leaves_region = op_has(op, TRAIT_TERMINATOR);
    if (leaves_region) op = op_parent_op(op);
    if (!op || !op_has_data_flow(op)) return NULL;
    if (args_own_edges(op) && !leaves_region) {
        return use_index(use) < op->regions[0]->arg_count ? op->regions[0]->args[use_index(use)]
                                                          : NULL;
    }
    // The condition of a while and the branch index of a case are no sources.
    if (op->code == OP_WHILE && leaves_region && use->owner->parent != op->regions[1]) return NULL;
    if ((op->code == OP_CASE || op->code == OP_IF) && !leaves_region) return NULL;
    return use_index(use) < op->result_count ? op_result(op, use_index(use)) : NULL;
}

static Op *edge_of_owner(const Value *owner) {
    if (!owner || !owner->uses || owner->uses->next) return NULL;
    return owner->uses->owner->code == OP_SDY_EDGE ? owner->uses->owner : NULL;
}

Op *edge_of_target(const Value *target) { return edge_of_owner(edge_owner_of_target(target)); }

Op *edge_of_source(const Use *use) { return edge_of_owner(edge_owner_of_source(use)); }

int edge_sources(Arena *arena, const Op *edge, Value ***sources) {
    const Value *owner = op_operand(edge, 0);
    const Op *op = owner->def ? owner->def : owner->region->owner;
    Value **list = ARENA_ARRAY(arena, Value *, op->region_count + 1);
    int count = 0, i = owner->index;
    *sources = list;
    if (owner->def && !op_has_data_flow(op)) return 0; // an edge where none belongs
    bool takes_operand = !owner->def || op->code == OP_WHILE || op->code == OP_OPTIMIZATION_BARRIER;
    if (takes_operand && i < op->operand_count) list[count++] = op_operand(op, i);
    for (int r = 0; r < op->region_count && owner->def; r++) {
        if (op->code == OP_WHILE && r == 0) continue;
        const Op *end = region_terminator(op->regions[r]);
        if (end && i < end->operand_count) list[count++] = op_operand(end, i);
    }
    *sources = list;
    return count;
}

int edge_other_targets(const Op *edge, Value *targets[2]) {
    const Value *owner = op_operand(edge, 0);
    if (!owner->def || owner->def->code != OP_WHILE) return 0;
    int count = 0;
    for (int r = 0; r < owner->def->region_count && count < 2; r++) {
        const Region *region = owner->def->regions[r];
        if (owner->index < region->arg_count) targets[count++] = region->args[owner->index];
    }
    return count;
}

static const Sharding *nth_sharding(const Op *op, AttrName name, int i) {
    const Attr *attr = op_attr(op, name);
    return attr && attr->kind == ATTR_SHARDINGS && i < attr->count ? attr->shardings[i] : NULL;
}

const Sharding *region_in_sharding(const Op *op, int i) {
    return nth_sharding(op, NAME_IN_SHARDINGS, i);
}

const Sharding *region_out_sharding(const Op *op, int i) {
    return nth_sharding(op, NAME_OUT_SHARDINGS, i);
}

void region_set_shardings(
    Module *module, Op *op, AttrName name, int count, const Sharding *const *shardings) {
    op_set_attr(module, op, name, attr_shardings(module->context, count, shardings));
}

bool op_has_manual_axis(const Op *manual, StrView name) {
    const Attr *axes = op_attr(manual, NAME_MANUAL_AXES);
    for (int i = 0; axes && i < axes->count; i++) {
        if (strview_equal(axes->axes[i].name, name)) return true;
    }
    return false;
}

static int manual_prefix(const Op *manual, const DimSharding *dim) {
    int count = 0;
    while (count < dim->axis_count && op_has_manual_axis(manual, dim->axes[count].name))
        count++;
    return count;
}

static int keep_free(
    Arena *arena, const Op *manual, int count, const AxisRef *axes, const AxisRef **kept) {
    AxisRef *list = ARENA_ARRAY(arena, AxisRef, count);
    int kept_count = 0;
    for (int i = 0; i < count; i++) {
        if (!op_has_manual_axis(manual, axes[i].name)) list[kept_count++] = axes[i];
    }
    *kept = list;
    return kept_count;
}

const Sharding *sharding_without_manual_axes(
    const Module *module, const Op *manual, const Sharding *sharding) {
    const Attr *axes = op_attr(manual, NAME_MANUAL_AXES);
    if (!sharding || !axes || axes->count == 0) return sharding;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        int manual_count = manual_prefix(manual, &sharding->dims[d]);
        dims[d] = sharding->dims[d];
        if (manual_count > 0) dims[d].axes += manual_count; // there may be none at all
        dims[d].axis_count -= manual_count;
    }
    Sharding inner = *sharding;
    inner.dims = dims;
    Arena *arena = module->context->arena;
    inner.replicated_count = keep_free(
        arena, manual, sharding->replicated_count, sharding->replicated, &inner.replicated);
    inner.unreduced_count =
        keep_free(arena, manual, sharding->unreduced_count, sharding->unreduced, &inner.unreduced);
    return sharding_intern(module->context, &inner);
}

const Sharding *sharding_with_free_axes(
    const Module *module, const Op *manual, const Sharding *outer, const Sharding *inner) {
    if (!outer || !inner || outer->rank != inner->rank) return inner ? inner : outer;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < inner->rank; d++) {
        const DimSharding *outer_dim = &outer->dims[d], *inner_dim = &inner->dims[d];
        int manual_count = manual_prefix(manual, outer_dim);
        dims[d] = *inner_dim;
        dims[d].axis_count = manual_count + inner_dim->axis_count;
        if (manual_count == 0) continue;
        AxisRef *axes = ARENA_ARRAY(module->context->arena, AxisRef, dims[d].axis_count);
        for (int i = 0; i < manual_count; i++)
            axes[i] = outer_dim->axes[i];
        for (int i = 0; i < inner_dim->axis_count; i++)
            axes[manual_count + i] = inner_dim->axes[i];
        dims[d].axes = axes;
    }
    Sharding joined = *inner;
    joined.dims = dims;
    joined.replicated_count = outer->replicated_count;
    joined.replicated = outer->replicated;
    joined.unreduced_count = outer->unreduced_count;
    joined.unreduced = outer->unreduced;
    joined.reduction = outer->reduction;
    return sharding_intern(module->context, &joined);
}

// The value whose sharding a value has: the edge's result, or the owner of what could be an edge.
Value *value_sharding_holder(const Value *value) {
    Op *edge = edge_of_target(value);
    if (edge) return op_result(edge, 0);
    if (value->def) return op_result(value->def, value->index);
    if (value->region->owner->code == OP_FUNC) return value->region->args[value->index];
    return edge_owner_of_target(value);
}

const Sharding *value_sharding(const Module *module, const Value *value) {
    const Value *holder = value_sharding_holder(value);
    if (!holder) return NULL;
    const Op *op = holder->def ? holder->def : holder->region->owner;
    if (!args_own_edges(op)) return holder->sharding;
    if (holder->def) return region_out_sharding(op, holder->index);
    const Sharding *sharding = region_in_sharding(op, holder->index);
    return op->code == OP_SDY_MANUAL ? sharding_without_manual_axes(module, op, sharding)
                                     : sharding;
}

static void set_region_sharding(
    Module *module, Op *op, const Value *holder, const Sharding *sharding) {
    AttrName name = holder->def ? NAME_OUT_SHARDINGS : NAME_IN_SHARDINGS;
    int count = holder->def ? op->result_count : op->regions[0]->arg_count;
    const Attr *attr = op_attr(op, name);
    const Sharding **shardings = ARENA_ARRAY(module->arena, const Sharding *, count);
    for (int i = 0; i < count; i++) {
        shardings[i] = attr && i < attr->count ? attr->shardings[i] : NULL;
        if (i == holder->index) {
            bool is_inner = op->code == OP_SDY_MANUAL && !holder->def;
            shardings[i] =
                is_inner ? sharding_with_free_axes(module, op, shardings[i], sharding) : sharding;
        } else if (!shardings[i] && sharding) {
            const Type *type = holder->def ? op_result_type(op, i) : op->regions[0]->args[i]->type;
            int rank = type->kind == TYPE_TENSOR ? type->rank : 0;
            shardings[i] = sharding_fully_open(module->context, sharding->mesh_name, rank);
        }
    }
    region_set_shardings(module, op, name, count, shardings);
}

void value_set_sharding(Module *module, Value *value, const Sharding *sharding) {
    Value *holder = value_sharding_holder(value);
    if (!holder) return;
    Op *op = holder->def ? holder->def : holder->region->owner;
    if (args_own_edges(op)) {
        set_region_sharding(module, op, holder, sharding);
        return;
    }
    holder->sharding = sharding;
    // An op's results have shardings all or none.
    for (int i = 0; sharding && holder->def && i < op->result_count; i++) {
        Value *other = op_result(op, i);
        int rank = other->type->kind == TYPE_TENSOR ? other->type->rank : 0;
        if (!other->sharding)
            other->sharding = sharding_fully_open(module->context, sharding->mesh_name, rank);
    }
}

const Sharding *edge_sharding_to_sources(
    const Module *module, const Op *edge, const Sharding *sharding) {
    const Value *owner = op_operand(edge, 0);
    const Op *op = owner->def ? owner->def : owner->region->owner;
    if (op->code != OP_SDY_MANUAL || !sharding) return sharding;
    if (owner->def) return sharding_without_manual_axes(module, op, sharding);
    return sharding_with_free_axes(module, op, region_in_sharding(op, owner->index), sharding);
}

const Sharding *edge_sharding_from_sources(
    const Module *module, const Op *edge, const Sharding *sharding) {
    const Value *owner = op_operand(edge, 0);
    const Op *op = owner->def ? owner->def : owner->region->owner;
    if (op->code != OP_SDY_MANUAL || !sharding) return sharding;
    if (!owner->def) return sharding_without_manual_axes(module, op, sharding);
    return sharding_with_free_axes(module, op, region_out_sharding(op, owner->index), sharding);
}

typedef struct ShardingWalk {
    Module *module;
    ShardingVisitor *visit;
    void *user;
    bool changed;
} ShardingWalk;

static const Sharding *map_one(ShardingWalk *walk, const Sharding *sharding, ShardingPlace place) {
    if (!sharding) return NULL;
    const Sharding *mapped = walk->visit(sharding, &place, walk->user);
    if (mapped != sharding) walk->changed = true;
    return mapped;
}

static void map_attr(ShardingWalk *walk, Op *op, AttrName name, bool is_results) {
    const Attr *attr = op_attr(op, name);
    if (!attr || attr->kind != ATTR_SHARDINGS) return;
    int values = is_results ? op->result_count : op->regions[0]->arg_count;
    const Sharding **shardings = ARENA_ARRAY(walk->module->arena, const Sharding *, attr->count);
    bool changed = false;
    for (int i = 0; i < attr->count; i++) {
        ShardingPlace place = {.op = op};
        if (i < values) place.value = is_results ? op_result(op, i) : op->regions[0]->args[i];
        shardings[i] = map_one(walk, attr->shardings[i], place);
        changed |= shardings[i] != attr->shardings[i];
    }
    if (changed) region_set_shardings(walk->module, op, name, attr->count, shardings);
}

static bool map_op(Op *op, void *user) {
    ShardingWalk *walk = user;
    if (args_own_edges(op)) {
        map_attr(walk, op, NAME_IN_SHARDINGS, false);
        map_attr(walk, op, NAME_OUT_SHARDINGS, true);
    }
    for (int i = 0; i < op->result_count; i++) {
        Value *value = op_result(op, i);
        value->sharding = map_one(walk, value->sharding, (ShardingPlace){.value = value, .op = op});
    }
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            Value *value = op->regions[r]->args[i];
            value->sharding =
                map_one(walk, value->sharding, (ShardingPlace){.value = value, .op = op});
        }
    }
    op->own_sharding = map_one(walk, op->own_sharding, (ShardingPlace){.op = op, .result = -1});
    for (int i = 0; op->code == OP_FUNC && op->result_shardings && i < func_result_count(op); i++) {
        op->result_shardings[i] =
            map_one(walk, op->result_shardings[i], (ShardingPlace){.op = op, .result = i});
    }
    return true;
}

bool module_map_shardings(Module *module, ShardingVisitor *visit, void *user) {
    ShardingWalk walk = {.module = module, .visit = visit, .user = user};
    region_walk(module->body, map_op, &walk);
    return walk.changed;
}

int func_result_count(const Op *func) {
    const Attr *attr = op_attr(func, NAME_FUNCTION_TYPE);
    return attr && attr->type ? attr->type->part_count - attr->type->input_count : 0;
}

const Sharding *func_result_sharding(const Op *func, int i) {
    return func->result_shardings ? func->result_shardings[i] : NULL;
}

void func_set_result_sharding(Module *module, Op *func, int i, const Sharding *sharding) {
    if (!func->result_shardings) {
        if (!sharding) return;
        func->result_shardings =
            ARENA_ARRAY(module->arena, const Sharding *, func_result_count(func));
    }
    func->result_shardings[i] = sharding;
}

Value *build_reshard(Builder *builder, Value *x, const Sharding *sharding) {
    Op *op = build_op(builder, OP_SDY_RESHARD, 1, &x, 1, &x->type, 0);
    op_result(op, 0)->sharding = sharding;
    return op_result(op, 0);
}

static bool set_argument_shardings(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_WHILE && op->code != OP_SDY_MANUAL) return true;
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            Value *arg = op->regions[r]->args[i];
            arg->sharding = value_sharding(module, arg);
        }
    }
    return true;
}

void data_flow_set_argument_shardings(Module *module) {
    region_walk(module->body, set_argument_shardings, module);
}

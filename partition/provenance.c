// provenance: records of propagation.
#include "partition/provenance.h"

#include <assert.h>

Provenance *provenance_create(Arena *arena) {
    Provenance *provenance = ARENA_NEW(arena, Provenance);
    *provenance = (Provenance){.arena = arena, .values = ptr_map(arena)};
    return provenance;
}

// ---- places ----

// The owner of an edge is the same before and after edges are in the program.
Value *provenance_value_key(Value *value) {
    if (value->def && value->def->code == OP_SDY_EDGE && value->def->operand_count > 0) {
        value = op_operand(value->def, 0);
    }
    Value *owner = edge_owner_of_target(value);
    return owner ? owner : value;
}

ProvenancePlace *provenance_of_value(const Provenance *provenance, Value *value) {
    return ptr_map_get(&provenance->values, provenance_value_key(value));
}

ProvenancePlace *provenance_of_result(const Provenance *provenance, const Op *func, int result) {
    for (int64_t i = 0; i < provenance->results.count; i++) {
        ProvenancePlace *place = provenance->results.data[i];
        if (place->place.op == func && place->place.result == result) return place;
    }
    return NULL;
}

static ProvenancePlace *place_of(Provenance *provenance, const ShardingPlace *where) {
    Value *key = where->value ? provenance_value_key(where->value) : NULL;
    ProvenancePlace *place = key ? ptr_map_get(&provenance->values, key)
                                 : provenance_of_result(provenance, where->op, where->result);
    if (place) return place;
    place = ARENA_NEW(provenance->arena, ProvenancePlace);
    place->place = *where;
    if (key) {
        place->place.value = key;
        ptr_map_set(&provenance->values, key, place);
    } else {
        vec_push(provenance->arena, &provenance->results, place);
    }
    return place;
}

static ProvenancePlace *place_of_value(Provenance *provenance, Value *value) {
    return place_of(provenance, &(ShardingPlace){.value = value});
}

// ---- arrivals ----

static Arrival *add_arrival(
    Provenance *provenance, ProvenancePlace *place, ArrivalKind kind, int dim, AxisRef axis) {
    Arrival *arrival = ARENA_NEW(provenance->arena, Arrival);
    *arrival = (Arrival){.kind = kind, .dim = dim, .axis = axis, .source_dim = dim};
    if (place->last) {
        place->last->next = arrival;
    } else {
        place->first = arrival;
    }
    place->last = arrival;
    return arrival;
}

const Arrival *provenance_arrival(
    const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis) {
    for (const Arrival *arrival = place->first; arrival; arrival = arrival->next) {
        if (dim >= 0 && arrival->dim != dim) continue;
        if (axis_ref_overlaps(mesh, &arrival->axis, axis)) return arrival;
    }
    return NULL;
}

// One arrival for each axis of the sharding that the place does not know yet.
static void add_sharding(
    Provenance *provenance, const Module *module, ProvenancePlace *place, ArrivalKind kind,
    const Sharding *sharding, const ProvenancePlace *source, const Op *op) {
    const Mesh *mesh = sharding_mesh(module, sharding);
    if (!mesh) return;
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        for (int i = 0; i < dim->axis_count; i++) {
            if (provenance_arrival(mesh, place, d, &dim->axes[i])) continue;
            Arrival *arrival = add_arrival(provenance, place, kind, d, dim->axes[i]);
            arrival->source = source;
            arrival->op = op;
        }
    }
}

void provenance_copy_constraint(
    Provenance *provenance, const Module *module, Value *value, const Op *op,
    const Sharding *sharding) {
    if (!provenance) return;
    bool is_constraint = op->code == OP_SDY_CONSTRAINT;
    add_sharding(
        provenance, module, place_of_value(provenance, value), ARRIVAL_CONSTRAINT, sharding,
        is_constraint ? place_of_value(provenance, op_result(op, 0)) : NULL, op);
    vec_push(provenance->arena, &provenance->copies, ((ConstraintCopy){op, value}));
}

void provenance_copy_member(
    Provenance *provenance, const Module *module, Value *value, Value *from,
    const Sharding *sharding) {
    if (!provenance || value == from) return;
    add_sharding(
        provenance, module, place_of_value(provenance, value), ARRIVAL_GROUP, sharding,
        place_of_value(provenance, from), NULL);
}

// ---- begin and end ----

static const Sharding *record_written(
    const Sharding *sharding, const ShardingPlace *where, void *user) {
    Provenance *provenance = user;
    if (!where->value && where->op->code != OP_FUNC) return sharding;
    ProvenancePlace *place = place_of(provenance, where);
    if (!place->written) place->written = sharding;
    add_sharding(provenance, provenance->module, place, ARRIVAL_WRITTEN, sharding, NULL, NULL);
    return sharding;
}

void provenance_begin(Provenance *provenance, Module *module) {
    if (!provenance) return;
    provenance->module = module;
    module_map_shardings(module, record_written, provenance);
}

static const Sharding *record_propagated(
    const Sharding *sharding, const ShardingPlace *where, void *user) {
    if (where->value || where->op->code == OP_FUNC) place_of(user, where)->propagated = sharding;
    return sharding;
}

void provenance_end(Provenance *provenance) {
    if (provenance) module_map_shardings(provenance->module, record_propagated, provenance);
}

void provenance_set_user_priority(Provenance *provenance, int priority) {
    if (provenance) provenance->user_priority = priority;
}

// ---- steps ----

int rule_factor_dim(const ShardingRule *rule, int t, int factor) {
    const TensorFactors *tensor =
        t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
    for (int d = 0; d < tensor->rank; d++) {
        for (int i = 0; i < tensor->dims[d].count; i++) {
            if (tensor->dims[d].factors[i] == factor) return d;
        }
    }
    return -1;
}

static bool has_axis(const Projection *projection, int t, int factor, const AxisRef *axis) {
    const FactorSharding *sharding = &projection->tensors[t].factors[factor];
    for (int i = 0; sharding->is_present && i < sharding->axes.count; i++) {
        if (axis_ref_contains(projection->mesh, &sharding->axes.axes[i], axis)) return true;
    }
    return false;
}

// The first tensor that had all these axes on the factor before the visit, or else the
// last of them; -1 when none had.
static int find_source(const Projection *before, int target, int factor, AxisSpan axes) {
    for (int t = 0; t < before->tensor_count; t++) {
        const FactorSharding *sharding = &before->tensors[t].factors[factor];
        if (t == target || !sharding->is_present) continue;
        if (axis_span_prefix(before->mesh, axes, sharding->axes) != PREFIX_NONE) return t;
    }
    for (int t = 0; t < before->tensor_count; t++) {
        if (t != target && has_axis(before, t, factor, &axes.axes[axes.count - 1])) return t;
    }
    return -1;
}

// The moves to one dim of tensor t. Parts of an axis that came to neighbouring factors are one
// move.
static void find_dim_moves(
    const ProvenanceVisit *visit, Arena *arena, int t, const DimFactors *dim,
    ProvenanceStep *step) {
    const Mesh *mesh = visit->after->mesh;
    const AxisRef *previous = NULL;
    for (int i = 0; i < dim->count; i++) {
        int f = dim->factors[i];
        AxisSpan old = visit->before->tensors[t].factors[f].axes;
        AxisSpan new = visit->after->tensors[t].factors[f].axes;
        if (new.count == 0 || new.count < old.count || axis_span_equal(old, new)) continue;
        int first = old.count;
        if (first > 0 && !axis_ref_equal(&old.axes[first - 1], &new.axes[first - 1])) first--;
        int source = find_source(visit->before, t, f, new);
        for (int k = first; k < new.count; k++) {
            AxisMove move = {f, source, t, new.axes[k]};
            if (previous && new.count == 1 && axis_ref_can_merge(mesh, previous, &new.axes[0])) {
                assert(step->moves.count > 0);
                move.axis = axis_ref_merge(mesh, previous, &new.axes[0]);
                vec_last(&step->moves) = move;
            } else {
                vec_push(arena, &step->moves, move);
            }
        }
        previous = &new.axes[new.count - 1];
    }
}

static void find_moves(const ProvenanceVisit *visit, Arena *arena, ProvenanceStep *step) {
    const ShardingRule *rule = visit->after->rule;
    for (int t = 0; t < visit->after->tensor_count; t++) {
        const TensorFactors *tensor =
            t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
        for (int d = 0; d < tensor->rank; d++)
            find_dim_moves(visit, arena, t, &tensor->dims[d], step);
    }
}

static void add_step_arrivals(
    Provenance *provenance, const ProvenanceVisit *visit, ProvenanceStep *step) {
    const ShardingRule *rule = visit->after->rule;
    for (int64_t i = 0; i < step->moves.count; i++) {
        const AxisMove *move = &step->moves.data[i];
        Arrival *arrival = add_arrival(
            provenance, step->tensors[move->target], ARRIVAL_STEP,
            rule_factor_dim(rule, move->target, move->factor), move->axis);
        arrival->step = step;
        arrival->factor_kind = rule->factors[move->factor].kind;
        if (move->source < 0) continue;
        arrival->source = step->tensors[move->source];
        arrival->source_dim = rule_factor_dim(rule, move->source, move->factor);
    }
}

void provenance_visit(Provenance *provenance, const ProvenanceVisit *visit) {
    if (!provenance) return;
    ProvenanceStep *step = ARENA_NEW(provenance->arena, ProvenanceStep);
    *step = (ProvenanceStep){
        .number = provenance->step_count++,
        .op = visit->op,
        .operand_count = visit->after->operand_count,
        .tensor_count = visit->after->tensor_count,
        .user_priority = provenance->user_priority,
        .round = visit->round,
        .strategy = visit->strategy,
    };
    find_moves(visit, provenance->arena, step);
    if (step->moves.count == 0) return;
    step->tensors = ARENA_ARRAY(provenance->arena, ProvenancePlace *, step->tensor_count);
    for (int t = 0; t < step->tensor_count; t++)
        step->tensors[t] = place_of(provenance, &visit->where[t]);
    vec_push(provenance->arena, &provenance->steps, step);
    add_step_arrivals(provenance, visit, step);
}

// ---- causes ----

// The value before what this pass inserted.
static Value *original_value(const Provenance *provenance, Value *value) {
    while (value->def && value->def->operand_count == 1) {
        const Cause *cause = provenance_cause_at(provenance, value->def->loc);
        if (!cause || cause->kind == CAUSE_CONSTRAINT) break;
        value = op_operand(value->def, 0);
    }
    return value;
}

const Loc *provenance_cause(Provenance *provenance, const Cause *cause) {
    if (!provenance) return cause->op->loc;
    Cause *copy = ARENA_NEW(provenance->arena, Cause);
    *copy = *cause;
    copy->value = original_value(provenance, cause->value);
    if (cause->op->loc) copy->loc = *cause->op->loc;
    vec_push(provenance->arena, &provenance->causes, copy);
    copy->loc.cause = (int32_t)provenance->causes.count;
    return &copy->loc;
}

const Decision *provenance_decision(Provenance *provenance, const Decision *decision) {
    if (!provenance) return NULL;
    Arena *arena = provenance->arena;
    Decision *copy = ARENA_NEW(arena, Decision);
    *copy = *decision;
    int count = decision->tensor_count;
    copy->tensors = ARENA_ARRAY(arena, Value *, count);
    copy->before = ARENA_ARRAY(arena, const Sharding *, count);
    copy->after = ARENA_ARRAY(arena, const Sharding *, count);
    for (int t = 0; t < count; t++) {
        copy->tensors[t] = original_value(provenance, decision->tensors[t]);
        copy->before[t] = decision->before[t];
        copy->after[t] = decision->after[t];
    }
    return copy;
}

const Cause *provenance_cause_at(const Provenance *provenance, const Loc *loc) {
    if (!loc || loc->cause < 1 || loc->cause > provenance->causes.count) return NULL;
    return provenance->causes.data[loc->cause - 1];
}

// ---- propagated ----

static void note_value(Provenance *provenance, Value *value) {
    FinalValue final = {
        value, value_sharding(provenance->module, value), provenance_of_value(provenance, value)};
    vec_push(provenance->arena, &provenance->final_values, final);
}

static void note_constraint(Provenance *provenance, Op *op) {
    const Cause cause = {
        .kind = CAUSE_CONSTRAINT,
        .op = op,
        .value = op_operand(op, 0),
        .from = value_sharding(provenance->module, op_operand(op, 0)),
        .to = op_result(op, 0)->sharding,
    };
    op->loc = provenance_cause(provenance, &cause);
}

static bool note_op(Op *op, void *user) {
    Provenance *provenance = user;
    for (int i = 0; i < op->result_count; i++)
        note_value(provenance, op_result(op, i));
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++)
            note_value(provenance, op->regions[r]->args[i]);
    }
    if (op->code == OP_SDY_RESHARD) note_constraint(provenance, op);
    return true;
}

void provenance_propagated(Provenance *provenance, Module *module, const Op *func) {
    if (!provenance) return;
    provenance->module = module;
    provenance->func = func;
    for (int i = 0; i < func_body(func)->arg_count; i++)
        note_value(provenance, func_body(func)->args[i]);
    region_walk(func_body(func), note_op, provenance);
}

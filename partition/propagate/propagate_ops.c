// propagate_ops: propagation through one op at a time, to a fixed point.
//
// The worklist is a stack with the first op of the program on top. A value that gets a new
// sharding puts its producer, its users, and the edges of which it is a source back on it,
// unless they are in it already. Ops that nobody uses are erased when they are met, as they
// would count as users otherwise.
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/propagate/propagate_internal.h"
#include "partition/provenance.h"
#include "partition/rules/sharding_rule.h"

#include <assert.h>

enum {
    SCRATCH_LIMIT = 1 << 20, // bytes of scratch memory before it is given back
    MAX_CALL_DEPTH = 256     // of calls that a value is followed into
};

// The tensors of one visit: operands, then results.
typedef struct Visit {
    Op *op; // NULL: function results
    int tensor_count, operand_count;
    Value **tensors;
    const Sharding **shardings;
    const ShardingRule *rule;
    OpDirections directions;
    Op *func; // the function whose result `func_result` is the last tensor, or NULL
    int func_result;
} Visit;

static void push(Propagation *p, Op *op) {
    if (op->number >= p->op_limit) return;
    OpState *state = &p->op_states[op->number];
    if (state->position != 0 || state->is_erased) return;
    vec_push(p->arena, &p->worklist, op);
    state->position = (int)p->worklist.count;
}

static Op *pop(Propagation *p) {
    while (p->worklist.count > 0) {
        Op *op = p->worklist.data[--p->worklist.count];
        if (!op) continue;
        p->op_states[op->number].position = 0;
        return op;
    }
    return NULL;
}

static void push_users(Propagation *p, const Value *value);

// The values that a function's return gives to its callers.
static void push_callers(Propagation *p, const Op *func, int result, const Value *argument) {
    StrView name = func_name(func);
    for (Op *caller = p->module->body->first; caller; caller = caller->next) {
        if (caller->code != OP_FUNC || caller == func) continue;
        for (Op *op = func_body(caller)->first; op; op = op->next) {
            if (op->code != OP_CALL || !strview_equal(op_text(op, NAME_CALLEE), name)) continue;
            if (!argument && result < op->result_count) push_users(p, op_result(op, result));
        }
    }
}

static void push_user(Propagation *p, const Use *use) {
    Op *edge = edge_of_source(use), *user = use->owner;
    if (edge) {
        push(p, edge);
    } else if (user->code == OP_FUNC_RETURN) {
        const Op *func = op_parent_op(user);
        if (func && func_is_private(func)) push_callers(p, func, use_index(use), NULL);
    } else if (user->code == OP_CALL) {
        Op *func = module_find_func(p->module, op_text(user, NAME_CALLEE));
        if (func && use_index(use) < func_body(func)->arg_count)
            push_users(p, func_body(func)->args[use_index(use)]);
    } else if (!op_has(user, TRAIT_TERMINATOR)) {
        push(p, user);
    }
}

static void push_users(Propagation *p, const Value *value) {
    if (p->depth == MAX_CALL_DEPTH) return; // functions that call themselves
    p->depth++;
    for (const Use *use = value->uses; use; use = use->next)
        push_user(p, use);
    p->depth--;
}

static void push_neighbours(Propagation *p, const Value *value, const Op *except) {
    // The op that was just visited has nothing to gain: keep it out of the
    // list while its neighbours go in.
    OpState *state = except && except->number < p->op_limit ? &p->op_states[except->number] : NULL;
    int position = state ? state->position : 0;
    if (state && position == 0) state->position = -1;
    if (value->def && value->def->code == OP_SDY_EDGE) {
        Value *targets[2];
        int count = edge_other_targets(value->def, targets);
        for (int i = 0; i < count; i++)
            push_users(p, targets[i]);
    }
    if (value->def) push(p, value->def);
    push_users(p, value);
    if (state && position == 0) state->position = 0;
}

static bool has_no_axes(const Sharding *sharding) {
    return sharding_is_fully_replicated(sharding) && sharding->replicated_count == 0 &&
           sharding->unreduced_count == 0;
}

static int group_index(const Propagation *p, const Value *value) {
    return value->number < p->value_limit ? p->group_of[value->number] - 1 : -1;
}

static void update_group(
    Propagation *p, Value *value, const Sharding *sharding, const Op *visited) {
    int group = group_index(p, value);
    if (group < 0) return;
    for (int64_t i = 0; i < p->groups.data[group].members.count; i++) {
        Value *member = p->groups.data[group].members.data[i];
        if (member == value) continue;
        value_set_sharding(p->module, member, sharding);
        provenance_copy_member(p->provenance, p->module, member, value, sharding);
        push_neighbours(p, member, visited);
    }
}

static bool update_tensor(
    Propagation *p, const Visit *visit, const Projection *projection, int t, StrView mesh_name) {
    const Sharding *old = visit->shardings[t];
    const Sharding *sharding = projection_sharding(p->module->context, projection, t, mesh_name);
    if (sharding == old || (!old && has_no_axes(sharding))) return false;
    if (visit->func && t == visit->operand_count) {
        func_set_result_sharding(p->module, visit->func, visit->func_result, sharding);
        return true;
    }
    Value *holder = value_sharding_holder(visit->tensors[t]);
    if (!holder) return false;
    if (visit->op && visit->op->code == OP_SDY_EDGE && t == visit->operand_count) {
        holder->sharding = edge_sharding_from_sources(p->module, visit->op, sharding);
    } else {
        value_set_sharding(p->module, holder, sharding);
    }
    push_neighbours(p, holder, visit->op);
    update_group(p, holder, sharding, visit->op);
    return true;
}

static bool same_shardings(const Visit *visit, const Sharding *const *settled) {
    for (int t = 0; t < visit->tensor_count; t++) {
        if (visit->shardings[t] != settled[t]) return false;
    }
    return true;
}

static bool is_settled(const Propagation *p, const Visit *visit) {
    if (!visit->op) return false;
    const OpState *state = &p->op_states[visit->op->number];
    Directions directions = visit->directions.pass_through | visit->directions.other << 2;
    return state->settled[p->strategy] && state->settled_directions[p->strategy] == directions &&
           same_shardings(visit, state->settled[p->strategy]);
}

static void settle(Propagation *p, const Visit *visit) {
    if (!visit->op) return;
    OpState *state = &p->op_states[visit->op->number];
    const Sharding **settled = state->settled[p->strategy];
    if (!settled) settled = ARENA_ARRAY(p->arena, const Sharding *, visit->tensor_count);
    for (int t = 0; t < visit->tensor_count; t++)
        settled[t] = visit->shardings[t];
    state->settled[p->strategy] = settled;
    state->settled_directions[p->strategy] =
        visit->directions.pass_through | visit->directions.other << 2;
}

static void record(const Propagation *p, const Visit *visit, const Projection *after) {
    ShardingPlace *where = ARENA_ARRAY(p->scratch, ShardingPlace, visit->tensor_count);
    for (int t = 0; t < visit->tensor_count; t++) {
        bool is_func_result = visit->func && t == visit->operand_count;
        where[t] = is_func_result ? (ShardingPlace){.op = visit->func, .result = visit->func_result}
                                  : (ShardingPlace){.value = visit->tensors[t]};
    }
    ProvenanceVisit seen = {
        .op = visit->op,
        .where = where,
        .before = projection_create(p->scratch, visit->rule, after->mesh, visit->shardings, false),
        .after = after,
        .round = p->by_op_priority ? p->round : -1,
        .strategy = p->strategy,
    };
    provenance_visit(p->provenance, &seen);
}

static void propagate(Propagation *p, const Visit *visit) {
    if (visit->directions.pass_through == PROPAGATION_NONE &&
        visit->directions.other == PROPAGATION_NONE)
        return;
    bool any = false;
    for (int t = 0; t < visit->tensor_count; t++)
        any |= visit->shardings[t] != NULL;
    if (!any || is_settled(p, visit)) return;
    StrView mesh_name = {0};
    const Mesh *mesh = common_mesh(p->module, visit->tensor_count, visit->shardings, &mesh_name);
    if (!mesh || mesh_is_maximal(mesh)) return;

    const ShardingRule *rule = visit->rule;
    Projection *projection = projection_create(p->scratch, rule, mesh, visit->shardings, false);
    Directions *directions = ARENA_ARRAY(p->scratch, Directions, rule->factor_count);
    for (int f = 0; f < rule->factor_count; f++) {
        const Factor *factor = &rule->factors[f];
        directions[f] = factor->kind == FACTOR_PASS_THROUGH ? visit->directions.pass_through
                                                            : visit->directions.other;
        if (factor->is_blocked) directions[f] = PROPAGATION_NONE;
    }
    bool *updated = ARENA_ARRAY(p->scratch, bool, visit->tensor_count);
    bool is_elementwise = visit->op && op_is_elementwise(visit->op);
    any = p->strategy == STRATEGY_BASIC
              ? propagate_factors_basic(projection, directions, p->conservative, updated)
              : propagate_factors_aggressive(
                    projection, directions, p->conservative, is_elementwise, updated);
    bool changed = false;
    for (int t = 0; t < visit->tensor_count && any; t++) {
        if (updated[t]) changed |= update_tensor(p, visit, projection, t, mesh_name);
    }
    if (!changed) {
        settle(p, visit);
    } else if (p->provenance) {
        record(p, visit, projection);
    }
}

static void warn_unknown(Propagation *p, const Op *op) {
    if (p->warned[op->code]) return;
    p->warned[op->code] = true;
    diag_warning(p->diags, op->loc, "%s", sharding_rule_unknown_text(p->arena, op));
}

const ShardingRule *propagation_rule(Propagation *p, const Op *op) {
    assert(op->number < p->op_limit);
    OpState *state = &p->op_states[op->number];
    if (!state->has_rule_known) {
        bool is_unknown = false;
        state->rule = sharding_rule_intern(
            p->module->context, op_sharding_rule(p->scratch, op, p->conservative, &is_unknown));
        state->has_rule_known = true;
        if (is_unknown) warn_unknown(p, op);
    }
    return state->rule;
}

static const ShardingRule *identity_rule(
    Propagation *p, const Op *op, const Type *type, int operands) {
    OpState *state = &p->op_states[op->number];
    if (!state->has_rule_known) {
        state->rule = sharding_rule_intern(
            p->module->context, sharding_rule_identity(p->scratch, type, operands));
        state->has_rule_known = true;
    }
    return state->rule;
}

static void visit_edge(Propagation *p, Op *edge, OpDirections directions) {
    const Type *type = op_result_type(edge, 0);
    if (!type_is_static(type)) return;
    Value **sources;
    int count = edge_sources(p->scratch, edge, &sources);
    Value **tensors = ARENA_ARRAY(p->scratch, Value *, count + 1);
    const Sharding **shardings = ARENA_ARRAY(p->scratch, const Sharding *, count + 1);
    for (int i = 0; i < count; i++) {
        tensors[i] = sources[i];
        shardings[i] = value_sharding(p->module, sources[i]);
    }
    tensors[count] = op_result(edge, 0);
    shardings[count] = edge_sharding_to_sources(p->module, edge, op_result(edge, 0)->sharding);
    Visit visit = {
        .op = edge,
        .tensor_count = count + 1,
        .operand_count = count,
        .tensors = tensors,
        .shardings = shardings,
        .rule = identity_rule(p, edge, op_operand_type(edge, 0), count),
        .directions = directions};
    // The sources of a manual computation have other shapes inside and outside: only the number of
    // dims matters, sizes are those of the sources.
    if (count > 0) propagate(p, &visit);
}

typedef struct Sources {
    VEC(Value *) values;
} Sources;

// A function edge joins an argument with the operands of all calls, or a call's result
// with what the function returns.
static void find_func_edge_sources(const Propagation *p, const Op *edge, Sources *sources) {
    const Value *input = op_operand(edge, 0);
    if (input->def) {
        Op *func = module_find_func(p->module, op_text(input->def, NAME_CALLEE));
        const Op *end = func ? region_terminator(func_body(func)) : NULL;
        if (end && input->index < end->operand_count)
            vec_push(p->scratch, &sources->values, op_operand(end, input->index));
        return;
    }
    StrView name = func_name(input->region->owner);
    for (Op *func = p->module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC) continue;
        for (Op *op = func_body(func)->first; op; op = op->next) {
            if (op->code != OP_CALL || !strview_equal(op_text(op, NAME_CALLEE), name)) continue;
            if (input->index < op->operand_count)
                vec_push(p->scratch, &sources->values, op_operand(op, input->index));
        }
    }
}

static void visit_func_edge(Propagation *p, Op *edge, OpDirections directions) {
    const Type *type = op_result_type(edge, 0);
    if (!type_is_static(type)) return;
    Sources sources = {0};
    find_func_edge_sources(p, edge, &sources);
    int count = (int)sources.values.count;
    if (count == 0) return;
    vec_push(p->scratch, &sources.values, op_result(edge, 0));
    Value **tensors = sources.values.data;
    const Sharding **shardings = ARENA_ARRAY(p->scratch, const Sharding *, count + 1);
    for (int i = 0; i <= count; i++)
        shardings[i] = value_sharding(p->module, tensors[i]);
    Visit visit = {
        .op = edge,
        .tensor_count = count + 1,
        .operand_count = count,
        .tensors = tensors,
        .shardings = shardings,
        .rule = identity_rule(p, edge, type, count),
        .directions = directions};
    propagate(p, &visit);
}

static void visit_rule_op(
    Propagation *p, Op *op, const ShardingRule *rule, OpDirections directions) {
    int count = op->operand_count + op->result_count;
    Value **tensors = ARENA_ARRAY(p->scratch, Value *, count);
    const Sharding **shardings = ARENA_ARRAY(p->scratch, const Sharding *, count);
    for (int t = 0; t < count; t++) {
        tensors[t] =
            t < op->operand_count ? op_operand(op, t) : op_result(op, t - op->operand_count);
        shardings[t] = value_sharding(p->module, tensors[t]);
    }
    Visit visit = {
        .op = op,
        .tensor_count = count,
        .operand_count = op->operand_count,
        .tensors = tensors,
        .shardings = shardings,
        .rule = rule,
        .directions = directions};
    propagate(p, &visit);
}

static void visit_op(Propagation *p, Op *op) {
    OpDirections directions = {PROPAGATION_BOTH, PROPAGATION_BOTH};
    if (p->by_op_priority) directions = op_priority_directions(p->round, op);
    if (op->code == OP_SDY_EDGE) {
        visit_edge(p, op, directions);
    } else if (op->code == OP_SDY_FUNC_EDGE) {
        visit_func_edge(p, op, directions);
    } else if (op->code == OP_SDY_BARRIER) {
        Directions allowed = (Directions)op_int(op, NAME_ALLOWED_DIRECTION, PROPAGATION_NONE);
        visit_rule_op(
            p, op, identity_rule(p, op, op_result_type(op, 0), 1),
            (OpDirections){allowed, allowed});
    } else {
        const ShardingRule *rule = propagation_rule(p, op);
        if (rule) visit_rule_op(p, op, rule, directions);
    }
}

static bool is_pure(Op *op, void *user) {
    (void)user;
    if (op_has(op, TRAIT_TERMINATOR)) return true;
    if (op_has(op, TRAIT_SYMBOL) || op_has(op, TRAIT_COLLECTIVE)) return false;
    switch (op->code) {
    case OP_CUSTOM_CALL: return op_int(op, NAME_HAS_SIDE_EFFECT, 0) == 0;
    case OP_SDY_CONSTRAINT:
    case OP_SDY_EDGE:
    case OP_SDY_FUNC_EDGE:
    case OP_CALL:
    case OP_COMPOSITE: return false;
    default: return !op_has(op, TRAIT_EFFECT);
    }
}

bool op_is_dead(Op *op) {
    if (op_has(op, TRAIT_TERMINATOR) || op->result_count == 0) return false;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(op, i)->uses) return false;
    }
    if (!is_pure(op, NULL)) return false;
    for (int r = 0; r < op->region_count; r++) {
        if (!region_walk(op->regions[r], is_pure, NULL)) return false;
    }
    return true;
}

static void forget(Propagation *p, const Op *op) {
    if (op->number >= p->op_limit) return;
    OpState *state = &p->op_states[op->number];
    if (state->position > 0) p->worklist.data[state->position - 1] = NULL;
    state->position = 0;
    state->is_erased = true;
}

// Producers whose results have at most one other user may be dead now, or
// propagate as an op with one use.
static void push_producers(Propagation *p, const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        if (!operand->def) continue;
        const Op *other = NULL;
        bool many = false;
        for (const Use *use = operand->uses; use && !many; use = use->next) {
            if (use->owner == op || use->owner == other) continue;
            many = other != NULL;
            other = use->owner;
        }
        if (!many) push(p, operand->def);
    }
}

// With its regions, from their ends, for what was used inside may be dead now.
// Nesting is limited by the readers.
static void erase_dead(Propagation *p, Op *op) {
    for (int r = op->region_count - 1; r >= 0; r--) {
        while (op->regions[r]->last)
            erase_dead(p, op->regions[r]->last);
    }
    push_producers(p, op);
    forget(p, op);
    op_erase(op);
}

static bool erase_if_dead(Propagation *p, Op *op) {
    if (!op_is_dead(op)) return false;
    erase_dead(p, op);
    return true;
}

// Returned values and the function's results are one and the same.
static void propagate_func_results(Propagation *p) {
    Op *func = NULL;
    int functions = 0;
    for (Op *op = p->module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && functions++ == 0) func = op;
    }
    if (functions != 1) func = module_find_func(p->module, SV("main"));
    const Op *end = func ? region_terminator(func_body(func)) : NULL;
    for (int i = 0; end && i < end->operand_count; i++) {
        Value *value = op_operand(end, i);
        if (!type_is_static(value->type)) continue;
        Value *tensors[2] = {value, value};
        const Sharding *shardings[2] = {
            value_sharding(p->module, value), func_result_sharding(func, i)};
        Visit visit = {
            .tensor_count = 2,
            .operand_count = 1,
            .tensors = tensors,
            .shardings = shardings,
            .rule = sharding_rule_identity(p->scratch, value->type, 1),
            .directions = {PROPAGATION_BOTH, PROPAGATION_BOTH},
            .func = func,
            .func_result = i};
        propagate(p, &visit);
    }
}

static bool collect(Op *op, void *user) {
    Propagation *p = user;
    if (op->number < p->op_limit) vec_push(p->arena, &p->worklist, op);
    return true;
}

static void fill_worklist(Propagation *p) {
    p->worklist.count = 0;
    region_walk(p->module->body, collect, p);
    int64_t count = p->worklist.count;
    for (int64_t i = 0; i < count / 2; i++) {
        Op *op = p->worklist.data[i];
        p->worklist.data[i] = p->worklist.data[count - 1 - i];
        p->worklist.data[count - 1 - i] = op;
    }
    for (int64_t i = 0; i < count; i++)
        p->op_states[p->worklist.data[i]->number].position = (int)i + 1;
}

void propagation_run(Propagation *p) {
    propagate_func_results(p);
    fill_worklist(p);
    for (Op *op = pop(p); op; op = pop(p)) {
        if (erase_if_dead(p, op)) continue;
        visit_op(p, op);
        if (arena_bytes(p->scratch) > SCRATCH_LIMIT) arena_reset(p->scratch);
    }
    propagate_func_results(p);
}

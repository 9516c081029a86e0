// data_flow_edges: an sdy.data_flow_edge on every value that enters or leaves a region, and back.
//
//   before  %r = stablehlo.while(...)   use(%r)
//   after   %r = stablehlo.while(...)   %e = sdy.data_flow_edge %r   use(%e)
//
// While shardings are propagated, the edge's sharding is that of all targets of the
// edge. Sinking moves it to the op.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"

static Builder builder_after_value(Module *module, Value *value) {
    if (value->def) return builder_after(module, value->def);
    return (Builder){
        .module = module,
        .region = value->region,
        .before = value->region->first,
        .loc = value->loc};
}

static bool has_edge(const Value *owner) {
    for (const Use *use = owner->uses; use; use = use->next) {
        OpCode user = use->owner->code;
        if (user == OP_SDY_EDGE || user == OP_SDY_FUNC_EDGE) return true;
    }
    return false;
}

static void add_edge(Module *module, Value *owner, OpCode code) {
    if (!type_is_static(owner->type) || has_edge(owner)) return;
    const Sharding *sharding = value_sharding(module, owner);
    Builder builder = builder_after_value(module, owner);
    builder.loc = owner->loc ? owner->loc : builder.loc;
    Op *edge = build_op(&builder, code, 1, &owner, 1, &owner->type, 0);
    op_result(edge, 0)->sharding = sharding;
    value_replace_uses_except(owner, op_result(edge, 0), edge);
}

void add_data_flow_edges(Module *module, Op *op) {
    // Each goes right after its owner: last first keeps their order.
    if (op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED) {
        for (int i = op->regions[0]->arg_count - 1; i >= 0; i--)
            add_edge(module, op->regions[0]->args[i], OP_SDY_EDGE);
    }
    for (int i = op->result_count - 1; i >= 0; i--)
        add_edge(module, op_result(op, i), OP_SDY_EDGE);
}

static bool add_edges(Op *op, void *user) {
    if (op_has_data_flow(op)) add_data_flow_edges(user, op);
    return true;
}

PassResult pass_add_data_flow_edges(Module *module, PassContext *pass) {
    (void)pass;
    region_walk(module->body, add_edges, module);
    return PASS_CHANGED;
}

static bool add_call_edges(Op *op, void *user) {
    if (op->code != OP_CALL) return true;
    for (int i = op->result_count - 1; i >= 0; i--)
        add_edge(user, op_result(op, i), OP_SDY_FUNC_EDGE);
    return true;
}

PassResult pass_add_func_data_flow_edges(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    for (Op *func = module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC || func == main) continue;
        for (int i = func_body(func)->arg_count - 1; i >= 0; i--) {
            add_edge(module, func_body(func)->args[i], OP_SDY_FUNC_EDGE);
        }
    }
    region_walk(module->body, add_call_edges, module);
    return PASS_CHANGED;
}

// The shardings of the edges of `values`; open where an edge has none. False when no edge has a
// sharding.
bool edge_shardings(Module *module, int count, Value *const *values, const Sharding **shardings) {
    StrView mesh_name = {0};
    bool any = false;
    for (int i = 0; i < count; i++) {
        const Op *edge = edge_of_target(values[i]);
        shardings[i] = edge ? op_result(edge, 0)->sharding : NULL;
        if (shardings[i] && !any) mesh_name = shardings[i]->mesh_name;
        any |= shardings[i] != NULL;
    }
    for (int i = 0; i < count && any; i++) {
        int rank = values[i]->type->kind == TYPE_TENSOR ? values[i]->type->rank : 0;
        if (!shardings[i]) shardings[i] = sharding_fully_open(module->context, mesh_name, rank);
    }
    return any;
}

typedef struct Sinking {
    Module *module;
    Arena *arena;
} Sinking;

static void sink_into(Sinking *sinking, Op *op) {
    Module *module = sinking->module;
    int args =
        op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED ? op->regions[0]->arg_count : 0;
    int most = args > op->result_count ? args : op->result_count;
    const Sharding **shardings = ARENA_ARRAY(sinking->arena, const Sharding *, most);
    if (edge_shardings(module, args, args > 0 ? op->regions[0]->args : NULL, shardings)) {
        for (int i = 0; i < args && op->code == OP_SDY_MANUAL; i++) {
            shardings[i] =
                sharding_with_free_axes(module, op, region_in_sharding(op, i), shardings[i]);
        }
        region_set_shardings(module, op, NAME_IN_SHARDINGS, args, shardings);
    }
    Value **results = ARENA_ARRAY(sinking->arena, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result(op, i);
    if (!edge_shardings(module, op->result_count, results, shardings)) return;
    if (op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED) {
        region_set_shardings(module, op, NAME_OUT_SHARDINGS, op->result_count, shardings);
        return;
    }
    for (int i = 0; i < op->result_count; i++)
        results[i]->sharding = shardings[i];
}

// In pre-order an op is met before its edges.
static bool sink(Op *op, void *user) {
    Sinking *sinking = user;
    if (op->code == OP_SDY_EDGE) {
        value_replace_uses(op_result(op, 0), op_operand(op, 0));
        op_erase(op);
    } else if (op_has_data_flow(op)) {
        sink_into(sinking, op);
    }
    return true;
}

PassResult pass_sink_data_flow_edges(Module *module, PassContext *pass) {
    Sinking sinking = {module, pass->scratch};
    region_walk(module->body, sink, &sinking);
    return PASS_CHANGED;
}

static bool sink_func_edge(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_SDY_FUNC_EDGE) return true;
    Value *operand = op_operand(op, 0);
    const Sharding *sharding = op_result(op, 0)->sharding, *old = value_sharding(module, operand);
    if (!sharding && old)
        sharding = sharding_fully_open(module->context, old->mesh_name, old->rank);
    if (sharding) value_set_sharding(module, operand, sharding);
    value_replace_uses(op_result(op, 0), operand);
    op_erase(op);
    return true;
}

PassResult pass_sink_func_data_flow_edges(Module *module, PassContext *pass) {
    (void)pass;
    region_walk(module->body, sink_func_edge, module);
    return PASS_CHANGED;
}

// export_calls: named computations become functions again, and copies that are sharded alike become
// one.
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"
#include "partition/propagate/call_graph.h"

typedef struct Exporting {
    Module *module;
    Arena *arena;
    CallGraph graph;
} Exporting;

// An edge gives its sharding to what it belongs to and goes.
static void remove_edge(const Value *owner) {
    Op *edge = owner->uses && owner->uses->owner->code == OP_SDY_EDGE ? owner->uses->owner : NULL;
    if (!edge) return;
    value_replace_uses(op_result(edge, 0), op_operand(edge, 0));
    op_erase(edge);
}

static void sink_named(Exporting *exporting, Op *op) {
    Region *body = op->regions[0];
    const Sharding **in = ARENA_ARRAY(exporting->arena, const Sharding *, body->arg_count);
    if (edge_shardings(exporting->module, body->arg_count, body->args, in)) {
        region_set_shardings(exporting->module, op, NAME_IN_SHARDINGS, body->arg_count, in);
    }
    Value **results = ARENA_ARRAY(exporting->arena, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result(op, i);
    const Sharding **out = ARENA_ARRAY(exporting->arena, const Sharding *, op->result_count);
    if (edge_shardings(exporting->module, op->result_count, results, out)) {
        region_set_shardings(exporting->module, op, NAME_OUT_SHARDINGS, op->result_count, out);
    }
}

static Op *build_func(Exporting *exporting, Op *op) {
    Module *module = exporting->module;
    Context *context = module->context;
    Region *body = op->regions[0];
    const Type **inputs = ARENA_ARRAY(exporting->arena, const Type *, body->arg_count);
    const Type **results = ARENA_ARRAY(exporting->arena, const Type *, op->result_count);
    for (int i = 0; i < body->arg_count; i++)
        inputs[i] = body->args[i]->type;
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result_type(op, i);
    Builder builder = builder_at_end(module, module->body);
    builder.loc = op->loc;
    Op *func = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    const Type *type = type_function(context, body->arg_count, inputs, op->result_count, results);
    op_set_attr(module, func, NAME_SYM_NAME, attr_string(context, op_text(op, NAME_NAME)));
    op_set_attr(module, func, NAME_FUNCTION_TYPE, attr_type(context, type));
    op_set_attr(module, func, NAME_SYM_VISIBILITY, attr_string(context, SV("private")));
    op_set_extra(
        module, func, SV("sdy.original_func_name"), attr_string(context, op_text(op, NAME_NAME)));
    const Attr *thread = op_extra(op, "execution_thread");
    if (thread) op_set_extra(module, func, SV("execution_thread"), thread);
    region_take(func_body(func), body);
    region_set_return(func_body(func), OP_FUNC_RETURN);
    for (int i = 0; i < func_body(func)->arg_count; i++) {
        Value *arg = func_body(func)->args[i];
        remove_edge(arg);
        arg->sharding = region_in_sharding(op, i);
    }
    call_graph_insert(&exporting->graph, func);
    return func;
}

static void export_named(Exporting *exporting, Op *op) {
    Module *module = exporting->module;
    sink_named(exporting, op);
    const Op *func = build_func(exporting, op);
    const Type **types = ARENA_ARRAY(exporting->arena, const Type *, op->result_count);
    Value **operands = ARENA_ARRAY(exporting->arena, Value *, op->operand_count);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = op_operand(op, i);
    Builder builder = builder_before(module, op);
    Op *call = build_op(&builder, OP_CALL, op->operand_count, operands, op->result_count, types, 0);
    call_set_callee(&exporting->graph, call, func);
    call->extra = attr_dict_set(module->context, op->extra, SV("execution_thread"), NULL);
    for (int i = 0; i < op->result_count; i++) {
        op_result(call, i)->sharding = region_out_sharding(op, i);
        remove_edge(op_result(op, i));
        value_replace_uses(op_result(op, i), op_result(call, i));
    }
    op_erase(op);
}

// Post-order: inner computations first. Nesting is limited by the readers.
static void export_region(Exporting *exporting, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int r = 0; r < op->region_count; r++)
            export_region(exporting, op->regions[r]);
        if (op->code != OP_SDY_NAMED) continue;
        export_named(exporting, op);
        // Edges after the op went with it.
        if (next && !next->parent) next = region->first;
    }
}

PassResult pass_export_named_computations(Module *module, PassContext *pass) {
    Exporting exporting = {module, pass->scratch, call_graph(module, pass->scratch, pass->diags)};
    export_region(&exporting, module->body);
    return PASS_CHANGED;
}

PassResult pass_propagate_to_func_results(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    for (Op *func = module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC || func == main) continue;
        const Op *end = region_terminator(func_body(func));
        if (!end || end->code != OP_FUNC_RETURN) continue;
        for (int i = 0; i < end->operand_count && i < func_result_count(func); i++) {
            func_set_result_sharding(module, func, i, value_sharding(module, op_operand(end, i)));
        }
    }
    return PASS_CHANGED;
}

static void key_pointer(StrBuf *key, const void *pointer) {
    strbuf_append(key, (StrView){(const char *)&pointer, sizeof pointer});
}

// What makes two copies of a function equal: its first name, manual axes and, unless
// they are left out, its shardings.
static StrView func_key(Module *module, Arena *arena, const Op *func, bool with_shardings) {
    StrBuf key = strbuf(arena);
    key_pointer(&key, context_name(module->context, func_original_name(func)).data);
    key_pointer(&key, op_extra(func, "sdy.func_manual_axes"));
    if (!with_shardings) return strbuf_view(&key);
    int args = func_body(func)->arg_count, results = func_result_count(func);
    const Sharding **shardings = ARENA_ARRAY(arena, const Sharding *, args + results);
    bool any = func_arg_shardings(module, func, shardings);
    for (int i = 0; i < args; i++)
        key_pointer(&key, any ? shardings[i] : NULL);
    any = func_result_shardings(module, func, shardings + args);
    for (int i = 0; i < results; i++)
        key_pointer(&key, any ? shardings[args + i] : NULL);
    return strbuf_view(&key);
}

// Copies of a function that become one.
typedef struct KeptCopy {
    const struct EqualCopies *most; // those with the most calls
    Op *func;                       // the one that stays
} KeptCopy;

// Copies of a function that are sharded alike.
typedef struct EqualCopies {
    int64_t calls; // seen so far
} EqualCopies;

static EqualCopies *equal_copies(StrMap *map, Arena *arena, StrView key) {
    EqualCopies *copies = str_map_get(map, key);
    if (copies) return copies;
    copies = ARENA_NEW(arena, EqualCopies);
    str_map_set(map, key, copies);
    return copies;
}

static KeptCopy *kept_copy(StrMap *map, Arena *arena, StrView key) {
    KeptCopy *kept = str_map_get(map, key);
    if (kept) return kept;
    kept = ARENA_NEW(arena, KeptCopy);
    str_map_set(map, key, kept);
    return kept;
}

// With dedup-functions-fully, copies with other shardings become one, too: the one with the most
// calls stays, and insert_func_call_reshards makes the other calls fit.
PassResult pass_unflatten_call_graph(Module *module, PassContext *pass) {
    bool fully = pass_flag(pass, "dedup-functions-fully");
    CallGraph graph = call_graph(module, pass->scratch, pass->diags);
    OpVec calls = {0};
    collect_calls(pass->scratch, module->body, &calls);
    StrMap equal = str_map(pass->scratch), kept = str_map(pass->scratch);
    const KeptCopy **copy_of = ARENA_ARRAY(pass->scratch, const KeptCopy *, calls.count + 1);
    for (int64_t i = 0; i < calls.count; i++) {
        Op *func = call_graph_callee(&graph, calls.data[i]);
        if (!func) continue;
        StrView key = func_key(module, pass->scratch, func, true);
        EqualCopies *copies = equal_copies(&equal, pass->scratch, key);
        if (fully) key = func_key(module, pass->scratch, func, false);
        KeptCopy *copy = kept_copy(&kept, pass->scratch, key);
        copy_of[i] = copy;
        copies->calls++;
        if (!copy->most || copies->calls > copy->most->calls) {
            *copy = (KeptCopy){copies, func};
        }
    }
    for (int64_t i = 0; i < calls.count; i++) {
        if (copy_of[i]) call_set_callee(&graph, calls.data[i], copy_of[i]->func);
    }
    for (Op *func = module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC) continue;
        op_set_extra(module, func, SV("sdy.original_func_name"), NULL);
        op_set_extra(module, func, SV("sdy.func_manual_axes"), NULL);
    }
    return PASS_CHANGED;
}

typedef struct CallReshards {
    Module *module;
    Arena *arena;
    CallGraph graph;
} CallReshards;

// Where the callee's result lies otherwise than the call says, the call takes the callee's
// sharding and a reshard follows.
static bool reshard_results(Op *op, void *user) {
    CallReshards *reshards = user;
    const Op *func = op->code == OP_CALL ? call_graph_callee(&reshards->graph, op) : NULL;
    if (!func || func_result_count(func) != op->result_count) return true;
    Module *module = reshards->module;
    const Sharding **from = ARENA_ARRAY(reshards->arena, const Sharding *, op->result_count);
    const Sharding **to = ARENA_ARRAY(reshards->arena, const Sharding *, op->result_count);
    bool has_from = func_result_shardings(module, func, from),
         has_to = op_result_shardings(module, op, to);
    if (!has_from && !has_to) return true;
    for (int i = 0; i < op->result_count; i++) {
        Value *result = op_result(op, i);
        if (!has_from && to[i]) from[i] = sharding_replicated_like(module->context, to[i]);
        if (!from[i]) continue;
        const Sharding *before = result->sharding;
        result->sharding = from[i];
        const Sharding *target =
            before ? before : sharding_replicated_like(module->context, from[i]);
        if (sharding_same_placement(module, from[i], target)) continue;
        Builder builder = builder_after(module, op);
        Value *reshard = build_reshard(&builder, result, target);
        value_replace_uses_except(result, reshard, reshard->def);
    }
    return true;
}

PassResult pass_insert_func_call_reshards(Module *module, PassContext *pass) {
    CallReshards reshards = {module, pass->scratch, call_graph(module, pass->scratch, pass->diags)};
    region_walk(module->body, reshard_results, &reshards);
    return PASS_CHANGED;
}

// flatten_calls: one copy of a function for each call, then calls as named computations,
// whose bodies propagation sees.
//
//   before  func @main { call @f  call @f }       func private @f
//   after   func @main { named_computation<"f"> { .. }  named_computation<"f"> { .. } }
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"
#include "partition/propagate/call_graph.h"

typedef struct CallVisit {
    Module *module;
    CallGraph graph;
} CallVisit;

static bool copy_func_results(Op *op, void *user) {
    CallVisit *visit = user;
    if (op->code != OP_CALL) return true;
    const Op *func = call_graph_callee(&visit->graph, op);
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i].sharding) return true;
    }
    if (!func || func_result_count(func) != op->result_count) return true;
    const Sharding **shardings =
        ARENA_ARRAY(visit->graph.arena, const Sharding *, op->result_count);
    if (!func_result_shardings(visit->module, func, shardings)) return true;
    for (int i = 0; i < op->result_count; i++)
        op->results[i].sharding = shardings[i];
    return true;
}

PassResult pass_func_shardings_to_calls(Module *module, PassContext *pass) {
    CallVisit visit = {module, call_graph(module, pass->scratch, pass->diags)};
    region_walk(module->body, copy_func_results, &visit);
    return PASS_CHANGED;
}

// All calls, callees' before callers'. False with a diagnostic on recursion.
static bool calls_in_post_order(const CallGraph *graph, OpVec *calls) {
    Op **funcs;
    int64_t count;
    if (!call_graph_post_order(graph, &funcs, &count)) return false;
    for (int64_t i = 0; i < count; i++)
        collect_calls(graph->arena, func_body(funcs[i]), calls);
    return true;
}

PassResult pass_flatten_call_graph(Module *module, PassContext *pass) {
    CallGraph graph = call_graph(module, pass->scratch, pass->diags);
    OpVec calls = {0};
    if (!calls_in_post_order(&graph, &calls)) return PASS_FAILED;
    PtrMap called = ptr_map(pass->scratch);
    for (int64_t i = 0; i < calls.count; i++) {
        Op *func = call_graph_callee(&graph, calls.data[i]);
        if (!func) continue;
        if (!ptr_map_has(&called, func)) {
            ptr_map_set(&called, func, func);
            continue;
        }
        const Op *clone = call_graph_clone(&graph, func);
        if (!clone) return PASS_FAILED;
        call_set_callee(&graph, calls.data[i], clone);
    }
    return PASS_CHANGED;
}

// The call's discardable attributes, and the thread that the function runs on.
static const Attr *computation_extra(Module *module, const Op *call, const Op *func) {
    const Attr *thread = op_extra(func, "execution_thread");
    return thread ? attr_dict_set(module->context, call->extra, SV("execution_thread"), thread)
                  : call->extra;
}

static Op *build_computation(Module *module, Arena *arena, Op *call, const Op *func) {
    Builder builder = builder_before(module, call);
    const Type **types = ARENA_ARRAY(arena, const Type *, call->result_count);
    Value **operands = ARENA_ARRAY(arena, Value *, call->operand_count);
    for (int i = 0; i < call->result_count; i++)
        types[i] = op_result_type(call, i);
    for (int i = 0; i < call->operand_count; i++)
        operands[i] = op_operand(call, i);
    Op *op = build_op(
        &builder, OP_SDY_NAMED, call->operand_count, operands, call->result_count, types, 1);
    op_set_attr(module, op, NAME_NAME, attr_string(module->context, func_original_name(func)));
    op->extra = computation_extra(module, call, func);
    const Sharding **in = ARENA_ARRAY(arena, const Sharding *, func_body(func)->arg_count);
    if (func_arg_shardings(module, func, in)) {
        region_set_shardings(module, op, NAME_IN_SHARDINGS, func_body(func)->arg_count, in);
    }
    const Sharding **out = ARENA_ARRAY(arena, const Sharding *, call->result_count);
    if (op_result_shardings(module, call, out)) {
        region_set_shardings(module, op, NAME_OUT_SHARDINGS, call->result_count, out);
    }
    return op;
}

static void clear_arg_shardings(Region *body) {
    for (int i = 0; i < body->arg_count; i++)
        body->args[i]->sharding = NULL;
}

static bool add_named_edges(Op *op, void *user) {
    if (op->code == OP_SDY_NAMED) add_data_flow_edges(user, op);
    return true;
}

PassResult pass_import_func_calls(Module *module, PassContext *pass) {
    CallGraph graph = call_graph(module, pass->scratch, pass->diags);
    OpVec calls = {0};
    if (!calls_in_post_order(&graph, &calls)) return PASS_FAILED;
    for (int64_t i = 0; i < calls.count; i++) {
        const Op *func = call_graph_callee(&graph, calls.data[i]);
        if (func && !check_callee(calls.data[i], func, pass->diags)) return PASS_FAILED;
    }
    PtrMap moved = ptr_map(pass->scratch); // function -> the computation that took its body
    bool warned = false;
    OpVec emptied = {0};
    for (int64_t i = 0; i < calls.count; i++) {
        Op *call = calls.data[i], *func = call_graph_callee(&graph, call);
        if (!func) continue;
        const Op *taken = ptr_map_get(&moved, func);
        Op *op = build_computation(module, pass->scratch, call, func);
        if (taken) {
            if (!warned) {
                diag_warning(
                    pass->diags, call->loc,
                    "function @%.*s has multiple call ops, we need to clone the function body for "
                    "each call",
                    SV_ARG(func_name(func)));
            }
            warned = true;
            PtrMap values = ptr_map(pass->scratch);
            region_clone_into(module, op->regions[0], taken->regions[0], &values);
            const Attr *in = op_attr(taken, NAME_IN_SHARDINGS);
            if (in) op_set_attr(module, op, NAME_IN_SHARDINGS, in);
        } else {
            region_take(op->regions[0], func_body(func));
            region_set_return(op->regions[0], OP_SDY_RETURN);
            ptr_map_set(&moved, func, op);
            vec_push(pass->scratch, &emptied, func);
        }
        clear_arg_shardings(op->regions[0]);
        for (int r = 0; r < call->result_count; r++)
            value_replace_uses(op_result(call, r), op_result(op, r));
        op_erase(call);
    }
    for (int64_t i = 0; i < emptied.count; i++)
        op_erase(emptied.data[i]);
    if (pass_flag(pass, "add-data-flow-edges-on-named-computations")) {
        region_walk(module->body, add_named_edges, module);
    }
    return PASS_CHANGED;
}

// Callers before callees, at the end of the module.
PassResult pass_pre_order_funcs(Module *module, PassContext *pass) {
    CallGraph graph = call_graph(module, pass->scratch, pass->diags);
    Op **funcs;
    int64_t count;
    if (!call_graph_post_order(&graph, &funcs, &count)) return PASS_FAILED;
    for (int64_t i = count - 1; i >= 0; i--)
        op_move_to_end(funcs[i], module->body);
    return PASS_CHANGED;
}

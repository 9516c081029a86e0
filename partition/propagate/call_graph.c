// call_graph: functions in calling order, and copies of functions with everything that they call.
#include "partition/propagate/call_graph.h"

#include "ir/analysis/data_flow.h"

enum { MAX_CLONED_OPS = 4 << 20 };

CallGraph call_graph(Module *module, Arena *arena, Diags *diags) {
    CallGraph graph = {.module = module, .arena = arena, .diags = diags, .symbols = str_map(arena)};
    for (Op *op = module->body->first; op; op = op->next) {
        StrView name = op_text(op, NAME_SYM_NAME);
        if (name.size > 0) str_map_set(&graph.symbols, name, op);
    }
    return graph;
}

Op *call_graph_callee(const CallGraph *graph, const Op *call) {
    Op *func = str_map_get(&graph->symbols, op_text(call, NAME_CALLEE));
    return func && func->code == OP_FUNC ? func : NULL;
}

typedef struct CallWalk {
    Arena *arena;
    OpVec *calls;
} CallWalk;

static bool collect_call(Op *op, void *user) {
    CallWalk *walk = user;
    if (op->code == OP_CALL) vec_push(walk->arena, walk->calls, op);
    return true;
}

void collect_calls(Arena *arena, Region *region, OpVec *calls) {
    CallWalk walk = {arena, calls};
    region_walk(region, collect_call, &walk);
}

// A function that is being visited: its calls, and how many of them are done.
typedef struct Visited {
    Op *func;
    OpVec calls;
    int64_t next;
} Visited;

typedef enum FuncState { FUNC_OPEN = 1, FUNC_DONE } FuncState;

static Visited open_func(const CallGraph *graph, PtrMap *marks, Op *func) {
    Visited visited = {.func = func};
    ptr_map_set(marks, func, (void *)(uintptr_t)FUNC_OPEN);
    collect_calls(graph->arena, func_body(func), &visited.calls);
    return visited;
}

bool call_graph_post_order(const CallGraph *graph, Op ***funcs, int64_t *count) {
    PtrMap marks = ptr_map(graph->arena);
    OpVec order = {0};
    VEC(Visited) stack = {0};
    for (Op *root = graph->module->body->first; root; root = root->next) {
        if (root->code != OP_FUNC || ptr_map_has(&marks, root)) continue;
        vec_push(graph->arena, &stack, open_func(graph, &marks, root));
        while (stack.count > 0) {
            Visited *top = &vec_last(&stack);
            if (top->next == top->calls.count) {
                ptr_map_set(&marks, top->func, (void *)(uintptr_t)FUNC_DONE);
                vec_push(graph->arena, &order, top->func);
                stack.count--;
                continue;
            }
            const Op *call = top->calls.data[top->next++];
            Op *callee = call_graph_callee(graph, call);
            if (!callee) continue;
            uintptr_t mark = (uintptr_t)ptr_map_get(&marks, callee);
            if (mark == FUNC_OPEN) {
                diag_error(
                    graph->diags, call->loc, "function @%.*s calls itself",
                    SV_ARG(func_name(callee)));
                return false;
            }
            if (mark == 0) vec_push(graph->arena, &stack, open_func(graph, &marks, callee));
        }
    }
    *funcs = order.data;
    *count = order.count;
    return true;
}

void call_graph_insert(CallGraph *graph, Op *func) {
    StrView wanted = func_name(func), name = wanted;
    while (str_map_get(&graph->symbols, name)) {
        name = context_name_printf(
            graph->module->context, "%.*s_%d", SV_ARG(wanted), graph->next_suffix++);
    }
    if (!strview_equal(name, wanted)) {
        op_set_attr(graph->module, func, NAME_SYM_NAME, attr_string(graph->module->context, name));
    }
    str_map_set(&graph->symbols, func_name(func), func);
    op_move_to_end(func, graph->module->body);
}

StrView func_original_name(const Op *func) {
    const Attr *name = op_extra(func, "sdy.original_func_name");
    return name && name->kind == ATTR_STRING ? name->text : func_name(func);
}

void call_set_callee(CallGraph *graph, Op *call, const Op *func) {
    op_set_attr(
        graph->module, call, NAME_CALLEE, attr_symbol(graph->module->context, func_name(func)));
}

static bool count_op(Op *op, void *user) {
    (void)op;
    ++*(int64_t *)user;
    return true;
}

// One copy without its name and without copies of what it calls.
static Op *clone_one(CallGraph *graph, Op *func) {
    region_walk(func_body(func), count_op, &graph->cloned_ops);
    if (graph->cloned_ops > MAX_CLONED_OPS) {
        diag_unsupported(
            graph->diags, func->loc,
            "functions call each other so often that copies of @%.*s and others have more than %d "
            "ops",
            SV_ARG(func_name(func)), MAX_CLONED_OPS);
        return NULL;
    }
    PtrMap values = ptr_map(graph->arena);
    Builder builder = builder_at_end(graph->module, graph->module->body);
    Op *clone = op_clone(&builder, func, &values);
    op_set_extra(
        graph->module, clone, SV("sdy.original_func_name"),
        attr_string(graph->module->context, func_original_name(func)));
    return clone;
}

// A copy whose calls are still to be given copies of their own.
typedef struct Pending {
    Op *func, *call; // call: the one that is to call func, or NULL
    OpVec calls;
    int64_t next;
} Pending;

// Callees get their names before their callers, as sdy_opt does it.
Op *call_graph_clone(CallGraph *graph, Op *func) {
    VEC(Pending) stack = {0};
    Pending first = {.func = clone_one(graph, func)};
    if (!first.func) return NULL;
    collect_calls(graph->arena, func_body(first.func), &first.calls);
    vec_push(graph->arena, &stack, first);
    while (stack.count > 0) {
        Pending *top = &vec_last(&stack);
        if (top->next == top->calls.count) {
            call_graph_insert(graph, top->func);
            if (top->call) call_set_callee(graph, top->call, top->func);
            stack.count--;
            continue;
        }
        Op *call = top->calls.data[top->next++];
        Op *callee = call_graph_callee(graph, call);
        if (!callee) continue;
        Pending next = {.func = clone_one(graph, callee), .call = call};
        if (!next.func) return NULL;
        collect_calls(graph->arena, func_body(next.func), &next.calls);
        vec_push(graph->arena, &stack, next);
    }
    return first.func;
}

static int rank_of(const Type *type) { return type->kind == TYPE_TENSOR ? type->rank : 0; }

// The first mesh that is not maximal names the open shardings of the others.
static bool fill_open(
    Module *module, int count, const Type *const *types, const Sharding **shardings) {
    const Sharding *named = NULL;
    for (int i = 0; i < count && !named; i++) {
        const Mesh *mesh = shardings[i] ? sharding_mesh(module, shardings[i]) : NULL;
        if (mesh && !mesh_is_maximal(mesh)) named = shardings[i];
    }
    for (int i = 0; i < count && named; i++) {
        if (shardings[i]) continue;
        Sharding open = *sharding_fully_open(module->context, named->mesh_name, rank_of(types[i]));
        open.mesh = named->mesh;
        shardings[i] = sharding_intern(module->context, &open);
    }
    return named != NULL;
}

bool func_arg_shardings(Module *module, const Op *func, const Sharding **shardings) {
    const Region *body = func_body(func);
    const Type **types = ARENA_ARRAY(module->arena, const Type *, body->arg_count);
    for (int i = 0; i < body->arg_count; i++) {
        types[i] = body->args[i]->type;
        shardings[i] = body->args[i]->sharding;
    }
    return fill_open(module, body->arg_count, types, shardings);
}

bool func_result_shardings(Module *module, const Op *func, const Sharding **shardings) {
    const Attr *type = op_attr(func, NAME_FUNCTION_TYPE);
    int count = func_result_count(func);
    for (int i = 0; i < count; i++)
        shardings[i] = func_result_sharding(func, i);
    return type && type->type &&
           fill_open(module, count, type->type->parts + type->type->input_count, shardings);
}

bool op_result_shardings(Module *module, const Op *op, const Sharding **shardings) {
    const Type **types = ARENA_ARRAY(module->arena, const Type *, op->result_count);
    bool any = false;
    for (int i = 0; i < op->result_count; i++) {
        types[i] = op_result_type(op, i);
        shardings[i] = op->results[i].sharding;
        any |= shardings[i] != NULL;
    }
    return fill_open(module, op->result_count, types, shardings) || any;
}

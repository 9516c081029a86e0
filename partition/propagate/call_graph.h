// Call graph: functions in calling order, and copies of functions with everything that they call.
#ifndef SHARDC_PARTITION_CALL_GRAPH_H
#define SHARDC_PARTITION_CALL_GRAPH_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/builder.h"

typedef struct CallGraph {
    Module *module;
    Arena *arena;
    Diags *diags;
    StrMap symbols;     // name -> op
    int next_suffix;    // of new names: f_0, g_1 ...
    int64_t cloned_ops; // so far; calls can multiply without end
} CallGraph;

CallGraph call_graph(Module *module, Arena *arena, Diags *diags);
Op *call_graph_callee(const CallGraph *graph, const Op *call); // NULL when there is none
// Functions, callees before callers, else in module order. False with a diagnostic
// when functions call themselves.
bool call_graph_post_order(const CallGraph *graph, Op ***funcs, int64_t *count);
// Gives the function a new name if its own is taken, and makes it known.
void call_graph_insert(CallGraph *graph, Op *func);
// A copy of a function at the end of the module, with copies of all that it calls. NULL with a
// diagnostic when that is too much.
Op *call_graph_clone(CallGraph *graph, Op *func);
// The name that the function had in the program, before it was copied.
StrView func_original_name(const Op *func);
void call_set_callee(CallGraph *graph, Op *call, const Op *func);
// The calls in a function, regions included, in order.
typedef VEC(Op *) OpVec;
void collect_calls(Arena *arena, Region *region, OpVec *calls);

// Shardings of a function's arguments / results / of a call's results: open where there is
// none. False when none has one.
bool func_arg_shardings(Module *module, const Op *func, const Sharding **shardings);
bool func_result_shardings(Module *module, const Op *func, const Sharding **shardings);
bool op_result_shardings(Module *module, const Op *op, const Sharding **shardings);

#endif

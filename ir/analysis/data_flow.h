// A door of analysis/: data flow into and out of regions: which values hold the same data, and
// where their common sharding is kept.
//
// An edge joins sources and targets. Its owner, one of the targets, has an sdy.data_flow_edge
// while shardings are propagated:
//
//   op                     sources                          owner        other targets
//   while                  operand i, what the body         result i     argument i of condition
//                          returns                                       and body
//   case, if               what the branches return         result i     -
//   optimization_barrier   operand i                        result i     -
//   manual_computation,    operand i                        argument i   -
//   named_computation      what the body returns            result i     -
#ifndef SHARDC_IR_DATA_FLOW_H
#define SHARDC_IR_DATA_FLOW_H

#include "ir/builder.h"

bool op_has_data_flow(const Op *op);

// The value that owns the edge of which `target` is a target, or of which `use` is a
// source; NULL when there is none.
Value *edge_owner_of_target(const Value *target);
Value *edge_owner_of_source(const Use *use);
// The sdy.data_flow_edge of the same; NULL when there is none.
Op *edge_of_target(const Value *target);
Op *edge_of_source(const Use *use);
// Sources of an edge, in the arena.
int edge_sources(Arena *arena, const Op *edge, Value ***sources);
// Targets but for the owner, at most two.
int edge_other_targets(const Op *edge, Value *targets[2]);

// Puts an edge on every owner of the op.
void add_data_flow_edges(Module *module, Op *op);
// The shardings of the edges of owners; open where an edge has none. False when no edge has a
// sharding.
bool edge_shardings(Module *module, int count, Value *const *owners, const Sharding **shardings);

// The sharding of a value, wherever it is kept: on the value, its edge, the op whose region it
// enters, or the in/out shardings of a manual or named computation. Values in the body of a manual
// computation have shardings over its free axes. NULL = none.
const Sharding *value_sharding(const Module *module, const Value *value);
// the value that keeps it; NULL when it has no place
Value *value_sharding_holder(const Value *value);
// Does nothing for a value that has no place for it (arguments of the body of a reduction).
void value_set_sharding(Module *module, Value *value, const Sharding *sharding);

// The sharding of an edge's targets as seen by its sources, and back.
const Sharding *edge_sharding_to_sources(
    const Module *module, const Op *edge, const Sharding *sharding);
const Sharding *edge_sharding_from_sources(
    const Module *module, const Op *edge, const Sharding *sharding);

// In/out shardings of a manual or named computation; NULL when it has none.
const Sharding *region_in_sharding(const Op *op, int i);
const Sharding *region_out_sharding(const Op *op, int i);
void region_set_shardings(
    Module *module, Op *op, AttrName name, int count, const Sharding *const *shardings);
// Arguments of while and of manual computations carry what the op that owns them says.
void data_flow_set_argument_shardings(Module *module);
// A manual computation's in or out sharding without its manual axes: how the body sees the value.
const Sharding *sharding_without_manual_axes(
    const Module *module, const Op *manual, const Sharding *sharding);
// The manual axes of `outer` and then the free axes of `inner`.
const Sharding *sharding_with_free_axes(
    const Module *module, const Op *manual, const Sharding *outer, const Sharding *inner);
bool op_has_manual_axis(const Op *manual, StrView name);

// Where a sharding is: on a value, or (value NULL) on result `result` of function `op`, or
// on `op`, which has no results.
typedef struct ShardingPlace {
    Value *value;
    Op *op;
    int result;
} ShardingPlace;

// Visits every sharding in the module, pre-order, and stores what the visitor
// returns. True when one changed.
typedef const Sharding *ShardingVisitor(
    const Sharding *sharding, const ShardingPlace *place, void *user);
bool module_map_shardings(Module *module, ShardingVisitor *visit, void *user);

// sdy.reshard of x to the sharding.
Value *build_reshard(Builder *builder, Value *x, const Sharding *sharding);

int func_result_count(const Op *func);
const Sharding *func_result_sharding(const Op *func, int i);
void func_set_result_sharding(Module *module, Op *func, int i, const Sharding *sharding);

#endif

// What brings an op's operands and results together, for passes that insert reshards:
// insert_reshards.c, and Shardy's own in partition/shardy/insert_explicit_reshards.c.
#ifndef SHARDC_PARTITION_RESHARD_INSERTER_H
#define SHARDC_PARTITION_RESHARD_INSERTER_H

#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/provenance.h"
#include "partition/reshard/reshard_choice.h"
#include "partition/rules/sharding_rule.h"

typedef struct Inserter {
    Module *module;
    Context *context;
    Arena *scratch; // given back between ops
    Diags *diags;
    // arguments and results of the program with unreduced axes are each device's part of the sum
    bool keeps_parts;
    bool changed;
    Provenance *provenance;   // NULL = not recorded
    const Decision *decision; // on the op that is visited; NULL = none
} Inserter;

Inserter inserter_create(Module *module, const PassContext *pass);
// Visits every op, pre-order, until one returns false.
typedef bool InserterVisit(Inserter *inserter, Op *op);
bool inserter_run(Inserter *inserter, InserterVisit *visit);

// The sharding of the value, or, where it has none, of what came through propagation barriers to
// it.
const Sharding *source_sharding(const Module *module, const Value *value);
// Do both lay an array out alike, unreduced axes aside?
bool inserter_places_alike(const Inserter *inserter, const Sharding *a, const Sharding *b);
Value *inserter_reshard(Inserter *inserter, Builder *builder, Value *x, const Sharding *sharding);
// x with the unreduced axes that `to` has and its sharding `from` lacks.
Value *inserter_unreduced(
    Inserter *inserter, Builder *builder, Value *x, const Sharding *from, const Sharding *to);

// Operands with unreduced axes that the user does not keep are summed before the use.
void inserter_reduce_operand(Inserter *inserter, Op *op, int i, const Sharding *user, bool is_edge);
// A reshard to a sharding with more unreduced axes than its operand's.
void inserter_expand_reshard(Inserter *inserter, Op *op);
// Operand i of op as `wanted` says, NULL: replicated. On edges of data flow the reshard stands
// behind the source. Through barriers only where an op has a rule, as Shardy does.
typedef void ReshardOperandFn(
    Inserter *inserter, Op *op, int i, const Sharding *wanted, bool is_edge, bool has_rule);
ReshardOperandFn inserter_reshard_operand;
// Does `to` have unreduced axes that `from` lacks?
bool inserter_gains_unreduced(const Inserter *inserter, const Sharding *from, const Sharding *to);
// Terminators, loops, manual computations, calls and barriers: operands as their
// receiver wants them, by `reshard`. False: the op is another one; true for
// collectives, too, which stay as they are.
bool inserter_receives(Inserter *inserter, Op *op, ReshardOperandFn *reshard);

// ---- an op with a rule ----

// An op's tensors, operands before results.
typedef struct Tensors {
    int operand_count, count;
    const Type **types;
    const Sharding **shardings;
    const Mesh *mesh;
    StrView mesh_name;
} Tensors;

Value *tensor_value(const Op *op, int t);
// Types and shardings; false when none has one, or a shape is not known.
bool inserter_collect(Inserter *inserter, const Op *op, Tensors *tensors);
// The mesh that all tensors have, or the most frequent one of those that differ in device order.
// False when there is none, or it is none to shard over; tensors->mesh is NULL when there is none.
bool inserter_find_mesh(Inserter *inserter, Tensors *tensors);

// How an op's tensors are to lie.
typedef struct OpReshards {
    const ShardingRule *rule;
    const Tensors *tensors;
    const Sharding **known; // as they lie, in terms of the op's mesh
    ReshardChoice choice;
    const Sharding **wanted; // as they are to lie
    AxisSpan reduced;        // over which the results are parts of sums
    Value **moved; // the results as their uses expect them, where they were resharded; else NULL
} OpReshards;

// The tensors as they lie.
void inserter_begin(
    Inserter *inserter, const ShardingRule *rule, const Tensors *tensors, OpReshards *reshards);
// A product whose result has the axes of one of its factors exactly where it sums: is the result
// resharded rather than an operand, so that all_reduce and slice become a reduce_scatter? axes: of
// the factor in the operands; side: the operand that has it.
typedef bool PrefersReductionFn(const Op *op, AxisSpan axes, int side);
bool inserter_choose_reduction(
    Inserter *inserter, const Op *op, OpReshards *reshards, PrefersReductionFn *prefers);
// The choice that moves the fewest bytes.
void inserter_choose(Inserter *inserter, const Op *op, OpReshards *reshards);
// The final axes of all reduction factors that the result does not keep unreduced.
AxisSpan inserter_reduction_axes(
    Inserter *inserter, const ReshardChoice *choice, const Mesh *mesh, const Sharding *result);
// What was chosen: operands by `reshard`, then the results with the ways back to the shardings that
// their uses expect, then the all_reduces behind them. What is made last stands right behind the
// op. body: how partial results are combined; OP_COUNT: they are not, to_local does it.
void inserter_apply_operands(
    Inserter *inserter, Op *op, OpReshards *reshards, ReshardOperandFn *reshard);
void inserter_apply_results(Inserter *inserter, Op *op, OpReshards *reshards);
void inserter_sum_results(Inserter *inserter, Op *op, const OpReshards *reshards, OpCode body);

#endif

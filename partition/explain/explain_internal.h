// explain's own parts. The door is partition/explain/explain.h.
#ifndef SHARDC_PARTITION_EXPLAIN_INTERNAL_H
#define SHARDC_PARTITION_EXPLAIN_INTERNAL_H

#include "partition/explain/explain.h"
#include "partition/provenance.h"

// A value, or another place, of the explanation.
typedef struct ListedValue {
    const ProvenancePlace *place; // NULL: it never had a sharding
    Value *value;                 // NULL: a function result
    const Sharding *sharding;     // exact; NULL: replicated
} ListedValue;

// One partitioned copy of the program with its records.
typedef struct Partitioned {
    Arena *arena;
    Module *module; // after partitioning: the global program with explicit communication
    Provenance *provenance;
    DeviceProgram program;
} Partitioned;

// An op or an argument of the program as it was read.
typedef struct Origin {
    Op *op;     // NULL: an argument
    Value *arg; // NULL: an op
} Origin;

// A change that was tried: see explain_advice.c.
typedef struct Trial Trial;

typedef struct Explainer {
    const ExplainOptions *options;
    Arena *arena;
    Diags *diags;
    // The program as it was read. All that is made of an op or argument has its number: Loc.origin.
    Module *source;
    VEC(Origin) origins; // number n is at n - 1
    PtrMap names;        // of source's values, see print_value_names
    VEC(StrView) lines;  // of the program's text
    Partitioned base;
    VEC(ListedValue) listed; // parallel to the explanation's values
    PtrMap listed_values;    // Value * to index + 1
    PtrMap listed_places;    // const ProvenancePlace * to index + 1
    VEC(const Trial *) trials;
} Explainer;

// ---- names (explain_names.c) ----

// Copies the program, numbers its ops and arguments, finds names.
void read_source(Explainer *explainer, const Module *module);

// The op, or argument, of the source that a location stands for; NULL when there is none.
Op *source_op(const Explainer *explainer, const Loc *loc);
Value *source_arg(const Explainer *explainer, const Loc *loc);
// Is the op what the source's op became under another name?
bool is_same_op(const Op *source, const Op *op);
const char *value_text(const Explainer *explainer, const Value *value); // "%12", "@f:%3"
const char *place_text(const Explainer *explainer, const ProvenancePlace *place);
// "program.mlir:12:5 (model.py:3)"; "" when nothing is known
const char *loc_text(Arena *arena, const Loc *loc);
// "stablehlo.add"; of edges the op that has them
const char *op_text_of(Arena *arena, const Op *op);
// "<@mesh, [{"x"}]>"; "" for NULL
const char *sharding_text(Arena *arena, const Sharding *sharding);
const char *type_text(Arena *arena, const Type *type);
const char *axis_text(Arena *arena, const AxisRef *axis);
const char *factor_kind_text(FactorKind kind);
// The name of a factor as rules print it: i, j ...
const char *factor_text(Arena *arena, int factor);

// ---- values (explain_values.c) ----

// All values of the propagated program.
void list_values(Explainer *explainer);
// The index of a value or place; a place that is not listed yet is added.
int listed_value(Explainer *explainer, Value *value);
int listed_place(Explainer *explainer, const ProvenancePlace *place);
// The public form of all that is listed, with links (which may list more places).
void fill_values(Explainer *explainer, shardc_explanation *explanation);

// Where a chain begins.
typedef struct ChainRoot {
    const ProvenancePlace *place; // NULL: not known
    int dim;
    AxisRef axis;
    int steps;            // of propagation in between
    const Arrival *first; // at the chain's end: how the axis came to the value itself
} ChainRoot;
ChainRoot chain_root(const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis);

// The op of a step; of an edge the op that the values enter or leave. NULL: a function's return.
const Op *step_op(const ProvenanceStep *step);

// ---- collectives (explain_collectives.c) ----

// One collective of a device program, or a part of one with several operands.
typedef struct Collective {
    const Op *op;
    const Loc *loc;     // its own: parts came together late
    const Cause *cause; // NULL: the op that it belongs to has no other cause
    const Op *source;   // of the program as it was read; NULL: not known
    // operand or result number where a value crosses the border of a region or function; else -1
    int border;
    bool is_new; // of a constraint that the program as it was read does not have
    int64_t bytes;
    int group_size, loop_depth;
} Collective;
typedef VEC(Collective) Collectives;

// What a device program costs.
typedef struct Cost {
    int64_t bytes, loop_bytes; // of collectives: all, and those in loops
    int64_t work, argument_bytes;
} Cost;

void find_collectives(
    const Explainer *explainer, const Partitioned *partitioned, Collectives *collectives);
Cost cost_of(const Partitioned *partitioned, const Collectives *collectives);
// Do two collectives, perhaps of two partitionings, belong to the same op (and
// value, where it crosses a border)?
bool same_place(const Collective *a, const Collective *b);
// Does the program itself communicate there?
bool is_written_collective(const Collective *collective);
int64_t bytes_at(const Collectives *collectives, const Collective *like);
void fill_collective(
    Explainer *explainer, const Collective *collective, shardc_explain_collective *out);

// One sentence: why there is a cause.
const char *cause_sentence(Explainer *explainer, const Cause *cause);
// Among which devices: sets out->channel, groups and axes (explain_groups.c).
void fill_groups(Explainer *explainer, const Op *op, shardc_explain_collective *out);

// ---- reshards, memory (explain_reshards.c, explain_memory.c) ----

void fill_reshards(
    Explainer *explainer, const Collectives *collectives, shardc_explanation *explanation);
// Of the function and what it calls.
void fill_memory(
    const Explainer *explainer, const Module *module, const Op *func, shardc_explain_memory *out);

// ---- reasons (explain_reasons.c) ----

typedef VEC(const char *) Reasons;
// Who wanted what where the cause's decision was made, who won and why.
void explain_decision(Explainer *explainer, const Cause *cause, Reasons *reasons);
// Two factors of a decision want one axis. `holder` is a tensor that has both factors, and the axis
// on `held`; `rival` has the axis on `wanted`.
typedef struct Contest {
    AxisRef axis;
    int held, wanted;
    int holder, rival; // tensors
} Contest;
// Why the holder got the axis for the one before the rival could bring it for the other; NULL when
// its annotation says so, or nothing is recorded (explain_order.c).
const char *explain_order(Explainer *explainer, const Decision *decision, const Contest *contest);
// Which sharding a constraint, a region or the function requires, and where it was written.
void explain_wanted(Explainer *explainer, const Cause *cause, Reasons *reasons);
// The operands of an op that communicates by itself; sets out->value, from and to.
void explain_operands(
    Explainer *explainer, const Collective *collective, Reasons *reasons,
    shardc_explain_collective *out);
// "the annotation of argument %arg0 (program.mlir:3:7)"
const char *root_text(const Explainer *explainer, const ChainRoot *root);

// ---- advice (explain_advice.c) ----

// Partitions a copy of a program in an arena of its own. False with diagnostics.
bool partition_copy(
    const Explainer *explainer, const Module *module, Arena *arena, Partitioned *partitioned,
    Diags *diags);
void advise(
    Explainer *explainer, const Collectives *collectives, const Collective *collective,
    const Cost *cost, shardc_explain_collective *out);

#endif

// What the emit_*.c files share: scopes, memo tables, run-time numbers, operand bases. Lowering
// functions use emit.h and space.h.
//
// Scopes. Emission is always inside a stack of scopes: the root, loop bodies, branches. A
// scope remembers the scalars that were emitted in it, so a subexpression is emitted once,
// and entries die with their scope. Before an expression is emitted, it is moved out of the
// loops whose variables it does not depend on: every loop keeps the end of its preheader open
// for that (EmitLoop.preheader). Code never moves out of a branch, nor above a scope in which
// a value was bound (emit_bind).
#ifndef SHARDC_CODEGEN_EMIT_STATE_H
#define SHARDC_CODEGEN_EMIT_STATE_H

#include "base/vec.h"
#include "codegen/emit/emit.h"
#include "codegen/expr/expr.h"

typedef enum ScopeKind { SCOPE_ROOT, SCOPE_LOOP, SCOPE_BRANCH } ScopeKind;

// One number that a scope knows: of an expression, of an index expression, or the base
// address of an operand on a device.
typedef struct MemoEntry {
    const void *key;                // Expr, IndexExpr; KernelOperand: its base address
    const struct IndexExpr *device; // of a base address
    Scalar scalar;
    struct MemoEntry *next;
} MemoEntry;

enum { MEMO_BUCKETS = 64 };

typedef struct EmitScope {
    ScopeKind kind;
    int depth; // root is 0
    struct EmitScope *outer;
    EmitLoop *loop; // SCOPE_LOOP
    MemoEntry *memo[MEMO_BUCKETS];
} EmitScope;

// A loop variable, or a number that stands for one in a scope (emit_variable).
typedef struct IndexVariable {
    EmitScope *scope; // where it is known; NULL: the axis of a fold, not emitted
    LLVMValueRef value;
} IndexVariable;

// What an EXPR_SCALAR stands for.
typedef struct KnownScalar {
    EmitScope *scope; // where it is known; NULL: the accumulator of a fold, not emitted
    Scalar scalar;
} KnownScalar;

// A small constant array as a global of the module.
typedef struct ConstantTable {
    const Attr *elements;
    LLVMValueRef table;
} ConstantTable;

// Stores go to a local array instead, at `place` (streamed stores: stage/stream.h).
typedef struct StoreDetour {
    LLVMValueRef array; // NULL = no detour
    LLVMValueRef place;
} StoreDetour;

typedef struct EmitState {
    EmitScope *root, *scope;
    VEC(IndexVariable) variables; // by id
    VEC(KnownScalar) scalars;     // by id
    VEC(int) depths; // by Expr.number: 1 + depth of the scope it may move to; 0 = not known yet
    VEC(LLVMValueRef) tables; // by id of the index table: its global
    VEC(ConstantTable) constants;
    // the entry part's last block, open until the function is finished
    LLVMBasicBlockRef entry_tail;
    LLVMValueRef *bases;       // [operands] own device's base address
    LLVMValueRef device_bases; // lane->bases
    LLVMValueRef slot_count;
    LLVMValueRef *operand_slots, *operand_offsets;
    LLVMMetadataRef *scopes_in, *scopes_out; // per operand: alias.scope, noalias lists
    LLVMMetadataRef streamed;                // alias.scope of streamed stores of output 0
    bool streams;           // stores of output 0 are streamed: see target/stream_stores.c
    LLVMValueRef *locals;   // of STAGE_ROWS, by number: where they begin
    struct TileScope *tile; // the tile's loops that are open (tile_stage.c); NULL = none
    StoreDetour *detours;   // by number of the store, of those that are made together
    struct Ahead *ahead;    // rows to be read (ahead.h); NULL = none
    bool needs_store_fence; // before the function returns
    bool in_lanes;          // the fold that is being emitted runs in vector lanes
} EmitState;

// --- emit_scopes.c, emit_element.c, emit_values.c
LLVMTypeRef emit_i64(Emit *e);
// nounwind, the target's CPU and features
void emit_function_attributes(Emit *e, LLVMValueRef function);
LLVMValueRef emit_i64_constant(Emit *e, int64_t number);
// The depth of the outermost scope that knows all that the expression needs.
int emit_index_depth(Emit *e, const IndexExpr *x);
int emit_expr_depth(Emit *e, const Expr *x);
// The scope that what needs no deeper one may move to; *loop is the loop before which
// its code goes, NULL = it stays.
EmitScope *emit_target_scope(Emit *e, int depth, EmitLoop **loop);
// Goes to the place before a loop (in its scope `target`), and comes back. loop NULL: stays.
typedef struct EmitExcursion {
    EmitScope *scope;
    LLVMBasicBlockRef block;
    EmitLoop *loop;
} EmitExcursion;
EmitExcursion emit_excursion_begin(Emit *e, EmitScope *target, EmitLoop *loop);
void emit_excursion_end(Emit *e, const EmitExcursion *x);
// What a scope knows under a key.
const Scalar *emit_memo_find(const Emit *e, const void *key, const IndexExpr *device);
void emit_memo_add(Emit *e, const void *key, const IndexExpr *device, Scalar scalar);
// A run-time number: value[index] clamped to [low, high], as an index expression.
const IndexExpr *emit_runtime_number(
    Emit *e, const Value *value, const IndexExpr *const *index, int64_t low, int64_t high);

// --- emit_expr.c, emit_fold.c
Scalar emit_expr(Emit *e, const Expr *x);      // of e->exprs
Scalar emit_expr_anew(Emit *e, const Expr *x); // here, remembered nowhere
const Expr *emit_known(Emit *e, Scalar x); // a scalar as an expression, known in the current scope
LLVMValueRef emit_guards(Emit *e, int count, const Guard *guards); // i1; count > 0
// All results of a fold of e->exprs, by loops in place.
bool emit_fold(Emit *e, const Fold *fold, Scalar *results);
// One step: the sums are those after the place at which the substitution puts the fold's
// axes. reassociate: in vector lanes.
void emit_fold_step(Emit *e, const Fold *fold, Substitution *s, Scalar *sums, bool reassociate);
// The accumulators' start, and the results of a fold of the substitution's source.
void emit_fold_start(Emit *e, const Fold *fold, Substitution *s, Scalar *sums);
void emit_fold_results(
    Emit *e, const Fold *fold, Substitution *s, const Scalar *sums, Scalar *results);

// --- emit_memory.c
void emit_make_alias_scopes(Emit *e);
void emit_set_invariant(Emit *e, LLVMValueRef load); // what it loads never changes
// The base address of an operand on a device (NULL = the own one), and the
// address of element number `at`.
LLVMValueRef emit_operand_base(Emit *e, const Value *stored, const IndexExpr *device);
LLVMValueRef emit_address_at(
    Emit *e, const Value *stored, const IndexExpr *at, const IndexExpr *device);
// Loads a number of the lane or of the operands' table.
LLVMValueRef emit_entry_load(
    Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t byte_offset, const char *name);

// --- emit_loops.c
EmitScope *emit_scope_push(Emit *e, ScopeKind kind);
void emit_scope_pop(Emit *e);
// A number known in the current scope as an index variable, 0 <= number < extent.
const IndexExpr *emit_variable(Emit *e, LLVMValueRef number, int64_t extent);

// for (chunk = begin; chunk < end; chunk++): this lane's share of the grid.
EmitLoop *emit_chunk_loop(Emit *e);
// The chunks begin .. end, of which `each` make a group (a batch entry): a loop over the groups
// that they meet, and which of a group's chunks they are, first <= chunk < stop.
typedef struct ChunkGroups {
    EmitLoop *loop;
    LLVMValueRef first, stop;
} ChunkGroups;
ChunkGroups emit_chunk_groups(
    Emit *e, LLVMValueRef begin, LLVMValueRef end, int64_t each, int64_t groups);

// --- math/: scalars, their formats and their calls
// x code y for an op of scalar_ops.def (two operands of one type, no attributes), computed and
// rounded as the op itself would be.
Scalar emit_arithmetic(Emit *e, OpCode code, Scalar x, Scalar y);
// emit_convert.c: i8 -> float
LLVMValueRef emit_decode_float(Emit *e, ElementType element, LLVMValueRef byte);
LLVMValueRef emit_encode_float(Emit *e, ElementType element, LLVMValueRef x); // float -> i8
// float -> representable float
LLVMValueRef emit_round_float(Emit *e, ElementType element, LLVMValueRef x);
LLVMValueRef emit_intrinsic(
    Emit *e, const char *name, LLVMTypeRef type, int count,
    LLVMValueRef *arguments); // overloaded on `type`
// Asks for memory that is needed soon; any address is fine.
typedef enum PrefetchLevel { PREFETCH_SECOND = 2, PREFETCH_FIRST = 3 } PrefetchLevel; // cache
void emit_prefetch(Emit *e, LLVMValueRef address, bool to_write, PrefetchLevel level);
LLVMValueRef emit_call_pure(
    Emit *e, const char *name, LLVMTypeRef result, int count, LLVMValueRef *arguments); // up to 4
LLVMValueRef emit_libm(
    Emit *e, const char *name, LLVMTypeRef type, int count, LLVMValueRef *arguments);
LLVMValueRef emit_choose(Emit *e, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_int_like(LLVMValueRef like, int64_t number);
LLVMValueRef emit_real_like(LLVMValueRef like, double number);
LLVMValueRef emit_intrinsic1(Emit *e, const char *name, LLVMValueRef x); // on the type of x
LLVMValueRef emit_intrinsic_of_two(Emit *e, const char *name, LLVMValueRef x, LLVMValueRef y);
// In a reduction sums and products may be taken in any order.
LLVMValueRef emit_reassociable(Emit *e, LLVMValueRef x);

#endif

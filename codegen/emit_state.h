// What the emit_*.c files share: scopes, memo tables, run-time numbers, operand bases. Lowering functions use emit.h and space.h.
//
// Scopes. Emission is always inside a stack of scopes: the root, loop bodies, branches. A scope remembers the scalars that were
// emitted in it, so a subexpression is emitted once, and entries die with their scope. Before an expression is emitted, it is moved
// out of the loops whose variables it does not depend on: every loop keeps the end of its preheader open for that (EmitLoop.preheader). Code never
// moves out of a branch, nor above a scope in which a value was bound (emit_bind).
#ifndef SHARDC_CODEGEN_EMIT_STATE_H
#define SHARDC_CODEGEN_EMIT_STATE_H

#include "base/vec.h"
#include "codegen/emit.h"

typedef enum ScopeKind { SCOPE_ROOT, SCOPE_LOOP, SCOPE_BRANCH } ScopeKind;

// One scalar that a scope knows: an element of a value, an index expression (value NULL), or an address that belongs to a value.
typedef struct MemoEntry {
    const Value *value;
    int device; // number of the device expression, -1 = own
    int kind;   // 0: an element; < 0: an address
    int rank;
    const IndexExpr *const *index;
    uint64_t hash;
    Scalar scalar;
    struct MemoEntry *next;
} MemoEntry;

enum { MEMO_BUCKETS = 64, ADDRESS_BASE = -1, ADDRESS_ROW = -2 };

typedef struct EmitScope {
    ScopeKind kind;
    int depth; // root is 0
    struct EmitScope *outer;
    EmitLoop *loop; // SCOPE_LOOP
    MemoEntry *memo[MEMO_BUCKETS];
} EmitScope;

// A number that is only known when the kernel runs: an integer element of a value, clamped.
typedef struct RuntimeNumber {
    const Value *value;
    int rank;
    const IndexExpr *const *index;
    const IndexExpr *device; // NULL = own
    int64_t low, high;
    bool is_device; // the own device's id
} RuntimeNumber;

typedef struct IndexTable {
    int64_t count;
    const int64_t *numbers;
    LLVMValueRef global;
} IndexTable;

// A loop variable, or a number that stands for one in a scope (emit_variable).
typedef struct IndexVariable {
    EmitScope *scope; // where it is known; NULL when that has ended
    LLVMValueRef value;
    bool is_reduced; // runs over a reduced space
} IndexVariable;

// A small constant array as a global of the module.
typedef struct ConstantTable {
    const Attr *elements;
    LLVMValueRef table;
} ConstantTable;

// Replica groups by device: its group's members in order, and its own place among them.
typedef struct DeviceGroups {
    int64_t size;
    int64_t *members;  // [device_count * size]
    int64_t *position; // [device_count]
    int64_t *
        is_member; // [device_count] 0: the device is in no group, and counts as one of itself alone
} DeviceGroups;

typedef struct Binding {
    const Value *value;
    Scalar scalar;
    EmitScope *scope; // where it was bound
} Binding;

// What a trial emission found out about the kernel's accesses (space.c): every index expression that became code.
typedef enum UseKind {
    USE_ADDRESS,   // element number in a buffer; `bytes` per element
    USE_STORE,     // the same, written
    USE_CONDITION, // low <= x < high
    USE_NUMBER     // the number itself: iota, table look-ups
} UseKind;

typedef struct IndexUse {
    UseKind kind;
    const IndexExpr *index;
    int64_t low, high; // USE_CONDITION
    int64_t bytes;
    const Value *value;      // stored value; NULL for conditions
    bool is_in_fold;         // depends on a reduced loop's variable
    bool is_fold_contiguous; // is contiguous in one
} IndexUse;

typedef VEC(IndexUse) IndexUses;

// Stores to an output go to a local array instead, at `place` (streamed stores: space_emit.c).
typedef struct StoreDetour {
    LLVMValueRef array; // NULL = no detour
    LLVMValueRef place;
} StoreDetour;

typedef struct EmitState {
    EmitScope *root, *scope;
    VEC(IndexVariable) variables; // by id
    VEC(RuntimeNumber) runtimes;  // [0] is the own device's id
    VEC(IndexTable) tables;
    VEC(ConstantTable) constants;
    VEC(Binding) bindings;
    const IndexExpr *device; // device of the element being emitted; NULL = own
    LLVMBasicBlockRef
        entry_tail;            // the entry part's last block, open until the function is finished
    LLVMValueRef *bases;       // [operands] own device's base address
    LLVMValueRef device_bases; // lane->bases
    LLVMValueRef slot_count;
    LLVMValueRef *operand_slots, *operand_offsets;
    LLVMMetadataRef *scopes_in, *scopes_out; // per operand: alias.scope, noalias lists
    struct TileScope *tile; // the tile's loops that are open (tile_stage.c); NULL = none
    StoreDetour *detours;   // [outputs]
    bool needs_store_fence; // before the function returns
    EmitScope *
        *row_scopes; // [row_cached_count] where the value's row lies in the scratch; NULL = nowhere
    int depth;       // of emit_element's recursion
    IndexUses *uses; // not NULL: a trial, uses are recorded
} EmitState;

// --- emit.c
LLVMTypeRef emit_i64(Emit *e);
void emit_function_attributes(
    Emit *e, LLVMValueRef function); // nounwind, the target's CPU and features
LLVMValueRef emit_i64_constant(Emit *e, int64_t number);
void emit_record_use(Emit *e, IndexUse use);
// Emits body into a function that is thrown away, and collects the index expressions that became code.
bool emit_trial(Emit *e, bool (*body)(Emit *e, void *user), void *user, IndexUses *uses);
// The scope that an expression of these indices (and of this device) may move to; *loop is the loop before which its code goes, NULL =
// it stays.
EmitScope *emit_target_scope(
    Emit *e, int count, const IndexExpr *const *index, const IndexExpr *device, EmitLoop **loop);
// Goes to the place before a loop (in its scope `target`), and comes back. loop NULL: stays.
typedef struct EmitExcursion {
    EmitScope *scope;
    LLVMBasicBlockRef block;
    EmitLoop *loop;
} EmitExcursion;
EmitExcursion emit_excursion_begin(Emit *e, EmitScope *target, EmitLoop *loop);
void emit_excursion_end(Emit *e, const EmitExcursion *x);
// The element number of an operand at an index, by its buffer's strides. Its base on the current element's device.
const IndexExpr *emit_element_number(Emit *e, const Value *stored, const IndexExpr *const *index);
LLVMValueRef emit_operand_base(Emit *e, const Value *stored);
const IndexExpr *emit_current_device(Emit *e); // as an expression, also the own one
// A run-time number: value[index] clamped to [low, high], as an index expression.
const IndexExpr *emit_runtime_number(
    Emit *e, const Value *value, int rank, const IndexExpr *const *index, int64_t low,
    int64_t high);
const IndexExpr *emit_table_lookup(
    Emit *e, int64_t count, const int64_t *numbers, const IndexExpr *at, int64_t low, int64_t high);

// --- emit_memory.c
void emit_make_alias_scopes(Emit *e);
void emit_set_invariant(Emit *e, LLVMValueRef load); // what it loads never changes
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

// --- emit_view.c: ops that only move elements; false when the op is not one of them.
bool emit_view(Emit *e, const Value *value, const IndexExpr *const *index, Scalar *result);
DeviceGroups emit_device_groups(Emit *e, const Op *op);
// The member at a position of the current device's group; the current device's position.
const IndexExpr *emit_group_member(Emit *e, const DeviceGroups *groups, const IndexExpr *position);
const IndexExpr *emit_group_position(Emit *e, const DeviceGroups *groups);
// --- row_cache.c: the element of a value of kernel->row_cached from its row in the scratch; false: it is to be computed.
bool row_cache_load(Emit *e, const Value *value, const IndexExpr *const *index, Scalar *result);
int64_t row_cache_bytes(const Kernel *kernel); // of all rows, in the scratch
// The value's element, computed or loaded, without looking into memo tables and caches.
Scalar emit_element_anew(Emit *e, const Value *value, const IndexExpr *const *index);
// What a scope knows besides elements: an address under (value, kind < 0, index). NULL = nothing.
LLVMValueRef emit_known_address(
    Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index);
void emit_remember_address(
    Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index,
    LLVMValueRef address);

// --- emit_reduce.c: all results of a reduction at one element, by a loop in place
// (of a sum over devices: only number `result`)
bool emit_reduction_element(
    Emit *e, const Op *op, int result, const IndexExpr *const *index, Scalar *results);

// --- emit_scalar.c and its parts
// x code y for an op of scalar_ops.def (two operands of one type, no attributes), computed and rounded as the op itself would be.
Scalar emit_arithmetic(Emit *e, OpCode code, Scalar x, Scalar y);
bool emit_complex_arithmetic(Emit *e, OpCode code, Scalar x, Scalar y, Scalar *result);
bool emit_complex_op(
    Emit *e, const Op *op, const Scalar *operands, Scalar *result); // emit_complex.c
LLVMValueRef emit_decode_float(
    Emit *e, ElementType element, LLVMValueRef byte); // emit_convert.c: i8 -> float
LLVMValueRef emit_encode_float(Emit *e, ElementType element, LLVMValueRef x); // float -> i8
LLVMValueRef emit_round_float(
    Emit *e, ElementType element, LLVMValueRef x); // float -> representable float
LLVMValueRef emit_math(
    Emit *e, OpCode code, ElementType element, LLVMValueRef x,
    LLVMValueRef y); // emit_math.c: f32 and f64
LLVMValueRef emit_intrinsic(
    Emit *e, const char *name, LLVMTypeRef type, int count,
    LLVMValueRef *arguments); // overloaded on `type`
LLVMValueRef emit_call_pure(
    Emit *e, const char *name, LLVMTypeRef result, int count, LLVMValueRef *arguments); // up to 4
LLVMValueRef emit_libm(
    Emit *e, const char *name, LLVMTypeRef type, int count, LLVMValueRef *arguments);

#endif

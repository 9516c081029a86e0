// Emission of kernels: one LLVM function in a module of its own per distinct kernel.
//
//     void NAME(RtLane *lane, const RtOperand *operands, i64 begin, i64 end)
//
// The central service is emit_expr: the scalar of an expression of the plan (expr/expr.h), whose
// axes were replaced by the variables of the loops around. Stages of maps and folds are emitted by
// stage/; the emitters of special ops (lower_*.c) build loops of their own and ask for elements of
// values (emit_element). Inner loops are plain scalar loops that LLVM's
// loop vectoriser turns into vectors (explicit vectors only in micro-kernels), so: simple affine
// addresses in the innermost variable, no calls, math as inlined polynomials (math/).
#ifndef SHARDC_CODEGEN_EMIT_H
#define SHARDC_CODEGEN_EMIT_H

#include "codegen/expr/expr.h"
#include "codegen/kernel/kernel.h"
#include "codegen/target/target.h"

#include <llvm-c/Core.h>

// A scalar in registers: i1 for CLASS_BOOL, iN, half/bfloat/float/double; narrower floats as float
// that holds an exactly representable number; complex as two parts.
typedef struct Scalar {
    ElementType element;
    LLVMValueRef value; // real part
    LLVMValueRef imag;  // complex only
} Scalar;

// The module (owned by the caller: LLVMDisposeModule) with the one external function `name`
// that does the kernel's work; target-cpu and target-features are set on it, triple and data
// layout are the caller's business. Kernels whose outputs and inputs share memory differ
// from kernels whose operands are distinct: the function assumes distinct buffers do not
// overlap. shared: gets the functions that it calls and that have to be compiled beside it
// (shared.h); NULL: they are part of the module. NULL with a diagnostic.
typedef struct SharedFunctions SharedFunctions;
LLVMModuleRef emit_kernel(
    Arena *arena, LLVMContextRef context, const DeviceProgram *program, const Target *target,
    const Kernel *kernel, const char *name, SharedFunctions *shared, Diags *diags);

typedef struct Emit Emit;
struct Emit {
    Arena *arena;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function;
    LLVMValueRef lane, begin, end; // parameters
    LLVMBasicBlockRef entry;       // hoisted loads of run-time numbers and base addresses go here
    const Target *target;
    const Kernel *kernel;
    const DeviceProgram *program;
    ExprBuilder *exprs;  // copies of the plan's expressions, with the loops' variables
    IndexBuilder *index; // its
    bool reassociate;    // the current accumulation may be reassociated (sums in vector lanes)
    Diags *diags;
    SharedFunctions *shared; // NULL: what is shared is defined here
    bool failed;
    // emit_expr_anew: indices contain numbers that are expressions, which contain indices
    Scalar (*emit_anew)(Emit *e, const Expr *x);
    struct EmitState *state; // emit_state.h: variables, memo tables, base pointers, alias scopes
};

// ---- expressions (emit_element.c, emit_index.c, math/emit_scalar.c)
Scalar emit_element(Emit *e, const Value *value, const IndexExpr *const *index);
// Binds a value to a scalar: emit_element(value) gives it at any index (accumulators in epilogues,
// region arguments). NULL element unbinds.
void emit_bind(Emit *e, const Value *value, const Scalar *scalar);
// One pointwise op on scalars.
Scalar emit_scalar_op(Emit *e, const Op *op, const Scalar *operands);
// A region of scalar ops (reduction body, comparator): arguments bound, results returned.
bool emit_scalar_region(Emit *e, const Region *region, const Scalar *arguments, Scalar *results);
Scalar emit_convert(Emit *e, Scalar x, ElementType element); // StableHLO's convert
// An f32 to bf16 by the CPU's instruction, which takes numbers below the smallest normal one for
// zero: where x cannot be such a number.
Scalar emit_round_normal(Emit *e, Scalar x);
Scalar emit_constant(Emit *e, ElementType element, double number);
// i64, computed as near to the entry as its variables allow
LLVMValueRef emit_index(Emit *e, const IndexExpr *x);
// The same in 32 bits, for -2^31 <= x < 2^31: what the innermost loop adds is 32 bits wide, too.
LLVMValueRef emit_index_32(Emit *e, const IndexExpr *x);
LLVMValueRef emit_index_in_range(Emit *e, const IndexExpr *x, int64_t low, int64_t high); // i1

// ---- memory
// Address of an element of a kernel operand (stored value) on the own device; index has the value's
// rank.
LLVMValueRef emit_address(Emit *e, const Value *stored, const IndexExpr *const *index);
// own device's base address, loaded once in the entry block
LLVMValueRef emit_base(Emit *e, const Value *stored);
Scalar emit_load(Emit *e, const Value *stored, LLVMValueRef address);
void emit_store(Emit *e, const Value *stored, LLVMValueRef address, Scalar x);
LLVMTypeRef emit_register_type(Emit *e, ElementType element); // i1, float ...
// i8, float ...; [2 x float] for complex
LLVMTypeRef emit_memory_type(Emit *e, ElementType element);
// Memory that is no operand: the lane's scratch, local arrays.
LLVMValueRef emit_scratch(Emit *e, int64_t offset); // address in lane->scratch
Scalar emit_private_load(Emit *e, ElementType element, LLVMValueRef array, LLVMValueRef at);
void emit_private_store(
    Emit *e, ElementType element, LLVMValueRef array, LLVMValueRef at, Scalar x);

// ---- control
typedef struct EmitLoop {
    int variable;           // id for index_variable
    const IndexExpr *index; // that variable
    LLVMValueRef phi, start, stop, step, block_end;
    // its last block, without a terminator until the loop ends: loop-invariant code goes there
    LLVMBasicBlockRef preheader;
    LLVMBasicBlockRef body;
    bool vectorize;
    double work;    // of an iteration: the costs of its ops (op_code_cost)
    bool has_calls; // of the C library
    int lanes;      // of the vectors; 0 = as many as LLVM thinks best
    bool is_tail;   // fewer iterations than lanes: one vector of which a part counts
    struct EmitLoop *outer;
    struct EmitScope *scope;
} EmitLoop;
// for (v = start; v < stop; v += step). extent bounds v for index simplification (0 <= v < extent).
// vectorize: an innermost loop whose iterations are independent (or whose accumulators may be
// reassociated): metadata for LLVM, parallel accesses.
EmitLoop *emit_loop_begin(
    Emit *e, LLVMValueRef start, LLVMValueRef stop, int64_t step, int64_t extent, bool vectorize);
void emit_loop_end(Emit *e, EmitLoop *loop);
// The innermost loop that may become one of vectors; NULL = there is none.
EmitLoop *emit_vector_loop(const Emit *e);
// The last iterations of a loop of `size`, which do not fill a vector, where they can be one vector
// of which a part counts: how many; 0 = there are few, or they cannot, and follow one by one.
// is_costly: an iteration is, so that few are worth it, too.
int64_t emit_tail_of(const Emit *e, int64_t size, bool is_costly);
// Makes the loop such a vector.
void emit_make_tail(const Emit *e, EmitLoop *loop);
// Where the block of `step` places that begins at the loop's place ends.
LLVMValueRef emit_block_end(Emit *e, EmitLoop *blocks);
EmitLoop *emit_loop_constant(Emit *e, int64_t extent, bool vectorize); // 0 .. extent
// A loop-carried scalar: alloca promoted by mem2reg.
LLVMValueRef emit_local(Emit *e, ElementType element);
void emit_local_set(Emit *e, LLVMValueRef local, Scalar x);
Scalar emit_local_get(Emit *e, LLVMValueRef local, ElementType element);
// in the entry block
LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, int64_t count, unsigned alignment);
typedef struct EmitIf {
    LLVMBasicBlockRef else_block, join;
    LLVMBasicBlockRef then_tail,
        else_tail; // where the parts ended, for phis: set by emit_else and emit_end_if
    bool has_else;
} EmitIf;
EmitIf emit_if(Emit *e, LLVMValueRef condition); // then part follows
void emit_else(Emit *e, EmitIf *branch);
void emit_end_if(Emit *e, EmitIf *branch);
Scalar emit_phi(Emit *e, const EmitIf *branch, Scalar on_then, Scalar on_else); // after emit_end_if

// ---- one function per kernel kind (lower_*.c): builds the function's body. Before that, `*_grid`
// says how many chunks there are and how much scratch a thread needs, from shapes alone (it fills
// kernel->grid, scratch_bytes, bytes, flops).
typedef struct Lowering {
    void (*grid)(Kernel *kernel, const Target *target);
    bool (*emit)(Emit *e);
} Lowering;
const Lowering *lowering_of(KernelKind kind); // lower_table.c

#endif

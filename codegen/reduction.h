// Reductions: how an element is folded (Reduction), over which loops (Fold), and the two ways to run them: each result by loops of its own
// (fold_element: rows), or many results side by side (fold_emit_columns).
#ifndef SHARDC_CODEGEN_REDUCTION_H
#define SHARDC_CODEGEN_REDUCTION_H

#include "codegen/space.h"

enum { MAX_REDUCED = 16 }; // results of one reduce

// The body of a reduction: results = body(accumulators, x).
typedef struct Reduction {
    const Op *op;
    const Region *body;
    int count;                            // results
    ElementType element[MAX_REDUCED];     // of the results
    ElementType accumulator[MAX_REDUCED]; // narrow floats that are summed: f32
    OpCode simple
        [MAX_REDUCED]; // result i is simple(x_i, y_i); OP_COUNT when the body is more than that
    bool is_simple;    // all are
} Reduction;

// Of a region with 2n scalar arguments. False with a diagnostic when it has too many results.
bool reduction_of(Emit *e, const Op *op, const Region *body, Reduction *r);
// accumulators = body(accumulators, x), x in the results' types. reassociate: the order may change (sums in vector lanes).
void reduction_step(
    Emit *e, const Reduction *r, Scalar *accumulators, const Scalar *x, bool reassociate);
// An element as the start of an accumulation, and an accumulator as a result.
Scalar reduction_widen(Emit *e, const Reduction *r, int i, Scalar x);
Scalar reduction_finish(Emit *e, const Reduction *r, int i, Scalar accumulator);

// A fold over a box of reduced indices for every element of a result.
typedef struct Fold Fold;
struct Fold {
    const void *user;
    int count; // accumulators
    ElementType accumulator[MAX_REDUCED];
    int loop_count;
    int64_t extent[MAX_RANK]; // of the reduced loops, outermost first
    bool vectorize;           // the innermost reduced loop may run in vector lanes
    bool is_sum;              // one sum of floats: long ones are summed in blocks
    bool unroll;              // few steps: no loops, constant indices
    // index: of the result; at: of the reduced loops
    void (*start)(Emit *e, const Fold *fold, const IndexExpr *const *index, Scalar *accumulators);
    void (*step)(
        Emit *e, const Fold *fold, const IndexExpr *const *index, const IndexExpr *const *at,
        Scalar *accumulators, bool reassociate);
    void (*finish)(Emit *e, const Fold *fold, const Scalar *accumulators, Scalar *results);
};

// The results at one index, by loops in place.
bool fold_element(Emit *e, const Fold *fold, const IndexExpr *const *index, Scalar *results);
// Emits the kernel's share: blocks of results along the space's inner axis, the reduced loops around a vector loop over the block. The
// space runs over the result's index; results[] are bound to values, then the kernel's outputs are computed and stored.
void fold_emit_columns(Emit *e, const Fold *fold, Space *space, const Value *const *results);
// Of a space that was planned with fold_element in its body: do most accesses run along the space rather than along the reduced loops?
bool fold_prefers_columns(const Space *space);

// The fold of OP_REDUCE.
bool reduce_fold(Emit *e, const Op *op, Fold *fold);

// Stores all outputs of the kernel at an index of the first one's shape (a SpaceBody).
void store_outputs(Emit *e, void *user, const IndexExpr *const *index);
// The same at an index of `result`, whose elements the outputs are computed from: outputs of another shape are reshapes of it.
void store_outputs_of(Emit *e, const Value *result, const IndexExpr *const *index);

// Chunks for a kernel that touches so many bytes; bytes of all operands of a kernel.
int64_t grid_of_bytes(int64_t bytes);
int64_t operands_bytes(const Kernel *kernel);

#endif

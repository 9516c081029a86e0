// A loop nest in the making: space_emit.c makes it, of what space_nest.c has.
#ifndef SHARDC_CODEGEN_SPACE_NEST_H
#define SHARDC_CODEGEN_SPACE_NEST_H

#include "codegen/emit/stage/stream.h"

typedef struct Nest {
    Emit *e;
    const Space *space;
    const SpaceBody *body;
    const IndexExpr *at[MAX_PARTS]; // index on each axis
    int row_axes[MAX_PARTS];        // outer axes that make up a row, in order
    int row_count;
    bool by_blocks;       // these axes run in blocks (space.h)
    int loops[MAX_PARTS]; // axes of the loops inside a row, outermost first
    int loop_count;
    LLVMValueRef low[MAX_PARTS], high[MAX_PARTS]; // by axis: bounds of its loop; NULL = all of it
    LLVMValueRef row_index[MAX_PARTS];            // by axis: of row axes
    int unrolled;          // axis: all its places within the innermost loop; -1 = none
    const IndexExpr *line; // where the line of the result begins that the innermost loop makes
    bool streams, is_direct;
    Stream stream;
} Nest;

static inline LLVMValueRef nest_minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
}

static inline LLVMValueRef nest_maximum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.smax", emit_i64(e), 2, both);
}

// The index of the space from those of the axes.
void nest_index_here(const Nest *nest, const IndexExpr **index);
// What the axes of the kernel's stage are at a place of the inner axis' piece that begins at
// `start`.
Substitution nest_stage_here(Nest *nest, int a, const IndexExpr *place, int64_t start);
// Copies the innermost loop's elements at once, or to several places in blocks that stay in the
// cache; false: it does not copy what lies side by side.
bool nest_emit_copied(
    Nest *nest, int a, LLVMValueRef low, LLVMValueRef high, int64_t start, int64_t size);

#endif

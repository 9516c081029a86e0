// Several results side by side: a block of columns with their accumulators in local arrays.
#ifndef SHARDC_CODEGEN_COLUMNS_H
#define SHARDC_CODEGEN_COLUMNS_H

#include "codegen/emit/stage/nest.h"
#include "codegen/expr/fold.h"

// Accumulators of a block of results, in local arrays.
typedef struct Columns {
    const Stage *stage;
    SpaceBlock *block;
    int64_t width;
    LLVMValueRef arrays[3 * MAX_REDUCED]; // [width]
    LLVMValueRef first, last;             // of the block of columns
} Columns;

// A loop over the columns of the block.
typedef struct ColumnLoop {
    EmitLoop *loop;
    LLVMValueRef place; // of the column in the arrays
    const IndexExpr *index[MAX_RANK];
    Substitution s;
} ColumnLoop;

// The accumulators' arrays, of c->width columns.
void columns_arrays(Emit *e, Columns *c);
// Blocks of `width` columns of a piece of the inner axis, with their accumulators at the
// start; to be ended by the caller.
EmitLoop *columns_begin(Emit *e, Columns *c, SpaceBlock *block);
ColumnLoop columns_loop(Emit *e, const Columns *c);
void columns_load(Emit *e, const Columns *c, const ColumnLoop *column, Scalar *sums);
void columns_store(Emit *e, const Columns *c, const ColumnLoop *column, const Scalar *sums);
// The fold's results, and what is stored of them.
void columns_results(Emit *e, const Stage *stage, Substitution *s, const Scalar *sums);

// All stores of a stage: all values are computed before the first is stored.
void emit_stage_stores(Emit *e, const Stage *stage, Substitution *s);
void scan_emit(Emit *e, const Stage *stage); // of STAGE_SCAN

#endif

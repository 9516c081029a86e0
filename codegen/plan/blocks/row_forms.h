// Which kernels can run on one block of rows after the other (row_blocks.h).
#ifndef SHARDC_CODEGEN_PLAN_ROW_FORMS_H
#define SHARDC_CODEGEN_PLAN_ROW_FORMS_H

#include "codegen/kernel/kernel.h"
#include "codegen/plan/stage.h"

// Rows, and the arrays that parts store.
typedef struct RowSpace {
    int64_t outer, rows; // rows of an outer place
    PtrMap arrays;       // Value: how it is stored
    PtrMap memories;     // Buffer: theirs
} RowSpace;

typedef enum RowFit {
    ROWS_APART, // the kernel reads nothing of the arrays
    ROWS_FIT,   // a block of its rows is made of the same block of theirs
    ROWS_MISFIT
} RowFit;

// Sets what a RowBlock says of contractions.
RowFit row_fit(const RowSpace *space, const Kernel *kernel, RowBlock *block);
// Is it a product of which each row is made of a row of the left operand? It reads no array of
// parts.
bool row_product_fits(const RowSpace *space, const Kernel *kernel);
void row_space_add(RowSpace *space, const Kernel *kernel, const RowBlock *block);
// Do the planned loops go from row to row, and those of a row inside?
bool row_loops_fit(const RowSpace *space, const Stage *stage);
// How many leading dimensions are the outer places and rows; -1 = none are.
int row_rank(const RowSpace *space, int rank, const int64_t *dims);

#endif

// Folds over windows: reduce_window, its cumulative form, select_and_scatter.
#ifndef SHARDC_CODEGEN_WINDOW_H
#define SHARDC_CODEGEN_WINDOW_H

#include "codegen/element/reduction.h"

// Windows of reduce_window, select_and_scatter and convolutions.
typedef struct Window {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK], low[MAX_RANK], base_dilation[MAX_RANK],
        dilation[MAX_RANK];
    int64_t base[MAX_RANK]; // the operand's dimensions
    int64_t count;          // positions
} Window;

Window window_of(ExprBuilder *b, const Op *op);
// The operand's index at window position w of output index o: at[], which exists where
// the guards hold. False: never.
bool window_place(
    ExprBuilder *b, const Window *window, const IndexExpr *const *o, const IndexExpr *const *w,
    const IndexExpr **at, Guard *guards, int *guard_count);

// The folds at one index of the op's result; NULL after a diagnostic.
const Fold *fold_of_window(ExprBuilder *b, const Op *op, const IndexExpr *const *index);
const Fold *fold_of_selection(ExprBuilder *b, const Op *op, const IndexExpr *const *index);
// cumulative_dim of a dimension that is long enough for a loop of its own.
int scan_dim(const Op *op, bool *is_reversed);
// One step of a scan: no axes, the element at index[] is the step's.
const Fold *fold_of_scan(ExprBuilder *b, const Op *op, const IndexExpr *const *index);

#endif

// Windows of reduce_window and select_and_scatter.
#ifndef SHARDC_CODEGEN_WINDOW_H
#define SHARDC_CODEGEN_WINDOW_H

#include "codegen/reduction.h"

typedef struct Window {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK], low[MAX_RANK], base_dilation[MAX_RANK],
        dilation[MAX_RANK];
    int64_t base[MAX_RANK]; // the operand's dimensions
    int64_t count;          // positions
} Window;

Window window_of(Emit *e, const Op *op);
// The operand's index at window position w of output index o: at[]; *condition: does it exist? NULL = always; false = never.
bool window_place(
    Emit *e, const Window *window, const IndexExpr *const *o, const IndexExpr *const *w,
    const IndexExpr **at, LLVMValueRef *condition);

#endif

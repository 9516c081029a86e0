// One call of pack_lhs or pack_rhs in the making: pack.c, of it what goes through registers
// squares.c, and what both use packing.c.
#ifndef SHARDC_CODEGEN_PACKING_H
#define SHARDC_CODEGEN_PACKING_H

#include "codegen/contract/contraction.h"

// What one call packs: side A (rows = m) or B (columns = n).
typedef struct Packing {
    Emit *e;
    const Contraction *c;
    bool is_lhs;
    PanelForm form;
    const IndexExpr *const *batch;
    PackRange range;          // rows (columns)
    LLVMValueRef first, stop; // the panels that the next loop over panels visits,
    LLVMValueRef lines;       // and how many of their lines exist
    bool is_ragged; // the last one of them has fewer: lines is set by the loop over panels
    const IndexExpr *line_first; // first row (column) of the current panel
    // of lines that lie in one run of memory: their indices but the last, and by how much the
    // number in the panel is more than the last one; NULL = they may lie anywhere
    const IndexExpr *run[MAX_RANK], *run_shift;
    const IndexExpr *panel; // number of the current panel
    PackRange k;
    int64_t k_extent;   // k.extent, rounded up to steps
    LLVMValueRef whole; // the k's of k.count that fill steps
    int64_t per_word;   // k's
    LLVMTypeRef word;
    LLVMValueRef to; // address of the first panel
} Packing;

// The space that the lines are numbers of.
const IndexSpace *packing_lines(const Packing *p);
// The element of a line of the panel and a k of the range.
Scalar packing_element(Packing *p, const IndexExpr *line, const IndexExpr *k);
// A loop over the panels. Where the operand's memory runs along lines, it is inside the loop over
// k: memory is read in its own order.
EmitLoop *packing_panels_begin(Packing *p);

// The word of the elements k * per_word ... of a line, the first one lowest, as i32; and its store.
LLVMValueRef packing_word(Packing *p, const IndexExpr *line, const IndexExpr *k);
void packing_put_word(Packing *p, LLVMValueRef array, const IndexExpr *at, LLVMValueRef word);

// --- squares.c
// The side of the squares; 0 = this CPU's registers have no good form.
int packing_square_side(const Packing *p);
// Panels of words [k][line] from memory that runs along k.
void packing_squares(Packing *p, int side);
// Panels [step][line][words] from memory that runs along lines: a step's words of `side` lines are
// a square.
void packing_steps(Packing *p, int side);

#endif

// Products with few rows: what lower_few_rows.c and few_rows_*.c share.
#ifndef SHARDC_CODEGEN_FEW_ROWS_H
#define SHARDC_CODEGEN_FEW_ROWS_H

#include "codegen/contract/contraction.h"

enum { MOST_FEW_ROWS = 32, FEW_ROWS_CHUNK = 32 }; // rows; lines

typedef struct FewRows {
    Emit *e;
    Matmul *matmul;
    const Contraction *c;
    bool large_is_lhs;
    int rows;
    int64_t lines, window;  // lines at a time
    int64_t chunk;          // lines of a chunk: a multiple of FEW_ROWS_CHUNK
    int64_t pitch;          // of a row of sums: rows do not share their places in a cache
    LLVMValueRef small;     // see `place`
    LLVMValueRef sums;      // [rows][pitch]
    const IndexExpr *first; // line of the window
    LLVMValueRef stop;
    // Where the large operand lies; place.stored NULL = it is computed element by element. The
    // small one in the scratch, zero behind its last k:
    //   memory along k      [row][small_stride]
    //   memory along lines  [k / group][row][k % group]
    //   computed            [row][k], in the accumulator's type
    OperandPlace place;
    const ContractRow *how;             // how places are multiplied
    ElementType large_type, small_type; // in which they are; a raised large one is stored plus 128
    bool is_raised;
    LLVMValueRef excess; // is_raised: of each row of the small one 128 times its sum
    int64_t small_stride;
} FewRows;

// Is the large operand's memory read as vectors, along k or along lines?
bool few_rows_along_k(const FewRows *x);
bool few_rows_along_lines(const FewRows *x);
// Sums of the window's lines.
void few_rows_vectors_along_k(FewRows *x);
void few_rows_vectors_along_lines(FewRows *x);

#endif

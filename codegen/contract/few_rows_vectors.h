// Vectors of the large operand of a product with few rows: see few_rows_vectors.c.
#ifndef SHARDC_CODEGEN_FEW_ROWS_VECTORS_H
#define SHARDC_CODEGEN_FEW_ROWS_VECTORS_H

#include "codegen/contract/few_rows.h"
#include "codegen/emit/emit_state.h"

typedef struct Vectors {
    FewRows *x;
    Emit *e;
    ContractVectors math;
    LLVMTypeRef stored; // the large operand's element in memory
    unsigned stored_bytes;
} Vectors;

Vectors few_vectors_of(FewRows *x);
int few_sums_limit(const Emit *e); // vectors of sums that registers hold beside the operands
// i1 for each of `count` lanes: is it below `limit`?
LLVMValueRef few_lanes_below(Vectors *v, int count, LLVMValueRef limit);
// `count` elements of the large operand, zero where the mask (NULL = none) is.
LLVMValueRef few_load(Vectors *v, LLVMValueRef address, int count, LLVMValueRef mask);
LLVMValueRef few_widen(Vectors *v, LLVMValueRef x);  // as the accumulator's elements; floats only
LLVMValueRef few_packed(Vectors *v, LLVMValueRef x); // as the elements that are multiplied
// Vectors of sums, in locals and in memory.
LLVMValueRef few_local(Vectors *v);
LLVMValueRef few_get(Vectors *v, LLVMValueRef address, unsigned alignment);
void few_set(Vectors *v, LLVMValueRef address, LLVMValueRef x, unsigned alignment);
LLVMValueRef few_element_at(Vectors *v, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at);
LLVMValueRef few_sum_address(Vectors *v, int row, const IndexExpr *line); // in the window
// Asks for the cache line `ahead` elements behind the address, which need not exist.
void few_prefetch(Vectors *v, LLVMValueRef address, int64_t ahead);
LLVMValueRef few_excess_of(Vectors *v, int row); // 128 times the sum of a row of the small operand
// How many pieces of that many bytes are multiplied while memory answers.
int64_t few_pieces_ahead(int64_t bytes);

#endif

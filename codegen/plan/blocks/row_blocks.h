// Blocks of rows: kernels that run one after the other on one block of rows, then on the next
// block, so that what one stores for the others stays in the second-level cache and never becomes
// an array in memory.
//
//     for each outer place (a head of attention):
//       for each block of its rows (of queries):
//         scores = queries x keys            KERNEL_CONTRACT: the rows are the left operand's
//         softmax of the rows, its gradient  KERNEL_LOOP, KERNEL_REDUCE
//         products of these rows, of what is made of them and contracted over them (the gradients
//         of keys and values: their sums wait in the scratch for the last block)
//
// The parts are kernels as they are: each is called for one chunk of its grid, which is a block. An
// array that only parts use is local: the lane's scratch holds one block of it, and its address is
// that of an array whose block lies there. Columns that products pack are packed once for an outer
// place.
#ifndef SHARDC_CODEGEN_PLAN_ROW_BLOCKS_H
#define SHARDC_CODEGEN_PLAN_ROW_BLOCKS_H

#include "codegen/kernel/kernel.h"
#include "codegen/target/target.h"

typedef struct BlockPart {
    Kernel *kernel;
    const int *operands; // by operand: that of the KERNEL_BLOCKS; below 0: local number -1 - n
    int64_t scratch_at;  // bytes
} BlockPart;

typedef struct BlockLocal {
    Buffer *buffer;
    int64_t row_bytes; // from row to row
    int64_t at;        // of the block in the scratch, bytes
    int first, last;   // parts that use it
} BlockLocal;

typedef struct RowBlocks {
    int64_t outer, count, rows; // places, blocks of a place, rows of a block
    int part_count, local_count;
    BlockPart *parts;
    BlockLocal *locals;
} RowBlocks;

// Makes KERNEL_BLOCKS of the kernels between two products where that pays, in all lists of steps.
// Their parts stay among the plan's kernels, with new stages and loops.
void plan_row_blocks(Plan *plan);
// Places the locals and the parts' scratch, whose sizes are known: sets scratch_bytes.
void row_blocks_lay_out(Plan *plan, Kernel *kernel);

#endif

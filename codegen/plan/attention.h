// Attention as one stage: softmax(f(Q K)) V over blocks of keys, found in the
// expressions of a product's operand.
//
//     raw[o, i, j]  = sum over d of queries[o, i, d] * keys[o, j, d]
//                     (a product of its own in the program)
//     score         = any expression of raw and of the axes: scale, mask, bias, cap
//     e             = exp(score - offset), the offset that of the row, or nothing
//     sum           = sum over j of summand(e)
//     y[o, i, n]    = sum over j of weight(e) * values[o, j, n]
//     outputs       = expressions of y, the row's maximum score and sum
//
// The axes are o (outer: batch, heads), i (query), j (key), d (depth), n (column of values); each
// may stand for several dimensions, in row-major order. Blocks of keys in which no key counts for a
// block of queries (KeyMask) are skipped, as long as every row has a key that counts.
#ifndef SHARDC_CODEGEN_PLAN_ATTENTION_H
#define SHARDC_CODEGEN_PLAN_ATTENTION_H

#include "codegen/plan/stage.h"
#include "codegen/target/target.h"

enum { MAX_KEY_MASKS = 4 };

// Where the condition is not `kept`, the score is far below all others.
typedef struct KeyMask {
    const Expr *condition; // i1
    bool kept;
} KeyMask;

// How the kernel runs (attention_blocks.c). A tile of scores is [keys][queries], so that a
// row's maximum and sum need no sums over lanes and the weights are the right operand of
// the second product as they are.
typedef struct AttentionBlocks {
    Tile scores, product;                       // rows: keys, columns of values; columns: queries
    const ContractRow *score_row, *product_row; // how the products are made,
    bool in_tiles;                              // both by tile registers
    ElementType query_type, key_type, weight_type,
        value_type;                           // in which their operands are multiplied
    bool keys_in_place, values_in_place;      // read where they lie, else packed block by block
    int64_t key_strides[2], value_strides[2]; // in place: of a key; of a depth, a column
    int64_t panels;                           // of queries (a tile's columns) of a chunk
    int64_t query_blocks;
    int64_t keys; // of a block
    int64_t key_blocks;
    int64_t depth_steps, key_steps; // groups of all depths, of a block of keys
    int64_t unit;                   // groups that the micro-kernels multiply at once
    int64_t side;    // of squares of words that are transposed in registers: a vector
    int64_t columns; // of values, rounded up to tiles
} AttentionBlocks;

typedef struct Attention {
    const Op *scores, *product;
    Axis outer, query, key, depth, column;
    ElementType accumulator; // of both products, of weights and sums
    ElementType weighted;    // of the weights in the program
    const Expr *queries, *keys, *values;
    const Expr *raw, *maximum, *e, *sum, *y;       // EXPR_SCALAR
    const Expr *score, *offset, *summand, *weight; // offset: NULL = none
    const Expr *row;                               // the product's element, of y, maximum and sum
    const IndexExpr *result_index[MAX_RANK];       // its index
    int mask_count;
    KeyMask masks[MAX_KEY_MASKS];
    double threshold;       // rows whose maximum is above have no weight where a mask does not hold
    struct Finder *finder;  // attention.c's own
    AttentionBlocks blocks; // none before the kernel has its grid
} Attention;

// The stage in which `product` takes its operand number `weights` from `scores`; NULL = it is none.
// Needs a builder whose kernel has the scores' result among its inputs.
Attention *attention_of(ExprBuilder *b, const Op *product, int weights, const Op *scores);
// An expression in which folds of scores stand, with scalars for them; NULL:
// something else of the scores is left.
const Expr *attention_resolve(Attention *a, const Expr *x);

// attention_stage.c: the stage of a KERNEL_ATTENTION; NULL after a diagnostic.
Stage *attention_stage(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, int64_t only_device,
    Diags *diags);
// The outputs of the stage's kernel. False: one needs more of the scores than the kernel knows.
bool attention_add_stores(Stage *stage, Attention *a);
// A copy of the kernel that has one more input, in memory that is dense.
Kernel *kernel_with_input(Arena *arena, const Kernel *kernel, const Value *input);

// attention_blocks.c
// Sets the blocks for a target; the kernel's grid is outer * query_blocks.
void attention_set_blocks(Attention *a, const Target *target);

#endif

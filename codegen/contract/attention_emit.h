// Kernels of attention under construction: see lower_attention.c.
#ifndef SHARDC_CODEGEN_ATTENTION_EMIT_H
#define SHARDC_CODEGEN_ATTENTION_EMIT_H

#include "codegen/contract/contraction.h"
#include "codegen/emit/math/emit_math.h"
#include "codegen/expr/uses.h"
#include "codegen/plan/attention.h"

// Parts of the scratch, as offsets in bytes. In the accumulator's type unless said; [queries] is
// a panel, the columns of a tile.
typedef struct AttentionScratch {
    int64_t key_offsets, value_offsets; // i64 [steps]: of the operands that are read in place
    int64_t queries;                    // [panels][steps][queries] packed
    int64_t keys, values;               // packed block; 0 bytes where they are read in place
    // [rows + keys][queries]: the rows before the block are of a tile that begins before it
    int64_t scores;
    int64_t weights; // [steps][queries] packed; the scores' own place where these are no pairs
    int64_t sums;    // [panels][sum_columns][queries]
    int64_t turned;  // words [queries][depth steps or columns]
    int64_t pairs;   // words [columns][key_steps]: values before they are turned for tiles
    int64_t maxima, totals;                                 // [panels][queries]
    int64_t block_maxima, block_totals, rescale, reference; // [queries]
    int64_t bytes;
} AttentionScratch;

// Columns of values, rounded up to tiles and to squares.
int64_t attention_sum_columns(const Attention *a);

typedef struct AttentionEmit {
    Emit *e;
    const Stage *stage;
    const Attention *a;
    AttentionBlocks blocks;
    AttentionScratch scratch;
    Microkernel score_kernel, product_kernel;
    const IndexExpr *outer;
    const IndexExpr *panel;       // of the chunk
    const IndexExpr *query_first; // of the panel
    const IndexExpr *key_first;   // of the block
    LLVMValueRef key_count;       // in the block
    bool reads_by_query;          // attention_reads_by_query
} AttentionEmit;

AttentionScratch attention_scratch(const Attention *a);
// Words [rows][from_stride] to [columns][to_stride]; rows and columns are multiples of a square's
// side.
typedef struct AttentionTurn {
    int64_t from, from_stride, to, to_stride, rows, columns;
    const IndexExpr *from_at, *to_at; // words before the first
} AttentionTurn;
void attention_turn(AttentionEmit *x, const AttentionTurn *turn);
// Copies the plan's expressions to a place; an axis that is NULL stays.
Substitution attention_place(
    AttentionEmit *x, const IndexExpr *query, const IndexExpr *key, const IndexExpr *depth,
    const IndexExpr *column);
// A number of at most `last`, as an index.
const IndexExpr *attention_at_most(Emit *e, const IndexExpr *x, int64_t last);
// The query in a lane of the panel; behind the last one the last one. Inside of the loop over
// lanes.
const IndexExpr *attention_query(AttentionEmit *x, const EmitLoop *lane);
// Does its number decide where scores or weights read something? If not, lanes behind the last
// query go on counting there: their results are not stored.
bool attention_reads_by_query(const AttentionEmit *x);
const IndexExpr *attention_lane_query(AttentionEmit *x, const EmitLoop *lane);
// in the accumulator's type
Scalar attention_load(AttentionEmit *x, int64_t part, const IndexExpr *at);
void attention_store(AttentionEmit *x, int64_t part, const IndexExpr *at, Scalar value);

// Groups of the block's keys, rounded up to what the micro-kernel multiplies at once.
LLVMValueRef attention_key_groups(AttentionEmit *x);
// Is this key of a group one of the block's, and not behind its last one? i1; NULL = it always is.
// is_first: the key is the group's first one.
LLVMValueRef attention_key_exists(AttentionEmit *x, const IndexExpr *key, bool is_first);

// Two neighbouring elements of 2 bytes as word number `at`.
void attention_store_pair(
    AttentionEmit *x, int64_t part, const IndexExpr *at, const Scalar *elements);

// attention_softmax.c: scores become weights; maxima, totals and sums are
// brought up to the new maximum.
void attention_begin_rows(AttentionEmit *x); // of all panels of the chunk
void attention_weigh(AttentionEmit *x);
// The outputs of the panel.
void attention_finish(AttentionEmit *x);

// attention_skip.c, with inclusive ranges: can a key of these count for one of these queries? i1,
// NULL = it cannot be told. And do all masks of which that can be told (is_told, by number) leave
// all of the keys to all of the queries? i1, NULL = of none.
typedef struct KeyRange {
    LLVMValueRef query_low, query_high, key_low, key_high;
} KeyRange;
LLVMValueRef attention_may_count(AttentionEmit *x, const KeyRange *range);
LLVMValueRef attention_must_count(AttentionEmit *x, const KeyRange *range, bool *is_told);
// of `queries` queries from query_first on and the block's keys
KeyRange attention_range(AttentionEmit *x, int64_t queries);

#endif

// Sorting a list in the scratch: see lower_sort.c.
#ifndef SHARDC_CODEGEN_SORT_H
#define SHARDC_CODEGEN_SORT_H

#include "codegen/emit/emit_state.h"

enum { SORT_BUCKETS = 256, SORT_RADIX = 256 }; // slices longer than SORT_RADIX are sorted by digits

// The comparator as a key: elements of `operand` through `function` (a value of the comparator, of
// its argument number `argument`; NULL = as they are).
typedef struct SortKey {
    int operand; // -1: the comparator is not of that form
    int argument;
    const Value *function;
    ElementType element; // of the key
    bool is_descending;
    bool is_total; // -0 before 0, NaN by their patterns
} SortKey;

typedef struct SortPlan {
    const Op *op;
    const Type *type;
    int inputs, dimension;
    int64_t count, rows; // elements of a slice; slices
    // The slice consists of `runs` runs that are sorted already, of `run` elements each but for a
    // shorter last one; then a chunk of the grid makes `run` ranks of it. Else a run is the slice.
    int64_t run, runs;
    SortKey key;
    int64_t positions[2], keys[2], histogram, elements[MAX_REDUCED],
        scratch;                          // offsets in the scratch; its size
    int64_t begins, ends, cuts, segments; // offsets of what sort_runs.c knows of each run
    int64_t chosen;               // top_k of few elements (lower_top_k.c); 0 = all are sorted
    int64_t block, buffer, least; // its offsets
} SortPlan;

typedef struct SortSlice {
    int rank, dimension;
    const IndexExpr *at[MAX_RANK];
} SortSlice;

// Small services: numbers and counters in i64.
static inline LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }
static inline int64_t round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }
LLVMValueRef sort_minimum(Emit *e, LLVMValueRef x, LLVMValueRef y); // signed
LLVMValueRef sort_local(Emit *e, LLVMValueRef start);
LLVMValueRef sort_get(Emit *e, LLVMValueRef local);

// sort_key.c
SortKey sort_key(const Op *op);
int sort_key_bits(const SortKey *key);
LLVMValueRef sort_load_key(Emit *e, const SortPlan *plan, LLVMValueRef keys, LLVMValueRef at);
void sort_store_key_in(
    Emit *e, const SortPlan *plan, LLVMValueRef keys, LLVMValueRef at, LLVMValueRef key);
void sort_slice_index(const SortSlice *slice, const IndexExpr *position, const IndexExpr **at);
// The key of the slice's element at a position; NULL after a diagnostic.
LLVMValueRef sort_key_at(
    Emit *e, const SortPlan *plan, const SortSlice *slice, const IndexExpr *position);
void sort_store_key(Emit *e, const SortPlan *plan, int half, LLVMValueRef at, LLVMValueRef key);
// Does what the list has at place a (of runs: the slice at position a) come before what is at b, by
// the comparator?
LLVMValueRef sort_comes_before(
    Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef a, LLVMValueRef b);

// Does the slice's element at position a come before the one at b, by the comparator?
LLVMValueRef sort_comes_before_in(
    Emit *e, const SortPlan *plan, const SortSlice *slice, const IndexExpr *a, const IndexExpr *b);

// Both sort the first `count` of what lies in half 0 of the scratch; the result is an i1: the half
// in which the sorted list is. slice: of runs, whose parts of the list are merged; else NULL.
LLVMValueRef sort_merge(Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef count);
LLVMValueRef sort_radix(Emit *e, const SortPlan *plan, LLVMValueRef count);
int sort_merge_passes(const SortPlan *plan);

// sort_runs.c: where the elements of ranks first .. last of a slice lie in its runs (the arrays
// `begins` and `ends` in the scratch), and where in the list what is of a run lies (`segments`, one
// more).
int64_t sort_runs_place(SortPlan *plan, int64_t at);
bool sort_find_ranks(
    Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef first, LLVMValueRef last);
LLVMValueRef sort_number(Emit *e, int64_t array, LLVMValueRef at); // of such an array

// Are the k least keys found faster than by sorting all? Then where its arrays lie from `at` on
// (the result is their end), and their positions, in order, to half 0 of the positions.
bool top_k_pays(const SortPlan *plan, int64_t k);
int64_t top_k_place(SortPlan *plan, int64_t at);
void top_k_select(Emit *e, const SortPlan *plan, const SortSlice *slice);

#endif

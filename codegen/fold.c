// Folds: see reduction.h. Rows: every result has loops of its own, the innermost in vector lanes. Columns: a block of results in a local
// array, the reduced loops outside, so that vectors run along the results; each result is folded in the order of the loops.
#include "codegen/reduction.h"

typedef const IndexExpr *Index;

enum { SUM_BLOCK = 2048, COLUMN_BLOCK = 512, COLUMN_UNROLL = 8 };

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static LLVMValueRef minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
}

// --- rows ---

typedef struct RowFold {
    const Fold *fold;
    const Index *index;
    LLVMValueRef accumulators[MAX_REDUCED];
    Index at[MAX_RANK];
} RowFold;

static void row_step(Emit *e, const RowFold *row, bool reassociate) {
    const Fold *fold = row->fold;
    Scalar sums[MAX_REDUCED];
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_local_get(e, row->accumulators[i], fold->accumulator[i]);
    fold->step(e, fold, row->index, row->at, sums, reassociate);
    for (int i = 0; i < fold->count && !e->failed; i++)
        emit_local_set(e, row->accumulators[i], sums[i]);
}

static EmitLoop *reduced_loop(
    Emit *e, LLVMValueRef start, LLVMValueRef stop, int64_t extent, bool vectorize) {
    EmitLoop *loop = emit_loop_begin(e, start, stop, 1, extent, vectorize);
    e->state->variables.data[loop->variable].is_reduced = true;
    return loop;
}

// The innermost loop. Long sums of floats: in blocks with sums of their own, for accuracy.
static void row_inner(Emit *e, RowFold *row, int k) {
    const Fold *fold = row->fold;
    int64_t extent = fold->extent[k];
    if (!fold->is_sum || extent < 2 * SUM_BLOCK) {
        EmitLoop *loop = reduced_loop(e, number(e, 0), number(e, extent), extent, fold->vectorize);
        row->at[k] = loop->index;
        row_step(e, row, fold->vectorize);
        emit_loop_end(e, loop);
        return;
    }
    EmitLoop *blocks =
        emit_loop_begin(e, number(e, 0), number(e, extent), SUM_BLOCK, extent, false);
    LLVMValueRef stop = LLVMBuildNSWAdd(e->builder, blocks->phi, number(e, SUM_BLOCK), "");
    stop = minimum(e, stop, number(e, extent));
    RowFold inner = *row;
    inner.accumulators[0] = emit_local(e, fold->accumulator[0]);
    emit_local_set(e, inner.accumulators[0], emit_constant(e, fold->accumulator[0], -0.0));
    EmitLoop *loop = reduced_loop(e, blocks->phi, stop, extent, true);
    inner.at[k] = loop->index;
    row_step(e, &inner, true);
    emit_loop_end(e, loop);
    Scalar total = emit_local_get(e, row->accumulators[0], fold->accumulator[0]);
    Scalar part = emit_local_get(e, inner.accumulators[0], fold->accumulator[0]);
    emit_local_set(e, row->accumulators[0], emit_arithmetic(e, OP_ADD, total, part));
    emit_loop_end(e, blocks);
}

// All steps one after the other, indices constant.
static void row_unrolled(Emit *e, RowFold *row, int k) {
    if (e->failed) return;
    if (k == row->fold->loop_count) {
        row_step(e, row, false);
        return;
    }
    for (int64_t i = 0; i < row->fold->extent[k]; i++) {
        row->at[k] = index_constant(e->index, i);
        row_unrolled(e, row, k + 1);
    }
}

bool fold_element(Emit *e, const Fold *fold, const IndexExpr *const *index, Scalar *results) {
    RowFold *row = ARENA_NEW(e->arena, RowFold);
    row->fold = fold;
    row->index = index;
    Scalar sums[MAX_REDUCED];
    fold->start(e, fold, index, sums);
    if (e->failed) return false;
    for (int i = 0; i < fold->count; i++) {
        row->accumulators[i] = emit_local(e, fold->accumulator[i]);
        emit_local_set(e, row->accumulators[i], sums[i]);
    }
    if (fold->unroll) {
        row_unrolled(e, row, 0);
    } else if (fold->loop_count == 0) {
        row_step(e, row, false);
    } else {
        EmitLoop *outer[MAX_RANK] = {NULL};
        int last = fold->loop_count - 1;
        for (int k = 0; k < last; k++) {
            outer[k] =
                reduced_loop(e, number(e, 0), number(e, fold->extent[k]), fold->extent[k], false);
            row->at[k] = outer[k]->index;
        }
        row_inner(e, row, last);
        for (int k = last - 1; k >= 0; k--)
            emit_loop_end(e, outer[k]);
    }
    if (e->failed) return false;
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_local_get(e, row->accumulators[i], fold->accumulator[i]);
    fold->finish(e, fold, sums, results);
    return !e->failed;
}

// --- columns ---

bool fold_prefers_columns(const Space *space) {
    double rows = 0, columns = 0;
    for (int64_t u = 0; u < space->uses.count; u++) {
        const IndexUse *use = &space->uses.data[u];
        if (use->kind != USE_ADDRESS || !use->is_in_fold) continue;
        if (use->is_fold_contiguous) rows += 1;
        for (int p = 0; p < space->part_count; p++) {
            int64_t factor;
            bool is_affine = index_is_affine_in(use->index, space->part_variables[p], &factor);
            if (is_affine && (factor == 1 || factor == -1) && space->parts[p].extent >= 4)
                columns += 1;
        }
    }
    return columns > rows;
}

typedef struct ColumnFold {
    const Fold *fold;
    const Value *const *results;
    LLVMValueRef arrays[MAX_REDUCED]; // [COLUMN_BLOCK]
    SpaceBlock *block;
    LLVMValueRef first, last; // of the block of columns
    int64_t size;
    Index at[MAX_RANK];
} ColumnFold;

// A loop over the columns of the block; *place is the column's number in the local arrays.
static EmitLoop *column_loop(Emit *e, const ColumnFold *column, Index *index, LLVMValueRef *place) {
    EmitLoop *loop = emit_loop_begin(e, column->first, column->last, 1, column->size, true);
    space_block_index(e, column->block, loop->index, index);
    *place = LLVMBuildNSWSub(e->builder, loop->phi, column->first, "");
    return loop;
}

static void column_start(Emit *e, const ColumnFold *column) {
    const Fold *fold = column->fold;
    Index index[MAX_RANK];
    LLVMValueRef place;
    Scalar sums[MAX_REDUCED];
    EmitLoop *loop = column_loop(e, column, index, &place);
    fold->start(e, fold, index, sums);
    for (int i = 0; i < fold->count && !e->failed; i++)
        emit_private_store(e, fold->accumulator[i], column->arrays[i], place, sums[i]);
    emit_loop_end(e, loop);
}

// One step of each column, or several consecutive ones of reduced loop k: at * unroll, at * unroll + 1 ... Sums of several steps are made
// before they are added to the column's, which shortens the chain of roundings.
static void column_step(Emit *e, ColumnFold *column, int k, Index at, int64_t unroll) {
    const Fold *fold = column->fold;
    Index index[MAX_RANK];
    LLVMValueRef place;
    Scalar sums[MAX_REDUCED], before[MAX_REDUCED];
    bool sums_apart = fold->is_sum && unroll > 1;
    EmitLoop *loop = column_loop(e, column, index, &place);
    for (int i = 0; i < fold->count; i++) {
        before[i] = emit_private_load(e, fold->accumulator[i], column->arrays[i], place);
        sums[i] = sums_apart ? emit_constant(e, fold->accumulator[i], -0.0) : before[i];
    }
    for (int64_t u = 0; u < unroll && !e->failed; u++) {
        if (k >= 0)
            column->at[k] = index_add_constant(e->index, index_scale(e->index, at, unroll), u);
        fold->step(e, fold, index, column->at, sums, false);
    }
    for (int i = 0; i < fold->count && !e->failed; i++) {
        if (sums_apart) sums[i] = emit_arithmetic(e, OP_ADD, before[i], sums[i]);
        emit_private_store(e, fold->accumulator[i], column->arrays[i], place, sums[i]);
    }
    emit_loop_end(e, loop);
}

static void column_inner(Emit *e, ColumnFold *column, int k) {
    int64_t extent = column->fold->extent[k], groups = extent / COLUMN_UNROLL,
            rest = extent % COLUMN_UNROLL;
    if (groups) {
        EmitLoop *loop = reduced_loop(e, number(e, 0), number(e, groups), groups, false);
        column_step(e, column, k, loop->index, COLUMN_UNROLL);
        emit_loop_end(e, loop);
    }
    for (int64_t i = 0; i < rest && !e->failed; i++)
        column_step(e, column, k, index_constant(e->index, extent - rest + i), 1);
}

static void column_finish(Emit *e, const ColumnFold *column) {
    const Fold *fold = column->fold;
    Index index[MAX_RANK];
    LLVMValueRef place;
    Scalar sums[MAX_REDUCED], results[MAX_REDUCED];
    EmitLoop *loop = column_loop(e, column, index, &place);
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_private_load(e, fold->accumulator[i], column->arrays[i], place);
    fold->finish(e, fold, sums, results);
    for (int i = 0; i < fold->count; i++)
        emit_bind(e, column->results[i], &results[i]);
    store_outputs_of(e, column->results[0], index);
    for (int i = 0; i < fold->count; i++)
        emit_bind(e, column->results[i], NULL);
    emit_loop_end(e, loop);
}

static void column_block(Emit *e, void *user, SpaceBlock *block) {
    ColumnFold *column = user;
    const Fold *fold = column->fold;
    EmitLoop *blocks =
        emit_loop_begin(e, block->low, block->high, COLUMN_BLOCK, block->size, false);
    LLVMValueRef end = LLVMBuildNSWAdd(e->builder, blocks->phi, number(e, COLUMN_BLOCK), "");
    column->block = block;
    column->first = blocks->phi;
    column->last = minimum(e, end, block->high);
    column->size = block->size;
    column_start(e, column);
    EmitLoop *outer[MAX_RANK];
    for (int k = 0; k + 1 < fold->loop_count; k++) {
        outer[k] =
            reduced_loop(e, number(e, 0), number(e, fold->extent[k]), fold->extent[k], false);
        column->at[k] = outer[k]->index;
    }
    if (fold->loop_count)
        column_inner(e, column, fold->loop_count - 1);
    else
        column_step(e, column, -1, NULL, 1);
    for (int k = fold->loop_count - 2; k >= 0; k--)
        emit_loop_end(e, outer[k]);
    column_finish(e, column);
    emit_loop_end(e, blocks);
}

void fold_emit_columns(Emit *e, const Fold *fold, Space *space, const Value *const *results) {
    ColumnFold *column = ARENA_NEW(e->arena, ColumnFold);
    column->fold = fold;
    column->results = results;
    for (int i = 0; i < fold->count; i++)
        column->arrays[i] =
            emit_alloca(e, emit_memory_type(e, fold->accumulator[i]), COLUMN_BLOCK, 64);
    space->tile = -1;
    space->block = column_block;
    space->user = column;
    space_emit(e, space);
}

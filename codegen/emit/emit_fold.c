// Folds at one place, by rows: loops over the fold's axes, the innermost in vector lanes, or all steps one after the other.
#include "codegen/emit/emit_state.h"
#include "codegen/plan/fold.h"

enum { SUM_BLOCK = 2048 };

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

// ---- steps

void emit_fold_start(Emit *e, const Fold *fold, Substitution *s, Scalar *sums) {
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_expr(e, expr_substitute(s, fold->start[i]));
}

static void set_accumulators(Emit *e, const Fold *fold, Substitution *s, const Scalar *sums) {
    for (int i = 0; i < fold->count; i++)
        s->scalars[fold->accumulators[i]->id] = emit_known(e, sums[i]);
}

void emit_fold_results(
    Emit *e, const Fold *fold, Substitution *s, const Scalar *sums, Scalar *results) {
    set_accumulators(e, fold, s, sums);
    for (int i = 0; i < fold->result_count; i++)
        results[i] = emit_expr(e, expr_substitute(s, fold->result[i]));
}

void emit_fold_step(Emit *e, const Fold *fold, Substitution *s, Scalar *sums, bool reassociate) {
    Guard *guards = ARENA_ARRAY(e->arena, Guard, fold->guard_count + 1);
    int guard_count = 0;
    for (int i = 0; i < fold->guard_count; i++) {
        if (!guard_add(guards, &guard_count, guard_substitute(s, fold->guards[i]))) return;
    }
    bool outer = e->state->in_lanes;
    e->state->in_lanes = reassociate;
    EmitIf branch = {0};
    if (guard_count) branch = emit_if(e, emit_guards(e, guard_count, guards));
    set_accumulators(e, fold, s, sums);
    Scalar *next = ARENA_ARRAY(e->arena, Scalar, fold->count);
    for (int i = 0; i < fold->count; i++)
        next[i] = emit_expr(e, expr_substitute(s, fold->step[i]));
    if (guard_count) emit_end_if(e, &branch);
    for (int i = 0; i < fold->count && !e->failed; i++)
        sums[i] = guard_count ? emit_phi(e, &branch, next[i], sums[i]) : next[i];
    e->state->in_lanes = outer;
}

// ---- loops

typedef struct RowFold {
    const Fold *fold;
    LLVMValueRef accumulators[3 * MAX_REDUCED]; // locals
    const IndexExpr *at[MAX_RANK];
} RowFold;

static void row_step(Emit *e, const RowFold *row, bool reassociate) {
    const Fold *fold = row->fold;
    Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
    Substitution s = substitution(e->exprs, e->exprs);
    for (int k = 0; k < fold->axis_count; k++)
        s.variables[fold->axes[k].variable] = row->at[k];
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_local_get(e, row->accumulators[i], fold->accumulators[i]->element);
    emit_fold_step(e, fold, &s, sums, reassociate);
    for (int i = 0; i < fold->count && !e->failed; i++)
        emit_local_set(e, row->accumulators[i], sums[i]);
}

// The innermost loop. Long sums of floats: in blocks with sums of their own, for accuracy.
static void row_inner(Emit *e, RowFold *row, int k) {
    const Fold *fold = row->fold;
    int64_t extent = fold->axes[k].extent;
    if (!fold->is_sum || extent < 2 * SUM_BLOCK) {
        EmitLoop *loop =
            emit_loop_begin(e, number(e, 0), number(e, extent), 1, extent, fold->in_lanes);
        row->at[k] = loop->index;
        row_step(e, row, fold->in_lanes);
        emit_loop_end(e, loop);
        return;
    }
    ElementType element = fold->accumulators[0]->element;
    EmitLoop *blocks =
        emit_loop_begin(e, number(e, 0), number(e, extent), SUM_BLOCK, extent, false);
    LLVMValueRef stop = LLVMBuildNSWAdd(e->builder, blocks->phi, number(e, SUM_BLOCK), "");
    LLVMValueRef both[2] = {stop, number(e, extent)};
    stop = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
    RowFold inner = *row;
    inner.accumulators[0] = emit_local(e, element);
    emit_local_set(e, inner.accumulators[0], emit_constant(e, element, -0.0));
    EmitLoop *loop = emit_loop_begin(e, blocks->phi, stop, 1, extent, true);
    inner.at[k] = loop->index;
    row_step(e, &inner, true);
    emit_loop_end(e, loop);
    Scalar total = emit_local_get(e, row->accumulators[0], element);
    Scalar part = emit_local_get(e, inner.accumulators[0], element);
    emit_local_set(e, row->accumulators[0], emit_arithmetic(e, OP_ADD, total, part));
    emit_loop_end(e, blocks);
}

static void row_loops(Emit *e, RowFold *row) {
    const Fold *fold = row->fold;
    EmitLoop *outer[MAX_RANK] = {NULL};
    int last = fold->axis_count - 1;
    if (last < 0) {
        row_step(e, row, false);
        return;
    }
    for (int k = 0; k < last; k++) {
        outer[k] = emit_loop_constant(e, fold->axes[k].extent, false);
        row->at[k] = outer[k]->index;
    }
    row_inner(e, row, last);
    for (int k = last - 1; k >= 0; k--)
        emit_loop_end(e, outer[k]);
}

static void all_steps(Emit *e, const Fold *fold, Scalar *sums) {
    FoldPlace place = {.fold = fold};
    while (!e->failed && fold_next_place(&place)) {
        Substitution s = substitution(e->exprs, e->exprs);
        fold_substitute_place(&s, &place);
        emit_fold_step(e, fold, &s, sums, false);
    }
}

bool emit_fold(Emit *e, const Fold *fold, Scalar *results) {
    Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
    Substitution s = substitution(e->exprs, e->exprs);
    emit_fold_start(e, fold, &s, sums);
    if (e->failed) return false;
    if (fold->unroll) {
        all_steps(e, fold, sums);
    } else {
        RowFold row = {.fold = fold};
        for (int i = 0; i < fold->count; i++) {
            row.accumulators[i] = emit_local(e, fold->accumulators[i]->element);
            emit_local_set(e, row.accumulators[i], sums[i]);
        }
        row_loops(e, &row);
        for (int i = 0; i < fold->count && !e->failed; i++)
            sums[i] = emit_local_get(e, row.accumulators[i], fold->accumulators[i]->element);
    }
    if (!e->failed) emit_fold_results(e, fold, &s, sums, results);
    return !e->failed;
}

// Folds at one place, by rows: loops over the fold's axes, the innermost in vector lanes, or
// all steps one after the other.
#include "codegen/emit/emit_state.h"
#include "codegen/expr/fold_place.h"

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
    EmitLoop *blocks =
        emit_loop_begin(e, number(e, 0), number(e, extent), SUM_BLOCK, extent, false);
    LLVMValueRef stop = emit_block_end(e, blocks);
    RowFold inner = *row;
    for (int i = 0; i < fold->count; i++) {
        ElementType element = fold->accumulators[i]->element;
        inner.accumulators[i] = emit_local(e, element);
        emit_local_set(e, inner.accumulators[i], emit_constant(e, element, -0.0));
    }
    EmitLoop *loop = emit_loop_begin(e, blocks->phi, stop, 1, extent, true);
    inner.at[k] = loop->index;
    row_step(e, &inner, true);
    emit_loop_end(e, loop);
    for (int i = 0; i < fold->count && !e->failed; i++) {
        ElementType element = fold->accumulators[i]->element;
        Scalar total = emit_local_get(e, row->accumulators[i], element);
        Scalar part = emit_local_get(e, inner.accumulators[i], element);
        emit_local_set(e, row->accumulators[i], emit_arithmetic(e, OP_ADD, total, part));
    }
    emit_loop_end(e, blocks);
}

// ---- sums over short rows: a vector of sums for all rows, added up at the end

enum { LEAST_ROW = 4, MOST_ROW = 64, LEAST_ROWS = 8, ROWS_TOGETHER = 8 };

typedef struct ShortRows {
    RowFold row;          // .at: of the rows' axes
    LLVMValueRef *arrays; // [fold->count] of sums, as long as a row
    int last;             // the rows' innermost axis
} ShortRows;

static bool sums_short_rows(const Fold *fold) {
    int last = fold->axis_count - 1;
    if (last < 1 || !fold->is_sum || fold->guard_count > 0) return false;
    int64_t length = fold->axes[last].extent, rows = fold->axes[last - 1].extent;
    return length >= LEAST_ROW && length <= MOST_ROW && rows >= LEAST_ROWS;
}

// Adds rows first ... of the innermost axis of rows, each lane by itself.
static void add_rows(Emit *e, ShortRows *x, const IndexExpr *first, int64_t count) {
    const Fold *fold = x->row.fold;
    Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
    EmitLoop *lane = emit_loop_constant(e, fold->axes[x->last + 1].extent, true);
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_constant(e, fold->accumulators[i]->element, -0.0);
    for (int64_t r = 0; r < count && !e->failed; r++) {
        Substitution s = substitution(e->exprs, e->exprs);
        for (int k = 0; k < x->last; k++)
            s.variables[fold->axes[k].variable] = x->row.at[k];
        s.variables[fold->axes[x->last].variable] = index_add_constant(e->index, first, r);
        s.variables[fold->axes[x->last + 1].variable] = lane->index;
        emit_fold_step(e, fold, &s, sums, false);
    }
    for (int i = 0; i < fold->count && !e->failed; i++) {
        ElementType element = fold->accumulators[i]->element;
        Scalar before = emit_private_load(e, element, x->arrays[i], lane->phi);
        Scalar after = emit_arithmetic(e, OP_ADD, before, sums[i]);
        emit_private_store(e, element, x->arrays[i], lane->phi, after);
    }
    emit_loop_end(e, lane);
}

// Sets the arrays to -0.0, or adds what they hold to the fold's sums.
static void each_lane(Emit *e, const ShortRows *x, bool add) {
    const Fold *fold = x->row.fold;
    EmitLoop *lane = emit_loop_constant(e, fold->axes[x->last + 1].extent, true);
    bool outer = e->reassociate;
    e->reassociate = add;
    for (int i = 0; i < fold->count && !e->failed; i++) {
        ElementType element = fold->accumulators[i]->element;
        if (add) {
            Scalar sum = emit_local_get(e, x->row.accumulators[i], element);
            Scalar part = emit_private_load(e, element, x->arrays[i], lane->phi);
            emit_local_set(e, x->row.accumulators[i], emit_arithmetic(e, OP_ADD, sum, part));
        } else {
            emit_private_store(
                e, element, x->arrays[i], lane->phi, emit_constant(e, element, -0.0));
        }
    }
    e->reassociate = outer;
    emit_loop_end(e, lane);
}

static void add_short_rows(Emit *e, const RowFold *row) {
    const Fold *fold = row->fold;
    ShortRows x = {.row = *row, .last = fold->axis_count - 2};
    x.arrays = ARENA_ARRAY(e->arena, LLVMValueRef, fold->count);
    for (int i = 0; i < fold->count; i++)
        x.arrays[i] = emit_alloca(
            e, emit_memory_type(e, fold->accumulators[i]->element), fold->axes[x.last + 1].extent,
            64);
    each_lane(e, &x, false);
    EmitLoop *outer[MAX_RANK] = {NULL};
    for (int k = 0; k < x.last; k++) {
        outer[k] = emit_loop_constant(e, fold->axes[k].extent, false);
        x.row.at[k] = outer[k]->index;
    }
    int64_t rows = fold->axes[x.last].extent, rest = rows % ROWS_TOGETHER;
    EmitLoop *groups = emit_loop_constant(e, rows / ROWS_TOGETHER, false);
    add_rows(e, &x, index_scale(e->index, groups->index, ROWS_TOGETHER), ROWS_TOGETHER);
    emit_loop_end(e, groups);
    if (rest) add_rows(e, &x, index_constant(e->index, rows - rest), rest);
    for (int k = x.last - 1; k >= 0; k--)
        emit_loop_end(e, outer[k]);
    each_lane(e, &x, true);
}

static void row_loops(Emit *e, RowFold *row) {
    const Fold *fold = row->fold;
    EmitLoop *outer[MAX_RANK] = {NULL};
    int last = fold->axis_count - 1;
    if (sums_short_rows(fold)) {
        add_short_rows(e, row);
        return;
    }
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

// ---- reductions that choose (element/choice.c): each lane for itself, then the
// lanes in the order of their places

enum { CHOICE_LANES = 64, LEAST_CHOICE_LANES = 16 };

typedef struct ChoiceFold {
    const Fold *fold;
    int64_t lanes;
    LLVMValueRef arrays[2]; // of the pairs, [lanes]
} ChoiceFold;

static void load_pair(Emit *e, const ChoiceFold *c, LLVMValueRef lane, Scalar *pair) {
    for (int i = 0; i < 2; i++)
        pair[i] = emit_private_load(e, c->fold->accumulators[i]->element, c->arrays[i], lane);
}

static void store_pair(Emit *e, const ChoiceFold *c, LLVMValueRef lane, const Scalar *pair) {
    for (int i = 0; i < 2 && !e->failed; i++)
        emit_private_store(e, c->fold->accumulators[i]->element, c->arrays[i], lane, pair[i]);
}

// Places first .. first + count - 1, one per lane.
static void choice_steps(Emit *e, const ChoiceFold *c, const IndexExpr *first, int64_t count) {
    const Fold *fold = c->fold;
    EmitLoop *lane = emit_loop_constant(e, count, true);
    Substitution s = substitution(e->exprs, e->exprs);
    s.variables[fold->axes[0].variable] = index_add(e->index, first, lane->index);
    Scalar pair[2];
    load_pair(e, c, lane->phi, pair);
    emit_fold_step(e, fold, &s, pair, false);
    store_pair(e, c, lane->phi, pair);
    emit_loop_end(e, lane);
}

// Lane k becomes the choice between lanes k and k + half.
static void choice_between(Emit *e, const ChoiceFold *c, int64_t half) {
    EmitLoop *lane = emit_loop_constant(e, half, true);
    Scalar x[2], y[2], both[4], chosen[2];
    load_pair(e, c, lane->phi, x);
    load_pair(e, c, LLVMBuildNSWAdd(e->builder, lane->phi, number(e, half), ""), y);
    bool is_signed = element_class(x[1].element) == CLASS_SINT;
    LLVMValueRef in_order =
        LLVMBuildICmp(e->builder, is_signed ? LLVMIntSLE : LLVMIntULE, x[1].value, y[1].value, "");
    for (int i = 0; i < 2; i++) {
        both[i] = both[2 + i] = x[i];
        both[i].value = LLVMBuildSelect(e->builder, in_order, x[i].value, y[i].value, "");
        both[2 + i].value = LLVMBuildSelect(e->builder, in_order, y[i].value, x[i].value, "");
    }
    if (emit_scalar_region(e, c->fold->choice, both, chosen)) store_pair(e, c, lane->phi, chosen);
    emit_loop_end(e, lane);
}

static bool may_choose_in_lanes(const Fold *fold) {
    return fold->choice && !fold->unroll && fold->guard_count == 0 && fold->axis_count == 1 &&
           fold->axes[0].extent >= 2 * LEAST_CHOICE_LANES;
}

static void choose_in_lanes(Emit *e, const Fold *fold, Scalar *sums) {
    int64_t extent = fold->axes[0].extent;
    ChoiceFold c = {.fold = fold, .lanes = CHOICE_LANES};
    while (c.lanes > LEAST_CHOICE_LANES && extent < 4 * c.lanes)
        c.lanes /= 2;
    for (int i = 0; i < 2; i++)
        c.arrays[i] =
            emit_alloca(e, emit_memory_type(e, fold->accumulators[i]->element), c.lanes, 64);
    EmitLoop *start = emit_loop_constant(e, c.lanes, true);
    store_pair(e, &c, start->phi, sums);
    emit_loop_end(e, start);
    EmitLoop *steps = emit_loop_constant(e, extent / c.lanes, false);
    choice_steps(e, &c, index_scale(e->index, steps->index, c.lanes), c.lanes);
    emit_loop_end(e, steps);
    int64_t rest = extent % c.lanes;
    if (rest) choice_steps(e, &c, index_constant(e->index, extent - rest), rest);
    for (int64_t half = c.lanes / 2; half >= 1 && !e->failed; half /= 2)
        choice_between(e, &c, half);
    load_pair(e, &c, number(e, 0), sums);
}

bool emit_fold(Emit *e, const Fold *fold, Scalar *results) {
    Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
    Substitution s = substitution(e->exprs, e->exprs);
    emit_fold_start(e, fold, &s, sums);
    if (e->failed) return false;
    if (fold->unroll) {
        all_steps(e, fold, sums);
    } else if (may_choose_in_lanes(fold)) {
        choose_in_lanes(e, fold, sums);
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

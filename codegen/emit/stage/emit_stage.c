// Emission of stages: maps, folds by rows and by columns. Scans: emit_scan.c.
#include "codegen/emit/stage/columns.h"
#include "codegen/expr/fold.h"

typedef const IndexExpr *Index;

enum { COLUMN_BYTES = 8 << 10, COLUMN_UNROLL = 8, STEPS_TOGETHER = 4, PART_GROUPS = 16 };

// ---- maps, and folds by rows

static void map_element(Emit *e, void *user, const Index *index) {
    const Stage *stage = user;
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, index);
    emit_stage_stores(e, stage, &s);
}

// ---- folds by columns: the fold's loops outside, so that vectors run along the results; each
// result is folded in the order of the loops

typedef struct ColumnFold {
    Columns columns;
    LLVMValueRef *part_sums; // [fold's accumulators] arrays like those of the columns
    Index at[MAX_RANK];
} ColumnFold;

// One step of each column, or several consecutive ones of axis k: at * unroll, at * unroll
// + 1 ... Sums of several steps are made before they are added to the column's, which
// shortens the chain of roundings.
static void column_step(Emit *e, ColumnFold *c, int k, Index at, int64_t unroll) {
    const Stage *stage = c->columns.stage;
    const Fold *fold = stage->fold;
    Scalar sums[3 * MAX_REDUCED], before[3 * MAX_REDUCED];
    bool sums_apart = fold->is_sum && unroll > 1;
    ColumnLoop column = columns_loop(e, &c->columns);
    columns_load(e, &c->columns, &column, before);
    for (int i = 0; i < fold->count; i++)
        sums[i] = sums_apart ? emit_constant(e, fold->accumulators[i]->element, -0.0) : before[i];
    for (int64_t u = 0; u < unroll && !e->failed; u++) {
        if (k >= 0) c->at[k] = index_add_constant(e->index, index_scale(e->index, at, unroll), u);
        Substitution s = substitution(e->exprs, stage->exprs);
        stage_set_axes(&s, stage, column.index);
        for (int d = 0; d < fold->axis_count; d++)
            s.variables[fold->axes[d].variable] = c->at[d];
        emit_fold_step(e, fold, &s, sums, false);
    }
    for (int i = 0; i < fold->count && sums_apart && !e->failed; i++)
        sums[i] = emit_arithmetic(e, OP_ADD, before[i], sums[i]);
    columns_store(e, &c->columns, &column, sums);
    emit_loop_end(e, column.loop);
}

static void column_inner(Emit *e, ColumnFold *c, int k) {
    int64_t extent = c->columns.stage->fold->axes[k].extent, groups = extent / COLUMN_UNROLL,
            rest = extent % COLUMN_UNROLL;
    if (groups) {
        EmitLoop *loop = emit_loop_constant(e, groups, false);
        column_step(e, c, k, loop->index, COLUMN_UNROLL);
        emit_loop_end(e, loop);
    }
    for (int64_t i = 0; i < rest && !e->failed; i++)
        column_step(e, c, k, index_constant(e->index, extent - rest + i), 1);
}

// Adds the sums of `from`; NULL: -0.0 in their place.
static void columns_add(Emit *e, const Columns *from, const Columns *to) {
    const Fold *fold = to->stage->fold;
    Scalar part[3 * MAX_REDUCED], sums[3 * MAX_REDUCED];
    ColumnLoop column = columns_loop(e, to);
    if (from) {
        columns_load(e, from, &column, part);
        columns_load(e, to, &column, sums);
    }
    for (int i = 0; i < fold->count && !e->failed; i++)
        sums[i] = from ? emit_arithmetic(e, OP_ADD, sums[i], part[i])
                       : emit_constant(e, fold->accumulators[i]->element, -0.0);
    columns_store(e, to, &column, sums);
    emit_loop_end(e, column.loop);
}

// The steps of axis k in order, a few rows of memory at a time for all columns: one by one they
// would wait for each other's sums. Sums are made in parts, for accuracy.
static void steps_in_order(Emit *e, ColumnFold *c, int k) {
    int64_t extent = c->columns.stage->fold->axes[k].extent, groups = extent / STEPS_TOGETHER;
    bool in_parts = c->columns.stage->fold->is_sum;
    int64_t size = in_parts && groups >= 2 * PART_GROUPS ? PART_GROUPS : groups;
    LLVMValueRef end = emit_i64_constant(e, groups);
    EmitLoop *parts = emit_loop_begin(e, emit_i64_constant(e, 0), end, size, groups, false);
    LLVMValueRef stop = emit_block_end(e, parts);
    ColumnFold part = *c;
    for (int i = 0; in_parts && i < c->columns.stage->fold->count; i++)
        part.columns.arrays[i] = c->part_sums[i];
    if (in_parts) columns_add(e, NULL, &part.columns);
    EmitLoop *step = emit_loop_begin(e, parts->phi, stop, 1, groups, false);
    column_step(e, &part, k, step->index, STEPS_TOGETHER);
    emit_loop_end(e, step);
    if (in_parts && !e->failed) columns_add(e, &part.columns, &c->columns);
    emit_loop_end(e, parts);
    for (int64_t i = groups * STEPS_TOGETHER; i < extent && !e->failed; i++)
        column_step(e, c, k, index_constant(e->index, i), 1);
}

static void fold_block(Emit *e, void *user, SpaceBlock *block) {
    ColumnFold *c = user;
    const Stage *stage = c->columns.stage;
    const Fold *fold = stage->fold;
    EmitLoop *blocks = columns_begin(e, &c->columns, block), *outer[MAX_RANK];
    for (int k = 0; k + 1 < fold->axis_count; k++) {
        outer[k] = emit_loop_constant(e, fold->axes[k].extent, false);
        c->at[k] = outer[k]->index;
    }
    bool in_order = stage->space->steps_in_order && fold->axis_count;
    if (in_order && fold->axes[fold->axis_count - 1].extent >= STEPS_TOGETHER)
        steps_in_order(e, c, fold->axis_count - 1);
    else if (fold->axis_count)
        column_inner(e, c, fold->axis_count - 1);
    else
        column_step(e, c, -1, NULL, 1);
    for (int k = fold->axis_count - 2; k >= 0; k--)
        emit_loop_end(e, outer[k]);
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = columns_loop(e, &c->columns);
    columns_load(e, &c->columns, &column, sums);
    columns_results(e, stage, &column.s, sums);
    emit_loop_end(e, column.loop);
    emit_loop_end(e, blocks);
}

static void emit_columns(Emit *e, const Stage *stage) {
    ColumnFold *c = ARENA_NEW(e->arena, ColumnFold);
    int64_t bytes = 0;
    for (int i = 0; i < stage->fold->count; i++)
        bytes += (int64_t)element_bytes(stage->fold->accumulators[i]->element);
    c->columns = (Columns){.stage = stage, .width = COLUMN_BYTES / (bytes ? bytes : 1)};
    columns_arrays(e, &c->columns);
    c->part_sums = ARENA_ARRAY(e->arena, LLVMValueRef, stage->fold->count);
    for (int i = 0; stage->space->steps_in_order && stage->fold->is_sum && i < stage->fold->count;
         i++)
        c->part_sums[i] = emit_alloca(
            e, emit_memory_type(e, stage->fold->accumulators[i]->element), c->columns.width, 64);
    space_emit(e, stage->space, &(SpaceBody){.block = fold_block, .user = c});
}

bool stage_emit(Emit *e, const Stage *stage) {
    if (stage->kind == STAGE_ROWS)
        rows_emit(e, stage);
    else if (stage->kind == STAGE_SCAN)
        scan_emit(e, stage);
    else if (stage->space->by_columns)
        emit_columns(e, stage);
    else
        space_emit(
            e, stage->space,
            &(SpaceBody){.element = map_element, .user = (void *)(uintptr_t)stage});
    return !e->failed;
}

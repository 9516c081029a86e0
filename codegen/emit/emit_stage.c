// Emission of stages: maps, folds by rows and by columns, scans.
#include "codegen/emit/nest.h"
#include "codegen/expr/fold.h"

typedef const IndexExpr *Index;

enum { COLUMN_BLOCK = 512, COLUMN_UNROLL = 8, SCAN_WIDTH = 256, SCAN_ROWS = 8 };

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static LLVMValueRef minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
}

// All values are computed before the first is stored.
static void emit_stores(Emit *e, const Stage *stage, Substitution *s) {
    Scalar *values = ARENA_ARRAY(e->arena, Scalar, stage->store_count);
    for (int i = 0; i < stage->store_count; i++)
        values[i] = emit_expr(e, expr_substitute(s, stage->stores[i].value));
    for (int i = 0; i < stage->store_count && !e->failed; i++) {
        const Store *store = &stage->stores[i];
        emit_store(e, store->output, emit_store_address(e, s, store), values[i]);
    }
}

// ---- maps, and folds by rows

static void map_element(Emit *e, void *user, const Index *index) {
    const Stage *stage = user;
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, index);
    emit_stores(e, stage, &s);
}

// ---- several results side by side

// Accumulators of a block of results, in local arrays.
typedef struct Columns {
    const Stage *stage;
    SpaceBlock *block;
    int64_t width;
    LLVMValueRef arrays[3 * MAX_REDUCED]; // [width]
    LLVMValueRef first, last;             // of the block of columns
} Columns;

// A loop over the columns of the block.
typedef struct ColumnLoop {
    EmitLoop *loop;
    LLVMValueRef place; // of the column in the arrays
    Index index[MAX_RANK];
    Substitution s;
} ColumnLoop;

static ColumnLoop column_loop(Emit *e, const Columns *c) {
    ColumnLoop column = {.loop = NULL};
    column.loop = emit_loop_begin(e, c->first, c->last, 1, c->block->size, true);
    space_block_index(e, c->block, column.loop->index, column.index);
    column.place = LLVMBuildNSWSub(e->builder, column.loop->phi, c->first, "");
    column.s = substitution(e->exprs, c->stage->exprs);
    stage_set_axes(&column.s, c->stage, column.index);
    return column;
}

static void load_sums(Emit *e, const Columns *c, const ColumnLoop *column, Scalar *sums) {
    const Fold *fold = c->stage->fold;
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_private_load(e, fold->accumulators[i]->element, c->arrays[i], column->place);
}

static void store_sums(Emit *e, const Columns *c, const ColumnLoop *column, const Scalar *sums) {
    const Fold *fold = c->stage->fold;
    for (int i = 0; i < fold->count && !e->failed; i++)
        emit_private_store(e, fold->accumulators[i]->element, c->arrays[i], column->place, sums[i]);
}

static void columns_start(Emit *e, const Columns *c) {
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = column_loop(e, c);
    emit_fold_start(e, c->stage->fold, &column.s, sums);
    store_sums(e, c, &column, sums);
    emit_loop_end(e, column.loop);
}

// The fold's results, and what is stored of them.
static void store_results(Emit *e, const Stage *stage, Substitution *s, const Scalar *sums) {
    Scalar results[MAX_REDUCED];
    const Expr *known[MAX_REDUCED];
    emit_fold_results(e, stage->fold, s, sums, results);
    if (e->failed) return;
    for (int i = 0; i < stage->fold->result_count; i++)
        known[i] = emit_known(e, results[i]);
    s->fold = stage->fold;
    s->results = known;
    emit_stores(e, stage, s);
}

// Blocks of `width` columns of a piece of the inner axis; to be ended by the caller.
static EmitLoop *columns_begin(Emit *e, Columns *c, SpaceBlock *block) {
    EmitLoop *blocks = emit_loop_begin(e, block->low, block->high, c->width, block->size, false);
    LLVMValueRef end = LLVMBuildNSWAdd(e->builder, blocks->phi, number(e, c->width), "");
    c->block = block;
    c->first = blocks->phi;
    c->last = minimum(e, end, block->high);
    columns_start(e, c);
    return blocks;
}

static void make_arrays(Emit *e, Columns *c) {
    const Fold *fold = c->stage->fold;
    for (int i = 0; i < fold->count; i++)
        c->arrays[i] =
            emit_alloca(e, emit_memory_type(e, fold->accumulators[i]->element), c->width, 64);
}

// ---- folds by columns: the fold's loops outside, so that vectors run along the results; each result is folded in the order of the loops

typedef struct ColumnFold {
    Columns columns;
    Index at[MAX_RANK];
} ColumnFold;

// One step of each column, or several consecutive ones of axis k: at * unroll, at * unroll + 1 ... Sums of several steps are made before they
// are added to the column's, which shortens the chain of roundings.
static void column_step(Emit *e, ColumnFold *c, int k, Index at, int64_t unroll) {
    const Stage *stage = c->columns.stage;
    const Fold *fold = stage->fold;
    Scalar sums[3 * MAX_REDUCED], before[3 * MAX_REDUCED];
    bool sums_apart = fold->is_sum && unroll > 1;
    ColumnLoop column = column_loop(e, &c->columns);
    load_sums(e, &c->columns, &column, before);
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
    store_sums(e, &c->columns, &column, sums);
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

static void fold_block(Emit *e, void *user, SpaceBlock *block) {
    ColumnFold *c = user;
    const Stage *stage = c->columns.stage;
    const Fold *fold = stage->fold;
    EmitLoop *blocks = columns_begin(e, &c->columns, block), *outer[MAX_RANK];
    for (int k = 0; k + 1 < fold->axis_count; k++) {
        outer[k] = emit_loop_constant(e, fold->axes[k].extent, false);
        c->at[k] = outer[k]->index;
    }
    if (fold->axis_count)
        column_inner(e, c, fold->axis_count - 1);
    else
        column_step(e, c, -1, NULL, 1);
    for (int k = fold->axis_count - 2; k >= 0; k--)
        emit_loop_end(e, outer[k]);
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = column_loop(e, &c->columns);
    load_sums(e, &c->columns, &column, sums);
    store_results(e, stage, &column.s, sums);
    emit_loop_end(e, column.loop);
    emit_loop_end(e, blocks);
}

static void emit_columns(Emit *e, const Stage *stage) {
    ColumnFold *c = ARENA_NEW(e->arena, ColumnFold);
    c->columns = (Columns){.stage = stage, .width = COLUMN_BLOCK};
    make_arrays(e, &c->columns);
    space_emit(e, stage->space, &(SpaceBody){.block = fold_block, .user = c});
}

// ---- scans: a block of the other dimensions' inner axis steps along the serial axis together

static int serial_axis(const Stage *stage) {
    int d = 0;
    while (stage->axes[d].role != AXIS_SERIAL)
        d++;
    return d;
}

static void scan_block(Emit *e, void *user, SpaceBlock *block) {
    Columns *c = user;
    const Stage *stage = c->stage;
    const Axis *axis = &stage->axes[serial_axis(stage)];
    EmitLoop *blocks = columns_begin(e, c, block);
    EmitLoop *steps = emit_loop_constant(e, axis->extent, false);
    Index at = steps->index;
    if (stage->is_reversed)
        at = index_sub(e->index, index_constant(e->index, axis->extent - 1), at);
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = column_loop(e, c);
    column.s.variables[axis->variable] = at;
    load_sums(e, c, &column, sums);
    emit_fold_step(e, stage->fold, &column.s, sums, false);
    store_sums(e, c, &column, sums);
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, column.index);
    s.variables[axis->variable] = at;
    if (!e->failed) store_results(e, stage, &s, sums);
    emit_loop_end(e, column.loop);
    emit_loop_end(e, steps);
    emit_loop_end(e, blocks);
}

static void emit_scan(Emit *e, const Stage *stage) {
    Columns *c = ARENA_NEW(e->arena, Columns);
    // few elements step together where they lie far apart
    bool is_last = serial_axis(stage) == stage->axis_count - 1;
    *c = (Columns){.stage = stage, .width = is_last ? SCAN_ROWS : SCAN_WIDTH};
    make_arrays(e, c);
    space_emit(e, stage->space, &(SpaceBody){.block = scan_block, .user = c});
}

bool stage_emit(Emit *e, const Stage *stage) {
    if (stage->kind == STAGE_ROWS)
        rows_emit(e, stage);
    else if (stage->kind == STAGE_SCAN)
        emit_scan(e, stage);
    else if (stage->space->by_columns)
        emit_columns(e, stage);
    else
        space_emit(
            e, stage->space,
            &(SpaceBody){.element = map_element, .user = (void *)(uintptr_t)stage});
    return !e->failed;
}

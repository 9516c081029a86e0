// Emission of rows that are columns: blocks of neighbouring ones, each pass over all of a block.
//
// The innermost loop runs along the block, in vector lanes; folds' accumulators and results are
// arrays of the block's columns. Sums of floats are made in blocks of steps, for accuracy.
#include "base/vec.h"
#include "codegen/emit/ahead.h"
#include "codegen/emit/stage/stream.h"
#include "codegen/expr/fold.h"

typedef const IndexExpr *Index;

enum { SUM_STEPS = 64, LINE = 64, STEPS_TOGETHER = 4, MOST_TOGETHER = 64 };

typedef struct ColumnsEmit {
    const Stage *stage;
    const RowPass *pass;
    SpaceBlock *block;        // of the columns' axis
    LLVMValueRef first, last; // columns of the block that is made
    LLVMValueRef *results;    // by scalar: array of what passes found; NULL = not yet
    LLVMValueRef **sums;      // [fold][accumulator]: arrays
    LLVMValueRef *part_sums;  // [fold]: arrays; NULL = none
    bool in_parts;            // sums go there
    bool streams;             // the pass's stores go around the caches, where they are whole lines
    int streamed;             // that pass; -1 = none
    VEC(LLVMValueRef) arrays; // in the order in which a block asks for them; every block uses them
    int64_t next;             // of them
} ColumnsEmit;

// A loop over the columns of the block.
typedef struct Column {
    EmitLoop *loop;
    LLVMValueRef place; // in arrays
    Substitution s;
} Column;

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

// On the stack, where the plan leaves room for them (row_locals.c).
static LLVMValueRef array_of(Emit *e, ColumnsEmit *c, ElementType element) {
    if (c->next == c->arrays.count)
        vec_push(
            e->arena, &c->arrays,
            emit_alloca(e, emit_memory_type(e, element), c->stage->rows->columns, LINE));
    return c->arrays.data[c->next++];
}

// ---- one column

// What is known at a column, at a step of the pass; steps NULL: of the column as a whole.
static Substitution column_substitution(
    Emit *e, const ColumnsEmit *c, Index at, LLVMValueRef place, const Index *steps) {
    const Stage *stage = c->stage;
    Index index[MAX_RANK];
    space_block_index(e, c->block, at, index);
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, index);
    s.variables[stage->rows->place] = emit_variable(e, place, stage->rows->columns);
    for (int k = 0; steps && k < c->pass->axis_count; k++)
        s.variables[c->pass->axes[k].variable] = steps[k];
    return s;
}

static void load_results(Emit *e, const ColumnsEmit *c, Column *column) {
    const Rows *rows = c->stage->rows;
    for (int p = 0; p < rows->pass_count; p++) {
        for (int i = 0; i < rows->passes[p].fold_count; i++) {
            const RowFold *fold = &rows->passes[p].folds[i];
            for (int r = 0; r < fold->fold->result_count; r++) {
                const Expr *scalar = fold->results[r];
                LLVMValueRef array = c->results[scalar->id];
                if (!array) continue;
                Scalar x = emit_private_load(e, scalar->element, array, column->place);
                column->s.scalars[scalar->id] = emit_known(e, x);
            }
        }
    }
}

static Column column_begin(Emit *e, const ColumnsEmit *c, const Index *steps) {
    Column column = {.loop = emit_loop_begin(e, c->first, c->last, 1, c->block->size, true)};
    column.place = LLVMBuildNSWSub(e->builder, column.loop->phi, c->first, "");
    column.s = column_substitution(e, c, column.loop->index, column.place, steps);
    load_results(e, c, &column);
    return column;
}

static LLVMValueRef sums_of(const ColumnsEmit *c, int fold, int k) {
    return c->in_parts && c->part_sums[fold] ? c->part_sums[fold] : c->sums[fold][k];
}

// Steps of a column: their values, and the folds' sums after all of them.
typedef struct ColumnSteps {
    int count;
    Substitution s[STEPS_TOGETHER];
    Scalar *kept[STEPS_TOGETHER], *stored[STEPS_TOGETHER];
} ColumnSteps;

static void fold_column(Emit *e, ColumnsEmit *c, int i, LLVMValueRef place, ColumnSteps *steps) {
    const Fold *fold = c->pass->folds[i].fold;
    if (fold->count == 0) return;
    bool is_apart = fold->is_sum && steps->count > 1; // a shorter chain of sums
    Scalar *before = ARENA_ARRAY(e->arena, Scalar, fold->count);
    Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
    for (int k = 0; k < fold->count; k++) {
        ElementType element = fold->accumulators[k]->element;
        before[k] = emit_private_load(e, element, sums_of(c, i, k), place);
        sums[k] = is_apart ? emit_constant(e, element, -0.0) : before[k];
    }
    for (int u = 0; u < steps->count && !e->failed; u++)
        emit_fold_step(e, fold, &steps->s[u], sums, false);
    for (int k = 0; k < fold->count && !e->failed; k++) {
        if (is_apart) sums[k] = emit_arithmetic(e, OP_ADD, before[k], sums[k]);
        emit_private_store(e, fold->accumulators[k]->element, sums_of(c, i, k), place, sums[k]);
    }
}

static void compute_step(Emit *e, const ColumnsEmit *c, ColumnSteps *steps, int u) {
    const RowPass *pass = c->pass;
    steps->kept[u] = ARENA_ARRAY(e->arena, Scalar, pass->keep_count);
    steps->stored[u] = ARENA_ARRAY(e->arena, Scalar, pass->store_count);
    for (int i = 0; i < pass->keep_count; i++)
        steps->kept[u][i] = emit_expr(e, expr_substitute(&steps->s[u], pass->keeps[i].value));
    for (int i = 0; i < pass->store_count; i++)
        steps->stored[u][i] = emit_expr(e, expr_substitute(&steps->s[u], pass->stores[i].value));
}

static void store_step(Emit *e, const ColumnsEmit *c, ColumnSteps *steps, int u) {
    const RowPass *pass = c->pass;
    for (int i = 0; i < pass->keep_count && !e->failed; i++) {
        Index at = expr_substitute_index(&steps->s[u], pass->keeps[i].at);
        LLVMValueRef local = e->state->locals[pass->keeps[i].local];
        Scalar x = steps->kept[u][i];
        emit_private_store(e, x.element, local, emit_index(e, at), x);
    }
    for (int i = 0; i < pass->store_count && !e->failed; i++)
        emit_stage_store(e, &steps->s[u], i, &pass->stores[i], steps->stored[u][i]);
}

// `count` steps of all columns, from `first` on the innermost axis of the pass's block.
static void emit_step(Emit *e, ColumnsEmit *c, SpaceBlock *block, Index first, int count) {
    Index at[MAX_RANK];
    space_block_index(e, block, first, at);
    Column column = column_begin(e, c, at);
    ColumnSteps steps = {.count = count, .s = {column.s}};
    for (int u = 1; u < count; u++) {
        Column next = column;
        space_block_index(e, block, index_add_constant(e->index, first, u), at);
        next.s = column_substitution(e, c, column.loop->index, column.place, at);
        load_results(e, c, &next);
        steps.s[u] = next.s;
    }
    for (int u = 0; u < count && !e->failed; u++)
        compute_step(e, c, &steps, u);
    for (int i = 0; i < c->pass->fold_count && !e->failed; i++)
        fold_column(e, c, i, column.place, &steps);
    for (int u = 0; u < count && !e->failed; u++)
        store_step(e, c, &steps, u);
    emit_loop_end(e, column.loop);
}

// Around the caches where the columns begin a line of memory; they end one, too.
static void emit_streamed_step(Emit *e, ColumnsEmit *c, SpaceBlock *block, Index step) {
    Index first = emit_variable(e, c->first, c->block->size), at[MAX_RANK];
    space_block_index(e, block, step, at);
    Substitution s = column_substitution(e, c, first, number(e, 0), at);
    LLVMValueRef address = emit_store_address(e, &s, &c->pass->stores[0]);
    EmitIf branch = emit_if(e, stream_begins_line(e, address));
    stream_direct(e, true);
    emit_step(e, c, block, step, 1);
    stream_direct(e, false);
    emit_else(e, &branch);
    emit_step(e, c, block, step, 1);
    emit_end_if(e, &branch);
}

// ---- passes

// The arrays at their start: the folds' own, or -0.0 for the parts of sums.
static void start_sums(Emit *e, ColumnsEmit *c, bool parts) {
    Column column = column_begin(e, c, NULL);
    for (int i = 0; i < c->pass->fold_count && !e->failed; i++) {
        const Fold *fold = c->pass->folds[i].fold;
        if (fold->count == 0 || (parts && !c->part_sums[i])) continue;
        Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
        if (parts)
            sums[0] = emit_constant(e, fold->accumulators[0]->element, -0.0);
        else
            emit_fold_start(e, fold, &column.s, sums);
        for (int k = 0; k < fold->count && !e->failed; k++)
            emit_private_store(
                e, fold->accumulators[k]->element, parts ? c->part_sums[i] : c->sums[i][k],
                column.place, sums[k]);
    }
    emit_loop_end(e, column.loop);
}

static void add_parts(Emit *e, ColumnsEmit *c) {
    Column column = column_begin(e, c, NULL);
    for (int i = 0; i < c->pass->fold_count && !e->failed; i++) {
        if (!c->part_sums[i]) continue;
        ElementType element = c->pass->folds[i].fold->accumulators[0]->element;
        Scalar total = emit_private_load(e, element, c->sums[i][0], column.place);
        Scalar part = emit_private_load(e, element, c->part_sums[i], column.place);
        total = emit_arithmetic(e, OP_ADD, total, part);
        emit_private_store(e, element, c->sums[i][0], column.place, total);
    }
    emit_loop_end(e, column.loop);
}

// How many steps are made at once: a few, whose sums need not wait for each other.
static int steps_together(const ColumnsEmit *c, const SpaceBlock *block) {
    bool fits = !c->streams && block->size % STEPS_TOGETHER == 0 &&
                c->stage->exprs->expr_count <= MOST_TOGETHER;
    return fits ? STEPS_TOGETHER : 1;
}

// The pass's steps of its innermost loop, from `low` to `high` times `count`.
static void emit_steps(
    Emit *e, ColumnsEmit *c, SpaceBlock *block, LLVMValueRef low, LLVMValueRef high, int count) {
    EmitLoop *loop = emit_loop_begin(e, low, high, 1, block->size / count, false);
    ahead_begin_steps(e, loop->variable, count);
    if (c->streams)
        emit_streamed_step(e, c, block, loop->index);
    else
        emit_step(e, c, block, index_scale(e->index, loop->index, count), count);
    ahead_end(e);
    emit_loop_end(e, loop);
}

static bool has_parts(const ColumnsEmit *c) {
    for (int i = 0; i < c->pass->fold_count; i++) {
        if (c->part_sums[i]) return true;
    }
    return false;
}

static void pass_block(Emit *e, void *user, SpaceBlock *block) {
    ColumnsEmit *c = user;
    int together = steps_together(c, block);
    LLVMValueRef low = number(e, 0), high = number(e, block->size / together);
    if (!has_parts(c) || block->size < 2 * SUM_STEPS) {
        emit_steps(e, c, block, low, high, together);
        return;
    }
    EmitLoop *parts =
        emit_loop_begin(e, low, high, SUM_STEPS / together, block->size / together, false);
    LLVMValueRef end = emit_block_end(e, parts);
    start_sums(e, c, true);
    c->in_parts = true;
    emit_steps(e, c, block, parts->phi, end, together);
    c->in_parts = false;
    if (!e->failed) add_parts(e, c);
    emit_loop_end(e, parts);
}

static void make_arrays(Emit *e, ColumnsEmit *c) {
    int count = c->pass->fold_count;
    c->sums = ARENA_ARRAY(e->arena, LLVMValueRef *, count);
    c->part_sums = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    for (int i = 0; i < count; i++) {
        const Fold *fold = c->pass->folds[i].fold;
        c->sums[i] = ARENA_ARRAY(e->arena, LLVMValueRef, fold->count);
        for (int k = 0; k < fold->count; k++)
            c->sums[i][k] = array_of(e, c, fold->accumulators[k]->element);
        if (fold->count && fold->is_sum)
            c->part_sums[i] = array_of(e, c, fold->accumulators[0]->element);
    }
}

static void end_folds(Emit *e, ColumnsEmit *c) {
    for (int i = 0; i < c->pass->fold_count && !e->failed; i++) {
        const RowFold *row = &c->pass->folds[i];
        Column column = column_begin(e, c, NULL);
        Scalar *sums = ARENA_ARRAY(e->arena, Scalar, row->fold->count);
        Scalar *results = ARENA_ARRAY(e->arena, Scalar, row->fold->result_count);
        for (int k = 0; k < row->fold->count; k++)
            sums[k] = emit_private_load(
                e, row->fold->accumulators[k]->element, c->sums[i][k], column.place);
        emit_fold_results(e, row->fold, &column.s, sums, results);
        for (int r = 0; r < row->fold->result_count && !e->failed; r++) {
            const Expr *scalar = row->results[r];
            LLVMValueRef array = array_of(e, c, scalar->element);
            emit_private_store(e, scalar->element, array, column.place, results[r]);
            c->results[scalar->id] = array;
        }
        emit_loop_end(e, column.loop);
    }
}

static void emit_pass(Emit *e, ColumnsEmit *c, const RowPass *pass, bool streams) {
    c->pass = pass;
    c->streams = streams;
    make_arrays(e, c);
    if (pass->fold_count) start_sums(e, c, false);
    emit_scope_push(e, SCOPE_BRANCH); // nothing that reads locals leaves the pass
    space_emit_whole(e, pass->space, &(SpaceBody){.block = pass_block, .user = c});
    emit_scope_pop(e);
    end_folds(e, c);
}

static void emit_stores(Emit *e, ColumnsEmit *c) {
    const Stage *stage = c->stage;
    if (stage->store_count == 0) return;
    Column column = column_begin(e, c, NULL);
    Scalar *values = ARENA_ARRAY(e->arena, Scalar, stage->store_count);
    for (int i = 0; i < stage->store_count; i++)
        values[i] = emit_expr(e, expr_substitute(&column.s, stage->stores[i].value));
    for (int i = 0; i < stage->store_count && !e->failed; i++)
        emit_stage_store(e, &column.s, i, &stage->stores[i], values[i]);
    emit_loop_end(e, column.loop);
}

// The columns [c->first, c->last). Whole blocks have a constant number of them.
static void emit_block(Emit *e, ColumnsEmit *c, bool is_whole) {
    const Rows *rows = c->stage->rows;
    c->next = 0;
    c->results = ARENA_ARRAY(e->arena, LLVMValueRef, c->stage->exprs->scalar_count + 1);
    for (int p = 0; p < rows->pass_count && !e->failed; p++)
        emit_pass(e, c, &rows->passes[p], is_whole && p == c->streamed);
    if (!e->failed) emit_stores(e, c);
}

static void emit_blocks(Emit *e, void *user, SpaceBlock *block) {
    ColumnsEmit *c = user;
    const Space *space = c->stage->space;
    int64_t columns = c->stage->rows->columns;
    EmitLoop *blocks = emit_loop_begin(e, block->low, block->high, columns, block->size, false);
    c->block = block;
    c->first = blocks->phi;
    c->last = LLVMBuildNSWAdd(e->builder, blocks->phi, number(e, columns), "");
    bool is_even = space->inner >= 0 && space->axes[space->inner].cut_count == 1 &&
                   block->size % columns == 0; // chunks are multiples, too
    if (is_even) {
        emit_block(e, c, true);
    } else {
        LLVMValueRef end = c->last;
        LLVMValueRef fits = LLVMBuildICmp(e->builder, LLVMIntSLE, end, block->high, "");
        EmitIf branch = emit_if(e, fits);
        emit_block(e, c, true);
        emit_else(e, &branch);
        c->last = block->high;
        if (!e->failed) emit_block(e, c, false);
        emit_end_if(e, &branch);
    }
    emit_loop_end(e, blocks);
}

// The pass whose only store is all that the kernel stores, if it pays to write around the caches.
static int streamed_pass(const Emit *e, const Stage *stage) {
    int64_t columns = stage->rows->columns;
    for (int p = 0; p < stage->rows->pass_count; p++) {
        const RowPass *pass = &stage->rows->passes[p];
        if (pass->store_count != 1 || e->kernel->output_count != 1 || pass->fold_count) continue;
        int64_t size = (int64_t)element_bytes(pass->stores[0].value->element);
        if (emit_streams(e, stage->space, 1, pass->stores) && stream_is_direct(1, pass->stores) &&
            columns * size % LINE == 0)
            return p;
    }
    return -1;
}

void columns_emit(Emit *e, const Stage *stage) {
    ColumnsEmit *c = ARENA_NEW(e->arena, ColumnsEmit);
    c->stage = stage;
    c->streamed = streamed_pass(e, stage);
    space_emit(e, stage->space, &(SpaceBody){.block = emit_blocks, .user = c});
}

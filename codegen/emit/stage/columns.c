// Several results side by side: see columns.h.
#include "codegen/emit/stage/columns.h"

void emit_stage_stores(Emit *e, const Stage *stage, Substitution *s) {
    Scalar *values = ARENA_ARRAY(e->arena, Scalar, stage->store_count);
    for (int i = 0; i < stage->store_count; i++)
        values[i] = emit_expr(e, expr_substitute(s, stage->stores[i].value));
    for (int i = 0; i < stage->store_count && !e->failed; i++)
        emit_stage_store(e, s, i, &stage->stores[i], values[i]);
}

ColumnLoop columns_loop(Emit *e, const Columns *c) {
    ColumnLoop column = {.loop = NULL};
    column.loop = emit_loop_begin(e, c->first, c->last, 1, c->block->size, true);
    space_block_index(e, c->block, column.loop->index, column.index);
    column.place = LLVMBuildNSWSub(e->builder, column.loop->phi, c->first, "");
    column.s = substitution(e->exprs, c->stage->exprs);
    stage_set_axes(&column.s, c->stage, column.index);
    return column;
}

void columns_load(Emit *e, const Columns *c, const ColumnLoop *column, Scalar *sums) {
    const Fold *fold = c->stage->fold;
    for (int i = 0; i < fold->count; i++)
        sums[i] = emit_private_load(e, fold->accumulators[i]->element, c->arrays[i], column->place);
}

void columns_store(Emit *e, const Columns *c, const ColumnLoop *column, const Scalar *sums) {
    const Fold *fold = c->stage->fold;
    for (int i = 0; i < fold->count && !e->failed; i++)
        emit_private_store(e, fold->accumulators[i]->element, c->arrays[i], column->place, sums[i]);
}

static void columns_start(Emit *e, const Columns *c) {
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = columns_loop(e, c);
    emit_fold_start(e, c->stage->fold, &column.s, sums);
    columns_store(e, c, &column, sums);
    emit_loop_end(e, column.loop);
}

void columns_results(Emit *e, const Stage *stage, Substitution *s, const Scalar *sums) {
    Scalar results[MAX_REDUCED];
    const Expr *known[MAX_REDUCED];
    emit_fold_results(e, stage->fold, s, sums, results);
    if (e->failed) return;
    for (int i = 0; i < stage->fold->result_count; i++)
        known[i] = emit_known(e, results[i]);
    s->fold = stage->fold;
    s->results = known;
    emit_stage_stores(e, stage, s);
}

EmitLoop *columns_begin(Emit *e, Columns *c, SpaceBlock *block) {
    EmitLoop *blocks = emit_loop_begin(e, block->low, block->high, c->width, block->size, false);
    c->block = block;
    c->first = blocks->phi;
    c->last = emit_block_end(e, blocks);
    columns_start(e, c);
    return blocks;
}

void columns_arrays(Emit *e, Columns *c) {
    const Fold *fold = c->stage->fold;
    for (int i = 0; i < fold->count; i++)
        c->arrays[i] =
            emit_alloca(e, emit_memory_type(e, fold->accumulators[i]->element), c->width, 64);
}

// Scans: a block of the other dimensions' inner axis steps along the serial axis together.
//
// Where the serial axis is the one along which memory runs, a block's elements lie far apart. Then
// it goes by tiles of as many steps as columns: operands are staged transposed (tile_stage.h),
// results go to a local array and from there, transposed again, to memory.
#include "codegen/emit/stage/columns.h"
#include "codegen/emit/stage/stream.h"
#include "codegen/emit/tile_stage.h"

typedef const IndexExpr *Index;

enum { SCAN_BYTES = 4096, SCAN_ROWS = 8 }; // the first: of a row, as a page has them

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static int serial_axis(const Stage *stage) {
    int d = 0;
    while (stage->axes[d].role != AXIS_SERIAL)
        d++;
    return d;
}

// ---- steps of a block, one after the other

static Substitution results_here(Emit *e, const Stage *stage, const Index *index, Index at) {
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, index);
    s.variables[stage->axes[serial_axis(stage)].variable] = at;
    return s;
}

// All columns of the block at a place of the serial axis.
static void scan_step(Emit *e, Columns *c, Index at) {
    const Stage *stage = c->stage;
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = columns_loop(e, c);
    column.s.variables[stage->axes[serial_axis(stage)].variable] = at;
    columns_load(e, c, &column, sums);
    emit_fold_step(e, stage->fold, &column.s, sums, false);
    columns_store(e, c, &column, sums);
    Substitution s = results_here(e, stage, column.index, at);
    if (!e->failed) columns_results(e, stage, &s, sums);
    emit_loop_end(e, column.loop);
}

// Around the caches where the block begins a line of the result.
static void scan_streamed_step(Emit *e, Columns *c, Index at) {
    Index index[MAX_RANK];
    space_block_index(e, c->block, emit_variable(e, c->first, c->block->size), index);
    Substitution s = results_here(e, c->stage, index, at);
    LLVMValueRef address = emit_store_address(e, &s, &c->stage->stores[0]);
    EmitIf branch = emit_if(e, stream_begins_line(e, address));
    stream_direct(e, true);
    scan_step(e, c, at);
    stream_direct(e, false);
    emit_else(e, &branch);
    scan_step(e, c, at);
    emit_end_if(e, &branch);
}

static bool scan_streams(const Emit *e, const Stage *stage) {
    return stage->store_count == 1 && e->kernel->output_count == 1 &&
           element_class(stage->stores[0].value->element) != CLASS_COMPLEX &&
           emit_streams(e, stage->space, 1, stage->stores);
}

static void scan_block(Emit *e, void *user, SpaceBlock *block) {
    Columns *c = user;
    const Axis *axis = &c->stage->axes[serial_axis(c->stage)];
    EmitLoop *blocks = columns_begin(e, c, block);
    EmitLoop *steps = emit_loop_constant(e, axis->extent, false);
    Index at = steps->index;
    if (c->stage->is_reversed)
        at = index_sub(e->index, index_constant(e->index, axis->extent - 1), at);
    if (scan_streams(e, c->stage))
        scan_streamed_step(e, c, at);
    else
        scan_step(e, c, at);
    emit_loop_end(e, steps);
    emit_loop_end(e, blocks);
}

// ---- tiles

// A CPU foresees what is read of some rows at once, not of many. From a cache more of them are
// faster: their sums do not wait for each other.
enum { ROWS_FAR = 16, ROWS_NEAR = 32, STEPS_NEAR = 16 };

// How far apart the columns of a store's elements lie, if they are neighbours
// along the serial axis; else 0.
static int64_t turned_stride(const Stage *stage, const Store *store) {
    const Space *space = stage->space;
    const SpaceAxis *inner = &space->axes[space->inner];
    const SpacePart *part = &space->parts[inner->first + inner->count - 1];
    int64_t step, stride = 0;
    bool is_affine = index_is_affine_in(store->at, stage->axes[serial_axis(stage)].variable, &step);
    is_affine =
        is_affine && index_is_affine_in(store->at, stage->axes[part->dim].variable, &stride);
    return is_affine && step == 1 && stride > 1 && !store->device ? stride * part->stride : 0;
}

static bool is_turned(const Emit *e, const Stage *stage) {
    const Space *space = stage->space;
    enum { FEW = 16, MOST_BYTES = 64 << 10 }; // steps, columns; of the results' tiles, on the stack
    int64_t bytes = 0;
    if (space->inner < 0 || space->axes[space->inner].extent < FEW ||
        stage->axes[serial_axis(stage)].extent < FEW)
        return false;
    for (int i = 0; i < stage->store_count; i++) {
        const Store *store = &stage->stores[i];
        if (!tile_can_turn(e, store->output->type->element) || !turned_stride(stage, store))
            return false;
        bytes += tile_side(e) * ROWS_NEAR * (int64_t)element_bytes(store->output->type->element);
    }
    return bytes <= MOST_BYTES;
}

typedef struct ScanTiles {
    Columns columns;
    int64_t side;                         // steps of a tile
    LLVMValueRef arrays[2 * MAX_REDUCED]; // of the stage's stores: [step][column]
    LLVMValueRef first, end;              // the tile's steps, as places along the serial axis
} ScanTiles;

// The tile's columns at a step.
static void tile_step(Emit *e, ScanTiles *t, Index at, LLVMValueRef place) {
    const Stage *stage = t->columns.stage;
    int variable = stage->axes[serial_axis(stage)].variable;
    Scalar sums[3 * MAX_REDUCED];
    ColumnLoop column = columns_loop(e, &t->columns);
    e->state->tile->inner = column.loop;
    column.s.variables[variable] = at;
    columns_load(e, &t->columns, &column, sums);
    emit_fold_step(e, stage->fold, &column.s, sums, false);
    columns_store(e, &t->columns, &column, sums);
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, column.index);
    s.variables[variable] = at;
    LLVMValueRef row = LLVMBuildNSWSub(e->builder, place, t->first, "");
    row = LLVMBuildNSWMul(e->builder, row, number(e, t->columns.width), "");
    LLVMValueRef to = LLVMBuildNSWAdd(e->builder, row, column.place, "");
    for (int i = 0; i < stage->store_count; i++)
        e->state->detours[i] = (StoreDetour){t->arrays[i], to};
    if (!e->failed) columns_results(e, stage, &s, sums);
    for (int i = 0; i < stage->store_count; i++)
        e->state->detours[i].array = NULL;
    e->state->tile->inner = NULL;
    emit_loop_end(e, column.loop);
}

// The steps of a tile, up or down.
static void tile_steps(Emit *e, ScanTiles *t) {
    const Stage *stage = t->columns.stage;
    int64_t extent = stage->axes[serial_axis(stage)].extent;
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, t->end, t->first, "");
    EmitLoop *step = emit_loop_begin(e, number(e, 0), count, 1, t->side, false), shown = *step;
    LLVMValueRef place = LLVMBuildNSWAdd(e->builder, t->first, step->phi, "");
    if (stage->is_reversed) {
        place = LLVMBuildNSWSub(e->builder, t->end, step->phi, "");
        place = LLVMBuildNSWSub(e->builder, place, number(e, 1), "");
    }
    Index at = emit_variable(e, place, extent);
    // Operands are staged for the place, which is the loop's variable but for a number.
    step->phi = place;
    step->index = at;
    step->variable = (int)e->state->variables.count - 1;
    TileScope tile = {
        .outer = step,
        .outer_first = t->first,
        .outer_end = t->end,
        .inner_first = t->columns.first,
        .inner_end = t->columns.last,
        .outer_side = t->side,
        .inner_side = t->columns.width};
    e->state->tile = &tile;
    tile_step(e, t, at, place);
    e->state->tile = NULL;
    step->phi = shown.phi;
    step->index = shown.index;
    step->variable = shown.variable;
    emit_loop_end(e, step);
}

static void store_tile(Emit *e, ScanTiles *t) {
    const Stage *stage = t->columns.stage;
    int serial = serial_axis(stage);
    Index index[MAX_RANK];
    Index column = emit_variable(e, t->columns.first, t->columns.block->size);
    space_block_index(e, t->columns.block, column, index);
    Substitution s = substitution(e->exprs, stage->exprs);
    stage_set_axes(&s, stage, index);
    s.variables[stage->axes[serial].variable] =
        emit_variable(e, t->first, stage->axes[serial].extent);
    for (int i = 0; i < stage->store_count; i++) {
        const Store *store = &stage->stores[i];
        TurnedCopy copy = {
            .from = t->arrays[i],
            .to = emit_store_address(e, &s, store),
            .from_stride = t->columns.width,
            .to_stride = turned_stride(stage, store),
            .row_side = t->side,
            .column_side = t->columns.width,
            .rows = LLVMBuildNSWSub(e->builder, t->end, t->first, ""),
            .columns = LLVMBuildNSWSub(e->builder, t->columns.last, t->columns.first, "")};
        tile_turn(e, store->output->type->element, &copy);
    }
}

static void scan_tiles(Emit *e, void *user, SpaceBlock *block) {
    ScanTiles *t = user;
    const Stage *stage = t->columns.stage;
    int64_t extent = stage->axes[serial_axis(stage)].extent;
    EmitLoop *blocks = columns_begin(e, &t->columns, block);
    EmitLoop *tiles = emit_loop_begin(e, number(e, 0), number(e, extent), t->side, extent, false);
    t->first = tiles->phi;
    t->end = emit_block_end(e, tiles);
    if (stage->is_reversed) {
        LLVMValueRef first = LLVMBuildNSWSub(e->builder, number(e, extent), t->end, "");
        t->end = LLVMBuildNSWSub(e->builder, number(e, extent), t->first, "");
        t->first = first;
    }
    tile_steps(e, t);
    if (!e->failed) store_tile(e, t);
    emit_loop_end(e, tiles);
    emit_loop_end(e, blocks);
}

static void emit_tiles(Emit *e, const Stage *stage) {
    ScanTiles *t = ARENA_NEW(e->arena, ScanTiles);
    bool is_far = stream_fits(e->kernel, e->program->device_count, e->target);
    t->side = is_far ? tile_side(e) : STEPS_NEAR;
    t->columns = (Columns){.stage = stage, .width = is_far ? ROWS_FAR : ROWS_NEAR};
    columns_arrays(e, &t->columns);
    for (int i = 0; i < stage->store_count; i++) {
        ElementType element = stage->stores[i].output->type->element;
        t->arrays[i] = emit_alloca(e, emit_memory_type(e, element), t->side * t->columns.width, 64);
    }
    space_emit(e, stage->space, &(SpaceBody){.block = scan_tiles, .user = t});
}

static int64_t scan_width(const Fold *fold) {
    size_t largest = 1;
    for (int i = 0; i < fold->count; i++) {
        size_t bytes = element_bytes(fold->accumulators[i]->element);
        largest = bytes > largest ? bytes : largest;
    }
    return SCAN_BYTES / (int64_t)largest;
}

void scan_emit(Emit *e, const Stage *stage) {
    bool is_last = serial_axis(stage) == stage->axis_count - 1;
    if (is_last && is_turned(e, stage)) {
        emit_tiles(e, stage);
        return;
    }
    Columns *c = ARENA_NEW(e->arena, Columns);
    // few elements step together where they lie far apart
    *c = (Columns){.stage = stage, .width = is_last ? SCAN_ROWS : scan_width(stage->fold)};
    columns_arrays(e, c);
    space_emit(e, stage->space, &(SpaceBody){.block = scan_block, .user = c});
}

// Emission of a planned loop nest: this lane's rows, loops inside a row, pieces of cut axes, tiles.
//
// A row is one combination of the outer axes, and of a block of the inner axis where there are
// too few of them. Chunks [begin, end) of the grid are the rows [rows*begin/grid, rows*end/grid):
// one loop, whatever the chunks.
#include "codegen/emit/ahead.h"
#include "codegen/emit/stage/space_nest.h"
#include "codegen/emit/tile_stage.h"
#include "codegen/expr/costly.h"

#include <assert.h>

enum {
    LINE = 64,
    AHEAD_BYTES = 1024,  // what is streamed through is read so far ahead
    LEAST_WIDTH = 64,    // of a block of the inner axis
    MOST_COLUMNS = 2048, // of folds
    MANY_BLOCKS = 128,   // enough for all lanes
    MOST_UNROLLED = 64   // expressions
};

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static void emit_body_here(Nest *nest) {
    const IndexExpr *index[MAX_RANK];
    int64_t places = nest->unrolled >= 0 ? nest->space->axes[nest->unrolled].extent : 1;
    for (int64_t i = 0; i < places && !nest->e->failed; i++) {
        if (nest->unrolled >= 0) {
            if (space_is_missing(nest->space, nest->unrolled, i, nest->at)) continue;
            nest->at[nest->unrolled] = index_constant(nest->e->index, i);
        }
        nest_index_here(nest, index);
        nest->body->element(nest->e, nest->body->user, index);
    }
    if (nest->unrolled >= 0) nest->at[nest->unrolled] = NULL;
}

static void emit_block(
    Nest *nest, LLVMValueRef low, LLVMValueRef high, int64_t start, int64_t size) {
    SpaceBlock block = {.low = low, .high = high, .start = start, .size = size, .nest = nest};
    nest->body->block(nest->e, nest->body->user, &block);
}

static void emit_inner_loop(
    Nest *nest, int a, LLVMValueRef low, LLVMValueRef high, int64_t start, int64_t size) {
    EmitLoop *loop = emit_loop_begin(nest->e, low, high, 1, size, true);
    nest->at[a] = index_add_constant(nest->e->index, loop->index, start);
    emit_body_here(nest);
    emit_loop_end(nest->e, loop);
}

// The innermost loop to the first whole line of the output, and from there
// with stores around the caches.
static void emit_direct(
    Nest *nest, int a, LLVMValueRef low, LLVMValueRef high, int64_t start, int64_t size) {
    Emit *e = nest->e;
    const Store *store = &e->kernel->stage->stores[0];
    Substitution s = nest_stage_here(nest, a, emit_variable(e, low, size), start);
    LLVMValueRef address = emit_store_address(e, &s, store);
    LLVMValueRef line = stream_line(e, store->output, address, low, high);
    emit_inner_loop(nest, a, low, line, start, size);
    stream_direct(e, true);
    ahead_begin_line(e, AHEAD_BYTES / (int64_t)element_bytes(store->output->type->element));
    emit_inner_loop(nest, a, line, high, start, size);
    ahead_end(e);
    stream_direct(e, false);
}

// Tells emission of the two loops over a tile, so that transposed operands can be staged.
static void tile_loop_begins(
    Nest *nest, int a, EmitLoop *loop, LLVMValueRef low, LLVMValueRef high) {
    const Space *space = nest->space;
    if (space->tile < 0 || space->axes[space->tile].cut_count > 1 ||
        space->axes[space->inner].cut_count > 1)
        return;
    TileScope *tile = nest->e->state->tile;
    if (a == space->tile) {
        tile = ARENA_NEW(nest->e->arena, TileScope);
        int64_t side = tile_side(nest->e);
        *tile = (TileScope){.outer = loop, .outer_first = low, .outer_end = high};
        tile->outer_side = space->by_lines ? tile_lines(nest->e) : side;
        tile->inner_side = space->by_lines ? tile_line(nest->e) : side;
        tile->inner_first = nest->line ? number(nest->e, 0) : nest->low[space->inner];
        tile->inner_end = nest->line ? number(nest->e, tile->inner_side) : nest->high[space->inner];
        tile->goes_on = !space->by_lines && tile_goes_on(nest->e, space->axes[space->inner].extent);
        nest->e->state->tile = tile;
        // operands that lie in the result's order: short pieces of rows far from each other
        ahead_begin_tile(
            nest->e, loop->variable, tile->goes_on ? 0 : tile->outer_side,
            tile->goes_on ? tile->inner_side : 0);
    } else if (a == space->inner && tile) {
        tile->inner = loop;
    }
}

static void tile_loop_ends(Nest *nest, int a) {
    TileScope *tile = nest->e->state->tile;
    if (tile && a == nest->space->inner) tile->inner = NULL;
    if (!tile || a != nest->space->tile) return;
    nest->e->state->tile = NULL;
    ahead_end(nest->e);
}

// The innermost loop in blocks: each computed into local arrays and then written around the caches.
static void emit_streamed(
    Nest *nest, int a, LLVMValueRef low, LLVMValueRef high, int64_t start, int64_t size) {
    Emit *e = nest->e;
    int64_t width = nest->stream.block;
    EmitLoop *blocks = emit_loop_begin(e, low, high, width, size, false);
    LLVMValueRef end = emit_block_end(e, blocks);
    EmitLoop *loop = emit_loop_begin(e, blocks->phi, end, 1, size, true);
    nest->at[a] = index_add_constant(e->index, loop->index, start);
    tile_loop_begins(nest, a, loop, low, high);
    stream_detour(e, &nest->stream, LLVMBuildNSWSub(e->builder, loop->phi, blocks->phi, ""));
    emit_body_here(nest);
    stream_detour(e, &nest->stream, NULL);
    tile_loop_ends(nest, a);
    emit_loop_end(e, loop);
    if (e->failed) return;
    Substitution s = nest_stage_here(nest, a, blocks->index, start);
    stream_out(e, &nest->stream, &s, LLVMBuildNSWSub(e->builder, end, blocks->phi, ""));
    emit_loop_end(e, blocks);
}

// The innermost loop over a line of the result, which goes around the caches.
static void emit_line(Nest *nest, int a) {
    Emit *e = nest->e;
    EmitLoop *loop = emit_loop_constant(e, tile_line(e), true);
    nest->at[a] = index_add(e->index, nest->line, loop->index);
    tile_loop_begins(nest, a, loop, NULL, NULL);
    stream_direct(e, true);
    emit_body_here(nest);
    stream_direct(e, false);
    tile_loop_ends(nest, a);
    emit_loop_end(e, loop);
}

// The last places of a whole axis that are one vector, of which a part counts.
static int64_t tail_of(const Nest *nest, int a, int64_t size) {
    const Stage *stage = nest->e->kernel->stage;
    if (nest->low[a] || nest->space->tile >= 0 || stage->kind != STAGE_MAP) return 0;
    PtrMap known = ptr_map(nest->e->arena);
    bool is_costly = false;
    for (int i = 0; i < stage->store_count; i++)
        is_costly = is_costly || expr_is_costly(&known, stage->stores[i].value, false);
    return emit_tail_of(nest->e, size, is_costly);
}

// Loops from level `level` on, each once per piece of its axis.
static void emit_loops(Nest *nest, int level) {
    Emit *e = nest->e;
    if (e->failed) return;
    if (level == nest->loop_count) {
        if (nest->body->block) // no axis at all
            emit_block(nest, number(e, 0), number(e, 1), 0, 1);
        else
            emit_body_here(nest);
        return;
    }
    int a = nest->loops[level];
    const SpaceAxis *axis = &nest->space->axes[a];
    bool is_inner = level + 1 == nest->loop_count;
    if (is_inner && nest->line) {
        emit_line(nest, a);
        return;
    }
    for (int k = 0; k < axis->cut_count; k++) {
        int64_t start = axis->cuts[k], size = axis->cuts[k + 1] - start;
        nest->at[a] = NULL; // the last piece's
        if (space_is_missing(nest->space, a, start, nest->at)) continue;
        LLVMValueRef low = number(e, 0), high = number(e, size);
        if (nest->low[a]) {
            low = nest->low[a];
            high = nest->high[a];
            if (axis->cut_count > 1) {
                low = nest_maximum(
                    e, LLVMBuildSub(e->builder, low, number(e, start), ""), number(e, 0));
                high = nest_minimum(
                    e, LLVMBuildSub(e->builder, high, number(e, start), ""), number(e, size));
            }
        }
        if (is_inner && nest->body->block) {
            emit_block(nest, low, high, start, size);
            continue;
        }
        if (is_inner && nest->streams) {
            if (nest->is_direct)
                emit_direct(nest, a, low, high, start, size);
            else if (!nest_emit_copied(nest, a, low, high, start, size))
                emit_streamed(nest, a, low, high, start, size);
            if (e->failed) return;
            continue;
        }
        int64_t rest = is_inner ? tail_of(nest, a, size) : 0;
        LLVMValueRef tail = rest ? number(e, size - rest) : high;
        for (int part = 0; part < (rest ? 2 : 1); part++) {
            EmitLoop *loop =
                emit_loop_begin(e, part ? tail : low, part ? high : tail, 1, size, is_inner);
            if (part) emit_make_tail(e, loop);
            nest->at[a] = index_add_constant(e->index, loop->index, start);
            tile_loop_begins(nest, a, loop, low, high);
            emit_loops(nest, level + 1);
            tile_loop_ends(nest, a);
            emit_loop_end(e, loop);
            if (e->failed) return;
        }
    }
    nest->at[a] = NULL;
}

// How many elements of a line lie before the address. *has_lines: elements begin lines at all, in
// an array that lies at a multiple of their size.
static LLVMValueRef elements_before(Nest *nest, LLVMValueRef address, LLVMValueRef *has_lines) {
    Emit *e = nest->e;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef size = number(e, LINE / tile_line(e));
    LLVMValueRef at = LLVMBuildPtrToInt(b, address, emit_i64(e), "");
    *has_lines = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildURem(b, at, size, ""), number(e, 0), "");
    at = LLVMBuildURem(b, at, number(e, LINE), "");
    return LLVMBuildUDiv(b, at, size, "");
}

// Tiles of whole lines, or of parts of lines at the ends: along the tile axis before the next line.
static void emit_line_tiles(Nest *nest) {
    Emit *e = nest->e;
    LLVMBuilderRef b = e->builder;
    const Space *space = nest->space;
    int inner = space->inner, outer = space->tile;
    int64_t line = tile_line(e), extent = space->axes[inner].extent;
    LLVMValueRef low = nest->low[outer], high = nest->high[outer]; // NULL = all of it
    for (int k = 0; k < nest->loop_count; k++)                     // all rows begin alike
        nest->at[nest->loops[k]] = index_constant(e->index, 0);
    Substitution s = nest_stage_here(nest, inner, index_constant(e->index, 0), 0);
    LLVMValueRef address = emit_store_address(e, &s, &e->kernel->stage->stores[0]);
    LLVMValueRef has_lines, before = elements_before(nest, address, &has_lines);
    LLVMValueRef end = number(e, extent);
    LLVMValueRef count = LLVMBuildNSWAdd(b, before, number(e, extent + line - 1), "");
    count = LLVMBuildUDiv(b, count, number(e, line), "");
    EmitLoop *lines = emit_loop_begin(e, number(e, 0), count, 1, extent / line + 2, false);
    LLVMValueRef first = LLVMBuildNSWMul(b, lines->phi, number(e, line), "");
    first = LLVMBuildNSWSub(b, first, before, "");
    nest->low[inner] = nest_maximum(e, first, number(e, 0));
    nest->high[inner] = nest_minimum(e, LLVMBuildNSWAdd(b, first, number(e, line), ""), end);
    const IndexExpr *begin = emit_variable(e, nest->low[inner], extent);
    LLVMValueRef size = LLVMBuildNSWSub(b, nest->high[inner], nest->low[inner], "");
    LLVMValueRef is_whole = LLVMBuildICmp(b, LLVMIntEQ, size, number(e, line), "");
    is_whole = LLVMBuildAnd(b, is_whole, has_lines, "");
    int64_t side = tile_lines(e), lengths = space->axes[outer].extent;
    EmitLoop *tiles = emit_loop_begin(
        e, low ? low : number(e, 0), low ? high : number(e, lengths), side, lengths, false);
    nest->low[outer] = tiles->phi;
    nest->high[outer] = emit_block_end(e, tiles);
    EmitIf branch = emit_if(e, is_whole);
    nest->line = begin;
    emit_loops(nest, 0);
    nest->line = NULL;
    emit_else(e, &branch);
    emit_loops(nest, 0);
    emit_end_if(e, &branch);
    emit_loop_end(e, tiles);
    emit_loop_end(e, lines);
    nest->low[outer] = low; // a row may have several pieces
    nest->high[outer] = high;
    nest->low[inner] = nest->high[inner] = NULL;
}

// Blocks of the tile axis and of the inner axis around the two innermost loops.
static void emit_tiles(Nest *nest) {
    Emit *e = nest->e;
    const Space *space = nest->space;
    if (space->tile < 0) {
        emit_loops(nest, 0);
        return;
    }
    if (space->by_lines) {
        emit_line_tiles(nest);
        return;
    }
    int axes[2] = {space->tile, space->inner};
    EmitLoop *loops[2];
    LLVMValueRef lows[2], highs[2]; // of the axes as they were: a row may have several pieces
    for (int i = 0; i < 2; i++) {
        int a = axes[i];
        lows[i] = nest->low[a];
        highs[i] = nest->high[a];
        LLVMValueRef low = lows[i] ? lows[i] : number(e, 0);
        LLVMValueRef high = lows[i] ? highs[i] : number(e, space->axes[a].extent);
        loops[i] = emit_loop_begin(e, low, high, tile_side(e), space->axes[a].extent, false);
        nest->low[a] = loops[i]->phi;
        nest->high[a] = emit_block_end(e, loops[i]);
    }
    emit_loops(nest, 0);
    for (int i = 1; i >= 0; i--) {
        emit_loop_end(e, loops[i]);
        nest->low[axes[i]] = lows[i];
        nest->high[axes[i]] = highs[i];
    }
}

// Row axes from number k on: an axis with cuts by a branch per piece.
static void emit_row(Nest *nest, int k) {
    Emit *e = nest->e;
    if (e->failed) return;
    if (k == nest->row_count) {
        emit_tiles(nest);
        return;
    }
    int a = nest->row_axes[k];
    const SpaceAxis *axis = &nest->space->axes[a];
    for (int piece = 0; piece < axis->cut_count; piece++) {
        int64_t start = axis->cuts[piece], size = axis->cuts[piece + 1] - start;
        if (space_is_missing(nest->space, a, start, nest->at)) continue;
        LLVMValueRef here = LLVMBuildSub(e->builder, nest->row_index[a], number(e, start), "");
        if (axis->cut_count == 1) {
            nest->at[a] = emit_variable(e, nest->row_index[a], size);
            emit_row(nest, k + 1);
            return;
        }
        LLVMValueRef is_here = LLVMBuildICmp(e->builder, LLVMIntULT, here, number(e, size), "");
        EmitIf branch = emit_if(e, is_here);
        nest->at[a] = index_add_constant(e->index, emit_variable(e, here, size), start);
        emit_row(nest, k + 1);
        emit_end_if(e, &branch);
        nest->at[a] = NULL;
    }
}

// The rows [rows*begin/grid, rows*end/grid).
static void row_bounds(Emit *e, int64_t rows, LLVMValueRef *first, LLVMValueRef *last) {
    LLVMValueRef grid = number(e, e->kernel->grid > 0 ? e->kernel->grid : 1);
    *first = LLVMBuildUDiv(
        e->builder, LLVMBuildMul(e->builder, e->begin, number(e, rows), ""), grid, "");
    *last =
        LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, e->end, number(e, rows), ""), grid, "");
}

// Which axes make a row: outermost ones, in order, until there are enough rows for the grid. The
// others are loops, the inner axis last.
static int64_t choose_rows(Nest *nest) {
    const Space *space = nest->space;
    int64_t grid = nest->e->kernel->grid, rows = 1;
    for (int a = 0; a < space->axis_count; a++) {
        if (a == space->inner || a == space->tile || a == nest->unrolled) continue;
        if (rows < 4 * grid && grid > 1) {
            nest->row_axes[nest->row_count++] = a;
            rows *= space->axes[a].extent;
        } else {
            nest->loops[nest->loop_count++] = a;
        }
    }
    if (space->tile >= 0) nest->loops[nest->loop_count++] = space->tile;
    if (space->inner >= 0) nest->loops[nest->loop_count++] = space->inner;
    return rows;
}

// Blocks of an axis so that `rows` times their number is about 4 times the grid (or the grid
// itself, where blocks would be small).
static int64_t axis_block(int64_t extent, int64_t rows, int64_t grid, int64_t multiple) {
    int64_t blocks = rows > 0 ? (4 * grid + rows - 1) / rows : 1;
    int64_t size = (extent + blocks - 1) / blocks;
    size = (size + multiple - 1) / multiple * multiple;
    return size < extent ? size : extent;
}

// What blocks are multiples of. Folds by columns read pieces of rows, each of which lies
// elsewhere: long pieces, if there are many. Of other folds a block may be one result.
static int64_t block_unit(const Emit *e, const Space *space, int blocked, int64_t rows) {
    const Stage *stage = e->kernel->stage;
    if (blocked == space->tile && !space->by_lines) return tile_side(e);
    if (stage->rows && stage->rows->columns) return stage->rows->columns;
    bool is_fold = stage->kind == STAGE_FOLD && !space->by_columns;
    int64_t width = is_fold ? 1 : LEAST_WIDTH, all = rows * space->axes[blocked].extent;
    while ((is_fold || space->by_columns || space->by_lines) && width < MOST_COLUMNS &&
           all / (2 * width) >= MANY_BLOCKS)
        width *= 2;
    return width;
}

// The last digit of a number to the base `extent`, which it loses.
static LLVMValueRef take_digit(Emit *e, LLVMValueRef *rest, int64_t extent) {
    LLVMValueRef by = number(e, extent);
    LLVMValueRef digit = LLVMBuildURem(e->builder, *rest, by, "");
    *rest = LLVMBuildUDiv(e->builder, *rest, by, "");
    return digit;
}

static bool is_row_axis(const Nest *nest, int axis) {
    for (int k = 0; k < nest->row_count; k++)
        if (nest->row_axes[k] == axis) return true;
    return false;
}

// How many rows have a number: with blocks of an axis, of its last block the missing ones, too.
static int64_t numbered_rows(const Nest *nest, int64_t rows) {
    const Space *space = nest->space;
    if (!nest->by_blocks) return rows;
    int64_t extent = space->axes[space->written].extent;
    return rows / extent * ((extent + space->block - 1) / space->block * space->block);
}

// Sets the row axes' indices of a row: digits of its number, the last axis' the last one. In blocks
// of an axis that one's digit in its block comes last, the block's number before axis `read`.
static void number_rows(Nest *nest, LLVMValueRef row) {
    Emit *e = nest->e;
    const Space *space = nest->space;
    LLVMValueRef in_block = nest->by_blocks ? take_digit(e, &row, space->block) : NULL;
    for (int k = nest->row_count - 1; k >= 0; k--) {
        int a = nest->row_axes[k];
        bool is_read = nest->by_blocks && a == space->read;
        if (nest->by_blocks && a == space->written) continue;
        nest->row_index[a] = k == 0 && !is_read ? row : take_digit(e, &row, space->axes[a].extent);
        if (!is_read) continue;
        int64_t blocks = (space->axes[space->written].extent + space->block - 1) / space->block;
        LLVMValueRef block = k == 0 ? row : take_digit(e, &row, blocks);
        block = LLVMBuildNSWMul(e->builder, block, number(e, space->block), "");
        nest->row_index[space->written] = LLVMBuildNSWAdd(e->builder, block, in_block, "");
    }
}

// The row with this number, if there is one.
static void emit_numbered(Nest *nest, LLVMValueRef row) {
    Emit *e = nest->e;
    number_rows(nest, row);
    int64_t extent = nest->by_blocks ? nest->space->axes[nest->space->written].extent : 0;
    if (!nest->by_blocks || extent % nest->space->block == 0) {
        emit_row(nest, 0);
        return;
    }
    LLVMValueRef at = nest->row_index[nest->space->written];
    EmitIf exists = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, at, number(e, extent), ""));
    emit_row(nest, 0);
    emit_end_if(e, &exists);
}

void space_emit_whole(Emit *e, const Space *space, const SpaceBody *body) {
    Nest nest = {.e = e, .space = space, .body = body, .unrolled = -1};
    for (int d = 0; d < space->rank; d++) {
        if (space->dims[d] == 0) return;
    }
    for (int a = 0; a < space->axis_count; a++) {
        if (a != space->inner) nest.loops[nest.loop_count++] = a;
    }
    if (space->inner >= 0) nest.loops[nest.loop_count++] = space->inner;
    emit_loops(&nest, 0);
}

// The blocks [begin, end) of a part of a KERNEL_BLOCKS: their rows are those of the outermost axes,
// or the only axis.
static void emit_blocks_of_rows(Nest *nest) {
    Emit *e = nest->e;
    const Space *space = nest->space;
    int64_t size = e->kernel->block.rows, all = e->kernel->grid * size, rows = 1;
    LLVMValueRef first = LLVMBuildNSWMul(e->builder, e->begin, number(e, size), ""),
                 last = LLVMBuildNSWMul(e->builder, e->end, number(e, size), "");
    if (space->axis_count == 1 && space->inner == 0) {
        nest->loops[nest->loop_count++] = 0;
        nest->low[0] = first;
        nest->high[0] = last;
        emit_tiles(nest);
        return;
    }
    for (int a = 0; a < space->axis_count; a++) {
        if (a == space->inner) continue;
        if (rows < all) {
            nest->row_axes[nest->row_count++] = a;
            rows *= space->axes[a].extent;
        } else {
            nest->loops[nest->loop_count++] = a;
        }
    }
    if (space->inner >= 0) nest->loops[nest->loop_count++] = space->inner;
    EmitLoop *loop = emit_loop_begin(e, first, last, 1, all, false);
    emit_numbered(nest, loop->phi);
    emit_loop_end(e, loop);
}

// Are the places of the shared axis made together in the innermost loop? LLVM makes vectors of such
// strides of whole vectors of memory. The axis may have pieces: each place is a number.
static bool unrolls(const Emit *e, const Space *space, const SpaceBody *body) {
    const Stage *stage = e->kernel->stage;
    return space->shared >= 0 && space->tile < 0 && body->element && stage->kind == STAGE_MAP &&
           stage->exprs->expr_count <= MOST_UNROLLED;
}

// Are the innermost places unrolled, or do results go around the caches?
static void choose_form(Nest *nest) {
    Emit *e = nest->e;
    const Space *space = nest->space;
    const Stage *stage = e->kernel->stage;
    if (unrolls(e, space, nest->body)) {
        nest->unrolled = space->shared;
        return;
    }
    if (space->by_lines || stage->kind != STAGE_MAP || e->kernel->kind == KERNEL_UPDATE ||
        nest->body->block || !emit_streams(e, space, stage->store_count, stage->stores))
        return;
    nest->streams = true;
    nest->is_direct = space->tile < 0 && stream_is_direct(stage->store_count, stage->stores);
    if (!nest->is_direct) stream_begin(e, &nest->stream, stage->store_count, stage->stores);
}

void space_emit(Emit *e, const Space *space, const SpaceBody *body) {
    Nest nest = {.e = e, .space = space, .body = body, .unrolled = -1};
    for (int d = 0; d < space->rank; d++) {
        if (space->dims[d] == 0) return; // nothing to do
    }
    if (e->kernel->block.rows) {
        emit_blocks_of_rows(&nest);
        return;
    }
    choose_form(&nest);
    int64_t grid = e->kernel->grid, rows = choose_rows(&nest);
    nest.by_blocks =
        space->block > 0 && is_row_axis(&nest, space->read) && is_row_axis(&nest, space->written);
    rows = numbered_rows(&nest, rows);
    LLVMValueRef first, last;
    // Too few rows: they are cut into blocks of the tile axis, or of the inner one.
    int blocked =
        rows < grid && space->axis_count > 0 ? (space->tile >= 0 ? space->tile : space->inner) : -1;
    int64_t block = 0, blocks = 1;
    if (blocked >= 0) {
        int64_t extent = space->axes[blocked].extent;
        block = axis_block(extent, rows, grid, block_unit(e, space, blocked, rows));
        blocks = (extent + block - 1) / block;
    }
    row_bounds(e, rows * blocks, &first, &last);
    if (nest.row_count == 0 && blocked >= 0 &&
        (blocked == space->inner || space->by_lines)) { // one loop over all of this lane's blocks
        LLVMValueRef size = number(e, block), extent = number(e, space->axes[blocked].extent);
        nest.low[blocked] = LLVMBuildNSWMul(e->builder, first, size, "");
        nest.high[blocked] = nest_minimum(e, LLVMBuildNSWMul(e->builder, last, size, ""), extent);
        emit_tiles(&nest);
        return;
    }
    EmitLoop *loop = emit_loop_begin(e, first, last, 1, rows * blocks, false);
    LLVMValueRef rest = loop->phi;
    if (blocked >= 0) {
        bool rows_first = space->shared >= 0 && blocked == space->inner; // within a block
        LLVMValueRef count = number(e, rows_first ? rows : blocks);
        LLVMValueRef k = LLVMBuildURem(e->builder, rest, count, "");
        rest = LLVMBuildUDiv(e->builder, rest, count, "");
        if (rows_first) {
            LLVMValueRef row = k;
            k = rest;
            rest = row;
        }
        nest.low[blocked] = LLVMBuildNSWMul(e->builder, k, number(e, block), "");
        LLVMValueRef end = LLVMBuildNSWAdd(e->builder, nest.low[blocked], number(e, block), "");
        nest.high[blocked] = nest_minimum(e, end, number(e, space->axes[blocked].extent));
    }
    emit_numbered(&nest, rest);
    emit_loop_end(e, loop);
}

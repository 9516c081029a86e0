// lower_matmul: blocked, packed matrix products.
//
// The grid has one chunk per block of C (mc x nc of one batch entry), numbered so that neighbours
// share B: chunk = (batch * n_blocks + j) * m_blocks + i. A lane takes the neighbouring chunks
// [begin, end) of one (batch, j), its rows, together:
//
//     for each (batch, j) that it meets:
//       pack B (K x nc), where that is kept
//       for each strip of its blocks of rows:
//         for each block of K:
//           pack B (kc x nc), where it is not kept
//           for each block of A of the strip:
//             pack A (mc x kc);  for each tile of C:  micro-kernel;  after the
//                                last block of K:  epilogue, store
//
// Of a product with few columns A is read where it lies.
// Where products are as fast as packing (tile registers), A's blocks are kept for the next columns.
// Tiles of C stay in registers over a block of K, and wait in the scratch for the next.
//
// Sums over K run in the same order however the chunks are dealt out, so the bits do not
// depend on the number of lanes.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"

enum { MAX_TILE_VECTORS = 8, MOST_STREAMED_ROWS = 32 };

static int64_t panels(int64_t size, int width) { return (size + width - 1) / width; }

// The same at run time.
static LLVMValueRef emit_panels(Emit *e, LLVMValueRef size, int64_t width) {
    LLVMValueRef rounded = LLVMBuildAdd(e->builder, size, emit_number(e, width - 1), "");
    return LLVMBuildSDiv(e->builder, rounded, emit_number(e, width), "");
}

// ---- A in place

// Is A, which lies at that place, read as fast as if it were packed?
static bool is_near(const Matmul *x, const OperandPlace *place) {
    enum { LINE = 64 };
    const Contraction *c = &x->c;
    int64_t size = (int64_t)element_bytes(c->lhs_packed);
    if (place->stored->type->element != c->lhs_packed || place->line_stride <= 0) return false;
    if (c->in_tiles) return place->k_stride == 1;
    // k's that are lines apart would fetch each line for a part of its rows
    return place->k_stride > 0 && place->k_stride * size < LINE &&
           contract_reads_rows(c, x->blocks.tile, place->line_stride * size);
}

// Could the micro-kernel read A's elements as they are? Of tile registers, each panel of B reads
// A's lines once more, with other lines of their sets in between.
static bool multiplies_as_stored(const Matmul *x) {
    enum { MOST_PANELS = 3 };
    const Contraction *c = &x->c;
    const ContractBlocks *blocks = &x->blocks;
    if (c->conv || c->lhs_is_raised) return false;
    if (!c->in_tiles) return c->how->group == 1;
    return c->k.size % blocks->lhs.k_step == 0 && c->n.size <= MOST_PANELS * blocks->tile.columns;
}

// Packing A is long beside the product with few columns: then the micro-kernel reads A where it
// lies. The last tile of a block ends with its last row, and makes some rows once more.
static bool may_read_lhs(Matmul *x, OperandPlace *place) {
    Emit *e = x->e;
    const Contraction *c = &x->c;
    const ContractBlocks *blocks = &x->blocks;
    int64_t MR = blocks->tile.rows, rest = c->m.size % blocks->mc;
    if (!multiplies_as_stored(x) || c->m.size < MR || (rest && rest < MR)) return false;
    for (int i = 0; i < e->kernel->input_count; i++)
        if (e->kernel->inputs[i].shares) return false; // a second time it would be changed twice
    const IndexExpr *batch[MAX_RANK];
    for (int d = 0; d < c->batch.rank; d++)
        batch[d] = index_constant(e->index, 0);
    if (!contraction_place(e, c, true, batch, place)) return false;
    int64_t size = (int64_t)element_bytes(c->lhs_packed);
    if (blocks->mc * size < (int64_t)sizeof(int64_t)) return false; // where A's block would lie
    return is_near(x, place);
}

// Where the steps of a block lie behind its first one: in the scratch of A's block.
static void fill_offsets(Matmul *x, const OperandPlace *place) {
    Emit *e = x->e;
    int64_t step = x->blocks.lhs.k_step;
    EmitLoop *k = emit_loop_constant(e, x->blocks.kc / step, true);
    Scalar offset = {
        .element = ELEMENT_I64,
        .value = emit_index(e, index_scale(e->index, k->index, step * place->k_stride))};
    emit_private_store(e, ELEMENT_I64, emit_scratch(e, x->lhs_at), k->phi, offset);
    emit_loop_end(e, k);
}

static void read_lhs(Matmul *x) {
    OperandPlace place;
    x->reads_lhs = may_read_lhs(x, &place);
    if (!x->reads_lhs) return;
    x->microkernel.has_offsets = true;
    x->microkernel.row_stride = place.line_stride;
    x->microkernel.ahead.lhs = false;
    // where all columns pass before the next rows, these come from memory, as one run of it
    x->asks_for_rows =
        x->blocks.rows_first && place.k_stride == 1 && place.line_stride == x->c.k.size;
    if (x->asks_for_rows) x->microkernel.ahead.panel = true;
    fill_offsets(x, &place);
}

// ---- blocks

// The first element of A's panel number `panel` of the chunk, for a block of K.
static const IndexExpr *lhs_panel(Matmul *x, const IndexExpr *panel, const IndexExpr *k_first) {
    IndexBuilder *b = x->e->index;
    const ContractBlocks *blocks = &x->blocks;
    int64_t MR = blocks->tile.rows;
    if (!blocks->keeps_lhs) return index_scale(b, panel, blocks->kc * MR);
    const IndexExpr *at = index_scale(b, x->m_block, blocks->lhs_stride);
    at = index_add(b, at, index_scale(b, panel, blocks->k_padded * MR));
    return index_add(b, at, index_scale(b, k_first, MR));
}

// The first row of A's panel number `panel` of the chunk.
static const IndexExpr *tile_row(Matmul *x, const IndexExpr *panel) {
    Emit *e = x->e;
    int64_t MR = x->blocks.tile.rows;
    const IndexExpr *row = index_scale(e->index, panel, MR);
    if (x->reads_lhs) {
        LLVMValueRef last = LLVMBuildNSWSub(e->builder, x->m_count, emit_number(e, MR), "");
        row = emit_variable(e, emit_minimum(e, emit_index(e, row), last), x->blocks.mc);
    }
    return index_add(e->index, x->m_first, row);
}

static LLVMValueRef lhs_address(
    Matmul *x, const IndexExpr *panel, const IndexExpr *row, const IndexExpr *k_first) {
    OperandPlace place;
    Emit *e = x->e;
    if (!x->reads_lhs)
        return matmul_scratch(x, x->lhs_at, x->c.lhs_packed, lhs_panel(x, panel, k_first));
    if (!contraction_place(e, &x->c, true, x->batch, &place)) e->failed = true;
    return e->failed ? NULL : contraction_place_address(e, &place, row, k_first);
}

static LLVMValueRef excess_of_panel(Matmul *x, const IndexExpr *panel) {
    const IndexExpr *at = index_scale(x->e->index, panel, x->blocks.tile.columns);
    return matmul_scratch(x, x->excess_at, x->c.accumulator, at);
}

// 128 times the sums of the columns of a panel of B, for some steps of k.
static void sum_excess(
    Matmul *x, const IndexExpr *panel, const IndexExpr *b_at, LLVMValueRef steps) {
    Emit *e = x->e;
    LLVMBuilderRef builder = e->builder;
    int64_t NR = x->blocks.tile.columns;
    ContractVectors v = contract_vectors(e, builder, x->c.how, x->c.accumulator, x->c.lhs_packed);
    LLVMValueRef sums[MAX_TILE_VECTORS], to = excess_of_panel(x, panel);
    int vectors = (int)NR / v.lanes;
    for (int j = 0; j < vectors; j++) {
        sums[j] = emit_alloca(e, v.vector, 1, 64);
        LLVMBuildStore(builder, LLVMConstNull(v.vector), sums[j]);
    }
    EmitLoop *k = emit_loop_begin(e, emit_number(e, 0), steps, 1, x->blocks.kc, false);
    const IndexExpr *row = index_scale(e->index, k->index, NR * x->c.how->group);
    LLVMValueRef from =
        matmul_scratch(x, x->rhs_at, x->c.rhs_packed, index_add(e->index, b_at, row));
    for (int j = 0; j < vectors; j++) {
        LLVMValueRef place = emit_number(e, j);
        place = LLVMBuildInBoundsGEP2(builder, v.groups, from, &place, 1, "");
        LLVMValueRef sum = LLVMBuildLoad2(builder, v.vector, sums[j], "");
        sum = contract_add_excess(&v, LLVMBuildLoad2(builder, v.groups, place, ""), sum);
        LLVMBuildStore(builder, sum, sums[j]);
    }
    emit_loop_end(e, k);
    for (int j = 0; j < vectors; j++) {
        LLVMValueRef place = emit_number(e, j);
        place = LLVMBuildInBoundsGEP2(builder, v.vector, to, &place, 1, "");
        LLVMBuildStore(builder, LLVMBuildLoad2(builder, v.vector, sums[j], ""), place);
    }
}

// The first element of B's panel of the chunk, for a block of K.
static const IndexExpr *rhs_panel(Matmul *x, const IndexExpr *panel, const IndexExpr *k_first) {
    IndexBuilder *b = x->e->index;
    const ContractBlocks *blocks = &x->blocks;
    int64_t NR = blocks->tile.columns, depth = blocks->keeps_rhs ? blocks->k_padded : blocks->kc;
    const IndexExpr *at = index_scale(b, panel, depth * NR);
    return blocks->keeps_rhs ? index_add(b, at, index_scale(b, k_first, NR)) : at;
}

static LLVMValueRef rhs_address(Matmul *x, const IndexExpr *panel, const IndexExpr *k_first) {
    Emit *e = x->e;
    if (!x->panels.load)
        return matmul_scratch(x, x->rhs_at, x->c.rhs_packed, rhs_panel(x, panel, k_first));
    const IndexExpr *first = index_div(e->index, x->n_first, x->blocks.tile.columns);
    return panels_address(e, &x->c, &x->panels, index_add(e->index, first, panel), k_first);
}

// The part of the next panel of B that is prefetched while A's panel number `panel` is multiplied.
// Behind the last panel of B lies nothing that is read: that costs nothing either.
static LLVMValueRef soon(Matmul *x, LLVMValueRef rhs, const IndexExpr *panel) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    if (!x->microkernel.ahead.panel) return NULL;
    bool is_whole = x->panels.load || blocks->keeps_rhs;
    int64_t bytes = (int64_t)element_bytes(x->c.rhs_packed) * blocks->tile.columns;
    int64_t next = (is_whole ? blocks->k_padded : blocks->kc) * bytes;
    int64_t share = blocks->kc * bytes / panels(blocks->mc, blocks->tile.rows);
    const IndexExpr *at = index_add_constant(e->index, index_scale(e->index, panel, share), next);
    LLVMValueRef distance = emit_index(e, at);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    return LLVMBuildGEP2(e->builder, i8, rhs, &distance, 1, "");
}

// The part of A's next rows that is prefetched while panel number `panel` of B is multiplied.
static LLVMValueRef soon_rows(Matmul *x, LLVMValueRef lhs, const IndexExpr *panel) {
    Emit *e = x->e;
    int64_t tile = x->blocks.tile.rows * x->c.k.size * (int64_t)element_bytes(x->c.lhs_packed);
    int64_t share = tile / panels(x->blocks.nc, x->blocks.tile.columns);
    LLVMValueRef distance =
        emit_index(e, index_add_constant(e->index, index_scale(e->index, panel, share), tile));
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    return LLVMBuildGEP2(e->builder, i8, lhs, &distance, 1, "");
}

// Where the sums of these panels' tile wait for the next block of K: an element of the tiles.
static const IndexExpr *tile_of_strip(
    Matmul *x, const IndexExpr *m_panel, const IndexExpr *n_panel) {
    IndexBuilder *b = x->e->index;
    const ContractBlocks *blocks = &x->blocks;
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    if (blocks->k_blocks == 1) return index_constant(b, 0);
    const IndexExpr *tile = index_scale(b, x->strip_block, panels(blocks->nc, (int)NR));
    tile = index_scale(b, index_add(b, tile, n_panel), panels(blocks->mc, (int)MR));
    return index_scale(b, index_add(b, tile, m_panel), MR * NR);
}

// A panel's memory in the block that follows this one.
typedef struct Following {
    LLVMValueRef now;    // the panel in this block
    LLVMValueRef number; // of the share that a tile asks for
    int64_t width, shares;
    int64_t restart; // elements to the first k of the panel that comes after the last block of K
} Following;

// Lines that a tile asks for with each step.
static int lines_of_share(const Matmul *x, const Following *place) {
    enum { LINE = 64 };
    const ContractBlocks *blocks = &x->blocks;
    int64_t bytes = place->width * blocks->kc * (int64_t)element_bytes(x->c.lhs_packed);
    int64_t steps = blocks->kc / blocks->lhs.k_step, lines = bytes / (place->shares * steps * LINE);
    return lines > 1 ? (int)lines : 1; // what is left over comes when it is read
}

// {where the tile's share begins, bytes of a step}
static void set_following(
    Matmul *x, const Following *place, const IndexExpr *k_first, LLVMValueRef is_last,
    LLVMValueRef rows, int number) {
    enum { LINE = 64 };
    Emit *e = x->e;
    LLVMBuilderRef b = e->builder;
    const ContractBlocks *blocks = &x->blocks;
    int64_t bytes = (int64_t)element_bytes(x->c.lhs_packed),
            lines = x->microkernel.ahead.block_lines;
    int64_t share = blocks->kc / blocks->lhs.k_step * lines * LINE;
    LLVMValueRef back = emit_index(e, index_scale(e->index, k_first, -place->width * bytes));
    LLVMValueRef restart = LLVMBuildNSWAdd(b, back, emit_number(e, place->restart * bytes), "");
    LLVMValueRef next = emit_number(e, blocks->kc * place->width * bytes);
    LLVMValueRef distance = is_last ? emit_choose(e, is_last, restart, next) : restart;
    LLVMValueRef before = LLVMBuildNSWMul(b, place->number, emit_number(e, share), "");
    distance = LLVMBuildNSWAdd(b, distance, before, "");
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    LLVMValueRef words[2] = {
        LLVMBuildGEP2(b, i8, place->now, &distance, 1, ""), emit_number(e, lines * LINE)};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef at = emit_number(e, 2 * number + i);
        LLVMBuildStore(b, words[i], LLVMBuildInBoundsGEP2(b, emit_i64(e), rows, &at, 1, ""));
    }
}

// While tile registers multiply a block, each tile asks for a share of the block that follows: of
// A's panel in the next block of K, or of rows, and of B's panel.
static void ask_for_next_blocks(
    Matmul *x, MicrokernelCall *call, const EmitLoop *m, const EmitLoop *n,
    const IndexExpr *k_first, LLVMValueRef is_last) {
    const ContractBlocks *blocks = &x->blocks;
    Tile tile = blocks->tile;
    int64_t m_panels = panels(blocks->mc, tile.rows), n_panels = panels(blocks->nc, tile.columns);
    Following places[MOST_AHEAD_BLOCKS];
    Ahead *ahead = &x->microkernel.ahead;
    ahead->blocks = ahead->block_lines = 0;
    if (blocks->keeps_lhs && !x->reads_lhs)
        places[ahead->blocks++] =
            (Following){call->a, n->phi, tile.rows, n_panels, blocks->lhs_stride};
    if (blocks->k_blocks > 1)
        places[ahead->blocks++] = (Following){call->b, m->phi, tile.columns, m_panels, 0};
    for (int i = 0; i < ahead->blocks; i++) {
        int lines = lines_of_share(x, &places[i]);
        if (lines > ahead->block_lines) ahead->block_lines = lines;
    }
    for (int i = 0; i < ahead->blocks; i++)
        set_following(x, &places[i], k_first, is_last, call->rows, ahead->places + i);
}

// All tiles of the chunk for one block of K.
static void multiply_block(
    Matmul *x, const IndexExpr *k_block, const IndexExpr *k_first, LLVMValueRef k_count) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const ContractBlocks *blocks = &x->blocks;
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    int64_t m_panels = panels(blocks->mc, blocks->tile.rows),
            n_panels = panels(blocks->nc, blocks->tile.columns);
    LLVMValueRef zero = emit_number(e, 0);
    LLVMValueRef n_stop = emit_panels(e, x->n_count, NR), m_stop = emit_panels(e, x->m_count, MR);
    LLVMValueRef k_steps = emit_panels(e, k_count, blocks->lhs.k_step);
    if (x->microkernel.has_excess) {
        EmitLoop *panel = emit_loop_begin(e, zero, n_stop, 1, n_panels, false);
        sum_excess(x, panel->index, rhs_panel(x, panel->index, k_first), k_steps);
        emit_loop_end(e, panel);
    }
    bool rows_first = blocks->rows_first;
    EmitLoop *outer = emit_loop_begin(
        e, zero, rows_first ? m_stop : n_stop, 1, rows_first ? m_panels : n_panels, false);
    EmitLoop *inner = emit_loop_begin(
        e, zero, rows_first ? n_stop : m_stop, 1, rows_first ? n_panels : m_panels, false);
    EmitLoop *ir = rows_first ? outer : inner, *jr = rows_first ? inner : outer;
    const IndexExpr *tile = tile_of_strip(x, ir->index, jr->index);
    LLVMValueRef add = LLVMBuildICmp(e->builder, LLVMIntSGT, emit_index(e, k_block), zero, "");
    const IndexExpr *row = tile_row(x, ir->index);
    LLVMValueRef lhs = lhs_address(x, ir->index, row, k_first),
                 rhs = rhs_address(x, jr->index, k_first);
    if (e->failed) return;
    LLVMValueRef extra = x->reads_lhs                ? emit_scratch(e, x->lhs_at)
                         : x->microkernel.has_excess ? excess_of_panel(x, jr->index)
                                                     : NULL;
    MicrokernelCall call = {
        .a = lhs,
        .b = rhs,
        .c = matmul_scratch(x, x->tiles_at, x->c.accumulator, tile),
        .k = k_steps,
        .add = add,
        .last = extra,
        .soon = x->asks_for_rows ? soon_rows(x, lhs, jr->index) : soon(x, rhs, ir->index)};
    const IndexExpr *column = index_add(b, x->n_first, index_scale(b, jr->index, NR));
    LLVMValueRef is_last = NULL;
    if (blocks->k_blocks > 1) {
        LLVMValueRef last = emit_number(e, blocks->k_blocks - 1);
        is_last = LLVMBuildICmp(e->builder, LLVMIntEQ, emit_index(e, k_block), last, "");
    }
    matmul_ask_for_rows(x, row, column, blocks->kc / blocks->lhs.k_step, is_last, &call);
    if (x->c.in_tiles) ask_for_next_blocks(x, &call, ir, jr, k_first, is_last);
    matmul_multiply_tile(x, &call, column);
    if (is_last) {
        EmitIf done = emit_if(e, is_last);
        matmul_finish_tile(x, tile, row, column);
        emit_end_if(e, &done);
    } else {
        matmul_finish_tile(x, tile, row, column);
    }
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
}

// A's rows of the chunk, for these k's.
static void pack_rows(Matmul *x, PackRange k) {
    Emit *e = x->e;
    if (x->reads_lhs) return;
    const IndexExpr *zero = index_constant(e->index, 0);
    PackRange m = {x->m_first, x->m_count, x->blocks.mc};
    LLVMValueRef to = matmul_scratch(x, x->lhs_at, x->c.lhs_packed, lhs_panel(x, zero, zero));
    pack_lhs(e, &x->c, &x->blocks.lhs, x->batch, m, k, to);
}

static void pack_columns(Matmul *x, PackRange k) {
    Emit *e = x->e;
    if (x->panels.load) return;
    PackRange n = {x->n_first, x->n_count, x->blocks.nc};
    pack_rhs(e, &x->c, &x->blocks.rhs, x->batch, n, k, emit_scratch(e, x->rhs_at));
}

// Of the chunks of one batch entry, a lane's first m_blocks meet all rows.
static LLVMValueRef meets_rows(Matmul *x, const IndexExpr *chunk) {
    Emit *e = x->e;
    LLVMValueRef number = emit_index(e, chunk);
    int64_t entry = x->blocks.m_blocks * x->blocks.n_blocks;
    LLVMValueRef in_entry = emit_index(e, index_mod(e->index, chunk, entry));
    LLVMValueRef done = emit_minimum(e, in_entry, LLVMBuildSub(e->builder, number, e->begin, ""));
    return LLVMBuildICmp(e->builder, LLVMIntSLT, done, emit_number(e, x->blocks.m_blocks), "");
}

// One block of A, for a block of K.
static void multiply_rows(
    Matmul *x, const IndexExpr *column, const EmitLoop *k_block, PackRange k, PackRange all_k) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    x->m_first = index_scale(e->index, x->m_block, blocks->mc);
    x->m_count = emit_remaining(e, x->m_first, blocks->mc, x->c.m.size);
    if (blocks->keeps_lhs) {
        const IndexExpr *chunk =
            index_add(e->index, index_scale(e->index, column, blocks->m_blocks), x->m_block);
        LLVMValueRef is_first =
            LLVMBuildICmp(e->builder, LLVMIntEQ, k_block->phi, emit_number(e, 0), "");
        EmitIf is_new = emit_if(e, LLVMBuildAnd(e->builder, is_first, meets_rows(x, chunk), ""));
        pack_rows(x, all_k);
        emit_end_if(e, &is_new);
    } else {
        pack_rows(x, k);
    }
    multiply_block(x, k_block->index, k.first, k.count);
}

// The blocks of A from `first` on, at most a strip of them, before `stop`.
static void multiply_strip(
    Matmul *x, const IndexExpr *column, const EmitLoop *strip, LLVMValueRef stop, PackRange all_k) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const ContractBlocks *blocks = &x->blocks;
    LLVMValueRef end = LLVMBuildNSWAdd(e->builder, strip->phi, emit_number(e, blocks->strip), "");
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, emit_minimum(e, end, stop), strip->phi, "");
    EmitLoop *k_block = emit_loop_constant(e, blocks->k_blocks, false);
    const IndexExpr *k_first = index_scale(b, k_block->index, blocks->kc);
    PackRange k = {k_first, emit_remaining(e, k_first, blocks->kc, x->c.k.size), blocks->kc};
    if (!blocks->keeps_rhs) pack_columns(x, k);
    EmitLoop *block = emit_loop_begin(e, emit_number(e, 0), count, 1, blocks->strip, false);
    x->strip_block = block->index;
    x->m_block = index_add(b, strip->index, block->index);
    multiply_rows(x, column, k_block, k, all_k);
    emit_loop_end(e, block);
    emit_loop_end(e, k_block);
}

static LLVMValueRef maximum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntSLT, x, y, "");
    return LLVMBuildSelect(e->builder, less, y, x, "");
}

static void emit_chunks(Matmul *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const ContractBlocks *blocks = &x->blocks;
    LLVMBuilderRef builder = e->builder;
    LLVMValueRef rows = emit_number(e, blocks->m_blocks), zero = emit_number(e, 0);
    LLVMValueRef rounded =
        LLVMBuildNSWAdd(builder, e->end, emit_number(e, blocks->m_blocks - 1), "");
    EmitLoop *column = emit_loop_begin(
        e, LLVMBuildSDiv(builder, e->begin, rows, ""), LLVMBuildSDiv(builder, rounded, rows, ""), 1,
        x->c.batch.size * blocks->n_blocks, false);
    index_delinear(
        b, index_div(b, column->index, blocks->n_blocks), x->c.batch.rank, x->c.batch.dims,
        x->batch);
    x->n_first = index_scale(b, index_mod(b, column->index, blocks->n_blocks), blocks->nc);
    x->n_count = emit_remaining(e, x->n_first, blocks->nc, x->c.n.size);
    LLVMValueRef before = LLVMBuildNSWMul(builder, column->phi, rows, "");
    LLVMValueRef first = maximum(e, LLVMBuildNSWSub(builder, e->begin, before, ""), zero);
    LLVMValueRef stop = emit_minimum(e, LLVMBuildNSWSub(builder, e->end, before, ""), rows);
    PackRange all_k = {index_constant(b, 0), emit_number(e, x->c.k.size), x->c.k.size};
    if (blocks->keeps_rhs) pack_columns(x, all_k);
    EmitLoop *strip = emit_loop_begin(e, first, stop, blocks->strip, blocks->m_blocks, false);
    multiply_strip(x, column->index, strip, stop, all_k);
    emit_loop_end(e, strip);
    emit_loop_end(e, column);
}

// Element types without a micro-kernel, and contractions without products or results, are plain
// loops.
bool matmul_applies(const Contraction *c) {
    return c->k.size > 0 && c->m.size > 0 && c->n.size > 0 && c->batch.size > 0;
}

void matmul_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    ContractBlocks blocks = contract_blocks(c, target);
    kernel->grid = c->batch.size * blocks.n_blocks * blocks.m_blocks;
    kernel->scratch_bytes =
        blocks.lhs_bytes + blocks.rhs_bytes + blocks.tile_bytes + blocks.excess_bytes;
    matmul_set_costs(kernel, c);
}

// B's panels that stream from memory are asked for by the micro-kernel itself, further ahead.
static Ahead prefetched(const Matmul *x) {
    bool streams = x->microkernel.streams_rhs;
    if (x->c.in_tiles) return (Ahead){0};
    return (Ahead){
        .lhs = true,
        .rhs = !streams,
        .sums = x->blocks.k_blocks > 1,
        .panel = !streams && !x->blocks.rows_first};
}

bool matmul_emit_blocked(Emit *e, const Contraction *c) {
    Matmul *x = ARENA_NEW(e->arena, Matmul);
    x->e = e;
    x->c = *c;
    x->blocks = contract_blocks(c, e->target);
    x->lhs_at = 0;
    x->rhs_at = x->blocks.lhs_bytes;
    x->tiles_at = x->rhs_at + x->blocks.rhs_bytes;
    x->excess_at = x->tiles_at + x->blocks.tile_bytes;
    x->microkernel = (Microkernel){
        .tile = x->blocks.tile,
        .element = c->accumulator,
        .how = c->how,
        .lhs = x->blocks.lhs,
        .rhs = x->blocks.rhs,
        .has_excess = c->lhs_is_raised};
    x->panels = panels_find(e, c);
    int64_t streamed = c->in_tiles ? x->blocks.tile.rows : x->panels.load ? MOST_STREAMED_ROWS : 0;
    x->microkernel.streams_rhs = c->m.size <= streamed;
    x->microkernel.ahead = prefetched(x);
    read_lhs(x);
    matmul_stream(x);
    microkernel_begin(e, &x->microkernel);
    emit_chunks(x);
    microkernel_end(e, &x->microkernel);
    return !e->failed;
}

// The kernel's product, if it does not take plain loops.
static bool find_product(const Kernel *kernel, const Target *target, Contraction *c) {
    if (target->reference_kernels || !contraction_of(kernel->root, target, c) || !matmul_applies(c))
        return false;
    contraction_find_rows(kernel, c);
    return true;
}

void contract_grid(Kernel *kernel, const Target *target) {
    Contraction c;
    if (!find_product(kernel, target, &c)) {
        contract_reference_grid(kernel, target);
    } else if (few_rows_apply(kernel, &c, target)) {
        few_rows_set_grid(kernel, &c);
    } else {
        contraction_turn(&c, target);
        matmul_set_grid(kernel, &c, target);
    }
}

bool contract_emit(Emit *e) {
    Contraction c;
    if (!find_product(e->kernel, e->target, &c)) return contract_reference_emit(e);
    if (few_rows_apply(e->kernel, &c, e->target)) return few_rows_emit(e, &c);
    contraction_turn(&c, e->target);
    return matmul_emit_blocked(e, &c);
}

// matmul_products: the tiles of one block of A and one of B, and how these are packed; A may be
// read where it lies. See lower_matmul.c.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"

enum { MAX_TILE_VECTORS = 8 };

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
           contract_reads_rows(c, x->e->target, x->blocks.tile, place->line_stride * size);
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

// Where an operand lies, whichever entry of the batch it is of.
static bool place_in_any_entry(const Matmul *x, bool is_lhs, OperandPlace *place) {
    Emit *e = x->e;
    const IndexExpr *batch[MAX_RANK];
    for (int d = 0; d < x->c.batch.rank; d++)
        batch[d] = index_variable(e->index, expr_new_variable(e->exprs, false), x->c.batch.dims[d]);
    return contraction_place(e, &x->c, is_lhs, batch, place);
}

// Packing A is long beside the product with few columns: then the micro-kernel reads A where it
// lies. The last tile of a block ends with its last row, and makes some rows once more.
static bool may_read_lhs(Matmul *x, OperandPlace *place) {
    Emit *e = x->e;
    const Contraction *c = &x->c;
    const ContractBlocks *blocks = &x->blocks;
    int64_t MR = blocks->tile.rows, rest = (c->block.rows ? c->block.rows : c->m.size) % blocks->mc;
    if (c->block.is_depth) return false;
    if (!multiplies_as_stored(x) || c->m.size < MR || (rest && rest < MR)) return false;
    for (int i = 0; i < e->kernel->input_count; i++)
        if (e->kernel->inputs[i].shares) return false; // a second time it would be changed twice
    if (!place_in_any_entry(x, true, place)) return false;
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

// Beside few rows packing B is long: the micro-kernel reads whole vectors of it where they lie. The
// further apart its rows lie, the more of them meet in a set of the first-level cache, and each
// tile of A's rows fetches them again.
static bool may_read_rhs(const Matmul *x, OperandPlace *place) {
    enum { MOST_ROWS = 96, MOST_BYTES = 96 * 2048 };
    Emit *e = x->e;
    const Contraction *c = &x->c;
    if (!contract_reads_vectors(c, e->target) || c->block.rows || x->panels.load ||
        c->m.size > MOST_ROWS || x->blocks.m_blocks > 1)
        return false;
    if (!place_in_any_entry(x, false, place)) return false;
    int64_t row = place->k_stride * (int64_t)element_bytes(c->rhs_packed);
    return place->stored->type->element == c->rhs_packed && place->line_stride == 1 && row > 0 &&
           (row * c->m.size <= MOST_BYTES || contract_rhs_is_near(c, e->target, x->blocks.tile));
}

void matmul_read_rhs(Matmul *x) {
    OperandPlace place;
    x->reads_rhs = may_read_rhs(x, &place);
    if (!x->reads_rhs) return;
    x->microkernel.rhs_stride = place.k_stride;
    x->microkernel.ahead.panel = false;
}

void matmul_read_lhs(Matmul *x) {
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
    OperandPlace place;
    if (x->reads_rhs) {
        if (!contraction_place(e, &x->c, false, x->batch, &place)) e->failed = true;
        const IndexExpr *column = index_scale(e->index, panel, x->blocks.tile.columns);
        column = index_add(e->index, x->n_first, column);
        return e->failed ? NULL : contraction_place_address(e, &place, column, k_first);
    }
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
    if (blocks->keeps_rhs && blocks->k_blocks > 1)
        places[ahead->blocks++] = (Following){call->b, m->phi, tile.columns, m_panels, 0};
    for (int i = 0; i < ahead->blocks; i++) {
        int lines = lines_of_share(x, &places[i]);
        if (lines > ahead->block_lines) ahead->block_lines = lines;
    }
    for (int i = 0; i < ahead->blocks; i++)
        set_following(x, &places[i], k_first, is_last, call->rows, ahead->places + i);
}

// A condition that is NULL holds.
static EmitIf begin_if(Emit *e, LLVMValueRef condition) {
    return condition ? emit_if(e, condition) : (EmitIf){0};
}

static void end_if(Emit *e, LLVMValueRef condition, EmitIf *branch) {
    if (condition) emit_end_if(e, branch);
}

void matmul_multiply_block(
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
    LLVMValueRef counts = matmul_skips_zeros(x) ? matmul_counts(x, outer->index) : NULL;
    EmitLoop *inner = emit_loop_begin(
        e, zero, rows_first ? n_stop : m_stop, 1, rows_first ? n_panels : m_panels, false);
    EmitLoop *ir = rows_first ? outer : inner, *jr = rows_first ? inner : outer;
    const IndexExpr *tile = tile_of_strip(x, ir->index, jr->index);
    LLVMValueRef add = LLVMBuildICmp(e->builder, LLVMIntSGT, emit_index(e, k_block), zero, "");
    if (matmul_skips_zeros(x)) add = LLVMConstInt(LLVMTypeOf(add), 1, 0); // the sums began as 0
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
    EmitIf branch = begin_if(e, counts);
    matmul_multiply_tile(x, &call, column);
    end_if(e, counts, &branch);
    branch = begin_if(e, is_last);
    matmul_finish_tile(x, tile, row, column);
    end_if(e, is_last, &branch);
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
}

// A's rows of the chunk, for these k's.
void matmul_pack_rows(Matmul *x, PackRange k) {
    Emit *e = x->e;
    if (x->reads_lhs) return;
    const IndexExpr *zero = index_constant(e->index, 0);
    PackRange m = {x->m_first, x->m_count, x->blocks.mc};
    LLVMValueRef to = matmul_scratch(x, x->lhs_at, x->c.lhs_packed, lhs_panel(x, zero, zero));
    pack_lhs(e, &x->c, &x->blocks.lhs, x->batch, m, k, to);
}

void matmul_pack_columns(Matmul *x, PackRange k) {
    Emit *e = x->e;
    if (x->panels.load || x->reads_rhs) return;
    PackRange n = {x->n_first, x->n_count, x->blocks.nc};
    pack_rhs(e, &x->c, &x->blocks.rhs, x->batch, n, k, emit_scratch(e, x->rhs_at));
}

// blocking: register tiles and cache blocks of contractions.
//
// Register tile MR x NR: as many accumulators as the row of targets.def has, cut so that neither
// M nor N leaves much of the last tile unused. Cache blocks after Low, Igual, Smith,
// Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS", ACM TOMS 43(2), 2016;
// the scheme is that of Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", ACM TOMS 34(3), 2008:
//   KC  a panel of B (KC x NR) stays near while the panels of A (MR x KC) pass: one of each takes
//       at most three first-level caches, as what comes from the second is asked for in time, and
//       the longer KC, the less often sums are loaded and stored; in tile registers, half of the
//       cache is B's
//   MC  a block of A (MC x KC) takes half of the second-level cache
//   NC  the packed columns of B take a share of the third-level cache: over all of K where that
//       leaves enough columns, so that A is packed only a few times; else a block of K at a time
//       (KC x NC), which the blocks of A of a strip meet before the next. Where one block of A has
//       all rows, and these are few, KC x NC takes a quarter of the second-level cache: it is
//       multiplied once, and what is written to the third level would be read back
// Tile registers multiply faster than the shared cache gives. There
//   KC  B's panel takes half of the first-level cache, or nearly all of it where it is then all of
//       K: the rest is passed by (microkernel_tiles.c)
//   MC, NC  the sums of a block of C stay in the second-level cache, beside this and the next
//       blocks of A and B, which the micro-kernel asks for; A and B lie packed in the third. Where
//       one block of A has all rows, B is packed a block of K at a time, as it is read once
#include "codegen/contract/contraction.h"

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t clamp(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

int contract_lanes(const Contraction *c, const Target *target) {
    int lanes = target->vector_bits / element_bits(c->accumulator);
    return lanes < 1 ? 1 : lanes;
}

// Words that stores may reach beyond the panels.
int64_t pack_slack(int lanes, int64_t width) { return (int64_t)lanes * (width + 1); }

// ---- register tiles

static double used(int64_t size, int64_t tile) {
    return (double)size / (double)round_up(size, tile);
}

// How much of the multiply-add units a tile keeps busy: independent sums for their latency, loads
// per product for the load units, and what beginning and ending a tile takes.
static double tile_speed(const ContractRow *how, int rows, int vectors) {
    enum { SUMS_IN_FLIGHT = 10, DOTS_IN_FLIGHT = 14, EDGE = 2 };
    double sums = rows * vectors, loads = (rows + vectors) / sums;
    int in_flight = how->product == PRODUCT_DOT ? DOTS_IN_FLIGHT : SUMS_IN_FLIGHT;
    double depth = sums >= in_flight ? 1 : sums / in_flight;
    return depth * sums / (sums + EDGE) * (loads <= 0.75 ? 1 : 0.75 / loads);
}

// The same over so many columns: of the last tile, the vectors that exist are multiplied.
static double columns_speed(
    const ContractRow *how, int rows, int vectors, int64_t columns, int lanes) {
    int64_t whole = columns / ((int64_t)vectors * lanes);
    int last = (int)ceil_div(columns - whole * vectors * lanes, lanes);
    double time = (double)(whole * vectors) / tile_speed(how, rows, vectors);
    if (last > 0) time += last / tile_speed(how, rows, last);
    return (double)columns / lanes / time;
}

// A tile's rows may fill a set but for what B needs, which is less where one tile has all columns.
bool contract_reads_rows(const Contraction *c, const Target *target, Tile tile, int64_t row_bytes) {
    enum { MOST_PANELS = 16, PAGE = 4096, OF_B = 4, OF_B_ONCE = 2 };
    int64_t ways = target->l1_bytes / PAGE; // an address within a page chooses the set
    int64_t most = ways - (c->n.size <= tile.columns ? OF_B_ONCE : OF_B);
    return c->n.size <= MOST_PANELS * tile.columns && lines_in_a_set(tile.rows, row_bytes) <= most;
}

bool contract_reads_vectors(const Contraction *c, const Target *target) {
    if (c->conv || c->in_tiles || c->how->group > 1 || c->lhs_is_raised) return false;
    if (c->rhs->type->element != c->rhs_packed) return false;
    return target->isa == ISA_AVX512 || c->n.size % contract_lanes(c, target) == 0;
}

// Of one line, a tile's columns of a row take too little from memory at once: twice as long as with
// two, where B came from there.
bool contract_rhs_is_near(const Contraction *c, const Target *target, Tile tile) {
    enum { LEAST_BYTES = 128 };
    return tile.columns * (int64_t)element_bytes(c->rhs_packed) >= LEAST_BYTES &&
           (int64_t)type_bytes(c->rhs->type) <= target->l2_bytes;
}

// Of columns that one tile may have, the share of the time in which it multiplies: packing an
// element of A takes as long as some more columns.
static double while_packing(const Contraction *c, const Target *target, Tile tile, int64_t widest) {
    const double COLUMNS = 16;
    if (c->row_bytes == 0 || c->n.size > widest) return 1;
    if (contract_reads_rows(c, target, tile, c->row_bytes)) return 1;
    return (double)c->n.size / ((double)c->n.size + COLUMNS);
}

// A few tiles are shared out one by one; if the last one has fewer rows, A is packed, as a tile
// reads rows where they lie only if all of them exist. The share of the time for the products.
static double while_shared_out(const Contraction *c, int rows) {
    enum { FEW_ROWS = 32 };
    const double PACKED = 0.95;
    return c->row_bytes > 0 && c->m.size <= FEW_ROWS && c->m.size % rows != 0 ? PACKED : 1;
}

// Tile registers: four accumulators of at most 16 x 16, two by two where both M and N have so many;
// equal rows, so that the last tile is no sliver.
Tile contract_tiles(int64_t M, int64_t N) {
    enum { SIDE = 16, ACCUMULATORS = 4 };
    int64_t down = M > SIDE ? 2 : 1, across = N > SIDE ? 2 : 1;
    if (down == 1) across = clamp(ceil_div(N, SIDE), 1, ACCUMULATORS);
    if (across == 1) down = clamp(ceil_div(M, SIDE), 1, ACCUMULATORS);
    int64_t rows = ceil_div(M, ceil_div(M, SIDE * down));
    return (Tile){(int)round_up(rows, ceil_div(rows, SIDE)), (int)(across * SIDE)};
}

// Of rows that lie side by side in short runs of memory, do tiles have parts of two runs?
static bool tears_runs(const Contraction *c, int rows) {
    enum { SHORT = 64 };
    const IndexSpace *m = &c->m;
    if (c->conv || m->rank < 2 || c->lhs_m[m->rank - 1] != c->lhs->type->rank - 1) return false;
    int64_t run = m->dims[m->rank - 1];
    return run > 1 && run <= SHORT && run % rows != 0;
}

// Sums of a tile that is so many vectors wide. Where multiply-adds do not read an element of A from
// memory for all lanes, it needs a register beside B's row, and so does the next one, as LLVM asks
// for it early.
static int most_sums(const ContractRow *how, const Target *target, int vectors) {
    int sums = how->rows * how->vectors;
    bool broadcasts = target->isa == ISA_AVX512;
    int left = target->vector_registers - vectors - 2;
    return broadcasts || sums < left ? sums : left;
}

// 16 rows are two times 8, not 28. Ties go to the larger tile.
Tile contract_tile(const Contraction *c, const Target *target) {
    enum { MOST_ROWS = 24, MOST_VECTORS = 4 };
    const double OTHER_WIDTH = 0.985; // the row's own loads fewer bytes
    const double TORN = 0.5;          // the images of a panel are no neighbours in memory
    const double TORN_RUN = 0.75;     // each k of a panel is copied in two pieces
    if (c->in_tiles) return contract_tiles(c->m.size, c->n.size);
    const ContractRow *how = c->how;
    int lanes = contract_lanes(c, target);
    Tile best = {1, lanes};
    double best_score = 0;
    for (int vectors = 1; vectors <= MOST_VECTORS; vectors++) {
        if (c->panel_columns && c->panel_columns != (int64_t)vectors * lanes) continue;
        int most = most_sums(how, target, vectors) / vectors;
        for (int rows = 1; rows <= most && rows <= MOST_ROWS; rows++) {
            double score =
                used(c->m.size, rows) * columns_speed(how, rows, vectors, c->n.size, lanes);
            if (vectors != how->vectors) score *= OTHER_WIDTH;
            Tile tile = {rows, vectors * lanes};
            score *= while_packing(c, target, tile, MOST_VECTORS * lanes);
            score *= while_shared_out(c, rows);
            if (c->conv && c->m_image > 0 && c->m.dims[c->m_image] % rows != 0) score *= TORN;
            if (tears_runs(c, rows)) score *= TORN_RUN;
            bool is_larger = rows * vectors > best.rows * best.columns / lanes;
            if (score < best_score - 1e-3 || (score < best_score + 1e-3 && !is_larger)) continue;
            if (score > best_score) best_score = score;
            best = (Tile){rows, vectors * lanes};
        }
    }
    return best;
}

// Forms of the panels. A row of a tile register holds 64 bytes: k's of one row of A; of B columns
// times as many k's as fill 4 bytes.
static void choose_forms(const Contraction *c, ContractBlocks *blocks) {
    int64_t group = c->how->group, step = contraction_step(c);
    if (c->k.size < step) step = round_up(c->k.size, group);
    int64_t lhs_group = c->in_tiles ? step : group;
    blocks->lhs = (PanelForm){c->lhs_packed, blocks->tile.rows, lhs_group, step};
    blocks->rhs = (PanelForm){c->rhs_packed, blocks->tile.columns, group, step};
}

// ---- cache blocks

// An address within a page chooses the set: there are as many sets as lines in a page.
int64_t lines_in_a_set(int64_t rows, int64_t bytes) {
    enum { LINE = 64, SETS = 4096 / LINE };
    int64_t lines[SETS] = {0}, most = 0;
    for (int64_t row = 0, before = -1; row < rows; row++) {
        int64_t line = row * bytes / LINE;
        if (line == before) continue;
        before = line;
        int64_t count = ++lines[line % SETS];
        most = count > most ? count : most;
    }
    return most;
}

// k's of a run: whoever has them is known outside of the loops over a block that is whole
// runs, or an equal part of one.
int64_t contraction_run(const Contraction *c, const PanelForm *form) {
    enum { SHORT = 8 };
    if (c->k.rank < 2 || c->k.size == 0) return 0;
    // of a window's place, the features; else all that is inside of the first dimension
    int64_t run = c->conv ? c->k.dims[c->k.rank - 1] : c->k.size / c->k.dims[0];
    return run >= SHORT && run < c->k.size && run % form->k_step == 0 ? run : 0;
}

// At most kc, at least half of it.
static int64_t whole_runs(const Contraction *c, const PanelForm *form, int64_t kc) {
    int64_t run = contraction_run(c, form);
    if (run == 0) return kc;
    if (kc >= run) return kc / run * run;
    for (int64_t parts = ceil_div(run, kc); run / parts >= kc / 2; parts++)
        if (run % parts == 0 && run / parts % form->k_step == 0) return run / parts;
    return kc;
}

// k's of B's panel in the first-level cache.
static int64_t depth_of_tiles(int64_t K, int64_t row_bytes, int64_t cache) {
    enum { LEAST = 64, MOST = 1024 };
    int64_t most = clamp(cache * 5 / 6 / row_bytes, LEAST, MOST);
    return K <= most ? K : clamp(cache / 2 / row_bytes, LEAST, MOST);
}

// Lines of a block, at most `most` but whole panels, so that the blocks are of about equal size.
static int64_t even_block(int64_t size, int64_t most, int64_t panel) {
    enum { TRIES = 4 };
    const double EVEN = 1.03;
    int64_t panels = ceil_div(size, panel),
            first = ceil_div(panels, most < panel ? 1 : most / panel);
    int64_t best = first;
    double excess = 0;
    for (int64_t count = first; count < first + TRIES; count++) {
        double all = (double)(ceil_div(panels, count) * count) / (double)panels;
        if (count == first || all < excess) {
            best = count;
            excess = all;
        }
        if (excess <= EVEN) break;
    }
    return ceil_div(panels, best) * panel;
}

static void choose_blocks_of_tiles(const Contraction *c, int64_t cache, ContractBlocks *blocks) {
    enum { MOST_LINES = 4096 };
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed),
            word = blocks->k_blocks > 1 ? (int64_t)element_bytes(c->accumulator) : 0;
    int64_t depth = 2 * blocks->kc * bytes, room = cache * 2 / 3; // this block and the next
    int64_t rows = MR, columns = NR;
    // where one block has all rows, columns are read once after they were packed
    int64_t once = clamp(cache / 2 / (blocks->k_padded * bytes) / NR * NR, NR, MOST_LINES);
    while (word * rows * columns + (rows + columns) * depth <= room) {
        bool wider = columns < c->n.size && columns < MOST_LINES,
             longer = rows < c->m.size && rows < MOST_LINES;
        if (!wider && !longer) break;
        if (longer && (rows <= columns || !wider))
            rows += MR;
        else
            columns += NR;
    }
    blocks->mc = even_block(c->m.size, rows, MR);
    bool is_one = blocks->mc >= c->m.size;
    if (is_one && blocks->k_blocks == 1) columns = least(columns, once);
    blocks->nc = even_block(c->n.size, columns, NR);
    blocks->keeps_rhs = !is_one || blocks->k_blocks == 1;
}

enum { FEW_ROWS = 256 }; // for which B is packed a block at a time

static void choose_cache_blocks(
    const Contraction *c, const Target *target, ContractBlocks *blocks) {
    enum {
        CACHES = 3,
        MOST_BYTES = 2048, // of a row of A
        MOST_ROWS = 480,
        FEW_COLUMNS = 1024,
        MOST_COLUMNS = 4096
    };
    enum { LINE_OF_STEPS = 16 };
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed);
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    int64_t M = c->m.size, N = c->n.size, K = c->k.size > 0 ? c->k.size : 1;
    int64_t kc = clamp(CACHES * target->l1_bytes / ((MR + NR) * bytes), 64, MOST_BYTES / bytes);
    if (c->in_tiles) kc = depth_of_tiles(K, NR * bytes, target->l1_bytes);
    kc = whole_runs(c, &blocks->lhs, kc);
    blocks->k_blocks = ceil_div(K, kc);
    int64_t run = contraction_run(c, &blocks->lhs);
    if (run == 0 || run % kc != 0) {
        // panels that begin in the middle of a line are read a tenth slower
        int64_t line = round_up(LINE_OF_STEPS, blocks->lhs.k_step);
        if (blocks->k_blocks == 1) line = blocks->lhs.k_step;
        int64_t step = run > 0 && kc % run == 0 ? run : line;
        kc = round_up(ceil_div(K, blocks->k_blocks), step);
    }
    blocks->kc = kc;
    blocks->k_blocks = ceil_div(K, blocks->kc);
    blocks->k_padded = round_up(K, blocks->lhs.k_step);
    if (c->in_tiles) {
        choose_blocks_of_tiles(c, target->l2_bytes, blocks);
        return;
    }
    int64_t block = target->l2_bytes / 2 / (blocks->kc * bytes);
    int64_t mc = clamp(block, MR, MOST_ROWS);
    blocks->mc = round_up(ceil_div(M, ceil_div(M, mc)), MR);
    bool is_near = M <= mc && M <= FEW_ROWS;
    int64_t share = target->l3_bytes / 4, near = target->l2_bytes / 4;
    int64_t nc = clamp(share / (K * bytes), NR, MOST_COLUMNS);
    blocks->keeps_rhs = is_near ? blocks->k_blocks == 1 : nc >= N || nc >= FEW_COLUMNS;
    if (is_near)
        nc = clamp(near / (blocks->kc * bytes), NR, MOST_COLUMNS);
    else if (!blocks->keeps_rhs)
        nc = clamp(share / 2 / (blocks->kc * bytes), NR, MOST_COLUMNS / 2);
    nc = nc / NR * NR;
    blocks->nc = round_up(ceil_div(N, ceil_div(N, nc)), NR);
}

// Are there too few chunks of so many rows and columns to share out? None should be smaller than
// about a megaflop (tile registers: a few, and packing a column takes as long as so many rows).
static bool are_few(const Contraction *c, int64_t rows, int64_t columns) {
    enum { CHUNKS = 16, SMALL_CHUNK = 1 << 19, SMALL_CHUNK_OF_TILES = 1 << 22, PACKING = 64 };
    int64_t smallest = c->in_tiles ? SMALL_CHUNK_OF_TILES : SMALL_CHUNK;
    int64_t work = least(rows, c->m.size) + (c->in_tiles ? PACKING : 0);
    return c->batch.size * ceil_div(c->m.size, rows) * ceil_div(c->n.size, columns) < CHUNKS &&
           work * least(columns, c->n.size) > smallest / c->k.size;
}

// One block has all rows, and these are few: chunks of columns, of which a lane takes neighbours
// together. False where that gives few of them.
static bool cut_columns(const Contraction *c, ContractBlocks *blocks) {
    enum { ENOUGH = 8 };
    if (blocks->mc < c->m.size || (c->m.size > FEW_ROWS && !c->in_tiles)) return false;
    int64_t NR = blocks->tile.columns, columns = blocks->nc;
    while (columns > NR && are_few(c, c->m.size, columns))
        columns = round_up(columns / 2, NR);
    if (are_few(c, c->m.size, columns) && ceil_div(c->n.size, columns) < ENOUGH) return false;
    blocks->chunk_columns = columns;
    blocks->nc = blocks->nc / columns * columns;
    return true;
}

// Enough chunks to share out. A lane's neighbouring chunks share packed columns of B, so rows are
// cut first.
static void choose_chunks(const Contraction *c, ContractBlocks *blocks) {
    enum { WIDE = 4 };
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    if (!cut_columns(c, blocks)) {
        while (are_few(c, blocks->mc, blocks->nc)) {
            bool prefers_rows = blocks->mc > WIDE * MR && blocks->mc * WIDE >= blocks->nc;
            if (!prefers_rows && blocks->nc > 2 * NR) {
                blocks->nc = round_up(blocks->nc / 2, NR);
            } else if (blocks->mc > MR) {
                blocks->mc = round_up(blocks->mc / 2, MR);
            } else {
                break;
            }
        }
        blocks->chunk_columns = blocks->nc;
    }
    blocks->m_blocks = ceil_div(c->m.size, blocks->mc);
    blocks->n_blocks = ceil_div(c->n.size, blocks->chunk_columns);
}

// With a short K most of the time goes into C, which is written faster along its rows; all of B's
// block then comes from the second-level cache.
static void choose_order(const Contraction *c, const Target *target, ContractBlocks *blocks) {
    enum { SHORT = 128 };
    int64_t result = c->m.size * c->n.size * (int64_t)element_bytes(c->result->type->element);
    int64_t bytes = blocks->nc * blocks->kc * (int64_t)element_bytes(c->rhs_packed);
    blocks->rows_first = !c->in_tiles && c->k.size <= SHORT && blocks->k_blocks == 1 &&
                         contraction_n_is_contiguous(c) && result > target->l2_bytes &&
                         bytes <= target->l2_bytes / 2;
}

// The sums of a strip lie in the scratch between the blocks of K: in the third-level cache.
static void choose_strip(const Target *target, int64_t word, ContractBlocks *blocks) {
    blocks->strip = 1;
    if (blocks->keeps_rhs || blocks->k_blocks == 1) return;
    int64_t rows = target->l3_bytes / 2 / (blocks->nc * word);
    blocks->strip = clamp(rows / blocks->mc, 1, blocks->m_blocks);
}

static void count_bytes(const Contraction *c, const Target *target, ContractBlocks *blocks) {
    enum { KEPT_BYTES = 64 << 20 }; // tile registers multiply as fast as memory is read
    int64_t bytes = (int64_t)element_bytes(c->lhs_packed),
            word = (int64_t)element_bytes(c->accumulator);
    int lanes = contract_lanes(c, target);
    int64_t MR = blocks->tile.rows, NR = blocks->tile.columns;
    int64_t slack = pack_slack(lanes, MR) * word;
    int64_t block = round_up(blocks->mc * blocks->kc * bytes + slack, 64);
    // blocks that stay are packed in any order: none may reach into the next
    int64_t whole = round_up(blocks->mc * blocks->k_padded * bytes + slack, 64);
    int64_t all = blocks->m_blocks * whole;
    blocks->lhs_stride = whole / bytes;
    int64_t kept = c->in_tiles ? KEPT_BYTES : target->l3_bytes / 4;
    blocks->keeps_lhs = blocks->nc < c->n.size && all <= kept;
    int64_t depth = blocks->keeps_rhs ? blocks->k_padded : blocks->kc;
    blocks->lhs_bytes = blocks->keeps_lhs ? all : block;
    blocks->rhs_bytes = round_up(blocks->nc * depth * bytes + pack_slack(lanes, NR) * word, 64);
    int64_t sums = blocks->k_blocks > 1 ? blocks->strip * blocks->mc * blocks->nc : MR * NR;
    blocks->tile_bytes = round_up(sums * word, 64);
    blocks->excess_bytes = c->lhs_is_raised ? round_up(blocks->nc * word, 64) : 0;
}

// Blocks of K of which some may be all zero.
static void short_depth(const Contraction *c, ContractBlocks *blocks) {
    enum { SHORT = 128, SHORT_OF_TILES = 256, LINE_OF_STEPS = 16 };
    int64_t most = c->in_tiles ? SHORT_OF_TILES : SHORT;
    if (blocks->kc <= most) return;
    int64_t step = round_up(LINE_OF_STEPS, blocks->lhs.k_step);
    blocks->kc = round_up(ceil_div(c->k.size, ceil_div(c->k.size, most)), step);
    blocks->k_blocks = ceil_div(c->k.size, blocks->kc);
}

// Of a part of a KERNEL_BLOCKS: a block of rows meets all columns, whose panels stay packed for the
// next block; where the rows are contracted, the sums of all tiles wait in the scratch for the next
// block.
static ContractBlocks blocks_of_part(const Contraction *c, const Target *target) {
    Contraction one = *c;
    const RowBlock *block = &c->block;
    *(block->is_depth ? &one.k.size : &one.m.size) = block->rows;
    ContractBlocks blocks = {.tile = contract_tile(&one, target)};
    choose_forms(&one, &blocks);
    choose_cache_blocks(&one, target, &blocks);
    blocks.nc = round_up(c->n.size, blocks.tile.columns);
    blocks.n_blocks = blocks.strip = 1;
    blocks.keeps_rhs = !block->is_depth;
    if (block->is_depth) {
        blocks.kc = block->rows;
        blocks.k_blocks = block->count;
        blocks.strip = blocks.m_blocks = ceil_div(c->m.size, blocks.mc);
    } else {
        blocks.mc = round_up(block->rows, blocks.tile.rows);
        blocks.m_blocks = 1;
        if (block->skips_zeros) short_depth(c, &blocks);
    }
    count_bytes(&one, target, &blocks);
    return blocks;
}

ContractBlocks contract_blocks(const Contraction *c, const Target *target) {
    if (c->block.rows) return blocks_of_part(c, target);
    ContractBlocks blocks = {.tile = contract_tile(c, target)};
    choose_forms(c, &blocks);
    choose_cache_blocks(c, target, &blocks);
    choose_chunks(c, &blocks);
    choose_order(c, target, &blocks);
    choose_strip(target, (int64_t)element_bytes(c->accumulator), &blocks);
    count_bytes(c, target, &blocks);
    return blocks;
}

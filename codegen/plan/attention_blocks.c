// attention_blocks: tiles and blocks of kernels of attention, from shapes and the target alone.
//
// A tile of scores has `vectors` vectors of queries and as many keys as leave registers for the
// operands. Keys and values are the left operands: the micro-kernel takes their elements one by
// one, so they are read where they lie as long as no conversion, collective or pairing of elements
// is needed. Tile registers multiply 32 x 32 of them and read packed operands; beside them packing
// takes no time. A block of keys: its scores for a tile's queries take three quarters of the
// first-level cache, in which the weights are made and multiplied again.
#include "codegen/plan/attention.h"

static int64_t ceil_div(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t round_up(int64_t x, int64_t to) { return ceil_div(x, to) * to; }

static double used(int64_t size, int64_t tile) {
    return (double)size / (double)round_up(size, tile);
}

// Vectors of queries in a tile: fewer where many lanes would be empty.
static int choose_vectors(const Attention *a, int lanes, int most) {
    static const double speed[] = {0, 0.7, 0.95, 1}; // of 1, 2, 3 vectors
    int best = 1;
    for (int v = 2; v <= most; v++) {
        if (used(a->query.extent, (int64_t)v * lanes) * speed[v] >
            used(a->query.extent, (int64_t)best * lanes) * speed[best])
            best = v;
    }
    return best;
}

// The most rows that divide the columns of the values; where they are few, all that registers hold
// (then columns are packed, with empty ones behind).
static int choose_columns(int64_t columns, int most) {
    int best = 1;
    for (int rows = 1; rows <= most; rows++) {
        if (columns % rows == 0) best = rows;
    }
    return 2 * best > most || best == columns ? best : most;
}

// Is the operand memory of this device, whose addresses are affine in both axes?
static bool lies_in_place(
    const Expr *x, ElementType type, const Axis *line, const Axis *k, int64_t *strides) {
    return x->kind == EXPR_LOAD && !x->device && x->element == type &&
           index_is_affine_in(x->at, line->variable, &strides[0]) &&
           index_is_affine_in(x->at, k->variable, &strides[1]);
}

static const ContractRow *row_of(
    const Attention *a, const Target *target, bool is_score, ContractUse use) {
    ElementType lhs = is_score ? a->keys->element : a->values->element,
                rhs = is_score ? a->queries->element : a->weighted;
    return target_contract(target, lhs, rhs, a->accumulator, use);
}

// Words of two elements: in tile registers a unit fills a row of 16.
static bool are_tiles(const ContractRow *row) {
    enum { PAIR = 2 };
    return row->product == PRODUCT_TILES && row->group == PAIR;
}

static void set_rows(const Attention *a, const Target *target, AttentionBlocks *blocks) {
    enum { LEAST_QUERIES = 12 }; // a tile's columns
    const ContractRow *score = row_of(a, target, true, CONTRACT_TILES),
                      *product = row_of(a, target, false, CONTRACT_TILES);
    blocks->in_tiles = a->query.extent >= LEAST_QUERIES && are_tiles(score) && are_tiles(product);
    blocks->score_row = blocks->in_tiles ? score : row_of(a, target, true, CONTRACT_VECTORS);
    blocks->product_row = blocks->in_tiles ? product : row_of(a, target, false, CONTRACT_VECTORS);
    blocks->unit = blocks->in_tiles ? blocks->side : 1;
}

static void set_operands(const Attention *a, AttentionBlocks *blocks) {
    ElementType sum = a->accumulator;
    const ContractRow *row = blocks->score_row;
    blocks->key_type = row->packed_lhs == ELEMENT_COUNT ? sum : row->packed_lhs;
    blocks->query_type = row->packed_rhs == ELEMENT_COUNT ? sum : row->packed_rhs;
    blocks->depth_steps = round_up(ceil_div(a->depth.extent, row->group), blocks->unit);
    blocks->keys_in_place =
        !blocks->in_tiles &&
        lies_in_place(a->keys, blocks->key_type, &a->key, &a->depth, blocks->key_strides) &&
        (row->group == 1 || (blocks->key_strides[1] == 1 && a->depth.extent % row->group == 0));
    row = blocks->product_row;
    blocks->value_type = row->packed_lhs == ELEMENT_COUNT ? sum : row->packed_lhs;
    blocks->weight_type = row->packed_rhs == ELEMENT_COUNT ? sum : row->packed_rhs;
    blocks->values_in_place =
        lies_in_place(a->values, blocks->value_type, &a->key, &a->column, blocks->value_strides) &&
        row->group == 1 && a->column.extent % blocks->product.rows == 0;
}

static void set_tiles(const Attention *a, const Target *target, AttentionBlocks *blocks) {
    enum { MANY_REGISTERS = 32, SUMS = 24, SUMS_OF_FEW = 12, MOST_ROWS = 16, REGISTER_ROWS = 16 };
    int lanes = (int)blocks->side, most = blocks->in_tiles ? 2 : 3;
    int vectors = choose_vectors(a, lanes, most);
    int rows = (target->vector_registers >= MANY_REGISTERS ? SUMS : SUMS_OF_FEW) / vectors;
    if (rows > MOST_ROWS) rows = MOST_ROWS;
    int key_rows = rows < a->key.extent ? rows : (int)a->key.extent;
    int column_rows = choose_columns(a->column.extent, rows);
    if (blocks->in_tiles) { // of one register or two, which have the same shape in both products
        bool is_odd = ceil_div(a->column.extent, REGISTER_ROWS) % 2;
        key_rows = 2 * REGISTER_ROWS;
        column_rows = is_odd ? REGISTER_ROWS : key_rows;
    }
    blocks->scores = (Tile){key_rows, vectors * lanes};
    blocks->product = (Tile){column_rows, vectors * lanes};
    blocks->columns = round_up(a->column.extent, blocks->product.rows);
}

static void set_key_blocks(Attention *a, const Target *target, AttentionBlocks *blocks) {
    enum { FEWEST = 32, MOST = 512, PARTS = 8 }; // of which a mask may leave some out
    int64_t keys = target->l1_bytes * 3 / 4 /
                   (blocks->scores.columns * (int64_t)element_bytes(a->accumulator));
    if (a->mask_count && keys > a->key.extent / PARTS) keys = a->key.extent / PARTS;
    keys = keys < FEWEST ? FEWEST : keys > MOST ? MOST : keys;
    blocks->key_blocks = ceil_div(a->key.extent, keys);
    int64_t step = blocks->scores.rows % 2 ? 2 * blocks->scores.rows : blocks->scores.rows;
    blocks->keys = round_up(ceil_div(a->key.extent, blocks->key_blocks), step);
    blocks->key_blocks = ceil_div(a->key.extent, blocks->keys);
    blocks->key_steps = blocks->keys / blocks->product_row->group;
}

// Panels of queries that meet a block of keys together: more where it is packed for them, fewer
// where there would be too few chunks.
static void set_query_blocks(const Attention *a, AttentionBlocks *blocks) {
    enum { CHUNKS = 16, IN_PLACE = 2, PACKED = 6 };
    int64_t all = ceil_div(a->query.extent, blocks->scores.columns);
    int64_t panels = blocks->keys_in_place && blocks->values_in_place ? IN_PLACE : PACKED;
    if (panels > all) panels = all;
    while (panels > 1 && a->outer.extent * ceil_div(all, panels) < CHUNKS)
        panels--;
    blocks->query_blocks = ceil_div(all, panels);
    blocks->panels = ceil_div(all, blocks->query_blocks);
    blocks->query_blocks = ceil_div(all, blocks->panels);
}

void attention_set_blocks(Attention *a, const Target *target) {
    AttentionBlocks *blocks = &a->blocks;
    *blocks = (AttentionBlocks){0};
    blocks->side = target->vector_bits / element_bits(a->accumulator);
    set_rows(a, target, blocks);
    set_tiles(a, target, blocks);
    set_operands(a, blocks);
    set_key_blocks(a, target, blocks);
    set_query_blocks(a, blocks);
}

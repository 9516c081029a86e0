// blocking: register tiles and cache blocks of contractions.
//
// Register tile MR x NR: as many accumulators as leave registers for one row of B and the broadcast of A (BLIS's choice per ISA).
// Cache blocks after Low, Igual, Smith, Quintana-Ortí, "Analytical modeling is enough for high-performance BLIS", ACM TOMS 43(2), 2016:
//   KC  a panel of B (KC x NR) takes half of the first-level cache, so that the panel of A and the tile of C stay beside it
//   MC  the block of A (MC x KC) takes half of the second-level cache
//   NC  the panel of B (KC x NC) takes half of this core's share of the third-level cache
#include "codegen/target.h"
#include "ir/type.h"

static int64_t round_up(int64_t x, int64_t multiple) {
    return (x + multiple - 1) / multiple * multiple;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

Tile target_tile(const Target *target, ElementType accumulator) {
    int bytes = (int)element_bytes(accumulator);
    int lanes = bytes > 0 && target->vector_bits / 8 > bytes ? target->vector_bits / 8 / bytes : 1;
    switch (target->isa) {
    case ISA_AVX512: return (Tile){14, 2 * lanes};
    case ISA_AVX2: return (Tile){6, 2 * lanes};
    case ISA_NEON: return (Tile){8, 3 * lanes};
    case ISA_BASELINE: return (Tile){4, 2 * lanes};
    }
    return (Tile){4, 2 * lanes};
}

// Equal blocks of at most `limit`, so that the last one is no sliver.
static int64_t even_blocks(int64_t size, int64_t limit, int64_t multiple) {
    if (size <= limit) return round_up(size > 0 ? size : 1, multiple);
    int64_t blocks = (size + limit - 1) / limit;
    return round_up((size + blocks - 1) / blocks, multiple);
}

Blocking target_blocking(
    const Target *target, Tile tile, size_t element_bytes, int64_t M, int64_t N, int64_t K) {
    int64_t bytes = (int64_t)element_bytes;
    int64_t kc = clamp(target->l1_bytes / 2 / (tile.columns * bytes), 64, 1024);
    kc = even_blocks(K, kc, 4);
    int64_t mc =
        clamp(target->l2_bytes / 2 / (kc * bytes), tile.rows, 4096) / tile.rows * tile.rows;
    mc = even_blocks(M, mc, tile.rows);
    int64_t share = clamp(target->l3_bytes / 4, 1 << 20, 16 << 20);
    int64_t nc = clamp(share / 2 / (kc * bytes), tile.columns, 16384) / tile.columns * tile.columns;
    nc = even_blocks(N, nc, tile.columns);
    return (Blocking){mc, kc, nc};
}

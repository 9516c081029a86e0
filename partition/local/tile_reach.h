// What tiles need of their neighbours' tiles.
#ifndef SHARDC_PARTITION_TILE_REACH_H
#define SHARDC_PARTITION_TILE_REACH_H

#include <stdint.h>

// A sharded dimension of `global` elements in `count` tiles, `from` of the operand and `to` of the
// result each; element i of the operand becomes element low + i * step of the result.
typedef struct TileReach {
    int64_t count, global, from, to, low, step;
    // out: elements that some device needs in front of its tile and behind it
    int64_t before, after;
} TileReach;

void tile_reach_of_pad(TileReach *reach);

#endif

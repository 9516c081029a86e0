// offsets: places of arrays in one block of memory (offsets.c).
#ifndef SHARDC_CODEGEN_OFFSETS_H
#define SHARDC_CODEGEN_OFFSETS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct PlacedArray {
    int number;         // orders arrays of the same size
    int64_t begin, end; // lives from, to (both included)
    int64_t single_end; // <= end: from behind it on free for arrays that begin_single
    bool begins_single;
    int64_t size, offset; // bytes; a size below 64 is a power of two
    int64_t crowd;        // bytes; set by place_arrays: the most that is alive while it lives
} PlacedArray;

// Sets every offset. `total`: the block's bytes; `alive`: the most bytes that live at one time,
// which `total` cannot be less than. False: together they exceed the address space.
bool place_arrays(Arena *arena, PlacedArray *arrays, int64_t count, int64_t *total, int64_t *alive);

#endif

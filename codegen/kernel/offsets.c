// offsets: places of arrays in one block of memory.
//
//   In      sizes and lifetimes.
//   Out     offsets such that arrays which live at the same time do not overlap.
//
// Each array in turn gets the lowest place that is free for its whole lifetime. Those come first
// that live when most bytes are alive, then the largest (Moffitt, "MiniMalloc: A Lightweight Memory
// Allocator for Hardware-Accelerated Machine Learning", 2023, and Sekiyama et al., "Profile-guided
// memory optimization for deep neural networks", 2018). Where that takes more than what is alive at
// once, the array that lies on top comes first the next time: what is hard to place moves to the
// front. The best of a bounded number of orders stays, so that no program takes long.
#include "codegen/kernel/offsets.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ORDERS = 128,    // from each of the first ones
    MOST_STEPS = 1 << 22, // pairs of arrays that are compared for the sake of more orders
    LINE = 64,
};

static int compare_size(const void *a, const void *b) {
    const PlacedArray *x = *(PlacedArray *const *)a, *y = *(PlacedArray *const *)b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->number - y->number;
}

static bool is_free_before(const PlacedArray *a, const PlacedArray *b) {
    return (b->begins_single ? a->single_end : a->end) < b->begin;
}

static bool overlaps(const PlacedArray *a, const PlacedArray *b) {
    return !is_free_before(a, b) && !is_free_before(b, a);
}

// The lowest offset at which the array fits among those that have a place (in order of offset).
// One that is smaller than a line lies at a multiple of its size.
static int64_t lowest_gap(PlacedArray *const *placed, int64_t count, const PlacedArray *array) {
    int64_t offset = 0, multiple = array->size < LINE ? array->size : LINE;
    for (int64_t i = 0; i < count; i++) {
        if (!overlaps(placed[i], array)) continue;
        if (placed[i]->offset - offset >= array->size) break;
        int64_t end = placed[i]->offset + placed[i]->size;
        if (end > offset) offset = (end + multiple - 1) / multiple * multiple;
    }
    return offset;
}

// Adds the array to those that have a place.
static void insert_placed(PlacedArray **placed, int64_t count, PlacedArray *array) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (placed[middle]->offset <= array->offset)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&placed[low + 1], &placed[low], (size_t)(count - low) * sizeof *placed);
    placed[low] = array;
}

// Places the arrays in their order; the number of the one on top, or -1 without any.
static int64_t place_in_order(
    PlacedArray **order, int64_t count, PlacedArray **placed, int64_t *total) {
    int64_t top = -1;
    *total = 0;
    for (int64_t i = 0; i < count; i++) {
        order[i]->offset = lowest_gap(placed, i, order[i]);
        insert_placed(placed, i, order[i]);
        int64_t end = order[i]->offset + order[i]->size;
        if (end <= *total) continue;
        *total = end;
        top = i;
    }
    return top;
}

// Those that live at the worst time, then the largest.
static int compare_crowd(const void *a, const void *b) {
    const PlacedArray *x = *(PlacedArray *const *)a, *y = *(PlacedArray *const *)b;
    if (x->crowd != y->crowd) return x->crowd > y->crowd ? -1 : 1;
    return compare_size(a, b);
}

static int compare_begin(const void *a, const void *b) {
    const PlacedArray *x = *(PlacedArray *const *)a, *y = *(PlacedArray *const *)b;
    if (x->begin != y->begin) return x->begin > y->begin ? 1 : -1;
    return compare_size(a, b);
}

static int compare_end(const void *a, const void *b) {
    const PlacedArray *x = *(PlacedArray *const *)a, *y = *(PlacedArray *const *)b;
    return (x->single_end > y->single_end) - (x->single_end < y->single_end);
}

// The most of numbers[first..last]: table[k][i] is the most of 2^k numbers from i on.
static int64_t most_between(int64_t *const *table, int64_t first, int64_t last) {
    int k = 0;
    while ((int64_t)2 << k <= last - first + 1)
        k++;
    int64_t x = table[k][first], y = table[k][last + 1 - ((int64_t)1 << k)];
    return x > y ? x : y;
}

// The last of the arrays, in order of their begins, that begins no later.
static int64_t last_begun(PlacedArray *const *begins, int64_t count, int64_t position) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (begins[middle]->begin <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

// The most bytes that are alive while each array lives, and at any time: no order takes less than
// `most`. False: all together exceed the address space.
static bool find_crowds(Arena *arena, PlacedArray *arrays, int64_t count, int64_t *most) {
    PlacedArray **begins = ARENA_ARRAY(arena, PlacedArray *, count + 1);
    PlacedArray **ends = ARENA_ARRAY(arena, PlacedArray *, count + 1);
    int64_t *table[64] = {ARENA_ARRAY(arena, int64_t, count + 1)}, all = 0, alive = 0;
    for (int64_t i = 0; i < count; i++) {
        begins[i] = ends[i] = &arrays[i];
        if (!checked_add(all, LINE, &all) || !checked_add(all, arrays[i].size, &all)) return false;
    }
    qsort(begins, (size_t)count, sizeof *begins, compare_begin);
    qsort(ends, (size_t)count, sizeof *ends, compare_end);
    for (int64_t i = 0, ended = 0; i < count; i++) {
        alive += begins[i]->size;
        while (ends[ended]->single_end < begins[i]->begin)
            alive -= ends[ended++]->size;
        table[0][i] = alive;
    }
    for (int k = 1; (int64_t)1 << k <= count; k++) {
        int64_t half = (int64_t)1 << (k - 1), width = count - 2 * half + 1;
        table[k] = ARENA_ARRAY(arena, int64_t, width);
        for (int64_t i = 0; i < width; i++) {
            int64_t x = table[k - 1][i], y = table[k - 1][i + half];
            table[k][i] = x > y ? x : y;
        }
    }
    for (int64_t i = 0; i < count; i++)
        begins[i]->crowd = most_between(table, i, last_begun(begins, count, begins[i]->single_end));
    *most = count ? most_between(table, 0, count - 1) : 0;
    return true;
}

typedef struct Search {
    PlacedArray *arrays, **order, **placed; // [count]
    int64_t count, steps;
    int64_t alive, total; // bytes: no order takes less; the best one's
    int64_t *best;        // its offsets
} Search;

// Tries orders from the given one on.
static void search_from(Search *search, int (*compare)(const void *, const void *)) {
    PlacedArray **order = search->order;
    int64_t count = search->count;
    for (int64_t i = 0; i < count; i++)
        order[i] = &search->arrays[i];
    qsort(order, (size_t)count, sizeof *order, compare);
    for (int i = 0; i < MOST_ORDERS && search->total > search->alive; i++) {
        int64_t bytes, top = place_in_order(order, count, search->placed, &bytes);
        for (int64_t k = 0; k < count && bytes < search->total; k++)
            search->best[k] = search->arrays[k].offset;
        if (bytes < search->total) search->total = bytes;
        search->steps += count * count;
        if (top <= 0 || search->steps > MOST_STEPS) return;
        PlacedArray *first = order[top];
        memmove(&order[1], &order[0], (size_t)top * sizeof *order);
        order[0] = first;
    }
}

bool place_arrays(
    Arena *parent, PlacedArray *arrays, int64_t count, int64_t *total, int64_t *alive) {
    Arena *arena = arena_child(parent);
    if (!find_crowds(arena, arrays, count, alive)) return false;
    Search search = {
        .arrays = arrays,
        .order = ARENA_ARRAY(arena, PlacedArray *, count + 1),
        .placed = ARENA_ARRAY(arena, PlacedArray *, count + 1),
        .count = count,
        .alive = *alive,
        .total = INT64_MAX,
        .best = ARENA_ARRAY(arena, int64_t, count + 1),
    };
    search_from(&search, compare_crowd);
    if (search.steps <= MOST_STEPS) search_from(&search, compare_size);
    for (int64_t i = 0; i < count; i++)
        arrays[i].offset = search.best[i];
    *total = search.total;
    return true;
}

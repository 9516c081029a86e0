// tile_reach: how far a device's tile of the result reaches beyond its tile of the operand.
#include "partition/local/tile_reach.h"

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a > 0) == (b > 0)); }

void tile_reach_of_pad(TileReach *reach) {
    int64_t from = reach->from, to = reach->to;
    reach->before = reach->after = 0;
    for (int64_t c = 0; c < reach->count; c++) {
        int64_t first = ceil_div(c * to - reach->low, reach->step);
        int64_t last = ceil_div(c * to + to - reach->low, reach->step) - 1;
        if (first < 0) first = 0;
        if (last >= reach->global) last = reach->global - 1;
        if (first > last) continue;
        if (c * from - first > reach->before) reach->before = c * from - first;
        if (last - (c + 1) * from >= reach->after) reach->after = last - (c + 1) * from + 1;
    }
}

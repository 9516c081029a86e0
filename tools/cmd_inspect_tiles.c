// cmd_inspect_tiles: which device holds which tile of an array, as a grid.
#include "base/strbuf.h"
#include "tools/inspect.h"

#include <stdio.h>

enum { MAX_DRAWN_TILES = 256 };

static int64_t tiles_along(const shardc_model_array *array, int d) {
    int64_t tile = array->tile_dims[d] > 0 ? array->tile_dims[d] : 1;
    int64_t count = (array->dims[d] + tile - 1) / tile;
    return count > 0 ? count : 1;
}

bool inspect_is_sharded(const shardc_model_array *array) {
    for (int d = 0; d < array->rank; d++) {
        if (tiles_along(array, d) > 1) return true;
    }
    return false;
}

// The devices that hold the tile at these tile coordinates.
static void print_devices(
    StrBuf *out, const shardc_model *model, const shardc_model_array *array,
    const int64_t *coordinate) {
    for (int device = 0; device < model->device_count; device++) {
        bool here = true;
        for (int d = 0; here && d < array->rank; d++) {
            int64_t offset = array->offsets[(int64_t)device * array->rank + d];
            here = offset == coordinate[d] * array->tile_dims[d];
        }
        if (here) strbuf_printf(out, " %d", device);
    }
}

// A range of rows or columns: "0:8".
static const char *range_text(Arena *arena, const shardc_model_array *array, int d, int64_t tile) {
    int64_t begin = tile * array->tile_dims[d];
    int64_t end = begin + array->tile_dims[d];
    if (end > array->dims[d]) end = array->dims[d];
    return arena_printf(arena, "%lld:%lld", (long long)begin, (long long)end);
}

void inspect_draw_tiles(
    Arena *arena, StrBuf *out, const shardc_model *model, const shardc_model_array *array) {
    int sharded[SHARDC_MAX_RANK] = {0};
    int count = 0;
    int64_t tiles = 1;
    for (int d = 0; d < array->rank && d < SHARDC_MAX_RANK; d++) {
        if (tiles_along(array, d) > 1) sharded[count++] = d;
        tiles *= tiles_along(array, d);
    }
    if (tiles > MAX_DRAWN_TILES) {
        strbuf_printf(out, "      (%lld tiles: too many to draw)\n", (long long)tiles);
        return;
    }
    int row_dim = sharded[0], column_dim = count > 1 ? sharded[1] : -1;
    int64_t rows = tiles_along(array, row_dim);
    int64_t columns = column_dim >= 0 ? tiles_along(array, column_dim) : 1;
    for (int64_t grid = 0; grid < tiles / (rows * columns); grid++) {
        int64_t coordinate[SHARDC_MAX_RANK] = {0};
        int64_t number = grid;
        for (int i = count - 1; i >= 2; i--) {
            coordinate[sharded[i]] = number % tiles_along(array, sharded[i]);
            number /= tiles_along(array, sharded[i]);
            strbuf_printf(
                out, "      dimension %d at %s\n", sharded[i],
                range_text(arena, array, sharded[i], coordinate[sharded[i]]));
        }
        if (column_dim >= 0) {
            strbuf_printf(out, "      %12s", "");
            for (int64_t c = 0; c < columns; c++) {
                int width = c + 1 < columns ? 14 : 0; // no spaces at the end of the line
                strbuf_printf(out, " %-*s", width, range_text(arena, array, column_dim, c));
            }
            strbuf_putc(out, '\n');
        }
        for (int64_t r = 0; r < rows; r++) {
            strbuf_printf(out, "      %12s", range_text(arena, array, row_dim, r));
            coordinate[row_dim] = r;
            for (int64_t c = 0; c < columns; c++) {
                if (column_dim >= 0) coordinate[column_dim] = c;
                StrBuf cell = strbuf(arena);
                print_devices(&cell, model, array, coordinate);
                strbuf_printf(out, " |%-13s", strbuf_cstring(&cell));
            }
            strbuf_puts(out, "|\n");
        }
    }
}

// Number of tiles along dimension d.

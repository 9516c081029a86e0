// shardings: how arrays lie on the devices, as xla.OpSharding says it.
#include "plugin/plugin.h"

#include <stdlib.h>

// Fields of xla.OpSharding.
enum {
    SHARDING_TYPE = 1,
    SHARDING_TILES = 3,   // tiles per dimension
    SHARDING_DEVICES = 4, // tile by tile, devices in row-major order of the tiles
    SHARDING_REPLICATES_LAST = 6,
    TYPE_REPLICATED = 0,
    TYPE_OTHER = 3
};

// Number of the tile that the device holds, in row-major order.
static int64_t tile_of(const shardc_model_array *array, int64_t device, const int64_t *tiles) {
    int64_t number = 0;
    for (int32_t d = 0; d < array->rank; d++) {
        int64_t size = array->tile_dims[d] ? array->tile_dims[d] : 1;
        number = number * tiles[d] + array->offsets[device * array->rank + d] / size;
    }
    return number;
}

// Tiles per dimension; returns their product.
static int64_t count_tiles(
    const shardc_model *model, const shardc_model_array *array, int64_t *tiles) {
    int64_t product = 1;
    for (int32_t d = 0; d < array->rank; d++) {
        int64_t last = 0, size = array->tile_dims[d] ? array->tile_dims[d] : 1;
        for (int64_t device = 0; device < model->device_count; device++) {
            int64_t offset = array->offsets[device * array->rank + d];
            if (offset > last) last = offset;
        }
        tiles[d] = last / size + 1;
        product *= tiles[d];
    }
    return product;
}

void sharding_write(const shardc_model *model, const shardc_model_array *array, Bytes *bytes) {
    int64_t tiles[SHARDC_MAX_RANK + 1];
    int64_t count = count_tiles(model, array, tiles), devices = model->device_count;
    int64_t copies = devices / count;
    int64_t *order = calloc((size_t)devices, sizeof *order);
    int64_t *held = calloc((size_t)count, sizeof *held);
    bool is_replicated = count == 1 || count * copies != devices;
    for (int64_t device = 0; device < devices && order && held && !is_replicated; device++) {
        int64_t tile = tile_of(array, device, tiles);
        if (held[tile] == copies)
            is_replicated = true; // no tiling that the message can say
        else
            order[tile * copies + held[tile]++] = device;
    }
    if (!order || !held) bytes->has_failed = true;
    bytes_varint(bytes, SHARDING_TYPE, is_replicated ? TYPE_REPLICATED : TYPE_OTHER);
    if (!is_replicated && order && held) {
        int32_t rank = array->rank;
        if (copies > 1) tiles[rank++] = copies;
        bytes_packed(bytes, SHARDING_TILES, tiles, (size_t)rank);
        bytes_packed(bytes, SHARDING_DEVICES, order, (size_t)devices);
        if (copies > 1) bytes_varint(bytes, SHARDING_REPLICATES_LAST, 1);
    }
    free(order);
    free(held);
}

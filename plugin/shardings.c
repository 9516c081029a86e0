// shardings: how arrays lie on the devices, as xla.OpSharding says it.
#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fields of xla.OpSharding.
enum {
    SHARDING_TYPE = 1,
    SHARDING_TILES = 3,   // tiles per dimension
    SHARDING_DEVICES = 4, // tile by tile, devices in row-major order of the tiles
    SHARDING_REPLICATES_LAST = 6,
    SHARDING_LAST_TYPES = 8, // what the dimensions of tiles are that are no dimensions of the array
    TYPE_REPLICATED = 0,
    TYPE_OTHER = 3,
    TYPE_UNREDUCED = 6
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

// The place of the device among those that have the parts of a sum over the array's unreduced axes,
// in the mesh's order of axes; *count: how many they are. False: the text names parts of axes, or
// devices in another order, which the message cannot say.
static bool part_of(
    const shardc_model *model, const shardc_model_array *array, int64_t device, int64_t *part,
    int64_t *count) {
    const char *unreduced = strstr(array->sharding, "unreduced={");
    *part = 0;
    *count = 1;
    if (!unreduced) return true;
    if (strstr(model->mesh, "device_ids") || strchr(unreduced, '(')) return false;
    int64_t left = model->device_count;
    for (const char *at = strchr(model->mesh, '"'); at; at = strchr(at, '"')) { // "x"=2, "y"=4
        const char *end = strchr(at + 1, '"');
        char name[128];
        if (!end || end[1] != '=' || (size_t)(end - at) + 2 > sizeof name) return false;
        (void)snprintf(name, sizeof name, "%.*s", (int)(end - at + 1), at); // with its quotes
        int64_t size = strtoll(end + 2, NULL, 10);
        if (size < 1 || left % size) return false;
        left /= size;
        if (strstr(unreduced, name)) {
            *part = *part * size + device / left % size;
            *count *= size;
        }
        at = end + 1;
    }
    return true;
}

// The devices in the order of the tiles, of the copies of each, and of the parts of each
// copy. False: no message says it.
static bool order_devices(
    const shardc_model *model, const shardc_model_array *array, const int64_t *tiles, int64_t count,
    int64_t copies, int64_t *order, int64_t *held) {
    for (int64_t device = 0; device < model->device_count; device++) {
        int64_t tile = tile_of(array, device, tiles), part = 0, parts = 1;
        if (!part_of(model, array, device, &part, &parts)) return false;
        int64_t *copy = &held[tile * parts + part];
        if (tile >= count || *copy == copies) return false;
        order[(tile * copies + (*copy)++) * parts + part] = device;
    }
    return true;
}

static void write_tiles(
    const shardc_model_array *array, int64_t *tiles, int64_t copies, int64_t parts,
    const int64_t *order, int64_t devices, Bytes *bytes) {
    int64_t types[2], type_count = 0;
    int32_t rank = array->rank;
    if (copies > 1) {
        tiles[rank++] = copies;
        types[type_count++] = TYPE_REPLICATED;
    }
    if (parts > 1) {
        tiles[rank++] = parts;
        types[type_count++] = TYPE_UNREDUCED;
    }
    bytes_varint(bytes, SHARDING_TYPE, TYPE_OTHER);
    bytes_packed(bytes, SHARDING_TILES, tiles, (size_t)rank);
    bytes_packed(bytes, SHARDING_DEVICES, order, (size_t)devices);
    if (parts > 1)
        bytes_packed(bytes, SHARDING_LAST_TYPES, types, (size_t)type_count);
    else if (copies > 1)
        bytes_varint(bytes, SHARDING_REPLICATES_LAST, 1);
}

void sharding_write(const shardc_model *model, const shardc_model_array *array, Bytes *bytes) {
    int64_t tiles[SHARDC_MAX_RANK + 2], part = 0, parts = 1, devices = model->device_count;
    int64_t count = count_tiles(model, array, tiles);
    bool can_be_said = part_of(model, array, 0, &part, &parts) && devices % (count * parts) == 0;
    int64_t copies = can_be_said ? devices / (count * parts) : 1;
    int64_t *order = calloc((size_t)devices, sizeof *order);
    int64_t *held = calloc((size_t)(count * parts), sizeof *held);
    if (!order || !held) {
        bytes->has_failed = true;
    } else if (
        can_be_said && count * parts > 1 &&
        order_devices(model, array, tiles, count, copies, order, held)) {
        write_tiles(array, tiles, copies, parts, order, devices, bytes);
    } else {
        bytes_varint(bytes, SHARDING_TYPE, TYPE_REPLICATED);
    }
    free(order);
    free(held);
}

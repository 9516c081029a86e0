// What the parts of `shardc inspect` share.
#ifndef SHARDC_TOOLS_INSPECT_H
#define SHARDC_TOOLS_INSPECT_H

#include "tools/tool.h"

bool inspect_is_sharded(const shardc_model_array *array); // into more than one tile
// A grid of the tiles of an array, and the devices that hold each: rows are tiles of the first
// sharded dimension, columns of the second; further ones one grid each.
void inspect_draw_tiles(
    Arena *arena, StrBuf *out, const shardc_model *model, const shardc_model_array *array);

// shardc inspect --sharding=TEXT: one sharding in all notations. shape, mesh: NULL
// when not given. The exit status.
int inspect_sharding(const char *text, const char *shape, const char *mesh, bool json);

#endif

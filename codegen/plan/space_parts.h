// What a planned loop nest is made of: see space.h.
#ifndef SHARDC_CODEGEN_PLAN_SPACE_PARTS_H
#define SHARDC_CODEGEN_PLAN_SPACE_PARTS_H

#include "ir/type.h"

enum { MAX_PARTS = 48, MAX_CUTS = 32 };

// A factor of a dimension: index = sum over its parts of part * stride.
typedef struct SpacePart {
    int dim;
    int64_t extent, stride;
    // The next part does not divide the dimension: behind this part's last place there are only the
    // next part's first few. Both parts are axes, with pieces that exist or do not as a whole.
    bool is_uneven;
} SpacePart;

typedef struct SpaceAxis {
    int first, count; // parts
    int64_t extent;
    int cut_count; // pieces: [cuts[k], cuts[k+1]), cuts[0] = 0, cuts[cut_count] = extent
    int64_t cuts[MAX_CUTS + 1];
} SpaceAxis;

typedef struct Space {
    int rank;
    int64_t dims[MAX_RANK];
    int part_count;
    SpacePart parts[MAX_PARTS];
    int axis_count;
    SpaceAxis axes[MAX_PARTS];
    int inner, tile; // axes; tile = -1: no second inner axis
    // An outer axis of few places; -1 = none. Neighbours along it lie in the same lines of memory,
    // along the inner one further apart: what is read of them is read by one lane, together or
    // block by block.
    int shared;
    // Rows of the inner axis lie one after the other in memory along axis `written` where they are
    // stored, along an outer axis `read` where they are loaded: rows are made in blocks of `block`
    // of the first, all of the second for a block before the next. 0 = they are not.
    int read, written;
    int64_t block;
    bool stores_contiguously; // every store is contiguous in the inner axis
    bool turns;               // all that is read along the tile axis lies side by side there
    // tiles are a line of the result wide and follow each other along the tile axis (streams.h)
    bool by_lines;
    // of a STAGE_FOLD: blocks of results side by side, the fold's loops around them
    bool by_columns;
    bool steps_in_order; // these blocks are short rows of memory, each step's behind the last one's
} Space;

#endif

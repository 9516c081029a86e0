// Convolutions of many small groups: what a chunk multiplies.
#ifndef SHARDC_CODEGEN_CONV_GROUPED_H
#define SHARDC_CODEGEN_CONV_GROUPED_H

#include "codegen/contract/conv/conv_slab.h"

enum { MOST_PIXELS = 14, MAX_LANES = 64, MOST_UNROLLED = 32 };

// Where an image lies in memory: at element number `at` of a stored value.
typedef struct ImagePlace {
    const Value *stored; // NULL: a chunk's part of the image is copied into a slab
    const IndexExpr *at; // in terms of the two variables, of the first place in space
    int image_variable, feature_variable;
    int64_t pitch[SLAB_RANK]; // elements from place to place
} ImagePlace;

typedef struct Grouped {
    Matmul *matmul;
    Emit *e;
    Contraction c; // as if it had one group
    ContractVectors math;
    int64_t pair;                // elements of a word: 1 or 2
    int64_t groups, ins, outs;   // ins, outs: words of the image, and features, of a group
    int64_t features;            // of the result
    int lanes, used;             // of a vector, those that have a feature
    int64_t per_vector;          // groups
    int64_t vectors;             // of a block
    int64_t block, image_block;  // features of the result and words of the image of a chunk
    int64_t blocks, bands, band; // rows of a band
    int64_t strips, strip;       // pixels of a row's part
    ConvSizes sizes;
    int64_t size[SLAB_RANK]; // of the slab
    int64_t planes;          // result rows of all but the last two dimensions
    int pixels;
    int64_t width; // of a row of sums
    int64_t slab_bytes, filter_bytes, sums_bytes;
    const IndexExpr *first;                // the chunk's first feature of the result
    const IndexExpr *first_out[SLAB_RANK]; // and its first place
    ImagePlace image;
} Grouped;

// May the image be read where it lies, if it is memory?
bool grouped_may_read_image(const Grouped *g, const Contraction *c, const Kernel *kernel);
// Sets g->image.
void grouped_find_image(Grouped *g);
// The chunk's results, from the filter and the slab, or the image.
void grouped_multiply_band(Grouped *g);

#endif

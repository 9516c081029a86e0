// The part of an image that the windows of a chunk read, copied into the scratch
// with zeros in borders and holes.
#ifndef SHARDC_CODEGEN_CONV_SLAB_H
#define SHARDC_CODEGEN_CONV_SLAB_H

#include "codegen/contract/contraction.h"

// Spatial dimensions; those that a convolution lacks come first and have one place.
enum { SLAB_RANK = 3 };

typedef struct ConvSlab {
    const IndexExpr *image;            // or with has_images_inside: the feature
    const IndexExpr *first[SLAB_RANK]; // place in the padded image at which the slab begins
    int64_t size[SLAB_RANK];           // places
    int64_t all[SLAB_RANK];            // of the padded image, of all slabs together
    int64_t features;                  // of a place: slab[z][y][x][feature]
    int64_t zeros;                     // features of a place behind those
    bool has_images_inside;            // slab[z][y][x][image] of one feature
    bool features_first;               // slab[feature][z][y][x]; without zeros
    bool has_zero_columns;             // zeros beside the image's columns are there already
    const IndexExpr *first_feature;    // NULL: the slab has all features of the image
    int64_t at;                        // offset in the scratch
} ConvSlab;

// With the batch entry x->batch.
void conv_slab_fill(Matmul *x, const ConvSlab *slab);
// The micro-kernel's offsets of the steps, elements of the slab, as a private constant of the
// module.
LLVMValueRef conv_slab_offsets(Emit *e, int64_t count, const int64_t *offsets);

#endif

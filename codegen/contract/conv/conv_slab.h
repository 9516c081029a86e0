// The part of an image that the windows of a chunk read, copied into the scratch
// with zeros in borders and holes.
#ifndef SHARDC_CODEGEN_CONV_SLAB_H
#define SHARDC_CODEGEN_CONV_SLAB_H

#include "codegen/contract/contraction.h"

// Spatial dimensions; those that a convolution lacks come first and have one place.
enum { PLANE, ROW, COLUMN, SLAB_RANK };

// Sizes in these dimensions: of the result, and of the window.
typedef struct ConvSizes {
    int64_t out[SLAB_RANK], stride[SLAB_RANK];
    int64_t window[SLAB_RANK], dilation[SLAB_RANK];
} ConvSizes;
ConvSizes conv_sizes(const Contraction *c);
// The contraction of a convolution with images behind the positions of the result.
Contraction conv_images_last(const Contraction *c);

typedef struct ConvSlab {
    const IndexExpr *image;            // or with images or groups inside: the feature
    const IndexExpr *first[SLAB_RANK]; // place in the padded image at which the slab begins
    int64_t size[SLAB_RANK];           // places
    int64_t all[SLAB_RANK];            // of the padded image, of all slabs together
    int64_t features;                  // of a place: slab[z][y][x][feature]
    int64_t zeros;                     // features of a place behind those
    bool has_images_inside;            // slab[z][y][x][image] of one feature
    bool has_groups_inside;            // slab[z][y][x][group] of one feature, of groups of images
    bool features_first;               // slab[feature][z][y][x]; without zeros
    bool has_zero_columns;             // zeros beside the image's columns are there already
    const IndexExpr *first_feature;    // NULL: the slab has all of them
    int64_t plane;                     // elements of a feature with features_first; 0 = no gap
    int64_t at;                        // offset in the scratch
    const IndexExpr *behind;           // elements behind that; NULL = none
} ConvSlab;

// With the batch entry x->batch.
void conv_slab_fill(Matmul *x, const ConvSlab *slab);

// Where results, or places of the window, lie `step` rows and columns apart: every step-th row and
// column of a slab [feature][z][y][x][lane] as a slab of its own, in which they are neighbours.
//
//     parts[y % step][x % step][feature][z][y / step][x / step][lane]
typedef struct SlabParts {
    int64_t features, lanes;
    int64_t step[SLAB_RANK]; // 1 in the first dimension
    int64_t size[SLAB_RANK]; // of the slab: multiples of the steps
    int64_t part[SLAB_RANK]; // size / step
    int64_t from, at;        // offsets of slab and parts in the scratch
} SlabParts;
// So many places in each dimension, or some more.
void slab_parts_set_size(SlabParts *parts, const int64_t *places);
int64_t slab_parts_elements(const SlabParts *parts);
// All steps are 1: the slab is its only part.
bool slab_is_whole(const SlabParts *parts);
// Number of the element of a place of the slab in the parts.
int64_t slab_parts_place(const SlabParts *parts, int64_t feature, const int64_t *place);
void slab_parts_fill(Emit *e, ElementType element, const SlabParts *parts);
// The micro-kernel's offsets of the steps, elements of the slab, as a private constant of the
// module.
LLVMValueRef conv_slab_offsets(Emit *e, int64_t count, const int64_t *offsets);

#endif

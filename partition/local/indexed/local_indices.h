// indexed/: ops on tiles whose places are computed by the program: gather, scatter, dynamic slices.
// The ops' rows name their functions; this is what they share: index vectors relative to tiles.
#ifndef SHARDC_PARTITION_LOCAL_INDICES_H
#define SHARDC_PARTITION_LOCAL_INDICES_H

#include "partition/local/local.h"

// The dimension of a gather's result, or a scatter's updates, that dimension d of
// the operand becomes: `windows` lists those of the dimensions that are neither
// removed nor batching. -1 = none.
int slice_place(IntSpan removed, IntSpan batching, IntSpan windows, int d);
// The one, of `rank`, that dimension d of the indices becomes (not the vector dimension).
int index_place(int64_t vector_dim, IntSpan windows, int rank, int d);

// Indices as signed integers of at least 32 bits, so that an offset may be subtracted.
Value *signed_indices(Local *local, Value *indices);
// One scalar per component of the index vectors, spread over the indices' shape. vector_dim may
// be one past the last dimension.
Value *spread_components(
    Local *local, Value *const *components, int count, const Type *indices, int64_t vector_dim);
// The same of numbers, as a constant.
Value *spread_numbers(
    Local *local, const int64_t *numbers, int count, const Type *indices, int64_t vector_dim);
// The offsets of the tiles of sharded dims, 0 for others, as numbers of the indices' type.
Value **component_offsets(
    Local *local, const Type *input, const Sharding *sharding, unsigned shifted, IntSpan map,
    ElementType element);
// True where all components of an index vector are true: [batch dims of the indices].
Value *all_components(Local *local, Value *mask, int64_t vector_dim);

#endif

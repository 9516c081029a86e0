// .npy files (NumPy format versions 1.0 to 3.0): read with every check, write whole.
#ifndef SHARDC_TOOLS_NPY_H
#define SHARDC_TOOLS_NPY_H

#include "base/arena.h"
#include "ir/type.h"

#include <stdbool.h>

// Reads a file whose element type and shape must be those of `type`. Types that .npy lacks (bf16, f8 ...) are raw bits in the unsigned
// type of the same width, or f32 or f64 numbers that they have; little or big endian; Fortran order is turned to row-major. *data: type_bytes(type), in the arena, 64-byte aligned. On failure *error
// says what was found and what was expected, with the path.
bool npy_read(Arena *arena, const char *path, const Type *type, void **data, const char **error);

// The shape that a file's header gives; false with *error as above. dims: room for MAX_RANK.
bool npy_shape(Arena *arena, const char *path, int *rank, int64_t *dims, const char **error);

// Writes row-major elements; temporary name, then rename.
bool npy_write(
    Arena *arena, const char *path, const Type *type, const void *data, const char **error);

#endif

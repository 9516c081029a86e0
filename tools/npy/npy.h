// The door of npy/, with npz.h: .npy files (NumPy format versions 1.0 to 3.0): read
// with every check, write whole.
#ifndef SHARDC_TOOLS_NPY_H
#define SHARDC_TOOLS_NPY_H

#include "base/file_set.h"
#include "ir/type.h"

#include <stdbool.h>

// Reads a file's bytes, whose shape must be that of `type`. Its elements have that type, or another
// one with the same numbers: floats of any width for floats, integers for integers, complex for
// complex. Types that .npy lacks (bf16, f8 ...) are raw bits in the unsigned type of the same
// width, or such numbers. Little or big endian; Fortran order is turned to row-major. *data:
// type_bytes(type), in the arena, 64-byte aligned. On failure *error says what was found and what
// was expected, after the file's name.
bool npy_read(
    Arena *arena, StrView file, const char *name, const Type *type, void **data,
    const char **error);

// The shape that a file's header gives; false with *error as above. dims: room for MAX_RANK.
bool npy_shape(
    Arena *arena, StrView file, const char *name, int *rank, int64_t *dims, const char **error);

// Adds a file of row-major elements to the set.
bool npy_write(
    FileSet *files, Arena *arena, const char *path, const Type *type, const void *data,
    const char **error);

#endif

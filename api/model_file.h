// model.so as a file: a checksum behind the ELF image, and a check of the
// image before it is given to dlopen.
#ifndef SHARDC_API_MODEL_FILE_H
#define SHARDC_API_MODEL_FILE_H

#include "base/arena.h"

// No library is larger: its code reaches its constants within 2 GiB.
#define MODEL_FILE_LIMIT ((int64_t)4 << 30)

// The image with the seal appended: "SHARDC.1" and the image's 64-bit hash, little endian. Loaders
// ignore what follows an ELF image.
StrView model_file_seal(Arena *arena, StrView image);

// NULL when the file is a 64-bit ELF shared library whose tables lie inside it and whose seal, if
// it has one, is right; else why not.
const char *model_file_problem(StrView file);

#endif

// Files: read whole; written all together or not at all (also: base/file_set.h for several).
#ifndef SHARDC_BASE_FILE_H
#define SHARDC_BASE_FILE_H

#include "base/arena.h"

#include <stdbool.h>

// Reads or maps a whole file; unmapped when the arena is freed. "-" is standard input. Pipes and
// devices are read until they end, up to 1 GiB and 16 MiB. On failure returns false and *error says
// why (in the arena: "cannot open 'x': No such file or directory").
bool file_read(Arena *arena, const char *path, StrView *contents, const char **error);

// The same for files that are refused when they have more than `limit` bytes.
bool file_read_limited(
    Arena *arena, const char *path, int64_t limit, StrView *contents, const char **error);

// A file set (base/file_set.h) of one file.
bool file_write(Arena *arena, const char *path, StrView contents, const char **error);

#endif

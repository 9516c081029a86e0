// Files: read whole, write to a temporary name and rename.
#ifndef SHARDC_BASE_FILE_H
#define SHARDC_BASE_FILE_H

#include "base/arena.h"

#include <stdbool.h>

// Reads or maps a whole file; unmapped when the arena is freed. "-" is standard input. On failure returns false and *error says
// why (in the arena: "cannot open 'x': No such file or directory").
bool file_read(Arena *arena, const char *path, StrView *contents, const char **error);

// Writes a file so that either the whole new content is there afterwards or what was there before: temporary name in the same
// folder, fsync not needed, rename. On failure nothing is left behind.
bool file_write(Arena *arena, const char *path, StrView contents, const char **error);

#endif

// File sets: files that appear together, or not at all.
//
// What is added to a set is written at once, to a file without a name in the folder of its place;
// committing the set gives the files their names. So a command that fails, or that a signal ends,
// leaves nothing behind, and no half-written file is visible. (A file system that has no files
// without a name gets temporary names, which a signal leaves behind.)
#ifndef SHARDC_BASE_FILE_SET_H
#define SHARDC_BASE_FILE_SET_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct FileSet FileSet;

// What a file is, for its permissions: a library may be executed, as the umask allows. A file that
// is replaced passes on who may read and write it.
typedef enum FileKind { FILE_DATA, FILE_LIBRARY } FileKind;

// Dropped with the arena unless it is committed before.
FileSet *file_set_create(Arena *arena);

// Makes a folder if it is missing; it goes again when the set is dropped.
bool file_set_add_folder(FileSet *set, const char *path, const char **error);

// The file's contents are the pieces, one after the other. "-" is standard output. Behind a
// symbolic link its target is meant. What is no regular file (a device, a pipe) is not replaced but
// written to when the set is committed, for which the pieces must stay. On failure *error says why,
// as for file_read. Two files of one set must not have the same place.
bool file_set_add(
    FileSet *set, const char *path, FileKind kind, int count, const StrView *pieces,
    const char **error);

// All files get their names; when one cannot, all others are as before.
bool file_set_commit(FileSet *set, const char **error);

#endif

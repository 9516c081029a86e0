// file_set: see file_set.h.
#define _GNU_SOURCE
#include "base/file_set.h"

#include "base/file.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_ATTEMPTS = 100,
    LINKS_LIMIT = 40,
    NAMELESS_LIMIT = 256 // files without a name, which stay open until the commit
};

// Where a file goes.
typedef enum Place {
    PLACE_NAME,   // a name that is free or belongs to a regular file
    PLACE_OPEN,   // something that is opened and written to
    PLACE_OUTPUT, // standard output
} Place;

typedef struct SetFile {
    const char *path;   // as it was given
    const char *target; // PLACE_NAME: behind all links
    Place place;
    bool exists;           // PLACE_NAME: a file has the name
    int descriptor;        // PLACE_NAME: of what was written
    const char *temporary; // its name, while it has one
    const char *backup;    // another name of the file that is replaced, during the commit
    bool named;            // it has its name
    int count;             // PLACE_OPEN, PLACE_OUTPUT: what to write
    const StrView *pieces;
} SetFile;

struct FileSet {
    Arena *arena;
    VEC(SetFile *) files;
    VEC(const char *) folders; // made by this set
    int names;                 // temporary names given
    bool committed;
};

static bool fail(Arena *arena, const char **error, const char *what, const char *path, int number) {
    char reason[128] = "unknown error";
    const char *text = strerror_r(number, reason, sizeof reason);
    *error = path ? arena_printf(arena, "cannot %s '%s': %s", what, path, text)
                  : arena_printf(arena, "cannot %s: %s", what, text);
    return false;
}

static void close_file(SetFile *file) {
    if (file->descriptor >= 0) (void)close(file->descriptor);
    file->descriptor = -1;
}

// Also called twice: what is done is forgotten.
static void drop(void *argument) {
    FileSet *set = argument;
    for (int64_t i = 0; i < set->files.count; i++) {
        SetFile *file = set->files.data[i];
        close_file(file);
        if (file->temporary) (void)unlink(file->temporary);
        file->temporary = NULL;
    }
    for (int64_t i = set->folders.count - 1; i >= 0 && !set->committed; i--)
        (void)rmdir(set->folders.data[i]); // stays when somebody else put something there
    set->folders.count = 0;
}

FileSet *file_set_create(Arena *arena) {
    FileSet *set = ARENA_NEW(arena, FileSet);
    set->arena = arena;
    arena_defer(arena, drop, set);
    return set;
}

bool file_set_add_folder(FileSet *set, const char *path, const char **error) {
    if (mkdir(path, 0777) == 0) {
        vec_push(set->arena, &set->folders, arena_cstring(set->arena, strview(path)));
        return true;
    }
    int number = errno;
    struct stat status;
    if (number == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return true;
    return fail(set->arena, error, "make the folder", path, number);
}

// ---- where a file goes

// Is it the file that standard output goes to, under any name? Others write to that as well, so it
// is not replaced: what is written comes next.
static bool is_standard_output(const struct stat *status) {
    struct stat output;
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == status->st_dev &&
           output.st_ino == status->st_ino;
}

// What a link says, seen from the link's folder.
static const char *link_target(Arena *arena, const char *path) {
    char text[4096];
    ssize_t size = readlink(path, text, sizeof text);
    if (size <= 0 || size == (ssize_t)sizeof text) return NULL;
    const char *slash = strrchr(path, '/');
    int folder = text[0] == '/' || !slash ? 0 : (int)(slash + 1 - path);
    return arena_printf(arena, "%.*s%.*s", folder, path, (int)size, text);
}

// The name that no file has yet: that of a link that leads nowhere is the name where it leads.
static bool find_free_name(FileSet *set, SetFile *file, const char **error) {
    file->target = file->path;
    struct stat status;
    for (int links = 0; lstat(file->target, &status) == 0; links++) {
        if (!S_ISLNK(status.st_mode)) break; // appeared in the meantime
        const char *next = links < LINKS_LIMIT ? link_target(set->arena, file->target) : NULL;
        if (!next) return fail(set->arena, error, "create", file->path, ELOOP);
        file->target = next;
    }
    return true;
}

static bool find_place(FileSet *set, SetFile *file, struct stat *status, const char **error) {
    file->place = PLACE_OUTPUT;
    if (strcmp(file->path, "-") == 0) return true;
    file->exists = stat(file->path, status) == 0;
    file->place = PLACE_NAME;
    if (!file->exists && errno == ENOENT) return find_free_name(set, file, error);
    if (!file->exists) return fail(set->arena, error, "create", file->path, errno);
    if (S_ISDIR(status->st_mode)) return fail(set->arena, error, "write", file->path, EISDIR);
    file->place = PLACE_OUTPUT;
    if (S_ISREG(status->st_mode) && is_standard_output(status)) return true;
    file->place = PLACE_OPEN;
    if (!S_ISREG(status->st_mode)) return true;
    // A link may lead to a file without a name (/dev/fd/3).
    char *resolved = realpath(file->path, NULL);
    if (!resolved) return fail(set->arena, error, "write", file->path, errno);
    file->target = arena_cstring(set->arena, strview(resolved));
    free(resolved);
    file->place = PLACE_NAME;
    return true;
}

static bool same_place(const SetFile *a, const SetFile *b) {
    return a->place == PLACE_NAME && b->place == PLACE_NAME && strcmp(a->target, b->target) == 0;
}

// ---- writing

// 0 or errno.
static int write_all(int descriptor, int count, const StrView *pieces) {
    for (int i = 0; i < count; i++) {
        StrView rest = pieces[i];
        while (rest.size) {
            ssize_t written = write(descriptor, rest.data, rest.size);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return errno;
            rest.data += written;
            rest.size -= (size_t)written;
        }
    }
    return 0;
}

static const char *new_name(FileSet *set, const char *target) {
    return arena_printf(set->arena, "%s.tmp%ld.%d", target, (long)getpid(), set->names++);
}

static const char *descriptor_path(Arena *arena, int descriptor) {
    return arena_printf(arena, "/proc/self/fd/%d", descriptor);
}

// A file without a name in the target's folder; -1 where there is no such thing.
static int open_nameless(Arena *arena, const char *target, mode_t mode) {
    const char *slash = strrchr(target, '/');
    int size = slash ? (int)(slash - target) : 0;
    const char *folder = slash ? arena_printf(arena, "%.*s", size ? size : 1, target) : ".";
    int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor < 0) return -1;
    if (access(descriptor_path(arena, descriptor), F_OK) == 0) return descriptor;
    (void)close(descriptor); // it could not be given a name
    return -1;
}

static bool open_temporary(FileSet *set, SetFile *file, mode_t mode) {
    file->descriptor =
        set->files.count < NAMELESS_LIMIT ? open_nameless(set->arena, file->target, mode) : -1;
    for (int i = 0; file->descriptor < 0 && i < NAME_ATTEMPTS; i++) {
        const char *name = new_name(set, file->target);
        file->descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->descriptor < 0 && errno != EEXIST) return false;
        if (file->descriptor >= 0) file->temporary = name;
    }
    return file->descriptor >= 0;
}

// Permissions of a file that replaces another: who may read and write stays; who may
// read a library may execute it.
static int set_mode(const SetFile *file, FileKind kind, const struct stat *old) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0) return errno;
    mode_t mode = old->st_mode & 0666;
    if (kind == FILE_LIBRARY) mode |= (mode & 0444) >> 2 & status.st_mode;
    return fchmod(file->descriptor, mode) == 0 ? 0 : errno;
}

bool file_set_add(
    FileSet *set, const char *path, FileKind kind, int count, const StrView *pieces,
    const char **error) {
    Arena *arena = set->arena;
    SetFile *file = ARENA_NEW(arena, SetFile);
    *file = (SetFile){
        .path = arena_cstring(arena, strview(path)),
        .descriptor = -1,
        .count = count,
        .pieces = arena_copy(arena, pieces, (size_t)count * sizeof *pieces)};
    struct stat status;
    if (!find_place(set, file, &status, error)) return false;
    for (int64_t i = 0; i < set->files.count; i++) {
        if (!same_place(set->files.data[i], file)) continue;
        *error = arena_printf(
            arena, "cannot write both '%s' and '%s': they are one file", set->files.data[i]->path,
            path);
        return false;
    }
    vec_push(arena, &set->files, file);
    if (file->place != PLACE_NAME) return true;
    if (!open_temporary(set, file, kind == FILE_LIBRARY ? 0777 : 0666))
        return fail(arena, error, "create", path, errno);
    int failure = write_all(file->descriptor, count, pieces);
    if (!failure && file->exists) failure = set_mode(file, kind, &status);
    if (file->temporary) {
        if (close(file->descriptor) != 0 && !failure) failure = errno;
        file->descriptor = -1;
    }
    return failure ? fail(arena, error, "write", path, failure) : true;
}

// ---- the commit

static int write_special(const SetFile *file) {
    if (file->place == PLACE_OUTPUT) {
        (void)fflush(stdout); // what was printed before comes first; its owner looks for errors
        return write_all(STDOUT_FILENO, file->count, file->pieces);
    }
    int descriptor = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return errno;
    int failure = write_all(descriptor, file->count, file->pieces);
    if (close(descriptor) != 0 && !failure) failure = errno;
    return failure;
}

// Gives what was written a name: the target's when that is free.
static int link_nameless(FileSet *set, SetFile *file) {
    const char *from = descriptor_path(set->arena, file->descriptor);
    if (linkat(AT_FDCWD, from, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0) {
        file->named = true;
        return 0;
    }
    for (int i = 0; errno == EEXIST && i < NAME_ATTEMPTS; i++) {
        const char *name = new_name(set, file->target);
        if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0) continue;
        file->temporary = name;
        return 0;
    }
    return errno;
}

// The file that is replaced keeps another name until all are in their places. Not
// every file system has second names.
static int keep_old(FileSet *set, SetFile *file) {
    const char *name = new_name(set, file->target);
    if (link(file->target, name) != 0 && rename(file->target, name) != 0)
        return errno == ENOENT ? 0 : errno;
    file->backup = name;
    return 0;
}

static int put_in_place(FileSet *set, SetFile *file) {
    int failure = file->temporary ? 0 : link_nameless(set, file);
    if (failure || file->named) return failure;
    if (set->files.count > 1) failure = keep_old(set, file);
    if (failure) return failure;
    if (rename(file->temporary, file->target) != 0) return errno;
    file->temporary = NULL;
    file->named = true;
    return 0;
}

static void take_back(SetFile *file) {
    if (file->backup) {
        (void)rename(file->backup, file->target);
    } else if (file->named) {
        (void)unlink(file->target);
    }
    file->named = false;
}

static bool put_all_in_place(FileSet *set, const char **error) {
    for (int64_t i = 0; i < set->files.count; i++) {
        SetFile *file = set->files.data[i];
        int failure = file->place == PLACE_NAME ? put_in_place(set, file) : 0;
        if (!failure) continue;
        for (int64_t k = 0; k <= i; k++)
            take_back(set->files.data[k]);
        return fail(set->arena, error, "write", file->path, failure);
    }
    for (int64_t i = 0; i < set->files.count; i++) {
        SetFile *file = set->files.data[i];
        if (file->backup) (void)unlink(file->backup);
        close_file(file);
    }
    return true;
}

bool file_set_commit(FileSet *set, const char **error) {
    for (int64_t i = 0; i < set->files.count; i++) {
        const SetFile *file = set->files.data[i];
        int failure = file->place == PLACE_NAME ? 0 : write_special(file);
        if (!failure) continue;
        bool is_output = strcmp(file->path, "-") == 0;
        return fail(
            set->arena, error, is_output ? "write to standard output" : "write",
            is_output ? NULL : file->path, failure);
    }
    // A signal that ends the process comes before or after, not between two names.
    sigset_t all, before;
    sigfillset(&all);
    bool blocked = pthread_sigmask(SIG_BLOCK, &all, &before) == 0;
    set->committed = put_all_in_place(set, error);
    if (blocked) (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return set->committed;
}

bool file_write(Arena *arena, const char *path, StrView contents, const char **error) {
    FileSet *set = file_set_create(arena);
    if (file_set_add(set, path, FILE_DATA, 1, &contents, error) && file_set_commit(set, error))
        return true;
    drop(set);
    return false;
}

// Files: read or map whole, write to a temporary name and rename.
#define _XOPEN_SOURCE 700
#include "base/file.h"

#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAP_FROM = 64 * 1024,   // smaller files are read: a mapping costs more
    STREAM_LIMIT = 1 << 30, // most that is read from a pipe
    PIECE = 64 * 1024,      // of a stream
    NAME_ATTEMPTS = 100
};

typedef struct Mapping {
    void *memory;
    size_t size;
} Mapping;

static void unmap(void *argument) {
    Mapping *mapping = argument;
    (void)munmap(mapping->memory, mapping->size);
}

static void close_descriptor(void *argument) {
    int *descriptor = argument;
    if (*descriptor >= 0) (void)close(*descriptor);
    *descriptor = -1;
}

static bool fail(Arena *arena, const char **error, const char *what, const char *path, int number) {
    char reason[128] = "unknown error";
    (void)strerror_r(number, reason, sizeof reason);
    *error = arena_printf(arena, "cannot %s '%s': %s", what, path, reason);
    return false;
}

// read() that goes on after a signal; -1 on failure.
static ssize_t read_some(int descriptor, void *memory, size_t size) {
    ssize_t got = 0;
    do {
        got = read(descriptor, memory, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static bool read_stream(
    Arena *arena, int descriptor, const char *path, StrView *contents, const char **error) {
    StrBuf text = strbuf(arena);
    char *piece = arena_alloc(arena, PIECE);
    for (;;) {
        ssize_t got = read_some(descriptor, piece, PIECE);
        if (got < 0) return fail(arena, error, "read", path, errno);
        if (got == 0) break;
        if (text.size + (size_t)got > STREAM_LIMIT) return fail(arena, error, "read", path, EFBIG);
        strbuf_append(&text, (StrView){piece, (size_t)got});
    }
    *contents = (StrView){strbuf_cstring(&text), text.size};
    return true;
}

static bool map_file(
    Arena *arena, int descriptor, const char *path, size_t size, StrView *contents,
    const char **error) {
    Mapping *mapping = ARENA_NEW(arena, Mapping);
    mapping->memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping->memory == MAP_FAILED) return fail(arena, error, "map", path, errno);
    mapping->size = size;
    arena_defer(arena, unmap, mapping);
    *contents = (StrView){mapping->memory, size};
    return true;
}

bool file_read(Arena *arena, const char *path, StrView *contents, const char **error) {
    *contents = (StrView){0};
    if (strcmp(path, "-") == 0) return read_stream(arena, STDIN_FILENO, "-", contents, error);
    int *descriptor = ARENA_NEW(arena, int);
    *descriptor = -1;
    arena_defer(arena, close_descriptor, descriptor); // for the case that memory runs out below
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (*descriptor < 0) return fail(arena, error, "open", path, errno);
    struct stat status;
    bool done = false;
    if (fstat(*descriptor, &status) != 0) {
        done = fail(arena, error, "open", path, errno);
    } else if (S_ISDIR(status.st_mode)) {
        done = fail(arena, error, "read", path, EISDIR);
    } else if (S_ISREG(status.st_mode) && status.st_size >= MAP_FROM) {
        done = map_file(arena, *descriptor, path, (size_t)status.st_size, contents, error);
    } else {
        done = read_stream(arena, *descriptor, path, contents, error);
    }
    close_descriptor(descriptor);
    return done;
}

// 0 or errno.
static int write_all(int descriptor, StrView contents) {
    while (contents.size) {
        ssize_t written = write(descriptor, contents.data, contents.size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        contents.data += written;
        contents.size -= (size_t)written;
    }
    return 0;
}

// Opens a new file beside the target; its name is in the arena.
static int open_temporary(Arena *arena, const char *target, char **name) {
    size_t size = strlen(target) + 48;
    *name = arena_alloc(arena, size);
    for (int i = 0; i < NAME_ATTEMPTS; i++) {
        (void)snprintf(*name, size, "%s.tmp%ld.%d", target, (long)getpid(), i);
        int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

// A device or a pipe cannot be replaced: it is written to.
static bool write_special(Arena *arena, const char *path, StrView contents, const char **error) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return fail(arena, error, "open", path, errno);
    int failure = write_all(descriptor, contents);
    if (close(descriptor) != 0 && !failure) failure = errno;
    return failure ? fail(arena, error, "write", path, failure) : true;
}

// Is it the file that standard output goes to, under any name? Others write to that as well, so it is not replaced: what is written comes next.
static bool is_standard_output(const struct stat *status) {
    struct stat output;
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == status->st_dev &&
           output.st_ino == status->st_ino;
}

static bool write_standard_output(
    Arena *arena, const char *path, StrView contents, const char **error) {
    int failure = write_all(STDOUT_FILENO, contents);
    return failure ? fail(arena, error, "write", path, failure) : true;
}

bool file_write(Arena *arena, const char *path, StrView contents, const char **error) {
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return fail(arena, error, "write", path, EISDIR);
    if (exists && !S_ISREG(status.st_mode)) return write_special(arena, path, contents, error);
    if (exists && is_standard_output(&status))
        return write_standard_output(arena, path, contents, error);
    // The file behind a symbolic link is replaced, not the link. A link may lead to a file without a name (/dev/fd/3).
    char *resolved = exists ? realpath(path, NULL) : NULL, *name = NULL;
    if (exists && !resolved) return fail(arena, error, "write", path, errno);
    if (resolved) arena_defer(arena, free, resolved);
    const char *target = resolved ? resolved : path;
    int descriptor = open_temporary(arena, target, &name);
    if (descriptor < 0) return fail(arena, error, "create", path, errno);
    int failure = write_all(descriptor, contents);
    if (!failure && exists && fchmod(descriptor, status.st_mode & 07777) != 0) failure = errno;
    if (close(descriptor) != 0 && !failure) failure = errno;
    if (!failure && rename(name, target) != 0) failure = errno;
    if (!failure) return true;
    (void)unlink(name);
    return fail(arena, error, "write", path, failure);
}

// Reading of files: whole, or mapped. Writing is in file_set.c.
#define _XOPEN_SOURCE 700
#include "base/file.h"

#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAP_FROM = 64 * 1024,    // smaller files are read: a mapping costs more
    STREAM_LIMIT = 1 << 30,  // most that is read from a pipe
    DEVICE_LIMIT = 16 << 20, // and from a device: /dev/zero has no end
    PIECE = 64 * 1024        // of a stream
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

static bool too_large(Arena *arena, const char **error, const char *path, int64_t limit) {
    *error = arena_printf(
        arena, "cannot read '%s': it has more than %lld MiB, which is the limit here", path,
        (long long)(limit >> 20));
    return false;
}

// A pipe, a device, a terminal or a small file: until it ends or has more than the limit.
static bool read_stream(
    Arena *arena, int descriptor, const char *path, int64_t limit, StrView *contents,
    const char **error) {
    StrBuf text = strbuf(arena);
    char *piece = arena_alloc(arena, PIECE);
    for (;;) {
        ssize_t got = read_some(descriptor, piece, PIECE);
        if (got < 0) return fail(arena, error, "read", path, errno);
        if (got == 0) break;
        if ((int64_t)text.size + got > limit) return too_large(arena, error, path, limit);
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

static bool read_open_file(
    Arena *arena, int descriptor, const char *path, int64_t limit, StrView *contents,
    const char **error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return fail(arena, error, "open", path, errno);
    if (S_ISDIR(status.st_mode)) return fail(arena, error, "read", path, EISDIR);
    if (S_ISREG(status.st_mode)) {
        if (status.st_size > limit) return too_large(arena, error, path, limit);
        if (status.st_size >= MAP_FROM)
            return map_file(arena, descriptor, path, (size_t)status.st_size, contents, error);
    }
    bool is_device = S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !isatty(descriptor));
    int64_t most = is_device ? DEVICE_LIMIT : STREAM_LIMIT;
    return read_stream(arena, descriptor, path, limit < most ? limit : most, contents, error);
}

bool file_read_limited(
    Arena *arena, const char *path, int64_t limit, StrView *contents, const char **error) {
    *contents = (StrView){0};
    if (strcmp(path, "-") == 0)
        return read_open_file(arena, STDIN_FILENO, "-", limit, contents, error);
    int *descriptor = ARENA_NEW(arena, int);
    *descriptor = -1;
    arena_defer(arena, close_descriptor, descriptor); // for the case that memory runs out below
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (*descriptor < 0) return fail(arena, error, "open", path, errno);
    bool done = read_open_file(arena, *descriptor, path, limit, contents, error);
    close_descriptor(descriptor);
    return done;
}

bool file_read(Arena *arena, const char *path, StrView *contents, const char **error) {
    return file_read_limited(arena, path, INT64_MAX, contents, error);
}

// Entries are files NAME.object: a header and the object's bytes. NAME is a hash of the
// key, another one is in the header.
#define _POSIX_C_SOURCE 200809L
#include "codegen/target/object_cache.h"

#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_DIGITS = 32, MOST_OBJECT_BYTES = 1 << 30, STALE_SECONDS = 3600 };

static const char suffix[] = ".object", temporary[] = "unfinished-";

struct ObjectCache {
    const char *folder;
    bool is_usable, is_private;
    atomic_int found, missed, stored;
};

typedef struct Header {
    char magic[16];
    uint64_t key_size, key_hash, object_size, object_hash;
} Header;

static const char magic[16] = "shardc object 1";

static void make_folders(const char *path) {
    char part[4096];
    size_t size = strlen(path);
    if (size >= sizeof part) return;
    for (size_t i = 1; i <= size; i++) {
        if (i < size && path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        (void)mkdir(part, 0700); // those that are there stay as they are
    }
}

ObjectCache *object_cache_open(Arena *arena, const char *folder) {
    if (!folder || !*folder) return NULL;
    ObjectCache *cache = ARENA_NEW(arena, ObjectCache);
    cache->folder = arena_cstring(arena, strview(folder));
    make_folders(cache->folder);
    struct stat is;
    cache->is_usable = stat(cache->folder, &is) == 0 && S_ISDIR(is.st_mode);
    cache->is_private = cache->is_usable && is.st_uid == geteuid() && !(is.st_mode & 022);
    return cache;
}

static Header header_of(StrView key, StrView object) {
    Header header = {
        .key_size = key.size,
        .key_hash = hash_bytes(key.data, key.size, 3),
        .object_size = object.size,
        .object_hash = hash_bytes(object.data, object.size, 4)};
    memcpy(header.magic, magic, sizeof magic);
    return header;
}

// False when the path is too long.
static bool entry_path(const ObjectCache *cache, StrView key, char *path, size_t size) {
    unsigned long long high = hash_bytes(key.data, key.size, 1);
    unsigned long long low = hash_bytes(key.data, key.size, 2);
    int written = snprintf(path, size, "%s/%016llx%016llx%s", cache->folder, high, low, suffix);
    return written > 0 && (size_t)written < size;
}

static bool read_all(int file, void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = read(file, (char *)data + done, size - done);
        if (count <= 0) return false;
        done += (size_t)count;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = write(file, (const char *)data + done, size - done);
        if (count <= 0) return false;
        done += (size_t)count;
    }
    return true;
}

static bool read_entry(int file, Arena *arena, StrView key, StrView *object) {
    Header header;
    struct stat is;
    if (fstat(file, &is) || !S_ISREG(is.st_mode) || !read_all(file, &header, sizeof header) ||
        header.object_size > MOST_OBJECT_BYTES ||
        (uint64_t)is.st_size != sizeof header + header.object_size)
        return false;
    char *data = arena_alloc(arena, (size_t)header.object_size + 1);
    if (!read_all(file, data, (size_t)header.object_size)) return false;
    *object = (StrView){data, (size_t)header.object_size};
    Header expected = header_of(key, *object);
    return memcmp(&header, &expected, sizeof header) == 0;
}

bool object_cache_find(ObjectCache *cache, Arena *arena, StrView key, StrView *object) {
    char path[4096];
    bool found = false;
    if (cache->is_private && entry_path(cache, key, path, sizeof path)) {
        int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file >= 0) {
            found = read_entry(file, arena, key, object);
            if (found) (void)futimens(file, NULL); // it was used now
            (void)close(file);
        }
    }
    atomic_fetch_add(found ? &cache->found : &cache->missed, 1);
    return found;
}

void object_cache_store(ObjectCache *cache, StrView key, StrView object) {
    char path[4096], unfinished[4096];
    if (!cache->is_private || !entry_path(cache, key, path, sizeof path)) return;
    int size = snprintf(unfinished, sizeof unfinished, "%s/%sXXXXXX", cache->folder, temporary);
    if (size < 0 || (size_t)size >= sizeof unfinished) return;
    int file = mkstemp(unfinished);
    if (file < 0) return;
    Header header = header_of(key, object);
    bool good =
        write_all(file, &header, sizeof header) && write_all(file, object.data, object.size);
    good = close(file) == 0 && good;
    if (good && rename(unfinished, path) == 0)
        atomic_fetch_add(&cache->stored, 1);
    else
        (void)unlink(unfinished);
}

// ---- what is too much

typedef struct Entry {
    const char *path;
    int64_t bytes;
    struct timespec used;
} Entry;

typedef VEC(Entry) Entries;

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const Entry *)a)->used, *y = &((const Entry *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool is_entry(const char *name) {
    return strlen(name) == NAME_DIGITS + sizeof suffix - 1 &&
           strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strcmp(name + NAME_DIGITS, suffix) == 0;
}

// The folder's entries; unfinished ones that are old are removed.
static Entries list_entries(const ObjectCache *cache, Arena *scratch) {
    Entries entries = {0};
    DIR *folder = opendir(cache->folder);
    if (!folder) return entries;
    time_t now = time(NULL);
    const struct dirent *file; // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this thread's
    while ((file = readdir(folder))) {
        bool is_unfinished = strncmp(file->d_name, temporary, sizeof temporary - 1) == 0;
        if (!is_unfinished && !is_entry(file->d_name)) continue;
        const char *path = arena_printf(scratch, "%s/%s", cache->folder, file->d_name);
        struct stat is;
        if (lstat(path, &is) || !S_ISREG(is.st_mode)) continue;
        if (is_unfinished) {
            if (is.st_mtim.tv_sec + STALE_SECONDS < now) (void)unlink(path);
            continue;
        }
        Entry entry = {path, (int64_t)is.st_size, is.st_mtim};
        vec_push(scratch, &entries, entry);
    }
    (void)closedir(folder);
    return entries;
}

void object_cache_trim(ObjectCache *cache, Arena *scratch, int64_t most_bytes) {
    if (!cache || atomic_load(&cache->stored) == 0) return;
    Entries entries = list_entries(cache, scratch);
    int64_t bytes = 0;
    for (int64_t i = 0; i < entries.count; i++)
        bytes += entries.data[i].bytes;
    if (bytes <= most_bytes) return;
    qsort(entries.data, (size_t)entries.count, sizeof(Entry), by_use);
    for (int64_t i = 0; i < entries.count && bytes > most_bytes / 4 * 3; i++) {
        if (unlink(entries.data[i].path) == 0) bytes -= entries.data[i].bytes;
    }
}

void object_cache_print(const ObjectCache *cache, StrBuf *out) {
    int found = atomic_load(&cache->found), missed = atomic_load(&cache->missed);
    strbuf_printf(
        out, "cache: %d of %d objects found in %s, %d stored", found, found + missed, cache->folder,
        atomic_load(&cache->stored));
    if (!cache->is_usable)
        strbuf_puts(out, "; it is no folder that can be used");
    else if (!cache->is_private)
        strbuf_puts(out, "; it is not used: others may write to it");
    strbuf_putc(out, '\n');
}

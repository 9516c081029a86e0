// pool: memory of arrays that were given back, for arrays of about their size.
//
// A program that is executed again and again makes arrays of the same sizes. What the system gives
// anew for each, it fills with zeros, page by page, which takes longer than many programs do. So
// freed arrays are kept: as many bytes as arrays in use have (at least 64 MiB), the last ones. The
// newest block that fits is taken: it is most likely in the caches. Any thread may call.
#define _GNU_SOURCE
#include "plugin/plugin.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    LINE = 64,
    HUGE_PAGE = 2 << 20,
    LEAST_KEPT = 128 << 10, // smaller blocks: malloc does well
    MOST_BLOCKS = 256
};
static const size_t ALWAYS_KEPT = (size_t)64 << 20;

typedef struct Block {
    struct Block *newer, *older;
    void *data;
    size_t bytes;
} Block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Block *newest, *oldest;
static int block_count;
static size_t kept_bytes, used_bytes; // of blocks in the pool, and of those taken

static void unlink_block(Block *block) {
    *(block->newer ? &block->newer->older : &newest) = block->older;
    *(block->older ? &block->older->newer : &oldest) = block->newer;
    block_count--;
    kept_bytes -= block->bytes;
}

// Blocks that exceed what may be kept, as a list.
static Block *exceeding(size_t most) {
    Block *list = NULL;
    while (oldest && (kept_bytes > most || block_count > MOST_BLOCKS)) {
        Block *block = oldest;
        unlink_block(block);
        block->older = list;
        list = block;
    }
    return list;
}

static void free_blocks(Block *list) {
    while (list) {
        Block *next = list->older;
        free(list->data);
        free(list);
        list = next;
    }
}

static void *take_kept(size_t *bytes) {
    pthread_mutex_lock(&lock);
    Block *block = newest;
    while (block && (block->bytes < *bytes || block->bytes - *bytes > *bytes / 8))
        block = block->older;
    if (block) {
        unlink_block(block);
        used_bytes += block->bytes;
    }
    pthread_mutex_unlock(&lock);
    if (!block) return NULL;
    void *data = block->data;
    *bytes = block->bytes;
    free(block);
    return data;
}

static void *take_new(size_t bytes, size_t unit) {
    void *data = aligned_alloc(unit, bytes);
    if (!data) { // what is kept may be all that there is
        pool_empty();
        data = aligned_alloc(unit, bytes);
    }
    if (!data || bytes < LEAST_KEPT) return data;
    // Where the system has huge pages, large arrays are read faster in them.
    if (unit == HUGE_PAGE) (void)madvise(data, bytes, MADV_HUGEPAGE);
    pthread_mutex_lock(&lock);
    used_bytes += bytes;
    pthread_mutex_unlock(&lock);
    return data;
}

void *pool_take(size_t *bytes) {
    size_t unit = *bytes >= 2 * (size_t)HUGE_PAGE ? HUGE_PAGE : LINE;
    if (*bytes > SIZE_MAX - unit) return NULL;
    *bytes = (*bytes + unit) / unit * unit;
    void *kept = *bytes >= LEAST_KEPT ? take_kept(bytes) : NULL;
    return kept ? kept : take_new(*bytes, unit);
}

void pool_give(void *data, size_t bytes) {
    if (bytes < LEAST_KEPT) {
        free(data);
        return;
    }
    Block *block = malloc(sizeof *block);
    pthread_mutex_lock(&lock);
    used_bytes -= bytes;
    if (block) {
        *block = (Block){.older = newest, .data = data, .bytes = bytes};
        *(newest ? &newest->newer : &oldest) = block;
        newest = block;
        block_count++;
        kept_bytes += bytes;
    } else {
        free(data);
    }
    Block *list = exceeding(used_bytes > ALWAYS_KEPT ? used_bytes : ALWAYS_KEPT);
    pthread_mutex_unlock(&lock);
    free_blocks(list);
}

void pool_empty(void) {
    pthread_mutex_lock(&lock);
    Block *list = exceeding(0);
    pthread_mutex_unlock(&lock);
    free_blocks(list);
}

// Arena: chunks that double from 4 KiB to 1 MiB; a request above a quarter of that gets a chunk of
// its own.
#define _GNU_SOURCE
#include "base/arena.h"

#include "base/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20, OWN_CHUNK = LAST_CHUNK / 4, ALIGNMENT = 16 };

typedef struct Chunk {
    struct Chunk *previous, *next;
    size_t size; // with this header
} Chunk;

typedef struct Deferred {
    void (*function)(void *);
    void *argument;
    struct Deferred *previous;
} Deferred;

struct Arena {
    Allocator allocator;
    ArenaGuard *guard;  // borrowed, may be NULL
    Chunk *chunks;      // last one first
    char *next, *end;   // what is left of the chunk that small requests are cut from; NULL at first
    Deferred *deferred; // last one first
    size_t chunk_size;  // of the next chunk
    size_t bytes;
};

static void *malloc_allocate(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void malloc_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

Arena *arena_create(const Allocator *allocator, ArenaGuard *guard) {
    Allocator chosen = {malloc_allocate, malloc_release, NULL};
    if (allocator && allocator->allocate && allocator->release) chosen = *allocator;
    Arena *arena = chosen.allocate(chosen.user, sizeof *arena);
    if (!arena) return NULL;
    *arena = (Arena){
        .allocator = chosen, .guard = guard, .chunk_size = FIRST_CHUNK, .bytes = sizeof *arena};
    return arena;
}

static void free_child(void *child) { arena_free(child); }

Arena *arena_child(Arena *parent) {
    Arena *child = arena_create(&parent->allocator, parent->guard);
    if (!child) arena_out_of_memory(parent);
    arena_defer(parent, free_child, child);
    return child;
}

void arena_set_guard(Arena *arena, ArenaGuard *guard) { arena->guard = guard; }

static void run_deferred(Arena *arena) {
    while (arena->deferred) {
        Deferred *last = arena->deferred;
        arena->deferred = last->previous;
        last->function(last->argument);
    }
}

static void release_chunks(Arena *arena) {
    for (Chunk *chunk = arena->chunks; chunk;) {
        Chunk *previous = chunk->previous;
        arena->allocator.release(arena->allocator.user, chunk);
        chunk = previous;
    }
}

void arena_free(Arena *arena) {
    if (!arena) return;
    run_deferred(arena);
    release_chunks(arena);
    Allocator allocator = arena->allocator;
    allocator.release(allocator.user, arena);
}

void arena_reset(Arena *arena) {
    run_deferred(arena);
    release_chunks(arena);
    *arena = (Arena){
        .allocator = arena->allocator,
        .guard = arena->guard,
        .chunk_size = FIRST_CHUNK,
        .bytes = sizeof *arena};
}

_Noreturn void arena_out_of_memory(Arena *arena) {
    if (arena->guard) longjmp(arena->guard->jump, 1);
    abort();
}

static size_t round_up(size_t size, size_t alignment) {
    return (size + alignment - 1) & ~(alignment - 1);
}

static void link_chunk(Arena *arena, Chunk *chunk, size_t size) {
    chunk->previous = arena->chunks;
    chunk->next = NULL;
    chunk->size = size;
    if (arena->chunks) arena->chunks->next = chunk;
    arena->chunks = chunk;
    arena->bytes += size;
}

static void unlink_chunk(Arena *arena, Chunk *chunk) {
    *(chunk->next ? &chunk->next->previous : &arena->chunks) = chunk->previous;
    if (chunk->previous) chunk->previous->next = chunk->next;
    arena->bytes -= chunk->size;
}

// A new chunk with room for `size` bytes behind its header; NULL when there is no memory.
static Chunk *add_chunk(Arena *arena, size_t size, bool zeroed) {
    size_t whole = 0;
    if (__builtin_add_overflow(size, round_up(sizeof(Chunk), ALIGNMENT), &whole)) return NULL;
    Chunk *chunk = NULL;
    if (zeroed && arena->allocator.allocate == malloc_allocate) {
        chunk = calloc(1, whole); // fresh pages are zero already
    } else {
        chunk = arena->allocator.allocate(arena->allocator.user, whole);
        if (chunk && zeroed) memset(chunk, 0, whole);
    }
    if (!chunk) return NULL;
    link_chunk(arena, chunk, whole);
    return chunk;
}

// Zeroed memory or NULL.
static void *try_alloc(Arena *arena, size_t size, size_t alignment) {
    if (size == 0) size = 1;
    if (size > SIZE_MAX / 2 - alignment) return NULL;
    size_t header = round_up(sizeof(Chunk), ALIGNMENT);
    size_t slack = alignment > ALIGNMENT ? alignment : 0;
    if (size + slack > OWN_CHUNK) {
        Chunk *own = add_chunk(arena, size + slack, true);
        if (!own) return NULL;
        char *memory = (char *)own + header;
        return memory + (round_up((uintptr_t)memory, alignment) - (uintptr_t)memory);
    }
    uintptr_t start = round_up((uintptr_t)arena->next, alignment);
    if (arena->next && start <= (uintptr_t)arena->end && size <= (uintptr_t)arena->end - start) {
        char *memory = arena->next + (start - (uintptr_t)arena->next);
        arena->next = memory + size;
        return memset(memory, 0, size);
    }
    while (arena->chunk_size < LAST_CHUNK && arena->chunk_size < header + size + slack) {
        arena->chunk_size *= 2;
    }
    Chunk *chunk = add_chunk(arena, arena->chunk_size - header, false);
    if (!chunk) return NULL;
    if (arena->chunk_size < LAST_CHUNK) arena->chunk_size *= 2;
    arena->next = (char *)chunk + header;
    arena->end = (char *)chunk + chunk->size;
    return try_alloc(arena, size, alignment); // fits now: one level deep
}

void *arena_alloc_aligned(Arena *arena, size_t size, size_t alignment) {
    if (alignment < ALIGNMENT) alignment = ALIGNMENT;
    void *memory = try_alloc(arena, size, alignment);
    if (!memory) arena_out_of_memory(arena);
    return memory;
}

void *arena_alloc(Arena *arena, size_t size) { return arena_alloc_aligned(arena, size, ALIGNMENT); }

void *arena_alloc_array(Arena *arena, int64_t count, size_t size) {
    size_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes)) {
        arena_out_of_memory(arena);
    }
    return arena_alloc(arena, bytes);
}

// The chunk that holds nothing but this memory; NULL when it lies among others.
static Chunk *own_chunk(void *memory, size_t size) {
    if (!memory || size <= OWN_CHUNK) return NULL;
    return (Chunk *)(void *)((char *)memory - round_up(sizeof(Chunk), ALIGNMENT));
}

void arena_give_back(Arena *arena, void *memory, size_t size) {
    Chunk *chunk = own_chunk(memory, size);
    if (!chunk) return;
    unlink_chunk(arena, chunk);
    arena->allocator.release(arena->allocator.user, chunk);
}

void *arena_regrow(Arena *arena, void *old, size_t old_size, size_t size) {
    Chunk *chunk = own_chunk(old, old_size);
    size_t header = round_up(sizeof(Chunk), ALIGNMENT);
    if (chunk && size > old_size && arena->allocator.allocate == malloc_allocate) {
        if (size > SIZE_MAX / 2) arena_out_of_memory(arena);
        unlink_chunk(arena, chunk);
        Chunk *moved = realloc(chunk, header + size);
        if (!moved) {
            link_chunk(arena, chunk, chunk->size);
            arena_out_of_memory(arena);
        }
        link_chunk(arena, moved, header + size);
        return (char *)moved + header;
    }
    void *memory = arena_alloc(arena, size);
    if (old_size) memcpy(memory, old, old_size < size ? old_size : size);
    arena_give_back(arena, old, old_size);
    return memory;
}

void *arena_copy(Arena *arena, const void *data, size_t size) {
    void *copy = arena_alloc(arena, size);
    if (size) memcpy(copy, data, size);
    return copy;
}

char *arena_cstring(Arena *arena, StrView text) {
    if (text.size == SIZE_MAX) arena_out_of_memory(arena);
    char *copy = arena_alloc(arena, text.size + 1);
    if (text.size) memcpy(copy, text.data, text.size);
    return copy;
}

StrView arena_strview(Arena *arena, StrView text) {
    return (StrView){arena_cstring(arena, text), text.size};
}

char *arena_printf(Arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = size < 0 ? NULL : try_alloc(arena, (size_t)size + 1, ALIGNMENT);
    if (text) (void)vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    if (!text) arena_out_of_memory(arena);
    return text;
}

void arena_defer(Arena *arena, void (*function)(void *), void *argument) {
    Deferred *deferred = try_alloc(arena, sizeof *deferred, ALIGNMENT);
    if (!deferred) { // the argument is the arena's from here on, also when this fails
        function(argument);
        arena_out_of_memory(arena);
    }
    *deferred = (Deferred){function, argument, arena->deferred};
    arena->deferred = deferred;
}

size_t arena_bytes(const Arena *arena) { return arena->bytes; }

// ---- pages of large arrays

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

static bool is_large(size_t bytes) { return bytes >= 2 * (size_t)HUGE_PAGE; }

size_t pages_alignment(size_t bytes) { return is_large(bytes) ? HUGE_PAGE : LINE; }

void pages_prepare(void *data, size_t bytes) {
    if (is_large(bytes)) (void)madvise(data, bytes, MADV_HUGEPAGE);
}

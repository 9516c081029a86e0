// Arena: memory that is freed all at once, with deferred clean-up calls for what is not memory.
//
// arena_alloc never returns NULL: running out of memory jumps to the arena's guard
// (ArenaGuard), which the API boundary sets; nothing else in the tree uses setjmp. An arena
// belongs to one thread at a time.
#ifndef SHARDC_BASE_ARENA_H
#define SHARDC_BASE_ARENA_H

#include "base/strview.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

// Where memory comes from; both functions may be NULL for malloc and free.
typedef struct Allocator {
    void *(*allocate)(void *user, size_t size); // NULL when there is no memory
    void (*release)(void *user, void *memory);
    void *user;
} Allocator;

// The place that an arena jumps to when memory runs out: if (setjmp(guard.jump)) { out of memory }.
typedef struct ArenaGuard {
    jmp_buf jump;
} ArenaGuard;

typedef struct Arena Arena;

// For functions that jump instead of returning NULL.
#define ARENA_NEVER_NULL __attribute__((returns_nonnull))

// NULL when there is no memory. allocator: copied, NULL for malloc. guard: borrowed, may be NULL
// (then running out of memory aborts); the arenas that one API call makes share its guard.
Arena *arena_create(const Allocator *allocator, ArenaGuard *guard);
// An arena with the same allocator and guard that can be reset on its own and is freed
// when `parent` is freed or reset.
Arena *arena_child(Arena *parent);
void arena_set_guard(Arena *arena, ArenaGuard *guard);
void arena_free(Arena *arena);  // runs the deferred calls, last first; NULL is fine
void arena_reset(Arena *arena); // as free and create again
ARENA_NEVER_NULL void *arena_alloc(Arena *arena, size_t size); // zeroed, 16-byte aligned
// zeroed; overflow counts as out of memory
ARENA_NEVER_NULL void *arena_alloc_array(Arena *arena, int64_t count, size_t size);
ARENA_NEVER_NULL void *arena_alloc_aligned(Arena *arena, size_t size, size_t alignment); // zeroed
// Memory that grew: `size` bytes that begin with the first `old_size` of `old` (NULL, 0: none); the
// rest is not zeroed. What was there before goes back to the allocator where it was large, so that
// an array that doubles holds its memory once.
ARENA_NEVER_NULL void *arena_regrow(Arena *arena, void *old, size_t old_size, size_t size);
// Takes memory of arena_alloc or arena_regrow back, of this size, if it is large
// enough to be a chunk of its own.
void arena_give_back(Arena *arena, void *memory, size_t size);
ARENA_NEVER_NULL void *arena_copy(Arena *arena, const void *data, size_t size);
StrView arena_strview(Arena *arena, StrView text); // a copy
char *arena_cstring(Arena *arena, StrView text);   // a copy with a NUL
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_defer(Arena *arena, void (*function)(void *), void *argument);
size_t arena_bytes(const Arena *arena);           // taken from the allocator
_Noreturn void arena_out_of_memory(Arena *arena); // jumps to the guard

#define ARENA_NEW(arena, Type)          ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_alloc_array((arena), (count), sizeof(Type)))

// Pages of large arrays. Huge ones need fewer translations of addresses, and CPUs fetch ahead
// within a page only, so that memory is read faster in them. `pages_alignment`: where an array of
// that many bytes should begin, at a line of the cache or at a huge page; `pages_prepare` asks for
// huge pages, where the system has them, for an array that begins so and was not touched yet.
size_t pages_alignment(size_t bytes);
void pages_prepare(void *data, size_t bytes);

#endif

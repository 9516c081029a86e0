// VEC(T): growing.
#include "base/vec.h"

void *vec_grow_(Arena *arena, void *data, int64_t *capacity, size_t element_size) {
    if (*capacity > INT64_MAX / 2) arena_out_of_memory(arena);
    int64_t grown = *capacity ? *capacity * 2 : 8;
    size_t size = 0;
    if (__builtin_mul_overflow((size_t)grown, element_size, &size)) arena_out_of_memory(arena);
    void *moved = arena_regrow(arena, data, (size_t)*capacity * element_size, size);
    *capacity = grown;
    return moved;
}

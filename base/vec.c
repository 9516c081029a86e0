// VEC(T): growing.
#include "base/vec.h"

void *vec_grow_(Arena *arena, void *data, int64_t count, int64_t *capacity, size_t element_size) {
    if (*capacity > INT64_MAX / 2) arena_out_of_memory(arena);
    int64_t grown = *capacity ? *capacity * 2 : 8;
    void *copy = arena_alloc_array(arena, grown, element_size);
    if (count) memcpy(copy, data, (size_t)count * element_size);
    *capacity = grown;
    return copy;
}

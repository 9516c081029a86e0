// VEC(T): a growing array in an arena. Fields: data, count, capacity (all borrowed from the arena).
//
//     VEC(int64_t) sizes = {0};
//     vec_push(arena, &sizes, 4);
#ifndef SHARDC_BASE_VEC_H
#define SHARDC_BASE_VEC_H

#include "base/arena.h"

#define VEC(T)                   \
    struct {                     \
        T *data;                 \
        int64_t count, capacity; \
    }

// Makes room for one more element; called through vec_push.
ARENA_NEVER_NULL void *vec_grow_(Arena *arena, void *data, int64_t *capacity, size_t element_size);

#define vec_push(arena, vec, value)                                                                     \
    ((vec)->count == (vec)->capacity                                                                    \
         ? (void)((vec)->data = vec_grow_((arena), (vec)->data, &(vec)->capacity, sizeof *(vec)->data)) \
         : (void)0,                                                                                     \
     (vec)->data[(vec)->count++] = (value))

#define vec_last(vec) ((vec)->data[(vec)->count - 1])

#endif

// PtrMap: pointers (or any 64-bit keys) to pointers, open addressing, in an arena. Iteration is not
// offered: nothing may depend on hash order.
#ifndef SHARDC_BASE_MAP_H
#define SHARDC_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct PtrMap {
    Arena *arena; // borrowed
    struct PtrMapSlot *slots;
    int64_t count, capacity;
} PtrMap;

PtrMap ptr_map(Arena *arena);                                // empty; allocates nothing
void *ptr_map_get(const PtrMap *map, const void *key);       // NULL when absent
void ptr_map_set(PtrMap *map, const void *key, void *value); // replaces; key may not be NULL
bool ptr_map_has(const PtrMap *map, const void *key);

// The same with text keys; the key's bytes are borrowed and must outlive the map.
typedef struct StrMap {
    Arena *arena;
    struct StrMapSlot *slots;
    int64_t count, capacity;
} StrMap;

StrMap str_map(Arena *arena);
void *str_map_get(const StrMap *map, StrView key);
void str_map_set(StrMap *map, StrView key, void *value);

#endif

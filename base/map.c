// PtrMap and StrMap: open addressing with linear probing, at most 3/4 full, a power of two of
// slots.
#include "base/map.h"

#include <assert.h>

enum { FIRST_CAPACITY = 16 };

typedef struct PtrMapSlot {
    const void *key; // NULL = free
    void *value;
} PtrMapSlot;

typedef struct StrMapSlot {
    StrView key;
    uint64_t hash;
    void *value;
    bool used;
} StrMapSlot;

static bool is_full(int64_t count, int64_t capacity) { return count >= capacity - capacity / 4; }

static uint64_t hash_pointer(const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key;
    hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15U; // Fibonacci hashing
    return hash ^ (hash >> 29);
}

PtrMap ptr_map(Arena *arena) { return (PtrMap){.arena = arena}; }

// The slot of the key, or the free one where it belongs. The map has a free slot.
static PtrMapSlot *find_pointer(PtrMapSlot *slots, int64_t capacity, const void *key) {
    uint64_t mask = (uint64_t)capacity - 1;
    for (uint64_t i = hash_pointer(key) & mask;; i = (i + 1) & mask) {
        if (!slots[i].key || slots[i].key == key) return &slots[i];
    }
}

void *ptr_map_get(const PtrMap *map, const void *key) {
    if (map->count == 0 || !key) return NULL;
    return find_pointer(map->slots, map->capacity, key)->value;
}

bool ptr_map_has(const PtrMap *map, const void *key) {
    return map->count && key && find_pointer(map->slots, map->capacity, key)->key;
}

void ptr_map_set(PtrMap *map, const void *key, void *value) {
    assert(key);
    if (is_full(map->count, map->capacity)) {
        int64_t grown = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
        PtrMapSlot *slots = ARENA_ARRAY(map->arena, PtrMapSlot, grown);
        for (int64_t i = 0; i < map->capacity; i++) {
            if (map->slots[i].key) *find_pointer(slots, grown, map->slots[i].key) = map->slots[i];
        }
        arena_give_back(map->arena, map->slots, (size_t)map->capacity * sizeof *slots);
        map->slots = slots;
        map->capacity = grown;
    }
    PtrMapSlot *slot = find_pointer(map->slots, map->capacity, key);
    if (!slot->key) map->count++;
    *slot = (PtrMapSlot){key, value};
}

StrMap str_map(Arena *arena) { return (StrMap){.arena = arena}; }

static StrMapSlot *find_text(StrMapSlot *slots, int64_t capacity, StrView key, uint64_t hash) {
    uint64_t mask = (uint64_t)capacity - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        if (!slots[i].used) return &slots[i];
        if (slots[i].hash == hash && strview_equal(slots[i].key, key)) return &slots[i];
    }
}

void *str_map_get(const StrMap *map, StrView key) {
    if (map->count == 0) return NULL;
    return find_text(map->slots, map->capacity, key, hash_bytes(key.data, key.size, 0))->value;
}

void str_map_set(StrMap *map, StrView key, void *value) {
    if (is_full(map->count, map->capacity)) {
        int64_t grown = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
        StrMapSlot *slots = ARENA_ARRAY(map->arena, StrMapSlot, grown);
        for (int64_t i = 0; i < map->capacity; i++) {
            const StrMapSlot *old = &map->slots[i];
            if (old->used) *find_text(slots, grown, old->key, old->hash) = *old;
        }
        arena_give_back(map->arena, map->slots, (size_t)map->capacity * sizeof *slots);
        map->slots = slots;
        map->capacity = grown;
    }
    uint64_t hash = hash_bytes(key.data, key.size, 0);
    StrMapSlot *slot = find_text(map->slots, map->capacity, key, hash);
    if (slot->used) {
        slot->value = value;
        return;
    }
    map->count++;
    *slot = (StrMapSlot){key, hash, value, true};
}

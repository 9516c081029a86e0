// Interner: a set of byte strings, open addressing with linear probing, at most 3/4 full.
#include "base/intern.h"

typedef struct Entry {
    const void *bytes; // NULL = free
    size_t size;
    uint64_t hash;
} Entry;

struct Interner {
    Arena *arena; // borrowed
    Entry *entries;
    uint64_t count, capacity; // capacity: a power of two
};

Interner *interner_create(Arena *arena) {
    Interner *interner = ARENA_NEW(arena, Interner);
    interner->arena = arena;
    interner->capacity = 256;
    interner->entries = ARENA_ARRAY(arena, Entry, (int64_t)interner->capacity);
    return interner;
}

static void grow(Interner *interner) {
    uint64_t capacity = interner->capacity * 2;
    Entry *entries = ARENA_ARRAY(interner->arena, Entry, (int64_t)capacity);
    for (uint64_t i = 0; i < interner->capacity; i++) {
        if (!interner->entries[i].bytes) continue;
        uint64_t slot = interner->entries[i].hash & (capacity - 1);
        while (entries[slot].bytes)
            slot = (slot + 1) & (capacity - 1);
        entries[slot] = interner->entries[i];
    }
    arena_give_back(
        interner->arena, interner->entries, (size_t)interner->capacity * sizeof *entries);
    interner->entries = entries;
    interner->capacity = capacity;
}

const void *intern_bytes(Interner *interner, const void *data, size_t size) {
    if (interner->count >= interner->capacity - interner->capacity / 4) grow(interner);
    uint64_t hash = hash_bytes(data, size, 0);
    uint64_t slot = hash & (interner->capacity - 1);
    for (Entry *entry = &interner->entries[slot]; entry->bytes; entry = &interner->entries[slot]) {
        if (entry->hash == hash && entry->size == size &&
            (size == 0 || memcmp(entry->bytes, data, size) == 0)) {
            return entry->bytes;
        }
        slot = (slot + 1) & (interner->capacity - 1);
    }
    const char *copy = arena_cstring(interner->arena, (StrView){data, size});
    interner->entries[slot] = (Entry){copy, size, hash};
    interner->count++;
    return copy;
}

StrView intern(Interner *interner, StrView text) {
    return (StrView){intern_bytes(interner, text.data, text.size), text.size};
}

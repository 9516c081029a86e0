// Context: the arena and the interner that types, attributes, meshes and shardings of one or more
// modules share. Not thread-safe: one thread at a time.
#ifndef SHARDC_IR_CONTEXT_H
#define SHARDC_IR_CONTEXT_H

#include "base/intern.h"
#include "base/strbuf.h"

typedef enum KeyKind {
    KEY_TYPE,
    KEY_ATTR,
    KEY_MESH,
    KEY_SHARDING,
    KEY_RULE,
    KEY_KIND_COUNT
} KeyKind;

// The interned objects of one kind: open addressing, at most 3/4 full.
typedef struct ObjectTable {
    struct ObjectSlot *slots;
    uint64_t count, capacity; // capacity: 0 or a power of two
} ObjectTable;

typedef struct Context {
    Arena *arena;                        // immutable, interned things live here
    Interner *interner;                  // names
    ObjectTable objects[KEY_KIND_COUNT]; // private to context_find and context_add
    StrBuf key, other; // the key being written, and one that it is compared with; private too
} Context;

// Lives in the arena (borrowed, must outlive the context).
Context *context_create(Arena *arena);
StrView context_name(Context *context, StrView text); // interned text
StrView context_name_printf(Context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Structural uniquing, for the files that intern (type.c, attr.c, mesh.c, sharding.c). A
// function writes an object's fields one after the other into a key of bytes; objects
// with equal keys are one. Keys are not kept: the table holds hashes and objects, whose
// keys are written again to compare.
//
//     uint64_t hash;
//     const Mesh *found = context_find(context, KEY_MESH, write_mesh_key, prototype, &hash);
//     if (found) return found;
//     ... make the object ...
//     context_add(context, KEY_MESH, hash, mesh);
typedef void KeyWriter(Context *context, const void *object);

// The interned object that is equal to the prototype; NULL when there is none,
// then *hash is for context_add.
const void *context_find(
    Context *context, KeyKind kind, KeyWriter *write, const void *prototype, uint64_t *hash);
void context_add(Context *context, KeyKind kind, uint64_t hash, const void *object);

// What a KeyWriter writes.
void context_key_int(Context *context, int64_t number);
void context_key_double(Context *context, double number);        // by its bits
void context_key_pointer(Context *context, const void *pointer); // of something interned
void context_key_bytes(Context *context, const void *data, size_t size);

#endif

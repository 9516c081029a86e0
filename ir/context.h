// Context: the arena and the interner that types, attributes, meshes and shardings of one or more modules share.
// Not thread-safe: one thread at a time.
#ifndef SHARDC_IR_CONTEXT_H
#define SHARDC_IR_CONTEXT_H

#include "base/intern.h"
#include "base/map.h"
#include "base/strbuf.h"

typedef struct Context {
    Arena *arena;       // immutable, interned things live here
    Interner *interner; // names, types, attributes
    PtrMap objects;     // interned key -> the object; private to the context_key functions
    StrBuf key;         // the key being written; private too
} Context;

// Lives in the arena (borrowed, must outlive the context).
Context *context_create(Arena *arena);
StrView context_name(Context *context, StrView text); // interned text
StrView context_name_printf(Context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Structural uniquing, for the files that intern (type.c, attr.c, mesh.c, sharding.c). An object's fields are written one after the
// other into a key of bytes; equal keys are one object. One key at a time.
//
//     context_key_begin(context, KEY_MESH);
//     context_key_int(context, mesh->axis_count);
//     const void *key;
//     const Mesh *found = context_key_find(context, &key);
//     if (found) return found;
//     ... make the object ...
//     context_key_bind(context, key, object);
typedef enum KeyKind { KEY_TYPE = 1, KEY_ATTR, KEY_MESH, KEY_SHARDING, KEY_RULE } KeyKind;

void context_key_begin(Context *context, KeyKind kind);
void context_key_int(Context *context, int64_t number);
void context_key_double(Context *context, double number);        // by its bits
void context_key_pointer(Context *context, const void *pointer); // of something interned
void context_key_bytes(Context *context, const void *data, size_t size);
const void *context_key_find(Context *context, const void **key); // NULL when it is new
void context_key_bind(Context *context, const void *key, void *object);

#endif

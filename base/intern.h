// Interner: equal byte strings become one pointer. Used for names and for structural
// uniquing of types and attributes.
#ifndef SHARDC_BASE_INTERN_H
#define SHARDC_BASE_INTERN_H

#include "base/arena.h"

typedef struct Interner Interner;

Interner *interner_create(Arena *arena); // lives in the arena
// The one copy of these bytes, NUL-terminated, 16-byte aligned; equal bytes give the same pointer.
const void *intern_bytes(Interner *interner, const void *data, size_t size);
// two interned texts are equal when their data pointers are
StrView intern(Interner *interner, StrView text);

#endif

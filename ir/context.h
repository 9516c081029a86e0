// Context: the arena and the interner that types, attributes, meshes and shardings of one or more modules share.
// Not thread-safe: one thread at a time.
#ifndef SHARDC_IR_CONTEXT_H
#define SHARDC_IR_CONTEXT_H

#include "base/intern.h"

typedef struct Context {
    Arena *arena;       // immutable, interned things live here
    Interner *interner; // names, types, attributes
} Context;

// Lives in the arena (borrowed, must outlive the context).
Context *context_create(Arena *arena);
StrView context_name(Context *context, StrView text);              // interned text
StrView context_name_printf(Context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

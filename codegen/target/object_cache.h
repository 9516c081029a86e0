// Compiled objects in a folder, by what they were made of: a module that was
// compiled before is read instead.
//
// The folder may be used by many processes at a time: an entry appears whole, under its name, or
// not at all. An entry that is damaged, cannot be read or cannot be written is as good as none; so
// is a folder that others may write to. Nothing here ever fails a compilation.
#ifndef SHARDC_CODEGEN_OBJECT_CACHE_H
#define SHARDC_CODEGEN_OBJECT_CACHE_H

#include "base/arena.h"
#include "base/strbuf.h"

typedef struct ObjectCache ObjectCache;

enum { MOST_CACHE_BYTES = 512 << 20 };

// NULL without a folder (NULL or ""). The folder is made if it is not there.
ObjectCache *object_cache_open(Arena *arena, const char *folder);

// The key is all that the object depends on. Both by any thread. The object is in the arena.
bool object_cache_find(ObjectCache *cache, Arena *arena, StrView key, StrView *object);
void object_cache_store(ObjectCache *cache, StrView key, StrView object);

// Removes what was not used for longest until the folder has at most 3/4 of `most_bytes`, if it has
// more, and what interrupted processes left. Does nothing if nothing was stored.
void object_cache_trim(ObjectCache *cache, Arena *scratch, int64_t most_bytes);
void object_cache_print(const ObjectCache *cache, StrBuf *out); // what it was good for, in a line

#endif

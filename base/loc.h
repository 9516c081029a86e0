// Source locations: where an op or value comes from.
#ifndef SHARDC_BASE_LOC_H
#define SHARDC_BASE_LOC_H

#include "base/intern.h"

#include <stdbool.h>

// The texts of a location. Immutable; locations that say the same share one.
typedef struct LocTexts {
    StrView file;       // the program text that was read; empty if it was built in memory
    StrView name;       // loc("name"): the model's own name for the op ("jit(step)/dot_general")
    StrView value_name; // of an argument: "bias" of %bias in the text, or empty
    StrView model_file; // loc("model.py":3:4): where the model's author wrote it, or empty
    int32_t model_line, model_column;
} LocTexts;

// Immutable once it is read; lives in the context's or module's arena. Its
// address says nothing: see `origin`.
typedef struct Loc {
    const LocTexts *texts; // NULL = none; use loc_texts
    int32_t line, column;  // in the file, from 1; 0 = unknown
    uint32_t offset;       // in a binary file: the byte; 0 = unknown
    // explain: the op or argument of the source program it stands for, from 1; 0 = none
    int32_t origin;
    int32_t cause; // explain: why the op was inserted, from 1 in the provenance; 0 = it was not
} Loc;

const LocTexts *loc_texts(const Loc *loc); // never NULL; of NULL the empty ones
static inline StrView loc_file(const Loc *loc) { return loc_texts(loc)->file; }
// The one copy of equal texts.
const LocTexts *loc_texts_intern(Interner *interner, const LocTexts *texts);
// The texts of a file's locations that say no more, in the arena; the name is borrowed.
const LocTexts *loc_texts_of_file(Arena *arena, StrView file);
// Adds what `texts` does not say yet: a name, a place in the model.
void loc_texts_add(LocTexts *texts, const LocTexts *part);
// Do both stand for the same op of the source, inserted for the same cause?
bool loc_same_origin(const Loc *a, const Loc *b);

#endif

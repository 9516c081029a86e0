// Source locations: see loc.h.
#include "base/loc.h"

#include <assert.h>

const LocTexts *loc_texts(const Loc *loc) {
    static const LocTexts none;
    return loc && loc->texts ? loc->texts : &none;
}

const LocTexts *loc_texts_intern(Interner *interner, const LocTexts *texts) {
    // Without padding, and with interned texts: equal bytes are equal texts.
    static_assert(
        sizeof(LocTexts) == 4 * sizeof(StrView) + 2 * sizeof(int32_t), "LocTexts is hashed whole");
    const LocTexts interned = {
        .file = intern(interner, texts->file),
        .name = intern(interner, texts->name),
        .value_name = intern(interner, texts->value_name),
        .model_file = intern(interner, texts->model_file),
        .model_line = texts->model_line,
        .model_column = texts->model_column};
    return intern_bytes(interner, &interned, sizeof interned);
}

const LocTexts *loc_texts_of_file(Arena *arena, StrView file) {
    LocTexts *texts = ARENA_NEW(arena, LocTexts);
    texts->file = file;
    return texts;
}

void loc_texts_add(LocTexts *texts, const LocTexts *part) {
    if (texts->name.size == 0) texts->name = part->name;
    if (texts->model_file.size == 0) {
        texts->model_file = part->model_file;
        texts->model_line = part->model_line;
        texts->model_column = part->model_column;
    }
}

bool loc_same_origin(const Loc *a, const Loc *b) {
    if (a == b) return true;
    return a && b && a->origin && a->origin == b->origin && a->cause == b->cause;
}

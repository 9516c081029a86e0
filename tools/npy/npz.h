// .npz files: zip archives of .npy files, stored or deflated.
#ifndef SHARDC_TOOLS_NPZ_H
#define SHARDC_TOOLS_NPZ_H

#include "base/arena.h"

typedef struct NpzEntry {
    StrView name;   // without ".npy"
    StrView packed; // in the archive
    size_t size;    // unpacked
    uint32_t checksum;
    int method; // 0 stored, 8 deflated
} NpzEntry;

bool npz_is_archive(StrView file);

// The archive's entries; NULL, or what is wrong with it. All borrow from the file.
const char *npz_entries(Arena *arena, StrView file, NpzEntry **entries, int *count);

// An entry's bytes, unpacked in the arena where they are deflated; NULL, or what is wrong.
const char *npz_extract(Arena *arena, const NpzEntry *entry, StrView *contents);

#endif

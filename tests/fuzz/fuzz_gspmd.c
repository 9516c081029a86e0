// Any text as one of GSPMD's shardings: no crash; what is accepted makes a mesh or does not, and
// is read again as it is written.
#include "frontend/gspmd/notations.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Written, read, and written again the same.
static void check_text(Arena *arena, const GspmdSharding *sharding) {
    StrView first = gspmd_text(arena, sharding);
    GspmdSharding again;
    const char *problem = NULL;
    bool ok = gspmd_parse(arena, first, &again, &problem);
    if (ok && strview_equal(gspmd_text(arena, &again), first)) return;
    fprintf(stderr, "%.*s: %s\n", SV_ARG(first), ok ? "is another one" : problem);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096) return 0;
    Arena *arena = arena_create(NULL, NULL);
    GspmdSharding sharding;
    const char *problem = NULL;
    StrView text = {(const char *)data, size};
    if (gspmd_parse(arena, text, &sharding, &problem)) check_text(arena, &sharding);
    const int64_t dims[] = {8, 6};
    NotationQuery query = {.text = text, .rank = size % 3 ? -1 : 2, .dims = size % 3 ? NULL : dims};
    Context *context = context_create(arena);
    Diags *diags = diags_create(arena);
    if (size % 2) query.mesh = read_mesh_text(context, arena, SV("x=2,y=4"), diags);
    int count;
    (void)sharding_notations(context, arena, &query, &count, diags);
    arena_free(arena);
    return 0;
}

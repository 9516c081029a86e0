// Any text as one of GSPMD's shardings: no crash, and what is accepted makes a mesh or does not.
#include "frontend/import/gspmd.h"

#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096) return 0;
    Arena *arena = arena_create(NULL, NULL);
    GspmdSharding sharding;
    GspmdMesh mesh = {.arena = arena};
    const char *problem = NULL;
    StrView text = {(const char *)data, size};
    Context *context = context_create(arena);
    if (gspmd_parse(arena, text, &sharding, &problem) && gspmd_mesh_add(&mesh, &sharding) &&
        mesh.device_count > 0 && gspmd_mesh_make(&mesh, context) && sharding.kind != GSPMD_TUPLE)
        gspmd_to_sharding(&mesh, context, SV("mesh"), &sharding, sharding.dim_count, 0);
    arena_free(arena);
    return 0;
}

// read_gspmd: GSPMD's shardings, as text or as the bytes of a protobuf.
#include "frontend/gspmd/gspmd_reader.h"

bool gspmd_parse(Arena *arena, StrView text, GspmdSharding *sharding, const char **problem) {
    GspmdReader reader = {arena, text.data, text.data + text.size, NULL};
    // no serialized OpSharding is also text: a '{' begins a group that never ends
    if (!gspmd_looks_at(&reader, SV("{"))) return gspmd_decode(arena, text, sharding, problem);
    return gspmd_parse_text(arena, text, sharding, problem);
}

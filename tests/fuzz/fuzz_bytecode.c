// Fuzz target: the reader of MLIR bytecode. What it accepts must print, read back as text and print the same; nothing may crash, hang or
// grow without limit.
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4 || memcmp(data, "ML\xefR", 4) != 0) return 0;
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) {
        StrView bytes = {(const char *)data, size};
        const Module *module = read_program(arena, bytes, true);
        if (module) check_round_trip(arena, module, true);
        if (module) (void)read_program(arena, bytes, false);
    }
    arena_free(arena);
    return 0;
}

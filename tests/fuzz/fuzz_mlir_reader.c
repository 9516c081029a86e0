// Fuzz target: the reader of MLIR text. What it accepts must print, read back and print the same;
// nothing may crash, hang or grow without limit.
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) {
        const Module *module = read_program(arena, (StrView){(const char *)data, size}, false);
        if (module) check_round_trip(arena, module, false);
    }
    arena_free(arena);
    return 0;
}

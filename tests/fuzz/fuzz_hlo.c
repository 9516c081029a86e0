// Fuzz target: the reader of HLO text. What it accepts must print, read back as MLIR and print the
// same; nothing may crash, hang or grow without limit.
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    // Half of the inputs keep the annotations, which are printed then.
    bool is_raw = size % 2 == 1;
    if (setjmp(guard.jump) == 0) {
        const Module *module = read_program(arena, (StrView){(const char *)data, size}, is_raw);
        if (module) check_round_trip(arena, module, is_raw);
    }
    arena_free(arena);
    return 0;
}

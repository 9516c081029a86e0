// Fuzz target: the reader of MLIR text. What it accepts must print, read back and print the same; nothing may crash, hang or grow
// without limit.
#include "frontend/frontend.h"
#include "ir/print.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Module *read_text(Arena *arena, StrView text) {
    ReadOptions options = {.file = SV("fuzz.mlir"), .allow_unregistered = true};
    return frontend_read(context_create(arena), arena, text, &options, diags_create(arena));
}

static StrView printed(Arena *arena, const Module *module, bool generic) {
    PrintOptions options = {.generic = generic};
    StrBuf out = strbuf(arena);
    print_module(&out, module, &options);
    return strbuf_view(&out);
}

// The printed forms of what was read twice, which must be equal.
static void check_round_trip(Arena *arena, const Module *module) {
    for (int generic = 0; generic < 2; generic++) {
        StrView first = printed(arena, module, generic);
        const Module *again = read_text(arena, first);
        if (!again) continue; // the verifier may know more than the printer's pretty form says
        StrView second = printed(arena, again, generic);
        if (strview_equal(first, second)) continue;
        fprintf(
            stderr, "printing is not stable:\n%.*s\n---\n%.*s\n", SV_ARG(first), SV_ARG(second));
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) {
        const Module *module = read_text(arena, (StrView){(const char *)data, size});
        if (module) check_round_trip(arena, module);
    }
    arena_free(arena);
    return 0;
}

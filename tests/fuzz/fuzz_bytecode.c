// Fuzz target: the reader and the writer of MLIR bytecode, alone and in the files of
// jax.export. What is accepted must print, read back as text and print the same; the
// artifact that is written of it must be read as a module with the same artifact. Nothing
// may crash, hang or grow without limit.
#include "frontend/bytecode/bytecode.h"
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool write_newest(Arena *arena, const Module *module, StrBuf *out) {
    int target = 0;
    return bytecode_target(SV("current"), &target) &&
           write_bytecode(module, arena, target, out, diags_create(arena));
}

static void check_artifact(Arena *arena, const Module *module) {
    StrBuf first = strbuf(arena);
    StrBuf second = strbuf(arena);
    if (!write_newest(arena, module, &first)) return;
    const Module *again = read_program(arena, strbuf_view(&first), true);
    if (again && write_newest(arena, again, &second) &&
        strview_equal(strbuf_view(&first), strbuf_view(&second)))
        return;
    fprintf(stderr, "the artifact is %s\n", again ? "another one when written again" : "refused");
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bool is_bytecode = size >= 4 && memcmp(data, "ML\xefR", 4) == 0;
    bool is_export = size >= 4 && data[2] == 0 && data[3] == 0; // a flatbuffer's root is not far
    if (!is_bytecode && !is_export) return 0;
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) {
        StrView bytes = {(const char *)data, size};
        const Module *module = read_program(arena, bytes, true);
        if (module) check_round_trip(arena, module, true);
        if (module) check_artifact(arena, module);
        if (module) (void)read_program(arena, bytes, false);
    }
    arena_free(arena);
    return 0;
}

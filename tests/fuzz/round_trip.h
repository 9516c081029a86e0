// What several fuzz targets do with a program that was read: print it, read
// that, and print the same again.
#ifndef SHARDC_TESTS_ROUND_TRIP_H
#define SHARDC_TESTS_ROUND_TRIP_H

#include "frontend/frontend.h"
#include "ir/print/print.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// is_raw: annotations of shardings stay as they are.
static inline Module *read_program(Arena *arena, StrView text, bool is_raw) {
    ReadOptions options = {
        .file = SV("fuzz.mlir"), .allow_unregistered = true, .keep_annotations = is_raw};
    return frontend_read(context_create(arena), arena, text, &options, diags_create(arena));
}

static inline StrView printed(Arena *arena, const Module *module, bool generic) {
    PrintOptions options = {.generic = generic};
    StrBuf out = strbuf(arena);
    print_module(&out, module, &options);
    return strbuf_view(&out);
}

// The printed forms of what was read twice, which must be equal.
static inline void check_round_trip(Arena *arena, const Module *module, bool is_raw) {
    for (int generic = 0; generic < 2; generic++) {
        StrView first = printed(arena, module, generic);
        const Module *again = read_program(arena, first, is_raw);
        if (!again) continue; // the verifier may know more than the printer's pretty form says
        StrView second = printed(arena, again, generic);
        if (strview_equal(first, second)) continue;
        fprintf(
            stderr, "printing is not stable:\n%.*s\n---\n%.*s\n", SV_ARG(first), SV_ARG(second));
        abort();
    }
}

#endif

// Fuzz target: passes. An input that begins with a line `// RUN: --PASS[=OPTIONS]...`, as the
// golden tests do, goes through these passes; any other one through the whole of partition_module.
// Nothing may crash, hang or grow without limit; a pass must leave a module that the verifier
// accepts and must say whether it changed it (builds with SHARDC_CHECK_PASSES); what comes out must
// print, read back and print the same.
//
// With $FUZZ_COUNTS set, the end of the program says on stderr how many inputs got how far.
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/print/print.h"
#include "partition/partition.h"
#include "tests/fuzz/choose_entry.h"
#include "tools/opt/opt_passes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct { long tried, read, passes, done, wrong; } counts;

// With $FUZZ_STRICT a single pass may not make a wrong module either.
static bool is_strict(void) {
    return getenv("FUZZ_STRICT") != NULL; // NOLINT(concurrency-mt-unsafe): one thread
}

static void print_counts(void) {
    fprintf(
        stderr,
        "%ld inputs: %ld read, %ld passes run, %ld through all of their passes, %ld refused after "
        "a pass\n",
        counts.tried, counts.read, counts.passes, counts.done, counts.wrong);
}

static void print_diags(const Diags *diags) {
    StrBuf out = strbuf(diags->arena);
    for (const Diag *diag = diags->first; diag; diag = diag->next)
        diag_print(&out, diags, diag);
    fprintf(stderr, "%s\n", strbuf_cstring(&out));
}

// What the runner of the passes reports about a pass, which is no matter of the input. A single
// pass may well make a wrong module of one that it does not get in the pipeline, such as one with
// collectives: it is refused, which is counted.
static void check_diags(const Diags *diags, bool is_single) {
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        bool is_wrong = strview_starts_with(diag->message, SV("after pass '"));
        bool is_secret = strview_ends_with(diag->message, SV("does not say so"));
        counts.wrong += is_wrong;
        if (!is_secret && (!is_wrong || (is_single && !is_strict()))) continue;
        print_diags(diags);
        abort();
    }
}

static Module *read_program(
    Arena *arena, Context *context, StrView text, bool is_raw, Diags *diags) {
    ReadOptions options = {
        .file = SV("fuzz.mlir"), .allow_unregistered = is_raw, .keep_annotations = is_raw};
    return frontend_read(context, arena, text, &options, diags);
}

static StrView printed(Arena *arena, const Module *module, bool generic) {
    PrintOptions options = {.generic = generic};
    StrBuf out = strbuf(arena);
    print_module(&out, module, &options);
    return strbuf_view(&out);
}

static void check_round_trip(Arena *arena, const Module *module, bool generic) {
    StrView first = printed(arena, module, generic);
    Diags *diags = diags_create(arena);
    const Module *again = read_program(arena, context_create(arena), first, true, diags);
    StrView second = again ? printed(arena, again, generic) : SV("");
    if (strview_equal(first, second)) return;
    print_diags(diags);
    fprintf(
        stderr, "%s:\n%.*s\n---\n%.*s\n",
        again ? "printing is not stable" : "what is printed is refused", SV_ARG(first),
        SV_ARG(second));
    abort();
}

// The words of the line behind `// RUN:`; quotes keep blanks in a word. False when one of them is
// no pass.
static bool run_line(StrView line, Module **module, Diags *diags) {
    while (line.size > 0) {
        size_t size = 0;
        for (bool quoted = false; size < line.size && (quoted || line.data[size] != ' '); size++)
            quoted ^= line.data[size] == '\'' || line.data[size] == '"';
        StrView word = {line.data, size};
        size_t taken = size < line.size ? size + 1 : size;
        line.data += taken;
        line.size -= taken;
        if (!strview_starts_with(word, SV("-"))) continue; // a blank, or `not`
        size_t dashes = strview_starts_with(word, SV("--")) ? 2 : 1;
        word.data += dashes;
        word.size -= dashes;
        PassCall call;
        StrBuf problem = strbuf(diags->arena);
        if (!opt_pass_call(word, &call, &problem)) continue; // another option of shardc-opt
        counts.passes++;
        if (!opt_pass_run(&call, module, NULL, diags)) return false;
    }
    return true;
}

// Up to a line that begins with `// ----`.
static StrView first_section(StrView text) {
    for (size_t i = 0; i + 8 < text.size; i++) {
        if (memcmp(text.data + i, "\n// ----", 8) == 0) return (StrView){text.data, i + 1};
    }
    return text;
}

static void run_passes(Arena *arena, StrView text) {
    static const StrView mark = {"// RUN:", 7};
    bool is_single = strview_starts_with(text, mark);
    Diags *diags = diags_create(arena);
    text = first_section(text);
    Module *module = read_program(arena, context_create(arena), text, is_single, diags);
    if (!module) return;
    counts.read++;
    bool done;
    DeviceProgram program = {0};
    if (is_single) {
        const char *end = memchr(text.data, '\n', text.size);
        StrView line = {text.data + mark.size, end ? (size_t)(end - text.data) - mark.size : 0};
        done = run_line(line, &module, diags);
    } else {
        counts.passes++;
        PartitionOptions options = {.entry = choose_entry(module, text.size)};
        done = partition_module(module, &options, &program, diags);
        if (done) module = program.module;
    }
    check_diags(diags, is_single);
    if (!done) return;
    counts.done++;
    check_round_trip(arena, module, text.size % 2 == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    if (counts.tried++ == 0 && getenv("FUZZ_COUNTS")) atexit(print_counts);
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) run_passes(arena, (StrView){(const char *)data, size});
    arena_free(arena);
    return 0;
}

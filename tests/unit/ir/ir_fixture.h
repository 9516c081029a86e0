// Reads a program, runs passes over it and compares the printed result.
#ifndef SHARDC_TESTS_IR_FIXTURE_H
#define SHARDC_TESTS_IR_FIXTURE_H

#include "frontend/frontend.h"
#include "ir/pass/passes.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"
#include "tests/unit/cmocka_all.h"

typedef struct Fixture {
    Arena *arena;
    Context *context;
    Diags *diags;
} Fixture;

static inline int fixture_create(void **state) {
    Arena *arena = arena_create(NULL, NULL);
    Fixture *fixture = ARENA_NEW(arena, Fixture);
    fixture->arena = arena;
    fixture->context = context_create(arena);
    fixture->diags = diags_create(arena);
    *state = fixture;
    return 0;
}

static inline int fixture_free(void **state) {
    Fixture *fixture = *state;
    arena_free(fixture->arena);
    return 0;
}

// NULL after an error; the diagnostics are the fixture's.
static inline Module *fixture_read(Fixture *fixture, const char *text) {
    ReadOptions options = {.file = SV("test.mlir")};
    return frontend_read(fixture->context, fixture->arena, strview(text), &options, fixture->diags);
}

static inline const char *fixture_print(Fixture *fixture, const Module *module) {
    StrBuf text = strbuf(fixture->arena);
    print_module(&text, module, NULL);
    return strbuf_cstring(&text);
}

// What the passes make of the program, in order.
static inline const char *fixture_run(
    Fixture *fixture, const char *text, int count, const Pass *const *passes) {
    Module *module = fixture_read(fixture, text);
    assert_non_null(module);
    PassContext context = {
        .module = module, .scratch = arena_child(fixture->arena), .diags = fixture->diags};
    for (int i = 0; i < count; i++) {
        if (pass_run(passes[i], &context) == PASS_FAILED) return NULL;
        assert_true(verify_module(module, fixture->diags));
    }
    return fixture_print(fixture, module);
}

// Both programs print alike, the first one after the pass.
static inline void assert_pass_gives(
    Fixture *fixture, const Pass *pass, const char *before, const char *after) {
    const char *actual = fixture_run(fixture, before, 1, (const Pass *const[]){pass});
    assert_non_null(actual);
    Module *expected = fixture_read(fixture, after);
    assert_non_null(expected);
    assert_string_equal(actual, fixture_print(fixture, expected));
}

// The program is refused, and one of the messages contains this.
static inline void assert_refused(Fixture *fixture, const char *text, const char *message) {
    fixture->diags = diags_create(fixture->arena);
    Module *module = fixture_read(fixture, text);
    assert_true(!module || fixture->diags->error_count > 0);
    for (const Diag *diag = fixture->diags->first; diag; diag = diag->next) {
        if (strstr(arena_cstring(fixture->arena, diag->message), message)) return;
    }
    fail_msg("no diagnostic says '%s'", message);
}

#define FIXTURE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_create, fixture_free)

#endif

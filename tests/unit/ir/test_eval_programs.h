// Runs program text through the evaluator; the programs check their own results with check.* ops.
#ifndef SHARDC_TESTS_EVAL_PROGRAMS_H
#define SHARDC_TESTS_EVAL_PROGRAMS_H

#include "frontend/frontend.h"
#include "ir/eval/eval.h"
#include "ir/pass/passes.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

typedef struct Outcome {
    bool ok;
    EvalChecks checks;
    Diags *diags;
    const char *message; // of the first error; "" without one
} Outcome;

static int setup(void **state) {
    *state = arena_create(NULL, NULL);
    return *state == NULL;
}

static int teardown(void **state) {
    arena_free(*state);
    return 0;
}

// A test with an arena of its own, in *state.
#define arena_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

static inline Module *read_program(Arena *arena, const char *text, Diags *diags) {
    Module *module =
        frontend_read(context_create(arena), arena, strview(text), &(ReadOptions){0}, diags);
    if (!module) fail_msg("%.*s", SV_ARG(diags->first->message));
    PassContext pass = {.module = module, .scratch = arena_child(arena), .diags = diags};
    assert_int_not_equal(pass_run(&expand_lapack_pass, &pass), PASS_FAILED);
    return module;
}

// Runs @main, which has no arguments.
static inline Outcome run_with(Arena *arena, const char *text, const EvalOptions *options) {
    Outcome outcome = {.diags = diags_create(arena), .message = ""};
    Module *module = read_program(arena, text, outcome.diags);
    const Op *func = module_entry(module, SV(""));
    Tensor *results[16];
    outcome.ok =
        eval_function(arena, module, func, NULL, results, options, &outcome.checks, outcome.diags);
    if (outcome.diags->first) outcome.message = arena_cstring(arena, outcome.diags->first->message);
    return outcome;
}

// Runs @main; all of its `count` checks pass.
static inline void expect_checks(Arena *arena, const char *text, int64_t count) {
    Outcome outcome = run_with(arena, text, NULL);
    if (!outcome.ok) fail_msg("%s", outcome.message);
    if (outcome.checks.failed) fail_msg("%.*s", SV_ARG(outcome.checks.first_failure));
    assert_int_equal(outcome.checks.passed, count);
}

// Runs @main; it fails with a message that contains `part`.
static inline void expect_error(
    Arena *arena, const char *text, const EvalOptions *options, const char *part) {
    Outcome outcome = run_with(arena, text, options);
    assert_false(outcome.ok);
    if (!strstr(outcome.message, part)) fail_msg("'%s' is not in '%s'", part, outcome.message);
}

#endif

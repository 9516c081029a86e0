// Reads a program for a test, and runs passes on it.
#ifndef SHARDC_TESTS_PARTITION_FIXTURE_H
#define SHARDC_TESTS_PARTITION_FIXTURE_H

#include "frontend/frontend.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/print/sharding_print.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

typedef struct Fixture {
    Arena *arena;
    Diags *diags;
    Module *module;
} Fixture;

static inline Fixture fixture_read(const char *text) {
    Fixture fixture = {.arena = arena_create(NULL, NULL)};
    fixture.diags = diags_create(fixture.arena);
    Context *context = context_create(fixture.arena);
    ReadOptions options = {.file = SV("test")};
    fixture.module = frontend_read(context, fixture.arena, strview(text), &options, fixture.diags);
    assert_non_null(fixture.module);
    return fixture;
}

static inline PassContext fixture_pass(Fixture *fixture) {
    return (PassContext){
        .module = fixture->module, .scratch = arena_child(fixture->arena), .diags = fixture->diags};
}

// The entry selected, then the pipeline propagate.
static inline bool fixture_propagate(PassContext *pass) {
    return pass_run(&select_entry_pass, pass) != PASS_FAILED &&
           pass_run(&propagate_pass, pass) != PASS_FAILED;
}

static inline Op *fixture_main(const Fixture *fixture) {
    return module_entry(fixture->module, (StrView){0});
}

// The n-th op with this code in @main, from 0; the test fails where there is none.
static inline Op *fixture_op(const Fixture *fixture, OpCode code, int n) {
    for (Op *op = func_body(fixture_main(fixture))->first; op; op = op->next) {
        if (op->code == code && n-- == 0) return op;
    }
    fail_msg("the program has no such op");
    abort(); // not reached: cmocka does not tell the compiler that a failure does not return
}

static inline void assert_sharding(const Sharding *sharding, const char *text) {
    Arena *arena = arena_create(NULL, NULL);
    StrBuf printed = strbuf(arena);
    assert_non_null(sharding);
    sharding_print_body(&printed, sharding);
    assert_string_equal(strbuf_cstring(&printed), text);
    arena_free(arena);
}

#endif

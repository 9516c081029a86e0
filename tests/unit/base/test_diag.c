// base/diag.c
#include "base/diag.h"
#include "tests/unit/cmocka_all.h"

static int setup(void **state) {
    *state = arena_create(NULL, NULL);
    return *state == NULL;
}

static int teardown(void **state) {
    arena_free(*state);
    return 0;
}

static const char *printed(Arena *arena, Diags *diags) {
    StrBuf out = strbuf(arena);
    for (const Diag *diag = diags->first; diag; diag = diag->next)
        diag_print(&out, diags, diag);
    return strbuf_cstring(&out);
}

static void place_line_and_caret(void **state) {
    Diags *diags = diags_create(*state);
    diags->file = SV("m.mlir");
    diags->text = SV("first\n  %0 = foo %1\r\nlast");
    const LocTexts texts = {.file = SV("m.mlir")};
    const LocTexts other = {.file = SV("other.mlir")};
    const Loc at_foo = {.texts = &texts, .line = 2, .column = 8};
    const Loc at_end = {.texts = &texts, .line = 3, .column = 5};
    const Loc elsewhere = {.texts = &other, .line = 1, .column = 1};
    const Loc no_column = {.texts = &texts, .line = 1};
    const Loc beyond = {.texts = &texts, .line = 9, .column = 1};
    diag_error(diags, &at_foo, "unknown op '%s'", "foo");
    diag_note(diags, &at_end, "here");
    diag_warning(diags, &elsewhere, "odd");
    diag_remark(diags, &no_column, "fine");
    diag_unsupported(diags, &beyond, "no");
    diag_error(diags, NULL, "nowhere");
    assert_string_equal(
        printed(*state, diags), "m.mlir:2:8: error: unknown op 'foo'\n"
                                "    %0 = foo %1\n"
                                "         ^\n"
                                "m.mlir:3:5: note: here\n"
                                "  last\n"
                                "      ^\n"
                                "other.mlir:1:1: warning: odd\n"
                                "m.mlir:1: remark: fine\n"
                                "  first\n"
                                "m.mlir:9:1: error: no\n"
                                "m.mlir: error: nowhere\n");
    assert_int_equal(diags->error_count, 3);
    assert_true(diags->has_unsupported);
}

static void control_characters_are_escaped(void **state) {
    Diags *diags = diags_create(*state);
    diags->file = SV("m\x1b.mlir");
    diags->text = SV("\t\x1b[31m \xff \xc3\xa9 x");
    const Loc loc = {.line = 1, .column = 13};
    diag_error(diags, &loc, "two\nlines");
    assert_string_equal(
        printed(*state, diags), "m\\x1b.mlir:1:13: error: two\\x0alines\n"
                                "   \\x1b[31m \\xff \xc3\xa9 x\n"
                                "                   ^\n");
}

static void long_lines_are_cut(void **state) {
    enum { SIZE = 1 << 20 };
    char *text = arena_alloc(*state, SIZE);
    memset(text, 'a', SIZE);
    text[SIZE / 2] = 'X';
    Diags *diags = diags_create(*state);
    diags->file = SV("m");
    diags->text = (StrView){text, SIZE};
    const int32_t columns[] = {1, SIZE / 2 + 1, SIZE, SIZE + 1, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        Loc *loc = ARENA_NEW(*state, Loc);
        *loc = (Loc){.line = 1, .column = columns[i]};
        diag_error(diags, loc, "e");
    }
    const Diag *second = diags->first->next;
    StrBuf out = strbuf(*state);
    diag_print(&out, diags, second);
    const char *line = strchr(strbuf_cstring(&out), '\n') + 1;
    const char *carets = strchr(line, '\n') + 1;
    assert_true(strlen(strbuf_cstring(&out)) < 500);
    assert_int_equal(strchr(line, 'X') - line, strchr(carets, '^') - carets);
    assert_true(strlen(printed(*state, diags)) < 2500);
}

static void model_place_is_a_note(void **state) {
    Diags *diags = diags_create(*state);
    const LocTexts texts = {
        .file = SV("m.mlir"),
        .name = SV("jit(f)/add"),
        .model_file = SV("model.py"),
        .model_line = 30,
        .model_column = 5};
    const Loc loc = {.texts = &texts, .line = 4, .column = 2};
    diag_error(diags, &loc, "e");
    assert_string_equal(
        printed(*state, diags),
        "m.mlir:4:2: error: e\nmodel.py:30:5: note: written here (jit(f)/add)\n");
}

static void errors_beyond_the_limit_are_counted(void **state) {
    Diags *diags = diags_create(*state);
    for (int i = 0; i < DIAG_LIMIT + 50; i++) {
        diag_error(diags, NULL, "error %d", i);
        diag_note(diags, NULL, "note %d", i);
    }
    int kept = 0;
    for (const Diag *diag = diags->first; diag; diag = diag->next)
        kept++;
    assert_int_equal(kept, 2 * DIAG_LIMIT);
    assert_int_equal(diags->error_count, DIAG_LIMIT + 50);
}

// What a worker found keeps its severity.
static void a_list_is_appended_as_it_is(void **state) {
    Diags *from = diags_create(*state), *diags = diags_create(*state);
    diag_warning(from, NULL, "w");
    diag_remark(from, NULL, "r");
    diag_unsupported(from, NULL, "u");
    diag_note(from, NULL, "n");
    diag_error(diags, NULL, "e");
    diags_append(diags, from);
    assert_string_equal(
        printed(*state, diags), "error: e\nwarning: w\nremark: r\nerror: u\nnote: n\n");
    assert_int_equal(diags->error_count, 2);
    assert_true(diags->has_unsupported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(place_line_and_caret),
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(model_place_is_a_note),
        cmocka_unit_test(errors_beyond_the_limit_are_counted),
        cmocka_unit_test(a_list_is_appended_as_it_is),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

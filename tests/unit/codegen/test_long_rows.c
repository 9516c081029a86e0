// Cumulative sums of long rows, which are made of parts, beside sums that are made one by one: the
// evaluator takes the square of a row's length for them.
#include "tests/unit/cmocka_all.h"
#include "tests/unit/codegen/program_run.h"

#include <math.h>
#include <stdio.h>

typedef struct Scan {
    int64_t rows, length, columns; // [rows][length][columns], along the middle one
    bool is_float, goes_down;
} Scan;

static ProgramRun *create(Arena *arena, const Scan *s) {
    char type[64], text[1024], padding[64];
    const char *element = s->is_float ? "f32" : "i32";
    snprintf(
        type, sizeof type, "%dx%dx%dx%s", (int)s->rows, (int)s->length, (int)s->columns, element);
    snprintf(padding, sizeof padding, s->goes_down ? "[0, %d]" : "[%d, 0]", (int)(s->length - 1));
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<%s>) -> tensor<%s> {\n"
        "%%z = stablehlo.constant dense<%s> : tensor<%s>\n"
        "%%0 = \"stablehlo.reduce_window\"(%%a, %%z) <{padding = dense<[[0, 0], %s, [0, 0]]> : "
        "tensor<3x2xi64>, window_dimensions = array<i64: 1, %d, 1>}> ({\n"
        "^bb0(%%x: tensor<%s>, %%y: tensor<%s>):\n"
        "%%s = stablehlo.add %%x, %%y : tensor<%s>\n"
        "stablehlo.return %%s : tensor<%s>\n"
        "}) : (tensor<%s>, tensor<%s>) -> tensor<%s>\n"
        "return %%0 : tensor<%s>\n}\n",
        type, type, s->is_float ? "0.0" : "0", element, padding, (int)s->length, element, element,
        element, element, type, element, type, type);
    Diags *diags;
    ProgramRun *run = program_run_create(arena, text, NULL, &diags);
    if (!run) fail_msg("%.*s", SV_ARG(diags->first->message));
    return run;
}

static void check_row(const Scan *s, const void *input, const void *output, int64_t first) {
    double sum = 0;
    for (int64_t i = 0; i < s->length; i++) {
        int64_t at = first + (s->goes_down ? s->length - 1 - i : i) * s->columns;
        sum += s->is_float ? (double)((const float *)input)[at] : ((const int32_t *)input)[at];
        double got =
            s->is_float ? (double)((const float *)output)[at] : ((const int32_t *)output)[at];
        assert_true(fabs(got - sum) <= (s->is_float ? 1e-3 : 0));
    }
}

static void check(const Scan *s) {
    static const int64_t teams[] = {1, 3};
    Arena *arena = arena_create(NULL, NULL);
    ProgramRun *run = create(arena, s);
    for (int t = 0; t < 2; t++) {
        void **outputs = program_run_outputs(run);
        assert_true(program_run(run, teams[t], ORDER_RANDOM, 1, run->inputs, outputs));
        for (int64_t row = 0; row < s->rows; row++) {
            for (int64_t column = 0; column < s->columns; column++)
                check_row(s, run->inputs[0], outputs[0], row * s->length * s->columns + column);
        }
    }
    arena_free(arena);
}

static void cumulative_sums(void **state) {
    (void)state;
    static const Scan scans[] = {{1, 16400, 1, false, false}, {1, 16400, 1, false, true},
                                 {3, 16384, 1, true, false},  {1, 20000, 3, false, true},
                                 {2, 30030, 2, true, false},  {1, 1 << 17, 1, false, false},
                                 {1, 16411, 1, false, false}, // a prime number, and one
                                 {1, 50257, 1, false, true}}; // that only 29 and 1733 divide
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        check(&scans[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cumulative_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

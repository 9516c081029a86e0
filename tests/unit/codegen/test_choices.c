// Choices between what an accumulator holds and a new value: whole vectors are stored, which the
// next step's load need not wait for.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

// The greatest number of a row, or NaN, and its first place.
static const char arg_max[] =
    "func.func @main(%a: tensor<4x512xf32>) -> (tensor<4xf32>, tensor<4xi32>) {\n"
    "%i = stablehlo.iota dim = 1 : tensor<4x512xi32>\n"
    "%l = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "%z = stablehlo.constant dense<0> : tensor<i32>\n"
    "%r:2 = stablehlo.reduce(%a init: %l), (%i init: %z) across dimensions = [1] : "
    "(tensor<4x512xf32>, tensor<4x512xi32>, tensor<f32>, tensor<i32>) -> "
    "(tensor<4xf32>, tensor<4xi32>)\n"
    "reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {\n"
    "%g = stablehlo.compare GT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%n = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%gn = stablehlo.or %g, %n : tensor<i1>\n"
    "%e = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%b = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "%eb = stablehlo.and %e, %b : tensor<i1>\n"
    "%c = stablehlo.or %gn, %eb : tensor<i1>\n"
    "%v = stablehlo.select %gn, %p, %q : tensor<i1>, tensor<f32>\n"
    "%w = stablehlo.select %c, %s, %t : tensor<i1>, tensor<i32>\n"
    "stablehlo.return %v, %w : tensor<f32>, tensor<i32>\n"
    "}\n"
    "return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>\n"
    "}\n";

static KernelRun compiled(Arena *arena, const char *cpu, bool as_text) {
    KernelRun run = {0};
    assert_true(kernel_run_create(&run, arena, arg_max, KERNEL_REDUCE, OP_REDUCE));
    assert_true(kernel_run_compile(&run, cpu, as_text));
    return run;
}

static void they_are_stored_whole(void **state) {
    (void)state;
    static const char *const cpus[] = {"haswell", "skylake-avx512"};
    static const char *const masked_stores[] = {"maskmov", ") {%k"}; // the place, then the mask
    for (int i = 0; i < 2; i++) {
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run = compiled(arena, cpus[i], true);
        const char *code = arena_cstring(arena, run.assembly);
        assert_non_null(strstr(code, "vcmp"));
        assert_null(strstr(code, masked_stores[i]));
        kernel_run_free(&run);
        arena_free(arena);
    }
}

static void they_agree_with_the_evaluator(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = compiled(arena, NULL, false);
    kernel_run_execute(&run, 3);
    assert_true(kernel_run_error(&run) == 0);
    kernel_run_free(&run);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_stored_whole), cmocka_unit_test(they_agree_with_the_evaluator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Rows that do not fill vectors: the last elements are one vector of which a part counts, and folds
// of few steps run along the results. Long rows of a costly function: several vectors side by side.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

static const char exponentials[] =
    "func.func @main(%x: tensor<96x11xf32>, %m: tensor<96xf32>) -> tensor<96x11xf32> {\n"
    "%b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<96xf32>) -> tensor<96x11xf32>\n"
    "%d = stablehlo.subtract %x, %b : tensor<96x11xf32>\n"
    "%e = stablehlo.exponential %d : tensor<96x11xf32>\n"
    "return %e : tensor<96x11xf32>\n"
    "}\n";

static const char long_rows[] =
    "func.func @main(%x: tensor<96x1024xf32>) -> tensor<96x1024xf32> {\n"
    "%e = stablehlo.exponential %x : tensor<96x1024xf32>\n"
    "return %e : tensor<96x1024xf32>\n"
    "}\n";

// The first place of the smallest number of each row, as argmin has it.
static const char first_places[] =
    "func.func @main(%a: tensor<96x10xf32>) -> (tensor<96xf32>, tensor<96xi32>) {\n"
    "%i = stablehlo.iota dim = 1 : tensor<96x10xi32>\n"
    "%l = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
    "%z = stablehlo.constant dense<0> : tensor<i32>\n"
    "%r:2 = stablehlo.reduce(%a init: %l), (%i init: %z) across dimensions = [1] : "
    "(tensor<96x10xf32>, tensor<96x10xi32>, tensor<f32>, tensor<i32>) -> "
    "(tensor<96xf32>, tensor<96xi32>)\n"
    "reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {\n"
    "%g = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%e = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "%b = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "%eb = stablehlo.and %e, %b : tensor<i1>\n"
    "%c = stablehlo.or %g, %eb : tensor<i1>\n"
    "%v = stablehlo.select %g, %p, %q : tensor<i1>, tensor<f32>\n"
    "%w = stablehlo.select %c, %s, %t : tensor<i1>, tensor<i32>\n"
    "stablehlo.return %v, %w : tensor<f32>, tensor<i32>\n"
    "}\n"
    "return %r#0, %r#1 : tensor<96xf32>, tensor<96xi32>\n"
    "}\n";

static const struct {
    const char *text;
    KernelKind kind;
    OpCode root;
    const char *one_by_one[3]; // instructions that no vector needs
} programs[] = {
    {exponentials, KERNEL_LOOP, OP_EXPONENTIAL, {"213ss", "231ss", "132ss"}},
    {first_places, KERNEL_REDUCE, OP_REDUCE, {"comiss", "vcmpltss", "vminss"}},
};

static void they_are_vectors(void **state) {
    (void)state;
    static const char *const cpus[] = {"haswell", "skylake-avx512"};
    for (int i = 0; i < 4; i++) {
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run = {0};
        assert_true(kernel_run_create(
            &run, arena, programs[i / 2].text, programs[i / 2].kind, programs[i / 2].root));
        assert_true(kernel_run_compile(&run, cpus[i % 2], true));
        const char *code = arena_cstring(arena, run.assembly);
        assert_non_null(strstr(code, i % 2 ? "zmm" : "ymm"));
        for (int k = 0; k < 3; k++)
            assert_null(strstr(code, programs[i / 2].one_by_one[k]));
        kernel_run_free(&run);
        arena_free(arena);
    }
}

// An exponential shifts once, to make a power of two.
static void chains_run_side_by_side(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    assert_true(kernel_run_create(&run, arena, long_rows, KERNEL_LOOP, OP_EXPONENTIAL));
    assert_true(kernel_run_compile(&run, "haswell", true));
    const char *shift = arena_cstring(arena, run.assembly);
    int count = 0;
    while ((shift = strstr(shift, "vpslld\t$23, %ymm")) != NULL) {
        count++;
        shift++;
    }
    assert_int_equal(count, 4);
    kernel_run_free(&run);
    arena_free(arena);
}

static void they_agree_with_the_evaluator(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run = {0};
        assert_true(
            kernel_run_create(&run, arena, programs[i].text, programs[i].kind, programs[i].root));
        assert_true(kernel_run_compile(&run, NULL, false));
        kernel_run_execute(&run, 3);
        assert_true(kernel_run_error(&run) < 1e-6);
        kernel_run_free(&run);
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_vectors), cmocka_unit_test(chains_run_side_by_side),
        cmocka_unit_test(they_agree_with_the_evaluator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

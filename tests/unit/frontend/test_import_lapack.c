// frontend/import_lapack.c: calls of LAPACK's routines have LAPACK's results.
#include "tests/unit/ir/test_eval_programs.h"

static void cholesky_and_its_failure(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[[4.0, 2.0], [2.0, 5.0]], [[1.0, 2.0], [2.0, 1.0]]]> : "
        "tensor<2x2x2xf32>\n"
        "  %f:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : "
        "ui8}}"
        " : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xi32>)\n"
        "  check.expect_eq_const %f#1, dense<[0, 1]> : tensor<2xi32>\n"
        "  %l = stablehlo.slice %f#0 [0:1, 1:2, 0:2] : (tensor<2x2x2xf32>) -> tensor<1x1x2xf32>\n"
        "  check.expect_eq_const %l, dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>\n"
        "  return\n}\n",
        2);
}

static void triangular_solve_from_the_right(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[2.0, 7.0], [1.0, 4.0]]> : tensor<2x2xf64>\n"
        "  %b = stablehlo.constant dense<[[4.0, 10.0]]> : tensor<1x2xf64>\n"
        "  %x = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 "
        ": ui8, side = 82 : ui8,"
        " trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf64>, tensor<1x2xf64>) -> "
        "tensor<1x2xf64>\n"
        "  check.expect_eq_const %x, dense<[[2.0, 2.0]]> : tensor<1x2xf64>\n"
        "  return\n}\n",
        1);
}

static void lu_pivots_and_singular_matrices(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[[1.0, 2.0, 3.0], [2.0, 4.0, 4.0]], [[0.0, 1.0, 2.0], "
        "[0.0, 0.0, 8.0]]]>"
        " : tensor<2x2x3xf32>\n"
        "  %f:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}}"
        " : (tensor<2x2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2x2xi32>, tensor<2xi32>)\n"
        "  check.expect_eq_const %f#0, dense<[[[2.0, 4.0, 4.0], [0.5, 0.0, 1.0]], [[0.0, 1.0, "
        "2.0], [0.0, 0.0, 8.0]]]>"
        " : tensor<2x2x3xf32>\n"
        "  check.expect_eq_const %f#1, dense<[[2, 2], [1, 2]]> : tensor<2x2xi32>\n"
        "  check.expect_eq_const %f#2, dense<[2, 1]> : tensor<2xi32>\n"
        "  return\n}\n",
        3);
}

static void householder_vectors_and_q(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[3.0], [4.0]]> : tensor<2x1xf64>\n"
        "  %f:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {mhlo.backend_config = {}}"
        " : (tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>)\n"
        "  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%f#0, %f#1) {mhlo.backend_config = {}}"
        " : (tensor<2x1xf64>, tensor<1xf64>) -> tensor<2x1xf64>\n"
        "  check.expect_almost_eq_const %f#0, dense<[[-5.0], [0.5]]> : tensor<2x1xf64>\n"
        "  check.expect_almost_eq_const %f#1, dense<[1.6]> : tensor<1xf64>\n"
        "  check.expect_almost_eq_const %q, dense<[[-0.6], [-0.8]]> : tensor<2x1xf64>\n"
        "  return\n}\n",
        3);
}

static void householder_vectors_of_complex_numbers(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[(0.0, 3.0)], [(4.0, 0.0)]]> : tensor<2x1xcomplex<f64>>\n"
        "  %f:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%a) {mhlo.backend_config = {}}"
        " : (tensor<2x1xcomplex<f64>>) -> (tensor<2x1xcomplex<f64>>, tensor<1xcomplex<f64>>)\n"
        "  %q = stablehlo.custom_call @lapack_zungqr_ffi(%f#0, %f#1) {mhlo.backend_config = {}}"
        " : (tensor<2x1xcomplex<f64>>, tensor<1xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>\n"
        "  check.expect_almost_eq_const %f#1, dense<[(1.0, 0.6)]> : tensor<1xcomplex<f64>>\n"
        "  check.expect_almost_eq_const %q, dense<[[(0.0, -0.6)], [(-0.8, 0.0)]]> : "
        "tensor<2x1xcomplex<f64>>\n"
        "  return\n}\n",
        2);
}

// A column that is zero below the diagonal has no reflection, one that is zero keeps its zero.
static void nothing_to_reflect(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[7.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>\n"
        "  %f:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}}"
        " : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)\n"
        "  check.expect_eq_const %f#0, dense<[[7.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf32>\n"
        "  check.expect_eq_const %f#1, dense<0.0> : tensor<2xf32>\n"
        "  return\n}\n",
        2);
}

// What is not as LAPACK's routine has it stays a call, which nobody can run.
static void calls_that_do_not_fit_stay(void **state) {
    static const char *const calls[] = {
        "@lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> "
        "(tensor<2x2xf32>, tensor<i32>)",
        "@lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 7 : ui8}} : (tensor<2x2xf32>) -> "
        "(tensor<2x2xf32>, tensor<i32>)",
        "@lapack_spotrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2xf32>) -> "
        "(tensor<2x2xf32>, tensor<i32>)",
        "@lapack_sgetrf_ffi(%a) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<3xi32>)",
        "@lapack_sgeqrf_ffi(%a) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf64>)",
        "@lapack_sgesdd_ffi(%a) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)",
        "@lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {diag = 78 : ui8, side = 1 : ui8, "
        "trans_x = 78 : ui8, uplo = 76 : ui8}}"
        " : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const char *text = arena_printf(
            *state,
            "func.func @main() {\n"
            "  %%a = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>\n"
            "  %%f:2 = stablehlo.custom_call %s\n"
            "  return\n}\n",
            calls[i]);
        expect_error(*state, text, NULL, "'@lapack_");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cholesky_and_its_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(triangular_solve_from_the_right, setup, teardown),
        cmocka_unit_test_setup_teardown(lu_pivots_and_singular_matrices, setup, teardown),
        cmocka_unit_test_setup_teardown(householder_vectors_and_q, setup, teardown),
        cmocka_unit_test_setup_teardown(householder_vectors_of_complex_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_to_reflect, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_that_do_not_fit_stay, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

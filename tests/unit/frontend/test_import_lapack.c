// frontend/lapack/import_lapack.c: calls of LAPACK's routines have LAPACK's results.
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

static void multiplication_by_q(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[3.0], [4.0]]> : tensor<2x1xf64>\n"
        "  %f:2 = stablehlo.custom_call @Qr(%a) {api_version = 1 : i32}"
        " : (tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>)\n"
        "  %l = stablehlo.custom_call @lapack_dormqr_ffi(%f#0, %f#1, %a) {mhlo.backend_config = "
        "{left = true, transpose = true}}"
        " : (tensor<2x1xf64>, tensor<1xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>\n"
        "  check.expect_almost_eq_const %l, dense<[[-5.0], [0.0]]> : tensor<2x1xf64>\n"
        "  %i = stablehlo.constant dense<[[1.0, 0.0]]> : tensor<1x2xf64>\n"
        "  %r = stablehlo.custom_call @lapack_dormqr_ffi(%f#0, %f#1, %i) {mhlo.backend_config = "
        "{left = false, transpose = false}}"
        " : (tensor<2x1xf64>, tensor<1xf64>, tensor<1x2xf64>) -> tensor<1x2xf64>\n"
        "  check.expect_almost_eq_const %r, dense<[[-0.6, -0.8]]> : tensor<1x2xf64>\n"
        "  return\n}\n",
        2);
}

static void lu_of_xla_counts_from_zero(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[1.0, 2.0], [4.0, 4.0], [2.0, 6.0]]> : tensor<3x2xf32>\n"
        "  %f:3 = stablehlo.custom_call @LuDecomposition(%a)"
        " : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xi32>, tensor<3xi32>)\n"
        "  check.expect_eq_const %f#0, dense<[[4.0, 4.0], [0.5, 4.0], [0.25, 0.25]]> : "
        "tensor<3x2xf32>\n"
        "  check.expect_eq_const %f#1, dense<[1, 2]> : tensor<2xi32>\n"
        "  check.expect_eq_const %f#2, dense<[1, 2, 0]> : tensor<3xi32>\n"
        "  return\n}\n",
        3);
}

// Only one triangle counts; in a batch, one matrix that has no eigenvalues does not spoil the
// other.
static void eigenvalues_of_triangles(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[2.0, 9.0, 9.0], [1.0, 2.0, 9.0], [0.0, 0.0, -1.0]]> : "
        "tensor<3x3xf64>\n"
        "  %f:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : "
        "ui8, uplo = 76 : ui8}}"
        " : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<i32>)\n"
        "  check.expect_almost_eq_const %f#1, dense<[-1.0, 1.0, 3.0]> : tensor<3xf64>\n"
        "  check.expect_eq_const %f#2, dense<0> : tensor<i32>\n"
        "  %v = stablehlo.abs %f#0 : tensor<3x3xf64>\n"
        "  check.expect_almost_eq_const %v, dense<[[0.0, 0.70710678118654757, "
        "0.70710678118654757], [0.0, 0.70710678118654757, 0.70710678118654757], [1.0, 0.0, 0.0]]> "
        ": tensor<3x3xf64>\n"
        "  %b = stablehlo.constant dense<[[[(1.0, 0.0), (0.0, 2.0)], [(7.0, 7.0), (1.0, 0.0)]], "
        "[[(0x7FC00000, 0.0), (0.0, 0.0)], [(0.0, 0.0), (1.0, 0.0)]]]> : "
        "tensor<2x2x2xcomplex<f32>>\n"
        "  %g:2 = stablehlo.custom_call @Eigh(%b) {backend_config = \"0,1,100,1e-6\"}"
        " : (tensor<2x2x2xcomplex<f32>>) -> (tensor<2x2x2xcomplex<f32>>, tensor<2x2xf32>)\n"
        "  %w = stablehlo.slice %g#1 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>\n"
        "  check.expect_almost_eq_const %w, dense<[[-1.0, 3.0]]> : tensor<1x2xf32>\n"
        "  %nan = stablehlo.compare NE, %g#1, %g#1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
        "tensor<2x2xi1>\n"
        "  check.expect_eq_const %nan, dense<[[false, false], [true, true]]> : tensor<2x2xi1>\n"
        "  return\n}\n",
        5);
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
        "@Eigh(%a) {backend_config = \"1,1\"} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, "
        "tensor<2xf32>)",
        "@lapack_ssyevd_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> "
        "(tensor<2x2xf32>, tensor<2xf32>)",
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
        expect_error(*state, text, NULL, "custom call '@");
    }
}

static void singular_values_and_vectors(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>\n"
        "  %f:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : "
        "ui8}}"
        " : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2x2xf64>, "
        "tensor<2x3xf64>, tensor<i32>)\n"
        "  %s = stablehlo.broadcast_in_dim %f#1, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>\n"
        "  %us = stablehlo.multiply %f#2, %s : tensor<2x2xf64>\n"
        "  %usv = stablehlo.dot_general %us, %f#3, contracting_dims = [1] x [0]"
        " : (tensor<2x2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>\n"
        "  %uu = stablehlo.dot_general %f#2, %f#2, contracting_dims = [0] x [0]"
        " : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>\n"
        "  check.expect_almost_eq_const %f#1, dense<[9.508032000695724, 0.77286963567348479]> : "
        "tensor<2xf64>\n"
        "  check.expect_almost_eq_const %usv, dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : "
        "tensor<2x3xf64>\n"
        "  check.expect_almost_eq_const %uu, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>\n"
        "  check.expect_eq_const %f#4, dense<0> : tensor<i32>\n"
        "  return\n}\n",
        4);
}

// All of U is orthonormal, also where the matrix has no direction for it; a matrix that is not
// finite has no singular values.
static void singular_values_of_low_rank(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[[(0.0, 3.0), (0.0, 3.0)], [(4.0, 0.0), (4.0, 0.0)], "
        "[(0.0, 0.0), (0.0, 0.0)]],"
        " [[(0x7F800000, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)]]]> "
        ": tensor<2x3x2xcomplex<f32>>\n"
        "  %f:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : "
        "ui8}}"
        " : (tensor<2x3x2xcomplex<f32>>) -> (tensor<2x3x2xcomplex<f32>>, tensor<2x2xf32>, "
        "tensor<2x3x3xcomplex<f32>>,"
        " tensor<2x2x2xcomplex<f32>>, tensor<2xi32>)\n"
        "  %s = stablehlo.slice %f#1 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>\n"
        "  %bad = stablehlo.slice %f#1 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>\n"
        "  %is_number = stablehlo.compare EQ, %bad, %bad : (tensor<1x2xf32>, tensor<1x2xf32>) -> "
        "tensor<1x2xi1>\n"
        "  %u0 = stablehlo.slice %f#2 [0:1, 0:3, 0:3] : (tensor<2x3x3xcomplex<f32>>) -> "
        "tensor<1x3x3xcomplex<f32>>\n"
        "  %u = stablehlo.reshape %u0 : (tensor<1x3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>\n"
        "  %uc = chlo.conj %u : tensor<3x3xcomplex<f32>> -> tensor<3x3xcomplex<f32>>\n"
        "  %uu = stablehlo.dot_general %uc, %u, contracting_dims = [0] x [0]"
        " : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>\n"
        "  %size = stablehlo.abs %uu : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>\n"
        "  check.expect_almost_eq_const %s, dense<[[7.0710678, 0.0]]> : tensor<1x2xf32>\n"
        "  check.expect_eq_const %is_number, dense<false> : tensor<1x2xi1>\n"
        "  check.expect_almost_eq_const %size, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, "
        "1.0]]> : tensor<3x3xf32>\n"
        "  return\n}\n",
        3);
}

static void eigenvalues_of_any_matrix(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[1.0, 2.0], [0.0, 3.0]]> : tensor<2x2xf64>\n"
        "  %f:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {mhlo.backend_config = {compute_left "
        "= 86 : ui8, compute_right = 86 : ui8}}"
        " : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, "
        "tensor<2x2xcomplex<f64>>, tensor<i32>)\n"
        "  %left = stablehlo.real %f#2 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>\n"
        "  %right = stablehlo.real %f#3 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>\n"
        "  check.expect_almost_eq_const %f#0, dense<[1.0, 3.0]> : tensor<2xf64>\n"
        "  check.expect_eq_const %f#1, dense<0.0> : tensor<2xf64>\n"
        "  check.expect_almost_eq_const %left, dense<[[0.70710678118654752, 0.0], "
        "[-0.70710678118654752, 1.0]]> : tensor<2x2xf64>\n"
        "  check.expect_almost_eq_const %right, dense<[[1.0, 0.70710678118654752], [0.0, "
        "0.70710678118654752]]> : tensor<2x2xf64>\n"
        "  check.expect_eq_const %f#4, dense<0> : tensor<i32>\n"
        "  return\n}\n",
        5);
}

// Eigenvalues of one size, all on a circle, whose usual shifts are zero.
static void eigenvalues_of_a_cycle(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "
        "[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]]>"
        " : tensor<2x3x3xf32>\n"
        "  %f:5 = stablehlo.custom_call @lapack_sgeev_ffi(%a) {mhlo.backend_config = {compute_left "
        "= 78 : ui8, compute_right = 86 : ui8}}"
        " : (tensor<2x3x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>, "
        "tensor<2x3x3xcomplex<f32>>, tensor<2xi32>)\n"
        "  %w = stablehlo.complex %f#0, %f#1 : tensor<2x3xcomplex<f32>>\n"
        "  %w2 = stablehlo.multiply %w, %w : tensor<2x3xcomplex<f32>>\n"
        "  %w3 = stablehlo.multiply %w2, %w : tensor<2x3xcomplex<f32>>\n"
        "  %re = stablehlo.real %w3 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>\n"
        "  check.expect_almost_eq_const %re, dense<[[1.0, 1.0, 1.0], [8.0, 8.0, 8.0]]> : "
        "tensor<2x3xf32>\n"
        "  check.expect_eq_const %f#4, dense<0> : tensor<2xi32>\n"
        "  return\n}\n",
        2);
}

static void schur_form(void **state) {
    expect_checks(
        *state,
        "func.func @main() {\n"
        "  %a = stablehlo.constant dense<[[(0.0, 0.0), (1.0, 0.0)], [(-1.0, 0.0), (0.0, 0.0)]]> : "
        "tensor<2x2xcomplex<f64>>\n"
        "  %f:5 = stablehlo.custom_call @lapack_zgees_ffi(%a) {mhlo.backend_config = {mode = 86 : "
        "ui8, sort = 78 : ui8}}"
        " : (tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, "
        "tensor<2xcomplex<f64>>, tensor<i32>, tensor<i32>)\n"
        "  %zt = stablehlo.dot_general %f#1, %f#0, contracting_dims = [1] x [0]"
        " : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>\n"
        "  %az = stablehlo.dot_general %a, %f#1, contracting_dims = [1] x [0]"
        " : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>\n"
        "  %d = stablehlo.subtract %zt, %az : tensor<2x2xcomplex<f64>>\n"
        "  %size = stablehlo.abs %d : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>\n"
        "  %im = stablehlo.imag %f#2 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>\n"
        "  %squares = stablehlo.multiply %im, %im : tensor<2xf64>\n"
        "  check.expect_almost_eq_const %size, dense<0.0> : tensor<2x2xf64>\n"
        "  check.expect_almost_eq_const %squares, dense<1.0> : tensor<2xf64>\n"
        "  return\n}\n",
        2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(cholesky_and_its_failure),
        arena_test(triangular_solve_from_the_right),
        arena_test(lu_pivots_and_singular_matrices),
        arena_test(householder_vectors_and_q),
        arena_test(householder_vectors_of_complex_numbers),
        arena_test(nothing_to_reflect),
        arena_test(multiplication_by_q),
        arena_test(lu_of_xla_counts_from_zero),
        arena_test(eigenvalues_of_triangles),
        arena_test(singular_values_and_vectors),
        arena_test(singular_values_of_low_rank),
        arena_test(eigenvalues_of_any_matrix),
        arena_test(eigenvalues_of_a_cycle),
        arena_test(schur_form),
        arena_test(calls_that_do_not_fit_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A matrix that is not positive definite has no Cholesky factor, as LAPACK sees it: a pivot of zero is none, the last one, too.
func.func @the_last_pivot_is_zero() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  %good = stablehlo.constant dense<0> : tensor<i32>
  %failed = stablehlo.compare NE, %r#1, %good : (tensor<i32>, tensor<i32>) -> tensor<i1>
  check.expect_eq_const %failed, dense<true> : tensor<i1>
  return
}
func.func @one_of_a_batch_is_indefinite() {
  %a = stablehlo.constant dense<[[[(2.0, 0.0), (0.0, 1.0)], [(0.0, -1.0), (2.0, 0.0)]], [[(1.0, 0.0), (0.0, 1.0)], [(0.0, -1.0), (1.0, 0.0)]], [[(1.0, 0.0), (0.0, 2.0)], [(0.0, -2.0), (1.0, 0.0)]]]> : tensor<3x2x2xcomplex<f64>>
  %r:2 = stablehlo.custom_call @lapack_zpotrf_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x2x2xcomplex<f64>>) -> (tensor<3x2x2xcomplex<f64>>, tensor<3xi32>)
  %good = stablehlo.constant dense<0> : tensor<3xi32>
  %failed = stablehlo.compare NE, %r#1, %good : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  check.expect_eq_const %failed, dense<[false, true, true]> : tensor<3xi1>
  return
}

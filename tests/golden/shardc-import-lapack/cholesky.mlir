// RUN: --shardc-import-lapack
// potrf is stablehlo.cholesky; its second result says whether there is a NaN on the diagonal.
func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {api_version = 4 : i32, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0 : tensor<3x3xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf32>
    %1 = stablehlo.real %0 : tensor<3x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x3xf32>
    %2 = stablehlo.compare GT, %1, %cst : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xi1>
    %3 = stablehlo.not %2 : tensor<3x3xi1>
    %4 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %5 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %6 = stablehlo.compare EQ, %4, %5 : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %7 = stablehlo.and %3, %6 : tensor<3x3xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %8 = stablehlo.reduce(%7 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x3xi1>, tensor<i1>) -> tensor<i1>
    %9 = stablehlo.convert %8 : (tensor<i1>) -> tensor<i32>
    return %0 : tensor<3x3xf32>
  }
}

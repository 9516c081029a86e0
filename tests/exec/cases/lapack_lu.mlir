// LU of more columns than a block has: tall, wide, and of a batch in which one matrix is singular.
// tolerance: 1e-3
module @lapack_lu {
  func.func public @main(
      %a: tensor<90x45xf32>, %b: tensor<45x90xf64>, %c: tensor<2x70x70xcomplex<f64>>) -> (
      tensor<90x45xf32>, tensor<45xi32>, tensor<45x90xf64>, tensor<45xi32>, tensor<2x70x70xcomplex<f64>>, tensor<2x70xi32>, tensor<2xi32>, tensor<2x70x70xcomplex<f64>>, tensor<2x70xi32>, tensor<2x70xi32>) {
    %tall:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<90x45xf32>) -> (tensor<90x45xf32>, tensor<45xi32>, tensor<i32>)
    %wide:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%b) {mhlo.backend_config = {}} : (tensor<45x90xf64>) -> (tensor<45x90xf64>, tensor<45xi32>, tensor<i32>)
    // column 50 of the second one is zero
    %which = stablehlo.iota dim = 0 : tensor<2x70x70xi32>
    %column = stablehlo.iota dim = 2 : tensor<2x70x70xi32>
    %second = stablehlo.constant dense<1> : tensor<2x70x70xi32>
    %place = stablehlo.constant dense<50> : tensor<2x70x70xi32>
    %is_second = stablehlo.compare EQ, %which, %second : (tensor<2x70x70xi32>, tensor<2x70x70xi32>) -> tensor<2x70x70xi1>
    %is_place = stablehlo.compare EQ, %column, %place : (tensor<2x70x70xi32>, tensor<2x70x70xi32>) -> tensor<2x70x70xi1>
    %is_nil = stablehlo.and %is_second, %is_place : tensor<2x70x70xi1>
    %nil = stablehlo.constant dense<(0.0, 0.0)> : tensor<2x70x70xcomplex<f64>>
    %singular = stablehlo.select %is_nil, %nil, %c : tensor<2x70x70xi1>, tensor<2x70x70xcomplex<f64>>
    %some:3 = stablehlo.custom_call @lapack_zgetrf_ffi(%singular) {mhlo.backend_config = {}} : (tensor<2x70x70xcomplex<f64>>) -> (tensor<2x70x70xcomplex<f64>>, tensor<2x70xi32>, tensor<2xi32>)
    %xla:3 = stablehlo.custom_call @LuDecomposition(%c) : (tensor<2x70x70xcomplex<f64>>) -> (tensor<2x70x70xcomplex<f64>>, tensor<2x70xi32>, tensor<2x70xi32>)
    return %tall#0, %tall#1, %wide#0, %wide#1, %some#0, %some#1, %some#2, %xla#0, %xla#1, %xla#2 : tensor<90x45xf32>, tensor<45xi32>, tensor<45x90xf64>, tensor<45xi32>, tensor<2x70x70xcomplex<f64>>, tensor<2x70xi32>, tensor<2xi32>, tensor<2x70x70xcomplex<f64>>, tensor<2x70xi32>, tensor<2x70xi32>
  }
}

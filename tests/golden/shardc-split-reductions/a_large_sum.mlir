// RUN: --shardc-split-reductions
// A large sum to one number first sums parts of a dimension.
func.func @main(%arg0: tensor<512x1024xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<512x1024xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reshape %arg0 : (tensor<512x1024xf32>) -> tensor<64x8x1024xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<64x8x1024xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}

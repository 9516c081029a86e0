// RUN: --shardc-split-reductions
// Where a dimension that stays lies between the reduced ones, rows are reduced first.
func.func @main(%arg0: tensor<8x16x4x256xf32>) -> tensor<16xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x16x4x256xf32>, tensor<f32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x16x4x256xf32>) -> tensor<16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [2, 3] : (tensor<8x16x4x256xf32>, tensor<f32>) -> tensor<8x16xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}

// RUN: --shardc-split-products
// The gradient of weights, summed over many rows: lanes share out the rows and pack each of them once.
func.func @main(%arg0: tensor<5000x300xf32>, %arg1: tensor<5000x640xf32>) -> tensor<300x640xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<5000x300xf32>, tensor<5000x640xf32>) -> tensor<300x640xf32>
  return %0 : tensor<300x640xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<5000x300xf32>, %arg1: tensor<5000x640xf32>) -> tensor<300x640xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<5000x300xf32>) -> tensor<4x1250x300xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<5000x640xf32>) -> tensor<4x1250x640xf32>
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x1250x300xf32>, tensor<4x1250x640xf32>) -> tensor<4x300x640xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x300x640xf32>, tensor<f32>) -> tensor<300x640xf32>
    return %3 : tensor<300x640xf32>
  }
}

// RUN: --dce
// Ops without uses and effects go, and functions that only they called.
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tanh %arg0 : tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  return %arg0 : tensor<f32>
}
func.func private @unused(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
}

// RUN:
// A slice without dimensions has no starts; MLIR prints the comma behind them all the same.
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.dynamic_slice"(%a) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_slice %0, , sizes = [] : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, , sizes = [] : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.dynamic_slice %0, , sizes = [] : (tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}

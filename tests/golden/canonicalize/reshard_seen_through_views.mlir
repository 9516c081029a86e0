// RUN: --canonicalize
// The second reshard moves what the first has moved: the transposed result of the first takes its place.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  return %0, %2 : tensor<8x4xf32>, tensor<4x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    return %0, %1 : tensor<8x4xf32>, tensor<4x8xf32>
  }
}

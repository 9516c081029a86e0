// RUN: --sdy-convert-global-to-local
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %1 = stablehlo.slice %0 [0:4, 0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x12xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
    %1 = stablehlo.slice %0 [0:2, 0:6] : (tensor<2x12xf32>) -> tensor<2x6xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<2x6xf32>) -> tensor<6x2xf32>
    return %2 : tensor<6x2xf32>
  }
}

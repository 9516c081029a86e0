// RUN: --sdy-resolve-permutation-factors
// Tiles of two rows of four by two are no runs of elements: the dimensions are whole during the reshape.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<12xf32>) -> tensor<4x3xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x", "y"}]> : tensor<12xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<12xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<12xf32>) -> tensor<4x3xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", "y"}]> : tensor<12xf32>
    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<12xf32>
    %2 = stablehlo.reshape %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<12xf32>) -> tensor<4x3xf32>
    %3 = sdy.reshard %2 <@mesh, [{"x"}, {"y"}]> : tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}

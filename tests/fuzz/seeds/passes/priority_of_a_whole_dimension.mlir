// RUN: --sdy-resolve-permutation-factors
// A dimension that is made whole has no priority either.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<6xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}p0, {}]>]>} : (tensor<6xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// RUN: --shardc-move-reshards
// Of two reshards in a row the second is left; the first one stays where others read it.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<16x8xf32>
  %2 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
  %4 = sdy.reshard %3 <@mesh, [{}, {}]> : tensor<16x8xf32>
  return %1, %3, %4 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<16x8xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
    %2 = stablehlo.tanh %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<16x8xf32>
    %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<16x8xf32>
    return %0, %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}

// RUN: --shardc-move-reshards
// Gathers go before a widening and behind a narrowing; broadcasts are made where they are wanted.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>) {
  %0 = stablehlo.convert %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.reshard %arg1 <@mesh, [{}]> : tensor<8xf32>
  %3 = stablehlo.convert %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xbf16>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
  %5 = sdy.reshard %4 <@mesh, [{}]> : tensor<8xf32>
  return %1, %3, %5 : tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xbf16>
    %1 = stablehlo.convert %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xbf16>) -> tensor<8xf32>
    %2 = stablehlo.convert %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xbf16>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xbf16>
    %4 = stablehlo.broadcast_in_dim %arg2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %arg2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<f32>) -> tensor<8xf32>
    return %1, %3, %5 : tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>
  }
}

// RUN: --sdy-resolve-permutation-factors=enable-halo-exchange=false
// What needs other tiles works on whole dimensions; the first slice takes of every tile what its result has.
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = stablehlo.slice %arg0 [0:8:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
    %0 = stablehlo.slice %arg0 [0:8:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"b"}]> : tensor<4x4xf32>
    %2 = stablehlo.reverse %1, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x4xf32>
    %3 = sdy.reshard %2 <@mesh, [{"a"}, {"b"}]> : tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
}

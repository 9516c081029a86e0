// RUN: --shardc-move-reshards
// Reversed where it is whole: nothing is fetched from the device at the other end.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) -> (tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<10x6xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<10x6xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<10x6xf32>
  return %2 : tensor<10x6xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) -> (tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<10x6xf32>
    %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<10x6xf32>
    return %1 : tensor<10x6xf32>
  }
}

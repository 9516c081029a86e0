// RUN: --sdy-insert-explicit-reshards=enable-full-version=true
sdy.mesh @mesh = <["y"=2, "x"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["y"=2, "x"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<4x8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<4x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}

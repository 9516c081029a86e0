// RUN: --sdy-insert-explicit-reshards=enable-full-version=true
sdy.mesh @mesh = <["x"=6, "y"=4]>
func.func @main(%arg0: tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<4x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}]>]>} : (tensor<24x8xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=6, "y"=4]>
  func.func @main(%arg0: tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<4x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x":(1)2, "y":(1)2, "x":(2)3, "y":(2)2}, {}]> : tensor<24x8xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2, "y":(1)2}, {"x":(2)3, "y":(2)2}]>]>} : (tensor<24x8xf32>) -> tensor<4x48xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {"x", "y"}]> : tensor<4x48xf32>
    return %2 : tensor<4x48xf32>
  }
}

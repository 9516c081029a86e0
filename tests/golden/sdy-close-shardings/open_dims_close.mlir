// RUN: --sdy-close-shardings
// Open dims close, replicated lists and priorities go, values without a sharding stay without one.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}], replicated={"y"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}p1]>}) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y", ?}, {?}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}p1]>}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

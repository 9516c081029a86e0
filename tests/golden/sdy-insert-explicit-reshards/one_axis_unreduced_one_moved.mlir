// RUN: --sdy-insert-explicit-reshards
// "w" becomes unreduced; "x", which stands behind it, moves to the other dimension first.
sdy.mesh @mesh = <["w"=2, "x"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w", "x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"w"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}], unreduced={"w"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["w"=2, "x"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w", "x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"w"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"w"}, {"x"}]> : tensor<8x8xf32>
    %1 = sdy.sharded_to_unreduced [{"w"}, {}] %0 out_sharding=<@mesh, [{}, {"x"}], unreduced={"w"}> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

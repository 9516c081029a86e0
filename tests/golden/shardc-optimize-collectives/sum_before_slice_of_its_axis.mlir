// RUN: --shardc-optimize-collectives
// A slice takes an axis of which a part is still to be reduced: the sum comes before it.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = sdy.all_reduce {"x", "y":(2)2} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
  %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = sdy.reduce_scatter [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    %1 = sdy.all_reduce {"y":(2)2} %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}

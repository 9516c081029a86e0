// RUN: --sdy-remove-size-one-axes
// Of a written collective nothing but its operand is left when all of its axes have size one.
sdy.mesh @mesh = <["x"=1, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_slice [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=1, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

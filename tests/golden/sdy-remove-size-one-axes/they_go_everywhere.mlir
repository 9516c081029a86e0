// RUN: --sdy-remove-size-one-axes
sdy.mesh @mesh = <["x"=1, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1], replicated={"y"}>}) {
  return
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=1, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}) {
    return
  }
}

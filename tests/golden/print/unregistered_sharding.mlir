// RUN: --allow-unregistered-dialect
// An op of an unknown dialect can have a sharding, as any op can.
sdy.mesh @mesh = <["w"=4, "x"=2]>
func.func @main(%d: tensor<9x9xi32>) -> tensor<9x9xi32> {
  %6 = "foo.bar"(%d) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x9xi32>) -> tensor<9x9xi32>
  %11 = sdy.replicated_to_unreduced {"w":(2)2} %6 out_sharding=<@mesh, [{}, {}], unreduced={"w":(2)2}> : tensor<9x9xi32>
  return %11: tensor<9x9xi32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["w"=4, "x"=2]>
  func.func @main(%arg0: tensor<9x9xi32>) -> tensor<9x9xi32> {
    %0 = "foo.bar"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x9xi32>) -> tensor<9x9xi32>
    %1 = sdy.replicated_to_unreduced {"w":(2)2} %0 out_sharding=<@mesh, [{}, {}], unreduced={"w":(2)2}> : tensor<9x9xi32>
    return %1 : tensor<9x9xi32>
  }
}

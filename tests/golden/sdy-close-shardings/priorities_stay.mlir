// RUN: --sdy-close-shardings
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}p2, {?}p0]>}) -> tensor<8x8x8xf32> {
  return %arg0 : tensor<8x8x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y"}p2, {}]>}) -> tensor<8x8x8xf32> {
    return %arg0 : tensor<8x8x8xf32>
  }
}

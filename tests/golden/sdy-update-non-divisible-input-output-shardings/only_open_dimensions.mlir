// RUN: --sdy-update-non-divisible-input-output-shardings=only-open=true
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}, %arg1: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
  return %arg1 : tensor<4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg1: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
    return %arg1 : tensor<4xf32>
  }
}

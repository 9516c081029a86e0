// RUN: --sdy-basic-propagate
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=123456789 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=123456789 : tensor<8xf32>
  return %arg1 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
    sdy.sharding_group %arg0 group_id=123456789 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=123456789 : tensor<8xf32>
    return %arg1 : tensor<8xf32>
  }
}

// RUN: --sdy-sharding-group-import --sdy-user-priority-propagate
// Members of a group are sharded alike without any data flowing between them; groups that share a member are one.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<8xf32>
  sdy.sharding_group %0 group_id = 7 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id = 7 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id = 3 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id = 3 : tensor<8xf32>
  return
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
    sdy.sharding_group %0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=0 : tensor<8xf32>
    return
  }
}

// RUN: --shardc-apply-constraints
// A constraint becomes its input's sharding; overlapping groups are one, from 0.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  sdy.sharding_group %1 group_id = 7 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id = 7 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id = 9 : tensor<8xf32>
  return %1, %arg1 : tensor<8xf32>, tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
    sdy.sharding_group %1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    return %1, %arg1 : tensor<8xf32>, tensor<8xf32>
  }
}

// RUN: --sdy-apply-sharding-constraints
// A closed constraint becomes its input's sharding; an open one, or one of two that disagree, does not.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{"x", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg2 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<8xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"x", ?}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %arg2 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<8xf32>
    return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

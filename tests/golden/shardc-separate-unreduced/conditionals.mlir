// RUN: --shardc-separate-unreduced
// A conditional whose branches all give parts gives parts; where one gives the sum, it gives the sum.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.if"(%arg0) ({
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xf32>
    stablehlo.return %1, %1 : tensor<4xf32>, tensor<4xf32>
  }, {
    stablehlo.return %arg1, %arg2 : tensor<4xf32>, tensor<4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, [{}], unreduced={"x"}>]>} : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = "stablehlo.if"(%arg0) ({
      %2 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xf32>
      stablehlo.return %2, %2 : tensor<4xf32>, tensor<4xf32>
    }, {
      stablehlo.return %arg1, %arg2 : tensor<4xf32>, tensor<4xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>, <@mesh, [{}]>]>} : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
    %1 = sdy.reshard %0#1 <@mesh, [{}], unreduced={"x"}> : tensor<4xf32>
    return %0#0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}

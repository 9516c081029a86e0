// RUN: --shardc-separate-unreduced
// A loop that only adds parts to its carry carries parts. It carries the sum where it adds a whole value, or needs the sum.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %arg2: tensor<4x4xf32>, %arg3: tensor<i32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %arg1, %iterArg_1 = %arg1, %iterArg_2 = %arg1) : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}], unreduced={"x"}>, <@mesh, [{}, {}], unreduced={"x"}>, <@mesh, [{}, {}], unreduced={"x"}>]>}
  cond {
    %1 = stablehlo.compare LT, %iterArg, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.add %iterArg_0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<4x4xf32>
    %3 = stablehlo.add %iterArg_1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<4x4xf32>
    %4 = stablehlo.tanh %iterArg_2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<4x4xf32>
    stablehlo.return %iterArg, %2, %3, %4 : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %arg2: tensor<4x4xf32>, %arg3: tensor<i32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %0:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %arg1, %iterArg_1 = %arg1, %iterArg_2 = %arg1) : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}], unreduced={"x"}>, <@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>}
    cond {
      %3 = stablehlo.compare LT, %iterArg, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %4 = stablehlo.add %iterArg_0, %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<4x4xf32>
      %5 = stablehlo.add %iterArg_1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<4x4xf32>
      %6 = sdy.reshard %5 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
      %7 = stablehlo.tanh %iterArg_2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<4x4xf32>
      %8 = sdy.reshard %7 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
      stablehlo.return %iterArg, %4, %6, %8 : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    }
    %1 = sdy.reshard %0#3 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %2 = sdy.reshard %0#2 <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    return %0#1, %2, %1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}

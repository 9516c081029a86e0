// RUN: --sdy-add-data-flow-edges --sdy-basic-propagate --sdy-sink-data-flow-edges
// Into a loop and out of it; not past a barrier that lets things go backward only.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32>
  cond {
    %3 = stablehlo.compare LT, %iterArg_0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3 = stablehlo.tanh %iterArg : tensor<8xf32>
    stablehlo.return %3, %iterArg_0 : tensor<8xf32>, tensor<i32>
  }
  %1 = sdy.propagation_barrier %0#0 allowed_direction=BACKWARD : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, []>]>}
    cond {
      %3 = stablehlo.compare LT, %iterArg_0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.tanh %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
      stablehlo.return %3, %iterArg_0 : tensor<8xf32>, tensor<i32>
    }
    %1 = sdy.propagation_barrier %0#0 allowed_direction=BACKWARD : tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}

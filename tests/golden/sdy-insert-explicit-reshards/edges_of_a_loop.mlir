// RUN: --sdy-insert-explicit-reshards
// What enters a loop and what its body returns lies as the loop's result does.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<i1>) -> tensor<8x4xf32> {
  %0 = stablehlo.while(%iterArg = %arg0) : tensor<8x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x4xf32>
    stablehlo.return %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<i1>) -> tensor<8x4xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<8x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %3 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
      %4 = sdy.reshard %3 <@mesh, [{}, {}]> : tensor<8x4xf32>
      %5 = sdy.reshard %4 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
      stablehlo.return %5 : tensor<8x4xf32>
    }
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}

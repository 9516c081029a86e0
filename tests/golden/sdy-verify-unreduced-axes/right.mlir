// RUN: --sdy-verify-unreduced-axes
// Reshards and constraints may drop unreduced axes, also for what uses them; products and sums may add them; meshes are not compared.
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["z"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}]> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg0 <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<8xf32>
  %4 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@n, [{}]>]>} : tensor<8xf32>
  %5 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %6 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=min{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  sdy.mesh @n = <["z"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) {
    %0 = sdy.reshard %arg0 <@m, [{"x"}]> : tensor<8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
    %2 = sdy.sharding_constraint %arg0 <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
    %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<8xf32>
    %4 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@n, [{}]>]>} : tensor<8xf32>
    %5 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=min{"y"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %arg0 : tensor<8xf32>
  }
}

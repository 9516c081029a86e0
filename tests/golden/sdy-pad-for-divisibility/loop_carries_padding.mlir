// RUN: --sdy-pad-for-divisibility
// What a loop carries is padded once, before it.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<3xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1:2 = stablehlo.while(%a = %0, %i = %zero) : tensor<3xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
   cond {
    %2 = stablehlo.compare LT, %i, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.constant dense<[0.5, 1.0, 1.5]> : tensor<3xf32>
    %3 = stablehlo.multiply %a, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<3xf32>
    %4 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %4 : tensor<3xf32>, tensor<i32>
  }
  %5 = sdy.all_gather [{"x"}] %1#0 out_sharding=<@mesh, [{}]> : tensor<3xf32>
  return %5 : tensor<3xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %1, %iterArg_1 = %c) : tensor<4xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      %5 = stablehlo.compare LT, %iterArg_1, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %cst_2 = stablehlo.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00]> : tensor<3xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.pad %cst_2, %cst_3, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
      %6 = stablehlo.multiply %iterArg, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
      %7 = stablehlo.add %iterArg_1, %c_0 : tensor<i32>
      stablehlo.return %6, %7 : tensor<4xf32>, tensor<i32>
    }
    %3 = sdy.all_gather [{"x"}] %2#0 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    %4 = stablehlo.slice %3 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    return %4 : tensor<3xf32>
  }
}

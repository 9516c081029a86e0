// RUN: --shardc-merge-equal-ops
// A constant inside a manual computation does not become the equal one outside, which is not in sight.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %0 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
    %4 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %5 = stablehlo.add %arg1, %4 : tensor<2xf32>
    sdy.return %5 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %3, %2 : tensor<8xf32>, tensor<f32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%cst init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
      %2 = stablehlo.add %arg1, %cst_1 : tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1, %0 : tensor<8xf32>, tensor<f32>
  }
}

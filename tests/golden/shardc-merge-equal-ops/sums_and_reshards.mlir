// RUN: --shardc-merge-equal-ops
// Equal reshards and equal reductions become one, and split constants are plain ones again.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) {
  %0 = sdy.constant dense<0.000000e+00> : tensor<f32>
  %1 = sdy.constant dense<0.000000e+00> : tensor<f32>
  %2 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  %3 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  %4 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.reduce(%arg0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %2, %3, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %0, %0, %1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
  }
}

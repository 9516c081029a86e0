// RUN: --sdy-insert-explicit-reshards=enable-full-version=true
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1:2 = stablehlo.reduce(%arg0 init: %0), (%arg0 init: %0) across dimensions = [1] : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %2 = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %2, %b : tensor<f32>, tensor<f32>
  }
  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg0 init: %cst) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<f32>, %arg4: tensor<f32>)  {
      %3 = stablehlo.add %arg1, %arg3 : tensor<f32>
      stablehlo.return %3, %arg2 : tensor<f32>, tensor<f32>
    }
    %1 = sdy.reshard %0#0 <@mesh, [{}]> : tensor<4xf32>
    %2 = sdy.reshard %0#1 <@mesh, [{?}]> : tensor<4xf32>
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}

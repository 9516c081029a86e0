// RUN: --sdy-resolve-single-device-sharding
// One device computes, the others get the result from it.
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @device_1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.reshard %arg0 <@device_1, []> : tensor<4xf32>
  %1 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>]>} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<4xf32>
  return %2 : tensor<4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @device_1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.compare EQ, %1, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %5 = stablehlo.custom_call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %5 : tensor<4xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
      stablehlo.return %cst : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}

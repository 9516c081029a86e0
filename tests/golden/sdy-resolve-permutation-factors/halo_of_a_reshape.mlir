// RUN: --sdy-resolve-permutation-factors
// Rows of three over four devices are no tiles of six: each device fetches the run of elements that is its tile.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<6xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<6xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32>) -> tensor<2x3xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst_0, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = sdy.manual_computation(%1, %cst) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x":(1)2}, {"x":(2)2}]>] manual_axes={"x"} (%arg1: tensor<2xf32>, %arg2: tensor<f32>) {
      %4 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %5 = stablehlo.concatenate %4, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      %6 = stablehlo.pad %5, %arg2, low = [2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
      %7 = stablehlo.partition_id : tensor<ui32>
      %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[4, 4, 3, 3]> : tensor<4xi64>
      %9 = stablehlo.dynamic_slice %c, %8, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
      %10 = stablehlo.reshape %9 : (tensor<1xi64>) -> tensor<i64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %11 = stablehlo.dynamic_slice %6, %10, sizes = [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
      %12 = stablehlo.reshape %11 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2xf32>) -> tensor<1x2xf32>
      sdy.return %12 : tensor<1x2xf32>
    } : (tensor<8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %3 = stablehlo.slice %2 [0:2, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<2x4xf32>) -> tensor<2x3xf32>
    return %3 : tensor<2x3xf32>
  }
}

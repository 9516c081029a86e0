// RUN: --sdy-resolve-permutation-factors
// The devices reverse their tiles, and change places; padding moves to the front before.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<5xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
  return %1 : tensor<5xf32>
}
// ---- expect
module {
  sdy.mesh @mesh_reversed = <["x"=2], device_ids=[1, 0]>
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<3xf32>) {
      %6 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
      %7 = stablehlo.slice %6 [2:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xf32>) -> tensor<1xf32>
      %8 = stablehlo.slice %arg1 [0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xf32>) -> tensor<2xf32>
      %9 = stablehlo.concatenate %7, %8, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
      sdy.return %9 : tensor<3xf32>
    } : (tensor<6xf32>) -> tensor<6xf32>
    %3 = stablehlo.reverse %2, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh_reversed, [{"x"}]>]>} : tensor<6xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}]> : tensor<6xf32>
    %5 = stablehlo.slice %4 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<5xf32>
    return %5 : tensor<5xf32>
  }
}

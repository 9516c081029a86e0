// RUN: --sdy-resolve-permutation-factors
// Every device takes its piece from its neighbours' tiles; where there is no neighbour, padding.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<10xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %arg0, %one, low = [1], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<10xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = sdy.manual_computation(%arg0, %cst) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>, %arg2: tensor<f32>) {
      %2 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %3 = stablehlo.partition_id : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<3> : tensor<i64>
      %5 = stablehlo.compare LT, %4, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %6 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %7 = stablehlo.select %5, %2, %6 : tensor<i1>, tensor<2xf32>
      %8 = stablehlo.concatenate %arg1, %7, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      %9 = stablehlo.pad %8, %arg2, low = [3], high = [3], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>
      %10 = stablehlo.partition_id : tensor<ui32>
      %11 = stablehlo.convert %10 : (tensor<ui32>) -> tensor<i64>
      %c_0 = stablehlo.constant dense<1> : tensor<i64>
      %c_1 = stablehlo.constant dense<2> : tensor<i64>
      %12 = stablehlo.multiply %11, %c_0 : tensor<i64>
      %13 = stablehlo.add %12, %c_1 : tensor<i64>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %14 = stablehlo.maximum %13, %c_2 : tensor<i64>
      %15 = stablehlo.dynamic_slice %9, %14, sizes = [3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<10xf32>, tensor<i64>) -> tensor<3xf32>
      sdy.return %15 : tensor<3xf32>
    } : (tensor<8xf32>, tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.slice %0 [0:10] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<12xf32>) -> tensor<10xf32>
    return %1 : tensor<10xf32>
  }
}

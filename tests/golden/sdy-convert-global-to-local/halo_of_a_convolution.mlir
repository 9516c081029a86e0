// RUN: --sdy-convert-global-to-local --stablehlo-aggressive-simplification --cse
// Each device gets one row from either neighbour; rows beyond the image are zero.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<1x16x4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %arg1: tensor<3x1x1x2xf32>) -> (tensor<1x16x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}, {}]>]>} : (tensor<1x16x4x1xf32>, tensor<3x1x1x2xf32>) -> tensor<1x16x4x2xf32>
  return %0 : tensor<1x16x4x2xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<1x4x4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %arg1: tensor<3x1x1x2xf32>) -> (tensor<1x4x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
    %0 = stablehlo.slice %arg0 [0:1, 3:4, 0:4, 0:1] : (tensor<1x4x4x1xf32>) -> tensor<1x1x4x1xf32>
    %1 = "stablehlo.collective_permute"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<1x1x4x1xf32>) -> tensor<1x1x4x1xf32>
    %2 = stablehlo.slice %arg0 [0:1, 0:1, 0:4, 0:1] : (tensor<1x4x4x1xf32>) -> tensor<1x1x4x1xf32>
    %3 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>}> : (tensor<1x1x4x1xf32>) -> tensor<1x1x4x1xf32>
    %4 = stablehlo.concatenate %1, %arg0, %3, dim = 1 : (tensor<1x1x4x1xf32>, tensor<1x4x4x1xf32>, tensor<1x1x4x1xf32>) -> tensor<1x6x4x1xf32>
    %5 = stablehlo.convolution(%4, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x4x1xf32>, tensor<3x1x1x2xf32>) -> tensor<1x4x4x2xf32>
    return %5 : tensor<1x4x4x2xf32>
  }
}

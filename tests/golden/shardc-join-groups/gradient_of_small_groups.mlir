// RUN: --shardc-join-groups
// Groups of four images become groups of eight (without a target: a vector of eight f32), of whose results those of the old groups are taken. Larger groups stay, and images whose pixels lie together.
func.func @main(%x: tensor<2x14x14x32xf32>, %g: tensor<2x14x14x64xf32>, %p: tensor<32x2x14x14xf32>) -> (tensor<3x3x4x64xf32>, tensor<3x3x16x64xf32>, tensor<3x3x4x64xf32>) {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 8 : i64, feature_group_count = 1 : i64} : (tensor<2x14x14x32xf32>, tensor<2x14x14x64xf32>) -> tensor<3x3x4x64xf32>
  %1 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x14x14x32xf32>, tensor<2x14x14x64xf32>) -> tensor<3x3x16x64xf32>
  %2 = stablehlo.convolution(%p, %g) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 8 : i64, feature_group_count = 1 : i64} : (tensor<32x2x14x14xf32>, tensor<2x14x14x64xf32>) -> tensor<3x3x4x64xf32>
  return %0, %1, %2 : tensor<3x3x4x64xf32>, tensor<3x3x16x64xf32>, tensor<3x3x4x64xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x14x14x32xf32>, %arg1: tensor<2x14x14x64xf32>, %arg2: tensor<32x2x14x14xf32>) -> (tensor<3x3x4x64xf32>, tensor<3x3x16x64xf32>, tensor<3x3x4x64xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<2x14x14x32xf32>, tensor<2x14x14x64xf32>) -> tensor<3x3x8x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<3x3x8x64xf32>) -> tensor<3x3x2x4x4x2x8xf32>
    %2 = stablehlo.slice %1 [0:3, 0:3, 0:1, 0:4, 0:4, 0:1, 0:8] : (tensor<3x3x2x4x4x2x8xf32>) -> tensor<3x3x1x4x4x1x8xf32>
    %3 = stablehlo.slice %1 [0:3, 0:3, 1:2, 0:4, 0:4, 1:2, 0:8] : (tensor<3x3x2x4x4x2x8xf32>) -> tensor<3x3x1x4x4x1x8xf32>
    %4 = stablehlo.concatenate %2, %3, dim = 5 : (tensor<3x3x1x4x4x1x8xf32>, tensor<3x3x1x4x4x1x8xf32>) -> tensor<3x3x1x4x4x2x8xf32>
    %5 = stablehlo.reshape %4 : (tensor<3x3x1x4x4x2x8xf32>) -> tensor<3x3x4x64xf32>
    %6 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x14x14x32xf32>, tensor<2x14x14x64xf32>) -> tensor<3x3x16x64xf32>
    %7 = stablehlo.convolution(%arg2, %arg1) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 8 : i64, feature_group_count = 1 : i64} : (tensor<32x2x14x14xf32>, tensor<2x14x14x64xf32>) -> tensor<3x3x4x64xf32>
    return %5, %6, %7 : tensor<3x3x4x64xf32>, tensor<3x3x16x64xf32>, tensor<3x3x4x64xf32>
  }
}

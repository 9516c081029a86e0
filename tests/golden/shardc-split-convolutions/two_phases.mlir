// RUN: --shardc-split-convolutions
// A dilated dimension becomes two convolutions with every second element of the window, interleaved; the other dimension keeps its stride.
func.func @main(%arg0: tensor<2x7x6x5xf32>, %arg1: tensor<3x3x4x5xf32>) -> tensor<2x13x3x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<3x3x4x5xf32>) -> tensor<2x13x3x4xf32>
  return %0 : tensor<2x13x3x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x7x6x5xf32>, %arg1: tensor<3x3x4x5xf32>) -> tensor<2x13x3x4xf32> {
    %0 = stablehlo.slice %arg1 [1:2:2, 0:3, 0:4, 0:5] : (tensor<3x3x4x5xf32>) -> tensor<1x3x4x5xf32>
    %1 = stablehlo.convolution(%arg0, %0) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 0], [1, 1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<1x3x4x5xf32>) -> tensor<2x7x3x4xf32>
    %2 = stablehlo.slice %arg1 [0:3:2, 0:3, 0:4, 0:5] : (tensor<3x3x4x5xf32>) -> tensor<2x3x4x5xf32>
    %3 = stablehlo.convolution(%arg0, %2) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 1], [1, 1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x7x3x4xf32>
    %4 = stablehlo.reshape %1 : (tensor<2x7x3x4xf32>) -> tensor<2x7x1x3x4xf32>
    %5 = stablehlo.reshape %3 : (tensor<2x7x3x4xf32>) -> tensor<2x7x1x3x4xf32>
    %6 = stablehlo.concatenate %4, %5, dim = 2 : (tensor<2x7x1x3x4xf32>, tensor<2x7x1x3x4xf32>) -> tensor<2x7x2x3x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<2x7x2x3x4xf32>) -> tensor<2x14x3x4xf32>
    %8 = stablehlo.slice %7 [0:2, 0:13, 0:3, 0:4] : (tensor<2x14x3x4xf32>) -> tensor<2x13x3x4xf32>
    return %8 : tensor<2x13x3x4xf32>
  }
}

// RUN: --shardc-split-convolutions
// With the features last a product of all places, behind the images one of the filter and each image; a stride, or another order, stays a convolution.
func.func @main(%x: tensor<2x7x6x5xf32>, %w: tensor<1x1x5x4xf32>, %y: tensor<2x5x7x6xf32>, %v: tensor<4x5x1x1xf32>) -> (tensor<2x7x6x4xf32>, tensor<2x4x7x6xf32>, tensor<2x4x4x3xf32>, tensor<2x4x6x7xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<1x1x5x4xf32>) -> tensor<2x7x6x4xf32>
  %1 = stablehlo.convolution(%y, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x6xf32>, tensor<4x5x1x1xf32>) -> tensor<2x4x7x6xf32>
  %2 = stablehlo.convolution(%y, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x6xf32>, tensor<4x5x1x1xf32>) -> tensor<2x4x4x3xf32>
  %3 = stablehlo.convolution(%y, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 1, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x6xf32>, tensor<4x5x1x1xf32>) -> tensor<2x4x6x7xf32>
  return %0, %1, %2, %3 : tensor<2x7x6x4xf32>, tensor<2x4x7x6xf32>, tensor<2x4x4x3xf32>, tensor<2x4x6x7xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x7x6x5xf32>, %arg1: tensor<1x1x5x4xf32>, %arg2: tensor<2x5x7x6xf32>, %arg3: tensor<4x5x1x1xf32>) -> (tensor<2x7x6x4xf32>, tensor<2x4x7x6xf32>, tensor<2x4x4x3xf32>, tensor<2x4x6x7xf32>) {
    %0 = stablehlo.reshape %arg1 : (tensor<1x1x5x4xf32>) -> tensor<5x4xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [3] x [0] : (tensor<2x7x6x5xf32>, tensor<5x4xf32>) -> tensor<2x7x6x4xf32>
    %2 = stablehlo.reshape %arg3 : (tensor<4x5x1x1xf32>) -> tensor<4x5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<4x5xf32>) -> tensor<2x4x5xf32>
    %4 = stablehlo.dot_general %3, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x5xf32>, tensor<2x5x7x6xf32>) -> tensor<2x4x7x6xf32>
    %5 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x6xf32>, tensor<4x5x1x1xf32>) -> tensor<2x4x4x3xf32>
    %6 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 1, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x6xf32>, tensor<4x5x1x1xf32>) -> tensor<2x4x6x7xf32>
    return %1, %4, %5, %6 : tensor<2x7x6x4xf32>, tensor<2x4x7x6xf32>, tensor<2x4x4x3xf32>, tensor<2x4x6x7xf32>
  }
}

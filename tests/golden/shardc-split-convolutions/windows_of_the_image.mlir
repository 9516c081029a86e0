// RUN: --shardc-split-convolutions
// The gradient of a filter of one place is a product over images and places, in either order of the result; a window with holes stays a convolution.
func.func @main(%x: tensor<2x7x6x5xf32>, %d: tensor<2x7x6x4xf32>, %y: tensor<2x5x7x6xf32>, %e: tensor<2x4x7x6xf32>, %z: tensor<2x13x11x5xf32>) -> (tensor<1x1x5x4xf32>, tensor<4x5x1x1xf32>, tensor<1x1x5x4xf32>) {
  %0 = stablehlo.convolution(%x, %d) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<2x7x6x4xf32>) -> tensor<1x1x5x4xf32>
  %1 = stablehlo.convolution(%y, %e) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x7x6xf32>, tensor<2x4x7x6xf32>) -> tensor<4x5x1x1xf32>
  %2 = stablehlo.convolution(%z, %d) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x13x11x5xf32>, tensor<2x7x6x4xf32>) -> tensor<1x1x5x4xf32>
  return %0, %1, %2 : tensor<1x1x5x4xf32>, tensor<4x5x1x1xf32>, tensor<1x1x5x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x7x6x5xf32>, %arg1: tensor<2x7x6x4xf32>, %arg2: tensor<2x5x7x6xf32>, %arg3: tensor<2x4x7x6xf32>, %arg4: tensor<2x13x11x5xf32>) -> (tensor<1x1x5x4xf32>, tensor<4x5x1x1xf32>, tensor<1x1x5x4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 1, 2] x [0, 1, 2] : (tensor<2x7x6x5xf32>, tensor<2x7x6x4xf32>) -> tensor<5x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<5x4xf32>) -> tensor<1x1x5x4xf32>
    %2 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [0, 2, 3] x [0, 2, 3] : (tensor<2x4x7x6xf32>, tensor<2x5x7x6xf32>) -> tensor<4x5xf32>
    %3 = stablehlo.reshape %2 : (tensor<4x5xf32>) -> tensor<4x5x1x1xf32>
    %4 = stablehlo.convolution(%arg4, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x13x11x5xf32>, tensor<2x7x6x4xf32>) -> tensor<1x1x5x4xf32>
    return %1, %3, %4 : tensor<1x1x5x4xf32>, tensor<4x5x1x1xf32>, tensor<1x1x5x4xf32>
  }
}

// Gradients of filters: what convolves are the features, neighbours in memory, and the window is the result's gradient. Feature counts that a panel's
// width divides, or does not; strides, borders.
// tolerance: 1e-4
func.func @main(%a0: tensor<3x9x10x16xf32>, %b0: tensor<3x9x10x20xf32>, %a1: tensor<2x11x8x24xf32>, %b1: tensor<2x6x4x33xf32>, %a2: tensor<2x9x9x40xbf16>, %b2: tensor<2x9x9x8xbf16>, %a3: tensor<2x9x9x9xf32>, %b3: tensor<2x5x5x5xf32>, %a4: tensor<1x20x20x64xf32>, %b4: tensor<1x18x18x64xf32>) -> (tensor<3x3x16x20xf32>, tensor<3x3x24x33xf32>, tensor<3x3x40x8xf32>, tensor<3x3x9x5xf32>, tensor<5x5x64x64xf32>) {
%0 = stablehlo.convolution(%a0, %b0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x9x10x16xf32>, tensor<3x9x10x20xf32>) -> tensor<3x3x16x20xf32>
%1 = stablehlo.convolution(%a1, %b1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 0]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x11x8x24xf32>, tensor<2x6x4x33xf32>) -> tensor<3x3x24x33xf32>
%2 = stablehlo.convolution(%a2, %b2) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xbf16>, tensor<2x9x9x8xbf16>) -> tensor<3x3x40x8xf32>
%3 = stablehlo.convolution(%a3, %b3) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x9xf32>, tensor<2x5x5x5xf32>) -> tensor<3x3x9x5xf32>
%4 = stablehlo.convolution(%a4, %b4) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x20x20x64xf32>, tensor<1x18x18x64xf32>) -> tensor<5x5x64x64xf32>
return %0, %1, %2, %3, %4 : tensor<3x3x16x20xf32>, tensor<3x3x24x33xf32>, tensor<3x3x40x8xf32>, tensor<3x3x9x5xf32>, tensor<5x5x64x64xf32>
}

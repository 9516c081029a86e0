// Dilated images, as in the gradients of strided convolutions: several factors, results that the factors do not divide, padding that cuts, a reversed
// window, a window smaller than the factor, strides beside them.
// tolerance: 1e-5
func.func @main(%a: tensor<2x7x6x5xf32>, %b: tensor<4x3x3x5xf32>) -> (tensor<2x16x17x3xf32>, tensor<2x14x9x3xf32>, tensor<2x7x11x3xf32>, tensor<2x14x12x4xf32>) {
%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 4], [1, 2]], lhs_dilate = [2, 3], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<4x3x3x5xf32>) -> tensor<2x16x17x3xf32>
%1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[-1, 5], [6, 7]], lhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<4x3x3x5xf32>) -> tensor<2x14x9x3xf32>
%2 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [4, 1], pad = [[2, 7], [-3, 0]], lhs_dilate = [3, 3], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<4x3x3x5xf32>) -> tensor<2x7x11x3xf32>
%s = stablehlo.slice %b [0:4, 0:1, 0:2, 0:5] : (tensor<4x3x3x5xf32>) -> tensor<4x1x2x5xf32>
%r = stablehlo.reshape %s : (tensor<4x1x2x5xf32>) -> tensor<1x2x4x5xf32>
%3 = stablehlo.convolution(%a, %r) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[0, 1], [1, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<1x2x4x5xf32>) -> tensor<2x14x12x4xf32>
return %0, %1, %2, %3 : tensor<2x16x17x3xf32>, tensor<2x14x9x3xf32>, tensor<2x7x11x3xf32>, tensor<2x14x12x4xf32>
}

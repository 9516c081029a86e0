// Convolutions of images whose rows and columns are sharded: neighbours' borders are read where the image is copied. Windows of odd and even size, strides,
// dilation, tiles that do not divide, groups.
// tolerance: 1e-5
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a0: tensor<2x16x24x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}, %b0: tensor<4x5x3x16xf32>, %a1: tensor<1x15x26x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {}]>}, %b1: tensor<3x3x5x7xf32>, %a2: tensor<2x12x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}, {}]>}, %b2: tensor<3x3x1x16xf32>) -> (tensor<2x16x24x16xf32>, tensor<1x15x13x7xf32>, tensor<2x12x32x16xf32>) {
%0 = stablehlo.convolution(%a0, %b0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 2], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x24x3xf32>, tensor<4x5x3x16xf32>) -> tensor<2x16x24x16xf32>
%1 = stablehlo.convolution(%a1, %b1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x15x26x5xf32>, tensor<3x3x5x7xf32>) -> tensor<1x15x13x7xf32>
%2 = stablehlo.convolution(%a2, %b2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<2x12x32x16xf32>, tensor<3x3x1x16xf32>) -> tensor<2x12x32x16xf32>
return %0, %1, %2 : tensor<2x16x24x16xf32>, tensor<1x15x13x7xf32>, tensor<2x12x32x16xf32>
}

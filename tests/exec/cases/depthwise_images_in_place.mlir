// Depthwise convolutions of f32 images that are read where they lie: borders of rows and columns,
// last pixels that begin earlier, one group of pixels in a row, groups of two features, dilated and
// reversed windows, negative padding, one and three dimensions, and a result that is added to.
// tolerance: 1e-5
func.func public @main(
    %image: tensor<2x13x19x48xf32>, %narrow: tensor<2x7x7x80xf32>, %volume: tensor<1x5x6x9x32xf32>,
    %line: tensor<3x37x64xf32>, %small: tensor<3x3x1x48xf32>, %large: tensor<5x5x1x80xf32>,
    %pairs: tensor<3x3x1x96xf32>, %cube: tensor<3x3x3x1x32xf32>, %row: tensor<4x1x64xf32>,
    %more: tensor<2x13x19x48xf32>)
    -> (tensor<2x13x19x48xf32>, tensor<2x6x9x48xf32>, tensor<2x13x18x48xf32>, tensor<2x7x7x80xf32>,
        tensor<2x11x17x96xf32>, tensor<1x5x6x9x32xf32>, tensor<3x39x64xf32>) {
  %0 = stablehlo.convolution(%image, %small)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 48 : i64}
    : (tensor<2x13x19x48xf32>, tensor<3x3x1x48xf32>) -> tensor<2x13x19x48xf32>
  %sum = stablehlo.add %0, %more : tensor<2x13x19x48xf32>
  %1 = stablehlo.convolution(%image, %small)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 2], pad = [[1, 0], [0, 1]], reverse = [true, false]}
    {batch_group_count = 1 : i64, feature_group_count = 48 : i64}
    : (tensor<2x13x19x48xf32>, tensor<3x3x1x48xf32>) -> tensor<2x6x9x48xf32>
  %2 = stablehlo.convolution(%image, %small)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[2, 2], [4, -1]], rhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 48 : i64}
    : (tensor<2x13x19x48xf32>, tensor<3x3x1x48xf32>) -> tensor<2x13x18x48xf32>
  %3 = stablehlo.convolution(%narrow, %large)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[2, 2], [2, 2]]}
    {batch_group_count = 1 : i64, feature_group_count = 80 : i64}
    : (tensor<2x7x7x80xf32>, tensor<5x5x1x80xf32>) -> tensor<2x7x7x80xf32>
  %4 = stablehlo.convolution(%image, %pairs)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 48 : i64}
    : (tensor<2x13x19x48xf32>, tensor<3x3x1x96xf32>) -> tensor<2x11x17x96xf32>
  %5 = stablehlo.convolution(%volume, %cube)
    dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f],
    window = {stride = [1, 1, 1], pad = [[1, 1], [1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 32 : i64}
    : (tensor<1x5x6x9x32xf32>, tensor<3x3x3x1x32xf32>) -> tensor<1x5x6x9x32xf32>
  %6 = stablehlo.convolution(%line, %row)
    dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [1], pad = [[3, 2]]}
    {batch_group_count = 1 : i64, feature_group_count = 64 : i64}
    : (tensor<3x37x64xf32>, tensor<4x1x64xf32>) -> tensor<3x39x64xf32>
  return %sum, %1, %2, %3, %4, %5, %6
    : tensor<2x13x19x48xf32>, tensor<2x6x9x48xf32>, tensor<2x13x18x48xf32>, tensor<2x7x7x80xf32>,
      tensor<2x11x17x96xf32>, tensor<1x5x6x9x32xf32>, tensor<3x39x64xf32>
}

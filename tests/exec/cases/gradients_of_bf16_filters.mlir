// Gradients of bf16 filters, of images with their features last: tiles that are not full, rows that
// are cut into bands, an odd number of images and columns, a dilated filter, one dimension.
// tolerance: 2e-2
func.func public @main(
    %a: tensor<3x12x13x32xbf16>, %g: tensor<3x12x13x24xbf16>, %h: tensor<3x10x11x40xbf16>,
    %b: tensor<1x40x31x48xbf16>, %i: tensor<1x40x31x16xbf16>, %c: tensor<2x150x16xbf16>, %j: tensor<2x148x33xbf16>)
    -> (tensor<3x3x32x24xbf16>, tensor<2x2x32x40xbf16>, tensor<3x3x48x16xf32>, tensor<5x16x33xbf16>) {
  %0 = stablehlo.convolution(%a, %g)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<3x12x13x32xbf16>, tensor<3x12x13x24xbf16>) -> tensor<3x3x32x24xbf16>
  %1 = stablehlo.convolution(%a, %h)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [2, 2], pad = [[0, 0], [0, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<3x12x13x32xbf16>, tensor<3x10x11x40xbf16>) -> tensor<2x2x32x40xbf16>
  %2 = stablehlo.convolution(%b, %i)
    dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {stride = [1, 1], pad = [[1, 1], [2, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x40x31x48xbf16>, tensor<1x40x31x16xbf16>) -> tensor<3x3x48x16xf32>
  %3 = stablehlo.convolution(%c, %j)
    dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f],
    window = {stride = [1], pad = [[1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x150x16xbf16>, tensor<2x148x33xbf16>) -> tensor<5x16x33xbf16>
  return %0, %1, %2, %3
    : tensor<3x3x32x24xbf16>, tensor<2x2x32x40xbf16>, tensor<3x3x48x16xf32>, tensor<5x16x33xbf16>
}

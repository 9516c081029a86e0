// An image without elements, dilated and padded: what is read is padding, not what lies behind the image.
func.func public @main(%y: tensor<5x2x2xf64>, %w: tensor<2x3x3xf64>) -> tensor<3x1x2xf64> {
  %x = stablehlo.slice %y [2:2, 0:2, 0:2] : (tensor<5x2x2xf64>) -> tensor<0x2x2xf64>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [0, b, f]x[i, o, 0]->[f, 0, b], window = {stride = [2], pad = [[1, 2]], lhs_dilate = [2], rhs_dilate = [1], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<0x2x2xf64>, tensor<2x3x3xf64>) -> tensor<3x1x2xf64>
  return %0 : tensor<3x1x2xf64>
}

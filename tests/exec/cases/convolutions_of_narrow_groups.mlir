// tolerance: 0.02
// Groups of few narrow features, of which several lie in a line of the cache: they follow each other with the weights of all of them packed. With bands of large
// images, weights of several blocks of columns, and rows of results that tile registers join.
func.func @main(%x: tensor<3x20x17x64xbf16>, %w: tensor<3x3x8x64xbf16>, %y: tensor<2x7x7x96xi8>, %v: tensor<3x3x6x160xi8>, %z: tensor<1x70x70x32xbf16>, %u: tensor<5x3x4x24xbf16>, %s: tensor<2x7x7x512xbf16>, %t: tensor<3x3x512x320xbf16>) -> (tensor<3x20x17x64xbf16>, tensor<2x7x7x160xi32>, tensor<1x35x35x24xf32>, tensor<2x7x7x320xbf16>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<3x20x17x64xbf16>, tensor<3x3x8x64xbf16>) -> tensor<3x20x17x64xbf16>
  %1 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<2x7x7x96xi8>, tensor<3x3x6x160xi8>) -> tensor<2x7x7x160xi32>
  %2 = stablehlo.convolution(%z, %u) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[2, 2], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<1x70x70x32xbf16>, tensor<5x3x4x24xbf16>) -> tensor<1x35x35x24xf32>
  %3 = stablehlo.convolution(%s, %t) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x512xbf16>, tensor<3x3x512x320xbf16>) -> tensor<2x7x7x320xbf16>
  return %0, %1, %2, %3 : tensor<3x20x17x64xbf16>, tensor<2x7x7x160xi32>, tensor<1x35x35x24xf32>, tensor<2x7x7x320xbf16>
}

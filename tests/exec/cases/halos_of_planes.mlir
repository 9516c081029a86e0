// Images whose pixels lie side by side and are sharded: groups, many features to few, the gradient of a filter; borders of neighbours are read where the image is copied.
// tolerance: 1e-5
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<2x6x10x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, %w: tensor<6x1x3x3xf32>, %b: tensor<2x8x14x20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}, {}]>}, %v: tensor<8x2x5x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, %c: tensor<2x16x12x36xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {"y"}]>}, %u: tensor<3x16x3x3xf32>, %d: tensor<2x6x10x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {"y"}]>}) -> (tensor<2x6x10x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}, {"y"}]>}, tensor<2x8x7x20xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}, {}]>}, tensor<2x3x12x36xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"y"}]>}, tensor<6x1x3x3xf32>) {
    %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<2x6x10x40xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x10x40xf32>
    %1 = stablehlo.convolution(%b, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[2, 2], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x8x14x20xf32>, tensor<8x2x5x3xf32>) -> tensor<2x8x7x20xf32>
    %2 = stablehlo.convolution(%c, %u) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x12x36xf32>, tensor<3x16x3x3xf32>) -> tensor<2x3x12x36xf32>
    %3 = stablehlo.convolution(%a, %d) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 6 : i64, feature_group_count = 1 : i64} : (tensor<2x6x10x40xf32>, tensor<2x6x10x40xf32>) -> tensor<6x1x3x3xf32>
    return %0, %1, %2, %3 : tensor<2x6x10x40xf32>, tensor<2x8x7x20xf32>, tensor<2x3x12x36xf32>, tensor<6x1x3x3xf32>
  }
}

// Weights of several blocks of features: 300 and 500 fill neither vectors nor blocks.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %x: tensor<2x2x8x300xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>},
    %w: tensor<3x3x300x500xf32>) -> tensor<2x2x8x500xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {
      batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x8x300xf32>, tensor<3x3x300x500xf32>) -> tensor<2x2x8x500xf32>
  return %0 : tensor<2x2x8x500xf32>
}

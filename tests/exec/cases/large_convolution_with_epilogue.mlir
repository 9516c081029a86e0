// A convolution beyond the caches whose tiles are written around them, with an epilogue.
// tolerance: 1e-5
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %x: tensor<2x400x420x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>},
    %w: tensor<3x3x3x16xf32>, %b: tensor<16xf32>) -> tensor<2x400x420x16xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {
      batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x400x420x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x400x420x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<16xf32>) -> tensor<2x400x420x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x400x420x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x400x420x16xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<2x400x420x16xf32>
  return %3 : tensor<2x400x420x16xf32>
}

// Grouped convolutions of images beyond the caches: the next band is prefetched, also where the array
// ends; an image of a device that is computed, and one whose features are pairs.
// tolerance: 1e-2
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %x: tensor<2x92x97x72xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>},
    %w: tensor<3x3x1x72xf32>,
    %y: tensor<3x130x64x48xbf16>,
    %v: tensor<3x3x4x48xbf16>) -> (tensor<2x92x97x72xf32>, tensor<3x130x64x48xbf16>) {
  %0 = stablehlo.add %x, %x : tensor<2x92x97x72xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {
      batch_group_count = 1 : i64, feature_group_count = 72 : i64} : (tensor<2x92x97x72xf32>, tensor<3x3x1x72xf32>) -> tensor<2x92x97x72xf32>
  %2 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {
      batch_group_count = 1 : i64, feature_group_count = 12 : i64} : (tensor<3x130x64x48xbf16>, tensor<3x3x4x48xbf16>) -> tensor<3x130x64x48xbf16>
  return %1, %2 : tensor<2x92x97x72xf32>, tensor<3x130x64x48xbf16>
}

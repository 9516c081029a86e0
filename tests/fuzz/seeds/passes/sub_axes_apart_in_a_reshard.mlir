// Parts of an axis of 6 that no product holds side by side, x:(1)2 on the features and x:(3)2 on the positions: one of them has to go.
// tolerance: 1e-4
module {
  sdy.mesh @mesh = <["x"=6]>
  func.func public @main(
      %x: tensor<6x3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {}]>},
      %kernel: tensor<1x8x2xf32>) -> (tensor<1x2x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"x", ?}]>}) {
    %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[-1, 2]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x3x8xf32>, tensor<1x8x2xf32>) -> tensor<6x4x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x4x2xf32>) -> tensor<1x2x24xf32>
    return %1 : tensor<1x2x24xf32>
  }
}

// Devices convolve images of their own with the same filters: each packs a part of the panels. One filter's features come first and its window is
// reversed; another is packed before the loop that convolves with it.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %x: tensor<2x8x9x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>},
    %w: tensor<3x2x64x256xf32>, %v: tensor<128x256x3x3xf32>, %u: tensor<3x3x128x128xf32>)
    -> (tensor<2x6x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {
      batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9x64xf32>, tensor<3x2x64x256xf32>) -> tensor<2x8x8x256xf32>
  %1 = stablehlo.tanh %0 : tensor<2x8x8x256xf32>
  %2 = stablehlo.convolution(%1, %v) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[0, 0], [1, 1]], reverse = [true, false]} {
      batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x256xf32>, tensor<128x256x3x3xf32>) -> tensor<2x6x8x128xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %3:2 = stablehlo.while(%i = %zero, %y = %2) : tensor<i32>, tensor<2x6x8x128xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %4 = stablehlo.convolution(%y, %u) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {
        batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x8x128xf32>, tensor<3x3x128x128xf32>) -> tensor<2x6x8x128xf32>
    %5 = stablehlo.tanh %4 : tensor<2x6x8x128xf32>
    stablehlo.return %next, %5 : tensor<i32>, tensor<2x6x8x128xf32>
  }
  return %3#1 : tensor<2x6x8x128xf32>
}

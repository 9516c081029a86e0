// Counts of groups that are booleans.
sdy.mesh @pair = <["k"=2]>
func.func @main(%image: tensor<1x6x6x2xf32> {sdy.sharding = #sdy.sharding<@pair, [{}, {}, {}, {"k"}]>}, %kernel: tensor<2x2x2x6xf32>) -> tensor<1x5x5x6xf32> {
  %y = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i1, feature_group_count = 1 : i1} : (tensor<1x6x6x2xf32>, tensor<2x2x2x6xf32>) -> tensor<1x5x5x6xf32>
  return %y : tensor<1x5x5x6xf32>
}

// Sharded pointwise arithmetic.
sdy.mesh @lanes = <["d"=4, "e"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@lanes, [{"d"}, {}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@lanes, [{"d"}, {}]>}) {
  %y = stablehlo.multiply %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@lanes, [{"d"}, {}]>]>} : tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// An operand that is unreduced along the axis over which the product sums.
sdy.mesh @box = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@box, [{"a"}, {}], unreduced={"b"}>}, %y: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@box, [{"b"}, {}]>}) -> (tensor<4x10xf32> {sdy.sharding = #sdy.sharding<@box, [{"a"}, {}]>}) {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@box, [{"a"}, {}], unreduced={"b"}>]>} : (tensor<4x6xf32>, tensor<6x10xf32>) -> tensor<4x10xf32>
  %r = sdy.reshard %d <@box, [{"a"}, {}]> : tensor<4x10xf32>
  %v = stablehlo.reverse %r, dims = [0] : tensor<4x10xf32>
  return %v : tensor<4x10xf32>
}

// A dimension is sharded by several axes, and its first becomes unreduced: the axes behind it are summed at once.
sdy.mesh @mesh = <["w"=4, "x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {"w"}]>}, %b: tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {"x", "y"}]>}) -> (tensor<8x4xf32>, tensor<3x5xf32>) {
  %0 = stablehlo.abs %a : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {?}], unreduced={"x"}> : tensor<8x4xf32>
  %2 = stablehlo.negate %b : tensor<3x5xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}], unreduced={"w", "x"}> : tensor<3x5xf32>
  return %1, %3 : tensor<8x4xf32>, tensor<3x5xf32>
}

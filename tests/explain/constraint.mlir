// Constraints that disagree, and a user priority.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}p1]>}) -> tensor<8x16xf32> {
  %sum = stablehlo.add %a, %b : tensor<8x16xf32>
  %here = sdy.sharding_constraint %sum <@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
  %sine = stablehlo.sine %here : tensor<8x16xf32>
  %there = sdy.sharding_constraint %sine <@mesh, [{"y"}, {"x"}]> : tensor<8x16xf32>
  %result = stablehlo.cosine %there : tensor<8x16xf32>
  return %result : tensor<8x16xf32>
}

// Branches, a sharding group and an optimisation barrier on a mesh of three axes.
sdy.mesh @mesh = <["x"=16, "y"=16, "z"=16]>
func.func @main(%which: tensor<i32>, %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}, %b: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %chosen = "stablehlo.case"(%which) ({
    %left = stablehlo.negate %a : tensor<8x16xf32>
    stablehlo.return %left : tensor<8x16xf32>
  }, {
    %right = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %flat = stablehlo.reshape %right : (tensor<16x8xf32>) -> tensor<8x16xf32>
    stablehlo.return %flat : tensor<8x16xf32>
  }) : (tensor<i32>) -> tensor<8x16xf32>
  %held = stablehlo.optimization_barrier %chosen : tensor<8x16xf32>
  %other = stablehlo.exponential %b : tensor<8x16xf32>
  sdy.sharding_group %held group_id = 7 : tensor<8x16xf32>
  sdy.sharding_group %other group_id = 7 : tensor<8x16xf32>
  return %held, %other : tensor<8x16xf32>, tensor<8x16xf32>
}

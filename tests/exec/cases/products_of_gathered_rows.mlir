// Sums of products whose rows devices divide instead of the columns that each keeps, and products that gather rows and short runs of k's from devices.
// tolerance: 1e-3
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<512x96xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<96x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %v: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<512x96xf32>, tensor<96x256xf32>) -> tensor<512x256xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<512x256xf32>
  %2 = stablehlo.tanh %1 : tensor<512x256xf32>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x128xf32>) -> tensor<512x128xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{}, {"x"}]> : tensor<512x128xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [0] x [0] : (tensor<512x256xf32>, tensor<512x128xf32>) -> tensor<256x128xf32>
  return %4, %5 : tensor<512x128xf32>, tensor<256x128xf32>
}

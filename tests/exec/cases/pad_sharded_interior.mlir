// Pads of sharded dimensions whose tiles begin between two elements: own tiles, halos, cuts, and dimensions that do not divide.
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func public @main(%a: tensor<16x13xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %f: tensor<f32>) -> (tensor<50x13xf32>, tensor<26x13xf32>, tensor<16x40xf32>, tensor<16x29xf32>, tensor<12x13xf32>, tensor<51x25xf32>, tensor<16x90xf32>) {
  %0 = stablehlo.pad %a, %f, low = [2, 0], high = [2, 0], interior = [2, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<50x13xf32>
  %1 = stablehlo.pad %a, %f, low = [-2, 0], high = [-3, 0], interior = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<26x13xf32>
  %2 = stablehlo.pad %a, %f, low = [0, 2], high = [0, 1], interior = [0, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<16x40xf32>
  %3 = stablehlo.pad %a, %f, low = [0, 5], high = [0, -1], interior = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<16x29xf32>
  %4 = stablehlo.pad %a, %f, low = [-2, 0], high = [-2, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<12x13xf32>
  %5 = stablehlo.pad %a, %f, low = [1, 0], high = [4, 0], interior = [2, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<51x25xf32>
  %6 = stablehlo.pad %a, %f, low = [0, 31], high = [0, 46], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<16x13xf32>, tensor<f32>) -> tensor<16x90xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<50x13xf32>, tensor<26x13xf32>, tensor<16x40xf32>, tensor<16x29xf32>, tensor<12x13xf32>, tensor<51x25xf32>, tensor<16x90xf32>
}

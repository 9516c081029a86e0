// Gathering an array without elements: nothing moves.
sdy.mesh @mesh = <["x"=3, "y"=2]>
func.func public @main(%a: tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<0x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<0x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<0x4xf32>, tensor<4xf32>
}

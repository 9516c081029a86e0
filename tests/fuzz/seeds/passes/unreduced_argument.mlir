// A result with a priority that is unreduced, of a private function.
sdy.mesh @tile = <["m"=2, "n"=2]>
func.func private @product(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@tile, [{}, {?}p1], unreduced={"m"}>}) {
  %a = stablehlo.add %x, %y : tensor<6x4xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %d = stablehlo.dot %t, %y : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
  return %a, %d : tensor<6x4xf32>, tensor<4x4xf32>
}
